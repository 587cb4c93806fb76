"""A language model as a metric: it rates or ranks the distinct outputs of each sentence.

The protocols ``rate`` and ``edits`` are those of Kobayashi et al. (2024), LLM-S and LLM-E: up to
five distinct outputs of a sentence are rated together, from 1 to 5. ``rank`` is redink's own: the
outputs are ranked in several orders, such that each output is once at each position.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from redink.errors import OptionError
from redink.files import write_atomically
from redink.language_models.client import LanguageModel, ModelOptions, Request
from redink.language_models.endpoints import read_endpoint
from redink.language_models.prompts import Prompt, ReplyError, object_schema, read_object
from redink.language_models.reply_store import ReplyStore
from redink.model import Annotation, Column, Hypotheses, References, Row, Sentence
from redink.options import Flag, NotNegative
from redink.raw_text.tokenization import space_tokens
from redink.scoring.metric import About, Collect, FloatArray, Statistics, SummedMetric
from redink.statistics.arrays import divide_or_nan

MOST_TARGETS = 5
_RANKED, _RATED = "rank", "target_score"
_VALUE, _ASKED, _PAIRS = range(3)  # columns of the counts before wins and losses per system


@dataclass(frozen=True)
class _Sentence:
    """The distinct outputs of a sentence that are shown, and the systems of each."""

    number: int
    source: str
    targets: tuple[str, ...]
    systems: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class LlmMetric(ModelOptions, SummedMetric):
    """The judgment of a language model at an endpoint, without references.

    Attributes:
        endpoint: URL of the API, or ``command:PROGRAM``.
        model: name of the model at the endpoint.
        protocol: rate whole sentences from 1 to 5 (LLM-S), rate edits (LLM-E), or rank sentences in
            balanced order.
        aggregate: score of a system: the mean of its ratings, or Expected Wins over the other
            systems, as for people's rankings. By default expected-wins for ranks, else mean.
        orders: number of orders in which each sentence is asked; 0 for one order of ratings (that
            of the alphabet, as published), and for ranks all rotations.
        aspect: the only aspect to rate: grammaticality, fluency or meaning of sentences (rate),
            difficulty or impact of edits (edits).
        replies: file of all requests and replies. By default MODEL.replies.jsonl.
        rankings: file (JSON lines) for the model's rankings, which ``redink rank`` reads.
    """

    endpoint: str = ""
    model: str = ""
    protocol: Literal["rank", "rate", "edits"] = "rate"
    aggregate: Literal["mean", "expected-wins"] | None = None
    orders: NotNegative = 0
    aspect: Literal["grammaticality", "fluency", "meaning", "difficulty", "impact"] | None = None
    replies: Annotated[str | None, Flag(writes=True)] = None
    rankings: Annotated[str | None, Flag(writes=True)] = None

    name: ClassVar[str] = "llm"
    needs_model: ClassVar[bool] = True
    about: ClassVar[About | None] = About(
        rewards="outputs that a language model rates or ranks high",
        fails="biases of the model: position, length, fluency, its own outputs (redink judge)",
        cite="Kobayashi et al. 2024",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.endpoint or not self.model:
            raise OptionError("llm needs a model: llm(endpoint=URL,model=NAME)")
        read_endpoint(self.endpoint)
        kinds = {
            "rate": ("grammaticality", "fluency", "meaning"),
            "edits": ("difficulty", "impact"),
        }
        if self.aspect and self.aspect not in kinds.get(self.protocol, ()):
            raise OptionError(f"llm: the protocol {self.protocol} has no aspect {self.aspect}")
        self._prompt()
        if self.protocol == "edits":
            object.__setattr__(self, "needs", "edits")

    @property
    def label(self) -> str:
        aspect = f",aspect={self.aspect}" if self.aspect else ""
        return f"llm(model={self.model},protocol={self.protocol}{aspect})"

    @property
    def columns(self) -> tuple[Column, ...]:
        more = (Column("comparisons", "count"), Column("rated", "count"))
        return (*more, Column("score", "score", best="max"))

    @property
    def _is_rank(self) -> bool:
        return self.protocol == "rank"

    @property
    def _is_mean(self) -> bool:
        return self.aggregate == "mean" if self.aggregate else not self._is_rank

    def _prompt(self) -> Prompt:
        return Prompt("rank" if self._is_rank else "rate", self.prompt)

    def signature(self) -> dict[str, Any]:
        return {"prompt": self._prompt().fingerprint, "temperature": self.temperature}

    # -- asking ----------------------------------------------------------------------------------

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        return self.collector(references, [hypotheses])(references, hypotheses)

    def collector(self, references: References, systems: Sequence[Hypotheses]) -> Collect:
        sentences = list(self._choose(references.sources, systems))
        numbers, notes = self._ask(sentences)
        counts = self._count(sentences, numbers, len(systems), len(references))
        if self.rankings is not None and not self.dry_run:
            self._write_rankings(sentences, numbers, [system.name for system in systems])
        places = {id(system): place for place, system in enumerate(systems)}

        def find(_references: References, hypotheses: Hypotheses) -> Statistics:
            return Statistics({"counts": counts[places[id(hypotheses)]]}, notes=notes)

        return find

    def _choose(
        self, sources: Sequence[Sentence], systems: Sequence[Hypotheses]
    ) -> Iterator[_Sentence]:
        """Yield the most frequent outputs of each sentence (ties: first met), sorted."""
        for number, source in enumerate(sources):
            texts = [self._show(source, system, number) for system in systems]
            common = [text for text, _ in Counter(texts).most_common(MOST_TARGETS)]
            targets = tuple(sorted(common))
            by = (tuple(at for at, text in enumerate(texts) if text == one) for one in targets)
            if source.tokens and (not self._is_rank or len(targets) > 1):
                yield _Sentence(number, _plain(source), targets, tuple(by))

    def _show(self, source: Sentence, system: Hypotheses, number: int) -> str:
        if self.protocol != "edits":
            return _plain(system.texts[number])
        assert system.annotations is not None
        return show_edits(source.tokens, system.annotations[number][0])

    def _requests(self, sentence: _Sentence) -> Iterator[tuple[Request, list[int]]]:
        """Yield each request with the order of the targets: rotations, a Latin square."""
        size = len(sentence.targets)
        prompt, name = self._prompt(), _RANKED if self._is_rank else _RATED
        values = range(1, (size if self._is_rank else MOST_TARGETS) + 1)
        schema = {"type": "integer", "enum": list(values)}
        for turn in range(self.orders or (size if self._is_rank else 1)):
            order = [(turn + place) % size for place in range(size)]
            text = prompt.render(
                source=sentence.source,
                targets=[sentence.targets[at] for at in order],
                edits=self.protocol == "edits",
                aspect=self.aspect,
            )
            form = object_schema({f"{name}{place}": schema for place in range(1, size + 1)})
            yield Request.of(text, form, turn // size + 1), order

    def _ask(self, sentences: Sequence[_Sentence]) -> tuple[list[list[list[int]]], tuple[str, ...]]:
        """Return the numbers of every order of every sentence, by target; empty if invalid."""
        asked = [(at, *one) for at, each in enumerate(sentences) for one in self._requests(each)]
        path = self.replies or re.sub(r"[^\w.-]+", "-", self.model).strip("-.") + ".replies.jsonl"
        with LanguageModel(
            self.endpoint, self.model, self, ReplyStore(path, self.budget())
        ) as model:
            if self.dry_run:
                left = model.estimate(request for _, request, _ in asked).rows[0]
                about = ", ".join(
                    f"{k.replace('_', ' ')} {v}" for k, v in left.items() if v is not None
                )
                return [[] for _ in sentences], (f"{self.label} (dry run): {about}.",)

            def ask(one: tuple[int, Request, list[int]]) -> list[int] | None:
                try:
                    return model.ask_for(one[1], _reader(one[1].schema or {}))
                except ReplyError:
                    return None

            replies = model.each(ask, asked, f"asked {self.model}")
        found: list[list[list[int]]] = [[] for _ in sentences]
        firsts, invalid = [], 0
        for (at, _, order), numbers in zip(asked, replies, strict=True):
            if numbers is None:
                invalid += 1
                continue
            better = [-n for n in numbers] if self._is_rank else numbers
            if len(better) > 1:
                firsts.append(better[0] - sum(better[1:]) / (len(better) - 1))
            found[at].append([n for _, n in sorted(zip(order, numbers, strict=True))])
        notes = []
        if firsts and (self._is_rank or self.orders > 1):
            above = float(np.mean(firsts))
            notes.append(f"{self.label}: outputs shown first score {above:+.2f} above the others.")
        if invalid:
            notes.append(f"{self.label}: {invalid} of {len(asked)} requests without a valid reply.")
        return found, tuple(notes)

    def _write_rankings(
        self, sentences: Sequence[_Sentence], numbers: Sequence[list[list[int]]], names: list[str]
    ) -> None:
        sign = 1 if self._is_rank else -1
        with write_atomically(self.rankings or "-") as stream:
            for sentence, orders in zip(sentences, numbers, strict=True):
                for values in orders:
                    outputs = [
                        {
                            "rank": 1 + sum(sign * other < sign * value for other in values),
                            "systems": [names[at] for at in systems],
                        }
                        for value, systems in zip(values, sentence.systems, strict=True)
                        if systems
                    ]
                    row = {"sentence": str(sentence.number), "judge": self.model}
                    stream.write(json.dumps(row | {"outputs": outputs}, ensure_ascii=False) + "\n")

    # -- scores ----------------------------------------------------------------------------------

    def _count(
        self,
        sentences: Sequence[_Sentence],
        numbers: Sequence[list[list[int]]],
        systems: int,
        size: int,
    ) -> FloatArray:
        """Return the counts, ``(systems, sentences, columns)``."""
        counts = np.zeros((systems, size, 3 + 2 * systems))
        for sentence, orders in zip(sentences, numbers, strict=True):
            here = counts[:, sentence.number]
            most = max(len(sentence.targets) - 1, 1)
            for given in orders:
                values = [(most + 1 - n) / most for n in given] if self._is_rank else given
                shown = [
                    (at, value)
                    for value, members in zip(values, sentence.systems, strict=True)
                    for at in members
                ]
                for at, value in shown:
                    here[at, :3] += value, 1, len(shown) - 1
                    for other, less in shown:
                        if value > less:
                            here[at, 3 + other] += 1
                            here[other, 3 + systems + at] += 1
        return counts

    def score(self, sums: FloatArray) -> Mapping[str, FloatArray]:
        found = {"comparisons": sums[..., _PAIRS], "rated": sums[..., _ASKED]}
        if self._is_mean:
            return found | {"score": divide_or_nan(sums[..., _VALUE], sums[..., _ASKED])}
        wins, losses = np.split(sums[..., 3:], 2, axis=-1)
        shares = divide_or_nan(wins, wins + losses)
        known = ~np.isnan(shares)
        score = divide_or_nan(np.where(known, shares, 0).sum(axis=-1), known.sum(axis=-1))
        return found | {"score": score}

    def _of_sentences(self, statistics: Statistics) -> Mapping[str, FloatArray]:
        counts = statistics["counts"]
        found = dict(self.score(counts))
        if not self._is_mean:  # ties are half a win, so that every comparison has a score
            wins, losses = (part.sum(axis=-1) for part in np.split(counts[..., 3:], 2, axis=-1))
            pairs = counts[..., _PAIRS]
            found["score"] = divide_or_nan(wins + (pairs - wins - losses) / 2, pairs)
        return found

    def rows(self, statistics: Statistics) -> list[Row]:
        (row,) = super().rows(statistics)
        return [row | {name: int(row[name]) for name in ("comparisons", "rated")}]


def _reader(schema: Mapping[str, Any]) -> Callable[[str], list[int]]:
    """Return the function that reads the numbers of a reply in the order of the targets."""

    def read(text: str) -> list[int]:
        reply, wanted = read_object(text), schema["properties"]
        numbers: list[Any] = [reply.get(name) for name in wanted]
        for name, number in zip(wanted, numbers, strict=True):
            allowed = wanted[name]["enum"]
            if set(reply) != set(wanted) or type(number) is not int or number not in allowed:
                raise ReplyError(
                    f"Expected a JSON object with exactly the members {', '.join(wanted)}, each a "
                    f"whole number from {allowed[0]} to {allowed[-1]}."
                )
        return numbers

    return read


def _plain(sentence: Sentence) -> str:
    return " ".join((sentence.text or space_tokens(sentence.tokens).text or "").split())


def show_edits(tokens: Sequence[str], annotation: Annotation) -> str:
    """Return a sentence with its edits in place: ``I [go→went] home``."""
    parts: list[str] = []
    reached = 0
    for edit in sorted(annotation.edits, key=lambda edit: (edit.start, edit.end)):
        parts += tokens[reached : edit.start]
        parts.append(f"[{' '.join(tokens[edit.start : edit.end])}→{edit.correction}]")
        reached = edit.end
    return " ".join([*parts, *tokens[reached:]])
