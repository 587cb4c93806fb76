"""Text that a system left untouched gets no edit, whatever characters it has."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import redink
from redink.formats.raw_documents import RawDocument, split_documents
from redink.inputs.raw_alignment import align_system
from redink.model import Sentence
from redink.raw_text.tokenization import treebank_tokens

WRAPPED = (
    *("_{}_", "__{}__", "*{}*", "**{}**", "***{}***", "~~{}~~", "`{}`", "``{}``", "```{}```"),
    *('"{}"', "'{}'", "\u201c{}\u201d", "\u201e{}\u201c", "\u00ab{}\u00bb", "\u300c{}\u300d"),
    *("``{}''", "\uff02{}\uff02", "&quot;{}&quot;", '\\"{}\\"', "({})", "[{}]", "{{{}}}"),
    *("<b>{}</b>", "<p>{}</p>", "<think>{}</think>", "<answer>{}</answer>", "<!-- {} -->"),
    *("<corrected>{}</corrected>", '<a href="x">{}</a>', "[{}](x)", "==({})==", "| {} | b |"),
    *("# {}", "### {}", "> {}", "- {}", "* {}", "+ {}", "\u2022 {}", "1. {}", "12. {}", "1) {}"),
    *("[1] {}", "(1) {}", "Sentence 1: {}", "a -> {}", "a \u2192 {}", "a => {}", "{} \u2192"),
    *("Original: {}", "Corrected: {}", "Original: {} Corrected: b", "**Corrected:** {}"),
    *("Here is the corrected text: {}", "Sure! {}", "{}\u200b{}", "{}\u00ad{}", "{}\u2060"),
    *('{{"a": "{}"}}', '["{}", "b"]', "```\n{}\n```", "- {}\n- b", "1. {}\n2. b", "> {}\n> b"),
    *("| {} | b |\n|---|---|\n| c | d |", "# {}\n\nx", "<think>\n{}\n</think>\n\n", "**{}**\n"),
)
ALONE = (
    *("&amp;", "&lt;b&gt;", "&nbsp;", "&#39;", "<br>", "</think>", "-", "\u2013", "\u2014", "--"),
    *("---", "***", "___", "===", "~~~", '"', "'", "`", "``", "''", "\u201d", '"""', "|", "<", ">"),
    *("...", "..", "....", ". . .", "\u2026", "!!!", "?!", ":-)", "<3", "&", "&&", "()", "\u241e"),
    *("\U0001f600", "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea"),
    *("\U0001f44d\U0001f3fd", "\u2764\ufe0f", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"),
    *("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u00ad", "e\u0301", "\ufb01", "\uff57"),
    *("don't", "cannot", "gonna", "10am", "3.5", "#tag", "@user", "http://a.b/c?d=e&f=g", "C:\\d"),
    *("snake_case", "__init__", "2*3*4", "it*", "_it", "U.S.", "Dr. No", "etc. It", "\x00", "\x1c"),
    *("\u2028", "\x85", "a\tb", "a\u00a0b", '"He said "yes" to me."', "\\n", "\u4e2d\u6587\u3002"),
)
SNIPPETS = [*(pattern.replace("{}", "it") for pattern in WRAPPED), *ALONE]
PLACES = (
    "{} He go home. She like it.",
    "He go {} home. She like it.",
    "He go home. She like it. {}",
    "He go home.\n{}\nShe like it.",
)
TEXTS = [place.replace("{}", snippet) for snippet in SNIPPETS for place in PLACES]


def sentences_of(text: str) -> list[Sentence]:
    return list(split_documents([RawDocument("", text)], treebank_tokens))


def lines_of(sentences: list[Sentence]) -> list[str]:
    return [str(sentence) for sentence in sentences]


def aligned(text: str, sources: list[Sentence]) -> list[str]:
    return [str(one) for one in align_system("same", [text], sources).hypotheses]


def correct(text: str) -> str:
    return text.replace("He go", "He goes").replace("She like", "She likes")


def test_untouched_snippets_stay_next_to_corrections() -> None:
    for text in TEXTS:
        sources = sentences_of(text)
        expected = [correct(line) for line in lines_of(sources)]
        assert aligned(correct(text), sources) == expected, text
        assert aligned(text, sources) == lines_of(sources), text


def written(folder: Path, form: str) -> tuple[Path, Path, dict[str, object]]:
    """Return a source, a system that copies it, and the options that read them."""
    texts = [text for text in TEXTS if not {*text} & {"\x00", "\x1c", "\x85", "\u2028"}]
    if form == "tokenize":
        lines = "".join(f"{line}\n" for text in texts for line in text.split("\n") if line)
        (folder / "source.txt").write_text(lines, encoding="utf-8")
        return folder / "source.txt", folder / "source.txt", {"tokenize": True}
    if form == "multigec":
        body = "".join(f"### essay_id = {n}\n{text}\n\n" for n, text in enumerate(texts))
        (folder / "source.md").write_text(body, encoding="utf-8")
        return folder / "source.md", folder / "source.md", {"align": True}
    rows = "".join(json.dumps({"id": str(n), "text": t}) + "\n" for n, t in enumerate(texts))
    (folder / "source.jsonl").write_text(rows, encoding="utf-8")
    if form == "jsonl":
        return folder / "source.jsonl", folder / "source.jsonl", {"align": True}
    sentences = [one for text in texts for one in sentences_of(text) if "|||" not in str(one)]
    blocks = "".join(
        f"S {one}\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n" for one in sentences
    )
    (folder / "gold.m2").write_text(blocks, encoding="utf-8")
    (folder / "raw.json").write_text(json.dumps([one.text for one in sentences]))
    return folder / "gold.m2", folder / "raw.json", {"align": True}


@pytest.mark.parametrize("form", ["jsonl", "multigec", "tokenize", "m2"])
def test_a_copy_of_the_source_has_no_edit(tmp_path: Path, form: str) -> None:
    """Source, reference and system are the same text, so TP, FP and FN are 0."""
    source, system, options = written(tmp_path, form)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redink.RedinkWarning)
        if form == "m2":
            table = redink.score(source, {"same": system}, metrics="errant", **options)
        else:
            table = redink.score(
                source=source,
                references=[source],
                systems={"same": system},
                metrics="errant",
                **options,
            )
    assert [(row["tp"], row["fp"], row["fn"]) for row in table.rows] == [(0, 0, 0)]


PIECES = st.one_of(
    st.sampled_from(SNIPPETS),
    st.sampled_from(["He go", "home", "I", "yes", ".", "?", ",", "\n", "\n\n", "1.", "2."]),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=4),
)
ANY_TEXT = st.lists(PIECES, min_size=1, max_size=12).flatmap(
    lambda pieces: st.sampled_from(["", " "]).map(lambda between: between.join(pieces))
)


@given(ANY_TEXT)
def test_any_text_is_its_own_copy(text: str) -> None:
    """The sentences of a source are found unchanged in the text from which they were split."""
    sources = sentences_of(text)
    if sources:
        assert aligned(text, sources) == lines_of(sources)


@given(st.lists(ANY_TEXT, min_size=2, max_size=5), st.data())
def test_an_untouched_line_gets_no_edit(texts: list[str], data: st.DataObject) -> None:
    lines = [" ".join(text.split()) or "x" for text in texts]
    sources = [Sentence.from_text(line, treebank_tokens(line)) for line in lines]
    changed = data.draw(st.sampled_from(range(len(lines))))
    answers = [f"{line} indeed" if n == changed else line for n, line in enumerate(lines)]
    found = align_system("x", answers, sources).hypotheses
    for number, source in enumerate(sources):
        if number != changed:
            assert found[number].tokens == source.tokens
