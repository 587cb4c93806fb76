"""A pipeline of one's own: trained from a treebank, measured, and used."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from training.pipeline.treebank import Mistakes, train_pipeline

import redink
from redink.analysis.annotation import annotate_texts
from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.universal.universal_rules import CONTENT
from redink.analysis.universal_dependencies import read_trees
from redink.cli.main import cli
from redink.errors import DataError
from redink.model import Sentence

TRAIN = Path(__file__).parents[2] / "training" / "pipeline" / "treebank.py"
NOUNS = [("bil", "bilar"), ("stol", "stolar"), ("dag", "dagar"), ("häst", "hästar")]
VERBS = ["köper", "ser", "har", "vill"]


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A language of four nouns and four verbs: vi köper en bil, vi köper bilar."""
    path = tmp_path_factory.mktemp("treebank") / "tiny.conllu"
    lines = []
    for verb in VERBS:
        for one, many in NOUNS:
            single = [(one, "NOUN", one, "Number=Sing")]
            words = [("en", "DET", "en", "Number=Sing"), *single]
            for end in (words, [(many, "NOUN", one, "Number=Plur")]):
                start = [("vi", "PRON", "vi", "Case=Nom"), (verb, "VERB", verb, "_")]
                for number, (form, pos, lemma, features) in enumerate(start + end, start=1):
                    lines.append(f"{number}\t{form}\t{lemma}\t{pos}\t_\t{features}\t0\tdep\t_\t_")
                lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def pipeline(treebank: Path) -> Path:
    folder = treebank.parent / "pipeline"
    call = [sys.executable, TRAIN, treebank, "--language", "sv", "--epochs", "15", "-o", folder]
    subprocess.run(list(map(str, call)), check=True)
    return folder


def test_it_is_measured(treebank: Path, pipeline: Path) -> None:
    table = redink.evaluate_analyzer(treebank, analyzer=f"spacy:{pipeline}", language="sv")
    row = table.rows[0]
    assert row["tokens"] == 112
    assert min(row[name] for name in ("pos", "features", "pos_and_features")) > 0.95
    assert row["lemma"] > 0.7
    assert table.signature["pipeline"].startswith("xx_sv-1.0.0+")


def test_it_types_edits(pipeline: Path) -> None:
    edits = redink.annotate(
        "vi köper bil", "vi köper bilar", language="sv", analyzer=f"spacy:{pipeline}"
    )
    assert [edit.type for edit in edits] == ["R:NOUN:NUMBER"]


def test_an_empty_treebank(tmp_path: Path) -> None:
    (tmp_path / "empty.conllu").write_text("\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"empty\.conllu contains no sentence"):
        redink.evaluate_analyzer(tmp_path / "empty.conllu", analyzer="embedded")


def test_on_the_command_line(treebank: Path, pipeline: Path) -> None:
    call = ["analyzer", "evaluate", str(treebank), "--analyzer", f"spacy:{pipeline}"]
    ran = CliRunner().invoke(cli, [*call, "--format", "csv"])
    assert ran.exit_code == 0, ran.output
    assert ran.output.startswith("treebank,tokens,pos,features,pos_and_features,lemma\n")


def test_mistakes_keep_the_analysis_true(treebank: Path) -> None:
    sentences = [tree.surface() for tree in read_trees(treebank)]
    known = {
        (form, features)
        for one in sentences
        for form, features in zip(one.tokens, one.features or (), strict=True)
    }
    mistakes = Mistakes(sentences, random.Random(1))
    faulty = [mistakes.put_into(one) for one in sentences for _ in range(20)]
    assert any("bilar" in one.tokens and "en" in one.tokens for one in faulty)
    spelt = {form for form, _ in known}
    for whole, one in zip([one for one in sentences for _ in range(20)], faulty, strict=True):
        # small words may be left out, words of content never
        assert sorted(p for p in one.pos if p in CONTENT) == sorted(
            p for p in whole.pos if p in CONTENT
        )
        assert len(one.tokens) == len(one.pos) == len(one.lemma) == len(one.features or ())
        for form, features in zip(one.tokens, one.features or (), strict=True):
            assert form not in spelt or (form, features) in known


@pytest.mark.slow
def test_swedish(shared: Path, tmp_path: Path) -> None:
    """Trained on two treebanks, at least 125 of 144 edits of SweLL name the feature people name."""
    folder = shared / "oracles" / "languages"
    names = ("sv_pud-ud-test", "sv_talbanken-ud-test", "sv_talbanken-ud-dev")
    *train, test = (folder / "treebanks" / "sv" / f"{name}.conllu.gz" for name in names)
    trees = [tree.surface() for path in train for tree in read_trees(path)]
    train_pipeline(trees, tmp_path / "sv", passes=14, seed=1, meta={"name": "sv", "version": "1"})
    row = redink.evaluate_analyzer(test, analyzer=f"spacy:{tmp_path / 'sv'}").rows[0]
    assert row["pos"] > 0.92
    assert row["features"] > 0.885
    assert row["lemma"] > 0.925
    expected = {
        "M-Gend": {"GENDER"},
        "M-Def": {"DEFINITE"},
        "M-Num": {"NUMBER"},
        "M-Case": {"CASE"},
        "M-Verb": {"MOOD", "TENSE", "VERBFORM"},
    }
    with gzip.open(
        folder / "ud-pairs" / "sv-swell.edits.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        pairs = [json.loads(line) for line in lines]
    sources, corrected = (
        [Sentence(tuple(pair[side])) for pair in pairs] for side in ("source", "target")
    )
    how = AnnotationOptions(language="sv", analyzer=f"spacy:{tmp_path / 'sv'}")
    found = annotate_texts(sources, {"corrected": corrected}, annotation_options=how)["corrected"]
    verdicts = []
    for pair, annotation in zip(pairs, found, strict=True):
        for edit in pair["edits"]:
            label, word = edit["labels"][0], (edit["source"] or [None])[0]
            single = len(edit["source"]) == len(edit["target"]) == len(edit["labels"]) == 1
            if single and label in expected:
                types = [e.type for e in annotation.edits if e.start <= word < e.end]
                changed = {name for kind in types for name in kind.split(":")[-1].split(",")}
                verdicts.append(not expected[label].isdisjoint(changed))
    assert len(verdicts) == 144
    assert sum(verdicts) >= 125
