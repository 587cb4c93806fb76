"""Reading text with care, and writing it whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import redink.files
from redink.errors import DataError, FormatError, RedinkError, one_line
from redink.files import (
    all_or_nothing,
    read_head,
    read_lines,
    undo_on_error,
    write_atomically,
    write_bytes_atomically,
)
from redink.formats.parquet import is_parquet


def lines_of(path: Path, data: bytes) -> list[str]:
    path.write_bytes(data)
    return [line for _, line in read_lines(path)]


def refusal(path: Path, data: bytes | None = None) -> FormatError:
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        list(read_lines(path))
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    return caught.value


GZIPPED = gzip.compress(bytes(range(100)).hex().encode(), mtime=0)


@pytest.fixture
def guarded() -> Iterator[Path]:
    """A folder in which permissions count, even where the tests run as root."""
    folder = Path(tempfile.mkdtemp())
    user = os.geteuid()
    if user == 0:
        os.chown(folder, 65534, -1)
        os.seteuid(65534)
    yield folder
    os.seteuid(user)
    shutil.rmtree(folder)


# ---- reading


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\n\nb", ["a", "", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\r", ["a", "b"]),
        (b"a\r\n\rb\n", ["a", "", "b"]),
        (b"a\n\r\n", ["a", ""]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b"\xef\xbb\xbf", []),
        ("a\u2028b\x85c\x0cd\x1ce\n".encode(), ["a\u2028b\x85c\x0cd\x1ce"]),
        ("x\ufeffy".encode(), ["x\ufeffy"]),
    ],
)
def test_line_ends(tmp_path: Path, data: bytes, lines: list[str]) -> None:
    """LF, CRLF and CR end a line and nothing else does; a byte-order mark is no text."""
    assert lines_of(tmp_path / "f", data) == lines


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(st.sampled_from("ab\n\ré\u2028"), max_size=60),
    chunk=st.integers(1, 9),
    pack=st.sampled_from([bytes, gzip.compress]),
)
def test_chunks_do_not_matter(
    text: str, chunk: int, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    data = text.encode()
    path = tmp_path / "f"
    path.write_bytes(pack(data))
    expected = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline=None).read()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redink.files, "_CHUNK", chunk)
        found = [line for _, line in read_lines(path)]
    wanted = expected.split("\n")
    assert found == (wanted[:-1] if wanted[-1] == "" else wanted)


@pytest.mark.parametrize(
    ("data", "line", "byte", "said"),
    [
        (b"\xef\xbb\xbffine\r\nna\xc3\xafve\ncaf\xe9\n", 3, 19, "is not UTF-8 text; save it as"),
        ("é\nb\0\n".encode(), 2, 4, "contains a NUL byte"),
        ("a\n".encode("utf-16"), 1, 0, "is not UTF-8 text; it is UTF-16"),
        (b"PK\x03\x04\xff", None, None, "office file"),
        *((GZIPPED[:cut], None, None, "is incomplete") for cut in (3, 15, 40, -9, -4, -1)),
        (GZIPPED[:12] + bytes([GZIPPED[12] ^ 0xFF]) + GZIPPED[13:], None, None, "is damaged"),
        (GZIPPED[:-6] + bytes([GZIPPED[-6] ^ 0xFF]) + GZIPPED[-5:], None, None, "is damaged"),
    ],
)
def test_bad_bytes(
    data: bytes, line: int | None, byte: int | None, said: str, tmp_path: Path
) -> None:
    error = refusal(tmp_path / "f", data)
    assert (error.line, error.byte) == (line, byte)
    assert said in error.message


def test_no_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    assert str(refusal(tmp_path)) == f"{tmp_path}: is a folder; expected a file"
    assert str(refusal(tmp_path / "none")) == f"{tmp_path / 'none'}: no such file"
    assert "cannot be read" in str(refusal(tmp_path / "f" / "g"))


def test_bad_byte_after_the_first_chunk(tmp_path: Path) -> None:
    good = b"0123456789\n" * 60_000
    error = refusal(tmp_path / "f", good + b"ab\xff\n")
    assert (error.line, error.byte) == (60_001, len(good) + 2)


def test_forbidden(guarded: Path) -> None:
    (guarded / "f").write_text("x")
    (guarded / "f").chmod(0)
    assert str(refusal(guarded / "f")) == f"{guarded / 'f'}: cannot be read (permission denied)"


def test_disk_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, _: object) -> int:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(redink.files, "_open_bytes", lambda _: io.BufferedReader(Failing()))
    error = refusal(tmp_path / "f")
    assert str(error) == f"{tmp_path / 'f'}: cannot be read (Input/output error)"


def test_gzip_is_seen_through(tmp_path: Path) -> None:
    """The content, not the name, says that a file is compressed; several members are one text."""
    packed = gzip.compress(b"a\n") + gzip.compress(b"b\n")
    assert lines_of(tmp_path / "plain.txt", packed) == ["a", "b"]


def test_zstandard_is_seen_through(tmp_path: Path) -> None:
    pack = zstandard.ZstdCompressor().compress
    data = pack(b"a\n") + pack(b"b\n")
    assert lines_of(tmp_path / "f.zst", data) == ["a", "b"]
    whole = pack(os.urandom(100).hex().encode())
    assert "is incomplete" in str(refusal(tmp_path / "f.zst", whole[:-3]))
    damaged = bytearray(pack(b"abc" * 1000))
    damaged[4:12] = b"\xff" * 8
    assert "damaged" in str(refusal(tmp_path / "f.zst", bytes(damaged)))


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_small_file_that_becomes_very_large_is_refused(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redink.files._LARGE", 4 << 20)
    file = tmp_path / f"bomb.txt{suffix}"
    with (gzip.open if suffix == ".gz" else zstandard.open)(file, "wb") as stream:
        for _ in range(6):
            stream.write(b"a b\n" * (1 << 18))
    assert "decompresses to more than 4 MB, over 100 times" in str(refusal(file))


def test_zstandard_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    error = refusal(tmp_path / "f.zst", zstandard.ZstdCompressor().compress(b"a\n"))
    assert "this needs zstandard, which is not installed" in str(error)


def test_standard_input_can_be_read_twice() -> None:
    code = "from redink.files import *; print(read_head('-'), [x for _, x in read_lines('-')])"
    run = subprocess.run(
        [sys.executable, "-c", code], input=b"a\nb\n", capture_output=True, check=True
    )
    assert run.stdout.decode().strip() == "['a', 'b'] ['a', 'b']"


def test_a_pipe_can_be_read_twice() -> None:
    ours, theirs = os.pipe()
    os.write(theirs, b"a\nb\n")
    os.close(theirs)
    path = f"/dev/fd/{ours}"
    try:
        assert read_head(path) == ["a", "b"] == [line for _, line in read_lines(path)]
        assert not is_parquet(path)
        assert read_head(path) == ["a", "b"]
    finally:
        os.close(ours)


def test_reading_needs_little_memory(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"0123456789 0123456789\n" * 500_000)
    tracemalloc.start()
    for _ in read_lines(tmp_path / "f"):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8_000_000


# ---- writing


def test_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    """While it is written there is no file of that name; afterwards nothing else is left."""
    target = tmp_path / "out.txt"
    with write_atomically(target) as stream:
        stream.write("naïve\n")
        assert not target.exists()
    assert target.read_bytes() == "naïve\n".encode()
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, DataError])
def test_nothing_is_left_after_an_error(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")

    def fail() -> None:
        with write_atomically(target) as stream:
            stream.write("new")
            raise error

    with pytest.raises(error):
        fail()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        with write_atomically(tmp_path / "new") as stream:
            stream.write("x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    (tmp_path / "new").chmod(0o600)
    with write_atomically(tmp_path / "new") as stream:
        stream.write("y")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


def test_symbolic_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with write_atomically(tmp_path / "link") as stream:
        stream.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_device_is_not_replaced() -> None:
    """``-o /dev/null`` must leave /dev/null what it is."""
    with write_atomically("/dev/null") as stream:
        stream.write("x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_name_in_gz_is_compressed(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with write_atomically(tmp_path / name) as stream:
            stream.write("naïve\n")
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()).decode() == "naïve\n"
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def write(target: Path, text: str = "x") -> None:
    with write_atomically(target) as stream:
        stream.write(text)


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(RedinkError, match="is a folder; expected a file name"):
        write(tmp_path)
    with pytest.raises(RedinkError, match=r"cannot be written \(no such folder\)"):
        write(tmp_path / "no" / "out")
    (tmp_path / "file").write_text("x")
    with pytest.raises(RedinkError, match="cannot be written"):
        write(tmp_path / "file" / "out")


def test_forbidden_folder(guarded: Path) -> None:
    (guarded / "sub").mkdir(mode=0o500)
    with pytest.raises(RedinkError, match="permission denied"):
        write(guarded / "sub" / "out")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_full_disk() -> None:
    with pytest.raises(RedinkError, match=r"/dev/full: cannot be written \(the disk is full\)"):
        write(Path("/dev/full"), "x" * 100_000)


def test_half_a_character(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written as UTF-8"):
        write(tmp_path / "out", "a\ud800")
    assert list(tmp_path.iterdir()) == []


# ---- several files


def test_files_appear_together(tmp_path: Path) -> None:
    with all_or_nothing():
        write(tmp_path / "a", "1")
        write(tmp_path / "b.gz", "2")
        assert not (tmp_path / "a").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b.gz"]
    assert (tmp_path / "a").read_text() == "1"


@pytest.mark.parametrize("error", [DataError, KeyboardInterrupt, SystemExit])
def test_none_appears_after_an_error(error: type[BaseException], tmp_path: Path) -> None:
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


# ---- messages


def test_messages_are_one_line() -> None:
    assert one_line("as it is: é") == "as it is: é"
    assert one_line("a\nb\x1b[31m\udcff") == "a\\nb\\x1b[31m\\udcff"
    assert len(one_line("x" * 100_000)) < 700
    assert str(DataError("a\r\nb")) == "a\\r\\nb"
    assert str(FormatError("c\td", path="p\nq", line=3)) == "p\\nq:3: c\\td"
