"""``redink annotate``; and a corpus of any size, in shards, on all cores or on a cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from redink.analysis.annotating import Annotating
from redink.analysis.retype import Retyping
from redink.errors import OptionError, RedinkError
from redink.files import STANDARD_STREAM, read_text, remove_leftovers
from redink.formats.aligned import Aligning
from redink.formats.inputs import PathLike
from redink.formats.pairs import Columns, Pairs, Part, find_pairs
from redink.model import Table, fingerprint
from redink.options import Flag, Options, Positive, use_case
from redink.parallel import Workers
from redink.progress import tell
from redink.scale.pieces import (
    MANIFEST,
    Done,
    Engine,
    Manifest,
    Piece,
    Survey,
    annotate_piece,
    describe_program,
    open_folder,
    survey_shard,
)
from redink.scale.shards import find_shards, is_many, name_shards
from redink.workflows.annotate import (
    Tally,
    annotate_files,
    annotate_m2,
    name_annotators,
    summarise,
    warn_of_left_out,
)


@dataclass(frozen=True)
class Dividing(Options):
    """How a large corpus is divided, and where the work is done.

    Attributes:
        shard_size: into a folder: how many pairs one file of the output has at most.
        compress: into a folder: compress the output.
        engine: into a folder: work on this machine, or on a Dask cluster, whose workers see the
            same files under the same names.
        scheduler: with ``dask``: the cluster's scheduler, or its scheduler file; without it, a
            cluster of processes is started here.
    """

    shard_size: Positive = 20_000  # some seconds of work: little is lost by a stop
    compress: Literal["gz", "zst"] | None = None
    engine: Literal["local", "dask"] = "local"
    scheduler: Annotated[str | None, Flag(value="ADDRESS")] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scheduler is not None and self.engine != "dask":
            raise OptionError("a scheduler is for the engine 'dask'")


@use_case
def annotate_command(
    source: PathLike,
    corrected: Sequence[PathLike] = (),
    *,
    output: Annotated[PathLike | None, Flag(short="o", writes=True)] = None,
    retyping: Retyping = Retyping(edits=None),
    how: Annotating = Annotating(),
    columns: Columns = Columns(),
    aligning: Aligning = Aligning(),
    dividing: Dividing = Dividing(),
    workers: Positive | None = None,
) -> Table:
    """Find and type the edits that turn SOURCE into each CORRECTED file, as M2.

    All files have one sentence a line, words separated by spaces. With --auto or --gold, SOURCE is
    an M2 file whose edits are extracted or typed again. Files may be of any length, and compressed
    (gzip, zstd); the output appears when it is whole. SOURCE may hold the corrections too: JSON
    lines, Parquet, CSV, or text separated by tabs.

    Large corpora: SOURCE and CORRECTED may be folders or patterns (between quotes) whose files
    match one to one in sorted order, and the output a folder. A job that was stopped continues
    when the same command is given again.

    The edits and types are those of ERRANT 3.0.2, with a pipeline that comes with redink.

    Args:
        source: the source sentences.
        corrected: the corrected sentences, an annotator each.
        output: the M2 file to write; or a folder (OUT/), for one file a shard. By default stdout.
        retyping: what is done with edits that are there already.
        how: how edits are found.
        columns: where the sentences are, if the source holds the corrections too.
        aligning: whether the corrected text is raw, and has to be aligned with the source first.
        dividing: how a large corpus is divided.
        workers: how many processes share the work. By default 1; into a folder, one a core.
    """
    output = STANDARD_STREAM if output is None else output
    if retyping.edits is not None and corrected:
        raise OptionError(
            f"--{retyping.edits} takes one file that holds edits, and no corrected text"
        )
    if _is_large(source, corrected, output):
        if retyping.edits is not None:
            raise OptionError(f"--{retyping.edits} takes one file and writes one file")
        if aligning.raw:
            raise OptionError("--align takes one source and writes one file")
        if str(output) == STANDARD_STREAM:
            raise OptionError("many files become many files: give a folder, -o OUT/")
        return annotate_shards(
            source, corrected, output, columns=columns, dividing=dividing, how=how, workers=workers
        )
    for field in fields(Dividing):
        if getattr(dividing, field.name) != field.default:
            flag = field.name.replace("_", "-")
            raise OptionError(f"--{flag} is for output into a folder: -o OUT/")
    if retyping.edits is not None:
        return annotate_m2(source, output, retyping=retyping, how=how, workers=workers or 1)
    return annotate_files(
        source,
        corrected,
        output,
        columns=columns,
        aligning=aligning,
        how=how,
        workers=workers or 1,
    )


def _is_large(source: PathLike, corrected: Sequence[PathLike], output: PathLike) -> bool:
    """Whether paths ask for :func:`annotate_shards`: many files, or a folder to write to."""
    if str(output).endswith(("/", os.sep)) or Path(output).is_dir():
        return True
    return any(map(is_many, (source, *corrected)))


@use_case
def annotate_shards(
    source: PathLike,
    corrected: PathLike | Sequence[PathLike],
    output: Annotated[PathLike, Flag(writes=True)],
    *,
    columns: Columns = Columns(),
    dividing: Dividing = Dividing(),
    how: Annotating = Annotating(),
    workers: Positive | None = None,
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
        columns: where the sentences are, if the source holds the corrections too.
        dividing: how the corpus is divided.
        how: how edits are found; the analyser is named and the known words are a file.
        workers: how many processes share the work; by default one a core.

    Returns:
        How many sentences each annotator has, how many are changed, and by how many edits.
    """
    how.check_workers(workers=2)
    words = how.lexicon
    if words is not None and not isinstance(words, str | Path):
        raise OptionError("a large job takes the known words from a file")
    given = [corrected] if isinstance(corrected, str | Path) else list(corrected)
    folder = Path(output)
    files = find_shards(source, given)
    if dividing.engine == "dask":  # a worker elsewhere starts from another folder
        files = [tuple(map(os.path.abspath, some)) for some in files]
        folder = folder.absolute()
        how = replace(how, lexicon=None if words is None else Path(words).absolute())
    shards = [find_pairs(some[0], some[1:], columns) for some in files]
    job = {
        **how.signature("annotate"),
        "words": None if words is None else fingerprint([read_text(words)]),
        "shard_size": dividing.shard_size,
        "compress": dividing.compress,
        "columns": list(shards[0].columns) or None,
        "inputs": [[Path(file).name for file in some] for some in files],
    }
    plan = _Plan(Manifest(folder, job), shards, how)
    started = time.monotonic()
    with (
        open_folder(folder),
        plan.ending_in_order(output),
        _start_engine(dividing, workers or count_cores(), files) as run,
    ):
        plan.prepare(run)
        rows = plan.work(run)
    seconds = time.monotonic() - started
    done = plan.done()
    tally = Tally()
    for each in done:
        tally.add(each.tally)
    warn_of_left_out(source, sum(each.blank for each in done), tally)
    data = fingerprint(each.data for each in done)
    return summarise(
        tally,
        name_annotators(shards[0], given),
        how.signature("annotate", shard_size=dividing.shard_size, data=data),
        notes=[
            f"{len(done)} file{'s' * (len(done) != 1)} of output in {output}",
            f"{rows} pairs in {seconds:.1f} seconds, {rows / seconds:.0f} a second",
        ],
    )


_WORTH_A_WORKER = 400_000
"""As many bytes of text as are worth the start of a process."""


def _worth_starting(files: Iterable[Sequence[PathLike]]) -> int:
    """How many processes this much input keeps busy; packed text is about three times as long."""
    packed = (".gz", ".zst", ".parquet")
    size = sum(
        Path(file).stat().st_size * (3 if str(file).endswith(packed) else 1)
        for some in files
        for file in some
        if Path(file).is_file()
    )
    return max(1, size // _WORTH_A_WORKER)


def count_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _start_engine(
    dividing: Dividing, workers: int, files: Iterable[Sequence[PathLike]]
) -> Iterator[Engine]:
    if dividing.engine == "dask":
        from redink.scale.dask_engine import dask_engine

        with dask_engine(dividing.scheduler, workers) as run:
            yield run
        return
    with Workers(min(workers, _worth_starting(files))) as pool:
        yield partial(pool.map, in_order=False)


class _Plan:
    """A job: what it is, what is done of it and what is to do."""

    def __init__(self, manifest: Manifest, shards: Sequence[Pairs], how: Annotating) -> None:
        self._manifest = manifest
        self._shards = shards
        self._how = how
        self._pieces: dict[str, Piece] = {}
        self._has_begun = False

    def prepare(self, run: Engine) -> None:
        """Look at all of the input, divide it, and write the manifest or check that it fits."""
        folder, job, shards = self._manifest.folder, self._manifest.job, self._shards
        before = Manifest.read(folder)
        known: Sequence[Survey | None] = [None] * len(shards)
        if before is not None:
            before.check_job(job)
            known = before.surveys
        look = partial(survey_shard, shard_size=job["shard_size"])
        with closing(run(look, zip(shards, known, strict=True))) as results:
            found = dict(results)
        surveys = [found[shard] for shard in shards]
        if before is not None:
            before.check_input(surveys, shards)
        self._pieces = self._divide(surveys)
        if before is None:
            for file in map(folder.joinpath, self._pieces):
                if file.exists():
                    raise RedinkError(
                        f"{file}: is there already, and no manifest says what made it; "
                        "give another folder"
                    )
        self._manifest = Manifest(folder, job, surveys, before.done if before else {})
        self._manifest.forget_lost()
        self._manifest.write()

    def _divide(self, surveys: Sequence[Survey]) -> dict[str, Piece]:
        """The pieces of the job in order, by the name of their output."""
        job, folder = self._manifest.job, self._manifest.folder
        suffix = f".m2.{job['compress']}" if job["compress"] else ".m2"
        names = name_shards([shard.files[0] for shard in self._shards])
        pieces: dict[str, Piece] = {}
        for shard, name, survey in zip(self._shards, names, surveys, strict=True):
            width = max(5, len(str(len(survey.places))))
            for number, places in enumerate(survey.places):
                own = name if len(survey.places) == 1 else f"{name}-{number:0{width}}"
                file = own + suffix
                if file in pieces:
                    other = pieces[file].pairs.files[0]
                    raise OptionError(
                        f"pieces of {other} and {shard.files[0]} would both be called {file}; "
                        "rename one"
                    )
                part = Part(places, min(job["shard_size"], survey.rows - places[0].line))
                pieces[file] = Piece(shard, part, str(folder / file))
        return pieces

    def work(self, run: Engine) -> int:
        """Do what is not done yet; how many pairs that were."""
        total = sum(piece.part.rows for piece in self._pieces.values())
        to_do = {n: piece for n, piece in self._pieces.items() if n not in self._manifest.done}
        left = sum(piece.part.rows for piece in to_do.values())
        finished = total - left
        annotate = partial(annotate_piece, how=self._how, program=describe_program(self._how))
        tell("annotating", finished, total)
        self._has_begun = True
        with closing(run(annotate, to_do.values())) as results:
            for done in results:
                self._manifest.add(done)
                finished += to_do[done.output].part.rows
                tell("annotating", finished, total)
        return left

    def done(self) -> list[Done]:
        """What was done, in order."""
        return [self._manifest.done[name] for name in self._pieces]

    @contextmanager
    def ending_in_order(self, output: PathLike) -> Iterator[None]:
        """Remove what killed processes were writing, now or earlier; say how to continue."""
        try:
            yield
        except (KeyboardInterrupt, RedinkError) as error:
            if self._has_begun:
                error.add_note(
                    f"what is done is kept in {output}; give the same command again to continue"
                )
            raise
        finally:
            remove_leftovers(self._manifest.folder, [MANIFEST, *self._pieces])
