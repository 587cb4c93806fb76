"""Analyzers of other makes, with models that the test makes: UDPipe and Stanza."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.analysis.language import load_analyzer
from redink.analysis.universal_dependencies import load_stanza
from redink.errors import MissingExtraError, OptionError

TREEBANK = """\
1	vi	vi	PRON	PN	Case=Nom	2	nsubj	_	_
2	sover	sova	VERB	VB	Tense=Pres	0	root	_	_
3	.	.	PUNCT	MAD	_	2	punct	_	_

1	de	de	PRON	PN	Case=Nom	2	nsubj	_	_
2	sov	sova	VERB	VB	Tense=Past	0	root	_	_
3	.	.	PUNCT	MAD	_	2	punct	_	_

"""


@pytest.mark.parametrize(
    ("name", "library"), [("stanza:sv", "stanza"), ("udpipe:x", "ufal.udpipe")]
)
def test_what_to_install(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("stanza", "ufal"):
        monkeypatch.setitem(sys.modules, module, None)
    kind = name.partition(":")[0]
    with pytest.raises(MissingExtraError, match=rf"{library}.*pip install 'redink\[{kind}\]'"):
        load_analyzer(name)


@pytest.fixture(scope="module")
def udpipe_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model trained on two sentences by UDPipe itself."""
    udpipe: Any = pytest.importorskip("ufal.udpipe")
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(TREEBANK)
    sentences = udpipe.Sentences()
    while True:
        sentence = udpipe.Sentence()
        if not reader.nextSentence(sentence, udpipe.ProcessingError()):
            break
        sentences.append(sentence)
    model = udpipe.Trainer.train(
        "morphodita_parsito",
        sentences,
        udpipe.Sentences(),
        udpipe.Trainer.NONE,
        "iterations=3",
        udpipe.Trainer.NONE,
    )
    path = tmp_path_factory.mktemp("udpipe") / "tiny.udpipe"
    path.write_bytes(bytes(model) if isinstance(model, bytes) else model.encode("latin-1"))
    return path


def test_udpipe(udpipe_model: Path) -> None:
    analyzer = load_analyzer(f"udpipe:{udpipe_model}")
    with analyzer.analyze([("vi", "sov", "."), ()]) as batch:
        analysis, empty = batch.analyses
    assert analysis.pos == ("PRON", "VERB", "PUNCT")
    assert analysis.lemma == ("vi", "sova", ".")
    assert analysis.features == ("Case=Nom", "Tense=Past", "")
    assert len(empty) == 0
    edits = redink.annotate("vi sover .", "vi sov .", language="sv", analyzer=analyzer)
    assert [edit.type for edit in edits] == ["R:VERB:TENSE"]


def test_not_a_udpipe_model(tmp_path: Path) -> None:
    pytest.importorskip("ufal.udpipe")
    (tmp_path / "x").write_text("no model", encoding="utf-8")
    for name, reason in (("x", "it is not a model"), ("y", "there is no such file")):
        with pytest.raises(OptionError, match=reason):
            load_analyzer(f"udpipe:{tmp_path / name}")


@pytest.mark.skipif(importlib.util.find_spec("stanza") is None, reason="needs stanza")
def test_stanza_models_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path))
    with pytest.raises(OptionError, match=r"stanza\.download\('sv'\)"):
        load_analyzer("stanza:sv")


@pytest.fixture
def stanza_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tagger and a lemmatiser trained on two sentences by Stanza itself."""
    pytest.importorskip("stanza")
    from stanza.models import lemmatizer, tagger

    treebank = tmp_path / "tiny.conllu"
    treebank.write_text(TREEBANK * 4, encoding="utf-8")
    small = "--lr 0.05 --max_steps 60 --eval_interval 60 --batch_size 50 --num_layers 1 "
    small += "--hidden_dim 20 --word_emb_dim 10 --tag_emb_dim 10 --transformed_dim 10 "
    small += "--deep_biaff_hidden_dim 20 --composite_deep_biaff_hidden_dim 10 --no_pretrain "
    small += "--no_char --dropout 0 --word_dropout 0 --lang sv"
    for kind, train, options in (
        ("pos", tagger.main, small),
        ("lemma", lemmatizer.main, "--num_epoch 1 --hidden_dim 10"),
    ):
        files = f"--train_file {treebank} --eval_file {treebank} --shorthand sv_tiny"
        saved = f"--save_dir {tmp_path / 'sv' / kind} --save_name tiny.pt --cpu --mode train"
        (tmp_path / "sv" / kind).mkdir(parents=True)
        train([*files.split(), *saved.split(), *options.split()])
    chosen = {"pos": "tiny", "lemma": "tiny"}
    about: dict[str, Any] = {
        kind: {"tiny": {"md5": "", "dependencies": []}} for kind in ("pos", "lemma")
    }
    about |= {"lang_name": "Swedish", "default_processors": chosen, "default_dependencies": {}}
    resources = {"sv": {**about, "packages": {"default": chosen}}}
    (tmp_path / "resources.json").write_text(json.dumps(resources), encoding="utf-8")
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.slow
@pytest.mark.usefixtures("stanza_models")
@pytest.mark.filterwarnings("ignore")
def test_stanza() -> None:
    load_stanza.cache_clear()
    analyzer = load_analyzer("stanza:sv")
    with analyzer.analyze([("vi", "sov", "."), ()]) as batch:
        analysis, empty = batch.analyses
    assert analysis.pos == ("PRON", "VERB", "PUNCT")
    assert analysis.lemma == ("vi", "sova", ".")
    assert len(empty) == 0
    edits = redink.annotate("vi sover .", "vi sov .", language="sv", analyzer=analyzer)
    assert [edit.type for edit in edits] == ["R:VERB:TENSE"]
