"""The published tables, ours beside theirs: ``redink reproduce``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from redink.errors import DataError, OptionError
from redink.model import Column, Table, make_table
from redink.model.signatures import fingerprint, make_signature
from redink.workflows.reproduce import (
    bryant_2017,
    chodorow_2012,
    grundkiewicz_2015,
    madnani_2011,
    tetreault_chodorow_2008,
)
from redink.workflows.reproduce.figures import Figure
from redink.workflows.reproduce.study import Reproduction, Study

if TYPE_CHECKING:
    from redink.formats.inputs import PathLike
    from redink.scoring.engine import Progress

PAPERS: dict[str, tuple[Reproduction, ...]] = {
    module.PAPER: module.REPRODUCTIONS
    for module in (
        bryant_2017,
        grundkiewicz_2015,
        chodorow_2012,
        tetreault_chodorow_2008,
        madnani_2011,
    )
}
_COLUMNS = (
    Column("source"),
    Column("item"),
    Column("quantity"),
    Column("published", "score"),
    Column("ours", "score"),
    Column("difference", "score"),
    Column("tolerance", "score"),
    Column("verdict"),
    Column("reason"),
    Column("accounted", title="accounted for"),
)


def reproduce(
    names: Sequence[str] = (),
    *,
    data: PathLike,
    quick: bool = False,
    differing: bool = False,
    analyser: str = "embedded",
    workers: int = 1,
    seed: int = 1,
    progress: Progress | None = None,
) -> Table:
    """The tables and figures of five papers, made anew and held against the printed ones.

    Args:
        names: papers (``bryant-2017``) or tables of them (``"bryant-2017 table 4"``); all by
            default.
        data: the folder with ``conll14``, ``gjg15`` and ``gug``; what is missing is named in a
            note and passed over.
        quick: leave out what takes long (TrueSkill).
        differing: only the rows whose figures are not the same.
        analyser: what annotates, for the tables that need edits.
        workers: how many processes annotate and score.
        seed: of everything random.
        progress: told what is being made.

    Returns:
        A table with the columns ``source, item, quantity, published, ours, difference,
        tolerance, verdict, reason, accounted``; ``accounted`` is False where a figure is outside
        its tolerance and the reason does not account for that.
    """
    folder = Path(data)
    if not folder.is_dir():
        raise DataError(f"{folder}: there is no such folder")
    wanted = _choose(names)
    figures: list[Figure] = []
    summary: list[str] = []
    missing: list[str] = []
    study = Study(folder, analyser, workers, seed)
    for done, (paper, one) in enumerate(wanted):
        source = f"{paper} {one.name}"
        if progress is not None:
            progress(source, done, len(wanted))
        absent = [name for name in one.needs if not study.path(name).exists()]
        if absent:
            missing.append(f"{source} is left out: {', '.join(absent)} not in {folder.name}.")
        elif quick and one.slow:
            missing.append(f"{source} is left out to be quick.")
        else:
            made = list(one.make(study))
            figures += made
            summary.append(f"{source}: {_count(made)}.")
    shown = [figure for figure in figures if not differing or figure.verdict != "same"]
    return make_table(
        _COLUMNS,
        [figure.to_row() for figure in shown],
        notes=[*summary, f"In all: {_count(figures)}.", *missing],
        signature=make_signature(
            "reproduce",
            names=list(names) or None,
            quick=quick or None,
            analyser=analyser,
            data=_fingerprint(folder, wanted),
            seed=seed,
        ),
        title="Published figures and ours",
        groups="source",
    )


def _fingerprint(folder: Path, wanted: Iterable[tuple[str, Reproduction]]) -> str | None:
    """A name for the data that is there and needed."""
    needed = sorted({folder / name for _, one in wanted for name in one.needs})
    files = [file for path in needed for file in (sorted(path.glob("*")) or [path])]
    found = [file for file in files if file.is_file()]
    return fingerprint(file.read_bytes() for file in found) if found else None


def _choose(names: Iterable[str]) -> list[tuple[str, Reproduction]]:
    """What is asked for, in the order of the papers."""
    everything = [(paper, one) for paper, tables in PAPERS.items() for one in tables]
    chosen: set[tuple[str, str]] = set()
    for name in names:
        plain = _plain(name)
        found = {
            (paper, one.name)
            for paper, one in everything
            if plain in (_plain(paper), _plain(f"{paper} {one.name}"))
        }
        if not found:
            near = [f"{p} {one.name}" for p, one in everything if plain.startswith(_plain(p))]
            raise OptionError(
                f"nothing to reproduce is called {name!r}; there are: {', '.join(near or PAPERS)}"
            )
        chosen |= found
    return [(p, one) for p, one in everything if not names or (p, one.name) in chosen]


def _plain(name: str) -> str:
    """``bryant-2017 table 4``, ``bryant-2017/table4`` and the like are one name."""
    return "".join(filter(str.isalnum, name.lower()))


def _count(figures: Sequence[Figure]) -> str:
    """How many figures have which verdict."""
    verdicts: Counter[str] = Counter(figure.verdict for figure in figures)
    unexplained = sum(figure.unexplained for figure in figures)
    parts = [f"{len(figures)} figures"]
    words = {
        "same": "same",
        "within tolerance": "within tolerance",
        "differs": "differing",
        "other data": "of other data",
    }
    parts += [f"{verdicts[v]} {word}" for v, word in words.items() if verdicts[v]]
    if unexplained:
        parts.append(f"{unexplained} not accounted for")
    return ", ".join(parts)
