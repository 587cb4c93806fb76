"""The errors that redink raises intentionally.

::

        RedinkError                 base class; the command line prints one sentence, exit code 2
    ├── FormatError             a file is invalid (path, and line or byte)
    ├── DataError               values do not match each other (lengths, names, spans)
    ├── OptionError             an option has an invalid value
    └── MissingExtraError       an optional library is not installed; names what to install

Any other error is a bug in redink.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

_LONGEST = 600


def one_line(message: str) -> str:
    """Return a message on one line, without control characters, shortened if it is long."""
    if len(message) > _LONGEST:
        message = f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 3 :]}"
    if message.isprintable():
        return message
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in message
    )


class RedinkError(Exception):
    """An error that the user can fix, described in one sentence on one line."""

    def __init__(self, message: str = "") -> None:
        super().__init__(one_line(message))


class FormatError(RedinkError):
    """A file that is not in the expected format.

    The message has the form ``PATH:LINE: message`` or ``PATH: byte N: message``.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        byte: int | None = None,
    ) -> None:
        self.message = message
        self.path = None if path is None else str(path)
        self.line = line
        self.byte = byte
        where = self.path or ""
        if line is not None:
            where += f":{line}"
        if byte is not None:
            where += f": byte {byte}"
        super().__init__(f"{where}: {message}" if where else message)

    def __reduce__(self) -> tuple[object, ...]:
        # pickle does not pass keyword arguments to the class
        make = partial(FormatError, path=self.path, line=self.line, byte=self.byte)
        return (make, (self.message,))


class DataError(RedinkError):
    """Values that do not match each other."""


class OptionError(RedinkError):
    """An invalid value of an option."""


def unknown_name(
    what: str, name: object, known: Iterable[object], error: type[RedinkError] = OptionError
) -> RedinkError:
    """Return the error for a name that is not one of the known names.

    Example: ``unknown metric 'erant'; did you mean 'errant'? Expected one of: errant, m2``.
    """
    from difflib import get_close_matches

    names = {str(each).lower(): str(each) for each in known}
    near = get_close_matches(str(name).lower(), names, n=1)
    hint = f"did you mean {names[near[0]]!r}? Expected one of" if near else "expected one of"
    return error(f"unknown {what} {name!r}; {hint}: {', '.join(names.values())}")


class MissingExtraError(RedinkError):
    """A required optional library is not installed."""

    def __init__(self, library: str, extra: str | None = None) -> None:
        self.library = library
        self.extra = extra
        wanted = f"'redink[{extra}]'" if extra else library
        super().__init__(
            f"this needs {library}, which is not installed; install it with: pip install {wanted}"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (MissingExtraError, (self.library, self.extra))


class RedinkWarning(UserWarning):
    """A warning for the user; the command line prints it on stderr as one line."""
