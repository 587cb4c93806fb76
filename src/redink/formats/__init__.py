"""Files to values and back, one module a format."""

from importlib import import_module

from redink.formats.inputs import read_system
from redink.formats.reading import read_corpus, read_judgments, read_rankings, read_values
from redink.formats.registry import (
    Format,
    Kind,
    all_formats,
    detect_format,
    format_names,
    get_format,
)
from redink.formats.text import read_parallel_files

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

# Formats are asked whether a file is theirs in this order, the general ones (text.py) last.
for _module in (
    "m2",
    "appraise",
    "nucle",
    "wi_jsonl",
    "ua_gec",
    "jsonl",
    "json_list",
    "wmt_csv",
    "judgments",
    "columns",
    "gug",
    "ged_tsv",
    "document_files",
):
    import_module(f"redink.formats.{_module}")
