"""Edit judgments of SEEDA: one text file per sentence, with a judgment of each edit.

::

    <Source with context>
    The sentence before .
    <t>She [have] two cats .</t>
    The sentence after .

    <Correction>
    <s1>She [have→has|True] two [cats→pets|False] .</s1>

In the source, ``[...]`` marks an error that the annotator sees. An edit is judged ``True`` or
``False``. A folder with the name of the annotator contains their files. A folder of such folders
can be read too.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from redink.errors import DataError, FormatError, RedinkWarning
from redink.files import placed, read_head, read_lines
from redink.model import Edit, Judgment, fingerprint
from redink.model.edits import apply_edits

_FIRST = "<Source with context>"
_TARGET = re.compile(r"<t>(.*)</t>")
_VERSION = re.compile(r"<s(\d+)>(.*)</s\1>")
# Judgments were typed by hand: some are after the bracket, before a comma in it, or missing.
_EDIT = re.compile(r"\[([^\[\]→]*)→([^\[\]|]*)(?:\|(\w+)([^\[\]]*))?\](?:\s*\|(True|False))?")
_MARKED = re.compile(r"\[([^\[\]]*)\]")
RIGHT, WRONG = "right", "wrong"


@dataclass(frozen=True)
class JudgedVersion:
    """A correction: its number, its edits, and whether each is correct (None: not judged)."""

    number: int
    edits: tuple[Edit, ...]
    right: tuple[bool | None, ...]


@dataclass(frozen=True)
class JudgedSentence:
    """The judgments of one annotator about one sentence."""

    judge: str
    tokens: tuple[str, ...]
    errors: tuple[tuple[int, int], ...]
    versions: tuple[JudgedVersion, ...]
    before: str = ""
    after: str = ""

    def missed(self, version: JudgedVersion) -> int:
        """Return the number of errors in the source that a correction does not change."""
        return sum(not any(_touch(error, e) for e in version.edits) for error in self.errors)

    def leaves_error(self, version: JudgedVersion) -> bool:
        """Return whether a correction does not change one of the errors in the source."""
        return self.missed(version) > 0


def _touch(error: tuple[int, int], edit: Edit) -> bool:
    start, end = error
    if start == end or edit.start == edit.end:
        return edit.start <= end and start <= edit.end
    return edit.start < end and start < edit.end


def holds_seeda(path: str | Path) -> bool:
    """Return whether a path is a SEEDA file of edit judgments or a folder of such files."""
    place = Path(path)
    first = next(iter(place.rglob("*.txt")), None) if place.is_dir() else place
    return first is not None and first.is_file() and read_head(first, lines=1)[:1] == [_FIRST]


def seeda_files(path: str | Path) -> list[Path]:
    """Return the files of all annotators, of one annotator, or a single file."""
    place = Path(path)
    if not place.is_dir():
        return [place]
    found = [file for file in place.rglob("*.txt") if file.is_file()]
    if not found:
        raise FormatError("contains no text files (.txt)", path=place)
    return sorted(found, key=lambda file: (file.parent, len(file.name), file.name))


def read_sentences(path: str | Path) -> Iterator[JudgedSentence]:
    """Yield the judgments of each annotator and sentence.

    These files were edited by hand. The most frequent source of the corrections is used, and
    corrections with another source are ignored. Warnings count typing errors and ignored
    corrections.
    """
    counts = Counter[str]()
    for file in seeda_files(path):
        yield _read_file(file, counts)
    for what in (_ODD, _LOST):
        if counts[what]:
            warnings.warn(f"{path}: {what}: {counts[what]}", RedinkWarning, stacklevel=2)


_ODD = "edits with a mistyped or missing judgment"
_LOST = "corrections with another source than most corrections, ignored"


def _read_file(path: Path, odd: Counter[str]) -> JudgedSentence:
    around: list[str] = []
    target = None
    place = 0
    found: list[tuple[tuple[str, ...], JudgedVersion, int]] = []
    for number, raw in read_lines(path):
        line = raw.strip()
        with placed(path, number):
            if match := _TARGET.fullmatch(line):
                target, place = _read_marks(match[1], _MARKED), len(around)
            elif match := _VERSION.fullmatch(line):
                if target is None:
                    raise DataError("found a correction before its source (<t>...</t>)")
                found.append(_read_version(int(match[1]), match[2]))
            elif line and not line.startswith("<"):
                around.append(line)
    if target is None:
        raise FormatError("has no source (<t>...</t>)", path=path)
    counts = Counter(source for source, _, _ in found)
    source = counts.most_common(1)[0][0] if counts else target[0]
    kept = [(version, mistyped) for tokens, version, mistyped in found if tokens == source]
    odd[_ODD] += sum(mistyped for _, mistyped in kept)
    odd[_LOST] += len(found) - len(kept)
    return JudgedSentence(
        judge=path.absolute().parent.name,
        tokens=source,
        errors=tuple(s for s, _ in target[1]) if len(target[0]) == len(source) else (),
        versions=tuple(version for version, _ in kept),
        before=" ".join(around[:place]),
        after=" ".join(around[place:]),
    )


def _read_marks(
    text: str, mark: re.Pattern[str]
) -> tuple[tuple[str, ...], list[tuple[tuple[int, int], re.Match[str]]]]:
    """Return the tokens of a text, and each mark with its token span."""
    tokens: list[str] = []
    marks = []
    reached = 0
    for found in mark.finditer(text):
        tokens += text[reached : found.start()].split()
        words = found[1].split()
        marks.append(((len(tokens), len(tokens) + len(words)), found))
        tokens += words
        reached = found.end()
    return (*tokens, *text[reached:].split()), marks


def _read_version(number: int, text: str) -> tuple[tuple[str, ...], JudgedVersion, int]:
    """Return the source of a correction, the correction, and the number of mistyped judgments."""
    tokens, marks = _read_marks(text, _EDIT)
    edits: list[Edit] = []
    right: list[bool | None] = []
    odd = 0
    for span, found in marks:
        said = found[3] or found[5] or ""
        edits.append(Edit(*span, " ".join(f"{found[2]}{found[4] or ''}".split())))
        odd += found[3] not in {"True", "False"} or bool(found[4])
        right.append(True if said.startswith("True") else False if said == "False" else None)
    return tokens, JudgedVersion(number, tuple(edits), tuple(right)), odd


def read_seeda(
    path: str | Path, systems: Mapping[str, Sequence[str]] | None = None
) -> Iterator[Judgment]:
    """Yield a judgment for each edit of each correction, and for errors left uncorrected.

    With ``systems``, a judgment names the systems with this correction among their output lines;
    corrections of no system are ignored, with a warning.
    """
    names: dict[str, list[str]] = {}
    for name, lines in (systems or {}).items():
        for line in dict.fromkeys(" ".join(line.split()) for line in lines):
            names.setdefault(line, []).append(name)
    lost = 0
    for sentence in read_sentences(path):
        for version in sentence.versions:
            made_by = names.get(" ".join(apply_edits(sentence.tokens, version.edits)))
            if systems is None or made_by:
                yield from _judgments(sentence, version, made_by)
            lost += systems is not None and not made_by
    if lost:
        message = f"{path}: corrections that no system made, ignored: {lost}"
        warnings.warn(message, RedinkWarning, stacklevel=2)


def _judgments(
    sentence: JudgedSentence, version: JudgedVersion, systems: Sequence[str] | None
) -> Iterator[Judgment]:
    made = [f"{edit.start}-{edit.end}:{edit.correction}" for edit in version.edits]
    name = f"{fingerprint([' '.join(sentence.tokens)])[:8]}.{fingerprint(made)[:8]}"
    by = (("systems", "+".join(systems)),) if systems else ()
    for edit, right in zip(version.edits, version.right, strict=True):
        if right is None:
            continue
        item, label = f"{name}.{edit.start}-{edit.end}", RIGHT if right else WRONG
        about = (("question", "edit"), ("start", str(edit.start)), ("end", str(edit.end)))
        correction = (("correction", edit.correction),) if edit.correction else ()
        yield Judgment(item, sentence.judge, label, extra=(*about, *correction, *by))
    missed = sentence.missed(version)
    number = (("missed", str(missed)),) if missed else ()
    remains = (("question", "remains"), *number, *by)
    yield Judgment(f"{name}.remains", sentence.judge, "yes" if missed else "no", extra=remains)
