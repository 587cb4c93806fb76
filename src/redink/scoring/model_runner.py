"""The user's own models on disk, in the format of transformers.

The folder is checked before anything is loaded, so an invalid one is reported at once. redink
downloads nothing and runs no code that is part of a model. torch and transformers are imported
when a model is first used.

Model outputs are cached by content on disk (see :mod:`redink.cache`). A cache key consists of the
weights of the model, the kind of output and the text. If the cache folder is not writable, outputs
are cached only in the current process.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from redink.cache import MODEL_SCORES, make_key
from redink.errors import MissingExtraError, OptionError
from redink.model.counts import f_beta
from redink.scoring.metric import FloatArray

ModelKind = Literal["regression", "encoder", "language-model"]

_WANTED: dict[ModelKind, str] = {
    "regression": "a model for sequence classification with one output",
    "encoder": "an encoder, such as BERT",
    "language-model": "a left-to-right language model, such as GPT-2",
}
_LAYERS = {
    # BERTScore's default layers, by model type and number of layers
    ("bert", 12): 9,
    ("bert", 24): 18,
    ("roberta", 6): 5,
    ("roberta", 12): 10,
    ("roberta", 24): 17,
    ("distilbert", 6): 5,
    ("xlm-roberta", 12): 9,
    ("xlm-roberta", 24): 17,
}


@dataclass(frozen=True)
class Model:
    """A model in a folder, and the settings to run it.

    Attributes:
        folder: the folder of the model.
        kind: the required kind of model.
        device: ``auto`` (a GPU if there is one), ``cpu``, ``cuda``, ``cuda:1`` ...
        batch: number of texts per batch.
        max_length: maximum number of model tokens; longer texts are truncated.
    """

    folder: str
    kind: ModelKind
    device: str = "auto"
    batch: int = 32
    max_length: int = 128

    def __post_init__(self) -> None:
        self._check(_read_config(Path(self.folder)))

    def _check(self, config: dict[str, Any]) -> None:
        names = [name for name in config.get("architectures") or [] if isinstance(name, str)]
        is_right = {
            "regression": all("ForSequenceClassification" in name for name in names)
            and _outputs(config) == 1,
            "encoder": not config.get("is_encoder_decoder"),
            "language-model": all("LMHead" in name or "ForCausalLM" in name for name in names),
        }
        if not is_right[self.kind]:
            held = " and ".join(names) or str(config.get("model_type", "something else"))
            outputs = f" with {_outputs(config)} outputs" if self.kind == "regression" else ""
            raise OptionError(
                f"{self.folder} contains {held}{outputs}; expected {_WANTED[self.kind]}"
            )

    def fingerprint(self) -> str:
        """Hash the weights and the vocabulary: copies of a model have equal fingerprints."""
        return _fingerprint(self.folder, _stamp(self.folder))

    def rate(self, texts: Sequence[tuple[str, ...]]) -> FloatArray:
        """Return the regression score of each text, or of each pair of texts."""

        def make(places: list[int]) -> list[float]:
            values: list[float] = []
            for batch in self._batches(places):
                columns = zip(*(texts[at] for at in batch), strict=True)
                inputs = self._encode([list(column) for column in columns])
                values += self._run(inputs).logits.reshape(-1).tolist()
            return values

        return self._remember("rate", ["\0".join(text) for text in texts], make)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the mean of the last layer over the tokens of each text, ``(texts, size)``."""
        vectors = {text: states.mean(axis=0) for text, (states, _) in self._states(texts)}
        return np.array([vectors[text] for text in texts], dtype=np.float64)

    def compare(self, texts: Sequence[tuple[str, str]], *, layer: int | None = None) -> FloatArray:
        """Return BERTScore's F of each text and its reference, without rescaling or idf weights."""
        wanted = self.layer if layer is None else layer

        def make(places: list[int]) -> list[float]:
            tokens: dict[str, NDArray[Any]] = {}
            both = [text for at in places for text in texts[at]]
            for text, (states, is_word) in self._states(both, layer=wanted):
                inner = states[is_word]
                tokens[text] = inner / np.linalg.norm(inner, axis=1, keepdims=True)
            return [_match(*(tokens[text] for text in texts[at])) for at in places]

        keys = ["\0".join(pair) for pair in texts]
        return self._remember(f"bertscore {wanted}", keys, make)

    @property
    def layer(self) -> int:
        """Return BERTScore's default layer for the model, or the last layer."""
        config = _read_config(Path(self.folder))
        layers = int(config.get("num_hidden_layers") or config.get("n_layers") or 1)
        return _LAYERS.get((str(config.get("model_type")), layers), layers)

    def perplexities(self, texts: Sequence[str]) -> FloatArray:
        """Return the perplexity of each text after a start token; infinite if it has no tokens."""

        def make(places: list[int]) -> list[float]:
            tokenizer, _, torch = self._loaded()
            tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
            begin = tokenizer.bos_token or tokenizer.eos_token or ""
            values: list[float] = []
            for batch in self._batches(places):
                inputs = self._encode([[begin + texts[at] for at in batch]])
                logits = self._run(inputs).logits[:, :-1]
                labels, mask = inputs["input_ids"][:, 1:], inputs["attention_mask"][:, 1:]
                losses = torch.nn.functional.cross_entropy(
                    logits.transpose(1, 2), labels, reduction="none"
                )
                lengths = mask.sum(dim=1)
                means = (losses * mask).sum(dim=1) / lengths.clamp(min=1)
                infinite = torch.full_like(means, float("inf"))
                values += torch.where(lengths > 0, torch.exp(means), infinite).tolist()
            return values

        return self._remember("perplexity", texts, make)

    def _remember(
        self, question: str, texts: Sequence[str], make: Callable[[list[int]], list[float]]
    ) -> FloatArray:
        if not texts:
            return np.zeros(0)

        def in_order(places: list[int]) -> list[float]:
            # batches of texts of similar length need the least padding
            order = sorted(places, key=lambda at: len(texts[at]))
            values = dict(zip(order, make(order), strict=True))
            return [values[at] for at in places]

        about = f"{self.fingerprint()} {question} {self.max_length}"
        return remember(about, texts, in_order)

    def _batches(self, places: Sequence[int]) -> Iterator[Sequence[int]]:
        for start in range(0, len(places), self.batch):
            yield places[start : start + self.batch]

    def _encode(self, columns: Sequence[list[str]]) -> Any:
        tokenizer, model, _ = self._loaded()
        most = getattr(model.config, "max_position_embeddings", None) or self.max_length
        length = most if self.kind == "language-model" else min(self.max_length, most)
        encoded = tokenizer(
            *columns, padding=True, truncation=True, max_length=length, return_tensors="pt"
        )
        return encoded.to(model.device)

    def _run(self, inputs: Any, **more: Any) -> Any:
        _, model, torch = self._loaded()
        with torch.no_grad():
            return model(**inputs, **more)

    def _states(
        self, texts: Sequence[str], *, layer: int | None = None
    ) -> Iterator[tuple[str, tuple[NDArray[Any], NDArray[np.bool_]]]]:
        """Return the token vectors of each text, and a mask without the model's special tokens."""
        distinct = sorted(set(texts), key=len)
        for batch in self._batches(range(len(distinct))):
            tokenizer, _, _ = self._loaded()
            inputs = self._encode([[distinct[at] for at in batch]])
            out = self._run(inputs, output_hidden_states=layer is not None)
            states = out.last_hidden_state if layer is None else out.hidden_states[layer]
            special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
            for number, place in enumerate(batch):
                mask = inputs["attention_mask"][number].bool()
                ids = inputs["input_ids"][number][mask].tolist()
                is_word = np.array([each not in special for each in ids], dtype=bool)
                yield distinct[place], (states[number][mask].float().cpu().numpy(), is_word)

    def _loaded(self) -> tuple[Any, Any, Any]:
        return _load(self.folder, self.kind, self.device, _stamp(self.folder))


def _match(ours: NDArray[Any], theirs: NDArray[Any]) -> float:
    """Return F of the nearest tokens; 0 if a side has none."""
    if not len(ours) or not len(theirs):
        return 0.0
    alike = ours @ theirs.T
    precision, recall = float(alike.max(axis=1).mean()), float(alike.max(axis=0).mean())
    return f_beta(precision, recall, 1)


def _outputs(config: dict[str, Any]) -> int:
    labels = config.get("id2label")
    if isinstance(labels, dict):
        return len(labels)
    return int(config.get("num_labels", 2))


def _read_config(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise OptionError(
            f"{folder}: no such folder; a model must be a folder in the format of transformers, "
            "and redink downloads none"
        )
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise OptionError(
            f"{folder} contains no model: config.json, as saved by transformers, is missing"
        ) from None
    except (OSError, ValueError) as error:
        raise OptionError(f"{path}: invalid model configuration ({error})") from None
    if not isinstance(config, dict):
        raise OptionError(f"{path}: invalid model configuration")
    return config


def _files(folder: str) -> list[Path]:
    return sorted(path for path in Path(folder).iterdir() if path.is_file())


def _stamp(folder: str) -> tuple[tuple[str, int, int], ...]:
    """Return a value that changes when the files change."""
    stats = [(path.name, path.stat()) for path in _files(folder)]
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


@lru_cache(maxsize=16)
def _fingerprint(folder: str, stamp: Any) -> str:
    del stamp
    digest = blake2b(digest_size=16)
    for path in _files(folder):
        if path.suffix in {".json", ".txt", ".model", ".safetensors", ".bin"}:
            digest.update(path.name.encode())
            with path.open("rb") as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()


@lru_cache(maxsize=6)
def _load(folder: str, kind: ModelKind, device: str, stamp: Any) -> tuple[Any, Any, Any]:
    del stamp
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of the libraries about their own code
        try:
            import torch
            import transformers
        except ImportError as error:
            raise MissingExtraError(error.name or "transformers", "models") from None
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        classes = {
            "regression": transformers.AutoModelForSequenceClassification,
            "encoder": transformers.AutoModel,
            "language-model": transformers.AutoModelForCausalLM,
        }
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model, found = classes[kind].from_pretrained(
                folder, local_files_only=True, output_loading_info=True
            )
            where = device
            if device == "auto":
                where = "cuda" if torch.cuda.is_available() else "cpu"
            model = model.eval().to(where)
        except Exception as error:  # noqa: BLE001 (libraries raise many types for an invalid file)
            first = str(error).strip().splitlines() or [type(error).__name__]
            raise OptionError(f"{folder}: the model cannot be loaded ({first[0]})") from None
    missing = sorted(found["missing_keys"])
    if missing and kind != "encoder":
        raise OptionError(f"{folder}: the model has no weights for {missing[0]}")
    return tokenizer, model, torch


_known: dict[bytes, float] = {}
"""Model outputs of this process."""


def remember(
    about: str, texts: Sequence[str], make: Callable[[list[int]], Sequence[float]]
) -> FloatArray:
    """Return a number for every text; ``make`` computes the numbers that are not cached."""
    keys = [make_key(about, text) for text in texts]
    unknown = [key for key in dict.fromkeys(keys) if key not in _known]
    if unknown:
        _known.update(MODEL_SCORES.look_up(unknown))
        places = {key: place for place, key in enumerate(keys)}
        wanted = [places[key] for key in unknown if key not in _known]
        if wanted:
            made = dict(zip((keys[at] for at in wanted), map(float, make(wanted)), strict=True))
            _known.update(made)
            MODEL_SCORES.keep(made)
    return np.array([_known[key] for key in keys], dtype=np.float64)


def forget() -> None:
    """Clear the memory of this process but not the database on disk."""
    _known.clear()
