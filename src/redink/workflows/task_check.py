"""Task check: whether a submission is what the task asks for, in words that help to mend it."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from redink.files import read_lines
from redink.formats.inputs import PathLike
from redink.model import Shown, Table, make_signature, table_of
from redink.options import Flag, use_case
from redink.workflows.task import Task, TaskSet, opened, read_task

Verdict = Literal["ok", "note", "problem"]

_MARKS = ".,;:!?"
_RAW_LINES = 0.2
"""A text in which more lines than this have marks glued to words is not tokenised."""
_RUN = 3
"""So many lines in a row that fit another place make a shift."""
_STRANGE = 0.2
"""Lines that share less than this of their words with the source are strange."""


@dataclass(frozen=True)
class Finding:
    """What was found in a file of a submission."""

    set: str
    file: str
    verdict: Verdict
    line: Annotated[int | None, Shown(optional=True)]
    what: str


@use_case
def check_submission(
    task: Annotated[PathLike, Flag(value="TASK")],
    submission: Annotated[PathLike, Flag(value="SUBMISSION")],
) -> Table:
    """Check a submission before it is sent: names, encoding, counts, tokens, lines in place.

    SUBMISSION is a folder or a .zip file with an answer for every set, named as the task file
    says; for a task with one set, the answer alone will do. The exit code is 1 if there is a
    problem; a note is not one. The references are not looked at, so that participants can do the
    same with the sources alone.

    Args:
        task: the folder of the task.
        submission: the folder or .zip file.

    Returns:
        A row for every file that is well, and for everything that is not.
    """
    asked = read_task(task)
    with opened(submission, asked) as folder:
        rows = list(find_problems(asked, folder))
    problems = sum(row.verdict == "problem" for row in rows)
    note = f"{problems} problem{'s' * (problems != 1)}" if problems else "ready to be sent"
    return table_of(rows, Finding, notes=[note], signature=make_signature("task check"))


def find_problems(task: Task, folder: Path) -> Iterator[Finding]:
    """What is wrong with the files in a folder, set by set."""
    there = {path.name for path in folder.iterdir() if path.is_file()}
    expected = {each.file for each in task.sets}
    for each in task.sets:
        if each.file not in there:
            near = difflib.get_close_matches(each.file, sorted(there - expected), n=1)
            hint = f"; is it {near[0]}?" if near else ""
            yield Finding(each.name, each.file, "problem", None, f"is missing{hint}")
            continue
        found = list(_look_at(each, folder / each.file, tokenised=task.tokenised))
        if not any(finding.verdict == "problem" for finding in found):
            yield Finding(each.name, each.file, "ok", None, "")
        yield from found
    for name in sorted(there - expected):
        if not name.startswith("."):
            yield Finding("", name, "note", None, "is not asked for, and not looked at")


def _look_at(each: TaskSet, path: Path, *, tokenised: bool) -> Iterator[Finding]:
    def tell(verdict: Verdict, line: int | None, what: str) -> Finding:
        return Finding(each.name, each.file, verdict, line, what)

    raw = path.read_bytes()
    if not raw.strip():
        yield tell("problem", None, "is empty")
        return
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield tell("problem", 1, "is UTF-16; UTF-8 was expected")
        return
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        yield tell("problem", line, "is not UTF-8")
        return
    if "\x00" in text:
        yield tell("problem", text[: text.index("\x00")].count("\n") + 1, "holds a NUL character")
        return
    lines = text.removesuffix("\n").split("\n")
    lines = [line.removesuffix("\r") for line in lines]
    source = [line for _, line in read_lines(each.source)]
    if lines == source:
        yield tell("note", None, "changes nothing: it is the source")
        return
    if tokenised:
        yield from (tell(*found) for found in _compare_lines(source, lines))


Found = tuple[Verdict, int | None, str]


def _compare_lines(source: Sequence[str], lines: Sequence[str]) -> Iterator[Found]:
    bags = [Counter(line.lower().split()) for line in source]
    own = [Counter(line.lower().split()) for line in lines]
    shift = _find_shift(bags, own)
    if len(lines) != len(source):
        what = f"has {len(lines)} lines, the source has {len(source)}"
        yield "problem", shift[0] if shift else None, f"{what}{_about(shift)}"
        return
    if shift:
        yield "problem", shift[0], f"lines are not where they belong{_about(shift)}"
        return
    yield from _about_tokens(source, lines)
    empty = [
        n
        for n, (a, b) in enumerate(zip(source, lines, strict=True), 1)
        if a.strip() and not b.strip()
    ]
    if empty:
        yield "note", empty[0], f"{len(empty)} empty where the source is not"
    strange = [
        number
        for number, (a, b) in enumerate(zip(bags, own, strict=True), start=1)
        if a.total() > 4 and b and _likeness(a, b) < _STRANGE
    ]
    if strange:
        yield "note", strange[0], f"{len(strange)} with hardly a word of the source"
    long = [
        number
        for number, (a, b) in enumerate(zip(bags, own, strict=True), start=1)
        if b.total() > 3 * a.total() + 10
    ]
    if long:
        yield "note", long[0], f"{len(long)} more than three times as long as the source"


def _likeness(first: Counter[str], second: Counter[str]) -> float:
    """The share of words in common (Dice)."""
    both = first.total() + second.total()
    return 2 * (first & second).total() / both if both else 1.0


def _find_shift(
    source: Sequence[Counter[str]], lines: Sequence[Counter[str]]
) -> tuple[int, int] | None:
    """Where lines begin to stand in another place, counted from 1, and how far off they are."""
    run: list[int] = []
    for number, line in enumerate(lines):
        offsets = [
            offset
            for offset in (-2, -1, 1, 2)
            if 0 <= number + offset < len(source)
            and line.total() > 3
            and _likeness(line, source[number + offset]) > 0.6
        ]
        here = _likeness(line, source[number]) if number < len(source) else 0.0
        if here > 0.4 or not offsets:
            run = [] if here > 0.4 else run
            continue
        if run and offsets[0] != run[0]:
            run = []
        run.append(offsets[0])
        if len(run) == _RUN:
            return number + 2 - _RUN, offsets[0]
    return None


def _about(shift: tuple[int, int] | None) -> str:
    if shift is None:
        return ""
    line, offset = shift
    where, before = ("down", "is missing") if offset > 0 else ("up", "is too many")
    places = f"they fit the source {abs(offset)} further {where}"
    return f"; from line {line} on {places}: a line before {before}"


def _about_tokens(source: Sequence[str], lines: Sequence[str]) -> Iterable[Found]:
    glued = [(n, word) for n, line in enumerate(lines, 1) for word in _glued(line)[:1]]
    usual = sum(bool(_glued(line)) for line in source)
    if len(glued) > _RAW_LINES * len(lines) and len(glued) > 3 * usual:
        number, word = glued[0]
        what = (
            f"is not tokenised as the source is: {word!r} and the like in {len(glued)} lines; "
            "words and marks stand between spaces"
        )
        yield "problem", number, what


def _glued(line: str) -> list[str]:
    """Words with a mark at their end, abbreviations aside."""
    return [
        word
        for word in line.split()
        if len(word) > 3 and word[-1] in _MARKS and word[-2].isalpha() and "." not in word[:-1]
    ]
