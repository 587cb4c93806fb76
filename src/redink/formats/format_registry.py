"""The list of file formats, and their detection.

A format is a value with two functions: ``read`` (a path to an iterator of values, so that large
files stream) and ``write`` (values to a text stream). Its ``kind`` is the type of the values. The
module of a format is imported when one of its functions is called.

Other packages add formats by an entry point: a :class:`Format`, or a tuple of several::

    [project.entry-points."redink.formats"]
    words = "my_package.words:WORDS"
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from redink.errors import FormatError, OptionError, RedinkError, RedinkWarning, unknown_name
from redink.formats import recognition
from redink.formats.recognition import JUDGMENT_COLUMNS, Layout, read_head
from redink.registry import Registry

Kind = Literal["corpus", "parallel", "detections", "documents", "rankings", "judgments"]
"""The type of the values in a file: AnnotatedSentence, ParallelSentence, Detection, RawDocument,
Ranking or Judgment. Commands that expect a corpus split documents into sentences."""

Head = Sequence[str]


def cannot_write(*_: Any) -> None:
    """Raise an error: redink only reads this format."""
    raise OptionError("redink reads this format, but does not write it")


@dataclass(frozen=True)
class Format:
    """A file format: how its files are detected, read and written."""

    name: str
    kind: Kind
    description: str
    suffixes: tuple[str, ...]
    recognize: Callable[[Head], bool]
    """Returns whether a file that begins with these lines has this format."""
    read: Callable[..., Iterator[Any]]
    """Reads the values of a path."""
    write: Callable[..., None] = cannot_write
    """Writes values to a text stream."""
    raw: str | None = None
    """The usual tokenizer of corpora in this format, if the format contains raw text.

    In this case ``read`` and ``write`` have a parameter ``tokenize``, a function.
    """
    may_be_raw: bool = False
    """Whether ``read`` has a parameter ``tokenize``, a function for untokenized text."""
    general: bool = False
    """Whether many files of other formats resemble this format, which is then tried last."""


def _call(module: str, function: str, /, *given: Any, **options: Any) -> Any:
    return getattr(import_module(f"redink.formats.{module}"), function)(*given, **options)


def _own(
    name: str,
    kind: Kind,
    suffixes: str,
    home: str,
    recognize: Callable[[Head], bool],
    *,
    options: dict[str, Any] | None = None,
    **more: Any,
) -> Format:
    """Make a built-in format; ``m:x`` means ``read_x`` and ``write_x`` in the module ``m``."""
    module, _, functions = home.partition(":")
    read, write = (
        partial(_call, module, f"{verb}_{functions}", **(options or {}))
        for verb in ("read", "write")
    )
    more["write"] = cannot_write if functions in _ONLY_READ else write
    description = _DESCRIPTIONS[functions]
    return Format(name, kind, description, tuple(suffixes.split()), recognize, read, **more)


def _jsonl(kind: Kind) -> Format:
    recognize = partial(recognition.is_jsonl, kind=kind)
    return _own("jsonl", kind, ".jsonl", "jsonl:jsonl", recognize, options={"kind": kind})


def _table(
    name: Layout, kind: Kind, suffixes: str, home: str, recognize: Callable[..., bool], **more: Any
) -> Format:
    options = {"layout": name}
    return _own(name, kind, suffixes, home, partial(recognize, **options), options=options, **more)


_DESCRIPTIONS = {
    "m2": "sentences with edits by any number of annotators (CoNLL, ERRANT)",
    "appraise": "rankings of system outputs in XML (Appraise, WMT and GEC evaluations)",
    "nucle": "essays with character offsets of corrections in SGML (NUCLE, CoNLL-2013 and 2014)",
    "wi_jsonl": "texts with character offsets of corrections in JSON lines (W&I, LOCNESS, FCE)",
    "ann": "a document with inline corrections, or a folder of documents (UA-GEC)",
    "jsonl": "JSON lines of redink: any value without loss, one per line",
    "json_list": "a list of strings, one tokenized sentence each",
    "wmt_csv": "rankings of system outputs in CSV, one row per ranking (WMT)",
    "judgments_table": "judgments: item, judge, label and more, or one column per judge",
    "columns": "source and corrected versions in named columns",
    "gug": "grammaticality ratings by an expert and crowd workers (the GUG data set)",
    "ged_tsv": "one token per line with c or i, and optionally an error probability",
    "multigec": "untokenized essays in Markdown (MultiGEC)",
    "json_documents": "untokenized texts in JSON lines with id and text, or chat logs",
    "numbered": "tab-separated columns: number, source, corrected versions (MuCGEC)",
    "parallel": "source and corrected versions in tab-separated columns",
    "text_lines": "one tokenized sentence per line",
    "folder": "a folder with one text file per document",
}
_ONLY_READ = {"gug", "folder"}
_TEXT: dict[str, Any] = {"may_be_raw": True}  # options of text formats
_GENERAL: dict[str, Any] = {"may_be_raw": True, "general": True}
_KINDS_IN_JSONL: tuple[Kind, ...] = ("detections", "corpus", "parallel", "rankings", "judgments")
_OWN = (
    _own("m2", "corpus", ".m2", "m2:m2", recognition.is_m2),
    _own("appraise", "rankings", ".xml", "ranking_files:appraise", recognition.is_appraise),
    _own("nucle", "corpus", ".sgml .sgm", "nucle:nucle", recognition.is_nucle, raw="treebank"),
    _own("wi", "corpus", ".json", "wi_jsonl:wi_jsonl", recognition.is_wi, raw="spacy"),
    _own("ua-gec", "corpus", ".ann", "ua_gec:ann", recognition.is_ua_gec, raw="words"),
    *map(_jsonl, _KINDS_IN_JSONL),
    _own("json", "corpus", "", "plain_text:json_list", recognition.is_list_of_strings, **_TEXT),
    _own("wmt-csv", "rankings", ".csv", "ranking_files:wmt_csv", recognition.is_wmt),
    _table("csv", "judgments", ".csv", "judgment_tables:judgments_table", recognition.is_judgments),
    _table("tsv", "judgments", ".tsv", "judgment_tables:judgments_table", recognition.is_judgments),
    _table("csv", "parallel", ".csv", "plain_text:columns", recognition.is_parallel_table, **_TEXT),
    _table("tsv", "parallel", "", "plain_text:columns", recognition.is_parallel_table, **_TEXT),
    _own("gug", "judgments", ".tsv", "judgment_tables:gug", recognition.is_gug),
    _own("ged-tsv", "detections", ".tsv", "ged_tsv:ged_tsv", recognition.is_ged),
    _own("multigec", "documents", ".md", "raw_documents:multigec", recognition.is_multigec),
    _own(
        "documents", "documents", "", "raw_documents:json_documents", recognition.is_json_documents
    ),
    _own("para", "parallel", ".para", "plain_text:numbered", recognition.is_numbered, **_GENERAL),
    _own(
        "parallel",
        "parallel",
        ".tsv",
        "plain_text:parallel",
        recognition.is_tab_separated,
        **_GENERAL,
    ),
    _own("text", "corpus", ".txt", "plain_text:text_lines", bool, **_GENERAL),
)
"""The built-in formats, in the order in which they are tried on a file."""
_FOLDER = _own("folder", "documents", "", "raw_documents:folder", lambda _: False)
_ADDED: Registry[Format | Sequence[Format]] = Registry("redink.formats", "format", {})
_FALLBACK = "text"  # the format that fits any text
PLAIN = frozenset({_FALLBACK, "json"})
"""The formats that contain only sentences: lines, or a list of strings."""


@cache
def all_formats() -> tuple[Format, ...]:
    """Return every format, in the order in which they are tried on a file.

    Built-in formats come first, then formats of other packages, then the general ones. A name may
    be used for several kinds (``jsonl`` for all of them), with one format for each kind.
    """
    known = {(one.name, one.kind): one for one in _OWN}
    for name in _ADDED:
        try:
            found = _ADDED.load(name)
        except RedinkError as error:
            warnings.warn(f"ignored: {error}", RedinkWarning, stacklevel=3)
            continue
        for one in [found] if isinstance(found, Format) else found:
            known.setdefault((one.name, one.kind), one)
    return tuple(sorted(known.values(), key=lambda one: one.general))


def format_names(kind: Kind | None = None) -> tuple[str, ...]:
    """Return the names of the formats (for one kind), each once."""
    return tuple(dict.fromkeys(f.name for f in all_formats() if kind in {None, f.kind}))


def get_format(name: str, *, kind: Kind | None = None) -> Format:
    """Return the format with this name (and kind, if several formats share the name)."""
    named = [f for f in all_formats() if f.name == name]
    if found := [f for f in named if kind in {None, f.kind}]:
        return found[0]
    if not named:
        raise unknown_name("format", name, format_names())
    known = ", ".join(format_names(kind))
    raise OptionError(f"the format {name!r} does not contain {kind}; expected one of: {known}")


def detect_format(path: str | Path, *, kind: Kind | None = None, name: str | None = None) -> Format:
    """Detect the format of a file from its first lines.

    Args:
        path: the file.
        kind: the required kind, if only one is accepted.
        name: the name of the format, if known; then only the kind is detected.
    """
    if name is not None and not _can_be(get_format(name), kind):
        get_format(name, kind=kind)  # raises an error if no format of this name has the kind
    if name is None and Path(path).is_dir():
        folder = get_format("ua-gec") if any(Path(path).glob("*.ann*")) else _FOLDER
        if not _can_be(folder, kind):
            raise FormatError(f"is a folder; expected a file of {kind}", path=path)
        return folder
    head = read_head(path)
    if not head:
        raise FormatError("is empty", path=path)
    candidates = [f for f in all_formats() if _can_be(f, kind) and name in {None, f.name}]
    if name is not None and len(candidates) == 1:
        return candidates[0]
    if found := _recognize(head, candidates):
        return found
    found = _detect_by_suffix(path, candidates, kind)
    # a file that fits another format is not read as text
    if found.name == _FALLBACK != name and (other := _recognize(head, all_formats())):
        raise FormatError(f"contains {other.kind} ({other.name}); expected sentences", path=path)
    return found


def _recognize(head: Head, candidates: Iterable[Format]) -> Format | None:
    return next((f for f in candidates if f.name != _FALLBACK and f.recognize(head)), None)


def _can_be(known: Format, kind: Kind | None) -> bool:
    return kind in {None, known.kind} or (kind == "corpus" and known.kind == "documents")


def suffix_of(path: str | Path) -> str:
    """Return the suffix of a file name without a compression suffix such as .gz."""
    name = Path(path).name.lower().removesuffix(".gz").removesuffix(".zst")
    return Path(name).suffix


def _detect_by_suffix(path: str | Path, candidates: Sequence[Format], kind: Kind | None) -> Format:
    """Return the format of a file that no format recognizes.

    A damaged M2 file is not read as plain text, so that the reader of M2 reports the problem.
    """
    suffix = suffix_of(path)
    special = [f for f in candidates if f.name != _FALLBACK and f.kind != "documents"]
    named = [f for f in special if suffix in f.suffixes]
    if len({f.name for f in named}) == 1:
        if len(named) > 1:  # JSON lines of unknown kind: the reader reports the problem
            next(iter(named[0].read(path)), None)
        return named[0]
    fallback = [f for f in candidates if f.name == _FALLBACK]
    if fallback and not named:
        return fallback[0]
    expected = ", ".join(dict.fromkeys(f.name for f in named or candidates))
    holds = f" of {kind}" if kind else f" of a {suffix} file" if named else ""
    hint = ""
    if kind == "judgments" and suffix == ".xml":
        hint = "; if it contains rankings, see redink rank --show agreement"
    elif kind == "judgments":
        hint = f"; {JUDGMENT_COLUMNS}"
    elif named and suffix == ".csv":
        hint = (
            "; a table of sentences has source and corrected in its first line, and "
            f"{JUDGMENT_COLUMNS}"
        )
    raise FormatError(f"has no known format{holds} ({expected}){hint}", path=path)
