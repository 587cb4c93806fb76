"""Published and reproduced values, the data behind them, and results computed only once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from redink.analysis.annotation import annotate_texts
from redink.analysis.annotation_options import AnnotationResources
from redink.commands.annotate import annotate_corpus
from redink.commands.score import score
from redink.errors import DataError
from redink.inputs.input_options import SystemsLike
from redink.inputs.text_loading import load_corpus, load_hypotheses
from redink.model import Corpus, Row, Shown, SystemOutput

Result = TypeVar("Result")
Published = Mapping[str, Any]
Value = float | int | str | None
Verdict = Literal["same", "within tolerance", "differs", "other data"]
CORPUS = "conll14/official-2014.combined.m2"
SOURCE = "conll14/source.txt"
SYSTEMS = "conll14/systems"
JUDGMENTS = "gjg15/judgments.xml"
METRICS = "gjg15/metrics"
GUG = "gug/gug_annotations.tsv"


@dataclass(frozen=True)
class FigureRow:
    """A row of the table; the reason is given only if the values are not equal."""

    source: str
    item: str
    quantity: str
    published: Annotated[Value, Shown("score")]
    ours: Annotated[Value, Shown("score")]
    difference: Annotated[float | None, Shown("score", title="diff.")]
    tolerance: Annotated[float, Shown("score")]
    verdict: Verdict
    reason: str | None
    accounted: Annotated[bool | None, Shown(title="accounted for")]


@dataclass(frozen=True)
class Figure:
    """A value from a paper next to ours.

    Attributes:
        item: the subject: a team, a judge, an error type.
        unit: the last printed digit; values that round to the same number are the same.
        tolerance: the accepted difference.
        reason: the known reason for a difference.
        expected: whether the reason also accounts for a difference beyond the tolerance.
        evidence: the reason is shown even if the values are the same.
        comparable: False if ours is computed from other data than the published figure.
    """

    item: str
    quantity: str
    published: Value
    ours: Value
    _: KW_ONLY
    unit: float = 0.01
    tolerance: float = 0.0
    reason: str | None = None
    expected: bool = False
    evidence: bool = False
    comparable: bool = True

    @property
    def difference(self) -> float | None:
        """Our value minus the published value, if both are numbers."""
        if isinstance(self.ours, int | float) and isinstance(self.published, int | float):
            return self.ours - self.published
        return None

    @property
    def verdict(self) -> Verdict:
        """Same as printed, within tolerance, or differing."""
        if not self.comparable:
            return "other data"
        if self.difference is None:
            return "same" if self.ours == self.published else "differs"
        # Half a unit, plus a margin for halves that floats cannot represent.
        if abs(self.difference) <= self.unit / 2 + 1e-9:
            return "same"
        return "within tolerance" if abs(self.difference) <= self.tolerance + 1e-9 else "differs"

    def row(self, source: str) -> FigureRow:
        """Return the row of the table."""
        return FigureRow(
            source,
            self.item,
            self.quantity,
            self.published,
            self.ours,
            self.difference,
            self.tolerance,
            self.verdict,
            self.reason if self.evidence or self.verdict != "same" else None,
            self.expected if self.verdict == "differs" else None,
        )


def load_published(paper: str) -> dict[str, Any]:
    """Load the values that a paper prints; ``paper`` as in ``bryant-2017``."""
    folder = resources.files("redink.commands.reproduce") / "published"
    text = (folder / f"{paper.replace('-', '_')}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@dataclass(frozen=True)
class PaperData:
    """The data of one run: a folder with ``conll14``, ``gjg15`` and ``gug``."""

    folder: Path
    annotation_options: AnnotationResources
    seed: int
    results: dict[Any, Any] = field(default_factory=dict)

    def once(self, key: object, make: Callable[[], Result]) -> Result:
        """Return the result of ``make``, which is called only the first time."""
        if key not in self.results:
            self.results[key] = make()
        result: Result = self.results[key]
        return result

    def path(self, name: str) -> Path:
        """Return the path of a file or folder of the data."""
        return self.folder / name

    def teams(self) -> dict[str, Path]:
        """Return the texts of the systems by team."""
        found = {path.stem: path for path in sorted(self.path(SYSTEMS).glob("*.txt"))}
        if not found:
            raise DataError(f"{self.path(SYSTEMS)}: there are no systems (TEAM.txt)")
        return found

    def corpus(self) -> Corpus:
        """Return the sources with the annotators' own edits."""
        return self.once("corpus", lambda: load_corpus(self.path(CORPUS)))

    def references(self, edits: str) -> Corpus:
        """Return the references with their own edits (``gold``) or extracted ones (``auto``)."""
        if edits == "gold":
            return self.corpus()
        options = self.annotation_options.annotating
        return self.once(
            "references", lambda: annotate_corpus(self.corpus(), annotation_options=options)
        )

    def annotated_teams(self) -> dict[str, SystemOutput]:
        """Return the edits of the systems by team."""

        def make() -> dict[str, SystemOutput]:
            options = self.annotation_options
            found = annotate_texts(
                *load_hypotheses(self.path(SOURCE), self.teams()),
                annotation_options=options.annotating,
                workers=options.workers,
                cache=options.cache,
            )
            return {team: SystemOutput(team, annotations=edits) for team, edits in found.items()}

        return self.once("teams", make)

    def scores(self, metric: str, edits: str, **options: Any) -> list[Row]:
        """Return the rows of ``redink.score`` for all teams."""

        def make() -> list[Row]:
            systems: SystemsLike = self.teams() if metric == "m2" else self.annotated_teams()
            return score(
                self.references(edits),
                systems,
                metrics=[metric],
                **vars(self.annotation_options),
                **options,
            ).rows

        return self.once((metric, edits, *sorted(options.items())), make)


@dataclass(frozen=True)
class Reproduction:
    """A table or figure of a paper, computed by ``make`` from the files and folders it ``needs``.

    A slow one takes more than 15 seconds.
    """

    name: str
    make: Callable[[PaperData, Published], Iterable[Figure]]
    needs: tuple[str, ...] = ()
    slow: bool = False

    @property
    def key(self) -> str:
        """Return the key of the published values: ``table5``, also for a variant of it."""
        return "".join(self.name.split()[:2])
