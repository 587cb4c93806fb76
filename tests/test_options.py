"""Options declared once, by the signature and docstring of a command."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.errors import OptionError
from redink.options import (
    Confidence,
    Flag,
    Limits,
    Options,
    Positive,
    Seed,
    Share,
    command,
    declaration,
    parse_docstring,
)


@dataclass(frozen=True)
class Finding(Options):
    """How things are found.

    Attributes:
        merge: what becomes one:
            all or nothing.
        depth: how deep to look.
    """

    merge: Literal["all", "none"] = "all"
    depth: Positive = 3


@command
def look(
    where: str | Path,
    others: Sequence[str | Path] = (),
    *,
    kinds: Annotated[Sequence[Literal["a", "b"]], Flag(name="kind")] = ("a",),
    share: Share | None = None,
    finding: Finding = Finding(depth=5),
) -> dict[str, Any]:
    """Look for things.

    They are often small.

    Args:
        where: the place.
        others: more places.
        kinds: what to look for.
        share: how much of it.
        finding: how.
        depth: how deep, in metres.
    """
    return {"where": where, "others": others, "kinds": kinds, "share": share, "finding": finding}


def test_members_of_a_group_are_keywords() -> None:
    assert look("x")["finding"] == Finding(depth=5)
    assert look("x", merge="none")["finding"] == Finding("none", 5)
    assert look("x", finding=Finding(depth=2))["finding"] == Finding(depth=2)
    assert look("x", finding=Finding(depth=2), merge="none")["finding"] == Finding("none", 2)


def test_signature_shows_the_members() -> None:
    shown = inspect.signature(look).parameters
    assert list(shown) == ["where", "others", "kinds", "share", "merge", "depth"]
    assert shown["depth"].default == 5


def test_declaration_is_read_off_signature_and_docstring() -> None:
    declared = declaration(look)
    assert (declared.summary, declared.description) == ("Look for things.", "They are often small.")
    options = {option.name: option for option in declared.options}
    assert [name for name, option in options.items() if option.positional] == ["where", "others"]
    assert options["where"].is_required
    assert options["where"].kind.type is Path
    assert options["others"].kind.many
    assert options["kinds"].kind.choices == ("a", "b")
    assert options["kinds"].kind.flag.name == "kind"
    assert options["share"].kind.limits == Limits(0, 1)
    assert options["share"].kind.optional
    assert options["merge"].about == "what becomes one: all or nothing."
    # a line in the function's own docstring goes before the group's
    assert options["depth"].about == "how deep, in metres."


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"merge": "some"}, "merge: unknown value 'some'; expected one of: all, none"),
        ({"kinds": ["a", "c"]}, "kind: unknown value 'c'; expected one of: a, b"),
        ({"share": 1.5}, "share must be between 0 and 1, not 1.5"),
        ({"share": float("nan")}, "share must be between 0 and 1, not nan"),
        ({"share": 10**400}, f"share must be between 0 and 1, not {10**400}"),
        ({"depth": 0}, "depth must be 1 or more, not 0"),
        ({"depth": 1.5}, "depth must be an integer, not 1.5"),
        ({"depth": True}, "depth must be an integer, not True"),
        ({"depth": 10**9}, "depth must be less than 1000000000, not 1000000000"),
    ],
)
def test_wrong_values_are_refused_in_one_sentence(given: Mapping[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        look("x", **given)
    assert str(caught.value) == sentence


def test_a_group_refuses_wrong_values_by_itself() -> None:
    with pytest.raises(OptionError, match="depth must be 1 or more"):
        Finding(depth=-1)


def test_unknown_keywords_are_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError, match="colour"):
        look("x", colour="red")


@given(st.floats(), st.floats(-5, 5), st.floats(-5, 5), st.tuples(st.booleans(), st.booleans()))
def test_limits(value: float, one: float, other: float, is_open: tuple[bool, bool]) -> None:
    """A value is allowed if it lies between, or at an end that is not open; never infinity."""
    low, high = sorted((one, other))
    low_open, high_open = is_open
    allowed = Limits(low, high, low_open, high_open).allow(value)
    inside = low < value < high
    at_end = (value == low and not low_open) or (value == high and not high_open)
    at_open_end = (value == low and low_open) or (value == high and high_open)
    assert allowed == ((inside or at_end) and not at_open_end)


def test_limits_in_words() -> None:
    kinds = (Positive, Seed, Share, Confidence)
    words = [str(kind.__metadata__[0]) for kind in kinds]  # type: ignore[attr-defined]
    assert words[0] == "1 or more"
    assert words[1] == "0 or more"
    assert words[2] == "between 0 and 1"
    assert words[3] == "between 0 and 1, exclusive"


def test_plots_are_refused_before_the_work_begins() -> None:
    begun = []

    @command(draws="Draw it.")
    def work() -> None:
        begun.append(1)

    with pytest.raises(OptionError, match=r"x\.gif: a plot file must end in \.png"):
        work(plot="x.gif")
    assert not begun


def test_docstring_without_sections() -> None:
    found = parse_docstring("One line.")
    assert (found.summary, found.description, dict(found.about)) == ("One line.", "", {})


def test_names_are_taken_from_whatever_holds_them() -> None:
    @dataclass(frozen=True)
    class Leaving(Options):
        exclude: tuple[str, ...] = ()

    held: list[Any] = [["b", "c"], ("b", "c"), {"c", "b"}]
    assert {Leaving(one) for one in held} == {Leaving(("b", "c"))}
    assert Leaving("b:c").exclude == ("b:c",)  # type: ignore[arg-type]


def test_an_option_that_there_is_not() -> None:
    with pytest.raises(TypeError, match=r"^look\(\) has no option 'kind'; did you mean 'kinds'\?$"):
        look("here", kind="a")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"did you mean 'merge'\?$"):
        look("here", merg="all")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^look\(\) has no option 'zzz'$"):
        look("here", zzz=1)  # type: ignore[call-arg]
