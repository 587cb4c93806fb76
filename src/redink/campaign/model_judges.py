"""A language model as a judge of a campaign: assigned, shuffled, checked and stored as people are.

Each item is one request. The page of the item becomes the prompt, and the JSON reply becomes the
form that a person would send.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from redink.campaign import setup
from redink.campaign.server import CampaignServer
from redink.campaign.store import CampaignStore
from redink.campaign.task_items import CampaignItem
from redink.campaign.tasks.editing import AS_IS, LONGEST
from redink.campaign.tasks.protocol import MAX_TEXT, AnswerError, CampaignTask, Field, TextPart
from redink.errors import DataError, OptionError
from redink.language_models.client import LanguageModel, Request
from redink.language_models.prompts import Prompt, ReplyError, object_schema, read_object
from redink.model import UNKNOWN, Table

T = TypeVar("T")
_CONTROL = re.compile(r" *[\x00-\x1f\x7f-\x9f\ud800-\udfff]+ *")
_MOST_REASON = 200
Form = dict[str, list[str]]
Reply = Mapping[str, Any]


@dataclass(frozen=True)
class ItemQuestion:
    """A page as a prompt.

    Attributes:
        parts: the texts that the model sees, by name.
        answers: the members of the reply: the JSON schema, and its description in words.
        fill: makes the form from the reply.
        steps: instructions, if those on the page describe buttons.
    """

    parts: Mapping[str, str]
    answers: Mapping[str, tuple[Mapping[str, Any], str]]
    fill: Callable[[Reply], Form]
    steps: Sequence[str] | None = None


def _own_text(settings: Mapping[str, Any]) -> str | None:
    """Return the organizer's instructions as they were written (Markdown)."""
    texts = [settings.get(name) or {} for name in ("texts", "definition")]
    return next((text["instructions"] for text in texts if text.get("instructions")), None)


def pose(task: CampaignTask, item: CampaignItem, seed: int) -> ItemQuestion:
    """Return what the page of an item shows and asks; ``seed`` fixes the order of its options."""
    view = task.view(item, seed)
    if "fields" in view:
        return _pose_fields(view)
    if "outputs" in view:
        return _pose_ranking(view)
    if "begin" in view:
        return _pose_rewriting(view)
    if "words" in view:
        return _pose_marking(task, item, view)
    raise OptionError(f"models cannot answer the task {task.name}: its page has no questions")


def _text_of(parts: Sequence[TextPart]) -> str:
    """Return the parts of a sentence as text; a marked word is in brackets, a gap is a line."""
    shown = {"target": "[{}]", "blank": "____", "gone": ""}
    return " ".join("".join(shown.get(p.kind, "{}").format(p.text) for p in parts).split())


def _parts(view: Mapping[str, Any], **more: str) -> dict[str, str]:
    found = {"before": view.get("before"), "source": view.get("source"), **more}
    found |= {"after": view.get("after"), "note": view.get("note")}
    return {name: str(text) for name, text in found.items() if text}


def _number_words(words: Sequence[str]) -> str:
    return " ".join(f"{number}:{word}" for number, word in enumerate(words))


def _pose_fields(view: Mapping[str, Any]) -> ItemQuestion:
    fields: Sequence[Field] = view["fields"]
    parts = _parts(view, sentence=_text_of(view["parts"]))
    if any(field.kind == "span" for field in fields):
        parts["words"] = _number_words(view["tokens"])
    answers = {field.name: _describe_field(field, len(view["tokens"])) for field in fields}

    def fill(reply: Reply) -> Form:
        form = {}
        for field in fields:
            value = reply[field.name]
            values = value if isinstance(value, list) else [value]
            form[field.name] = [_say(one) for one in values if one is not None]
        return form

    return ItemQuestion(parts, answers, fill)


def _describe_field(field: Field, words: int) -> tuple[dict[str, Any], str]:
    values = [option.value for option in field.options]
    schema: dict[str, Any] = {"type": "string", "enum": values}
    form = "one of " + ", ".join(
        f'"{o.value}"' + (f" ({o.text})" if str(o.text) != o.value else "") for o in field.options
    )
    if field.kind == "flags":
        schema, form = {"type": "array", "items": schema}, f"a list, also empty, of {form[7:]}"
    elif field.kind == "span":
        schema = {"type": "array", "items": {"type": "integer", "enum": list(range(words))}}
        form = "a list of numbers of words"
    elif field.kind == "text":
        schema, form = {"type": "string"}, f"a text of at most {MAX_TEXT} characters"
    if field.optional or field.when:
        schema = {"anyOf": [schema, {"type": "null"}]}
        form += ", or null"
    if field.when:
        form += f' (only if "{field.when.name}" is {" or ".join(field.when.values)})'
    hint = f" ({field.hint})" if field.hint else ""
    return schema, f"{field.question}{hint}: {form}"


def _pose_ranking(view: Mapping[str, Any]) -> ItemQuestion:
    parts = _parts(view)
    names = [f"version{number}" for number in range(1, len(view["outputs"]) + 1)]
    for name, output in zip(names, view["outputs"], strict=True):
        parts[name] = _text_of(output)
    schema = {"type": "integer", "enum": list(view["ranks"])}
    said = f"rank of {{}}, from 1 (best) to {max(view['ranks'])}"
    return ItemQuestion(
        parts,
        {name: (schema, said.format(name)) for name in names},
        lambda reply: {f"rank{at}": [_say(reply[name])] for at, name in enumerate(names)},
        (
            "Give each version a rank; 1 is best. Give equally good versions the same rank.",
            "Judge the whole sentence: is it good English, and does it keep the meaning?",
            "A version without changes can be the best one.",
        ),
    )


def _pose_rewriting(view: Mapping[str, Any]) -> ItemQuestion:
    begin = view["begin"]
    parts = _parts(view) if begin == view["source"] else _parts(view, version=begin)

    def fill(reply: Reply) -> Form:
        text = " ".join(_say(reply["text"]).split())
        return {AS_IS: ["1"]} if text == begin else {"text": [text]}

    what = "version" if "version" in parts else "source"
    said = f"the corrected {what}; the {what} itself if nothing is wrong"
    steps = (
        "Correct all errors, and change nothing else.",
        "Keep the writer's meaning; undo changes of a version that are unnecessary.",
    )
    return ItemQuestion(parts, {"text": ({"type": "string"}, said)}, fill, steps)


def _pose_marking(task: CampaignTask, item: CampaignItem, view: Mapping[str, Any]) -> ItemQuestion:
    words = [word for word, _ in view["words"]]
    number = {"type": "integer", "enum": list(range(len(words)))}
    correction = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    error = object_schema({"first": number, "last": number, "correction": correction})

    def fill(reply: Reply) -> Form:
        form: Form = {}
        for one in _list_of_objects(reply["errors"], error["required"]):
            first, last = (int(_say(one[name])) for name in ("first", "last"))
            form["word"] = [str(at) for at in range(first, min(last, len(words)) + 1)]
            known = one["correction"] is not None
            form["correction"] = [_say(one["correction"]) if known else ""]
            form["type"] = ["" if known else UNKNOWN]
            form = {"edit": task.step(item, form, 0)["edit"]}
        return form or {AS_IS: ["1"]}

    said = (
        'all errors, each as {"first": number of the first word, "last": number of the last word, '
        '"correction": the correct words, empty to delete them, null if you cannot correct them}'
    )
    steps = (
        "Mark every error with as few adjacent words as possible.",
        "If a word is missing, mark the word next to the gap, and give both words.",
        "If there is no error, return an empty list.",
    )
    parts = _parts(view, sentence=_number_words(words))
    return ItemQuestion(parts, {"errors": ({"type": "array", "items": error}, said)}, fill, steps)


def _list_of_objects(value: Any, names: Sequence[str]) -> Iterator[Reply]:
    for one in value if isinstance(value, list) else [None]:
        if not isinstance(one, dict) or set(one) != set(names):
            raise ReplyError(f"Expected a list of objects with the members: {', '.join(names)}.")
        yield one


def _say(value: Any) -> str:
    """Return a JSON string or integer as the text of a form field."""
    if isinstance(value, bool) or not isinstance(value, str | int) or len(str(value)) > LONGEST:
        raise ReplyError("Expected a text or a number as the answer to every question.")
    return _CONTROL.sub(" ", str(value)).strip()


class ModelJudge:
    """A model that answers the items of one judge of a campaign."""

    def __init__(
        self, server: CampaignServer, judge: str, model: LanguageModel, prompt: Prompt
    ) -> None:
        self._server, self._model, self._prompt = server, model, prompt
        self._work = next(w for w in server.workloads.values() if w.judge.name == judge)
        self._claimed: set[int] = set()

    async def _claim(self) -> int | None:
        """Return a position that the model has not answered; assign an item to it if necessary."""
        server, work = self._server, self._work
        if server.paused:
            raise DataError(f"{server.store.place}: the campaign is paused")
        if work.judge.revoked or work.judge.excluded:
            return None
        async with work.assigning:
            closed = self._claimed | work.answered.keys()
            found = next((at for at in range(len(work.sequence)) if at not in closed), None)
            if found is None and await server.assign_one(work):
                found = len(work.sequence) - 1
            if found is not None:
                self._claimed.add(found)
            return found

    def _request(self, position: int) -> tuple[Request, Callable[[str], Form]]:
        """Return the request for a position, and the function that reads the reply."""
        server, task, sequence = self._server, self._server.task, self._work.sequence
        item, seed = server.item_at(self._work, position), sequence[position].id
        asked, told = pose(task, item, seed), task.instructions
        text = self._prompt.render(
            title=task.title,
            about=_own_text(server.settings) or told.purpose,
            steps=told.steps if asked.steps is None else asked.steps,
            examples=told.examples,
            parts=asked.parts,
            answers={name: said for name, (_, said) in asked.answers.items()},
            language=item.language,
        )
        schema = object_schema({name: schema for name, (schema, _) in asked.answers.items()})
        sample = sum(one.item == item.id for one in sequence[: position + 1])

        def read(text: str) -> Form:
            try:
                reply = read_object(text)
                if set(reply) != set(asked.answers):
                    raise ReplyError(f"Expected exactly the members {', '.join(asked.answers)}.")
                form = asked.fill(reply)
                task.read(item, form, seed)
            except (AnswerError, ValueError) as error:
                raise ReplyError(str(error)) from error
            return form

        return Request.of(text, schema, sample), read

    def estimate(self) -> Table:
        """Return the numbers of requests and tokens that are left."""

        async def claim_all() -> list[int]:
            positions = []
            while (position := await self._claim()) is not None:
                positions.append(position)
            return positions

        with _running(self._server) as call:
            return self._model.estimate([self._request(at)[0] for at in call(claim_all())])

    def run(self) -> None:
        """Answer all items; a reply that is invalid twice is stored as a skipped item."""
        goal = self._work.total
        with _running(self._server) as call:

            def answer(_number: int) -> None:
                position = call(self._claim())
                if position is None:
                    return
                request, read = self._request(position)
                try:
                    form = self._model.ask_for(request, read)
                except ReplyError as error:
                    said = _CONTROL.sub(" ", str(error))[:_MOST_REASON]
                    form = {"remark-skip": ["1"], "remark-comment": [said]}
                key = f"model-{self._work.sequence[position].id:06d}"
                call(self._server.submit(self._work, position, form, submission=key, seconds=None))

            left = range(goal - len(self._work.answered))
            self._model.each(answer, left, "asked the model")


@contextmanager
def _running(server: CampaignServer) -> Iterator[Callable[[Coroutine[Any, Any, T]], T]]:
    """Run a server's event loop in a thread; yield a function that runs a coroutine there."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def call(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    try:
        call(server.start())
        yield call
    finally:
        call(server.stop())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def ensure_judge(store: CampaignStore, name: str, about: Mapping[str, Any]) -> None:
    """Invite the model, unless it is a judge already; raise a DataError for another judge."""
    key = f"model:{name}"
    known, is_judge = store.settings().get(key), any(j.name == name for j in store.judges())
    if known is None and is_judge:
        raise DataError(f"{store.place}: the judge {name!r} is a person; pass another --judge NAME")
    if known is not None and known != about:
        changed = ", ".join(k for k in about if known.get(k) != about[k])
        raise DataError(
            f"{store.place}: the judge {name!r} was asked with another {changed}; pass --judge NAME"
        )
    if known is None:
        setup.check_names([name])
        store.change_setting(key, dict(about))
    if not is_judge:
        setup.invite(store, name)
