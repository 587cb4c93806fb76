"""What the reproductions share: where the data is, and work that is done only once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from redink.analysis.annotating import Annotating, annotate_texts
from redink.errors import DataError
from redink.formats.inputs import SystemsLike, load_corpus, load_hypotheses
from redink.model import Corpus, SystemOutput
from redink.workflows.annotate import annotate_corpus
from redink.workflows.reproduce.figures import Figure
from redink.workflows.score import score

Result = TypeVar("Result")
CORPUS = "conll14/official-2014.combined.m2"
SOURCE = "conll14/source.txt"
SYSTEMS = "conll14/systems"
JUDGMENTS = "gjg15/judgments.xml"
GUG = "gug/gug_annotations.tsv"


@dataclass(frozen=True)
class Study:
    """The data of one run, and results kept.

    Attributes:
        data: the folder with ``conll14``, ``gjg15`` and ``gug``.
        analyser: what annotates.
        workers: how many processes annotate and score.
        seed: of everything random.
    """

    data: Path
    analyser: str = "embedded"
    workers: int = 1
    seed: int = 1
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
        """The sources and the annotators' own edits, read once."""
        return self.once("corpus", lambda: load_corpus(self.path(CORPUS)))

    def references(self, edits: str) -> Corpus:
        """The references with their own edits (``gold``), or with edits found anew (``auto``)."""
        if edits == "gold":
            return self.corpus()
        return self.once(
            "references",
            lambda: annotate_corpus(self.corpus(), how=Annotating(analyser=self.analyser)),
        )

    def annotated_teams(self) -> dict[str, SystemOutput]:
        """The systems' outputs as edits, by team; all are annotated once."""
        return self.once("teams", self._annotate_teams)

    def _annotate_teams(self) -> dict[str, SystemOutput]:
        sources, texts = load_hypotheses(self.path(SOURCE), self.teams())
        how = Annotating(analyser=self.analyser)
        found = annotate_texts(sources, texts, how=how, workers=self.workers)
        return {team: SystemOutput(team, annotations=edits) for team, edits in found.items()}

    def scores(self, metric: str, edits: str, **options: Any) -> list[dict[str, Any]]:
        """The rows of ``redink.score`` for all teams."""

        def make() -> list[dict[str, Any]]:
            systems: SystemsLike = self.teams() if metric == "m2" else self.annotated_teams()
            return score(
                self.references(edits),
                systems,
                metrics=[metric],
                analyser=self.analyser,
                workers=self.workers,
                **options,
            ).rows

        return self.once((metric, edits, *sorted(options.items())), make)


@dataclass(frozen=True)
class Reproduction:
    """A table or figure of a paper, and what makes it anew.

    Attributes:
        name: such as ``table 4``.
        make: the figures, from the study.
        needs: the files and folders of the data without which it cannot be made.
        slow: whether it takes more than a quarter of a minute.
    """

    name: str
    make: Callable[[Study], Iterable[Figure]]
    needs: tuple[str, ...] = ()
    slow: bool = False
