"""Task check: whether a submission is what the task asks for, with advice on how to correct it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from redink.commands.task import Task, TaskSet, opened, read_task
from redink.files import read_lines
from redink.inputs.checks import check_texts
from redink.inputs.loading import PathLike
from redink.model import Sentence, Shown, Table, make_signature, table_of
from redink.options import Flag, use_case
from redink.raw_text.sentence_matching import find_moved

Verdict = Literal["ok", "note", "problem"]


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
    sources, texts = (list(map(Sentence.from_line, some)) for some in (source, lines))
    moved = find_moved([s.tokens for s in sources], [t.tokens for t in texts])
    if len(lines) != len(source):
        line, home = next(iter(moved.homes.items()), (None, 0))
        what = f"has {len(lines)} lines, the source has {len(source)}"
        if line is None:
            yield "problem", None, what
        else:
            fault = "is missing" if home > line else "is too many"
            where = f"line {line + 1} fits source line {home + 1}: a line before {fault}"
            yield "problem", line + 1, f"{what}; {where}"
        return
    suspicious = list(check_texts(sources, {"": texts}))
    for found in suspicious:
        verdict: Verdict = "problem" if found.severe else "note"
        yield verdict, found.line, f"{found.problem}; {found.advice}"
    if moved.far and not any(found.severe for found in suspicious):
        what = f"{len(moved.far)} with little in common with the source"
        yield "note", moved.far[0] + 1, what
