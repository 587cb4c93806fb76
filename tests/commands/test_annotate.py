"""Annotating files and corpora: the original's bytes, streaming, workers, and bad input."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import errant
import pytest
from click.testing import CliRunner
from errant.commands import m2_to_m2, parallel_to_m2
from errant.en import classifier
from training.pipeline.spacy_pipeline import load_embedded

import redink
from redink.analysis.annotation import divide
from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.edit_finder import minimize
from redink.cli.main import cli
from redink.commands import annotate as annotating
from redink.errors import FormatError, OptionError, RedinkWarning

LEXICON = classifier.spell
ANNOTATE = [sys.executable, "-m", "redink", "annotate"]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("example")
    for file in resources.files("redink").joinpath("examples").iterdir():
        if file.name.endswith((".txt", ".m2")):
            (folder / file.name).write_bytes(file.read_bytes())
    return folder


@contextlib.contextmanager
def _original_with_our_pipeline(*arguments: str) -> Iterator[None]:
    annotator = errant.load("en", load_embedded())
    before, load = sys.argv, errant.load
    sys.argv = ["errant", *arguments]
    errant.load = lambda _: annotator
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        sys.argv, errant.load = before, load


def run_original_parallel(source: Path, corrected: list[Path], output: Path, *more: str) -> None:
    files = ["-orig", str(source), "-cor", *map(str, corrected), "-out", str(output)]
    with _original_with_our_pipeline(*files, *more):
        parallel_to_m2.main()


def run_original_m2(file: Path, output: Path, *more: str) -> None:
    with _original_with_our_pipeline(str(file), "-out", str(output), *more):
        m2_to_m2.main()


def assert_same_but_for_rounding(ours: Path, theirs: Path) -> None:
    """The same bytes; batches round differently, so one sentence in a hundred may differ."""
    one = ours.read_text(encoding="utf-8").split("\n\n")
    other = theirs.read_text(encoding="utf-8").split("\n\n")
    assert len(one) == len(other)
    differing = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    assert len(differing) <= len(one) // 100, differing


def test_two_sentences() -> None:
    edits = redink.annotate("This are wrong .", "This is wrong .")
    assert [(e.start, e.end, e.correction, e.type, e.rule) for e in edits] == [
        (1, 2, "is", "R:VERB:SVA", "verb-agreement")
    ]
    assert redink.annotate("The same .", "The same .") == ()


def test_a_file_is_no_sentence(example: Path) -> None:
    with pytest.raises(OptionError, match="annotate_files"):
        redink.annotate(str(example / "source.txt"), str(example / "careful.txt"))


@pytest.mark.parametrize("more", [[], ["-lev"], ["-merge", "all-merge"]], ids=str)
def test_parallel_text_as_the_original(example: Path, tmp_path: Path, more: list[str]) -> None:
    most = 20 if more else None  # all of them once
    source, *corrected = (tmp_path / name for name in ("source.txt", "careful.txt", "eager.txt"))
    for path in (source, *corrected):
        lines = (example / path.name).read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[:most]), encoding="utf-8")
    run_original_parallel(source, corrected, tmp_path / "theirs.m2", *more)
    redink.annotate_files(
        source,
        corrected,
        tmp_path / "ours.m2",
        lexicon=LEXICON,
        levenshtein="-lev" in more,
        merge="all-merge" if "all-merge" in more else "rules",
    )
    assert_same_but_for_rounding(tmp_path / "ours.m2", tmp_path / "theirs.m2")


def test_odd_lines_as_the_original(tmp_path: Path) -> None:
    """Empty lines and an empty correction give the original's bytes, spaces that differ a noop."""
    source, corrected = tmp_path / "source", tmp_path / "corrected"
    source.write_text("A  cat .\n\nThe dog .\nThe end .\n  spaced out . \nNothing left .\n")
    corrected.write_text("A cat .\nx\nThe  dog .\nthe end .\nspaced out .\n\n")
    run_original_parallel(source, [corrected], tmp_path / "theirs.m2")
    with pytest.warns(RedinkWarning, match="1 lines without a source"):
        redink.annotate_files(source, corrected, tmp_path / "ours.m2", lexicon=LEXICON)
    ours, theirs = (
        (tmp_path / name).read_text().split("\n\n") for name in ("ours.m2", "theirs.m2")
    )
    noop = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"
    differing = [(one, other) for one, other in zip(ours, theirs, strict=True) if one != other]
    assert differing == [(f"S The dog .\n{noop}", "S The dog .")]


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("space", ["  ", "\N{NO-BREAK SPACE}", "\N{IDEOGRAPHIC SPACE}"])
def test_an_annotator_who_changes_only_whitespace_has_a_noop_line(
    tmp_path: Path, space: str, *, fixed: bool
) -> None:
    """Such an annotator has seen the sentence; otherwise one of two would count as absent."""
    paths = [tmp_path / name for name in ("source", "first", "second")]
    texts = ("The dog barks .\n", f"The{space}dog barks .\n", "The dog barked .\n")
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    table = redink.annotate_files(paths[0], paths[1:], tmp_path / "out.m2", fixed=fixed)
    lines = (tmp_path / "out.m2").read_text().splitlines()
    assert lines[1] == "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"
    assert [row["sentences"] for row in table.rows] == [1, 1]


GOLD = """\
S This are a wrong sentence here .
A 1 2|||X|||is|||REQUIRED|||-NONE-|||0
A 2 5|||X|||a right sentence|||REQUIRED|||-NONE-|||0
A 5 6|||Um||||||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
A 3 3|||UNK|||?|||REQUIRED|||-NONE-|||2
A 1 3|||X|||was|||REQUIRED|||-NONE-|||10

S The cat sat .
A 0 2|||X|||The cat|||REQUIRED|||-NONE-|||0

S I go to home .
A 1 3|||X|||went|||REQUIRED|||-NONE-|||0
A 2 4|||X|||home|||REQUIRED|||-NONE-|||0

"""


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"edits": "auto"}, ["-auto"]),
        ({"edits": "gold"}, ["-gold"]),
        ({"edits": "gold", "minimize": False}, ["-gold", "-no_min"]),
        ({"edits": "gold", "keep_types": True}, ["-gold", "-old_cats"]),
        ({"edits": "auto", "merge": "all-split"}, ["-auto", "-merge", "all-split"]),
    ],
    ids=str,
)
def test_m2_as_the_original(tmp_path: Path, ours: dict[str, Any], theirs: list[str]) -> None:
    """Marks without correction, noop, overlapping edits, ten annotators: the original's bytes."""
    gold = tmp_path / "gold.m2"
    gold.write_text(GOLD)
    run_original_m2(gold, tmp_path / "theirs.m2", *theirs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedinkWarning)  # the reader says that edits overlap
        redink.annotate_m2(gold, tmp_path / "ours.m2", lexicon=LEXICON, **ours)
    assert (tmp_path / "ours.m2").read_text() == (tmp_path / "theirs.m2").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("edits", ["auto", "gold"])
def test_official_gold_as_the_original(shared: Path, tmp_path: Path, edits: Any) -> None:
    official = shared / "data" / "conll14" / "official-2014.combined.m2"
    blocks = official.read_text(encoding="utf-8").split("\n\n")[:90]
    gold = tmp_path / "gold.m2"
    gold.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    run_original_m2(gold, tmp_path / "theirs.m2", f"-{edits}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedinkWarning)
        redink.annotate_m2(gold, tmp_path / "ours.m2", edits=edits, lexicon=LEXICON)
    assert_same_but_for_rounding(tmp_path / "ours.m2", tmp_path / "theirs.m2")


def test_fixed_sorts_annotators_and_skips_overlaps(tmp_path: Path) -> None:
    """Fixed: annotator 2 before 10, an overlapping edit changes nothing, no effect is a noop."""
    gold = tmp_path / "gold.m2"
    gold.write_text(GOLD)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedinkWarning)
        corpus = redink.annotate_corpus(gold, fixed=True)
    first, second, third = corpus.sentences
    assert [a.annotator for a in first.annotations] == ["0", "1", "2", "10"]
    assert [a.edits for a in second.annotations] == [()]
    edits = third.annotations[0].edits
    assert redink.apply_edits(third.source.tokens, edits) == ("I", "went", "home", ".")


def test_corpus_in_memory_is_the_file(example: Path, tmp_path: Path) -> None:
    redink.annotate_m2(example / "gold.m2", tmp_path / "gold.m2", edits="auto")
    written = redink.read_corpus(tmp_path / "gold.m2")
    made = redink.annotate_corpus(example / "gold.m2", edits="auto")
    of_file, of_function = (
        [
            [[(e.start, e.end, e.correction, e.type) for e in a.edits] for a in s.annotations]
            for s in corpus.sentences
        ]
        for corpus in (written, made)
    )
    assert of_file == of_function


def test_summary_and_signature(example: Path, tmp_path: Path) -> None:
    table = redink.annotate_files(
        example / "source.txt", [example / "careful.txt", example / "source.txt"], tmp_path / "o"
    )
    assert [row["file"] for row in table.rows] == ["careful.txt", "source.txt"]
    assert table.rows[0]["edits"] > 10
    assert table.rows[1]["edits"] == table.rows[1]["changed"] == 0
    assert table.signature["analyzer"] == "embedded"
    assert table.signature["pipeline"].startswith("en_redink-")


def test_chunks_change_nothing(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = (example / "source.txt", [example / "eager.txt"])
    redink.annotate_files(*arguments, tmp_path / "whole.m2")
    monkeypatch.setattr(annotating, "CHUNK_WORDS", 50)
    redink.annotate_files(*arguments, tmp_path / "parts.m2")
    assert_same_but_for_rounding(tmp_path / "parts.m2", tmp_path / "whole.m2")


def test_a_job_is_divided_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little work stays with one process, some is divided among all, much goes as it comes."""
    monkeypatch.setattr("redink.analysis.annotation._WORTH_A_WORKER", 10)
    one_each = [[1] * 5, [1] * 5, [1] * 3]
    divided, workers = divide(one_each, int, 4)
    assert ([*divided], workers) == (one_each, 1)
    divided, workers = divide([[1] * 30, [1] * 10], int, 3)
    assert ([len(part) for part in divided], workers) == ([7, 7, 7, 7, 7, 5], 3)
    divided, workers = divide(iter([[1]] * 9), int, 4)
    assert ([*divided], workers) == ([[1]] * 9, 4)
    assert divide(one_each, int, 1) == (one_each, 1)


@pytest.mark.slow
def test_workers_change_nothing(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes give the bytes of one, in order, and the same signature.

    A job of many chunks is shared as it is, one of few is divided.
    """
    arguments = (example / "source.txt", [example / "eager.txt"])
    for words, least in ((300, 100_000), (100_000, 300)):
        monkeypatch.setattr(annotating, "CHUNK_WORDS", words)
        monkeypatch.setattr("redink.analysis.annotation._WORTH_A_WORKER", least)
        alone = redink.annotate_files(*arguments, tmp_path / "one.m2")
        with monkeypatch.context() as here:
            here.setattr("redink.commands.annotate.annotate_chunk", None)  # nothing is done here
            shared = redink.annotate_files(*arguments, tmp_path / "two.m2", workers=2)
        assert shared == alone
        assert (tmp_path / "one.m2").read_bytes() == (tmp_path / "two.m2").read_bytes()


def test_files_must_match(tmp_path: Path) -> None:
    (tmp_path / "source").write_text("a .\nb .\n")
    (tmp_path / "corrected").write_text("A .\n")
    with pytest.raises(FormatError, match="ends after line 1"):
        redink.annotate_files(tmp_path / "source", tmp_path / "corrected", tmp_path / "out.m2")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["corrected", "source"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold.m2", "careful.txt"], "already contains edits"),
        (["source.txt"], "add the corrected text"),
        (["gold.m2", "careful.txt", "--auto"], "--auto takes one M2 file"),
        (["source.txt", "careful.txt", "--keep-types"], "require --gold"),
        (["source.txt", "--auto"], "contains no edits"),
        (["source.txt", "careful.txt", "--analyzer", "magic"], "unknown analyzer 'magic'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input(
    example: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(example)
    result = CliRunner().invoke(cli, ["annotate", *arguments, "-o", "out.m2"])
    assert result.exit_code != 0
    assert message in str(result.exception)
    assert not Path("out.m2").exists()


@pytest.mark.parametrize(
    ("words", "corrected", "left"),
    [
        ("a b", "a c", (1, 2, 1, 2)),
        ("b a", "c a", (0, 1, 0, 1)),
        ("a a", "a", (1, 2, 1, 1)),
        ("a", "a a", (1, 1, 1, 2)),
        ("a b c a", "a d a", (1, 3, 1, 2)),
        ("a b", "a b", (2, 2, 2, 2)),
    ],
)
def test_words_that_stay_are_no_part_of_an_edit(
    words: str, corrected: str, left: tuple[int, int, int, int]
) -> None:
    before, after = tuple(words.split()), tuple(corrected.split())
    assert minimize(before, after, (0, len(before), 0, len(after))) == left


@pytest.mark.parametrize(
    ("option", "usual", "other"),
    [
        ("fixed", False, True),
        ("alignments", "all", "first"),
        ("simplify", True, False),
        ("cut", "characters", "blanks"),
    ],
)
def test_the_signature_names_what_is_not_usual(option: str, usual: object, other: object) -> None:
    plain, named = (
        AnnotationOptions(language="zh", **{option: value}).signature("annotate")  # type: ignore[arg-type]
        for value in (usual, other)
    )
    assert named == {**plain, option: other}
    assert option not in plain


def test_command_line(example: Path, tmp_path: Path) -> None:
    files = example / "source.txt", example / "careful.txt"
    words = [*ANNOTATE, *files]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    redink.annotate_files(*files, tmp_path / "out.m2")
    assert done.stdout == (tmp_path / "out.m2").read_text()
    assert "annotator 0 (careful.txt):" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_interrupted_work_leaves_nothing(example: Path, tmp_path: Path, workers: int) -> None:
    for name in ("source", "eager"):
        lines = (example / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        # each another one: what is the same is annotated once
        made = (f"{line} {number}\n" for number in range(600) for line in lines)
        (tmp_path / f"{name}.txt").write_text("".join(made), encoding="utf-8")
    words = f"source.txt eager.txt -o out.m2 --workers {workers}".split()
    work = subprocess.Popen(
        [*ANNOTATE, *words],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not list(tmp_path.glob(".out.m2*")) and work.poll() is None:
        time.sleep(0.1)
    os.killpg(work.pid, signal.SIGINT)
    _, said = work.communicate()
    assert work.returncode == 130, said
    assert "interrupted" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["eager.txt", "source.txt"]


@pytest.mark.parametrize("workers", [1, 2])
def test_what_m2_cannot_carry_is_named_by_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr("redink.analysis.annotation._WORTH_A_WORKER", 100)
    source, corrected = tmp_path / "s.txt", tmp_path / "c.txt"
    source.write_text("\n" + "I has it .\n" * 60, encoding="utf-8")
    corrected.write_text("\n" + "I have it .\n" * 39 + "I | it .\n" * 21, encoding="utf-8")
    with pytest.raises(redink.FormatError) as caught:
        redink.annotate_files(source, [corrected], tmp_path / "o.m2", workers=workers)
    said = str(caught.value)
    assert said.startswith(f"{corrected}:41: M2 cannot represent the correction '|'")
    assert "-o OUT/" in said
    assert "Edit(" not in said
    assert not hasattr(caught.value, "__notes__")
    assert not (tmp_path / "o.m2").exists()
