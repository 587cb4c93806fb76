"""Several files that appear together, and messages that are one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from redink.errors import DataError, FormatError, RedinkError, one_line
from redink.files import all_or_nothing, undo_on_error, write_atomically, write_bytes_atomically


def write(path: Path, text: str) -> None:
    with write_atomically(path) as stream:
        stream.write(text)


def test_files_appear_together(tmp_path: Path) -> None:
    """Only at the end of the block, and then all of them."""
    with all_or_nothing():
        write(tmp_path / "a", "1")
        write(tmp_path / "b.gz", "2")
        assert not (tmp_path / "a").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b.gz"]
    assert (tmp_path / "a").read_text() == "1"


@pytest.mark.parametrize("error", [DataError, KeyboardInterrupt, SystemExit])
def test_none_appears_after_an_error(error: type[BaseException], tmp_path: Path) -> None:
    """What was there stays; what was made goes, also folders."""
    (tmp_path / "a").write_text("old")

    def work() -> None:
        with all_or_nothing():
            undo_on_error(tmp_path / "folder")
            (tmp_path / "folder").mkdir()
            write(tmp_path / "a", "new")
            write(tmp_path / "folder" / "b", "new")
            raise error

    with pytest.raises(error):
        work()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_only_what_is_new_is_undone(tmp_path: Path) -> None:
    """A folder that was there is not removed, nor one that holds something else."""
    (tmp_path / "old").mkdir()

    def work() -> None:
        with all_or_nothing():
            undo_on_error(tmp_path / "old")
            undo_on_error(tmp_path / "new")
            (tmp_path / "new").mkdir()
            (tmp_path / "new" / "x").write_text("somebody else's")
            raise DataError

    with pytest.raises(DataError):
        work()
    assert (tmp_path / "old").is_dir()
    assert (tmp_path / "new" / "x").exists()


def test_a_block_inside_a_block_ends_for_itself(tmp_path: Path) -> None:
    """So that a demo's later steps can read what earlier ones wrote."""
    with all_or_nothing():
        with all_or_nothing():
            write(tmp_path / "inner", "1")
        assert (tmp_path / "inner").exists()
        write(tmp_path / "outer", "2")
    assert (tmp_path / "outer").exists()


def test_one_file_that_cannot_be_put_in_its_place(tmp_path: Path) -> None:
    """The rest does not appear either, if it has not yet, and the sentence names the file."""

    def work() -> None:
        with all_or_nothing():
            write(tmp_path / "a", "1")
            write(tmp_path / "b", "2")
            (tmp_path / "a").mkdir()  # somebody was quicker

    with pytest.raises(RedinkError, match="cannot be written"):
        work()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_bytes_do_not_go_to_standard_output() -> None:
    """``-`` is a stream of text."""
    with pytest.raises(RedinkError, match="standard output"), write_bytes_atomically("-"):
        pass


def test_messages_are_one_line() -> None:
    """Whatever they quote."""
    assert one_line("as it is: é") == "as it is: é"
    assert one_line("a\nb\x1b[31m\udcff") == "a\\nb\\x1b[31m\\udcff"
    assert len(one_line("x" * 100_000)) < 700
    assert str(DataError("a\r\nb")) == "a\\r\\nb"
    assert str(FormatError("c\td", path="p\nq", line=3)) == "p\\nq:3: c\\td"
