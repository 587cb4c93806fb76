"""Drop-in: what people's scripts already call, answered by redink.

``commands``
    which commands there are under their usual names, and where each lives.
``errant_compare``, ``errant_parallel``, ``errant_m2``, ``m2scorer``, ``compute_gleu``, ``gleu`` ...
    one module a command: its options, its output and its exit codes, byte for byte.
``errant``
    the Python API of the ``errant`` package.
``evaluate_metric``, ``harnesses``
    metrics as Hugging Face ``evaluate``, lm-evaluation-harness and unitxt call them.

A command is started for every file that a script scores, so each imports only what it needs.
"""
