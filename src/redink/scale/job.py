"""Annotate a corpus of any size: in shards, on all cores or a cluster, able to continue."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from redink.analysis.annotating import Annotating
from redink.analysis.merge import Merging
from redink.analysis.spacy_analyser import EMBEDDED
from redink.errors import OptionError, RedinkError, RedinkWarning
from redink.files import read_text, remove_leftovers
from redink.formats.inputs import PathLike
from redink.model import Table, fingerprint
from redink.processes import Workers
from redink.scale.manifest import (
    LOCK,
    MANIFEST,
    Manifest,
    check_same_input,
    check_same_job,
    lock_folder,
    read_manifest,
)
from redink.scale.pieces import (
    Done,
    Engine,
    Expected,
    Piece,
    Shard,
    Survey,
    annotate_piece,
    divide,
    survey_shard,
)
from redink.scale.shards import find_shards, is_many, name_shards
from redink.workflows.annotate import annotator_names, summarise, warn_of_blank
from redink.workflows.annotate_stream import Tally, pairs_of

SHARD_SIZE = 20_000
"""So many pairs are one piece of work: some seconds of it, so that little is lost by a stop."""

Compression = Literal["gz", "zst"]
EngineName = Literal["local", "dask"]
Progress = Callable[[int, int], None]
"""Told how many pairs are done, and how many there are."""


def annotate_shards(
    source: PathLike,
    corrected: PathLike | Sequence[PathLike],
    output: PathLike,
    *,
    source_column: str = "source",
    corrected_column: str | Sequence[str] = "corrected",
    shard_size: int = SHARD_SIZE,
    compress: Compression | None = None,
    analyser: str = EMBEDDED,
    lexicon: PathLike | None = None,
    merge: Merging = "rules",
    levenshtein: bool = False,
    fixed: bool = False,
    workers: int | None = None,
    engine: EngineName = "local",
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Table:
    """Annotate a corpus of any size into a folder of M2 files.

    Each of ``source`` and ``corrected`` is a file, a folder or a pattern (``part-*.txt.gz``). In
    sorted order, the files of one belong to those of the others. What is long is divided into
    pieces of ``shard_size`` pairs, each of which becomes a file of the output when it is done. A
    manifest beside them says what is done: called again, the function continues where it stopped.
    It refuses to continue with other options or on other input.

    Args:
        source: the source sentences; or files that hold the corrections too, in columns.
        corrected: the corrected sentences, an annotator each; none, if the source holds them.
        output: the folder to write to; it is made if need be.
        source_column: the name of the column (or key) of source sentences, where there are names.
        corrected_column: the names of the columns of corrected sentences, an annotator each.
        shard_size: how many pairs a file of the output has at most.
        compress: compress the output: ``gz`` or ``zst``.
        analyser: ``embedded`` or ``spacy:NAME``.
        lexicon: a file of known words, one a line; by default redink's list.
        merge: how the steps of the alignment become edits.
        levenshtein: align by plain Levenshtein distance.
        fixed: mend what is wrong in the original ERRANT.
        workers: how many processes share the work; by default one a core.
        engine: ``local`` for this machine, ``dask`` for a Dask cluster, whose workers must see
            the same files under the same names.
        scheduler: the address of the cluster's scheduler, or its scheduler file; by default a
            cluster of ``workers`` processes is started on this machine.
        progress: told how many pairs are done, and how many there are.

    Returns:
        How many sentences each annotator has, how many are changed, and by how many edits.
    """
    _check_options(shard_size, compress, engine, scheduler)
    given = [corrected] if isinstance(corrected, str | Path) else list(corrected)
    folder = Path(output)
    for path in (source, *given):
        if folder.is_dir() and Path(path).is_dir() and folder.samefile(path):
            raise OptionError(f"{path} is the input; give another folder for the output")
    files = find_shards(source, given)
    if engine == "dask":  # a worker elsewhere starts from another folder
        files = [tuple(map(os.path.abspath, some)) for some in files]
        folder = folder.absolute()
        lexicon = None if lexicon is None else Path(lexicon).absolute()
    how = Annotating(merge, levenshtein, analyser, lexicon, fixed)
    find = partial(pairs_of, source_column=source_column, corrected_column=corrected_column)
    shards = [Shard(number, find(some[0], some[1:])) for number, some in enumerate(files)]
    job = {
        **how.signature("annotate"),
        "words": None if lexicon is None else fingerprint([read_text(lexicon)]),
        "shard_size": shard_size,
        "compress": compress,
        "columns": list(shards[0].pairs.columns) or None,
        "inputs": [[Path(file).name for file in some] for some in files],
    }
    plan = _Plan(folder, job, shards, how)
    started = time.monotonic()
    with (
        _open_folder(folder),
        plan.cleaning_up(),
        _start_engine(engine, scheduler, workers or count_cores()) as run,
    ):
        plan.prepare(run)
        rows = plan.work(run, progress)
    seconds = time.monotonic() - started
    tally = Tally()
    done = plan.done()
    for each in done:
        tally.add(each.tally)
    warn_of_blank(source, sum(each.blank for each in done))
    if tally.left_out:
        warnings.warn(
            f"{source}: {tally.left_out} sentences that M2 cannot carry ('|' in a correction) were "
            "left out",
            RedinkWarning,
            stacklevel=2,
        )
    return summarise(
        tally,
        annotator_names(shards[0].pairs, given),
        how.signature(
            "annotate", shard_size=shard_size, data=fingerprint(each.data for each in done)
        ),
        notes=[
            f"{len(done)} files of output in {output}",
            f"{rows} pairs in {seconds:.1f} seconds, {rows / seconds:.0f} a second",
        ],
    )


def is_large_job(source: PathLike, corrected: Sequence[PathLike], output: PathLike) -> bool:
    """Whether paths ask for :func:`annotate_shards`: many files, or a folder to write to."""
    if str(output).endswith(("/", os.sep)) or Path(output).is_dir():
        return True
    return any(map(is_many, (source, *corrected)))


def count_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _check_options(
    shard_size: int, compress: str | None, engine: str, scheduler: str | None
) -> None:
    if shard_size < 1:
        raise OptionError(f"a shard has at least one pair, not {shard_size}")
    if compress not in {None, *get_args(Compression)}:
        raise OptionError(f"output is compressed by 'gz' or 'zst', not {compress!r}")
    if engine not in get_args(EngineName):
        raise OptionError(f"there is no engine {engine!r}; there are: local, dask")
    if scheduler is not None and engine != "dask":
        raise OptionError("a scheduler is for the engine 'dask'")


@contextmanager
def _start_engine(name: EngineName, scheduler: str | None, workers: int) -> Iterator[Engine]:
    if name == "dask":
        from redink.scale.dask_engine import dask_engine

        with dask_engine(scheduler, workers) as run:
            yield run
        return
    with Workers(workers) as pool:
        yield partial(pool.map, in_order=False)


@contextmanager
def _open_folder(folder: Path) -> Iterator[None]:
    """Make the folder if need be, and lock it; if nothing came of it, it is as it was."""
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "is a file; a folder was expected" if folder.exists() else error.strerror
        raise RedinkError(f"{folder}: cannot be made ({reason})") from error
    with lock_folder(folder):
        try:
            yield
        finally:
            if not (folder / MANIFEST).exists():
                with suppress(OSError):
                    (folder / LOCK).unlink()
                    if is_new:
                        folder.rmdir()


class _Plan:
    """A job: what it is, what is done of it and what is to do."""

    def __init__(
        self, folder: Path, job: dict[str, Any], shards: Sequence[Shard], how: Annotating
    ) -> None:
        self._folder = folder
        self._job = job
        self._shards = shards
        self._how = how
        self._pieces: dict[str, Piece] = {}
        self._manifest = Manifest(job, [])

    def prepare(self, run: Engine) -> None:
        """Look at all of the input, divide it, and write the manifest or check that it fits."""
        before = read_manifest(self._folder)
        shards = self._shards
        if before is not None:
            check_same_job(before, self._job, self._folder)
            shards = [replace(s, known=k) for s, k in zip(shards, before.surveys, strict=True)]
        look = partial(survey_shard, shard_size=self._job["shard_size"])
        with closing(run(look, shards)) as results:
            found = dict(results)
        surveys = [found[shard.number] for shard in shards]
        if before is not None:
            check_same_input(before, surveys, [s.pairs.files for s in shards], self._folder)
        self._pieces = self._divide(surveys)
        if before is None:
            for name in self._pieces:
                if (self._folder / name).exists():
                    raise RedinkError(
                        f"{self._folder / name}: is there already, and no manifest says what made "
                        "it; give another folder"
                    )
        self._manifest = Manifest(self._job, surveys, before.done if before else {})
        self._manifest.forget_lost(self._folder)
        self._manifest.write(self._folder)

    def _divide(self, surveys: Sequence[Survey]) -> dict[str, Piece]:
        suffix = ".m2" + (f".{self._job['compress']}" if self._job["compress"] else "")
        names = name_shards([shard.pairs.files[0] for shard in self._shards])
        named = divide(self._shards, names, surveys, suffix=suffix)
        pieces = {
            name: Piece(shard.pairs, part, str(self._folder / name)) for name, shard, part in named
        }
        if len(pieces) < len(named):
            raise OptionError("two pieces would have the same name; rename the shards")
        return pieces

    def work(self, run: Engine, progress: Progress | None) -> int:
        """Do what is not done yet; how many pairs that were."""
        total = sum(piece.part.rows for piece in self._pieces.values())
        to_do = {n: piece for n, piece in self._pieces.items() if n not in self._manifest.done}
        left = sum(piece.part.rows for piece in to_do.values())
        finished = total - left
        annotate = partial(annotate_piece, how=self._how, expected=Expected(self._how.pipeline()))
        if progress is not None:
            progress(finished, total)
        with closing(run(annotate, to_do.values())) as results:
            for done in results:
                self._manifest.add(self._folder, done)
                finished += to_do[done.name].part.rows
                if progress is not None:
                    progress(finished, total)
        return left

    def done(self) -> list[Done]:
        """What was done, in order."""
        return [self._manifest.done[name] for name in self._pieces]

    @contextmanager
    def cleaning_up(self) -> Iterator[None]:
        """After the work, remove what killed processes were writing, now or in an earlier run."""
        try:
            yield
        finally:
            remove_leftovers(self._folder, [MANIFEST, *self._pieces])
