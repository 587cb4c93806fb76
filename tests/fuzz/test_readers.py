"""Every reader either succeeds or raises ``FormatError``, whatever the bytes."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import fuzz_readers
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redink.formats import read_values

MUTATIONS = 20_000
EXAMPLES_A_FORMAT = 60
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
BUNDLED = Path(__file__).resolve().parents[2] / "src" / "redink" / "examples"


def test_every_format_has_a_seed() -> None:
    """A new format is fuzzed too: it needs a small file to start from."""
    assert set(fuzz_readers.SEEDS) == set(fuzz_readers.readers())
    assert set(fuzz_readers.named_formats()) < set(fuzz_readers.SEEDS)


def test_seeds_are_read(tmp_path: Path) -> None:
    """The undamaged seeds are good files, recognised as what they are."""
    formats = fuzz_readers.named_formats()
    path = tmp_path / "seed"
    for name, data in fuzz_readers.SEEDS.items():
        path.write_bytes(data)
        assert list(fuzz_readers.readers()[name](path)), name
        if name in formats:
            assert read_values(path)[0] is formats[name], name


def test_damaged_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Random changes of good files: the seeds, the bundled example, and real corpora if here."""
    rng = random.Random(20)
    seeds = fuzz_readers.real_seeds(BUNDLED if BUNDLED.is_dir() else None, rng)
    if SHARED.is_dir():
        for name, data in fuzz_readers.real_seeds(SHARED, rng).items():
            seeds[name] += data[1:]
    outcome = fuzz_readers.run(seeds, MUTATIONS, 2024, tmp_path)
    assert not outcome.failures, outcome.failures[0][2]
    assert outcome.inputs == MUTATIONS
    for name in seeds:
        # a fuzzer whose every input is refused at the door tests the door alone
        assert outcome.read[name], name
        assert outcome.refused[name], name
    with capsys.disabled():
        sys.stdout.write(
            f"\nfuzz: {outcome.inputs:,} damaged files, {outcome.read.total():,} read, "
            f"{outcome.refused.total():,} refused, none otherwise\n"
        )


PIECES = st.one_of(
    st.sampled_from(fuzz_readers.WORDS),
    st.sampled_from(
        [line for data in fuzz_readers.SEEDS.values() for line in data.splitlines(True)]
    ),
    st.binary(max_size=8),
    st.text(max_size=8).map(lambda text: text.encode("utf-8", "surrogatepass")),
)


@pytest.mark.parametrize("name", list(fuzz_readers.SEEDS))
@settings(
    max_examples=EXAMPLES_A_FORMAT,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.lists(PIECES, max_size=12).map(b"".join))
def test_made_up_files(name: str, data: bytes, tmp_path: Path) -> None:
    """Files put together by hypothesis from lines of good files and from noise."""
    outcome = fuzz_readers.Outcome()
    reader = fuzz_readers.readers()[name]
    fuzz_readers.try_reader(name, reader, data, tmp_path / "input", outcome)
    assert not outcome.failures, outcome.failures[0][2]
