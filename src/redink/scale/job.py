"""``redink annotate``, also for a corpus of any size: in shards, on all cores or on a cluster."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.edit_finder import ReclassificationOptions
from redink.commands.annotate import (
    AnnotationCounts,
    annotate_files,
    annotate_m2,
    name_annotators,
    summarize,
    warn_of_left_out,
)
from redink.errors import OptionError, RedinkError, RedinkWarning
from redink.files import STANDARD_STREAM, read_text, remove_leftovers
from redink.inputs.input_options import AlignmentOptions, ColumnOptions, PathLike
from redink.inputs.parallel_text import ParallelFiles, find_pairs
from redink.model import Table, fingerprint
from redink.options import Flag, Options, Positive, command
from redink.parallel import Workers
from redink.progress import tell
from redink.scale.pieces import (
    MANIFEST,
    CheckedShard,
    Engine,
    Manifest,
    ShardPiece,
    annotate_piece,
    check_shard,
    describe_program,
    find_shards,
    is_many,
    name_shards,
    open_folder,
)


@dataclass(frozen=True)
class ShardOptions(Options):
    """How a large corpus is divided, and where it is processed.

    Attributes:
        shard_size: maximum number of pairs per output file (with an output folder).
        compress: compress the output (with an output folder).
        engine: local processes, or a Dask cluster whose workers share these files under the same
            paths (with an output folder).
        scheduler: address or scheduler file of the cluster (with --engine dask). By default a local
            cluster of processes.
    """

    shard_size: Positive = 20_000  # some seconds of work: little is lost if the job stops
    compress: Literal["gz", "zst"] | None = None
    engine: Literal["local", "dask"] = "local"
    scheduler: Annotated[str | None, Flag(value="ADDRESS")] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scheduler is not None and self.engine != "dask":
            raise OptionError("--scheduler requires --engine dask")


@command
def annotate_command(
    source: PathLike,
    corrected: Sequence[PathLike] = (),
    *,
    output: Annotated[PathLike | None, Flag(short="o", writes=True)] = None,
    reclassification: ReclassificationOptions = ReclassificationOptions(edits=None),
    annotation_options: AnnotationOptions = AnnotationOptions(),
    columns: ColumnOptions = ColumnOptions(),
    alignment: AlignmentOptions = AlignmentOptions(),
    shard_options: ShardOptions = ShardOptions(),
    workers: Positive | None = None,
) -> Table:
    """Find and classify the edits that turn SOURCE into each CORRECTED file, as M2.

    All files have one sentence per line, words separated by spaces. With --auto or --gold, SOURCE
    is an M2 file whose edits are extracted or classified again. Files can be of any length, and
    compressed (gzip, zstd). The output file appears when it is complete. SOURCE can also contain
    the corrections: JSON lines, Parquet, CSV, or text separated by tabs.

    Large corpora: SOURCE and CORRECTED can be folders or quoted patterns whose files match one to
    one in sorted order; the output is then a folder. To resume a stopped job, run the same command
    again.

    The edits and types are those of ERRANT 3.0.2, with redink's own pipeline.

    Args:
        source: the source sentences.
        corrected: the corrected sentences, one file per annotator.
        output: the M2 file to write; or a folder (OUT/), for one file per shard. By default stdout.
        reclassification: what to do with the edits of the file.
        annotation_options: how edits are extracted.
        columns: columns of the sentences, if SOURCE also contains the corrections.
        alignment: whether the corrected text is raw and must be aligned with the source first.
        shard_options: how a large corpus is divided.
        workers: number of processes. By default 1, or one per core if the output is a folder.
    """
    output = STANDARD_STREAM if output is None else output
    again = reclassification.edits
    if again is not None and corrected:
        raise OptionError(f"--{again} takes one M2 file and cannot be combined with CORRECTED")
    is_folder = str(output).endswith(("/", os.sep)) or Path(output).is_dir()
    if is_folder or any(map(is_many, (source, *corrected))):
        if again is not None:
            raise OptionError(f"--{again} reads one file and writes one file")
        if alignment.raw:
            raise OptionError("--align reads one source and writes one file")
        if str(output) == STANDARD_STREAM:
            raise OptionError("several input files need an output folder: -o OUT/")
        return annotate_shards(
            source,
            corrected,
            output,
            columns=columns,
            shard_options=shard_options,
            annotation_options=annotation_options,
            workers=workers,
        )
    for field in fields(ShardOptions):
        if getattr(shard_options, field.name) != field.default:
            flag = field.name.replace("_", "-")
            raise OptionError(f"--{flag} requires an output folder: -o OUT/")
    if again is not None:
        return annotate_m2(
            source,
            output,
            reclassification=reclassification,
            annotation_options=annotation_options,
            workers=workers or 1,
        )
    return annotate_files(
        source,
        corrected,
        output,
        columns=columns,
        alignment=alignment,
        annotation_options=annotation_options,
        workers=workers or 1,
    )


@command
def annotate_shards(
    source: PathLike,
    corrected: PathLike | Sequence[PathLike],
    output: Annotated[PathLike, Flag(writes=True)],
    *,
    columns: ColumnOptions = ColumnOptions(),
    shard_options: ShardOptions = ShardOptions(),
    annotation_options: AnnotationOptions = AnnotationOptions(),
    workers: Positive | None = None,
) -> Table:
    """Annotate a corpus of any size; write M2 files into a folder.

    Each of ``source`` and ``corrected`` is a file, a folder or a pattern (``part-*.txt.gz``). Their
    files are matched in sorted order. Long files are divided into pieces of ``shard_size`` pairs,
    each of which becomes one output file. A manifest in the output folder lists the finished
    pieces: when called again, the function resumes where it stopped, unless the options or the
    input have changed.

    Args:
        source: the source sentences; or files that contain the corrections too, in columns.
        corrected: the corrected sentences, one per annotator; none if the source has them.
        output: the output folder; it is created if it does not exist.
        columns: the columns of the sentences, if the source also contains the corrections.
        shard_options: how the corpus is divided.
        annotation_options: how edits are extracted; pass the names of the analyzer and word list.
        workers: number of processes; by default one per core.

    Returns:
        For each annotator, the numbers of sentences, changed sentences and edits.
    """
    annotation_options.check_workers(workers=2)
    words = annotation_options.lexicon
    if words is not None and not isinstance(words, str | Path):
        raise OptionError("a large job needs the word list as a file")
    given = [corrected] if isinstance(corrected, str | Path) else list(corrected)
    folder = Path(output)
    files = find_shards(source, given)
    if shard_options.engine == "dask":  # workers on other machines start in another folder
        files = [tuple(map(os.path.abspath, some)) for some in files]
        folder = folder.absolute()
        annotation_options = replace(
            annotation_options, lexicon=None if words is None else Path(words).absolute()
        )
    shards = [find_pairs(some[0], some[1:], columns) for some in files]
    job = {
        **annotation_options.signature("annotate"),
        "words": None if words is None else fingerprint([read_text(words)]),
        "shard_size": shard_options.shard_size,
        "compress": shard_options.compress,
        "columns": list(shards[0].columns) or None,
        "inputs": [[Path(file).name for file in some] for some in files],
    }
    started = time.monotonic()
    pieces: dict[str, ShardPiece] = {}
    with open_folder(folder):
        try:
            with _start_engine(shard_options, workers or _count_cores(), files) as run:
                manifest, pieces = _prepare(run, folder, job, shards)
                rows = _work(run, manifest, pieces, annotation_options)
        except (KeyboardInterrupt, RedinkError) as error:
            if pieces:
                error.add_note(
                    f"finished files are in {output}; run the same command again to resume"
                )
            raise
        finally:  # the workers have stopped, perhaps while writing
            remove_leftovers(folder, [MANIFEST, *pieces])
    seconds = time.monotonic() - started
    done = [manifest.done[name] for name in pieces]
    tally = AnnotationCounts()
    for each in done:
        tally.add(each.tally)
        for problem in each.problems:
            warnings.warn(problem, RedinkWarning, stacklevel=2)
    warn_of_left_out(source, sum(each.blank for each in done), tally)
    data = fingerprint(each.data for each in done)
    return summarize(
        tally,
        name_annotators(shards[0], given),
        annotation_options.signature("annotate", shard_size=shard_options.shard_size, data=data),
        notes=[
            f"{len(done)} file{'s' * (len(done) != 1)} of output in {output}",
            f"{rows} pairs in {seconds:.1f} seconds, {rows / seconds:.0f} pairs/s",
        ],
    )


_WORTH_A_WORKER = 400_000  # bytes of input that justify starting a process


def _count_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _start_engine(
    shard_options: ShardOptions, workers: int, files: Iterable[Sequence[PathLike]]
) -> Iterator[Engine]:
    if shard_options.engine == "dask":
        from redink.scale.dask_engine import dask_engine

        with dask_engine(shard_options.scheduler, workers) as run:
            yield run
        return
    size = sum(Path(file).stat().st_size for some in files for file in some if Path(file).is_file())
    with Workers(max(1, min(workers, size // _WORTH_A_WORKER))) as pool:
        yield partial(pool.map, in_order=False)


def _prepare(
    run: Engine, folder: Path, job: dict[str, Any], shards: Sequence[ParallelFiles]
) -> tuple[Manifest, dict[str, ShardPiece]]:
    """Read all input and divide it into pieces; write the manifest, or compare it with the job."""
    manifest = Manifest.read(folder)
    if manifest is not None:
        manifest.check_job(job)
    with closing(run(partial(check_shard, shard_size=job["shard_size"]), shards)) as results:
        found = {each.pairs: each for each in results}
    checked = [found[shard] for shard in shards]
    pieces = _divide(folder, job, checked)
    if manifest is not None:
        manifest.check_input(checked)
        manifest.forget_missing()
    elif files := [file for file in map(folder.joinpath, pieces) if file.exists()]:
        raise RedinkError(f"{files[0]}: exists but is not in a manifest; use another output folder")
    else:
        manifest = Manifest(folder, job, [each.digests for each in checked])
    manifest.write()
    return manifest, pieces


def _divide(
    folder: Path, job: dict[str, Any], shards: Sequence[CheckedShard]
) -> dict[str, ShardPiece]:
    """Return the pieces of the job in order, by the name of their output file."""
    suffix = f".m2.{job['compress']}" if job["compress"] else ".m2"
    names = name_shards([shard.pairs.files[0] for shard in shards])
    pieces: dict[str, ShardPiece] = {}
    for shard, name in zip(shards, names, strict=True):
        width = max(5, len(str(len(shard.parts))))
        for number, part in enumerate(shard.parts):
            file = (name if len(shard.parts) == 1 else f"{name}-{number:0{width}}") + suffix
            if file in pieces:
                raise OptionError(
                    f"pieces of {pieces[file].pairs.files[0]} and {shard.pairs.files[0]} would "
                    f"have the same output file {file}; rename one input"
                )
            pieces[file] = ShardPiece(shard.pairs, part, str(folder / file))
    return pieces


def _work(
    run: Engine,
    manifest: Manifest,
    pieces: Mapping[str, ShardPiece],
    annotation_options: AnnotationOptions,
) -> int:
    """Annotate the pieces that are not done yet; return the number of pairs annotated."""
    rows = {name: piece.part.rows for name, piece in pieces.items()}
    to_do = [name for name in pieces if name not in manifest.done]
    left, total = sum(rows[name] for name in to_do), sum(rows.values())
    finished = total - left
    program = describe_program(annotation_options)
    annotate = partial(annotate_piece, annotation_options=annotation_options, program=program)
    tell("annotating", finished, total)
    with closing(run(annotate, [pieces[name] for name in to_do])) as results:
        for done in results:
            manifest.add(done)
            finished += rows[done.output]
            tell("annotating", finished, total)
    return left
