"""Edits that weigh more or less than one another: ``errant(weights=...)``, ``m2(weights=...)``.

A way of weighing is a :class:`WeightOptions`. It sees a hypothesis and one annotator and says how
much of each edit counts as right, wrong or missed. By name, with options after semicolons:

``weights.jsonl`` or ``file:PATH``
    the weight of each edit from a file; with ``;otherwise=1`` of edits that have none there.
``module:function`` or ``path/to/file.py:function``
    from a Python function of the source, the edit and the reference.
``dice``
    how much nearer to the reference the edit alone brings the source, by shared words.
``pt:FOLDER``
    the same by BERTScore with the model in the folder (PT-M2, PT-ERRANT: Gong et al. 2022).
``uot:FOLDER;cost=cosine``
    optimal transport between the edits of both sides, with vectors from the model in the folder
    (UOT-ERRANT: Goto et al. 2025); see :mod:`redink.scoring.transport`.

Other packages add theirs by an entry point of the group ``redink.weights``.
"""

from __future__ import annotations

import importlib
import importlib.util
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from redink.errors import DataError, OptionError
from redink.model import Annotation, Edit, References, Sentence, apply_edits, fingerprint
from redink.options import Limits, Options, kinds_of
from redink.registry import Registry

WEIGHTS: Registry[Callable[..., WeightOptions]] = Registry(
    "redink.weights",
    "way of weighing edits",
    {
        "file": "redink.scoring.weights:from_file",
        "python": "redink.scoring.weights:from_python",
        "dice": "redink.scoring.weights:Dice",
        "pt": "redink.scoring.models.weights:Pretrained",
        "uot": "redink.scoring.models.weights:ModelTransport",
    },
)

READERS: Registry[Callable[[str], Mapping[tuple[Any, ...], float]]] = Registry(
    "redink.weight_files",
    "format of weights",
    {"jsonl": "redink.inputs.edit_weights:read_edit_weights"},
)
"""What reads a file of weights."""

Function = Callable[[str, Edit, str], float]
"""Source, edit and reference in, the weight of the edit out."""


class Pair(NamedTuple):
    """A hypothesis beside one annotator.

    Attributes:
        sentence: what the sentence is called: its id, or its number from 1.
        source: the sentence.
        annotator: whose edits are ``theirs``.
        reference: the text that the annotator's edits make.
        ours: the edits of the hypothesis.
        theirs: the edits of the annotator.
        matched: of each of ours, whether the annotator has it too.
        found: of each of theirs, whether the hypothesis has it too.
    """

    sentence: str
    source: Sentence
    annotator: str
    reference: Sentence
    ours: tuple[Edit, ...]
    theirs: tuple[Edit, ...]
    matched: tuple[bool, ...]
    found: tuple[bool, ...]


def make_pair(
    references: References,
    number: int,
    annotation: Annotation,
    *,
    ours: Sequence[Edit],
    theirs: Sequence[Edit],
    key: Callable[[Edit], Hashable],
) -> Pair:
    """A hypothesis beside one annotator of a sentence.

    Args:
        references: all of them.
        number: of the sentence, from 0.
        annotation: the annotator's, which makes the reference text.
        ours: those edits of the hypothesis that count.
        theirs: those of the annotator.
        key: what equal edits have in common.
    """
    source = references.sources[number]
    our_keys, their_keys = {key(edit) for edit in ours}, {key(edit) for edit in theirs}
    return Pair(
        str(number + 1 if source.id is None else source.id),
        source,
        annotation.annotator,
        Sentence(apply_edits(source.tokens, annotation.edits)),
        tuple(ours),
        tuple(theirs),
        tuple(key(edit) in their_keys for edit in ours),
        tuple(key(edit) in our_keys for edit in theirs),
    )


class Weighed(NamedTuple):
    """How much of each of our edits is right and wrong, and of each of theirs is missed."""

    right: Sequence[float]
    wrong: Sequence[float]
    missed: Sequence[float]

    @property
    def counts(self) -> list[float]:
        """TP, FP and FN."""
        return [float(sum(self.right)), float(sum(self.wrong)), float(sum(self.missed))]


class WeightOptions(Options):
    """A way of weighing edits; a frozen dataclass whose fields are its options."""

    @abstractmethod
    def weigh(self, pairs: Sequence[Pair]) -> list[Weighed]:
        """What becomes of the edits of every pair."""

    def signature(self) -> dict[str, Any]:
        """What the weights depend on besides the options: a file, a model."""
        return {}


class EditWeights(WeightOptions):
    """A weight for every edit: all of it is right or wrong, found or missed."""

    @abstractmethod
    def weights(self, pairs: Sequence[Pair]) -> list[tuple[list[float], list[float]]]:
        """The weights of our edits and of theirs."""

    def weigh(self, pairs: Sequence[Pair]) -> list[Weighed]:
        """An edit that both sides have is right, one that only we have wrong."""
        result = []
        for pair, (ours, theirs) in zip(pairs, self.weights(pairs), strict=True):
            right = [w if hit else 0.0 for w, hit in zip(ours, pair.matched, strict=True)]
            wrong = [0.0 if hit else w for w, hit in zip(ours, pair.matched, strict=True)]
            missed = [0.0 if hit else w for w, hit in zip(theirs, pair.found, strict=True)]
            result.append(Weighed(right, wrong, missed))
        return result


class SingleWeights(EditWeights):
    """Weights that are found one by one."""

    @abstractmethod
    def weight(self, pair: Pair, edit: Edit) -> float:
        """The weight of one edit."""

    def weights(self, pairs: Sequence[Pair]) -> list[tuple[list[float], list[float]]]:
        """Each edit by itself."""
        return [
            ([self.weight(p, edit) for edit in p.ours], [self.weight(p, edit) for edit in p.theirs])
            for p in pairs
        ]


@dataclass(frozen=True)
class ByFunction(SingleWeights):
    """The weight of an edit from a Python function."""

    function: Function

    def weight(self, pair: Pair, edit: Edit) -> float:
        """What the function says, which must be a number that is not negative."""
        try:
            value = self.function(str(pair.source), edit, str(pair.reference))
        except Exception as error:  # whatever the caller's function may raise
            raise DataError(
                f"the function that weighs edits failed at the edit {_described(edit)} in sentence "
                f"{pair.sentence}: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise DataError(
                f"a weight is a number and not negative; the function gives {value!r} for the edit "
                f"{_described(edit)} in sentence {pair.sentence}"
            )
        return float(value)


@dataclass(frozen=True)
class FromFile(SingleWeights):
    """The weight of an edit from a file."""

    path: str
    known: Mapping[tuple[Any, ...], float] = field(compare=False, repr=False)
    otherwise: float | None = None

    def weight(self, pair: Pair, edit: Edit) -> float:
        """The line about the edit and the annotator, or about the edit alone."""
        edit_of = (pair.sentence, edit.start, edit.end, edit.correction)
        for annotator in (pair.annotator, None):
            value = self.known.get((*edit_of, annotator))
            if value is not None:
                return value
        if self.otherwise is not None:
            return self.otherwise
        raise DataError(
            f"{self.path}: there is no weight for the edit {_described(edit)} in sentence "
            f"{pair.sentence} (;otherwise=1 gives all such edits a weight)"
        )

    def signature(self) -> dict[str, Any]:
        """The fingerprint of the file."""
        return {"weights": fingerprint(sorted(map(repr, self.known.items())))}


class Nearer(EditWeights):
    """How much nearer to the reference, or further from it, an edit alone brings the source."""

    @abstractmethod
    def compare(self, texts: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[float]:
        """How alike each text is to its reference, both as tokens."""

    def weights(self, pairs: Sequence[Pair]) -> list[tuple[list[float], list[float]]]:
        """The difference that each edit makes, whatever its direction."""
        wanted: list[tuple[Sequence[str], Sequence[str]]] = []
        for pair in pairs:
            if pair.ours or pair.theirs:
                reference = pair.reference.tokens
                texts = [pair.source.tokens, *_each_applied(pair, (*pair.ours, *pair.theirs))]
                wanted += [(text, reference) for text in texts]
        alike = iter(self.compare(wanted))
        result = []
        for pair in pairs:
            count = len(pair.ours) + len(pair.theirs)
            before = next(alike) if count else 0.0
            changes = [abs(next(alike) - before) for _ in range(count)]
            result.append((changes[: len(pair.ours)], changes[len(pair.ours) :]))
        return result


def _each_applied(pair: Pair, edits: Iterable[Edit]) -> list[tuple[str, ...]]:
    return [apply_edits(pair.source.tokens, [edit]) for edit in edits]


@dataclass(frozen=True)
class Dice(Nearer):
    """Nearness by shared words."""

    def compare(self, texts: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[float]:
        """Dice's coefficient of the words."""
        return [dice(ours, theirs) for ours, theirs in texts]


def dice(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """How alike two texts are: twice the words in common over all words; 0 where both are empty."""
    both = len(ours) + len(theirs)
    return 2 * (Counter(ours) & Counter(theirs)).total() / both if both else 0.0


def weighing_of(given: str | Path | WeightOptions | Function) -> WeightOptions:
    """The way of weighing that a name, a file, a function or a value stands for."""
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
            f"weights={text}: write dice, FILE.jsonl, MODULE:FUNCTION, pt:FOLDER or uot:FOLDER"
        ) from None


def from_file(path: str, *, otherwise: Annotated[float, Limits(0)] | None = None) -> WeightOptions:
    """Weights from a file; ``otherwise`` is the weight of edits that have none there."""
    return FromFile(path, READERS.load("jsonl")(path), otherwise)


def from_python(place: str) -> WeightOptions:
    """Weights from ``module:function`` or ``file.py:function``."""
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
        raise OptionError(f"weights={place}: {name} is not a function")
    return ByFunction(function)


def _described(edit: Edit) -> str:
    return f"{edit.start}-{edit.end} {edit.correction!r}"
