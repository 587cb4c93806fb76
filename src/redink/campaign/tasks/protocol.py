"""Tasks: how items become pages, and forms become answers.

A task takes everything that it shows from the payload of an item. System names and gold answers
never reach a page. To add a task, write a module with a :class:`CampaignTask`, and name it in
``tasks/__init__.py`` or in the entry points ``redink.tasks`` of your own package.
"""

from __future__ import annotations

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from redink.campaign.task_items import CampaignItem, Material
from redink.campaign.translation import Translation
from redink.errors import RedinkError
from redink.model import Edit

MAX_TEXT = 200
_TEXTS = Path(__file__).parent / "texts"


class AnswerError(RedinkError):
    """An incomplete answer; the sentence, with its values, is translated and shown to the judge."""

    def __init__(self, text: str, **values: object) -> None:
        self.text = text
        self.values = values
        super().__init__(text.format(**values) if values else text)

    def translated(self, translation: Translation) -> str:
        """Return the sentence in the judge's language."""
        return translation.translate(self.text, **self.values)


@dataclass(frozen=True, slots=True)
class AnswerOption:
    """A button: the value stored, the text on it, and its key (by default its number)."""

    value: str
    text: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class When:
    """The condition of a question: another question has one of these answers."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One question of a form.

    ``choice`` takes one option, ``scale`` one of several that are in order, ``flags`` any number of
    them (also none), ``text`` a short free text, ``span`` words of the sentence.
    """

    name: str
    question: str
    kind: Literal["choice", "flags", "scale", "text", "span"]
    options: tuple[AnswerOption, ...] = ()
    optional: bool = False
    hint: str = ""
    when: When | None = None
    longest: int = MAX_TEXT  # characters of a text


def choose(name: str, question: str, /, **options: str) -> Field:
    """Make a question with one answer; the options are stored value and button text."""
    return Field(
        name, question, "choice", tuple(AnswerOption(*option) for option in options.items())
    )


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example in the instructions: a sentence, the answer, and why."""

    sentence: str
    answer: str
    reason: str


@dataclass(frozen=True)
class Instructions:
    """What a judge reads before starting and can reopen at any time.

    ``body`` is HTML in place of purpose and steps, if an organizer wrote it.
    """

    purpose: str
    steps: tuple[str, ...]
    examples: tuple[Example, ...] = field(default=())
    body: str = ""


def read_texts(name: str) -> tuple[str, Instructions]:
    """Return the title and the instructions of one of redink's own tasks."""
    said = read_definition(name)
    examples = (Example(**one) for one in said.get("example", ()))
    return said["title"], Instructions(said["purpose"], tuple(said["steps"]), tuple(examples))


def read_definition(name: str) -> dict[str, Any]:
    """Return the content of one of redink's own task files, ``texts/NAME.toml``."""
    return tomllib.loads((_TEXTS / f"{name}.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Trial:
    """An item to practice on, with the right answers and feedback (HTML)."""

    item: CampaignItem
    right: Mapping[str, Any]
    feedback: str


@dataclass(frozen=True)
class Onboarding:
    """The pages before the first item: consent (HTML), background, instructions, training."""

    consent: str = ""
    background: tuple[Field, ...] = ()  # questions about the judge
    training: tuple[Trial, ...] = ()


PartKind = Literal["plain", "new", "gone", "target", "blank", "near", "verb"]


@dataclass(frozen=True, slots=True)
class TextPart:
    """A run of tokens: plain, inserted or substituted, deleted, or the word in question.

    ``near`` are the words around the word in question, and ``verb`` is the verb that governs it.
    """

    text: str
    kind: PartKind = "plain"


@dataclass(frozen=True, slots=True)
class LabeledAnswer:
    """One judgment of an answer: a suffix of the item's name, the label, and more columns."""

    suffix: str
    label: str
    extra: Mapping[str, str]


Kind = Literal["rankings", "judgments", "corpus"]
"""What the export contains: rankings of systems, labels of items, or sentences with edits."""


class CampaignTask(ABC):
    """What is asked of a judge; the methods with a body are the usual behavior."""

    name: str  # name on the command line
    title: str  # heading of the page
    template: str
    kind: Kind
    instructions: Instructions
    onboarding: Onboarding | None = None

    @property
    def scales(self) -> Mapping[str, tuple[str, ...]]:
        """The questions whose answers are in order, with those answers, the lowest first."""
        return {}

    @abstractmethod
    def make_items(self, given: Material) -> list[CampaignItem]:
        """Make the items to judge; raise an OptionError if required input is missing."""

    def prepare(self) -> None:  # noqa: B027 (nothing, by default)
        """Load tools that take long to load, before a judge waits for them."""

    def check(self, item: CampaignItem) -> None:  # noqa: B027
        """Raise a DataError for an item that the task cannot ask about."""

    @abstractmethod
    def view(self, item: CampaignItem, seed: int) -> dict[str, Any]:
        """Return the values of the page; ``seed`` fixes the order of shuffled parts."""

    @abstractmethod
    def read(self, item: CampaignItem, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        """Return the answer in a form; raise an AnswerError if it is incomplete."""

    def filled(self, item: CampaignItem, answer: dict[str, Any], seed: int) -> dict[str, Any]:
        """Return the fields of the page when ``answer`` was given."""
        return answer

    def step(self, item: CampaignItem, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        """Return the fields after a step on the way to an answer, which stores nothing."""
        return self.restored(item, form)

    def restored(self, item: CampaignItem, form: Mapping[str, list[str]]) -> dict[str, Any]:
        """Return the fields of the page when an incomplete form was sent."""
        return {name: values[0] if len(values) == 1 else values for name, values in form.items()}

    def label(self, answer: dict[str, Any]) -> str | None:
        """Return the label that is compared with a gold answer, if there is one."""
        return None

    def is_right(self, item: CampaignItem, answer: dict[str, Any]) -> bool:
        """Return whether an answer to a gold item is the known one."""
        return self.label(answer) == item.gold

    def split(self, item: CampaignItem, answer: dict[str, Any]) -> Iterator[LabeledAnswer]:
        """Yield the judgments in an answer: the label with all other answers, or each of them."""
        joined = (
            (k, v if isinstance(v, str) else "+".join(map(str, v))) for k, v in answer.items()
        )
        said = {name: value for name, value in joined if value}
        if "label" in said:
            yield LabeledAnswer("", said.pop("label"), said)
        else:
            for name, value in said.items():
                yield LabeledAnswer(f".{name}", value, {"question": name})

    def edits(self, item: CampaignItem, answer: dict[str, Any]) -> tuple[Edit, ...]:
        """Return the edits in an answer, if answers become a corpus."""
        return ()


def context_of(item: CampaignItem) -> dict[str, Any]:
    """Return the sentences around an item and the note on it, for the page."""
    return {name: item.payload.get(name, "") for name in ("before", "after", "note")}


def only(form: Mapping[str, list[str]], name: str) -> str:
    """Return the single value of a field, or an empty string."""
    values = form.get(name, [])
    if len(values) > 1:
        raise AnswerError("The form contains {name} twice.", name=name)
    return values[0].strip() if values else ""
