"""Files to values and back, one module a format.

The order of these imports is the order in which formats are asked whether a file is theirs:
the particular before the general, plain text last.
"""

from redink.formats import m2 as _m2  # isort: skip
from redink.formats import appraise as _appraise  # isort: skip
from redink.formats import wmt_csv as _wmt_csv  # isort: skip
from redink.formats import judgments as _judgments  # isort: skip
from redink.formats import text as _text  # isort: skip
from redink.formats.reading import (
    read_corpus,
    read_judgments,
    read_rankings,
    read_system,
    read_values,
)
from redink.formats.registry import Format, all_formats, detect_format, format_names, get_format

__all__ = [
    "Format",
    "all_formats",
    "detect_format",
    "format_names",
    "get_format",
    "read_corpus",
    "read_judgments",
    "read_rankings",
    "read_system",
    "read_values",
]

del _m2, _appraise, _wmt_csv, _judgments, _text
