"""``redink align``, and ``--align`` in the other commands."""

from __future__ import annotations

import io
import json
import random
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

import redink
from redink.cli.main import run_here

SOURCE = ["This are the first sentences .", "He do n't like it .", "It is the end ."]
RAW = "Here you are:\n\nThis is the first\nsentence. He doesn't like it.\nIt is the end."
LINES = ["This is the first sentence .", "He does n't like it .", "It is the end ."]
M2 = """S This are the first sentences .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 4 5|||R:NOUN:NUM|||sentence|||REQUIRED|||-NONE-|||0

S He do n't like it .
A 1 2|||R:VERB:SVA|||does|||REQUIRED|||-NONE-|||0

S It is the end .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "source.txt").write_text("".join(f"{line}\n" for line in SOURCE))
    (tmp_path / "gold.m2").write_text(M2)
    (tmp_path / "raw.md").write_text(RAW)
    return tmp_path


@dataclass(frozen=True)
class Ran:
    returncode: int
    stdout: str
    stderr: str


def run(*arguments: object) -> Ran:
    out, err = io.StringIO(), io.StringIO()
    with warnings.catch_warnings(), redirect_stdout(out), redirect_stderr(err):
        warnings.simplefilter("ignore", redink.RedinkWarning)
        try:
            code = run_here([str(argument) for argument in arguments])
        except redink.RedinkError as error:
            return Ran(2, out.getvalue(), str(error))
    return Ran(code, out.getvalue(), err.getvalue())


def test_lines_of_a_raw_text() -> None:
    found = redink.align(SOURCE, RAW)
    assert found.lines == LINES
    assert [row["status"] for row in found.rows] == ["added before"]


def test_several_hypotheses_have_names() -> None:
    found = redink.align(SOURCE, {"a": RAW, "b": LINES})
    assert found.texts == {"a": LINES, "b": LINES}
    with pytest.raises(redink.OptionError, match="2 hypotheses"):
        _ = found.lines


def test_moving_line_breaks_changes_no_count() -> None:
    """Whichever blanks of a system's text are line breaks: every figure of every metric stays."""
    folder = Path(redink.__file__).parent / "examples"
    chosen = random.Random(23)
    words = (folder / "eager.txt").read_text(encoding="utf-8").split()
    systems = {}
    for rate in (0.0, 0.02, 0.3, 1.0):
        breaks = ["\n" if chosen.random() < rate else " " for _ in words]
        text = "".join(part for pair in zip(words, breaks, strict=True) for part in pair)
        systems[f"rate {rate}"] = ["Here it is:", "", *text.rstrip().split("\n")]
    table = redink.score(
        folder / "gold.m2",
        systems,
        metrics=["errant", "m2", "gleu", "imeasure", "bleu"],
        align=True,
    )
    found = {
        name: [{**row, "system": ""} for row in table.rows if row["system"] == name]
        for name in systems
    }
    assert len(found["rate 0.0"]) > 4
    assert all(rows == found["rate 0.0"] for rows in found.values())


def test_what_could_not_be_aligned_is_listed() -> None:
    found = redink.align(SOURCE, "This is the first sentence. It is the end.")
    assert found.lines == [LINES[0], "", LINES[2]]
    values = ("hypothesis", 2, "missing", 0.0, "He do n't like it .", "")
    assert [tuple(row.values()) for row in found.rows] == [values]
    every = redink.align(SOURCE, RAW, all_sentences=True)
    assert every["sentence"][:3] == [1, 2, 3]


def test_the_command_writes_a_file_or_a_folder(files: Path) -> None:
    done = run("align", files / "source.txt", files / "raw.md")
    assert done.stdout.splitlines() == LINES
    done = run("align", files / "gold.m2", files / "raw.md", "-o", files / "out.txt")
    assert done.returncode == 0
    assert (files / "out.txt").read_text().splitlines() == LINES
    both = [f"a={files / 'raw.md'}", f"b={files / 'source.txt'}"]
    done = run("align", files / "source.txt", *both, "-o", files / "out", "--format", "json")
    assert (files / "out" / "a.txt").read_text().splitlines() == LINES
    assert (files / "out" / "b.txt").read_text().splitlines() == SOURCE
    assert json.loads(done.stdout)["columns"][:3] == ["system", "sentence", "status"]
    done = run("align", files / "source.txt", *both)
    assert done.returncode == 2
    assert "-o DIR" in done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        (" \n\n", "has no text to align"),
        ("S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n", "contains edits or flags"),
    ],
)
def test_bad_input_is_said_in_a_sentence(files: Path, content: str, message: str) -> None:
    (files / "bad").write_text(content)
    done = run("align", files / "source.txt", files / "bad", "-o", files / "none.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert not (files / "none.txt").exists()


def test_documents_stream_whatever_their_order(files: Path) -> None:
    source = [{"id": name, "text": f"This are {name}. He like it."} for name in "abc"]
    answers = [{"id": name, "text": f"This is {name}. He likes it."} for name in "cb"]
    for name, essays in (("source", source), ("answers", answers)):
        (files / f"{name}.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in essays))
    ours, theirs = files / "source.jsonl", files / "answers.jsonl"
    found = ["This is b .", "He likes it .", "This is c .", "He likes it ."]
    expected = ["This are a .", "He like it .", *found]
    streamed = redink.align(ours, theirs, output=files / "out.txt")
    assert streamed.lines == expected == (files / "out.txt").read_text().split("\n")[:-1]
    statuses = [(row["sentence"], row["status"]) for row in streamed.rows]
    assert statuses == [(1, "no-answer"), (2, "no-answer")]
    assert redink.align(ours, theirs).lines == expected
    assert redink.align(ours, theirs, no_answer="delete").lines == ["", "", *found]


def test_documents_are_aligned_by_their_ids(files: Path) -> None:
    essays = "### essay_id = 1\nThis are bad.\n\n### essay_id = 2\nHe like it. I go.\n\n"
    (files / "source.md").write_text(essays)
    answers = [{"id": "2", "text": "Sure!\n\nHe likes it. I went."}]
    (files / "answers.jsonl").write_text("".join(f"{json.dumps(a)}\n" for a in answers))
    found = redink.align(files / "source.md", files / "answers.jsonl")
    assert found.lines == ["This are bad .", "He likes it .", "I went ."]
    (files / "answers.jsonl").write_text('{"id": "2", "text": "A."}\n{"id": "9", "text": "B."}\n')
    with pytest.raises(redink.DataError, match="document '9'"):
        redink.align(files / "source.md", files / "answers.jsonl")


def test_an_answer_for_every_sentence(files: Path) -> None:
    first = "Corrected: **This is the first sentence.**"
    answers = [first, "He doesn't like it.", "It is the end."]
    logs = [{"choices": [{"message": {"role": "assistant", "content": a}}]} for a in answers]
    (files / "log.jsonl").write_text("".join(f"{json.dumps(log)}\n" for log in logs))
    assert redink.align(SOURCE, files / "log.jsonl").lines[1:] == LINES[1:]
    field = "choices.0.message.content"
    assert redink.align(SOURCE, files / "log.jsonl", field=field).lines[1:] == LINES[1:]
    with pytest.raises(redink.FormatError, match=r"log.jsonl:1: has no field 'answer.0'"):
        redink.align(SOURCE, files / "log.jsonl", field="answer.0")


def test_raw_sources_are_tokenized_on_request() -> None:
    found = redink.align(["This are bad, I know."], "This is bad, I know.", tokenize=True)
    assert found.lines == ["This is bad , I know ."]


@pytest.mark.parametrize("command", ["score", "compare", "detection", "report"])
def test_every_command_that_compares_can_align(files: Path, command: str) -> None:
    systems = [f"a={files / 'other.txt'}", f"b={files / 'source.txt'}"]
    more = ["-o", files / "report"] if command == "report" else []
    (files / "other.txt").write_text(" ".join(LINES))
    refused = run(command, files / "gold.m2", *systems, *more)
    assert refused.returncode == 2
    assert "Try: --align" in refused.stderr
    done = run(command, files / "gold.m2", *systems, *more, "--align", "--verbose")
    assert done.returncode == 0, done.stderr
    assert "align:yes" in done.stdout.replace("\n", " ")


def test_annotate_and_campaigns_align_too(files: Path) -> None:
    one, two = files / "source.txt", files / "raw.md"
    done = run("annotate", one, two, "--align", "-q")
    assert "A 1 2|||R:VERB:SVA|||is|||" in done.stdout
    where = files / "c.db"
    words = ("--task", "ranking", "--source", one, two, "--align", "-q")
    done = run("campaign", "create", where, *words)
    assert done.returncode == 0, done.stderr


GERMAN = ["Das ist z.B. ein Fehler.", "Er gehen nach Hause."]
GERMAN_RIGHT = ["Das ist z.B. kein Fehler.", "Er geht nach Hause."]


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """A raw source with a reference, and a system that writes a paragraph."""
    for name, lines in (("source", GERMAN), ("reference", GERMAN_RIGHT)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "system.md").write_text(f"Hier ist der Text:\n\n{' '.join(GERMAN_RIGHT)}\n")
    return tmp_path


@pytest.mark.parametrize("command", ["score", "compare", "detection", "report"])
def test_a_raw_source_is_tokenized_wherever_text_is_aligned(command: str, raw: Path) -> None:
    arguments: list[object] = ["--source", raw / "source.txt", "--reference", raw / "reference.txt"]
    systems: list[object] = [f"a={raw / 'system.md'}", f"b={raw / 'source.txt'}"]
    options = ["--tokenize", "--language", "de"]
    if command == "report":
        options += ["-o", str(raw / "out"), "--metric", "errant"]
    elif command != "detection":
        options += ["--metric", "errant", "--format", "json"]
    done = run(command, *arguments, *systems, *options)
    assert done.returncode == 0, done.stderr
    if command == "score":
        row = json.loads(done.stdout)["rows"][0]
        assert (row["tp"], row["fp"], row["fn"]) == (2, 0, 0)


def test_annotate_tokenizes_a_raw_source(raw: Path) -> None:
    options = ("--tokenize", "--language", "de", "-o", raw / "out.m2")
    done = run("annotate", raw / "source.txt", raw / "system.md", *options)
    assert done.returncode == 0, done.stderr
    written = (raw / "out.m2").read_text()
    assert "S Das ist z.B. ein Fehler .\n" in written
    assert written.count("\nA ") == 2


def test_items_of_a_campaign_are_made_of_raw_text(raw: Path) -> None:
    files = ("--source", raw / "source.txt", raw / "system.md", "-o", raw / "items.jsonl")
    options = ("--task", "edit-validity", "--tokenize", "--language", "de")
    done = run("campaign", "items", *options, *files)
    assert done.returncode == 0, done.stderr
    items = [json.loads(line) for line in (raw / "items.jsonl").read_text().splitlines()]
    assert len(items) == 2


def test_a_tokenizer_is_called_by_its_name_or_by_a_language() -> None:
    lines = ["L'acqua è buono."]
    for name, tokens in (("it", "L' acqua è buona ."), ("treebank", "L'acqua è buona .")):
        found = redink.align(lines, "L'acqua è buona.", tokenize=True, tokenizer=name)
        assert found.lines == [tokens]
    found = redink.align(["你好吗?"], {"a": ["你好嘛?"]}, tokenize=True, tokenizer="zh")
    assert found.lines == ["你 好 嘛 ?"]
    with pytest.raises(redink.OptionError, match="unknown tokenizer 'xx-yy'"):
        redink.align(lines, "L'acqua è.", tokenize=True, tokenizer="xx-yy")


def test_tokenized_references_are_not_tokenized(files: Path) -> None:
    done = run("score", files / "gold.m2", files / "raw.md", "--tokenize")
    assert done.returncode == 2
    assert "use it with --source" in done.stderr


def test_the_shape_of_a_mark_counts_where_annotators_correct_it(files: Path) -> None:
    """Curly quotation marks are the source's straight ones, unless references have such edits."""
    plain = 'S He said " no " .\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n'
    (files / "plain.m2").write_text(plain)
    curly = (
        'S He said " no " .\n'
        "A 2 3|||R:PUNCT|||\u201c|||REQUIRED|||-NONE-|||0\n"
        "A 4 5|||R:PUNCT|||\u201d|||REQUIRED|||-NONE-|||0\n\n"
    )
    (files / "curly.m2").write_text(curly)
    (files / "said.txt").write_text("Here's the text:\n\nHe said \u201cno\u201d.\n")
    for gold, counts in (("plain", (0, 0, 0)), ("curly", (2, 0, 0))):
        table = redink.score(files / f"{gold}.m2", [files / "said.txt"], metrics="m2", align=True)
        row = table.rows[0]
        assert (row["tp"], row["fp"], row["fn"]) == counts
