"""Weights of edits from the user's own model: PT-M2 and PT-ERRANT, UOT-ERRANT.

In UOT-ERRANT (Goto et al. 2025) edits are matched by optimal transport. The vector of an edit is
its effect on the vector of the whole sentence, and its mass is the length of that vector. Mass
that is transported from hypothesis edits to reference edits counts as right; transport is cheap
between similar vectors. Mass that is not transported is wrong on the hypothesis side and missed on
the reference side. So a correction that is similar to the annotator's counts in part.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from redink.model import Edit, Sentence, apply_edits
from redink.options import Limits, Positive
from redink.scoring.count_metric import EditComparison, WeighedEdits, WeightOptions
from redink.scoring.edit_weighting import SimilarityWeights
from redink.scoring.metric import FloatArray
from redink.scoring.model_runner import Model
from redink.statistics.arrays import divide_or_nan

_MOST_ROUNDS = 1000
_CLOSE_ENOUGH = 1e-6
_TOO_LARGE = 1e5
_TINY = 1e-16


@dataclass(frozen=True, kw_only=True)
class Transport(WeightOptions):
    """Optimal transport between the edits of hypothesis and reference.

    Attributes:
        cost: distance between two vectors.
        mass: mass of an edit: the length of its vector (``norm``), or equal for all edits of a
            sentence (``uniform``).
        vectorize: effect of an edit: on the corrected sentence, by reverting only this edit
            (``ref-remove``); or on the source, by applying only this edit (``src-add``).
        reg: weight of the entropy: higher values spread the transport more.
        reg_m: weight of the mass that is not transported: higher values leave less.
    """

    cost: Literal["euclidean", "cosine"] = "euclidean"
    mass: Literal["norm", "uniform"] = "norm"
    vectorize: Literal["ref-remove", "src-add"] = "ref-remove"
    reg: Annotated[float, Limits(0, low_open=True)] = 0.1
    reg_m: Annotated[float, Limits(0, low_open=True)] = 0.1

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return a vector for every text."""

    def weigh(self, comparisons: Sequence[EditComparison]) -> list[WeighedEdits]:
        sides = [(c.source, edits) for c in comparisons for edits in (c.ours, c.theirs)]
        vectors = self._vectors(sides)
        masses = [self._mass(each) for each in vectors]
        costs = [
            distances(ours, theirs, self.cost) if len(ours) and len(theirs) else None
            for ours, theirs in zip(vectors[::2], vectors[1::2], strict=True)
        ]
        jobs = [
            (masses[2 * place], masses[2 * place + 1], cost)
            for place, cost in enumerate(costs)
            if cost is not None
        ]
        plans = iter(transport(jobs, reg=self.reg, reg_m=self.reg_m))
        result = []
        for ours, theirs, cost in zip(masses[::2], masses[1::2], costs, strict=True):
            plan = np.zeros((len(ours), len(theirs))) if cost is None else next(plans)
            right, found = plan.sum(axis=1), plan.sum(axis=0)
            result.append(
                WeighedEdits(right.tolist(), (ours - right).tolist(), (theirs - found).tolist())
            )
        return result

    def _vectors(self, sides: Sequence[tuple[Sentence, Sequence[Edit]]]) -> list[FloatArray]:
        """Return, for every sentence with edits, one row per edit."""
        texts: list[str] = []
        for source, edits in sides:
            if not edits:
                continue
            tokens = source.tokens
            if self.vectorize == "src-add":
                versions = [(), *((edit,) for edit in edits)]
            else:
                versions = [tuple(edits)]
                versions += [(*edits[:place], *edits[place + 1 :]) for place in range(len(edits))]
            texts += [" ".join(apply_edits(tokens, version)) for version in versions]
        distinct = list(dict.fromkeys(texts))
        places = {text: place for place, text in enumerate(distinct)}
        embedded = np.asarray(self.embed(distinct), dtype=np.float64) if distinct else None
        made = []
        begin = 0
        for _, edits in sides:
            if not edits or embedded is None:
                made.append(np.zeros((0, 1)))
                continue
            end = begin + len(edits) + 1
            whole, *changed = (embedded[places[text]] for text in texts[begin:end])
            made.append(whole - np.stack(changed))
            begin = end
        return made

    def _mass(self, vectors: FloatArray) -> FloatArray:
        if self.mass == "uniform":
            return np.full(len(vectors), 1 / max(len(vectors), 1))
        lengths: FloatArray = np.linalg.norm(vectors, axis=-1)
        return lengths


def distances(ours: FloatArray, theirs: FloatArray, kind: str) -> FloatArray:
    """Return the Euclidean or cosine distance of every pair of vectors."""
    if kind == "cosine":
        lengths = np.linalg.norm(ours, axis=1)[:, None] * np.linalg.norm(theirs, axis=1)
        return np.asarray(1 - divide_or_nan(ours @ theirs.T, lengths))
    return np.asarray(np.linalg.norm(ours[:, None] - theirs, axis=2))


def transport(
    jobs: Sequence[tuple[FloatArray, FloatArray, FloatArray]], *, reg: float, reg_m: float
) -> list[FloatArray]:
    """Solve entropic unbalanced optimal transport by Sinkhorn scaling (Chizat et al. 2018).

    The iterations are those of the library POT, which the published program uses, so they stop at
    the same point. Many small problems are solved together.

    Args:
        jobs: the masses on both sides, and the cost for each pair.
        reg: weight of the entropy.
        reg_m: weight of the mass that is not transported.
    """
    plans: list[FloatArray] = [np.zeros((0, 0))] * len(jobs)
    by_shape: dict[tuple[int, int], list[int]] = {}
    for place, (_, _, cost) in enumerate(jobs):
        by_shape.setdefault((cost.shape[0], cost.shape[1]), []).append(place)
    for places in by_shape.values():
        stacked = (np.stack([jobs[place][side] for place in places]) for side in range(3))
        for place, plan in zip(places, _scale(*stacked, reg=reg, reg_m=reg_m), strict=True):
            plans[place] = plan
    return plans


def _scale(
    ours: FloatArray, theirs: FloatArray, cost: FloatArray, *, reg: float, reg_m: float
) -> FloatArray:
    """Return the plans of problems of one shape, ``(problems, ours, theirs)``."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        price = cost - reg * np.log(ours[:, :, None] * theirs[:, None, :])
        power = reg_m / (reg_m + reg)
        kernel = np.exp(-price / reg)
        u, v = np.ones_like(ours), np.ones_like(theirs)
        shift_u, shift_v = np.zeros(len(ours)), np.zeros(len(ours))
        active = np.arange(len(ours))
        for round_ in range(_MOST_ROUNDS):
            old_u, old_v = u[active], v[active]
            damp_u = np.exp(-shift_u[active] / (reg + reg_m))[:, None]
            damp_v = np.exp(-shift_v[active] / (reg + reg_m))[:, None]
            reached = (kernel[active] @ old_v[:, :, None])[:, :, 0]
            new_u = (ours[active] / (reached + _TINY)) ** power * damp_u
            back = (new_u[:, None, :] @ kernel[active])[:, 0, :]
            new_v = (theirs[active] / (back + _TINY)) ** power * damp_v
            # scalings that grow too large are absorbed into the kernel
            large = (new_u > _TOO_LARGE).any(axis=1) | (new_v > _TOO_LARGE).any(axis=1)
            if large.any():
                moved = active[large]
                shift_u[moved] += reg * np.log(new_u[large].max(axis=1))
                shift_v[moved] += reg * np.log(new_v[large].max(axis=1))
                shifts = (shift_u + shift_v)[moved, None, None]
                kernel[moved] = np.exp((shifts - price[moved]) / reg)
                new_v[large] = 1.0
            broken = (back == 0).any(axis=1) | ~(
                np.isfinite(new_u).all(axis=1) & np.isfinite(new_v).all(axis=1)
            )
            u[active] = np.where(broken[:, None], old_u, new_u)
            v[active] = np.where(broken[:, None], old_v, new_v)
            done = broken
            if round_ % 10 == 0:
                change = np.abs(new_u - old_u).max(axis=1)
                largest = np.maximum(np.abs(new_u).max(axis=1), np.abs(old_u).max(axis=1))
                settled = change / np.maximum(largest, 1.0) <= _CLOSE_ENOUGH
                done = broken | (settled & (~large | (round_ == 0)))
            active = active[~done]
            if not len(active):
                break
        log_u = shift_u[:, None] / reg + np.log(u)
        log_v = shift_v[:, None] / reg + np.log(v)
        plan: FloatArray = np.exp(log_u[:, :, None] + log_v[:, None, :] - price / reg)
    return np.nan_to_num(plan)


class _ByEncoder(WeightOptions):
    """A weighting method with a model; an invalid folder is reported at once."""

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
        return {"weights": self._model.fingerprint()}


@dataclass(frozen=True)
class BertScoreWeights(_ByEncoder, SimilarityWeights):
    """How much closer to the reference an edit brings the source, by BERTScore (Gong et al. 2022).

    Attributes:
        folder: folder of an encoder, such as BERT.
        layer: layer whose vectors are compared; by default BERTScore's for the model, or the last.
        device: where the model runs.
        batch: number of sentences per batch.
        max_length: maximum number of model tokens; longer sentences are truncated.
    """

    folder: str
    layer: Positive | None = None
    device: str = "auto"
    batch: Positive = 32
    max_length: Positive = 512

    def compare(self, texts: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[float]:
        pairs = [(" ".join(ours), " ".join(theirs)) for ours, theirs in texts]
        return [float(value) for value in self._model.compare(pairs, layer=self.layer)]


@dataclass(frozen=True)
class TransportWeights(_ByEncoder, Transport):
    """Optimal transport with the mean vectors of an encoder (Goto et al. 2025).

    Attributes:
        folder: folder of an encoder, such as ELECTRA.
        device: where the model runs.
        batch: number of sentences per batch.
        max_length: maximum number of model tokens; longer sentences are truncated.
    """

    folder: str
    device: str = "auto"
    batch: Positive = 32
    max_length: Positive = 128

    def embed(self, texts: Sequence[str]) -> FloatArray:
        return self._model.embed(texts)
