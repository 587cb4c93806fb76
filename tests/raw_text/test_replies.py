"""Replies of language models that contain no correction."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.raw_text.text_alignment import align_text
from redink.raw_text.tokenization import treebank_tokens
from redink.raw_text.unanswered_replies import Reply, mark_unanswered

SOURCE = "People has been using the social media sites since many years ."
SHORT = "He need help ."
NO_CHANGE = [
    "The sentence is already grammatically correct.",
    "No changes needed.",
    "No errors found.",
    "This sentence is correct as is.",
    "Correct.",
    "**No changes needed.**",
    "[No change]",
    '"No corrections needed."',
    "Your sentence is already grammatically correct! Great job!",
    "I don\u2019t see any errors in this sentence.",
    "The sentence doesn't need any correction.",
    "There are no grammatical errors in the given sentence. Let me know if you have other ones!",
    "The sentence is grammatically correct, but it could be more concise.",
    "The sentence is correct. It uses the present tense properly, and the subject agrees.",
    "After reviewing the sentence, there are no errors to correct.",
    "Corrected sentence: No changes needed.",
    f"Original: {SOURCE}\nCorrected: No correction needed.",
    f"Original: {SOURCE}\n\nThe sentence is already correct.",
    f'The sentence is correct: "{SOURCE}"',
    f'The sentence "{SOURCE}" is grammatically correct.',
]
REFUSALS = [
    "I'm sorry, but I can't assist with that.",
    "I\u2019m sorry, but I can\u2019t help with that request.",
    "I apologize, but I cannot fulfill this request.",
    "As an AI language model, I cannot process this content.",
    "This content may violate our usage policies.",
    "It seems you haven't provided a sentence. Could you please provide the text?",
]


TEXTS = [
    ("The sentense is corect .", "The sentence is correct.", "The sentence is correct ."),
    ("No change is need .", "No change is needed.", "No change is needed ."),
    ("I can not help you .", "I cannot help you.", "I can not help you ."),
    ("I am sory , I can not helping .", "I'm sorry, I can't help.", "I 'm sorry , I ca n't help ."),
    ("There is no errors in it .", "There are no errors in it.", "There are no errors in it ."),
    ("All are okey , we go home .", "Everything is ok, we go home.", None),
    ("None of it are true .", "None of it is true.", "None of it is true ."),
    ("Error : the file do not exist .", "Error: the file does not exist.", None),
    ("She go home .", "She goes home. No other changes are needed.", "She goes home ."),
    ("She go home .", "She goes home (no further changes needed).", "She goes home ."),
    ("She go home .", "The sentence is correct: She goes home.", "She goes home ."),
    ("She go home .", 'The sentence "She goes home." is correct.', "She goes home ."),
    ("She go home .", "The sentence is not correct. It should be: She goes home.", None),
    ("She go home .", "<think>The sentence is correct.</think>She goes home.", "She goes home ."),
]


@pytest.fixture
def align_one(tmp_path: Path) -> Callable[..., tuple[str, str]]:
    """Align the reply to one sentence; its line and its status."""

    def align(source: str, reply: str, **options: Any) -> tuple[str, str]:
        path = tmp_path / "replies.jsonl"
        rows = [{"id": 1, "text": reply, **options}, {"id": 2, "text": "It is here."}]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        found = redink.align([source, "It are here ."], {"model": path}, all_sentences=True)
        assert found.lines[1] == "It is here ."
        rows = [row for row in found.rows if row["status"] != "added before"]
        return found.lines[0], rows[0]["status"]

    return align


@pytest.mark.parametrize("reply", NO_CHANGE)
def test_a_statement_that_no_change_is_needed_leaves_the_source(
    align_one: Callable[..., tuple[str, str]], reply: str
) -> None:
    assert align_one(SOURCE, reply) == (SOURCE, "no-change")
    if SOURCE not in reply:
        assert align_one(SHORT, reply) == (SHORT, "no-change")


@pytest.mark.parametrize("reply", REFUSALS)
@pytest.mark.parametrize("source", [SOURCE, SHORT])
def test_a_refusal_is_no_answer(
    align_one: Callable[..., tuple[str, str]], source: str, reply: str
) -> None:
    assert align_one(source, reply) == (source, "refusal")


@pytest.mark.parametrize(("source", "reply", "expected"), TEXTS)
def test_text_that_resembles_the_source_is_an_answer(
    align_one: Callable[..., tuple[str, str]], source: str, reply: str, expected: str | None
) -> None:
    line, status = align_one(source, reply)
    assert status in {"aligned", "doubtful"}
    assert expected is None or line == expected


@pytest.mark.parametrize("reply", ["", " \n", "N/A", "null", "```\n```"])
def test_an_empty_reply_is_no_answer(align_one: Callable[..., tuple[str, str]], reply: str) -> None:
    assert align_one(SOURCE, reply) == (SOURCE, "no-answer")


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("People have been using social me", "truncated"),
        ("Here is", "truncated"),
        ("<think>The verb does not agree with", "truncated"),
        ("People have been using the social media sites for many years.", "aligned"),
        ("People have used the social media sites for many years.\n\nI chan", "aligned"),
    ],
)
def test_a_sentence_that_is_cut_is_no_answer(
    align_one: Callable[..., tuple[str, str]], reply: str, status: str
) -> None:
    line, found = align_one(SOURCE, reply, finish_reason="length")
    assert found == status
    assert (line == SOURCE) == (status == "truncated")


def test_a_document_that_is_cut_keeps_the_part_that_was_produced() -> None:
    lines = ["He like it .", "This are the second .", "I go home .", "It are the end ."]
    replies = [Reply.of("He likes it. This is the sec", lines, "truncated")]
    tokens = [line.split() for line in lines]
    found = align_text(tokens, [replies[0].text], tokenize=treebank_tokens).sentences
    marked = mark_unanswered(found, tokens, replies, 2, "source")
    assert [str(one) for one in marked] == ["He likes it .", *lines[1:]]
    assert [one.status for one in marked] == ["aligned", *["truncated"] * 3]
    marked = mark_unanswered(found, tokens, replies, 2, "delete")
    assert [str(one) for one in marked] == ["He likes it .", "", "", ""]


def test_a_statement_within_a_text_is_about_one_sentence() -> None:
    source = ["He like it .", "This are the second .", "I goes home .", "Who are he ?", "The end ."]
    text = "He likes it.\n\nNo changes needed.\n\nI go home.\n\nThe end."
    found = redink.align(source, text)
    assert found.lines == ["He likes it .", source[1], "I go home .", "", "The end ."]
    assert [row["status"] for row in found.rows] == ["no-change", "missing"]
