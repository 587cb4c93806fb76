"""Reading text with care, and writing it so that nothing half-written is ever left.

Every reader of a format takes its lines from :func:`read_lines`, so that what is wrong with a
file's bytes (encoding, NUL, a folder in its place) is found in one place and said in one way.
"""

from __future__ import annotations

import codecs
import gzip
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, TextIO, cast

from redink.errors import FormatError, RedinkError

STANDARD_STREAM = "-"
_CHUNK = 1 << 20


def _open_bytes(path: str | Path) -> BinaryIO:
    if str(path) == STANDARD_STREAM:
        return sys.stdin.buffer
    try:
        # The magic number, not the name, says whether a file is compressed.
        raw = Path(path).open("rb")  # noqa: SIM115 (the caller closes it)
        if raw.peek(2)[:2] == b"\x1f\x8b":
            return cast("BinaryIO", gzip.GzipFile(fileobj=raw))
    except OSError as error:
        raise _os_error(path, error) from error
    return raw


def _os_error(path: str | Path, error: OSError) -> FormatError:
    if isinstance(error, IsADirectoryError):
        return FormatError("is a folder; a file was expected", path=path)
    if isinstance(error, FileNotFoundError):
        return FormatError("no such file", path=path)
    if isinstance(error, PermissionError):
        return FormatError("may not be read or written (permission denied)", path=path)
    return FormatError(error.strerror or str(error), path=path)


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers from 1, without their line ends.

    Only LF, CRLF and CR end a line (not the other separators of Unicode, which occur inside
    sentences). A byte-order mark is dropped. ``-`` reads standard input; gzip is seen through.

    Raises:
        FormatError: the file cannot be opened, is not UTF-8, or holds NUL bytes.
    """
    with _open_bytes(path) as stream:
        number = 0
        offset = 0
        try:
            for raw in stream:
                start, offset = offset, offset + len(raw)
                body = raw.removeprefix(codecs.BOM_UTF8) if start == 0 else raw
                try:
                    text = body.decode("utf-8")
                except UnicodeDecodeError as error:
                    at = start + (len(raw) - len(body)) + error.start
                    raise FormatError(
                        f"is not UTF-8 text (byte {at})", path=path, line=number + 1
                    ) from error
                if "\0" in text:
                    raise FormatError(
                        "holds a NUL byte; a text file was expected", path=path, line=number + 1
                    )
                text = text.removesuffix("\n").removesuffix("\r")
                # A lone CR is an old Mac line end; inside CRLF files it is already gone.
                for part in text.split("\r") if "\r" in text else (text,):
                    number += 1
                    yield number, part
        except (OSError, EOFError) as error:
            # a damaged gzip stream, or a disk that fails while reading
            reason = error if isinstance(error, OSError) else OSError(0, "the file is cut short")
            raise _os_error(path, reason) from error


def read_text(path: str | Path) -> str:
    """The whole of a text file, checked as :func:`read_lines` checks it, with LF line ends."""
    return "\n".join(line for _, line in read_lines(path))


def read_head(path: str | Path, *, lines: int = 50) -> list[str]:
    """The first lines of a file, to tell its format by."""
    head = []
    for number, line in read_lines(path):
        head.append(line)
        if number >= lines:
            break
    return head


@contextmanager
def write_atomically(path: str | Path) -> Iterator[TextIO]:
    """A text stream whose content appears at ``path`` only when all of it is written.

    ``-`` is standard output. On any error, and on Ctrl-C, nothing is left behind.
    """
    if str(path) == STANDARD_STREAM:
        yield sys.stdout
        sys.stdout.flush()
        return
    with write_bytes_atomically(path) as binary:
        text = codecs.getwriter("utf-8")(binary)
        yield cast("TextIO", text)


@contextmanager
def write_bytes_atomically(path: str | Path) -> Iterator[IO[bytes]]:
    """Like :func:`write_atomically`, for bytes."""
    target = Path(path)
    if target.is_dir():
        raise RedinkError(f"{target}: is a folder; a file name was expected")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise RedinkError(f"{target}: cannot be written ({error.strerror})") from error
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes private files; the user expects the mode of any new file.
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(target)
    except BaseException as error:
        with suppress(OSError):
            Path(name).unlink()
        if isinstance(error, OSError):
            raise RedinkError(f"{target}: cannot be written ({error.strerror})") from error
        raise
