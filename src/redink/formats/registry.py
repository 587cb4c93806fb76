"""Formats by name, and which of them a file is.

A format is a value with two functions: ``read`` (a path to an iterator of values, so that large
files stream) and ``write`` (values to a text stream). What the values are is its ``kind``.

Other packages add theirs by an entry point: a :class:`Format`, or a tuple of several::

    [project.entry-points."redink.formats"]
    words = "my_package.words:WORDS"
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from redink.errors import FormatError, OptionError, RedinkError, RedinkWarning
from redink.formats.json_lines import read_head
from redink.registry import Registry

Kind = Literal["corpus", "parallel", "detections", "documents", "rankings", "judgments"]
"""What a file holds: AnnotatedSentence, ParallelSentence, Detection, Essay, Ranking or Judgment
values. Documents are also read as a corpus, where one is expected: split into sentences."""


TOKENISERS: Registry[Callable[[str], list[tuple[int, int]]]] = Registry(
    "redink.tokenisers",
    "tokeniser",
    {
        "spacy": "redink.analysis.english.tokenizer:english_tokens",
        "treebank": "redink.raw_text.tokenization:treebank_tokens",
        "words": "redink.formats.ua_gec:word_tokens",
    },
)
"""What splits raw text into tokens; looked up by name, since some of it is linguistic analysis."""

LANGUAGE_TOKENISERS: Registry[Callable[[str], Callable[[str], list[tuple[int, int]]]]] = Registry(
    "redink.language_tokenisers",
    "tokenisers by language",
    {"any": "redink.analysis.language:load_tokenizer"},
)
"""What loads the tokeniser of a language by its code."""


@dataclass(frozen=True)
class Format:
    """How one kind of file is recognised, read and written."""

    name: str
    kind: Kind
    description: str
    suffixes: tuple[str, ...]
    recognise: Callable[[Sequence[str]], bool]
    """Whether a file that begins with these lines is in this format."""
    read: Callable[..., Iterator[Any]]
    """From a path to its values."""
    write: Callable[..., None]
    """Values, and the text stream to write them to."""
    raw: str | None = None
    """For a format of raw text, the tokeniser by whose rules its corpora are split by custom.

    ``read`` and ``write`` then take a ``tokenise`` function.
    """
    may_be_raw: bool = False
    """Whether ``read`` takes a ``tokenise`` function for text that nobody has tokenised yet."""
    general: bool = False
    """Whether much that is not in this format looks as if it were; then it is asked last."""


_OWN = (
    "m2:M2",
    "appraise:APPRAISE",
    "nucle:NUCLE",
    "wi_jsonl:WI_JSONL",
    "ua_gec:UA_GEC",
    "jsonl:JSONL",
    "json_list:JSON_LIST",
    "wmt_csv:WMT_CSV",
    "judgments:CSV",
    "judgments:TSV",
    "columns:CSV",
    "columns:TSV",
    "gug:GUG",
    "ged_tsv:GED_TSV",
    "document_files:MULTIGEC",
    "document_files:DOCUMENTS",
    "text:NUMBERED",
    "text:PARALLEL",
    "text:TEXT",
)
"""The formats of redink: a module of this package, and its format or tuple of formats."""
_ADDED: Registry[Format | Sequence[Format]] = Registry("redink.formats", "format", {})


@cache
def all_formats() -> tuple[Format, ...]:
    """Return every format, in the order in which they are tried on a file.

    The formats of redink come first, then those that other packages add, then the general ones. A
    name may serve several kinds (``jsonl`` serves all of them), with one format for each.
    """
    known: dict[tuple[str, Kind], Format] = {}
    for home in _OWN:
        module, _, name = home.partition(":")
        _add(known, getattr(import_module(f"redink.formats.{module}"), name))
    for name in _ADDED:
        try:
            _add(known, _ADDED.load(name))
        except RedinkError as error:
            warnings.warn(f"ignored: {error}", RedinkWarning, stacklevel=3)
    return tuple(sorted(known.values(), key=lambda one: one.general))


def _add(known: dict[tuple[str, Kind], Format], found: Format | Sequence[Format]) -> None:
    for one in [found] if isinstance(found, Format) else found:
        known.setdefault((one.name, one.kind), one)


def format_names(kind: Kind | None = None) -> tuple[str, ...]:
    """The names of the formats (for one kind), each once."""
    return tuple(dict.fromkeys(f.name for f in all_formats() if kind in {None, f.kind}))


def get_format(name: str, *, kind: Kind | None = None) -> Format:
    """The format of that name (and kind, where the name serves several)."""
    named = [f for f in all_formats() if f.name == name]
    if not named:
        known = ", ".join(format_names())
        raise OptionError(f"there is no format {name!r}; there are: {known}")
    for candidate in named:
        if kind in {None, candidate.kind}:
            return candidate
    known = ", ".join(format_names(kind))
    raise OptionError(f"the format {name!r} holds no {kind}; these do: {known}")


def detect_format(path: str | Path, *, kind: Kind | None = None, name: str | None = None) -> Format:
    """The format of a file, told by its first lines."""
    if name is not None and not _can_be(get_format(name), kind):
        get_format(name, kind=kind)  # says which names there are if this is none
    if name is None and Path(path).is_dir():
        return _folder_format(Path(path), kind)
    head = read_head(path)
    if not head:
        raise FormatError("is empty", path=path)
    candidates = [f for f in all_formats() if _can_be(f, kind) and name in {None, f.name}]
    if name is not None and len(candidates) == 1:
        return candidates[0]
    for candidate in candidates:
        if candidate.name != FALLBACK and candidate.recognise(head):
            return candidate
    found = _told_by_suffix(path, candidates, kind)
    if found.name == FALLBACK != name:
        # text is what nothing else is, whatever was expected
        for other in all_formats():
            if other.name != FALLBACK and other.recognise(head):
                raise FormatError(
                    f"holds {other.kind} ({other.name}); sentences were expected", path=path
                )
    return found


def _folder_format(path: Path, kind: Kind | None) -> Format:
    """What a folder is read as: files of UA-GEC, or texts."""
    from redink.formats.document_files import FOLDER  # which imports this module

    found = get_format("ua-gec") if any(path.glob("*.ann*")) else FOLDER
    if not _can_be(found, kind):
        raise FormatError(f"is a folder; a file of {kind} was expected", path=path)
    return found


def _can_be(known: Format, kind: Kind | None) -> bool:
    """Whether a format holds this kind, or what can be read as it."""
    return kind in {None, known.kind} or (kind == "corpus" and known.kind == "documents")


_RANKINGS_HINT = "; if it holds rankings, see redink rank --show agreement"
JUDGMENT_COLUMNS = (
    "a table of judgments has item, judge and label in its first line, or item and a column for "
    "each of several judges"
)
_COLUMNS_HINT = (
    f"; a table of sentences has source and corrected in its first line, and {JUDGMENT_COLUMNS}"
)
FALLBACK = "text"
"""The format that any text could be in; it is asked last."""
PLAIN = frozenset({FALLBACK, "json"})
"""The formats that hold sentences and nothing of them: lines, or a list of strings."""


def suffix_of(path: str | Path) -> str:
    """What a file's name says it is: its suffix, compression aside."""
    name = Path(path).name.lower().removesuffix(".gz").removesuffix(".zst")
    return Path(name).suffix


def _told_by_suffix(path: str | Path, candidates: Sequence[Format], kind: Kind | None) -> Format:
    """The format of a file whose content says nothing.

    A damaged M2 file should be told what is wrong with it rather than be taken for plain text.
    """
    suffix = suffix_of(path)
    named = [
        f
        for f in candidates
        if f.name != FALLBACK and suffix in f.suffixes and f.kind != "documents"
    ]
    if len({f.name for f in named}) == 1:
        if len(named) > 1:  # JSON lines of a kind that nothing tells: the reader says what is wrong
            next(iter(named[0].read(path)), None)
        return named[0]
    fallback = [f for f in candidates if f.name == FALLBACK]
    if fallback and not named:
        return fallback[0]
    expected = ", ".join(dict.fromkeys(f.name for f in named or candidates))
    holds = f" of {kind}" if kind else f" of a {suffix} file" if named else ""
    hint = _COLUMNS_HINT if named and suffix == ".csv" else ""
    if kind == "judgments":
        hint = _RANKINGS_HINT if suffix == ".xml" else f"; {JUDGMENT_COLUMNS}"
    raise FormatError(f"is in none of the formats{holds} ({expected}){hint}", path=path)
