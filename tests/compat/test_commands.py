"""The drop-in commands print what the originals print, byte for byte, and leave as they do."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import errant
import pytest
from errant.commands import compare_m2, m2_to_m2, parallel_to_m2
from errant.en import classifier
from tests.compat.pipelines import spacy_pipeline
from tests.scoring.corpora import hypotheses_of_edits

from redink.analysis.english.word_forms import default_lexicon
from redink.compat.installation import COMMANDS
from redink.formats.m2 import read_m2
from redink.model import Corpus, References
from redink.scoring.errant import Errant

GOLDEN = Path(__file__).parents[1] / "golden"
MODES = {
    "correction": [],
    "gold-reference": [],
    "detection-span": ["-ds"],
    "detection-token": ["-dt"],
    "correction-typed": ["-cse"],
    "operation": ["-cat", "1"],
    "main-type": ["-cat", "2"],
    "full-type": ["-cat", "3"],
    "by-operation": ["-cat", "1"],
    "by-type": ["-cat", "2"],
    "by-full": ["-cat", "3"],
    "single": ["-single"],
    "multi": ["-multi"],
    "beta1": ["-b", "1"],
    "detection-span-type": ["-ds", "-cat", "3"],
    "detection-token-type": ["-dt", "-cat", "2"],
    "token-by-full": ["-dt", "-cat", "3"],
}
FILTERED = ["-filt", "R:SPELL", "M:PUNCT"]


def run(capsys: pytest.CaptureFixture[str], name: str, *words: object) -> tuple[str, int]:
    module, _, function = COMMANDS[name][0].partition(":")
    capsys.readouterr()
    try:
        code = getattr(import_module(module), function)([str(word) for word in words])
    except SystemExit as leaving:
        code = leaving.code
    return capsys.readouterr().out, code


def write_pair(folder: Path, hyp: str, ref: str) -> list[object]:
    """Write a system's and a reference file, and return the arguments for them."""
    for name, text in (("hyp", hyp), ("ref", ref)):
        (folder / name).write_text(text, encoding="utf-8")
    return ["-hyp", folder / "hyp", "-ref", folder / "ref"]


def load_cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((GOLDEN / name).read_text(encoding="utf-8"))["cases"]
    return found


def run_original(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    program: Any,
    *words: object,
) -> str:
    capsys.readouterr()
    monkeypatch.setattr(sys, "argv", ["program", *map(str, words)])
    program.main()
    return capsys.readouterr().out


# ---- errant_compare


@pytest.mark.parametrize("system", ["AMU", "CAMB", "NTHU", "UFC"])
def test_errant_compare_prints_what_was_recorded(
    system: str, shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every mode on CoNLL-2014, every recorded system."""
    edits = shared / "oracles" / "errant-2.3.3"
    every = sorted((shared / "oracles" / "errant-compare").glob(f"{system}.*.txt"))
    assert len(every) == 14
    for recorded in every:
        mode = recorded.name.split(".")[1]
        reference = edits / "references.m2"
        if mode == "gold-reference":
            reference = shared / "data" / "conll14" / "official-2014.combined.m2"
        options = MODES.get(mode, ["-filt", "R:SPELL", "R:ORTH", "M:PUNCT"])
        files = ["-hyp", edits / f"{system}.m2", "-ref", reference]
        printed, code = run(capsys, "errant_compare", *files, *options)
        assert printed == recorded.read_text(encoding="utf-8"), mode
        assert code == 0


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the original leaves files open
def test_errant_compare_is_verbose_as_the_original(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All modes with -v on odd little corpora, against ERRANT 3.0.2 run here."""
    for number, case in enumerate(load_cases("errant-compare.json")):
        files = write_pair(tmp_path, case["system"], case["reference"])
        for more in (["-v"], ["-v", "-multi", "-b", "2"], ["-filt", "noop", "R:NOUN", "-v"]):
            mode = list(MODES)[number % len(MODES)]
            words = [*files, *MODES[mode], *more]
            theirs = run_original(capsys, monkeypatch, compare_m2, *words)
            assert run(capsys, "errant_compare", *words) == (theirs, 0)


def test_errant_compare_on_random_corpora(
    shared: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Every second of 300 random pairs of M2 texts, as recorded."""
    with gzip.open(shared / "oracles" / "errant-compare" / "random-cases.json.gz") as stream:
        cases = json.load(stream)
    for case in cases[::2]:
        files = write_pair(tmp_path, case["hyp"], case["ref"])
        options = MODES.get(case["mode"], FILTERED)
        assert run(capsys, "errant_compare", *files, *options)[0] == case["printed"]


def test_errant_compare_counts_as_the_metric_does(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The command counts on lines of files, the metric on values: both give the same figures."""
    for case in load_cases("errant-compare.json")[::3]:
        files = write_pair(tmp_path, case["system"], case["reference"])
        printed, _ = run(capsys, "errant_compare", *files, "-ds")
        references = References(Corpus(tuple(read_m2(tmp_path / "ref"))))
        metric = Errant(level="detection-span")
        corpus = Corpus(tuple(read_m2(tmp_path / "hyp")))
        counted = metric.collect(references, hypotheses_of_edits(corpus))
        [row] = metric.rows(counted)
        assert printed.splitlines()[3].split("\t")[:3] == [str(row[k]) for k in ("tp", "fp", "fn")]


def test_the_codes_of_bad_input_are_those_of_the_original(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A crash there is exit code 1 and a sentence here; wrong usage is 2, and 255 for m2scorer."""
    one, two = tmp_path / "one.m2", tmp_path / "two.m2"
    one.write_text("S a\n\n", encoding="utf-8")
    two.write_text("S a\n\nS b\n\nS c\n\n", encoding="utf-8")
    for code, *words in (
        (1, "errant_compare", "-hyp", one, "-ref", two),
        (1, "errant_compare", "-hyp", one, "-ref", tmp_path / "none"),
        (2, "errant_compare", "-hyp", one),
        (2, "errant_compare", "-hyp", one, "-ref", one, "-cat", "4"),
        (255, "m2scorer"),
        (1, "m2scorer", "--bogus"),
        (1, "m2scorer", one, two),
        (2, "compute_gleu", "-s", one),
        (1, "compute_gleu", "-s", one, "-o", one, "-r"),
        (1, "gleu", "-s", one, "-r", one, "-o", two),
    ):
        assert run(capsys, str(words[0]), *words[1:]) == ("", code)
    words = ["-s", one, "-o", one, "-r", one, "-n", "-1"]
    assert run(capsys, "compute_gleu", *words) == ("one.m2\n", 1)


@pytest.mark.parametrize("short", ["-lev", "-le", "-l"])
def test_short_options_mean_what_they_mean_there(short: str) -> None:
    """``-l`` is short for ``-lev`` in the original, and stays so beside ``-lang``."""
    words = ["-orig", "a", "-cor", "b", "-out", "c", short]
    options = import_module("redink.compat.errant_annotate").parallel_parser().parse_args(words)
    assert options.lev
    assert options.lang == "en"


# ---- m2scorer, compute_gleu, gleu


@pytest.mark.parametrize("name", ["printed-python2", "printed-gleu"])
def test_all_that_is_printed(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verbose output and every sentence, as the original programs printed them."""
    monkeypatch.chdir(tmp_path)
    for case in load_cases(f"{name}.json"):
        for file, text in case["files"].items():
            Path(file).write_text(text, encoding="utf-8")
        printed, code = run(capsys, *case["command"])
        assert code == 0, case["id"]
        if "--very_verbose" in case["command"]:  # only the scores are as there
            assert printed.splitlines()[-3:] == case["printed"].splitlines()[-3:], case["id"]
        elif case["command"][0] == "m2scorer":
            assert figures(printed) == figures(case["printed"]), case["id"]
        else:
            assert printed == case["printed"], case["id"]


def figures(printed: str) -> list[str]:
    """All that m2scorer prints, but how it found edits, and the u of Python 2's texts."""
    known = ("SOURCE", "HYPOTHESIS", "GOLD", "CORRECT", "#", "p", "r", "f_", "P", "R", "F_", ">>")
    lines = [line for line in printed.splitlines() if line.startswith(known)]
    return [re.sub(r"\bu(?=['\"])", "", line) for line in lines]


@pytest.mark.parametrize("system", ["AMU", "UFC"])
def test_m2scorer_prints_what_was_recorded(
    system: str, shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """CoNLL-2014 as the official scorer printed it."""
    folder = shared / "data" / "conll14"
    files = [folder / "systems" / f"{system}.txt", folder / "official-2014.combined.m2"]
    recorded = (shared / "oracles" / "m2scorer" / f"{system}.txt").read_text(encoding="utf-8")
    assert run(capsys, "m2scorer", *files) == (recorded, 0)


def test_m2scorer_in_other_languages(
    shared: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """German, Czech, Ukrainian and Estonian, with every set of options that was recorded."""
    folder = shared / "oracles" / "languages" / "m2scorer"
    for case in json.loads((folder / "printed.json").read_text(encoding="utf-8")):
        if case["scorer"] != "m2scorer 3.2" or case["system"] != "noisy":
            continue
        system = folder / f"{case['language']}.{case['system']}.txt.gz"
        gold = folder / f"{case['language']}.gold.m2.gz"
        printed, code = run(capsys, "m2scorer", *case["options"], system, gold)
        assert (printed, code) == (case["printed"], case["exit"])


def test_a_block_of_several_sentences(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.m2", tmp_path / "system.txt"
    edit = "|||X|||{}|||REQUIRED|||-NONE-|||{}\n"
    edits = "A 1 2" + edit.format("x", 0) + "A 3 4" + edit.format("e", 3)
    gold.write_text(f"S a b\nS c d\n{edits}I of no meaning\n\n", encoding="utf-8")
    system.write_text("a x\nc e\n", encoding="utf-8")
    printed, _ = run(capsys, "m2scorer", "-v", system, gold)
    assert "GOLD EDITS    : [(1, 2, 'b', ['x'])]\nCORRECT EDITS : [(1, 2, 'b', 'x')]" in printed
    assert "GOLD EDITS    : [(3, 4, 'd', ['e'])]\nCORRECT EDITS : []" in printed


def test_compute_gleu_prints_what_was_recorded(
    shared: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """CoNLL-2014 with both references, 500 draws."""
    folder = shared / "data" / "conll14"
    copied = tmp_path / "INPUT.txt"
    copied.write_bytes((folder / "source.txt").read_bytes())
    references = sorted((folder / "references").iterdir())
    for system in (folder / "systems" / "AMU.txt", copied):
        words = ["-s", folder / "source.txt", "-r", *references, "-o", system]
        recorded = (shared / "oracles" / "gleu" / system.name).read_text(encoding="utf-8")
        assert run(capsys, "compute_gleu", *words) == (recorded, 0)


def test_multiged_prints_what_was_recorded(
    shared: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = shared / "oracles" / "languages" / "ged"
    labels = {"silent": "c", "all": "i"}
    for case in json.loads((folder / "eval.json").read_text(encoding="utf-8")):
        language, system = case["language"], case["system"]
        if language not in {"sv", "en"}:
            continue
        truth = gzip.decompress((folder / f"{language}.reference.tsv.gz").read_bytes()).decode()
        file = folder / f"{language}.{system}.tsv.gz"
        if file.exists():
            answer = gzip.decompress(file.read_bytes()).decode()
        else:
            label = labels.get(system, "i")
            answer = "".join(
                f"{line.rpartition(chr(9))[0]}\t{label}\n" if line.strip() else "\n"
                for line in truth.splitlines()
            )
        files = write_pair(tmp_path, answer, truth)
        assert run(capsys, "multiged_eval", *files, *case["options"])[0] == case["printed"]


# ---- errant_parallel and errant_m2


@pytest.fixture
def same_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The errant package with the pipeline and the word list that come with redink."""
    load, pipeline = errant.load, spacy_pipeline()
    monkeypatch.setattr(errant, "load", lambda language: load(language, pipeline))
    monkeypatch.setattr(classifier, "spell", default_lexicon())


SOURCE = """\
This are gramamtical sentence .

I  like  it .
She enjoy to swim , but he do not .
The the end
It's a test, isn't it?
nothing here
"""
FIRST = """\
This is a grammatical sentence .
left out
I\N{NO-BREAK SPACE}like it .
She enjoys swimming , but he does not .
The end | of
It is a test, is it not?

"""
SECOND = SOURCE.replace("are", "is").replace("enjoy", "enjoys")


@pytest.mark.usefixtures("same_pipeline")
@pytest.mark.parametrize("options", [[], ["-lev", "-merge", "all-merge"], ["-tok"]])
def test_errant_parallel_writes_what_the_original_writes(
    options: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same file and the same words on the screen as ERRANT 3.0.2 with the same pipeline."""
    texts = {"orig": SOURCE, "one": FIRST, "two": SECOND + "one line more\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    words = ["-orig", tmp_path / "orig", "-cor", tmp_path / "one", tmp_path / "two", *options]
    theirs = run_original(
        capsys, monkeypatch, parallel_to_m2, *words, "-out", tmp_path / "theirs.m2"
    )
    assert run(capsys, "errant_parallel", *words, "-out", tmp_path / "ours.m2") == (theirs, 0)
    assert (tmp_path / "ours.m2").read_bytes() == (tmp_path / "theirs.m2").read_bytes()


@pytest.mark.usefixtures("same_pipeline")
@pytest.mark.parametrize(
    "options",
    [["-auto"], ["-gold"], ["-gold", "-no_min"], ["-gold", "-old_cats"], ["-auto", "-lev"]],
)
def test_errant_m2_writes_what_the_original_writes(
    options: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocks = [
        block
        for case in load_cases("m2.json")[:40:3]
        for block in case["gold"].strip().split("\n\n")
        if block.startswith("S ") and "|||noop" not in block
    ]
    gold = tmp_path / "gold.m2"
    gold.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    words = [gold, *options]
    theirs = run_original(capsys, monkeypatch, m2_to_m2, *words, "-out", tmp_path / "theirs.m2")
    assert run(capsys, "errant_m2", *words, "-out", tmp_path / "ours.m2") == (theirs, 0)
    assert (tmp_path / "ours.m2").read_bytes() == (tmp_path / "theirs.m2").read_bytes()


def test_an_unknown_language_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``-lang`` takes the languages that redink has; a wrong one leaves with 1 and no file."""
    (tmp_path / "text").write_text("a b\n", encoding="utf-8")
    files = ["-orig", tmp_path / "text", "-cor", tmp_path / "text", "-out", tmp_path / "out.m2"]
    assert run(capsys, "errant_parallel", *files, "-lang", "nowhere") == (
        "Loading resources...\n",
        1,
    )
    assert not (tmp_path / "out.m2").exists()


def test_chinese_goes_by_characters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``-lang zh`` writes what ``redink annotate --language zh`` writes."""
    (tmp_path / "one").write_text("我爱北京。\n", encoding="utf-8")
    (tmp_path / "two").write_text("我很爱北京。\n", encoding="utf-8")
    files = ["-orig", tmp_path / "one", "-cor", tmp_path / "two", "-out", tmp_path / "out.m2"]
    assert run(capsys, "errant_parallel", *files, "-lang", "zh")[1] == 0
    written = (tmp_path / "out.m2").read_text(encoding="utf-8")
    assert written.startswith("S 我 爱 北 京 。\n")
    assert "A 1 1|||M|||很|||REQUIRED|||-NONE-|||0\n" in written


# ---- starting


def test_errant_compare_starts_quickly() -> None:
    """Scripts start it once per file; with NumPy loaded it would take seven times as long."""
    code = "import sys, redink.compat.errant_compare; print(*sys.modules)"
    bare = {n: value for n, value in os.environ.items() if not n.startswith("COVERAGE_")}
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=bare
    )
    assert not {"numpy", "click", "spacy"} & set(ran.stdout.split())
