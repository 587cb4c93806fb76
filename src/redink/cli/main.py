"""The command line: find a command, run it, and print an error as one sentence."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TextIO

import click
from click.shell_completion import CompletionItem

from redink._version import __version__
from redink.cli.catalogue import COMMANDS, SECTIONS
from redink.cli.completion import VARIABLE
from redink.cli.layout import Group
from redink.cli.progress_bar import WARNED, say
from redink.errors import RedinkError, RedinkWarning, one_line


class _LazyGroup(Group):
    """Load a command's module only when it is needed, so that start-up stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        return COMMANDS[cmd_name].load(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        width = max(map(len, COMMANDS))
        for title, names in SECTIONS.items():
            with formatter.section(title):
                rows = [(name.ljust(width), COMMANDS[name].summary) for name in names.split()]
                formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete without loading the commands: the shell waits."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=entry.summary)
            for name, entry in COMMANDS.items()
            if name.startswith(incomplete)
        ]


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: redink demo",
)
@click.version_option(__version__, prog_name="redink")
def cli() -> None:
    """Evaluate systems that detect and correct grammatical errors.

    redink scores system outputs against references, tests differences for significance, and
    analyzes human judgments. For examples and the common options of a command, type redink
    COMMAND -h; for all options, redink COMMAND --help.
    """


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, RedinkWarning):
        text = one_line(str(message))
        if text not in WARNED:
            WARNED.add(text)
            say(f"redink: warning: {text}")
    else:
        _default_show_warning(message, category, filename, lineno, file, line)


_default_show_warning = warnings.showwarning


def main() -> None:
    """Run the command line and exit with its code."""
    warnings.showwarning = _show_warning
    WARNED.clear()
    warnings.simplefilter("always", RedinkWarning)
    _fix_standard_streams()
    with _raise_on_signals() as received:
        try:
            code = _run()
        except BaseException as error:
            if not received and not isinstance(error, KeyboardInterrupt | click.Abort):
                raise
            # any other error was a consequence of the interruption
            code = 128 + (received[0] if received else signal.SIGINT)
            say("redink: interrupted; no incomplete file is left behind")
        if code:
            _give_up_stdout()
    sys.exit(code)


_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_CLEANUP_SECONDS = 1.0  # further signals are ignored for so long, so that cleanup can finish


class Interrupted(KeyboardInterrupt):
    """A signal asked the program to stop.

    Not a plain ``KeyboardInterrupt``: Python would end the process by SIGINT if one passes through
    the generated code of a dataclass, even if it is caught later.
    """


@contextmanager
def _raise_on_signals() -> Iterator[list[int]]:
    """Raise :class:`Interrupted` on signals; yield the list of the signals received so far."""
    received: list[int] = []
    quiet_until = 0.0

    def stop(number: int, _frame: FrameType | None) -> None:
        nonlocal quiet_until
        if time.monotonic() > quiet_until:
            quiet_until = time.monotonic() + _CLEANUP_SECONDS
            received.append(number)
            raise Interrupted

    # a signal that is ignored stays ignored (nohup, a background job of a script)
    caught = [n for n in _SIGNALS if signal.getsignal(n) not in {signal.SIG_IGN, None}]
    before = {number: signal.signal(number, stop) for number in caught}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _run() -> int:
    """Run the command, print an error as one sentence, and return the exit code."""
    try:
        if VARIABLE in os.environ:  # the shell asks for completions
            cli.main(prog_name="redink")
        code = run_here(sys.argv[1:])
        sys.stdout.flush()
    except RedinkError as error:
        say(f"redink: error: {error}")
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
    except click.ClickException as error:
        say(f"redink: error: {_usage_sentence(error)}")
    except BrokenPipeError:
        # The reader closed the pipe (`| head`): exit as quietly as other programs, with the code
        # that a shell reports for them.
        return READER_HAS_GONE
    except OSError as error:
        where = f"{error.filename}: cannot be used" if error.filename else _STDOUT_FAILED
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or error
        say(f"redink: error: {one_line(f'{where} ({reason})')}")
    except MemoryError:
        say("redink: error: out of memory")
    else:
        return code
    return 2


def _usage_sentence(error: click.ClickException) -> str:
    message = " ".join(error.format_message().split()).removesuffix(".")
    context = getattr(error, "ctx", None)
    return one_line(message) + (f"; see {context.command_path} --help" if context else "")


READER_HAS_GONE = 128 + 13  # SIGPIPE, which not every system has
_STDOUT_FAILED = "standard output cannot be written"


def run_here(words: list[str]) -> int:
    """Run a command in this process and return its exit code; errors are raised.

    ``cli.main`` would handle a broken pipe and Ctrl-C in its own way.
    """
    try:
        with cli.make_context("redink", words) as context:
            result = cli.invoke(context)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    return result if isinstance(result, int) else 0


def _fix_standard_streams() -> None:
    """Replace standard streams that the shell has closed."""
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 (for good)
    if sys.stdout is None:
        # closed: writing must fail, and nothing else may get its number
        closed = os.open(os.devnull, os.O_RDONLY)
        sys.stdout = os.fdopen(closed, "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (for good)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Results are UTF-8 like every file; a terminal of another kind shows what it can.
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")


def _give_up_stdout() -> None:
    """Prevent a message of Python at exit about output that could not be written."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
