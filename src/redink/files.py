"""Read text strictly, and write files atomically.

All formats read lines with :func:`read_lines`, so problems (encoding, NUL bytes, a folder instead
of a file) are detected in one place and reported consistently.
"""

from __future__ import annotations

import codecs
import errno
import gzip
import io
import os
import re
import stat
import sys
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import accumulate, islice
from pathlib import Path
from types import ModuleType
from typing import IO, BinaryIO, NamedTuple, TextIO, cast

from redink.errors import (
    DataError,
    FormatError,
    MissingExtraError,
    OptionError,
    RedinkError,
    RedinkWarning,
)

STANDARD_STREAM = "-"
_CHUNK = 1 << 18
_HEAD = 1 << 14  # a small first piece: often only the first lines are needed
_ZSTD_CHUNK = 1 << 12  # a chunk becomes up to 20,000 times as large
_LARGE, _LARGEST_RATIO = 256 << 20, 100  # compressed text is rarely below a twentieth of its size
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


_STREAMS: dict[str, bytes] = {}  # content of standard input and of pipes such as ``<(command)``


def _open_bytes(path: str | Path) -> io.BufferedReader:
    """Open a file; streams can also be read twice: to detect the format, then for the values."""
    is_stdin = str(path) == STANDARD_STREAM
    if not is_stdin and not Path(path).is_fifo():
        return Path(path).open("rb")
    name = (
        STANDARD_STREAM if is_stdin else os.path.realpath(path)
    )  # contains the number of the pipe
    if name not in _STREAMS:
        _STREAMS[name] = sys.stdin.buffer.read() if is_stdin else Path(path).read_bytes()
    return io.BufferedReader(cast("io.RawIOBase", io.BytesIO(_STREAMS[name])))


def _chunks(path: str | Path, start: int = 0) -> Iterator[bytes]:
    """Yield the bytes of a file from ``start`` on, decompressed (gzip, Zstandard)."""
    try:
        with _open_bytes(path) as raw:
            # Compression is detected from the magic number instead of the name.
            magic = raw.peek(4)[:4]
            if magic.startswith(_GZIP):
                with gzip.GzipFile(fileobj=raw) as unzipped:
                    chunks = iter(lambda: unzipped.read(_CHUNK), b"")
                    yield from _drop(_refuse_bombs(chunks, raw, path), start)
            elif magic == _ZSTD:
                yield from _drop(_refuse_bombs(_zstd_chunks(raw, path), raw, path), start)
            else:
                if start:
                    raw.seek(start)
                yield raw.read(_HEAD)
                yield from iter(lambda: raw.read(_CHUNK), b"")
    except OSError as error:
        problem = _UNREADABLE.get(type(error), f"cannot be read ({error.strerror or error})")
        raise FormatError(problem, path=path) from error
    except EOFError as error:
        raise FormatError("is incomplete: the compressed data ends early", path=path) from error
    except zlib.error as error:
        raise FormatError("is damaged: cannot decompress the data", path=path) from error


def _refuse_bombs(chunks: Iterator[bytes], raw: BinaryIO, path: str | Path) -> Iterator[bytes]:
    """Raise an error if little compressed data becomes far more than text does."""
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > _LARGE and size > _LARGEST_RATIO * raw.tell():
            raise FormatError(
                f"decompresses to more than {_LARGE >> 20} MB, over {_LARGEST_RATIO} times its size"
                ". Try: decompress it first, if this is intended",
                path=path,
            )
        yield chunk


def _drop(chunks: Iterator[bytes], count: int) -> Iterator[bytes]:
    """Yield all but the first bytes."""
    for chunk in chunks:
        if count < len(chunk):
            yield chunk[count:]
        count = max(0, count - len(chunk))


def _zstd_chunks(raw: BinaryIO, path: str | Path) -> Iterator[bytes]:
    try:
        zstandard = _import_zstandard()
    except MissingExtraError as error:
        # report it like any other file that cannot be read
        raise FormatError(str(error), path=path) from error
    decompressor = zstandard.ZstdDecompressor()
    frame = decompressor.decompressobj()
    try:
        while chunk := raw.read(_ZSTD_CHUNK):
            while chunk:
                if frame.eof:
                    frame = decompressor.decompressobj()
                yield frame.decompress(chunk)
                chunk = frame.unused_data
    except zstandard.ZstdError as error:
        raise zlib.error(str(error)) from error
    if not frame.eof:
        raise EOFError


_UNREADABLE: dict[type[OSError], str] = {
    IsADirectoryError: "is a folder; expected a file",
    FileNotFoundError: "no such file",
    PermissionError: "cannot be read (permission denied)",
    gzip.BadGzipFile: "is damaged: cannot decompress the data",
}


def _blocks(path: str | Path, start: int) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks of complete lines."""
    rest: list[bytes] = []
    for chunk in _chunks(path, start):
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join([*rest, chunk[:cut]])
            rest = [chunk[cut:]]
        else:
            rest.append(chunk)
    yield b"".join(rest)


class Place(NamedTuple):
    """The start of a line, as the number of bytes (decompressed) and of lines before it."""

    byte: int = 0
    line: int = 0


BEGINNING = Place()


def _text_blocks(path: str | Path, start: Place) -> Iterator[tuple[Place, bytes, str]]:
    """Yield checked blocks of complete lines: the start, the bytes and the text of each."""
    offset, number = start
    for block in _blocks(path, offset):
        if offset == 0 and block.startswith(_ARCHIVE):
            raise FormatError(_describe_archive(path), path=path)
        body = block.removeprefix(codecs.BOM_UTF8) if offset == 0 else block
        offset += len(block) - len(body)
        problem, at = "", body.find(b"\0")
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError as error:
            beginning, at = body if offset == 0 else b"", error.start
            advice = next(text for magic, text in _BINARY.items() if beginning.startswith(magic))
            problem = f"is not UTF-8 text; {advice}"
        if at >= 0:
            raise FormatError(
                problem or "contains a NUL byte; expected a text file",
                path=path,
                line=number + _count_line_ends(body[:at].decode("utf-8")) + 1,
                byte=offset + at,
            )
        yield Place(offset, number), body, text
        offset += len(body)
        number += _count_line_ends(text)


_ARCHIVE = b"PK\x03\x04"
_UTF16 = "it is UTF-16; convert it with: iconv -f UTF-16 -t UTF-8"
_BINARY = {
    b"%PDF": "it is a PDF; copy the text into a text file",
    codecs.BOM_UTF16_LE: _UTF16,
    codecs.BOM_UTF16_BE: _UTF16,
    b"": "save it as UTF-8, or if it was made on Windows: iconv -f WINDOWS-1252 -t UTF-8",
}
"""Advice for files that are not UTF-8, by their first bytes."""


def _describe_archive(path: str | Path) -> str:
    if Path(path).suffix.lower() in {".xlsx", ".xlsm", ".ods"}:
        return "is a spreadsheet; save it as CSV (UTF-8) and give that file"
    return "is an archive or an office file; unpack it, or save it as text or CSV (UTF-8)"


def read_lines(path: str | Path, *, start: Place = BEGINNING) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file with their numbers from 1, without line ends.

    Only LF, CRLF and CR end a line; other Unicode separators can occur inside sentences. A
    byte-order mark is removed. ``-`` reads standard input. gzip is decompressed, and Zstandard if
    its library is installed. ``start`` is a :class:`Place` from :func:`mark_lines`.

    Raises:
        FormatError: the file cannot be opened, is not UTF-8, or contains NUL bytes.
    """
    for number, text in read_blocks(path, start=start):
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()  # the empty text after the last line end is not a line
        yield from enumerate(lines, start=number)


def read_blocks(path: str | Path, *, start: Place = BEGINNING) -> Iterator[tuple[int, str]]:
    """Yield the text of :func:`read_lines` in blocks of many lines, with the first line's number.

    All line ends become LF, and none is added to the last line. A file with several kinds of line
    ends causes a warning.
    """
    ends: dict[str, int] = {}
    for place, _, text in _text_blocks(path, start):
        _note_ends(ends, place.line, text)
        if "\r" in text:
            yield place.line + 1, text.replace("\r\n", "\n").replace("\r", "\n")
        else:
            yield place.line + 1, text
    if len(ends) > 1:
        told = ", ".join(f"{_ENDS[end]} (first: line {line})" for end, line in ends.items())
        warnings.warn(
            f"{path}: has several kinds of line ends: {told}; redink splits lines at all of them; "
            "check the number of lines and save the file with one kind",
            RedinkWarning,
            stacklevel=4,
        )


_ENDS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
_END = {"\n": re.compile(r"(?<!\r)\n"), "\r\n": re.compile(r"\r\n"), "\r": re.compile(r"\r(?!\n)")}


def _note_ends(ends: dict[str, int], before: int, text: str) -> None:
    """Record the kinds of line ends in a block, each with the first line that it ends."""
    for end, pattern in _END.items():
        if end not in ends and end in text and (found := pattern.search(text)):
            ends[end] = before + 1 + _count_line_ends(text[: found.start()])


def mark_lines(path: str | Path, *, every: int) -> tuple[list[Place], int]:
    """Return the start of every N-th line and the number of lines, and check the text."""
    places: list[Place] = []
    lines = 0
    for place, body, text in _text_blocks(path, BEGINNING):
        lines = place.line + _count_line_ends(text) + (body[-1:] not in {b"", b"\n", b"\r"})
        wanted = range(len(places) * every - place.line, lines - place.line, every)
        if wanted:
            ends = [0, *accumulate(map(len, body.splitlines(keepends=True)))]
            places.extend(Place(place.byte + ends[n], place.line + n) for n in wanted)
    return places, lines


def _count_line_ends(text: str) -> int:
    ends = text.count("\n")
    return ends + text.count("\r") - text.count("\r\n") if "\r" in text else ends


def read_text(path: str | Path) -> str:
    """Return the content of a text file, checked as in :func:`read_lines`, with LF line ends."""
    return "\n".join(line for _, line in read_lines(path))


def read_head(path: str | Path, *, lines: int = 50) -> list[str]:
    """Return the first lines of a file, to detect its format."""
    return [line for _, line in islice(read_lines(path), lines)]


@contextmanager
def placed(path: str | Path | None, line: int | None = None) -> Iterator[None]:
    """Add the file and the line to any :class:`DataError` raised inside the context."""
    try:
        yield
    except DataError as error:
        raise FormatError(str(error), path=path, line=line) from None


@contextmanager
def write_atomically(path: str | Path) -> Iterator[TextIO]:
    """Yield a text stream; its content appears at ``path`` after all of it is written.

    ``-`` is standard output; files named ``.gz`` or ``.zst`` are compressed. After an error or
    Ctrl-C, no file is left behind.

    Raises:
        RedinkError: the file cannot be written.
        DataError: the text is invalid Unicode (half of a surrogate pair).
    """
    try:
        if str(path) == STANDARD_STREAM:
            yield sys.stdout
            sys.stdout.flush()
            return
        with (
            write_bytes_atomically(path) as binary,
            _compressing(binary, Path(path).suffix) as stream,
        ):
            yield cast("TextIO", codecs.getwriter("utf-8")(stream))
    except UnicodeEncodeError as error:
        raise DataError(
            f"{path}: cannot be written as UTF-8: {error.object[error.start : error.end]!r} "
            "is not a character"
        ) from error


def _compressing(binary: IO[bytes], suffix: str) -> AbstractContextManager[IO[bytes]]:
    if suffix == ".gz":
        # without a name and a time inside: same content, same bytes
        zipped = gzip.GzipFile(filename="", mode="wb", fileobj=binary, mtime=0)
        return cast("AbstractContextManager[IO[bytes]]", zipped)
    if suffix == ".zst":
        writer = _import_zstandard().ZstdCompressor().stream_writer(binary, closefd=False)
        return cast("AbstractContextManager[IO[bytes]]", writer)
    return nullcontext(binary)


def _import_zstandard() -> ModuleType:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("zstandard", "scale") from error
    return zstandard


@contextmanager
def write_bytes_atomically(path: str | Path) -> Iterator[IO[bytes]]:
    """Yield a stream of bytes, as :func:`write_atomically` does, without compression."""
    target = Path(path)
    if str(path) == STANDARD_STREAM:
        raise RedinkError("binary output cannot be written to standard output; name a file")
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        mode = None
    except ValueError as error:  # a NUL in its name
        raise RedinkError(f"{target}: invalid file name") from error
    except OSError as error:
        raise _cannot_write(target, error) from error
    if mode is not None and stat.S_ISDIR(mode):
        raise RedinkError(f"{target}: is a folder; expected a file name")
    if mode is not None and not stat.S_ISREG(mode):
        # a device or a pipe (/dev/null, /dev/stdout): do not replace it by a file
        with _writing(target), target.open("wb") as stream:
            yield stream
        return
    # for a symbolic link, write the file that it points to
    target = Path(os.path.realpath(target))
    temporary = target.with_name(f"{_temporary_prefix(target.name)}{os.urandom(4).hex()}")
    # after any error or Ctrl-C from here on, the temporary file is removed
    try:
        with _writing(target):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            with os.fdopen(os.open(temporary, flags, 0o600), "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            # the temporary file is private; give it the usual file mode
            temporary.chmod(_new_file_mode() if mode is None else stat.S_IMODE(mode))
            if _TRANSACTIONS:
                _TRANSACTIONS[-1].written.append((temporary, target))
            else:
                temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def check_target(path: str | Path, *, folder: bool = False) -> None:
    """Check before the work that a file or folder can be written.

    Args:
        path: the file.
        folder: whether the output is a folder.

    Raises:
        RedinkError: the parent folder does not exist, or the path is a folder instead of a file.
    """
    target = Path(path)
    if not folder and target.is_dir():
        raise RedinkError(f"{target}: is a folder; expected a file name")
    if folder and str(path) == STANDARD_STREAM:
        raise RedinkError("folder output cannot be written to standard output; name a folder")
    if folder and target.exists() and not target.is_dir():
        raise RedinkError(f"{target}: is a file; expected a folder")
    if not target.parent.is_dir():
        raise _cannot_write(target, FileNotFoundError(errno.ENOENT, ""))


def check_files_differ(
    read: Mapping[str, Iterable[str | Path]], written: Mapping[str, str | Path]
) -> None:
    """Raise an error if an output file is also an input, or if two outputs are the same file.

    Links to the same file are detected.

    Args:
        read: the inputs by option name: PATH, ``NAME=PATH``, ``KIND:PATH,PATH`` or a metric spec
            that contains paths; other text is ignored.
        written: the output files and folders, by their names in messages.

    Raises:
        OptionError: an output file is an input, or two outputs are the same file.
    """
    outputs: dict[object, str] = {}
    for name, path in written.items():
        same = _identify(path)
        if same is not None and same in outputs:
            raise OptionError(
                f"{path}: {outputs[same]} and {name} would write the same file; use two names"
            )
        outputs[same] = name
    there = [Path(path) for path in written.values() if Path(path).exists()]
    if not there:
        return  # a file that does not exist is not an input
    folders = {_identify(path.absolute().parent): path for path in there if path.is_file()}
    for name, paths in read.items():
        for text in map(str, paths):
            parts = (text, text.partition("=")[2], text.partition(":")[2])
            for path in dict.fromkeys((*parts, *re.split(r"[=:;,+@()]", text))):
                same = _identify(path) if path else None
                if same is not None and same in outputs:
                    raise OptionError(
                        f"{path}: is an input that {outputs[same]} would overwrite; write to "
                        "another file"
                    )
                if same in folders and name in _READ_BY_FOLDER:
                    raise OptionError(
                        f"{folders[same]}: is in the input folder {path}; write to another folder"
                    )


_READ_BY_FOLDER = frozenset({"source", "corrected", "systems", "hypotheses"})
"""Options that accept a folder and read all files in it."""


def _identify(path: str | Path) -> object:
    """Return the identity of a file or folder, independent of its path; None for streams."""
    if str(path) == STANDARD_STREAM:
        return None
    try:
        found = os.stat(path)  # noqa: PTH116 (any string)
    except FileNotFoundError:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return None
    is_stored = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    return (found.st_dev, found.st_ino) if is_stored else None


@dataclass(eq=False)
class _Transaction:
    written: list[tuple[Path, Path]] = field(default_factory=list)  # temporary file and target
    made: list[Path] = field(default_factory=list)


_TRANSACTIONS: list[_Transaction] = []


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Make the files written inside appear together at the end; after any error, none appears.

    They cannot be read before that. Nested blocks are independent.
    """
    own = _Transaction()
    _TRANSACTIONS.append(own)
    try:
        yield
        while own.written:
            temporary, target = own.written[0]
            with _writing(target):
                temporary.replace(target)
            del own.written[0]
    except BaseException:
        for path in (*(temporary for temporary, _ in own.written), *reversed(own.made)):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        raise
    finally:
        _TRANSACTIONS.remove(own)


def undo_on_error(path: str | Path) -> None:
    """Tell :func:`all_or_nothing` to remove a file or empty folder created from now on."""
    if _TRANSACTIONS and not Path(path).exists():
        _TRANSACTIONS[-1].made.append(Path(path))


def make_folder(path: str | Path) -> None:
    """Create a folder if necessary; after an error in :func:`all_or_nothing` it is removed again.

    Raises:
        RedinkError: the folder cannot be created.
    """
    target = Path(path)
    check_target(target, folder=True)
    undo_on_error(target)
    with _writing(target):
        target.mkdir(exist_ok=True)


def _temporary_prefix(name: str) -> str:
    return f".{name[:100]}."


def append_line(path: str | Path, line: str) -> None:
    """Append a line to a text file and flush it to disk; a crash can leave an incomplete line."""
    target = Path(path)
    with _writing(target), target.open("ab") as stream:
        stream.write(f"{line}\n".encode())
        stream.flush()
        os.fsync(stream.fileno())


def remove_leftovers(folder: Path, names: Iterable[str]) -> None:
    """Remove the temporary files that a killed process left for files of these names."""
    begun = {_temporary_prefix(name) for name in names}
    for file in folder.glob(".*"):
        if f"{file.name.rpartition('.')[0]}." in begun:
            with suppress(OSError):
                file.unlink()


def _new_file_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _cannot_write(target, error) from error


def _cannot_write(target: Path, error: OSError) -> RedinkError:
    reasons = {
        errno.ENOENT: "no such folder",
        errno.EACCES: "permission denied",
        errno.ENOSPC: "the disk is full",
        errno.EDQUOT: "the disk is full",
        errno.EROFS: "the disk is read-only",
        errno.EFBIG: "the file is too large for this disk",
    }
    reason = reasons.get(error.errno or 0, error.strerror or str(error))
    return RedinkError(f"{target}: cannot be written ({reason})")
