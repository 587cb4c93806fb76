"""``redink reproduce``: our results next to published tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from redink.analysis.annotation_options import AnnotationResources
from redink.commands.reproduce import bryant_2017, claims, other_papers
from redink.commands.reproduce.figures import FigureRow, PaperData, Reproduction, load_published
from redink.errors import DataError, OptionError
from redink.inputs.input_options import PathLike
from redink.model import Table, fingerprint, make_signature, table_of
from redink.options import Flag, Seed, command
from redink.progress import tell

PAPERS: dict[str, tuple[Reproduction, ...]] = {
    "bryant-2017": (*bryant_2017.REPRODUCTIONS, claims.BRYANT_2017),
    "grundkiewicz-2015": (*other_papers.GRUNDKIEWICZ_2015, claims.GRUNDKIEWICZ_2015),
    "chodorow-2012": other_papers.CHODOROW_2012,
    "tetreault-chodorow-2008": other_papers.TETREAULT_CHODOROW_2008,
    "madnani-2011": other_papers.MADNANI_2011,
}


@command
def reproduce(
    names: Sequence[str] = (),
    *,
    data: Annotated[PathLike, Flag(value="DIR")],
    quick: bool = False,
    differing: bool = False,
    annotation_options: AnnotationResources = AnnotationResources(),
    seed: Seed = 1,
) -> Table:
    """Reproduce tables and figures of five papers, and compare them with the published values.

    A NAME is a paper (bryant-2017) or one of its tables ('bryant-2017 table 4'). Without a NAME,
    redink reproduces everything. Each row has the published value, our value, the difference, the
    tolerance, a verdict (same as printed, within tolerance, differs, or other data if the data of
    the paper was never published) and the reason. The notes summarize every table.

    Args:
        names: papers (``bryant-2017``) or tables (``"bryant-2017 table 4"``). By default all.
        data: folder with conll14, gjg15 and gug. Tables whose data is missing are skipped.
        quick: skip the slowest tables (TrueSkill, claims).
        differing: show only values that differ from the printed ones.
        annotation_options: annotation of texts, and number of processes.
        seed: random seed.

    Returns:
        A table with the columns ``source, item, quantity, published, ours, difference,
        tolerance, verdict, reason, accounted``; ``accounted`` is False if a value is outside
        its tolerance and the reason does not account for that.
    """
    folder = Path(data)
    if not folder.is_dir():
        raise DataError(f"{folder}: there is no such folder")
    wanted = _choose(names)
    rows: list[FigureRow] = []
    summary: list[str] = []
    missing: list[str] = []
    paper_data = PaperData(folder, annotation_options, seed)
    for done, (paper, one) in enumerate(wanted):
        source = f"{paper} {one.name}"
        tell(source, done, len(wanted))
        absent = [name for name in one.needs if not paper_data.path(name).exists()]
        if absent:
            missing.append(f"Skipped {source}: {', '.join(absent)} not in {folder.name}.")
        elif quick and one.slow:
            missing.append(f"Skipped {source} (--quick).")
        else:
            published = load_published(paper).get(one.key, {})
            made = [figure.row(source) for figure in one.make(paper_data, published)]
            rows += made
            summary.append(f"{source}: {_count(made)}.")
    return table_of(
        [row for row in rows if not differing or row.verdict != "same"],
        FigureRow,
        notes=[f"Total: {_count(rows)}.", *missing, *summary],
        signature=make_signature(
            "reproduce",
            names=list(names) or None,
            quick=quick or None,
            analyzer=getattr(annotation_options.analyzer, "name", annotation_options.analyzer),
            data=_fingerprint(folder, wanted),
            seed=seed,
        ),
        title="Published and reproduced values",
        groups="source",
        view="figures",
    )


def _fingerprint(folder: Path, wanted: Iterable[tuple[str, Reproduction]]) -> str | None:
    needed = sorted({folder / name for _, one in wanted for name in one.needs})
    files = [file for path in needed for file in (sorted(path.glob("*")) or [path])]
    found = [file.read_bytes() for file in files if file.is_file()]
    return fingerprint(found) if found else None


def _choose(names: Iterable[str]) -> list[tuple[str, Reproduction]]:
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
                f"unknown paper or table {name!r}; expected one of: {', '.join(near or PAPERS)}"
            )
        chosen |= found
    return [(p, one) for p, one in everything if not names or (p, one.name) in chosen]


def _plain(name: str) -> str:
    """Drop punctuation: ``bryant-2017/table4`` and ``Bryant 2017 table 4`` are one name."""
    return "".join(filter(str.isalnum, name.lower()))


def _count(rows: Sequence[FigureRow]) -> str:
    verdicts: Counter[str] = Counter(row.verdict for row in rows)
    words = {"differs": "differing", "other data": "of other data"}
    parts = [f"{len(rows)} values"]
    order = ("same", "within tolerance", "differs", "other data")
    parts += [f"{verdicts[v]} {words.get(v, v)}" for v in order if verdicts[v]]
    if unexplained := sum(row.accounted is False for row in rows):
        parts.append(f"{unexplained} not accounted for")
    return ", ".join(parts)
