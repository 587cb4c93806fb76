"""What a task is: how items become pages, and forms become answers.

A task is a value with a few functions. Everything it needs to show is in an item's payload; what
a judge must not see (system names, gold answers) never leaves the server. What only the making of
items needs is imported there, so that serving a task waits for nothing else.

To add one, write a module with a :class:`CampaignTask`, and name it in ``tasks/__init__.py``, or in
the entry points ``redink.tasks`` of your own package.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from redink.campaign.items import Item, Material
from redink.campaign.translation import Translation
from redink.errors import RedinkError
from redink.model import Edit

MAX_TEXT = 200


class AnswerError(RedinkError):
    """A form that does not hold a whole answer; the sentence is shown to the judge.

    What varies in the sentence is given apart, so that it can be said in the judge's language.
    """

    def __init__(self, text: str, **values: object) -> None:
        self.text = text
        self.values = values
        super().__init__(text.format(**values) if values else text)

    def translated(self, translation: Translation) -> str:
        """Return the sentence in the judge's language."""
        return translation.translate(self.text, **self.values)


@dataclass(frozen=True, slots=True)
class AnswerOption:
    """One of several buttons: what is stored, what is read on it, and the key that presses it.

    Without a key of its own it has its number.
    """

    value: str
    text: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class When:
    """A question is asked only where another has one of these answers."""

    name: str
    values: tuple[str, ...]

    def holds(self, form: Mapping[str, list[str]]) -> bool:
        """Whether a form has one of the answers."""
        return not set(self.values).isdisjoint(form.get(self.name, ()))


@dataclass(frozen=True, slots=True)
class Field:
    """One question of a form.

    ``choice`` takes exactly one option, ``scale`` one of several that are in order, ``flags`` any
    number of them, ``text`` a short free text, ``span`` words of the sentence. All are required
    unless they are ``optional``; ``flags`` never are. ``when`` says on what answer to another
    question this one is asked.
    """

    name: str
    question: str
    kind: Literal["choice", "flags", "scale", "text", "span"]
    options: tuple[AnswerOption, ...] = ()
    optional: bool = False
    hint: str = ""
    when: When | None = None


def choose(name: str, question: str, /, **options: str) -> Field:
    """A question with one answer: what is stored of each, and what is read on its button."""
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

    ``body`` is HTML that stands for purpose and steps, where an organiser wrote them.
    """

    purpose: str
    steps: tuple[str, ...]
    examples: tuple[Example, ...] = field(default=())
    body: str = ""


@dataclass(frozen=True)
class Trial:
    """An item to practise on: the right answers, and what is said about them (HTML)."""

    item: Item
    right: Mapping[str, Any]
    feedback: str


@dataclass(frozen=True)
class Onboarding:
    """What comes before the first item: consent (HTML), the instructions, and a training."""

    consent: str = ""
    training: tuple[Trial, ...] = ()


@dataclass(frozen=True, slots=True)
class TextPart:
    """A run of tokens: plain, inserted or substituted, deleted, or the word in question."""

    text: str
    kind: Literal["plain", "new", "gone", "target", "blank"] = "plain"


@dataclass(frozen=True, slots=True)
class LabeledAnswer:
    """One judgment of an answer: what to add to the item's name, the label, and further columns."""

    suffix: str
    label: str
    extra: Mapping[str, str]


Kind = Literal["rankings", "judgments", "corpus"]
"""What answers become: rankings of systems, labels of items, or sentences with edits."""


class TaskDefaults:
    """What a task inherits that has nothing of its own to say about it."""

    onboarding: Onboarding | None = None

    @property
    def scales(self) -> Mapping[str, tuple[str, ...]]:
        """No answers are in order."""
        return {}

    def prepare(self) -> None:
        """Nothing takes long to load."""

    def check(self, item: Item) -> None:
        """Refuse an item that the task cannot ask about."""

    def is_right(self, item: Item, answer: dict[str, Any]) -> bool:
        """Whether an answer to a gold item is the known one."""
        return self.label(answer) == item.gold

    def label(self, answer: dict[str, Any]) -> str | None:  # noqa: ARG002
        """No answer is known beforehand."""
        return None

    def split(self, item: Item, answer: dict[str, Any]) -> Iterator[LabeledAnswer]:  # noqa: ARG002
        """The answer to the question ``label`` with all others beside it; else each by itself."""
        said = {
            name: value if isinstance(value, str) else "+".join(map(str, value))
            for name, value in answer.items()
            if value
        }
        if "label" in said:
            yield LabeledAnswer("", said.pop("label"), said)
        else:
            for name, value in said.items():
                yield LabeledAnswer(f".{name}", value, {"question": name})

    def edits(self, item: Item, answer: dict[str, Any]) -> tuple[Edit, ...]:  # noqa: ARG002
        """No edits are made of an answer."""
        return ()

    def step(self, item: Item, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:  # noqa: ARG002
        """There are no steps on the way to an answer."""
        return self.restored(item, form)

    def restored(self, item: Item, form: Mapping[str, list[str]]) -> dict[str, Any]:  # noqa: ARG002
        """The fields as the form had them."""
        return {name: values[0] if len(values) == 1 else values for name, values in form.items()}


class CampaignTask(Protocol):
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
    def kind(self) -> Kind:
        """What the answers become when they are exported."""

    @property
    def instructions(self) -> Instructions:
        """What a judge should know."""

    @property
    def onboarding(self) -> Onboarding | None:
        """What a judge sees before the first item, if that is more than the first item."""

    @property
    def scales(self) -> Mapping[str, tuple[str, ...]]:
        """The questions whose answers are in order, with those answers, the lowest first."""

    def make_items(self, given: Material) -> list[Item]:
        """What is to be judged.

        Raises:
            OptionError: something that the task needs was not given.
        """

    def prepare(self) -> None:
        """Load what takes long, before somebody waits for it."""

    def check(self, item: Item) -> None:
        """Refuse an item that the task cannot ask about.

        Raises:
            DataError: what is wrong with it.
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

    def step(self, item: Item, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        """What the fields hold after a step on the way to an answer, which stores nothing.

        Raises:
            AnswerError: the step cannot be done.
        """

    def restored(self, item: Item, form: Mapping[str, list[str]]) -> dict[str, Any]:
        """What the fields of the page held when a form was sent that is not whole."""

    def label(self, answer: dict[str, Any]) -> str | None:
        """The label to be held against a gold answer, where there is one."""

    def is_right(self, item: Item, answer: dict[str, Any]) -> bool:
        """Whether an answer to a gold item is the known one."""

    def split(self, item: Item, answer: dict[str, Any]) -> Iterator[LabeledAnswer]:
        """The judgments in an answer, where that is what answers become."""

    def edits(self, item: Item, answer: dict[str, Any]) -> tuple[Edit, ...]:
        """The edits in an answer, where answers become a corpus."""


def only(form: Mapping[str, list[str]], name: str) -> str:
    """The single value of a field, or an empty string."""
    values = form.get(name, [])
    if len(values) > 1:
        raise AnswerError("The form holds {name} twice.", name=name)
    return values[0].strip() if values else ""
