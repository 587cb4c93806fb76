"""Damaged files for every reader, and nonsense for every command.

Whatever the input, a reader gives values or says in one sentence what is wrong, and a command
ends with a whole result or with one sentence and exit code 2::

    python -m fuzzing --inputs 1000000 --seed 7
    python -m fuzzing commands --seconds 600

The test suite runs a short, fixed part of it (tests/fuzz).
"""
