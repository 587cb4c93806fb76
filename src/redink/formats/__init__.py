"""Files to values and back, one module a format.

The order of these imports is the order in which formats are asked whether a file is theirs:
the particular before the general, plain text last.
"""

from redink.formats import m2 as _m2  # isort: skip
from redink.formats import appraise as _appraise  # isort: skip
from redink.formats import nucle as _nucle  # isort: skip
from redink.formats import wi_jsonl as _wi_jsonl  # isort: skip
from redink.formats import jsonl as _jsonl  # isort: skip
from redink.formats import wmt_csv as _wmt_csv  # isort: skip
from redink.formats import judgments as _judgments  # isort: skip
from redink.formats import gug as _gug  # isort: skip
from redink.formats import ged_tsv as _ged_tsv  # isort: skip
from redink.formats import parallel as _parallel  # isort: skip
from redink.formats import text as _text  # isort: skip
from redink.formats.inputs import read_system
from redink.formats.parallel import read_parallel_files
from redink.formats.reading import (
    read_corpus,
    read_judgments,
    read_rankings,
    read_values,
)
from redink.formats.registry import (
    Format,
    Kind,
    all_formats,
    detect_format,
    format_names,
    get_format,
)

__all__ = [
    "Format",
    "Kind",
    "all_formats",
    "detect_format",
    "format_names",
    "get_format",
    "read_corpus",
    "read_judgments",
    "read_parallel_files",
    "read_rankings",
    "read_system",
    "read_values",
]

del (
    _m2,
    _appraise,
    _nucle,
    _wi_jsonl,
    _jsonl,
    _wmt_csv,
    _judgments,
    _gug,
    _ged_tsv,
    _parallel,
    _text,
)
