"""Ranking: order the distinct corrections of a sentence from best to worst, ties allowed."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from rapidfuzz.distance import Levenshtein

from redink.campaign.task_items import CampaignItem, Material, read_written
from redink.campaign.tasks.protocol import (
    AnswerError,
    CampaignTask,
    TextPart,
    only,
    read_texts,
)
from redink.campaign.tasks.questions import ShownToken, join_parts
from redink.errors import DataError, OptionError
from redink.raw_text.tokenization import space_tokens

RANKS = 5  # ranks of a page with at most five outputs
MAX_OUTPUTS = 9
_NAME = re.compile(r"[^\s,+]+")
_RULE = re.compile(r"(\S+) ([>=]) (\S+)")
_SHORTEST_CHECK = 5  # different words in the sentence of an attention check


class RankingTask(CampaignTask):
    """Grundkiewicz et al. (2015), section 4.2: the source in context, up to M corrections."""

    name = "ranking"
    title, instructions = read_texts("ranking")
    template = "ranking.html"
    kind: Literal["rankings"] = "rankings"

    def make_items(self, given: Material) -> list[CampaignItem]:
        if (file := given.item_file("outputs")) is not None:
            return given.draw(read_written(file, self.check))
        if given.source is None or not given.systems:
            raise OptionError("the task ranking needs --source and the systems' outputs")
        import numpy as np

        from redink.judging.item_sampling import draw_items, plan_sentences

        sources, systems = given.load_outputs()
        everyone = {name: [str(output) for output in outputs] for name, outputs in systems.items()}
        if given.input_name is not None:
            everyone.setdefault(given.input_name, [str(source) for source in sources])
        # A sentence on which all agree has nothing to rank.
        planned = [
            sentence
            for sentence in plan_sentences(everyone, most_shown=given.most_outputs)
            if len(sentence.outputs) > 1 and sentence.sentence not in given.skipped
        ]
        if not planned:
            raise DataError("all systems agree on every sentence; there is nothing to rank")
        wanted = given.count or given.sentences or len(planned)
        if not given.replacement:
            given.warn_if_fewer(
                len(planned),
                " (sentences whose outputs differ); --with-replacement can draw a sentence again",
            )
            wanted = min(wanted, len(planned))
        drawn = draw_items(
            planned,
            wanted,
            np.random.default_rng(given.seed),
            most_shown=given.most_outputs,
            replace=given.replacement,
        )
        times: Counter[int] = Counter()
        items = []
        for number, outputs in ((item.sentence, item.outputs) for item in drawn):
            times[number] += 1
            about = {
                "sentence": number,
                "before": str(sources[number - 1]) if number else "",
                "source": str(sources[number]),
                "after": " ".join(map(str, sources[number + 1 : number + 2])),
                "outputs": [{"text": o.text, "systems": sorted(o.systems)} for o in outputs],
            }
            key = f"s{number}" if times[number] == 1 else f"s{number}.{times[number]}"
            items.append(CampaignItem(key, about))
        items += make_checks([str(one) for one in sources], given, set(times))
        given.name_language(items)
        return items

    def check(self, item: CampaignItem) -> None:
        outputs = item.payload["outputs"]
        if len(outputs) > MAX_OUTPUTS:
            raise DataError(f"an item has up to {MAX_OUTPUTS} outputs")
        if item.gold is not None:
            names = {name for output in outputs for name in output["systems"]}
            for name, _, other in read_rules(item.gold):
                if not {name, other} <= names | {str(rank) for rank in _ranks(item)}:
                    raise DataError(f"the gold answer {item.gold!r} names no output of the item")
        for output in outputs:
            " ".join([output["text"], item.payload["source"]])
            for name in output["systems"]:
                if not _NAME.fullmatch(name):
                    raise DataError(
                        f"the name of a system cannot be empty or contain a space, comma or plus "
                        f"sign, as {name!r} does; rename it: NAME=FILE"
                    )

    def is_right(self, item: CampaignItem, answer: dict[str, Any]) -> bool:
        outputs = zip(item.payload["outputs"], answer["ranks"], strict=True)
        ranks = {name: rank for output, rank in outputs for name in output["systems"]}
        return all(
            ranks[name] == int(other) if sign == "=" else ranks[name] < ranks[other]
            for name, sign, other in read_rules(item.gold or "")
        )

    def order(self, item: CampaignItem, seed: int) -> list[int]:
        """Return the shuffled order of the outputs; it depends on the seed only."""
        order = list(range(len(item.payload["outputs"])))
        random.Random(seed).shuffle(order)
        return order

    def view(self, item: CampaignItem, seed: int) -> dict[str, Any]:
        payload = item.payload
        source = payload["source"].split()
        shown = [
            mark_changes(source, payload["outputs"][index]["text"].split())
            for index in self.order(item, seed)
        ]
        return {
            "before": space_tokens(payload.get("before", "").split()).text,
            "source": space_tokens(source).text,
            "after": space_tokens(payload.get("after", "").split()).text,
            "outputs": shown,
            "ranks": list(_ranks(item)),
        }

    def read(self, item: CampaignItem, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        order = self.order(item, seed)
        ranks = [0] * len(order)
        for place, index in enumerate(order):
            given = only(form, f"rank{place}")
            if not given:
                raise AnswerError("Please give each version a rank.")
            if given not in map(str, _ranks(item)):
                raise AnswerError("A rank is a number from 1 to {most}.", most=len(_ranks(item)))
            ranks[index] = int(given)
        return {"ranks": ranks}

    def filled(self, item: CampaignItem, answer: dict[str, Any], seed: int) -> dict[str, Any]:
        return {
            f"rank{place}": str(answer["ranks"][index])
            for place, index in enumerate(self.order(item, seed))
        }


def _ranks(item: CampaignItem) -> range:
    return range(1, max(RANKS, len(item.payload["outputs"])) + 1)


RANKING = RankingTask()


def read_rules(gold: str) -> list[tuple[str, str, str]]:
    """Return the conditions of a gold answer: ``A > B`` (A is better) or ``A = 4`` (its rank)."""
    rules = [_RULE.fullmatch(part.strip()) for part in gold.split(",")]
    if not all(rules):
        raise DataError(f"the gold answer {gold!r} is not 'NAME > NAME' or 'NAME = RANK'")
    return [(rule[1], rule[2], rule[3]) for rule in rules if rule]


def make_checks(
    sources: Sequence[str], given: Material, drawn: Collection[int]
) -> list[CampaignItem]:
    """Make attention checks from sentences that were not drawn, if there are enough of them.

    A silent check shows a sentence and its words in a random order. A visible check also shows a
    text that asks for a rank.
    """
    wanted = (given.checks or 0) + (given.visible_checks or 0)
    rng = random.Random(f"{given.seed}/checks")
    long = [n for n, source in enumerate(sources) if len(set(source.split())) >= _SHORTEST_CHECK]
    rng.shuffle(long)
    long.sort(key=lambda number: number in drawn)
    if wanted > len(long):
        raise DataError(
            f"{wanted} attention checks need as many sentences of {_SHORTEST_CHECK} different "
            f"words; there are {len(long)}"
        )
    items = []
    for place, number in enumerate(long[:wanted]):
        words = sources[number].split()
        while words == sources[number].split():
            rng.shuffle(words)
        texts, gold = (
            {"SENTENCE": sources[number], "SHUFFLED": " ".join(words)},
            "SENTENCE > SHUFFLED",
        )
        if place >= (given.checks or 0):
            rank = rng.randint(2, RANKS)
            texts["CHECK"] = f"Attention check : give this version the rank {rank} ."
            gold = f"CHECK = {rank}"
        outputs = [{"text": text, "systems": [name]} for name, text in texts.items()]
        about = {"sentence": number, "source": sources[number], "outputs": outputs}
        items.append(CampaignItem(f"check{place + 1}", about, gold))
    return items


def mark_changes(source: Sequence[str], output: Sequence[str]) -> list[TextPart]:
    """Return the output in parts, with new words and words gone from the source."""
    shown: list[ShownToken] = []
    for step in Levenshtein.opcodes(source, output):
        if step.tag == "delete":
            shown += [(token, "gone") for token in source[step.src_start : step.src_end]]
        else:
            kind: Literal["plain", "new"] = "plain" if step.tag == "equal" else "new"
            shown += [(token, kind) for token in output[step.dest_start : step.dest_end]]
    return join_parts(shown)
