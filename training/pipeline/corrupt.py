"""Make faulty copies of labelled sentences, with the mistakes learners of English make.

Reads silver JSONL (tags and lemmas guide the mistakes) and writes unlabelled JSONL (`s`, `w`), to
be labelled in turn. Inflected forms come from the text itself: the commonest form of each lemma
and tag.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from silver import read_silver

ARTICLES = ["a", "an", "the"]
PREPOSITIONS = ["in", "on", "at", "of", "for", "to", "with", "from", "by", "about", "into", "as"]
PRONOUNS = [
    ["he", "him", "his", "himself"],
    ["she", "her", "hers", "herself"],
    ["they", "them", "their", "theirs", "themselves"],
    ["it", "its", "it's", "itself"],
    ["I", "me", "my", "mine", "myself"],
    ["we", "us", "our", "ours", "ourselves"],
    ["you", "your", "yours"],
    ["who", "which", "that", "what", "whom", "whose"],
    ["this", "these", "that", "those"],
]
MODALS = ["can", "could", "will", "would", "may", "might", "should", "must", "shall"]
BE = ["is", "are", "was", "were", "be", "been", "being", "am"]
CONNECTIVES = ["and", "but", "so", "because", "or", "while", "however", "therefore", "if", "when"]
ENDINGS = ["", "s", "es", "ed", "ing", "ly", "er", "ion", "al", "ment", "ness", "ity", "ive", "ful"]
VERB_TAGS = ["VB", "VBD", "VBG", "VBN", "VBP", "VBZ"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Corrupter:
    """Puts random mistakes into sentences, given the forms and words of a corpus."""

    def __init__(self, records: list[dict[str, Any]], generator: random.Random) -> None:
        self._random = generator
        forms: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        words: dict[str, Counter[str]] = defaultdict(Counter)
        for record in records:
            for word, tag, lemma in zip(record["w"], record["t"], record["l"], strict=True):
                if word.isalpha():
                    forms[lemma, tag][word.lower()] += 1
                    words[tag][word] += 1
        self._forms = {key: counts.most_common(1)[0][0] for key, counts in forms.items()}
        self._words = {
            tag: [word for word, count in counts.items() if count > 1]
            for tag, counts in words.items()
        }
        self._mistakes: list[tuple[float, Callable[[list[str], int, str, str], None]]] = [
            (3.0, self._article),
            (2.5, self._preposition),
            (3.0, self._number),
            (4.5, self._verb),
            (1.2, self._pronoun),
            (2.0, self._misspell),
            (2.0, self._other_word),
            (1.5, self._word_form),
            (1.5, self._punctuation),
            (1.2, self._leave_out),
            (0.8, self._add),
            (0.8, self._swap),
            (0.6, self._change_case),
            (0.6, self._connective),
            (0.3, self._double),
        ]

    def corrupt(self, record: dict[str, Any], rate: float) -> list[str]:
        """The tokens with about one mistake every `1 / rate` words, and at least one try."""
        slots = [[word] for word in record["w"]]
        count = max(1, round(self._random.gauss(rate, rate / 2) * len(slots)))
        weights = [weight for weight, _ in self._mistakes]
        for _ in range(count):
            mistake = self._random.choices(self._mistakes, weights)[0][1]
            # A mistake needs a fitting place; a few tries find one in most sentences.
            for _ in range(6):
                place = self._random.randrange(len(slots))
                before = list(slots[place])
                if len(before) == 1:
                    mistake(slots[place], place, record["t"][place], record["l"][place])
                if slots[place] != before:
                    break
        words = [word for slot in slots for word in slot if word]
        # A swap is marked by a token of its own, so that both neighbors may change as well.
        for index in range(len(words) - 1, -1, -1):
            if words[index] == "\0":
                del words[index]
                if 0 < index < len(words):
                    words[index - 1], words[index] = words[index], words[index - 1]
        return words

    def _replace(self, slot: list[str], word: str) -> None:
        slot[0] = word.capitalize() if slot[0][:1].isupper() and slot[0] != "I" else word

    def _article(self, slot: list[str], _place: int, tag: str, _lemma: str) -> None:
        if slot[0].lower() in ARTICLES:
            if self._random.random() < 0.6:
                slot[0] = ""
            else:
                self._replace(slot, self._random.choice(ARTICLES))
        elif tag in {"NN", "NNS", "JJ", "NNP"}:
            slot.insert(0, self._random.choice(["the", "the", "a", "an"]))

    def _preposition(self, slot: list[str], _place: int, tag: str, _lemma: str) -> None:
        if tag in {"IN", "TO"} and slot[0].lower() in PREPOSITIONS:
            if self._random.random() < 0.3:
                slot[0] = ""
            else:
                self._replace(slot, self._random.choice(PREPOSITIONS))
        elif tag in {"VB", "VBG", "VBD", "VBN", "JJ"} and self._random.random() < 0.3:
            slot.append(self._random.choice(PREPOSITIONS))

    def _number(self, slot: list[str], _place: int, tag: str, lemma: str) -> None:
        if tag == "NN":
            self._replace(slot, self._forms.get((lemma, "NNS"), slot[0] + "s"))
        elif tag == "NNS":
            self._replace(slot, lemma)

    def _verb(self, slot: list[str], _place: int, tag: str, lemma: str) -> None:
        if tag == "MD" and self._random.random() < 0.4:
            self._replace(slot, self._random.choice(MODALS))
        elif lemma == "be" and tag in VERB_TAGS:
            self._replace(slot, self._random.choice([*BE, ""]))
        elif tag in VERB_TAGS:
            other = self._random.choice(VERB_TAGS)
            form = self._forms.get((lemma, other))
            if form is not None:
                self._replace(slot, form)
            if self._random.random() < 0.12:
                slot.insert(
                    0, self._random.choice(["to", "is", "are", "was", "have", "has", "will"])
                )

    def _pronoun(self, slot: list[str], _place: int, tag: str, _lemma: str) -> None:
        if tag in {"PRP", "PRP$", "WP", "WDT", "DT", "WP$"}:
            for group in PRONOUNS:
                if slot[0].lower() in group:
                    self._replace(slot, self._random.choice([*group, ""]))
                    break

    def _misspell(self, slot: list[str], _place: int, _tag: str, _lemma: str) -> None:
        word = slot[0]
        if len(word) < 4 or not word.isalpha():
            return
        at = self._random.randrange(1, len(word))
        kind = self._random.randrange(5)
        letter = self._random.choice(LETTERS)
        slot[0] = (
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + letter + word[at + 1 :],
            word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
        )[kind]
        if self._random.random() < 0.1:
            slot[:] = [word[:at], word[at:]]

    def _other_word(self, slot: list[str], _place: int, tag: str, _lemma: str) -> None:
        if tag in {"NN", "NNS", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "JJ", "RB"}:
            self._replace(slot, self._random.choice(self._words[tag]).lower())

    def _word_form(self, slot: list[str], _place: int, tag: str, lemma: str) -> None:
        if tag[:2] not in {"NN", "VB", "JJ", "RB"} or len(lemma) < 4 or not lemma.isalpha():
            return
        stem = lemma
        for ending in sorted(ENDINGS, key=len, reverse=True):
            if ending and lemma.endswith(ending) and len(lemma) > len(ending) + 3:
                stem = lemma[: -len(ending)]
                break
        self._replace(slot, stem + self._random.choice(ENDINGS))

    def _punctuation(self, slot: list[str], _place: int, tag: str, _lemma: str) -> None:
        if tag in {",", ".", ":", "''", "``", "-LRB-", "-RRB-", "HYPH"}:
            slot[0] = self._random.choice(["", "", ",", ".", ";", ":", "-"])
        elif self._random.random() < 0.25:
            slot.append(self._random.choice([",", ",", ",", ".", ";", "-"]))

    def _leave_out(self, slot: list[str], _place: int, _tag: str, _lemma: str) -> None:
        slot[0] = ""

    def _add(self, slot: list[str], _place: int, _tag: str, _lemma: str) -> None:
        tag = self._random.choice(["RB", "IN", "PRP", "NN", "DT", "MD", "TO", "VBZ", "JJ"])
        slot.append(self._random.choice(self._words[tag]).lower())

    def _swap(self, slot: list[str], place: int, _tag: str, _lemma: str) -> None:
        if place:
            slot.insert(0, "\0")

    def _change_case(self, slot: list[str], _place: int, _tag: str, _lemma: str) -> None:
        word = slot[0]
        slot[0] = word.lower() if word[:1].isupper() else word[:1].upper() + word[1:]

    def _connective(self, slot: list[str], _place: int, tag: str, _lemma: str) -> None:
        if tag == "CC" or slot[0].lower() in CONNECTIVES:
            self._replace(slot, self._random.choice(CONNECTIVES))

    def _double(self, slot: list[str], _place: int, _tag: str, _lemma: str) -> None:
        slot.append(slot[0])


def main() -> None:
    """Read silver, write faulty copies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("silver", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sources", nargs="*", help="only sentences whose `s` is one of these")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument(
        "--rates", type=float, nargs="+", default=[0.08, 0.16], help="errors a word"
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    records = [
        record
        for path in arguments.silver
        for record in read_silver(path)
        if (not arguments.sources or record["s"] in arguments.sources) and len(record["w"]) > 3
    ]
    corrupter = Corrupter(records, generator)
    with arguments.out.open("w", encoding="utf-8") as out:
        for record in records:
            for _ in range(arguments.copies):
                words = corrupter.corrupt(record, generator.choice(arguments.rates))
                if len(words) > 1 and words != record["w"]:
                    line = {"s": record["s"].removesuffix("+errors") + "+errors", "w": words}
                    print(json.dumps(line, ensure_ascii=False), file=out)


if __name__ == "__main__":
    main()
