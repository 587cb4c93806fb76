"""Every error redink raises on purpose.

::

    RedinkError                 the root; the command line prints it as one sentence, exit code 2
    ├── FormatError             a file is not what it should be (path, and line or byte)
    ├── DataError               values that do not fit together (lengths, names, spans)
    ├── OptionError             an option with an impossible value
    └── MissingExtraError       an optional library is not installed; says what to install

Anything else that escapes is a bug in redink.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_LONGEST = 600


def one_line(message: str) -> str:
    """A message for people, whatever it quotes: one line, no control characters, not too long."""
    if len(message) > _LONGEST:
        message = f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 3 :]}"
    if message.isprintable():
        return message
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in message
    )


class RedinkError(Exception):
    """The root of redink's errors: something the user can fix, in one sentence on one line."""

    def __init__(self, message: str = "") -> None:
        super().__init__(one_line(message))


class FormatError(RedinkError):
    """A file that cannot be read as what it should be.

    Prints as ``PATH:LINE: message`` or ``PATH: byte N: message``.
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
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        where = self.path or ""
        if self.line is not None:
            where += f":{self.line}"
        if self.byte is not None:
            where += f": byte {self.byte}"
        return f"{where}: {self.message}" if where else self.message

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments need help to cross a process boundary.
        return (_rebuild_format_error, (self.message, self.path, self.line, self.byte))


def _rebuild_format_error(
    message: str, path: str | None, line: int | None, byte: int | None
) -> FormatError:
    return FormatError(message, path=path, line=line, byte=byte)


class DataError(RedinkError):
    """Values that do not fit together."""


class OptionError(RedinkError):
    """An option whose value cannot be used."""


def unknown_name(
    what: str, name: object, known: Iterable[object], error: type[RedinkError] = OptionError
) -> RedinkError:
    """Return the error for a name that is not one of the known names.

    Example: ``unknown metric 'erant'; did you mean 'errant'? Expected one of: errant, m2``.
    """
    from difflib import get_close_matches

    names = [str(each) for each in known]
    near = get_close_matches(str(name), names, n=1)
    hint = f"did you mean {near[0]!r}? Expected one of" if near else "expected one of"
    return error(f"unknown {what} {name!r}; {hint}: {', '.join(names)}")


class MissingExtraError(RedinkError):
    """An optional library is needed and not installed."""

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
    """Something the user should know that did not stop the work.

    The command line prints it on stderr as one line; it is never a crash.
    """
