"""Every reader either succeeds or raises ``FormatError``, whatever the bytes."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from fuzzing import mutations, readers, seeds
from fuzzing.outcome import Outcome
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redink.inputs import read_values

MUTATIONS = [4_000, pytest.param(20_000, marks=pytest.mark.slow)]
EXAMPLES_A_READER = 20
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> seeds.Seeds:
    """The small files, the bundled example, and real corpora if they are here."""
    folder = tmp_path_factory.mktemp("seeds")
    return seeds.all_seeds(SHARED if SHARED.is_dir() else None, random.Random(20), folder)


def test_every_reader_has_seeds(good: seeds.Seeds) -> None:
    assert set(good) == set(readers.readers())
    assert set(seeds.named_formats()) < set(good)


def test_seeds_are_read(good: seeds.Seeds, tmp_path: Path) -> None:
    formats = seeds.named_formats()
    path = tmp_path / "seed"
    for name, (data, *_) in good.items():
        path.write_bytes(data)
        assert list(readers.readers()[name](path)), name
        if name in formats:
            assert read_values(path)[0] is formats[name], name


@pytest.mark.parametrize("inputs", MUTATIONS)
def test_damaged_files(
    inputs: int, good: seeds.Seeds, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = Outcome()
    readers.run(good, outcome, folder=tmp_path, inputs=inputs, seed=2024)
    assert not outcome.failures, str(outcome.failures[0])
    assert outcome.inputs == inputs
    for name in good:
        # a fuzzer whose every input is refused at the door tests the door alone
        assert outcome.done[name] or inputs < 300 * len(good), name
        assert outcome.refused[name], name
    with capsys.disabled():
        sys.stdout.write(
            f"\nfuzz: {outcome.inputs:,} damaged files, {outcome.done.total():,} read, "
            f"{outcome.refused.total():,} refused, none otherwise\n"
        )


_LINES = [
    line for data in {**seeds.SEEDS, **seeds.OTHERS}.values() for line in data.splitlines(True)
]
PIECES = st.one_of(
    st.sampled_from(mutations.WORDS),
    st.sampled_from(_LINES),
    st.binary(max_size=8),
    st.text(max_size=8).map(lambda text: text.encode("utf-8", "surrogatepass")),
)


@pytest.mark.parametrize("name", sorted(set(readers.readers()) - {"campaign"}))
@settings(
    max_examples=EXAMPLES_A_READER,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.lists(PIECES, max_size=12).map(b"".join))
def test_made_up_files(name: str, data: bytes, tmp_path: Path) -> None:
    outcome = Outcome()
    readers.try_reader(name, readers.readers()[name], data, tmp_path / "input", outcome)
    assert not outcome.failures, str(outcome.failures[0])
