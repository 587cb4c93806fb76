"""Which files belong together, and what their output is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from redink.errors import OptionError
from redink.scale.pieces import find_shards, is_many, name_shards


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_patterns_and_folders_match_in_sorted_order(here: Path) -> None:
    make(here, "s/b.txt", "s/a.txt", "c/a.txt", "c/b.txt")
    make(here, "c/.hidden", "c/_SUCCESS", "c/deeper/x.txt")
    expected = [("s/a.txt", "c/a.txt"), ("s/b.txt", "c/b.txt")]
    assert find_shards("s/*.txt", ["c/*.txt"]) == expected
    assert find_shards("s", ["c"]) == expected
    assert find_shards(here / "s", [here / "c/*.txt"]) == [
        tuple(str(here / file) for file in shard) for shard in expected
    ]


def test_a_file_is_one_shard_whatever_its_name(here: Path) -> None:
    make(here, "a[1].txt")
    assert not is_many("a[1].txt")
    assert find_shards("a[1].txt", []) == [("a[1].txt",)]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["s/a.txt", "c/a.txt", "c/b.txt"], "s has 1, c has 2"),
        (
            ["s/p-1.txt", "s/p-2.txt", "s/p-10.txt", "c/p-01.txt", "c/p-02.txt", "c/p-10.txt"],
            "s/p-10.txt would be matched with c/p-02.txt",
        ),
        (["s/1.txt", "c/.x"], "c: no files found"),
    ],
    ids=["counts", "order", "empty"],
)
def test_sides_that_do_not_match(here: Path, names: list[str], message: str) -> None:
    make(here, *names)
    with pytest.raises(OptionError, match=message):
        find_shards("s", ["c"])


def test_a_pattern_that_the_shell_took(here: Path) -> None:
    with pytest.raises(OptionError, match="in quotes"):
        find_shards("s/a.txt", ["s/b.txt", "c/a.txt", "c/b.txt"])
    make(here, "d/source.txt", "d/one.txt", "d/two.txt")
    assert len(find_shards("d/source.txt", ["d/one.txt", "d/two.txt"])) == 1


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (["s/a.txt.gz", "s/b.txt"], ["a", "b"]),
        (["s/x.00", "s/x.01.zst"], ["x.00", "x.01"]),
        (["s/en/p.txt", "s/de/p.txt"], ["en-p.txt", "de-p.txt"]),
        (["only.parquet"], ["only"]),
    ],
)
def test_output_is_named_by_the_source(sources: list[str], names: list[str]) -> None:
    assert name_shards(sources) == names
