"""What the reproductions share: figures, where the data is, and work that is done only once."""

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
from redink.inputs.loading import SystemsLike, load_corpus, load_hypotheses
from redink.model import Corpus, Shown, SystemOutput

Result = TypeVar("Result")
Row = dict[str, Any]
Value = float | int | str | None
Verdict = Literal["same", "within tolerance", "differs", "other data"]
CORPUS = "conll14/official-2014.combined.m2"
SOURCE = "conll14/source.txt"
SYSTEMS = "conll14/systems"
JUDGMENTS = "gjg15/judgments.xml"
GUG = "gug/gug_annotations.tsv"


@dataclass(frozen=True)
class FigureRow:
    """A published figure beside ours; the reason only where there is something to explain."""

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
    """One figure of a paper and ours, and what to make of the difference.

    Attributes:
        item: what the figure is of: a team, a judge, an error type.
        quantity: what is measured.
        published: as printed.
        ours: in the same unit, with all its digits.
        unit: the last printed place; what rounds to the same is the same.
        tolerance: how far ours may be from it.
        reason: why ours is not quite the same, where that is known.
        expected: whether the reason also accounts for a difference beyond the tolerance.
        comparable: False where ours is of other data than the published figure.
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
    comparable: bool = True

    @property
    def difference(self) -> float | None:
        """Ours less the published one, where both are numbers."""
        if isinstance(self.ours, int | float) and isinstance(self.published, int | float):
            return self.ours - self.published
        return None

    @property
    def verdict(self) -> Verdict:
        """Same (as far as it is printed), within tolerance, or not."""
        if not self.comparable:
            return "other data"
        if self.difference is None:
            return "same" if self.ours == self.published else "differs"
        # Half a place, and a little for halves that computers cannot hold.
        if abs(self.difference) <= self.unit / 2 + 1e-9:
            return "same"
        return "within tolerance" if abs(self.difference) <= self.tolerance + 1e-9 else "differs"

    def row(self, source: str) -> FigureRow:
        """A row of the table."""
        return FigureRow(
            source,
            self.item,
            self.quantity,
            self.published,
            self.ours,
            self.difference,
            self.tolerance,
            self.verdict,
            None if self.verdict == "same" else self.reason,
            self.expected if self.verdict == "differs" else None,
        )


def load_published(paper: str) -> dict[str, Any]:
    """The figures that a paper prints; ``paper`` as in ``bryant-2017``."""
    folder = resources.files("redink.commands.reproduce") / "published"
    text = (folder / f"{paper.replace('-', '_')}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@dataclass(frozen=True)
class Study:
    """The data of one run, and results kept.

    Attributes:
        data: the folder with ``conll14``, ``gjg15`` and ``gug``.
        annotation_options: what annotates, on how many processes.
        seed: of everything random.
        kept: what was made once.
    """

    data: Path
    annotation_options: AnnotationResources
    seed: int
    kept: dict[Any, Any] = field(default_factory=dict)

    def once(self, key: object, make: Callable[[], Result]) -> Result:
        """What ``make`` returns, made only the first time."""
        if key not in self.kept:
            self.kept[key] = make()
        result: Result = self.kept[key]
        return result

    def path(self, name: str) -> Path:
        """A file or folder of the data."""
        return self.data / name

    def teams(self) -> dict[str, Path]:
        """The systems' outputs as text, by team."""
        found = {path.stem: path for path in sorted(self.path(SYSTEMS).glob("*.txt"))}
        if not found:
            raise DataError(f"{self.path(SYSTEMS)}: there is no system (TEAM.txt)")
        return found

    def corpus(self) -> Corpus:
        """The sources and the annotators' own edits."""
        return self.once("corpus", lambda: load_corpus(self.path(CORPUS)))

    def references(self, edits: str) -> Corpus:
        """The references with their own edits (``gold``), or with edits found again (``auto``)."""
        if edits == "gold":
            return self.corpus()
        return self.once(
            "references",
            lambda: annotate_corpus(
                self.corpus(), annotation_options=self.annotation_options.annotating
            ),
        )

    def annotated_teams(self) -> dict[str, SystemOutput]:
        """The systems' outputs as edits, by team."""

        def make() -> dict[str, SystemOutput]:
            sources, texts = load_hypotheses(self.path(SOURCE), self.teams())
            found = annotate_texts(
                sources,
                texts,
                annotation_options=self.annotation_options.annotating,
                workers=self.annotation_options.workers,
                cache=self.annotation_options.cache,
            )
            return {team: SystemOutput(team, annotations=edits) for team, edits in found.items()}

        return self.once("teams", make)

    def scores(self, metric: str, edits: str, **options: Any) -> list[Row]:
        """The rows of ``redink.score`` for all teams."""

        def make() -> list[Row]:
            systems: SystemsLike = self.teams() if metric == "m2" else self.annotated_teams()
            return score(
                self.references(edits),
                systems,
                metrics=[metric],
                annotation_options=self.annotation_options,
                **options,
            ).rows

        return self.once((metric, edits, *sorted(options.items())), make)


@dataclass(frozen=True)
class Reproduction:
    """A table or figure of a paper, and what makes it again.

    Attributes:
        name: such as ``table 4``.
        make: the figures, from the study and from what the paper prints there.
        needs: the files and folders of the data without which it cannot be made.
        slow: whether it takes more than a quarter of a minute.
    """

    name: str
    make: Callable[[Study, Mapping[str, Any]], Iterable[Figure]]
    needs: tuple[str, ...] = ()
    slow: bool = False

    @property
    def key(self) -> str:
        """What the published figures are kept under: ``table5``, also for a variant of it."""
        return "".join(self.name.split()[:2])
