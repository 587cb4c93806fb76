"""A command made from a function: arguments, options, choices, help and messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import pytest
from click.testing import CliRunner, Result

from redink.cli.derive import make_command
from redink.cli.layout import Entry
from redink.model import Table, make_table
from redink.options import Flag, Limits, Options, Positive, command
from redink.progress import tell

SEEN: list[Mapping[str, Any]] = []


def parse_range(text: str) -> tuple[int, int]:
    low, colon, high = text.partition(":")
    if not colon:
        raise ValueError(f"{text!r} is not FROM:TO")
    return int(low), int(high)


@dataclass(frozen=True)
class Drawn(Options):
    """How often something is drawn.

    Attributes:
        draws: how often.
        replace: put back what was drawn.
    """

    draws: Positive = 10
    replace: bool = True


@command
def toy(
    source: str | Path,
    others: Sequence[str | Path] = (),
    *,
    kind: Literal["big", "small"] = "small",
    edits: Annotated[Literal["auto", "gold"] | None, Flag(each=True)] = None,
    names: Annotated[Sequence[str], Flag(name="name")] = ("x", "y"),
    column: Annotated[Sequence[str], Flag(repeat=True)] = (),
    weights: Sequence[Annotated[float, Limits(0)]] = (),
    span: Annotated[tuple[int, int] | None, Flag(parse=parse_range, value="FROM:TO")] = None,
    counts: Annotated[Sequence[Sequence[float]], Flag(parts=2, repeat=True, parse=float)] = (),
    pair: Annotated[Mapping[str, int] | tuple[Positive, Positive] | None, Flag(parts=2)] = None,
    words: Annotated[str | Sequence[str], Flag(many=True)] = (),
    raw: Annotated[bool | None, Flag(off="tokenized")] = None,
    strict: bool = False,
    hidden: Annotated[str, Flag(hidden=True)] = "h",
    drawn: Drawn = Drawn(draws=20),
) -> Table:
    """Do something with SOURCE.

    See :func:`redink.score` for ``more``.

    Args:
        source: where to begin.
        others: where else.
        kind: how large.
        edits: ``auto``: find them again; ``gold``: keep them.
        names: what to call it.
        column: which to keep; once for each.
        weights: of each.
        span: from where to where.
        counts: two numbers.
        pair: two whole numbers; in Python a mapping, too.
        words: ``a`` or others. By default those of the file.
        raw: raw text, or tokenized text.
        strict: refuse more.
        hidden: nobody sees this.
        drawn: how often.
    """
    SEEN.append(
        {
            "source": source,
            "others": list(others),
            "kind": kind,
            "edits": edits,
            "names": list(names),
            "column": list(column),
            "weights": list(weights),
            "span": span,
            "counts": [tuple(c) for c in counts],
            "pair": pair,
            "words": list(words),
            "raw": raw,
            "strict": strict,
            "drawn": drawn,
        }
    )
    tell("working", 1, 2)
    return make_table(["answer"], [{"answer": "yes"}], notes=["noted"])


COMMAND = make_command("toy", toy, Entry(examples="redink toy a.txt"))


def call(*words: str) -> Result:
    return CliRunner().invoke(COMMAND, words, prog_name="redink toy")


def given(*words: str) -> Mapping[str, Any]:
    result = call(*words)
    assert result.exit_code == 0, result.output
    return SEEN[-1]


def test_lists_given_again_add_up() -> None:
    assert given("a.txt", "--name", "p,q", "--name", "r")["names"] == ["p", "q", "r"]
    assert given("a.txt", "--weights", "1", "--weights", "2,3")["weights"] == [1, 2, 3]
    assert given("a.txt", "--words", "p", "--words", "q")["words"] == ["p", "q"]
    assert given("a.txt")["names"] == ["x", "y"]


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (("b.txt", "c=d.txt"), "others", ["b.txt", "c=d.txt"]),
        (("--kind", "big"), "kind", "big"),
        (("--gold",), "edits", "gold"),
        (("--name", "a, b,,c"), "names", ["a", "b", "c"]),
        (("--column", "a,b", "--column", "c"), "column", ["a,b", "c"]),
        (("--weights", "0.5,2"), "weights", [0.5, 2.0]),
        (("--span", "3:5"), "span", (3, 5)),
        (("--counts", "1", "2", "--counts", "3", "4"), "counts", [(1.0, 2.0), (3.0, 4.0)]),
        (("--pair", "3", "4"), "pair", (3, 4)),
        (("--words", "a,b"), "words", ["a", "b"]),
        (("--raw",), "raw", True),
        (("--tokenized",), "raw", False),
        (("--strict",), "strict", True),
        (("--draws", "3", "--no-replace"), "drawn", Drawn(3, replace=False)),
    ],
)
def test_what_is_typed_arrives(words: tuple[str, ...], name: str, value: object) -> None:
    assert given("a.txt", *words)[name] == value


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kind", "huge"), "unknown value 'huge'; expected one of: big, small"),
        (("--draws", "0"), "0 is not in the range x>=1"),
        (("--weights", "1,x"), "'x' is not a valid number"),
        (("--span", "35"), "'35' is not FROM:TO"),
        (("--hidden", "x"), "No such option"),
    ],
)
def test_what_is_wrong_is_refused(words: tuple[str, ...], said: str) -> None:
    result = call("a.txt", *words)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())


def test_help_is_the_docstring() -> None:
    text = " ".join(call("--help").output.split())
    assert "Usage: redink toy [OPTIONS] SOURCE [OTHER]..." in text
    assert "See score for more." in text
    assert "--kind [big|small] How large. [default: small]" in text
    assert "--auto Find them again." in text
    assert "--gold Keep them." in text
    assert "--name NAME,... What to call it. [default: x,y]" in text
    assert "--draws N How often. [default: 20; N>=1]" in text
    assert "--words NAME,... a or others. [default: those of the file]" in text
    assert "--no-replace Put back what was drawn." in text
    assert "--raw / --tokenized Raw text, or tokenized text." in text
    assert "hidden" not in text


def test_result_is_printed_or_written(tmp_path: Path) -> None:
    assert "answer" in call("a.txt").stdout
    assert call("a.txt", "--format", "csv").stdout == "answer\nyes\n"
    call("a.txt", "-o", str(tmp_path / "x.csv"))
    assert (tmp_path / "x.csv").read_text(encoding="utf-8") == "answer\nyes\n"


def test_completion_knows_choices_and_files() -> None:
    options = {option.name: option for option in COMMAND.params}
    context = click.Context(COMMAND)
    kinds = options["kind"].shell_complete(context, "b")
    assert [item.value for item in kinds] == ["big"]
    assert [item.type for item in options["source"].shell_complete(context, "x")] == ["file"]
