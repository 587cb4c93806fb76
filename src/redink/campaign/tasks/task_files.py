"""Task files: questions, instructions, examples, training and consent.

::

    title = "Is it polite?"
    instructions = "Judge the **whole** sentence, not its grammar."

    [[question]]
    name = "label"
    ask = "The sentence is"
    kind = "choice"
    options = { yes = "polite", no = "rude" }

    [[question]]
    name = "why"
    ask = "Which words make it rude?"
    kind = "span"
    only_if = { label = ["no"] }

The campaign stores the content of the file. redink's own question tasks are such files too
(``texts/*.toml``).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from redink.campaign.task_items import (
    EXPORTED,
    CampaignItem,
    Material,
    check_types,
    mark_places,
    mark_words,
    offer_words,
    take_outputs,
    take_sentences,
)
from redink.campaign.tasks import TASKS
from redink.campaign.tasks.protocol import (
    AnswerOption,
    CampaignTask,
    Example,
    Field,
    Instructions,
    Onboarding,
    Trial,
    When,
    read_definition,
)
from redink.campaign.tasks.questions import LABEL, QuestionTask, make_scale, read_fields
from redink.errors import DataError, FormatError, OptionError, RedinkError
from redink.files import read_text

_PLACE = re.compile(r"(question|background|training|example) (\d+)\b")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
_KINDS = {"choice": "choice", "several": "flags", "scale": "scale", "text": "text", "span": "span"}
_KEYS = {
    "task": (
        "title language purpose steps instructions consent about mark question background example "
        "training"
    ),
    "instructions": "purpose steps instructions example background",
    "question": "name ask kind options keys help optional only_if from to low high",
    "background": "name ask kind options keys help optional only_if from to low high",
    "example": "sentence answer reason",
    "training": "text start end before after source note answers feedback",
}
"""The keys of each table."""
_ABOUT: dict[str, tuple[Callable[[Material, str], list[CampaignItem]], tuple[str, ...]]] = {
    "sentences": (take_sentences, ()),
    "outputs": (take_outputs, ()),
    "places": (mark_places, ("start", "end")),
    "words": (mark_words, ("start", "end")),
    "choices": (offer_words, ("start", "end", "choices")),
    "edits": (check_types, ("start", "end", "note")),
}
"""What a task asks about: how its items are made from other input, and the columns they need."""
_TAKEN = EXPORTED - {"label", "confidence"} | {"item", "text", "form", "submission", "active"}
_MOST_STEPS = 11
_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)$")

Definition = Mapping[str, Any]
Lines = Callable[[str, int], int | None]
"""From the name of a list of tables and the number of a table (from 1) to its line."""


def to_html(text: str) -> str:
    """Convert Markdown to HTML without raw HTML; headings are of the second level."""
    if not text:
        return ""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).disable("image")
    parser.validateLink = lambda url: url.startswith(("http://", "https://"))  # type: ignore[method-assign]
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = "h2"
    return str(parser.renderer.render(tokens, parser.options, {}))


def find_task(task: str) -> tuple[CampaignTask, dict[str, Any] | None]:
    """Return a task by its name or file, and the content of the file."""
    if task in TASKS:
        return TASKS.load(task), None
    if Path(task).suffix != ".toml":
        raise OptionError(
            f"unknown task {task!r}; expected one of: {', '.join(TASKS)}, "
            "or a file that ends in .toml"
        )
    definition, line_of = _read_toml(task)
    try:
        return make_task(Path(task).stem, definition), definition
    except DataError as error:
        found = _PLACE.match(str(error))
        line = line_of(found[1], int(found[2])) if found else None
        raise FormatError(str(error), path=task, line=line) from None


def make_task(name: str, definition: Definition) -> QuestionTask:
    """Make a task from the content of a file; raise a DataError if something is wrong."""
    _check_keys(definition, "task", "a task")
    about = _choice(definition, "about", _ABOUT, "sentences", "a task")
    mark = _choice(definition, "mark", ("words", "gap"), "words", "a task")
    fields: list[Field] = []
    for where, given in _tables(definition, "question"):
        fields.append(_question(given, where, fields))
    if not fields:
        raise DataError("a task needs at least one question")
    title = _text(definition, "title", "a task")
    instructions = _instructions(definition)
    purpose, body = instructions.purpose, instructions.body
    is_plain = purpose and not body  # redink's own tasks begin with the first item
    if not (purpose or body):
        body = f"<p>{title}</p>"
    find, needs = _ABOUT[about]
    task = QuestionTask(
        name=name,
        title=title,
        instructions=replace(instructions, purpose=purpose or title, body=body),
        fields=tuple(fields),
        needs=needs,
        find=find,
        mark="blank" if mark == "gap" else "target",
    )
    trials = tuple(_trial(task, given, where) for where, given in _tables(definition, "training"))
    consent = to_html(_text(definition, "consent", "a task", ""))
    background = _background(definition)
    if is_plain and not consent and not trials and not background:
        return task
    return replace(task, onboarding=Onboarding(consent, background, trials))


def _background(definition: Definition) -> tuple[Field, ...]:
    """Return the questions about the judge."""
    fields: list[Field] = []
    for where, given in _tables(definition, "background"):
        fields.append(_question(given, where, fields))
        if fields[-1].kind == "span":
            raise DataError(f"{where}: a question about the judge cannot select words")
    return tuple(fields)


def _instructions(definition: Definition) -> Instructions:
    examples = tuple(
        Example(*(_text(given, key, where, "") for key in ("sentence", "answer", "reason")))
        for where, given in _tables(definition, "example")
    )
    steps = definition.get("steps", [])
    if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
        raise DataError("a task: steps must be a list of texts")
    purpose, body = (_text(definition, key, "a task", "") for key in ("purpose", "instructions"))
    return Instructions(purpose, tuple(steps), examples, to_html(body))


def read_instructions(path: str) -> dict[str, Any]:
    """Return the content of a file of instructions for one of redink's own tasks."""
    texts, _ = _read_toml(path)
    try:
        _check_keys(texts, "instructions", "a file of instructions")
        _instructions(texts)
        _background(texts)
    except DataError as error:
        raise FormatError(str(error), path=path) from None
    return texts


def with_instructions(task: CampaignTask, texts: Definition | None) -> CampaignTask:
    """Return the task with an organizer's instructions in place of its own."""
    if not texts:
        return task
    own, given = task.instructions, _instructions(texts)
    made = copy(task)
    changed = replace(given, purpose=given.purpose or own.purpose)
    object.__setattr__(made, "instructions", changed)  # the task may be frozen
    if background := _background(texts):
        onboarding = replace(task.onboarding or Onboarding(), background=background)
        object.__setattr__(made, "onboarding", onboarding)
    return made


def _question(given: Definition, where: str, before: Sequence[Field]) -> Field:
    name = _text(given, "name", where)
    if not _NAME.fullmatch(name) or name in _TAKEN or name.startswith("remark"):
        raise DataError(
            f"{where}: invalid name {name!r}; use lower-case letters, and no reserved name"
        )
    if name in {field.name for field in before}:
        raise DataError(f"{where}: there is a question {name!r} already")
    kind = _KINDS[_choice(given, "kind", _KINDS, "choice", where)]
    options = _scale(given, where) if kind == "scale" else _options(given, where)
    if kind in {"choice", "flags"} and len(options) < 2:
        raise DataError(f"{where}: needs two options or more")
    if kind in {"text", "span"} and options:
        raise DataError(f"{where}: a {kind} has no options")
    if name == LABEL and kind not in {"choice", "scale", "text"}:
        raise DataError(f"{where}: the question label must have a single answer")
    return Field(
        name,
        _text(given, "ask", where),
        kind,  # type: ignore[arg-type]
        options,
        optional=bool(given.get("optional", False)),
        hint=_text(given, "help", where, ""),
        when=_condition(given, where, before),
    )


def _options(given: Definition, where: str) -> tuple[AnswerOption, ...]:
    options, keys = given.get("options", {}), given.get("keys", {})
    if isinstance(options, list):
        options = {value: value for value in options if isinstance(value, str)}
    if not isinstance(options, dict) or not isinstance(keys, dict):
        raise DataError(
            f"{where}: options must be a list, or a table of stored values and shown texts"
        )
    for value, text in options.items():
        if not value or not isinstance(text, str) or not text:
            raise DataError(f"{where}: an option has no text")
    used = set("0u?")
    for value, key in keys.items():
        if value not in options or not isinstance(key, str) or len(key) != 1:
            raise DataError(f"{where}: a key must be one letter for one of the options")
        if key in used or key.isspace():
            raise DataError(f"{where}: the key {key!r} is taken")
        used.add(key)
    return tuple(AnswerOption(value, text, keys.get(value, "")) for value, text in options.items())


def _scale(given: Definition, where: str) -> tuple[AnswerOption, ...]:
    first, last = given.get("from", 1), given.get("to", 5)
    if type(first) is not int or type(last) is not int or not 1 < last - first + 1 <= _MOST_STEPS:
        raise DataError(
            f"{where}: from and to must be whole numbers of a scale with 2 to {_MOST_STEPS} values"
        )
    return make_scale(first, last, *(_text(given, key, where, "") for key in ("low", "high")))


def _condition(given: Definition, where: str, before: Sequence[Field]) -> When | None:
    condition = given.get("only_if")
    if condition is None:
        return None
    if not isinstance(condition, dict) or len(condition) != 1:
        raise DataError(f"{where}: only_if must name one question and its answers")
    ((name, values),) = condition.items()
    values = [values] if isinstance(values, str) else values
    known = {field.name: {option.value for option in field.options} for field in before}
    if name not in known:
        raise DataError(f"{where}: only_if refers to {name!r}, which is not an earlier question")
    if not isinstance(values, list) or not values or not set(map(str, values)) <= known[name]:
        raise DataError(f"{where}: only_if contains an answer that {name!r} does not have")
    return When(name, tuple(map(str, values)))


def _trial(task: QuestionTask, given: Definition, where: str) -> Trial:
    payload = {k: v for k, v in given.items() if k not in {"answers", "feedback"}}
    payload["text"] = " ".join(_text(given, "text", where).split())
    answers = given.get("answers")
    if not isinstance(answers, dict):
        raise DataError(f"{where}: needs answers, one for each question that is judged")
    form = {
        k: [str(one) for one in (v if isinstance(v, list) else [v])] for k, v in answers.items()
    }
    asked = tuple(field for field in task.fields if field.name in form)
    if len(asked) < len(form):
        raise DataError(f"{where}: has an answer to an unknown question")
    item = CampaignItem(where.replace(" ", ""), payload)
    try:
        task.check(item)
        task.view(item, 0)
        right = read_fields(asked, form, len(item.tokens))
    except (RedinkError, LookupError, TypeError, ValueError) as error:
        raise DataError(f"{where}: {error}") from None
    return Trial(item, right, to_html(_text(given, "feedback", where, "")))


def _check_keys(given: Definition, table: str, where: str) -> None:
    known = _KEYS[table].split()
    for key in given:
        if key not in known:
            raise DataError(
                f"unknown key {key!r} in {where}; expected one of: {', '.join(sorted(known))}"
            )


def _tables(given: Definition, key: str) -> list[tuple[str, Definition]]:
    """Return the tables of a list, each with its name in messages, which counts from 1."""
    found = given.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise DataError(f"{key} is a list of tables (in TOML: [[{key}]])")
    tables = [(f"{key} {number}", one) for number, one in enumerate(found, start=1)]
    for where, one in tables:
        _check_keys(one, key, where)
    return tables


def _text(given: Definition, key: str, where: str, otherwise: str | None = None) -> str:
    value = given.get(key, otherwise)
    if not isinstance(value, str) or (otherwise is None and not value.strip()):
        raise DataError(f"{where} needs a {key}" if value is None else f"{where}: {key} is a text")
    return value.strip()


def _choice(given: Definition, key: str, known: Collection[str], usual: str, where: str) -> str:
    value = given.get(key, usual)
    if value not in known:
        raise DataError(f"{where}: unknown {key} {value!r}; expected one of: {', '.join(known)}")
    return str(value)


def _read_toml(path: str) -> tuple[dict[str, Any], Lines]:
    text = read_text(path)
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = int(found[1]) if found else None
        message = f"is not well-formed TOML: {_AT_LINE.sub('', str(error))}"
        raise FormatError(message, path=path, line=line) from None

    def line_of(key: str, number: int) -> int | None:
        heads = re.compile(rf"^[ \t]*\[\[[ \t]*{re.escape(key)}[ \t]*\]\]", re.MULTILINE)
        starts = [match.start() for match in heads.finditer(text)]
        return text.count("\n", 0, starts[number - 1]) + 1 if number <= len(starts) else None

    return said, line_of


USAGE, CROWD, CLOZE, CHOICE, SAMPLE, EDIT_CHECK, RATE = (
    make_task(name, read_definition(name))
    for name in ("usage", "crowd", "cloze", "choice", "sample", "edit-check", "rate")
)
"""The question tasks of the literature, which are task files too."""
