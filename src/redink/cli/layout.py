"""Commands and their help pages: the same sections, words and order in every command."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem

from redink.errors import unknown_name
from redink.files import all_or_nothing
from redink.options import find_spelling

OPTION_SECTIONS = {
    "Input": "source references empty_reference source_column reference_column system_column "
    "metadata where documents judges question ok missing merge_labels "
    "drop lines",
    "Raw text": "align field tokenize tokenizer no_answer raw",
    "Metrics": "metrics beta selection reference_edits unclear mix",
    "ERRANT": "level only exclude types fixed errant_version",
    "M2": "max_unchanged_words ignore_whitespace_casing",
    "Statistics": "bootstrap samples repetitions interval confidence alpha ties resample seed",
    "Annotation": "language analyzer lexicon merge levenshtein cherrant_data alignments "
    "simplify cut",
    "Table format": "percent digits decimals wide columns sort caption label",
    "Output": "sentences plot plot_kappa plot_size form output verbose quiet help",
    "Performance": "workers cache",
}
"""The sections of ``--help`` after a command's own options, with the options in each."""

COMMON_OPTIONS = (
    "align all_measures alpha answers as_gold attack baseline benchmark blind bootstrap by "
    "cases choice_test curve data detector dry_run edits endpoint engine errors "
    "expect_precision experts file form from_counts gold_threshold interval items judges "
    "judgments key language max_requests merge method metrics model oks order output per_judge "
    "percent plot port power precision precision_width question references repetitions replies "
    "rules samples scale show sizes source strict summary task tests title tune unit "
    "update_baseline workers"
)
"""The options that ``-h`` shows of a command that has many besides those of all commands."""
# Names of types, and the placeholders for values in the help.
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
# They write large output part by part, so that interrupted work can continue.
AS_IT_GOES = {"annotate"}
_FEW = 12
"""The largest number of options that are all shown by ``-h``, without sections."""
_SCREEN = 40
"""The largest number of lines of ``-h``, at 80 columns."""
_TWO_LINES = 86
_OF_ALL = {"--verbose", "--quiet", "--help"}
_SHORT = "redink.short help"


class FileName(click.ParamType):  # type: ignore[type-arg,unused-ignore] # generic since click 8.4
    """``PATH`` or ``NAME=PATH``: the shell completes the name of a file."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Reject an option in place of a forgotten file; ``./--odd`` is a file."""
        if isinstance(value, str) and value.startswith("--"):
            self.fail(f"expected a file, found the option {value}", param, ctx)
        return value

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 (click passes it)
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Let the shell complete file names."""
        return [CompletionItem(incomplete, type="file")]


class Choice(click.Choice):  # type: ignore[type-arg,unused-ignore]
    """Names, also in former spelling; the error for another name suggests a similar one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name as it is known."""
        known = find_spelling(value, self.choices)
        if known not in self.choices:
            self.fail(str(unknown_name("value", value, self.choices)), param, ctx)
        return super().convert(known, param, ctx)


class Command(click.Command):
    """A command whose help has first its own options, then shared ones, then examples."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.context_settings.setdefault("max_content_width", 100)
        for parameter in self.params:
            if isinstance(parameter, click.Option) and parameter.metavar is None:
                is_folder = isinstance(parameter.type, click.Path) and not parameter.type.file_okay
                kind = "DIR" if is_folder else parameter.type.name.upper()
                if not parameter.is_flag and not isinstance(parameter.type, click.Choice):
                    parameter.metavar = _VALUES.get(kind, kind)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Accept options in British and in American spelling."""
        ctx.meta[_SHORT] = "-h" in args
        known = {name for p in self.params for name in (*p.opts, *p.secondary_opts)}
        spelled = []
        for word in args:
            name, equals, value = word.partition("=")
            is_option = name.startswith("--")
            spelled.append(f"{find_spelling(name, known)}{equals}{value}" if is_option else word)
        return super().parse_args(ctx, spelled)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the option, with the difference between its two names."""
        option = super().get_help_option(ctx)
        number = sum(isinstance(p, click.Option) for p in self.params)
        if option is not None and number >= _FEW:
            option.help = "Show the common options (-h) or all options (--help), and exit."
        return option

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; its files appear together, and none appears after an error."""
        if isinstance(self, click.Group) or ctx.info_name in AS_IT_GOES:
            return super().invoke(ctx)
        with all_or_nothing():
            try:
                return super().invoke(ctx)
            except (click.exceptions.Exit, SystemExit) as leaving:
                ended = leaving  # the work is done, and has an exit code
        raise ended

    def get_help(self, ctx: click.Context) -> str:
        """Return the help of click, with names such as ``gleu-koyama`` on one line."""
        return super().get_help(ctx).replace(_UNBROKEN, "-")

    def sections(self, ctx: click.Context) -> dict[str, list[click.Option]]:
        """Return the options by section; the first section has those of this command only."""
        options = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        if len(options) <= _FEW:
            return {"Options": options}
        found: dict[str, list[click.Option]] = {t: [] for t in ("Options", *OPTION_SECTIONS)}
        homes = {n: title for title, names in OPTION_SECTIONS.items() for n in names.split()}
        for option in options:
            name = "help" if "--help" in option.opts else option.name
            found[homes.get(name or "", "Options")].append(option)
        return {title: members for title, members in found.items() if members}

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all options, or for ``-h`` the common options, in one screen."""
        sections = self.sections(ctx)
        number = sum(map(len, sections.values()))
        if number <= _FEW or not ctx.meta.get(_SHORT):
            super().format_help(ctx, formatter)
            return
        self.format_usage(ctx, formatter)
        summary, _, more = (self.help or "").partition("\n\n")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(f"{summary} {_first_sentence(more)}")
        sections.pop("Table format", None)
        usual = [one for some in sections.values() for one in some if _OF_ALL.isdisjoint(one.opts)]
        if len(usual) > _FEW:
            usual = [one for one in usual if one.name in COMMON_OPTIONS.split()]
        rows = [
            (names, textwrap.shorten(_first_sentence(text), _TWO_LINES, placeholder=" …"))
            for names, text in (describe_option(option, ctx) for option in usual)
        ]
        options = ctx.make_formatter()
        with options.section("Options"):
            options.write_dl(rows[:_FEW])
        written = (formatter.getvalue() + options.getvalue()).count("\n")
        examples = (self.epilog or "").split("\n\n")[0]
        self._write_examples(formatter, examples, most=_SCREEN - written - 5)
        formatter.write(
            f"\n{options.getvalue()}\nAll {number} options: {ctx.command_path} --help\n"
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by section."""
        for title, members in self.sections(ctx).items():
            with formatter.section(title):
                formatter.write_dl([describe_option(option, ctx) for option in members])
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples, folded so that each can be pasted."""
        self._write_examples(formatter, self.epilog or "")

    @staticmethod
    def _write_examples(formatter: click.HelpFormatter, text: str, most: int | None = None) -> None:
        for paragraph in text.split("\n\n"):
            formatter.write_paragraph()
            if not paragraph.startswith("\b"):
                with formatter.indentation():
                    formatter.write_text(paragraph)
                continue
            written = 0
            for line in paragraph.removeprefix("\b").strip("\n").splitlines():
                parts = [*fold_example(line, formatter.width - 2)]
                written += len(parts)
                if most is None or written <= most:
                    formatter.write("".join(f"  {part}\n" for part in parts))


def _first_sentence(text: str) -> str:
    if not text:
        return ""
    return re.split(r"(?<=[^\d\s]{2})[.;]\s", f"{text.strip()} ", maxsplit=1)[0] + "."


class Group(Command, click.Group):
    """A group that lists its commands in order, each with its complete first sentence."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in order."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or suggest one with a similar name."""
        args = [find_spelling(args[0], self.list_commands(ctx)), *args[1:]]
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            for near in get_close_matches(args[0], self.list_commands(ctx), n=1):
                ctx.fail(f"unknown command {args[0]!r}; did you mean {near!r}?")
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every command."""
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                rows.append((name, command.get_short_help_str(limit=300)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


ONE_FILE = "FILE..."
"""The arguments of a command that needs only one file."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A command, or a group of commands; its module is loaded on first use.

    Attributes:
        summary: its line in the list of commands; members of a group have none.
        home: the command function, or a click command, as ``module:name``; by default the
            function of that name in :mod:`redink.commands`. Of a group: the module with the
            functions of its members.
        examples: commands to type; each further paragraph begins with a heading. A group shows
            the first example of each member.
        writes: whether the function writes its own output, so that its table needs no ``-o``.
        lists_files: whether its table only lists what was written, so that no part of it is chosen.
        finish: the function of :mod:`redink.cli.output` that gets the result.
        more: further options, by the names of functions of :mod:`redink.cli.output`.
        files: the arguments of a command that reads references and systems.
        needs: the extra without which the command, or the members of the group, cannot run.
        about: the help of a group.
        members: the commands of a group.
    """

    summary: str = ""
    home: str = ""
    examples: str = ""
    writes: bool = False
    lists_files: bool = False
    finish: str = "emit"
    more: tuple[str, ...] = ()
    files: str = "REFERENCE SYSTEM..."
    needs: str | None = None
    about: str = ""
    members: Mapping[str, Entry] | None = None

    def load(self, name: str) -> click.Command:
        """Return the click command."""
        from redink.cli.derive import make_command

        if self.members is not None:
            first = (inspect.cleandoc(e.examples).split("\n")[0] for e in self.members.values())
            group = Group(name, help=self.about, epilog=_write_examples("\n".join(first)))
            for member in self.members:
                group.add_command(self.member(member).load(member))
            return group
        found = self.find(name)
        return found if isinstance(found, click.Command) else make_command(name, found, self)

    def member(self, name: str) -> Entry:
        """Return a member of a group, with what it has from the group."""
        assert self.members is not None
        entry = self.members[name]
        return replace(entry, home=entry.home or f"{self.home}:{name}", needs=self.needs)

    def find(self, name: str) -> Any:
        """Import and return the command function or the click command."""
        module, _, attribute = (self.home or f"redink.commands.{name}:{name}").partition(":")
        return getattr(importlib.import_module(module), attribute)

    @property
    def epilog(self) -> str:
        """The examples below the help."""
        return _write_examples(inspect.cleandoc(self.examples)) if self.examples else ""


def _write_examples(text: str) -> str:
    first, *others = text.split("\n\n")
    blocks = ["Examples:\n" + textwrap.indent(first, "  "), *others]
    return "\n\n".join(f"\b\n{block}" for block in blocks)  # click folds a block without \b


def fold_example(line: str, width: int) -> Iterator[str]:
    """Fold an example to this width so that a shell still reads it as one command.

    A comment (after ``#``) that does not fit moves to the line above; a long command continues
    after a backslash, if possible before an option.
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
        # between words; a quoted text is one word
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


def describe_option(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    """Return the option and its help; limits of a number use the placeholder of its value."""
    record = option.get_help_record(ctx)
    assert record is not None
    names, text = record
    if isinstance(option.type, click.IntRange | click.FloatRange) and option.metavar:
        limits = re.compile(r"\b(?P<low>[\d.]+<=?)?x(?P<high>(?:[<>]=?[\d.]+)?)(?=\]$)")
        text = limits.sub(rf"\g<low>{option.metavar}\g<high>", text)
    # one pair of brackets for the default and the limits
    text = re.sub(r"\[(default: [^]]*)\]\s+\[([^]]*)\]$", r" [\1; \2]", text)
    return names, re.sub(r"(?<=\w)-(?=\w)", _UNBROKEN, textwrap.dedent(text))


def walk_commands(
    command: click.Command, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield this command and all commands below it, with the words that call them."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            member = command.get_command(context, name)
            assert member is not None
            yield from walk_commands(member, (*path, name))
