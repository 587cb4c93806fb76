"""Attacks on metrics: what is done to a text, and whether the metric noticed."""

from __future__ import annotations

import pytest

from redink.commands.meta_attack import ATTACKS, AttackRow, AttackTarget, ScoredOutput, judge_attack
from redink.model import AnnotatedSentence, Corpus, Hypotheses, References, Sentence


def judged(
    before: list[tuple[float | None, list[float | None]]],
    after: list[tuple[float | None, list[float | None]]],
    changed: list[list[bool]] | None = None,
) -> AttackRow:
    """The verdict on systems, each with its score and those of its sentences."""
    old, new = ([ScoredOutput(*one) for one in systems] for systems in (before, after))
    return judge_attack("m", "a", old, new, changed or [[True] * len(one[1]) for one in before])


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ([(0.5, [0.5, 0.5])], [(0.4, [0.4, 0.4])], "noticed"),
        ([(0.5, [0.5, 0.5])], [(0.4, [0.2, 0.6])], "partly"),  # half of the sentences only
        ([(0.5, [0.5])], [(0.6, [0.6])], "fooled"),
        ([(0.5, [0.5, 0.5])], [(0.5, [0.5, 0.5])], "not noticed"),
        ([(0.5, [0.5, 0.5])], [(0.5, [0.4, 0.6])], "partly"),  # no system, but a sentence
        ([(0.5, [0.5]), (0.5, [0.5])], [(0.4, [0.4]), (0.5, [0.5])], "partly"),
        ([(0.5, [0.5]), (0.5, [0.5])], [(0.6, [0.6]), (0.5, [0.5])], "not noticed"),
        ([(None, [])], [(0.5, [])], "not noticed"),
    ],
)
def test_verdicts(
    before: list[tuple[float | None, list[float | None]]],
    after: list[tuple[float | None, list[float | None]]],
    verdict: str,
) -> None:
    assert judged(before, after).verdict == verdict


def test_only_changed_sentences_with_two_scores_count() -> None:
    row = judged(
        [(0.5, [0.5, 0.5, None, 0.5, 0.5])],
        [(0.4, [0.4, 0.4, 0.4, None, 0.5])],
        [[True, False, True, True, True]],
    )
    assert (row.down, row.same, row.up) == (0.5, 0.5, 0.0)
    assert (row.before, row.after, row.change) == pytest.approx((0.5, 0.4, -0.1))


TEXTS = tuple(Sentence.from_line(line) for line in ("a b c", "d", ""))
REFERENCES = References(
    Corpus(tuple(AnnotatedSentence(text) for text in TEXTS)),
    (tuple(Sentence.from_line(line) for line in ("A b c", "D", "")),),
)


def test_what_an_attack_makes() -> None:
    target = AttackTarget(REFERENCES, Hypotheses("ours", TEXTS), seed=1)
    made = {name: [text.tokens for text in attack(target)] for name, attack in ATTACKS.items()}
    assert all(len(texts) == 3 for texts in made.values())
    assert [len(words) for words in made["word dropped"]] == [2, 1, 0]
    assert [len(words) for words in made["word doubled"]] == [4, 2, 0]
    first = made["words swapped"][0]
    assert sorted(first) == ["a", "b", "c"]
    assert first != ("a", "b", "c")
    assert made["source copied"] == [text.tokens for text in TEXTS]
    assert len(set(made["one fluent sentence"])) == 1
    assert made["other sentence's reference"] == [("D",), (), ("A", "b", "c")]
