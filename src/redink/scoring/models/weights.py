"""What edits weigh by a user's own model: PT-M2 and PT-ERRANT, UOT-ERRANT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from redink.options import Positive
from redink.scoring.metric import FloatArray
from redink.scoring.models.loading import Model
from redink.scoring.transport import Transport
from redink.scoring.weights import Nearer, WeightOptions


class _ByEncoder(WeightOptions):
    """A way of weighing with a model, whose folder is looked at as soon as it is named."""

    folder: str
    device: str
    batch: int
    max_length: int

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self._model

    @property
    def _model(self) -> Model:
        return Model(self.folder, "encoder", self.device, self.batch, self.max_length)

    def signature(self) -> dict[str, Any]:
        """The fingerprint of the model."""
        return {"weights": self._model.fingerprint()}


@dataclass(frozen=True)
class Pretrained(_ByEncoder, Nearer):
    """How much nearer to the reference an edit brings the source, by BERTScore (Gong et al. 2022).

    Attributes:
        folder: of an encoder, such as BERT.
        layer: whose vectors are compared; by default BERTScore's for such a model, or the last.
        device: where the model runs.
        batch: how many sentences go through it at once.
        max_length: sentences are cut after so many tokens of the model.
    """

    folder: str
    layer: Positive | None = None
    device: str = "auto"
    batch: Positive = 32
    max_length: Positive = 512

    def compare(self, texts: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[float]:
        """BERTScore's F."""
        pairs = [(" ".join(ours), " ".join(theirs)) for ours, theirs in texts]
        return [float(value) for value in self._model.compare(pairs, layer=self.layer)]


@dataclass(frozen=True)
class ModelTransport(_ByEncoder, Transport):
    """Optimal transport with the mean vectors of an encoder (Goto et al. 2025).

    Attributes:
        folder: of an encoder, such as ELECTRA.
        device: where the model runs.
        batch: how many sentences go through it at once.
        max_length: sentences are cut after so many tokens of the model.
    """

    folder: str
    device: str = "auto"
    batch: Positive = 32
    max_length: Positive = 128

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """The mean over the tokens of each text."""
        return self._model.embed(texts)
