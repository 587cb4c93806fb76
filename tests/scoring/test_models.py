"""Metrics and weights that need a model: with tiny random models in the form of real ones."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.scoring.corpora import corpus_of, hypotheses_of_edits, hypotheses_of_text
from tests.scoring.test_weights import GOLD, OURS, TEXT

from redink.cache import MODEL_SCORES
from redink.detectors.language_model import load_shipped
from redink.errors import MissingExtraError, OptionError
from redink.model import Hypotheses, References
from redink.scoring import model_runner as loading
from redink.scoring.edit_weighting import SimilarityWeights, weighting_of
from redink.scoring.metric import Metric, interleave
from redink.scoring.model_metrics import ScribendiNgram, is_close
from redink.scoring.model_runner import Model
from redink.scoring.model_weights import Transport
from redink.scoring.specs import METRICS, free_metrics, make_metrics, parse_metric

WORDS = [*sorted({*" ".join(TEXT).split()}), "are", "a", "right", "dog", "cat", "much"]
UNKNOWN = "[UNK]"
RATINGS = ("grammer", "fluency", "meaning")
SPECS = {
    "some": "some(model={0}/some)",
    "impara": "impara(quality={0}/some/fluency,similarity={0}/encoder,threshold=.5)",
    "scribendi": "scribendi(model={0}/gpt)",
    "pt-errant": "errant(weights=pt:{0}/encoder)",
    "pt-m2": "m2(weights=pt:{0}/encoder;layer=1)",
    "uot-errant": "errant(weights=uot:{0}/encoder)",
    "uot-m2": "m2(weights=uot:{0}/encoder;cost=cosine;vectorize=src-add)",
}
OTHER = ["This are a right sentence .", "I like like dog ."]


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDINK_CACHE", str(tmp_path / "cache"))
    loading.forget()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Regressions, an encoder and a language model, saved by transformers."""
    why = "needs torch and transformers: pip install 'redink[models]'"
    torch = pytest.importorskip("torch", reason=why)
    transformers = pytest.importorskip("transformers", reason=why)
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit

    transformers.logging.disable_progress_bar()
    root = tmp_path_factory.mktemp("models")
    torch.manual_seed(7)
    kinds = {
        **{f"some/{name}": ("BertForSequenceClassification", 1) for name in RATINGS},
        "encoder": ("BertModel", 2),
        "two": ("BertForSequenceClassification", 2),
        "masked": ("BertForMaskedLM", 2),
    }
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    for name, (kind, outputs) in kinds.items():
        folder = root / name
        folder.mkdir(parents=True)
        vocabulary = folder / "vocab.txt"
        vocabulary.write_text("\n".join(marks + WORDS), encoding="utf-8")
        tokenizer = transformers.BertTokenizerFast(str(vocabulary), do_lower_case=False)
        tokenizer.save_pretrained(folder)
        config = transformers.BertConfig(
            vocab_size=len(marks) + len(WORDS),
            num_labels=outputs,
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=64,
            initializer_range=0.5,
        )
        getattr(transformers, kind)(config).save_pretrained(folder)
    end = "<|endoftext|>"
    numbers = {word: number for number, word in enumerate([end, UNKNOWN, *WORDS])}
    tokens = Tokenizer(WordLevel(numbers, unk_token=UNKNOWN))
    tokens.pre_tokenizer = WhitespaceSplit()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokens, bos_token=end, eos_token=end, unk_token=UNKNOWN
    )
    fast.save_pretrained(root / "gpt")
    config = transformers.GPT2Config(
        vocab_size=len(numbers),
        n_embd=16,
        n_layer=2,
        n_head=2,
        n_positions=64,
        bos_token_id=0,
        eos_token_id=0,
        initializer_range=0.5,
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(root / "gpt")
    return root


@pytest.fixture
def gold(tmp_path: Path) -> References:
    return References(corpus_of(GOLD, tmp_path))


@pytest.fixture
def ours(tmp_path: Path) -> Hypotheses:
    edits = hypotheses_of_edits(corpus_of(OURS, tmp_path))
    return Hypotheses("ours", hypotheses_of_text(TEXT).texts, edits.annotations)


@pytest.fixture
def other(gold: References) -> Hypotheses:
    edits = tuple(sentence.annotations[-1:] for sentence in gold.corpus.sentences)
    return Hypotheses("other", hypotheses_of_text(OTHER).texts, edits)


def published(tiny: Path, name: str, *columns: list[str]) -> Any:
    """A model's answer as the published programs ask: padded to the longest that is allowed."""
    import torch
    import transformers

    kind = "AutoModel" if name == "encoder" else "AutoModelForSequenceClassification"
    model = getattr(transformers, kind).from_pretrained(tiny / name).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny / name)
    inputs = tokenizer(
        *columns, max_length=64, padding="max_length", truncation=True, return_tensors="pt"
    )
    with torch.no_grad():
        return model(**inputs), inputs


def test_some(tiny: Path, gold: References, ours: Hypotheses) -> None:
    """Ratings from 1 to 4 become 0 to 1; meaning sees the source too."""
    metric = parse_metric(SPECS["some"].format(tiny))
    sources = [str(source) for source in gold.sources]
    raw = [published(tiny, f"some/{name}", TEXT)[0] for name in RATINGS[:2]]
    raw.append(published(tiny, "some/meaning", sources, TEXT)[0])
    ratings = np.stack([(each.logits.reshape(-1).numpy() - 1) / 3 for each in raw], axis=1)
    expected = ratings @ [0.55, 0.43, 0.02]
    rows = metric.sentence_rows(metric.collect(gold, ours))
    assert [row["score"] for row in rows] == pytest.approx(expected.tolist(), abs=1e-5)
    (row,) = metric.rows(metric.collect(gold, ours))
    assert row["score"] == pytest.approx(expected.mean(), abs=1e-5)
    assert row["meaning"] == pytest.approx(ratings[:, 2].mean(), abs=1e-5)


def test_impara(tiny: Path, gold: References, ours: Hypotheses) -> None:
    """Quality between 0 and 1, and 0 where source and hypothesis are too unlike."""
    spec = SPECS["impara"].format(tiny)
    metric = parse_metric(spec)
    logits = published(tiny, "some/fluency", TEXT)[0].logits.reshape(-1)
    expected = logits.sigmoid().tolist()
    rows = metric.sentence_rows(metric.collect(gold, ours))
    assert [row["quality"] for row in rows] == pytest.approx(expected, abs=1e-5)
    vectors = []
    for lines in ([str(source) for source in gold.sources], TEXT):
        out, inputs = published(tiny, "encoder", lines)
        mask = inputs["attention_mask"][:, :, None]
        vectors.append((out.last_hidden_state * mask).sum(dim=1) / mask.sum(dim=1))
    import torch

    alike = torch.nn.functional.cosine_similarity(*vectors).tolist()
    assert [row["similarity"] for row in rows] == pytest.approx(alike, abs=1e-5)
    strict = parse_metric(spec.replace("threshold=.5", "threshold=1"))
    (row,) = strict.rows(strict.collect(gold, ours))
    assert row["score"] == 0
    assert row["unlike"] == 2


def test_scribendi(tiny: Path, gold: References) -> None:
    """A sentence is better if its perplexity falls and it stays close; an empty one is worse."""
    import torch
    import transformers

    model = transformers.AutoModelForCausalLM.from_pretrained(tiny / "gpt").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny / "gpt")

    def perplexity(text: str) -> float:
        inputs = tokenizer(f"<|endoftext|> {text}", return_tensors="pt")
        with torch.no_grad():
            return float(torch.exp(model(**inputs, labels=inputs["input_ids"]).loss))

    sources = [str(source) for source in gold.sources]
    asked = Model(str(tiny / "gpt"), "language-model", batch=2).perplexities([*sources, *TEXT, ""])
    expected = [perplexity(text) for text in [*sources, *TEXT]]
    assert asked[:-1].tolist() == pytest.approx(expected, rel=1e-4)
    assert asked[-1] == np.inf
    metric = parse_metric(SPECS["scribendi"].format(tiny))
    rows = metric.sentence_rows(metric.collect(gold, hypotheses_of_text([TEXT[0], sources[1]])))
    assert rows[0]["score"] == (1 if expected[2] < expected[0] else -1)
    assert rows[1] == {"better": 0, "worse": 0, "same": 1, "score": 0}
    (row,) = metric.rows(metric.collect(gold, hypotheses_of_text(["", "cat cat cat cat"])))
    assert row == {"better": 0, "worse": 2, "same": 0, "score": -2}


def test_bertscore(tiny: Path) -> None:
    texts = [("This is a sentence .", "This are a sentence ."), ("I like", "I like"), ("", "I")]
    found = Model(str(tiny / "encoder"), "encoder").compare(texts, layer=2)
    vectors = []
    for text in texts[0]:
        out, inputs = published(tiny, "encoder", [text])
        inner = out.last_hidden_state[0][inputs["attention_mask"][0].bool()][1:-1].numpy()
        vectors.append(inner / np.linalg.norm(inner, axis=1, keepdims=True))
    alike = vectors[0] @ vectors[1].T
    precision, recall = alike.max(axis=1).mean(), alike.max(axis=0).mean()
    assert found[0] == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-5)
    assert found[1:].tolist() == pytest.approx([1, 0], abs=1e-6)


def test_weights_by_a_model(tiny: Path) -> None:
    """``pt`` compares texts by the model, ``uot`` takes the edits' vectors from it."""
    near = weighting_of(f"pt:{tiny}/encoder;layer=2")
    assert isinstance(near, SimilarityWeights)
    words = [(["I", "like"], ["I", "like"]), (["I"], ["dogs"])]
    same, unlike = near.compare(words)
    assert same == pytest.approx(1, abs=1e-6)
    assert unlike < 1
    carry = weighting_of(f"uot:{tiny}/encoder;mass=uniform")
    assert isinstance(carry, Transport)
    assert carry.embed(["I like", "I", "I like"]).shape == (3, 16)
    assert near.signature() == carry.signature() != {}


@pytest.mark.parametrize("name", SPECS)
def test_contract(
    name: str, tiny: Path, gold: References, ours: Hypotheses, other: Hypotheses
) -> None:
    metric = parse_metric(SPECS[name].format(tiny))
    first, second = metric.collect(gold, ours), metric.collect(gold, other)
    (row,) = metric.rows(first)
    assert set(row) == {column.name for column in metric.columns}
    values = metric.resample(first, np.array([[1.0, 1.0], [2.0, 0.0]]))[:, 0]
    twice = metric.rows(first.take(np.array([0, 0])))[0][metric.headline]
    assert values.tolist() == pytest.approx([row[metric.headline], twice])
    both = interleave(first, second)
    pick = np.tile([[1.0, 0.0], [0.0, 1.0]], (1, 2))
    expected = [metric.rows(each)[0][metric.headline] for each in (first, second)]
    assert metric.resample(both, pick)[:, 0].tolist() == pytest.approx(expected)
    assert len(metric.sentence_rows(first)) == 2
    assert all(len(value) == 32 for value in metric.signature().values())
    assert parse_metric(str(metric)) == metric


def test_scores_are_kept_by_content(
    tiny: Path, gold: References, ours: Hypotheses, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    metric = parse_metric(SPECS["some"].format(tiny))
    before = metric.rows(metric.collect(gold, ours))
    loading.forget()
    monkeypatch.setattr(loading, "_load", _fail)
    assert metric.rows(metric.collect(gold, ours)) == before
    monkeypatch.setenv("REDINK_CACHE", "off")
    assert MODEL_SCORES.path is None
    loading.forget()
    with pytest.raises(AssertionError, match="asked again"):
        metric.collect(gold, ours)
    stored = tmp_path / "cache" / "model-scores.sqlite"
    with sqlite3.connect(stored) as connection:
        assert connection.execute("SELECT COUNT(*) FROM kept").fetchone() == (6,)


def _fail(*_: Any) -> Any:
    raise AssertionError("asked again")


def test_without_a_folder_for_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file", encoding="utf-8")
    asked: list[list[int]] = []

    def make(places: list[int]) -> list[float]:
        asked.append(places)
        return [float(place) for place in places]

    monkeypatch.setenv("REDINK_CACHE", str(blocked))
    assert loading.remember("m", ["a", "b", "a"], make).tolist() == [2, 1, 2]
    assert loading.remember("m", ["b"], make).tolist() == [1]
    assert asked == [[2, 1]]
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "model-scores.sqlite").write_bytes(b"not a database" * 100)
    monkeypatch.setenv("REDINK_CACHE", str(damaged))
    assert loading.remember("m", ["c"], make).tolist() == [0]
    monkeypatch.delenv("REDINK_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert MODEL_SCORES.path == tmp_path / "redink" / "model-scores.sqlite"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert MODEL_SCORES.path == Path.home() / ".cache" / "redink" / "model-scores.sqlite"


def describe(folder: Path, **config: Any) -> Path:
    """A folder with the description of a model, and no weights."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("some", r"some needs your own model: some\(model=FOLDER\)"),
        ("impara(quality={0}/one)", r"impara\(similarity=FOLDER\)"),
        ("scribendi", r"scribendi\(model=FOLDER\)"),
        ("scribendi(model={0}/nowhere)", "nowhere: no such folder; .* downloads none"),
        ("scribendi(model={0}/empty)", "empty contains no model: config.json"),
        ("scribendi(model={0}/broken)", "invalid model configuration"),
        ("scribendi(model={0}/list)", "invalid model configuration"),
        ("scribendi(model={0}/one)", "SequenceClassification; expected a left-to-right lang"),
        (
            "impara(quality={0}/gpt,similarity={0}/gpt)",
            "LMHeadModel with 2 outputs; expected a model",
        ),
        ("impara(quality={0}/two,similarity={0}/one)", "with 2 outputs; .* with one output"),
        ("impara(quality={0}/one,similarity={0}/t5)", "T5Model; .* an encoder, such as BERT"),
        ("errant(weights=pt:{0}/t5)", "t5 contains T5Model; .* an encoder"),
        ("m2(weights=uot:{0}/nowhere)", "no such folder"),
        ("errant(weights=pt)", "expected dice"),
        ("errant(weights=uot:{0}/one;cost=none)", "cost: unknown value 'none'"),
        ("some(model={0}/half)", "fluency: no such folder"),
    ],
)
def test_a_wrong_folder_is_told_at_once(spec: str, message: str, tmp_path: Path) -> None:
    one = {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}}
    describe(tmp_path / "one", **one)
    describe(tmp_path / "half" / "grammer", **one)
    describe(tmp_path / "two", architectures=["BertForSequenceClassification"])
    describe(tmp_path / "gpt", architectures=["GPT2LMHeadModel"])
    describe(tmp_path / "t5", architectures=["T5Model"], is_encoder_decoder=True)
    (tmp_path / "empty").mkdir()
    for name, text in (("broken", "{"), ("list", "[]")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(text, encoding="utf-8")
    with pytest.raises(OptionError, match=message):
        parse_metric(spec.format(tmp_path))


def test_the_extra_is_not_installed(
    tmp_path: Path, gold: References, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe(tmp_path / "gpt", architectures=["GPT2LMHeadModel"])
    monkeypatch.setitem(sys.modules, "torch", None)
    metric = parse_metric(f"scribendi(model={tmp_path / 'gpt'})")
    with pytest.raises(MissingExtraError, match=r"pip install 'redink\[models\]'"):
        metric.collect(gold, hypotheses_of_text(TEXT))


@pytest.mark.parametrize(
    ("damage", "message"),
    [("gone", "cannot be loaded"), ("other", "cannot be loaded"), ("kind", "no weights for")],
)
def test_a_damaged_model(damage: str, message: str, tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny / "masked", folder)
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config |= {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}}
    path.write_text(json.dumps(config), encoding="utf-8")
    if damage != "kind":
        (folder / "model.safetensors").unlink()
    if damage == "other":
        (folder / "model.safetensors").write_bytes(b"x" * 99)
    with pytest.raises(OptionError, match=message):
        Model(str(folder), "regression").rate([(text,) for text in TEXT])


def test_a_device_that_is_not_there(tiny: Path) -> None:
    with pytest.raises(OptionError, match="cannot be loaded"):
        Model(str(tiny / "encoder"), "encoder", device="nowhere").embed(["I"])


def test_batches_make_no_difference(tiny: Path) -> None:
    texts = [*TEXT, *OTHER, "I", "I like"]
    one, many = (Model(str(tiny / "encoder"), "encoder", batch=size) for size in (1, 32))
    np.testing.assert_allclose(one.embed(texts), many.embed(texts), atol=1e-5)


def test_all_stands_for_metrics_that_need_no_model() -> None:
    """``--metric all`` can be run by everybody."""
    assert {"some", "impara", "scribendi", "llm"} == set(METRICS.names) - set(free_metrics())
    names = [metric.name for metric in make_metrics("all")]
    others = {"cherrant", "detection", "sari", "exact-match", "chrf", "ter"}
    assert names == [name for name in free_metrics() if name not in others]


def test_scribendi_with_the_model_that_comes_with_redink(gold: References) -> None:
    metric: Metric = parse_metric("scribendi-ngram")
    sources = [str(source) for source in gold.sources]
    good = ["This is a wrong sentence .", "I like a dog ."]
    (row,) = metric.rows(metric.collect(gold, hypotheses_of_text(good)))
    assert row == {"better": 2, "worse": 0, "same": 0, "score": 2}
    far = ["the of the .", sources[1]]
    (row,) = metric.rows(metric.collect(gold, hypotheses_of_text(far)))
    assert row == {"better": 0, "worse": 1, "same": 1, "score": -1}
    back = metric.collect(References(corpus_of_lines(good)), hypotheses_of_text(sources))
    assert metric.rows(back)[0]["score"] == -2
    assert isinstance(metric, ScribendiNgram)
    texts = [good[0], "a", ""]
    logs = load_shipped().log_probabilities([text.split() for text in texts])
    assert metric.perplexities(texts) == pytest.approx(10 ** (-logs / [7, 2, 1]))


def test_as_likely_is_not_better(gold: References, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed sentence that the model finds neither more nor less likely counts as worse."""
    metric = parse_metric("scribendi-ngram")
    alike = lambda _, texts: np.ones(len(texts))  # noqa: E731 (a model without an opinion)
    monkeypatch.setattr(type(metric), "perplexities", alike)
    sources = [str(source) for source in gold.sources]
    changed = [sources[0].replace("This", "That"), sources[1]]
    (row,) = metric.rows(metric.collect(gold, hypotheses_of_text(changed)))
    assert row == {"better": 0, "worse": 1, "same": 1, "score": -1}


def corpus_of_lines(lines: list[str]) -> Any:
    from redink.model import AnnotatedSentence, Corpus, Sentence

    return Corpus(tuple(AnnotatedSentence(Sentence.from_line(line)) for line in lines))


@pytest.mark.parametrize(
    ("source", "hypothesis"),
    [
        ("I like dogs .", "I like the dogs ."),
        ("dogs like I", "I like dogs"),
        ("Dogs, cats!", "cats dogs"),
    ],
)
def test_close(source: str, hypothesis: str) -> None:
    assert is_close(source, hypothesis, 0.8)
    assert not is_close(source, "Nobody knows why", 0.8)
    assert not is_close(source, "", 0.8)


def test_equal_models_in_different_places_have_one_fingerprint(tmp_path: Path) -> None:
    def fingerprint(name: str, weights: bytes, page: str) -> str:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(weights)
        (folder / "README.md").write_text(page)
        return Model(str(folder), "encoder").fingerprint()

    here = fingerprint("here", b"1", "a model")
    assert here == fingerprint("there", b"1", "the same model")
    assert here != fingerprint("here", b"12", "a model")


@pytest.mark.parametrize(
    ("kind", "layers", "layer"),
    [
        ("bert", 12, 9),  # bert-base-uncased
        ("bert", 24, 18),  # bert-large-uncased
        ("roberta", 6, 5),  # distilroberta-base
        ("roberta", 12, 10),  # roberta-base
        ("roberta", 24, 17),  # roberta-large
        ("distilbert", 6, 5),  # distilbert-base-uncased
        ("xlm-roberta", 12, 9),  # xlm-roberta-base
        ("xlm-roberta", 24, 17),  # xlm-roberta-large
        ("bert", 3, 3),
    ],
)
def test_the_layer_is_bertscore_s(kind: str, layers: int, layer: int, tmp_path: Path) -> None:
    config = {"model_type": kind, "num_hidden_layers": layers}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert Model(str(tmp_path), "encoder").layer == layer
