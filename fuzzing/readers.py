"""Damaged files for every reader: each must succeed or raise ``RedinkError``, and nothing else."""

from __future__ import annotations

import random
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import FrameType

import numpy as np

from fuzzing.mutations import mutate
from fuzzing.outcome import Failure, Outcome
from fuzzing.seeds import Seeds, named_formats
from redink.analysis.lexicons import load_lexicon
from redink.analysis.universal_dependencies import read_trees
from redink.campaign.campaign_commands import status
from redink.campaign.results import export_answers
from redink.campaign.store import CampaignStore
from redink.campaign.task_items import read_items
from redink.commands.mine import read_counts
from redink.detectors.classifier import load_classifier
from redink.detectors.features import ATOMS, read_sentences
from redink.detectors.language_model import NgramModel, read_arpa
from redink.errors import FormatError, RedinkError, RedinkWarning
from redink.formats import read_parallel_files
from redink.formats.ged_tsv import read_positions
from redink.formats.metric_scores import read_sentence_scores, read_system_scores
from redink.formats.seeda import read_seeda
from redink.inputs import read_values
from redink.inputs.judgment_loading import load_cases
from redink.inputs.parallel_text import ParallelFiles, layout_of, mark_rows, read_rows
from redink.inputs.sample_files import read_key
from redink.inputs.text_loading import load_corpus, load_references, load_texts, read_system
from redink.judging.crowdsourcing import load_decisions
from redink.model import Sentence
from redink.scoring.wordnet import PARTS, read_wordnet

Reader = Callable[[Path], Iterable[object]]

HANGS_AFTER = 10
"""Seconds of CPU time."""

_LONGEST_MESSAGE = 700
_SLOW = {"campaign": 20, "wordnet": 4, "language-model": 2, "classifier": 2}
"""Readers whose turn comes only every so many rounds, since an input costs them more."""


def readers() -> dict[str, Reader]:
    """Every function that reads a user's file, by the name of its seeds."""
    found: dict[str, Reader] = {
        name: _both_ways(known.read) for name, known in named_formats().items()
    }
    for name in ("system-scores", "system-scores-csv", "system-scores-text"):
        found[name] = read_system_scores
    return {
        **found,
        "sentence-scores": read_sentence_scores,
        "listed-objects": _both_ways(lambda path: read_values(path)[1]),
        "wide-judgments": _both_ways(lambda path: read_values(path)[1]),
        "cases-csv": load_cases,
        "cases-jsonl": _read_decisions,
        "positions": _read_positions,
        "seeda": read_seeda,
        "sample-key": lambda path: [read_key(path)],
        "items-csv": read_items,
        "items-jsonl": read_items,
        "counts": _read_counts,
        "running-text": read_sentences,
        "running-tokens": read_sentences,
        "lexicon": lambda path: [load_lexicon.__wrapped__(path)],
        "treebank": lambda path: [tree.surface() for tree in read_trees(path)],
        "wordnet": _read_wordnet,
        "language-model": lambda path: [_use_language_model(NgramModel.load(path))],
        "arpa": lambda path: [_use_language_model(read_arpa(path))],
        "classifier": _read_classifier,
        "campaign": _read_campaign,
        "pairs": _read_pairs,
        "listed-pairs": _read_pairs,
        "pairs-parquet": _read_pairs,
    }


def _both_ways(read: Reader) -> Reader:
    """By its format, and now and then by its content as a user would, and as another kind."""
    times = count()

    def both(path: Path) -> Iterator[object]:
        yield from read(path)
        if next(times) % 4:
            return
        yield from read_values(path)[1]
        for load in (load_corpus, load_texts, load_references, read_system, load_cases):
            try:
                yield load(path)
            except RedinkError as error:
                _check_sentence(error)  # a file of judgments, say, holds no sentences
        try:
            yield from read_parallel_files(path, [path])
        except FormatError as error:
            _check_sentence(error)

    return both


def _read_decisions(path: Path) -> Iterator[object]:
    yield from load_cases(path)
    try:
        yield load_decisions(path, name="system")
    except RedinkError as error:
        _check_sentence(error)


def _read_positions(path: Path) -> Iterator[object]:
    yield read_positions(path, [Sentence(("I", "has", "it")), Sentence(("Fine", "."))])


def _read_counts(path: Path) -> Iterator[object]:
    yield read_counts(path, [("marry", "with", "her"), ("depend", "of", "it")])


def _read_wordnet(path: Path) -> Iterator[object]:
    folder = path.parent / "wordnet"
    folder.mkdir(exist_ok=True)
    data = path.read_bytes()
    for part in PARTS:
        (folder / f"index.{part}").write_bytes(data)
        (folder / f"{part}.exc").write_bytes(b"cats cat\n" if part == "noun" else data)
    read_wordnet.cache_clear()
    try:
        yield read_wordnet(folder)
    except RedinkError as error:
        raise FormatError(str(error), path=path) from None


def _use_language_model(model: NgramModel) -> object:
    return model.log_probabilities([("i", "depend", "on", "x"), ()])


def _read_classifier(path: Path) -> Iterator[object]:
    classifier = load_classifier(path)
    atoms = np.arange(2 * len(ATOMS), dtype=np.uint32).reshape(2, -1)
    yield classifier.probabilities(atoms)
    if classifier.task == "choice":
        yield classifier.choose(atoms)


def _read_campaign(path: Path) -> Iterator[object]:
    store = CampaignStore.open(path)
    try:
        yield export_answers(store)
        yield status(path)
    finally:
        store.close()
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def _read_pairs(path: Path) -> Iterator[object]:
    """As annotate reads large corpora: in parts, from columns or lines."""
    layout = layout_of(path, "source") or "lines"
    columns = ("source", "corrected") if layout in {"jsonl", "parquet", "table"} else ()
    pairs = ParallelFiles((str(path),), layout, columns)
    parts, _ = mark_rows(pairs, every=2)
    for part in parts:
        yield from read_rows(pairs, part)


class Hang(BaseException):
    """Too much CPU time for a small file."""


def refuse_warnings() -> None:
    """A library's warning is an error: nobody would know what to do with it.

    Not that something is deprecated, which Python tells programmers only.
    """
    warnings.simplefilter("error")
    for category in (DeprecationWarning, PendingDeprecationWarning):
        warnings.simplefilter("ignore", category)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise :class:`Hang` after so many seconds of CPU time."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _check_sentence(error: RedinkError) -> None:
    message = str(error)
    if "\n" in message or not message.isprintable() or len(message) > _LONGEST_MESSAGE:
        raise AssertionError(f"not one readable sentence: {message[:1500]!r}")


def try_reader(name: str, reader: Reader, data: bytes, path: Path, outcome: Outcome) -> None:
    """Read one input with one reader."""
    path.write_bytes(data)
    try:
        try:
            for _ in reader(path):
                pass
        except RedinkError as error:
            if not str(error).startswith(str(path)):
                raise AssertionError(f"does not begin with the file: {error}") from None
            _check_sentence(error)
            outcome.refused[name] += 1
        else:
            outcome.done[name] += 1
    except (Exception, Hang):  # noqa: BLE001 (whatever it is, it is what we look for)
        outcome.fail(Failure(name, data, traceback.format_exc()))


def inputs(
    seeds: Seeds, rng: random.Random, only: str | None = None
) -> Iterator[tuple[str, bytes]]:
    """Damaged inputs without end, the readers in turn."""
    everything = [data for name, group in seeds.items() for data in group if name != "campaign"]
    turn = 0
    while True:
        for name, group in seeds.items():
            if only in {None, name} and not turn % _SLOW.get(name, 1):
                yield name, mutate(rng.choice(group), everything, rng)
        turn += 1


def run(
    seeds: Seeds,
    outcome: Outcome,
    *,
    folder: Path,
    inputs: int | None,
    seed: int,
    seconds: float | None = None,
    only: str | None = None,
) -> None:
    """Try damaged inputs until there are enough, or time is up, or too many have failed."""
    known = readers()
    path = folder / "input"
    stop = None if seconds is None else time.monotonic() + seconds
    with warnings.catch_warnings(), time_limit(HANGS_AFTER):
        refuse_warnings()
        warnings.simplefilter("ignore", RedinkWarning)
        for number, (name, data) in enumerate(_inputs(seeds, random.Random(seed), only)):
            if number == inputs or outcome.enough or (stop and time.monotonic() > stop):
                break
            signal.setitimer(signal.ITIMER_VIRTUAL, HANGS_AFTER)
            try_reader(name, known[name], data, path, outcome)


_inputs = inputs
