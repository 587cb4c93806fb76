"""Collecting judgments from people in a browser, losing nothing.

``store`` keeps everything in a database; ``server`` is the running campaign in memory, with one
writer that acknowledges an answer only when it is on disk; ``tasks`` say what is asked and how an
answer is read; ``app`` puts them on the web; ``exporting`` turns answers into judgments.
"""
