"""Weights of edits: ``errant(weights=...)``, ``m2(weights=...)``.

A weighting method is a :class:`WeightOptions`. It compares a hypothesis with one annotator and
returns how much of each edit is right, wrong or missed. Its names, with options after semicolons:

``weights.jsonl`` or ``file:PATH``
    read the weight of each edit from a file; ``;otherwise=1`` is the weight of all other edits.
``module:function`` or ``path/to/file.py:function``
    call a Python function of the source, the edit and the reference.
``dice``
    how much closer to the reference the edit by itself brings the source, by shared words.
``pt:FOLDER``
    as ``dice``, but by BERTScore with the model in the folder (PT-M2, PT-ERRANT: Gong et al. 2022).
``uot:FOLDER;cost=cosine``
    optimal transport between the edits of hypothesis and reference, with vectors from the model in
    the folder (UOT-ERRANT: Goto et al. 2025); see :mod:`redink.scoring.model_weights`.

Other packages can add methods with an entry point of the group ``redink.weights``.
"""

from __future__ import annotations

import importlib
import importlib.util
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from redink.errors import DataError, OptionError
from redink.model import Annotation, Edit, References, Sentence, apply_edits, fingerprint
from redink.options import Limits, kinds_of
from redink.registry import Registry
from redink.scoring.count_metric import (
    EditComparison,
    WeighedEdits,
    WeightFunction,
    WeightOptions,
)

WEIGHTS: Registry[Callable[..., WeightOptions]] = Registry(
    "redink.weights",
    "weighting method",
    {
        "file": "redink.scoring.edit_weighting:from_file",
        "python": "redink.scoring.edit_weighting:from_python",
        "dice": "redink.scoring.edit_weighting:Dice",
        "pt": "redink.scoring.model_weights:BertScoreWeights",
        "uot": "redink.scoring.model_weights:TransportWeights",
    },
)


def compare_edits(
    references: References,
    number: int,
    annotation: Annotation,
    *,
    ours: Sequence[Edit],
    theirs: Sequence[Edit],
    key: Callable[[Edit], Hashable],
) -> EditComparison:
    """Compare the edits of a hypothesis and of one annotator by ``key``.

    ``number`` is the index of the sentence; ``annotation`` makes the reference text; ``ours`` and
    ``theirs`` are the scored edits.
    """
    source = references.sources[number]
    our_keys, their_keys = {key(edit) for edit in ours}, {key(edit) for edit in theirs}
    return EditComparison(
        str(number + 1 if source.id is None else source.id),
        source,
        annotation.annotator,
        Sentence(apply_edits(source.tokens, annotation.edits)),
        tuple(ours),
        tuple(theirs),
        tuple(key(edit) in their_keys for edit in ours),
        tuple(key(edit) in our_keys for edit in theirs),
    )


class EditWeights(WeightOptions):
    """One weight per edit, which is completely right or wrong, found or missed."""

    @abstractmethod
    def weights(
        self, comparisons: Sequence[EditComparison]
    ) -> list[tuple[list[float], list[float]]]:
        """Return the weights of the hypothesis's edits and of the annotator's."""

    def weigh(self, comparisons: Sequence[EditComparison]) -> list[WeighedEdits]:
        result = []
        for one, (ours, theirs) in zip(comparisons, self.weights(comparisons), strict=True):
            right = [w if hit else 0.0 for w, hit in zip(ours, one.matched, strict=True)]
            wrong = [0.0 if hit else w for w, hit in zip(ours, one.matched, strict=True)]
            missed = [0.0 if hit else w for w, hit in zip(theirs, one.found, strict=True)]
            result.append(WeighedEdits(right, wrong, missed))
        return result


class SingleWeights(EditWeights):
    """Weights that depend on one edit at a time."""

    @abstractmethod
    def weight(self, comparison: EditComparison, edit: Edit) -> float:
        """Return the weight of one edit."""

    def weights(
        self, comparisons: Sequence[EditComparison]
    ) -> list[tuple[list[float], list[float]]]:
        return [
            ([self.weight(c, edit) for edit in c.ours], [self.weight(c, edit) for edit in c.theirs])
            for c in comparisons
        ]


@dataclass(frozen=True)
class ByFunction(SingleWeights):
    """The weight of an edit from a Python function."""

    function: WeightFunction

    def weight(self, comparison: EditComparison, edit: Edit) -> float:
        where = f"the edit {_described(edit)} in sentence {comparison.sentence}"
        try:
            value = self.function(str(comparison.source), edit, str(comparison.reference))
        except Exception as error:  # whatever the caller's function may raise
            raise DataError(
                f"the weight function failed at {where}: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise DataError(
                f"weights must be non-negative numbers; the function returned {value!r} for {where}"
            )
        return float(value)


@dataclass(frozen=True)
class FromFile(SingleWeights):
    """The weight of an edit from a file."""

    path: str
    known: Mapping[tuple[Any, ...], float] = field(compare=False, repr=False)
    otherwise: float | None = None

    def weight(self, comparison: EditComparison, edit: Edit) -> float:
        # the line for this edit and annotator, or the line for this edit and any annotator
        edit_of = (comparison.sentence, edit.start, edit.end, edit.correction)
        for annotator in (comparison.annotator, None):
            if (*edit_of, annotator) in self.known:
                return self.known[(*edit_of, annotator)]
        if self.otherwise is not None:
            return self.otherwise
        raise DataError(
            f"{self.path}: no weight for the edit {_described(edit)} in sentence "
            f"{comparison.sentence} (;otherwise=1 sets the weight of all such edits)"
        )

    def signature(self) -> dict[str, Any]:
        return {"weights": fingerprint(sorted(map(repr, self.known.items())))}


class SimilarityWeights(EditWeights):
    """How much an edit by itself increases the source's similarity to the reference."""

    @abstractmethod
    def compare(self, texts: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[float]:
        """Return the similarity of each text and its reference, both as tokens."""

    def weights(
        self, comparisons: Sequence[EditComparison]
    ) -> list[tuple[list[float], list[float]]]:
        wanted: list[tuple[Sequence[str], Sequence[str]]] = []
        for one in comparisons:
            edits = [*one.ours, *one.theirs]
            tokens = one.source.tokens
            texts = [tokens, *(apply_edits(tokens, [edit]) for edit in edits)] if edits else []
            wanted += [(text, one.reference.tokens) for text in texts]
        similarities = iter(self.compare(wanted))
        result = []
        for one in comparisons:
            count = len(one.ours) + len(one.theirs)
            before = next(similarities) if count else 0.0
            changes = [abs(next(similarities) - before) for _ in range(count)]
            result.append((changes[: len(one.ours)], changes[len(one.ours) :]))
        return result


@dataclass(frozen=True)
class Dice(SimilarityWeights):
    """Similarity by shared words."""

    def compare(self, texts: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[float]:
        return [dice(ours, theirs) for ours, theirs in texts]


def dice(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """Return Dice's coefficient of the words of two texts; 0 if both are empty."""
    both = len(ours) + len(theirs)
    return 2 * (Counter(ours) & Counter(theirs)).total() / both if both else 0.0


def weighting_of(given: str | Path | WeightOptions | WeightFunction) -> WeightOptions:
    """Return the weighting method for a name, a file or a function; pass one unchanged."""
    if isinstance(given, WeightOptions):
        return given
    if isinstance(given, str | Path):
        return _parse(str(given))
    return ByFunction(given)


def _parse(text: str) -> WeightOptions:
    from redink.scoring.specs import read_options

    place, *options = text.split(";")
    kind, colon, argument = place.partition(":")
    if kind not in WEIGHTS:
        if place.endswith(".jsonl"):
            kind, argument = "file", place
        elif colon:
            kind, argument = "python", place
    made = WEIGHTS.load(kind)
    arguments = [argument] if argument else []
    found = read_options(f"weights {kind}", made, options)
    for name, value in found.items():
        kinds_of(made)[name].check(name, value)
    try:
        return made(*arguments, **found)
    except TypeError:
        raise OptionError(
            f"weights={text}: expected dice, FILE.jsonl, MODULE:FUNCTION, pt:FOLDER or uot:FOLDER"
        ) from None


def from_file(path: str, *, otherwise: Annotated[float, Limits(0)] | None = None) -> WeightOptions:
    """Read weights from a file; ``otherwise`` is the weight of edits that are not in it."""
    # the reader is in a higher layer; only weight files need it
    reader = importlib.import_module("redink.formats.metric_scores")
    return FromFile(path, reader.read_edit_weights(path), otherwise)


def from_python(place: str) -> WeightOptions:
    """Load a weight function from ``module:function`` or ``file.py:function``."""
    home, _, name = place.rpartition(":")
    try:
        if home.endswith(".py"):
            spec = importlib.util.spec_from_file_location(Path(home).stem, home)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(home)
        function = getattr(module, name)
    except Exception as error:  # whatever the module may raise
        raise OptionError(f"weights={place}: the function cannot be loaded ({error})") from error
    if not callable(function):
        raise OptionError(f"weights={place}: {name} is not callable")
    return ByFunction(function)


def _described(edit: Edit) -> str:
    return f"{edit.start}-{edit.end} {edit.correction!r}"
