"""The corrected sentences are found in the replies of chat models, whatever is around them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from redink.inputs.raw_alignment import align_system
from redink.model import Sentence

SOURCE = [
    "My sister go to school every days .",
    'He say " yes " to me yesterday .',
    "I have been lived here since ten year .",
    "The informations was very useful for us .",
    '" Where is you going ? " she ask .',
    "It is 3 o'clock and we is late .",
    "She do n't like the students ' old books .",
    "Nobody know the answer of this question .",
]
WRITTEN = [
    "My sister go to school every days.",
    'He say "yes" to me yesterday.',
    "I have been lived here since ten year.",
    "The informations was very useful for us.",
    '"Where is you going?" she ask.',
    "It is 3 o'clock and we is late.",
    "She don't like the students' old books.",
    "Nobody know the answer of this question.",
]
RIGHT = [
    "My sister goes to school every day.",
    'He said "yes" to me yesterday.',
    "I have been living here for ten years.",
    "The information was very useful for us.",
    '"Where are you going?" she asked.',
    "It is 3 o'clock and we are late.",
    "She doesn't like the students' old books.",
    "Nobody knows the answer to this question.",
]
LINES = [
    "My sister goes to school every day .",
    'He said " yes " to me yesterday .',
    "I have been living here for ten years .",
    "The information was very useful for us .",
    '" Where are you going ? " she asked .',
    "It is 3 o'clock and we are late .",
    "She does n't like the students ' old books .",
    "Nobody knows the answer to this question .",
]
Reply = Callable[[str, str], str]


def wrap(left: str, right: str) -> Reply:
    return lambda _, corrected: f"{left}{corrected}{right}"


REPLIES: dict[str, Reply] = {
    **{
        f"wrapped in {left}{right}": wrap(left, right)
        for left, right in (
            *(('"', '"'), ("\u201c", "\u201d"), ("\u201e", "\u201c"), ("\u00ab", "\u00bb")),
            *(("\uff02", "\uff02"), ("\u300c", "\u300d"), ("'", "'"), ("\u2018", "\u2019")),
            *(("`", "`"), ("**", "**"), ('**"', '"**'), ('"**', '**"'), ("<p>", "</p>")),
            *(("- ", ""), ("> ", ""), ("1. ", ""), ("17. ", ""), ("3) ", ""), ("[7] ", "")),
            *(("Sentence 5: ", ""), ("```\n", "\n```"), ("Corrected: ", ""), ("Output: ", "")),
            *(("**Corrected:** ", ""), ('Corrected: "', '"'), ("Final answer: ", "")),
            *(('The corrected sentence is "', '".'), ("Here is the corrected sentence: ", "")),
        )
    },
    "comments": lambda _, h: f"Sure! Here is the sentence:\n\n{h}\n\nLet me know if it helps!",
    "quoted between comments": lambda _, h: f'Sure! Here it is:\n\n"{h}"\n\nLet me know!',
    "curly between comments": lambda _, h: f"Certainly!\n\n\u201c{h}\u201d\n\nBye for now.",
    "explained": lambda _, h: f'"{h}"\n\nI changed the form of the verb.',
    "pair": lambda s, h: f"Original: {s}\nCorrected: {h}",
    "pair on one line": lambda s, h: f"Original: {s} Corrected: {h}",
    "quoted pair": lambda s, h: f'Original: "{s}"\nCorrected: "{h}"',
    "bold pair on one line": lambda s, h: f"**Original:** {s} **Corrected:** {h}",
    "incorrect and correct": lambda s, h: f"Incorrect: {s}\nCorrect: {h}",
    "headings": lambda s, h: f"### Original\n{s}\n\n### Corrected\n{h}",
    "arrow": lambda s, h: f"{s} \u2192 {h}",
    "arrow in ASCII": lambda s, h: f"{s} -> {h}",
    "double arrow": lambda s, h: f"{s} => {h}",
    "arrow on the second line": lambda s, h: f"{s}\n\u2192 {h}",
    "arrow on the first line": lambda s, h: f"{s} \u2192\n{h}",
    "arrow on its own line": lambda s, h: f"{s}\n\n->\n\n{h}",
    "quoted arrow": lambda s, h: f'"{s}" \u2192 "{h}"',
    "JSON": lambda s, h: json.dumps({"original": s, "corrected": h, "correct": False}),
    "JSON string": lambda _, h: json.dumps(h),
    "fenced JSON": lambda _, h: f"Here:\n```json\n{json.dumps({'corrected': h})}\n```",
    "reasoning": lambda s, h: f'<think>\nIs "{s}" right?\n</think>\n\n{h}',
    "entities": lambda _, h: h.replace('"', "&quot;").replace("'", "&#39;"),
    "invisible": lambda _, h: "\ufeff" + h.replace(" ", "\u200b ", 1).replace("e", "e\u00ad", 1),
}


def aligned(path: Path, sources: list[str] = SOURCE) -> list[str]:
    sentences = [Sentence(tuple(line.split())) for line in sources]
    return [str(one) for one in align_system("x", path, sentences).hypotheses]


@pytest.mark.parametrize("kind", REPLIES)
def test_one_reply_per_sentence(tmp_path: Path, kind: str) -> None:
    replies = [REPLIES[kind](s, h) for s, h in zip(WRITTEN, RIGHT, strict=True)]
    (tmp_path / "replies.json").write_text(json.dumps(replies), encoding="utf-8")
    assert aligned(tmp_path / "replies.json") == LINES


@pytest.mark.parametrize(
    "kind", [kind for kind, reply in REPLIES.items() if "\n" not in reply("", "")]
)
def test_one_line_per_sentence(tmp_path: Path, kind: str) -> None:
    replies = [REPLIES[kind](s, h) for s, h in zip(WRITTEN, RIGHT, strict=True)]
    (tmp_path / "replies.txt").write_text("\n".join(replies), encoding="utf-8")
    assert aligned(tmp_path / "replies.txt") == LINES


@pytest.mark.parametrize("number", ["{}. ", "{}) ", "[{}] ", "Sentence {}: ", "**{}.** ", '{}. "'])
@pytest.mark.parametrize("comments", [False, True])
def test_numbers_that_start_again(tmp_path: Path, number: str, *, comments: bool) -> None:
    chats = []
    for first in (0, 4):
        items = "\n".join(
            f"{number.format(at)}{line}" + '"' * number.count('"')
            for at, line in enumerate(RIGHT[first : first + 4], start=1)
        )
        chats.append(f"Sure! Here they are:\n\n{items}\n\nBye!" if comments else items)
    (tmp_path / "chats.txt").write_text("\n\n".join(chats), encoding="utf-8")
    assert aligned(tmp_path / "chats.txt") == LINES


def test_replies_of_several_kinds_on_their_lines(tmp_path: Path) -> None:
    lines = list(RIGHT)
    lines[0] = REPLIES["pair on one line"](WRITTEN[0], RIGHT[0])
    lines[2] = f"**Corrected:** {RIGHT[2]}"
    lines[3] = f'"{RIGHT[3]}"'
    lines[5] = REPLIES["arrow"](WRITTEN[5], RIGHT[5])
    lines[7] = "I cannot help with that."
    (tmp_path / "mixed.txt").write_text("\n".join(lines), encoding="utf-8")
    assert aligned(tmp_path / "mixed.txt")[:7] == LINES[:7]


def test_lines_that_are_not_the_sentences(tmp_path: Path) -> None:
    """A comment before the text and a missing sentence shift the lines, but not the sentences."""
    lines = ["Here are the corrected sentences:", *RIGHT[:6], RIGHT[7]]
    (tmp_path / "shifted.txt").write_text("\n".join(lines), encoding="utf-8")
    assert aligned(tmp_path / "shifted.txt") == [*LINES[:6], "", LINES[7]]


@pytest.mark.parametrize(
    ("source", "answer", "expected"),
    [
        ('Do you stay long here ? "', '"Do you stay long here?"', '" Do you stay long here ? "'),
        ('" I has go . "', '"I have gone."', '" I have gone . "'),
        ('" Yes , " he say .', '""Yes," he said."', '" Yes , " he said .'),
        ("Yes , he say , I am .", '"Yes," he said, "I am."', '" Yes , " he said , " I am . "'),
        ("He said hello to them .", 'He said, "Hello to them."', 'He said , " Hello to them . "'),
        ("Im on antibiotics", "Im on antibiotics...", "Im on antibiotics ..."),
        ("12 May is good .", "12. May is good.", "12. May is good ."),
        ("1. He go home .", "1. He goes home.", "1. He goes home ."),
        ("I go -> you go .", "I go -> you went.", "I go -> you went ."),
        ("A & B &amp; C are .", "A &amp; B &amp; C is.", "A & B &amp; C is ."),
        ("This are *very* good .", "This **is** *very* good.", "This is *very* good ."),
        ("He go home .", 'He goes home.\n\n"He go home" is wrong.', "He goes home ."),
    ],
)
def test_marks_are_removed_only_if_the_source_lacks_them(
    tmp_path: Path, source: str, answer: str, expected: str
) -> None:
    (tmp_path / "a.json").write_text(json.dumps([answer, "Fine."]), encoding="utf-8")
    assert aligned(tmp_path / "a.json", [source, "Fine ."])[0] == expected


def test_marks_of_the_first_and_last_sentence_of_a_paragraph(tmp_path: Path) -> None:
    """A quotation of several sentences keeps its marks; a number of the source stays a number."""
    source = ['" Today " - I say , " you stay in bed .', 'It is all over by tomorrow " .']
    (tmp_path / "a.txt").write_text('"Today, - I say, - you stay in bed. It is over by tomorrow".')
    expected = ['" Today , - I say , - you stay in bed .', 'It is over by tomorrow " .']
    assert aligned(tmp_path / "a.txt", source) == expected
    (tmp_path / "b.txt").write_text("1. Really there are many. It is so.")
    found = aligned(tmp_path / "b.txt", ["1 - Really there is many .", "It is so ."])
    assert found == ["1. Really there are many .", "It is so ."]
