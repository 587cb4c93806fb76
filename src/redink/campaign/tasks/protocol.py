"""What a task is: how items become pages, and forms become answers.

A task is a value with a few functions. Everything it needs to show is in an item's payload; what
a judge must not see (system names, gold answers) never leaves the server. What only the making of
items needs is imported there, so that serving a task waits for nothing else.

To add one, write a module with a :class:`Task`, and name it in ``tasks/__init__.py``, or in the
entry points ``redink.tasks`` of a package of your own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from redink.campaign.items import Item, Material
from redink.errors import RedinkError

MAX_TEXT = 200


class AnswerError(RedinkError):
    """A form that does not hold a whole answer; the sentence is shown to the judge."""


@dataclass(frozen=True, slots=True)
class Option:
    """One of several buttons: what is stored, and what is read on it."""

    value: str
    text: str


@dataclass(frozen=True, slots=True)
class Field:
    """One question of a form.

    ``choice`` takes exactly one option, ``flags`` any number of them, ``text`` a short free text
    (required unless ``optional``).
    """

    name: str
    question: str
    kind: Literal["choice", "flags", "text"]
    options: tuple[Option, ...] = ()
    optional: bool = False
    hint: str = ""


def choose(name: str, question: str, /, **options: str) -> Field:
    """A question with one answer: what is stored of each, and what is read on its button."""
    return Field(name, question, "choice", tuple(Option(*option) for option in options.items()))


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example in the instructions: a sentence, the answer, and why."""

    sentence: str
    answer: str
    reason: str


@dataclass(frozen=True)
class Instructions:
    """What a judge reads before starting and can reopen at any time."""

    purpose: str
    steps: tuple[str, ...]
    examples: tuple[Example, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Part:
    """A run of tokens: plain, inserted or substituted, deleted, or the word in question."""

    text: str
    kind: Literal["plain", "new", "gone", "target", "blank"] = "plain"


class Task(Protocol):
    """What is asked of a judge."""

    @property
    def name(self) -> str:
        """What the task is called on the command line."""

    @property
    def title(self) -> str:
        """What a judge reads at the top of the page."""

    @property
    def template(self) -> str:
        """The page."""

    @property
    def kind(self) -> Literal["rankings", "judgments"]:
        """What the answers become when they are exported."""

    @property
    def instructions(self) -> Instructions:
        """What a judge should know."""

    def make_items(self, given: Material) -> list[Item]:
        """What is to be judged.

        Raises:
            OptionError: something that the task needs was not given.
        """

    def view(self, item: Item, seed: int) -> dict[str, Any]:
        """What the page shows; ``seed`` fixes the order of what is shuffled."""

    def read(self, item: Item, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        """The answer in a form.

        Raises:
            AnswerError: the answer is not whole.
        """

    def filled(self, item: Item, answer: dict[str, Any], seed: int) -> dict[str, Any]:
        """What the fields of the page held when ``answer`` was given."""

    def label(self, answer: dict[str, Any]) -> str | None:
        """The label to be held against a gold answer, where there is one."""


def only(form: Mapping[str, list[str]], name: str) -> str:
    """The single value of a field, or an empty string."""
    values = form.get(name, [])
    if len(values) > 1:
        raise AnswerError(f"The form holds {name} twice.")
    return values[0].strip() if values else ""
