"""How ``--help`` is laid out: the same sections, words and order in every command."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem

from redink.files import all_or_nothing
from redink.options import find_spelling

# What many commands have comes after what only this one has, and in this order.
SHARED = (
    "analyser",
    "workers",
    "plot",
    "plot_kappa",
    "plot_size",
    "form",
    "output",
    "seed",
    "quiet",
    "help",
)
# Names of types, and what stands for a value in the help.
_VALUES = {
    "INTEGER": "N",
    "WHOLE NUMBER": "N",
    "FLOAT": "X",
    "NUMBER": "X",
    "PATH": "FILE",
    "DIRECTORY": "DIR",
}
_INDENT = "    "
_UNBROKEN = "\N{NON-BREAKING HYPHEN}"
# These write large output part by part, so that work that was interrupted can go on.
AS_IT_GOES = {"annotate"}
# So many options need no sections.
_ONE_SECTION = 12


class FileName(click.ParamType):  # type: ignore[type-arg,unused-ignore] # generic since click 8.4
    """``PATH`` or ``NAME=PATH``: the shell completes the name of a file."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse the next option where a file was forgotten; ``./--odd`` is a file."""
        if isinstance(value, str) and value.startswith("--"):
            self.fail(f"a file was expected, but {value} is an option", param, ctx)
        return value

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 (click passes it)
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Leave it to the shell."""
        return [CompletionItem(incomplete, type="file")]


class Command(click.Command):
    """A command: first its own options, then those that many have, then the examples."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.context_settings.setdefault("max_content_width", 100)
        for parameter in self.params:
            if isinstance(parameter, click.Option) and parameter.metavar is None:
                kind = "DIR" if _is_folder(parameter.type) else parameter.type.name.upper()
                if not parameter.is_flag and not isinstance(parameter.type, click.Choice):
                    parameter.metavar = _VALUES.get(kind, kind)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Accept options in British and in American spelling."""
        known = {name for p in self.params for name in (*p.opts, *p.secondary_opts)}
        spelled = []
        for word in args:
            name, equals, value = word.partition("=")
            is_option = name.startswith("--")
            spelled.append(f"{find_spelling(name, known)}{equals}{value}" if is_option else word)
        return super().parse_args(ctx, spelled)

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; the files that it writes appear together, and none if anything goes wrong."""
        self._refuse_endless_numbers(ctx)
        if isinstance(self, click.Group) or ctx.info_name in AS_IT_GOES:
            return super().invoke(ctx)
        with all_or_nothing():
            try:
                return super().invoke(ctx)
            except (click.exceptions.Exit, SystemExit) as leaving:
                ended = leaving  # it has done its work, and has something to say by its exit code
        raise ended

    def _refuse_endless_numbers(self, ctx: click.Context) -> None:
        """``nan`` and ``inf`` are floats to Python, but no value that an option could have."""
        for parameter in self.params:
            value = ctx.params.get(parameter.name or "")
            numbers = value if isinstance(value, list | tuple) else [value]
            if any(isinstance(n, float) and not math.isfinite(n) for n in numbers):
                raise click.BadParameter("expected a finite number", ctx=ctx, param=parameter)

    def get_help(self, ctx: click.Context) -> str:
        """As click writes it, with names such as ``gleu-koyama`` on one line."""
        return super().get_help(ctx).replace(_UNBROKEN, "-")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """First the options of this command, then those that many have."""
        options = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        places = {place: p for p in options if (place := _place(p)) is not None}
        shared = [places[place] for place in sorted(places)]
        own = [p for p in options if p not in shared]
        if len(options) <= _ONE_SECTION:
            own, shared = own + shared, []
        for title, some in (("Options", own), ("Options that many commands have", shared)):
            if some:
                with formatter.section(title):
                    formatter.write_dl([_describe(option, ctx) for option in some])
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The examples, none wider than the page, each as it can be pasted."""
        for paragraph in (self.epilog or "").split("\n\n"):
            formatter.write_paragraph()
            if not paragraph.startswith("\b"):
                with formatter.indentation():
                    formatter.write_text(paragraph)
                continue
            for line in paragraph.removeprefix("\b").strip("\n").splitlines():
                for part in fold_example(line, formatter.width - 2):
                    formatter.write(f"  {part}\n")


class Group(Command, click.Group):
    """Commands in the order of the work, each with its whole first sentence."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """As they were defined."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a word about what was perhaps meant."""
        args = [find_spelling(args[0], self.list_commands(ctx)), *args[1:]]
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            for near in get_close_matches(args[0], self.list_commands(ctx), n=1):
                ctx.fail(f"there is no command {args[0]!r}; did you mean {near!r}?")
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every command, with nothing cut off."""
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                rows.append((name, command.get_short_help_str(limit=300)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def fold_example(line: str, width: int) -> Iterator[str]:
    """A line of an example in lines of at most this width, as a shell would read them.

    A remark (after ``#``) that does not fit stands above; a long command is continued after a
    backslash, if possible before an option.
    """
    if len(line) <= width:
        yield line
        return
    command, sign, remark = line.partition("  #")
    margin = command[: len(command) - len(command.lstrip())]
    if sign:
        yield f"{margin}# {remark.strip()}"
    command = command.rstrip()
    while len(command) > width:
        # between words; what stands in quotes is one
        words = [m.end() for m in re.finditer(r"""(?:"[^"]*"|'[^']*'|[^\s"'])+""", command)]
        words = [end for end in words if end < min(width - 1, len(command))]
        places = [
            end
            for end in words
            if end > len(margin) + width // 3 and re.match(r" --?[a-z]", command[end:])
        ] or words
        if not places:
            break
        yield f"{command[: places[-1]]} \\"
        command = f"{margin}{_INDENT}{command[places[-1] + 1 :]}"
    yield command


def _place(option: click.Option) -> int | None:
    """Where an option stands among those that many commands have, if it is one of them."""
    name = "help" if "--help" in option.opts else option.name
    return SHARED.index(name) if name in SHARED else None


def _is_folder(kind: click.ParamType) -> bool:  # type: ignore[type-arg,unused-ignore]
    return isinstance(kind, click.Path) and not kind.file_okay


def _describe(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    """The option and its help; the limits of a number are told by the name of the value."""
    record = option.get_help_record(ctx)
    assert record is not None
    names, text = record
    if isinstance(option.type, click.IntRange | click.FloatRange) and option.metavar:
        limits = re.compile(r"\b(?P<low>[\d.]+<=?)?x(?P<high>(?:[<>]=?[\d.]+)?)(?=\]$)")
        text = limits.sub(rf"\g<low>{option.metavar}\g<high>", text)
    # one pair of brackets, whether the default is click's or told by us
    text = re.sub(r"\[(default: [^]]*)\]\s+\[([^]]*)\]$", r" [\1; \2]", text)
    return names, re.sub(r"(?<=\w)-(?=\w)", _UNBROKEN, textwrap.dedent(text))


def walk_commands(
    command: click.Command, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command below this one, itself included, with the words that call it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            member = command.get_command(context, name)
            assert member is not None
            yield from walk_commands(member, (*path, name))
