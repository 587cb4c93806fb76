"""File formats: each module reads and writes one format."""

from redink.formats.format_registry import (
    Format,
    Kind,
    all_formats,
    detect_format,
    format_names,
    get_format,
)
from redink.formats.plain_text import read_parallel_files

__all__ = [
    "Format",
    "Kind",
    "all_formats",
    "detect_format",
    "format_names",
    "get_format",
    "read_parallel_files",
]
