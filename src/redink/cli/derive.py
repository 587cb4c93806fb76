"""Make the commands of the command line from command functions.

:mod:`redink.options` reads the declaration of a command. This module adds what a terminal needs:
the spelling of options, the destination of the result, and a progress bar.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from itertools import chain
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from redink.cli import output
from redink.cli.layout import ONE_FILE, Choice, Command, Entry, FileName
from redink.cli.progress_bar import say, show_progress
from redink.errors import MissingExtraError, OptionError, RedinkError
from redink.files import STANDARD_STREAM, check_target
from redink.model.tables import form_of_file
from redink.options import (
    Declaration,
    DisplayOptions,
    Flag,
    Kind,
    Option,
    check_together,
    declaration,
)


def make_command(name: str, function: Callable[..., Any], entry: Entry) -> Command:
    """Return the command-line command of a command function."""
    declared = declaration(function)
    options = {option.name: option for option in declared.options}
    parameters = _make_parameters(declared, entry)
    own_options = {parameter.name for parameter in parameters}
    terminal = [getattr(output, option)() for option in entry.more]
    terminal += output.result_options(entry)
    parameters += [option for option in terminal if option.name not in own_options]
    displays = "form" in {option.name for option in terminal}
    if entry.writes or entry.lists_files or not displays:
        parameters = [p for p in parameters if p.name not in vars(DisplayOptions())]

    def run(**given: Any) -> int | None:
        for library in _EXTRAS.get(entry.needs or "", ()):
            if importlib.util.find_spec(library) is None:
                raise MissingExtraError(library, entry.needs)
        around = {
            option.name: given.pop(option.name) for option in terminal if option.name in given
        }
        files = given.pop("files", None)
        values = {name: _read_value(options[name], given[name]) for name in given}
        if files is not None:
            values |= _split_files(files, values, entry.files)
        # options that are not given have the default of the function itself
        used = {name: value for name, value in values.items() if value is not None and value != ()}
        if around.get("output") is not None:
            check_together(declared.options, used, table=around["output"])
        _check_standard_streams(values, around, declared, entry)
        _check_output(used, around, declared, has_verdicts=entry.finish == "emit_findings")
        has_bar = sys.stderr.isatty() and not output.is_quiet()
        with _print_error_notes(), show_progress() if has_bar else nullcontext():
            table = function(**used)
        code: int | None = getattr(output, entry.finish)(output.Result(table, around, values))
        return code

    return Command(
        name,
        params=parameters,
        callback=run,
        help=plain(f"{declared.summary}\n\n{declared.description}".strip()),
        epilog=entry.epilog,
    )


def _make_parameters(declared: Declaration, entry: Entry) -> list[click.Parameter]:
    takes_systems = {"reference", "systems"} <= {option.name for option in declared.options}
    parameters: list[click.Parameter] = []
    for option in declared.options:
        if takes_systems and option.name == "reference":
            files = click.Argument(["files"], nargs=-1, metavar=entry.files, type=FileName())
            parameters.append(files)
        elif not (option.kind.flag.hidden or (takes_systems and option.name == "systems")):
            parameters += _parameters(option)
    return parameters


_EXTRAS = {"campaign": ("sqlalchemy", "starlette", "uvicorn", "jinja2")}


@contextmanager
def _print_error_notes() -> Iterator[None]:
    """Print the notes of an error (how to continue, say) below the progress bar."""
    try:
        yield
    except (KeyboardInterrupt, RedinkError) as error:
        for note in getattr(error, "__notes__", ()):
            say(f"redink: {note}")
        raise


def _read_value(option: Option, value: Any) -> Any:
    """Return a value from click as the command function takes it."""
    if value is not None and _is_inverted(option):
        return not value
    if value and option.kind.flag.each:  # flags that exclude each other
        if len(set(value)) > 1:
            named = " and ".join(f"--{flag}" for flag in dict.fromkeys(value))
            raise OptionError(f"{named} cannot be combined")
        return value[0]
    if value and _is_list(option):  # a flag that was given once or several times
        return value[0] if len(value) == 1 else [*chain(*value)]
    return value


_READ = (
    *("reference", "systems", "baseline", "candidate"),
    *("source", "references", "corrected", "judgments", "scores"),
)


def _check_standard_streams(
    values: Mapping[str, Any], around: Mapping[str, Any], declared: Declaration, entry: Entry
) -> None:
    """Reject two inputs from standard input, and two outputs to standard output."""
    given = [values.get(name) for name in _READ]
    files = chain.from_iterable(v if isinstance(v, tuple | list) else [v] for v in given)
    if sum(str(file).rpartition("=")[2] == STANDARD_STREAM for file in files) > 1:
        raise OptionError("-: only one input can be standard input; use file names for the others")
    written = [option.name for option in declared.options if option.kind.flag.writes]
    printed = [name for name in written if str(values.get(name)) == STANDARD_STREAM]
    is_table_printed = not entry.writes and around.get("output") in {None, STANDARD_STREAM}
    if len(printed) + is_table_printed > 1:
        name = printed[0].replace("_", "-")
        raise OptionError(f"--{name} -: standard output is already used; pass a file name")


def _check_output(
    used: Mapping[str, Any],
    around: Mapping[str, Any],
    declared: Declaration,
    *,
    has_verdicts: bool,
) -> None:
    """Raise an error, before the work begins, if the result cannot be written as asked for."""
    path, form = around.get("output"), around.get("form")
    for target in (path, used.get("plot")):
        if target is not None:
            check_target(target)
    if path is not None and form is None:
        form = form_of_file(path)
    if form == "junit" and not has_verdicts:
        raise OptionError(f"{path}: JUnit XML (.xml) is only for redink gate. Try: --format")
    for option in declared.options:
        wanted = option.kind.flag.form
        if wanted is not None and option.name in used and form != wanted:
            raise OptionError(f"--{option.name} has no effect here; it needs --format {wanted}")


def _split_files(files: tuple[str, ...], values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the reference and the systems; with --reference all files are systems."""
    has_source = values.get("source") is not None
    if values.get("system_column") and len(files) == 1:
        return {"reference": files[0]}
    own = values.get("references") or (has_source and values.get("reference_for"))
    if own or values.get("from_counts") or (has_source and name == ONE_FILE):
        return {"systems": list(files)}
    if has_source:
        raise OptionError("--source requires at least one --reference")
    if name == ONE_FILE and not files:
        raise OptionError("give at least one file")
    if name != ONE_FILE and len(files) < (1 if values.get("humans") else 2):
        from redink.inputs.metadata import Columns  # loads only for a single file

        if not (files and Columns.has_texts(files[0])):
            raise OptionError("give a REFERENCE and at least one SYSTEM")
    return {"reference": files[0], "systems": list(files[1:])}


def _parameters(option: Option) -> list[click.Parameter]:
    kind, flag = option.kind, option.kind.flag
    if option.positional and flag == Flag(value=flag.value, many=flag.many, writes=flag.writes):
        # SOURCE; of several, the singular: SYSTEM...; brackets if there may be none
        name = option.name.upper().removesuffix("S" if kind.many else " ")
        name = name if option.is_required else f"[{name}]"
        return [
            click.Argument(
                [option.name],
                nargs=-1 if kind.many else 1,
                required=option.is_required,
                metavar=flag.value or (f"{name}..." if kind.many else name),
                type=_type(option),
            )
        ]
    if flag.each:
        return [
            click.Option(
                [f"--{choice}", option.name],
                flag_value=choice,
                multiple=True,  # so that two of them are seen
                help=_about(option, choice),
            )
            for choice in kind.choices
        ]
    return [_option(option)]


_WIDEST = 68
"""Wider lists of choices are in the text of the help."""


def _option(option: Option) -> click.Option:
    kind, flag = option.kind, option.kind.flag
    name = flag.name or option.name.replace("_", "-")
    names = [f"--{name}"] + ([f"-{flag.short}"] if flag.short else [])
    settings: dict[str, Any] = {"help": _about(option), "required": option.is_required}
    if not option.is_required:
        settings["default"] = None  # the function has its own
    if kind.type is bool:
        settings["is_flag"] = True
        if _is_inverted(option):
            names = [f"--{flag.off or f'no-{name}'}"]
        elif flag.off is not None:
            names[0] += f"/--{flag.off}"
        return click.Option([*names, option.name], **settings)
    if flag.value is not None:
        settings["metavar"] = flag.value
    elif kind.choices and len(_value_name(option)) > _WIDEST:
        settings["metavar"] = "NAME"
        settings["help"] += f" One of {', '.join(map(str, kind.choices))}."
    elif kind.many and not flag.repeat:
        settings["metavar"] = f"{_value_name(option)},..."
    if (default := _show_default(option)) is not None:
        settings["help"] += f" [default: {default}]"
    return click.Option(
        [*names, option.name],
        type=_type(option),
        multiple=flag.repeat or _is_list(option),
        nargs=flag.parts,
        **settings,
    )


def _is_list(option: Option) -> bool:
    """Return whether the flag takes values separated by commas; it can also be repeated."""
    kind, flag = option.kind, option.kind.flag
    listed = kind.many and not flag.repeat and flag.parts == 1
    return listed and not (option.positional or flag.each)


def _is_inverted(option: Option) -> bool:
    """Return whether only the flag for False exists, since True is the default."""
    return option.kind.type is bool and option.default is True and option.kind.flag.name is None


def _value_name(option: Option) -> str:
    if option.kind.choices:
        return "|".join(map(str, option.kind.choices))
    return {int: "N", float: "X", Path: "FILE"}.get(option.kind.type, "NAME")


def _show_default(option: Option) -> str | None:
    default = option.default
    if option.is_required or default is None or default is False or default == ():
        return None
    if isinstance(default, list | tuple):
        return ",".join(map(str, default))
    return f"{default:g}" if isinstance(default, float) else str(default)


def _type(option: Option) -> click.ParamType:  # type: ignore[type-arg,unused-ignore]
    kind, flag = option.kind, option.kind.flag
    if flag.parse is not None:
        return _Parsed(flag.parse, flag.known)
    if flag.known is not None:
        return Choice(tuple(flag.known()))
    one = _type_of_one(kind)
    return _Listed(one) if _is_list(option) else one


def _type_of_one(kind: Kind) -> click.ParamType:  # type: ignore[type-arg,unused-ignore]
    if kind.choices:
        return Choice(kind.choices)
    if kind.type not in {int, float}:
        return FileName() if kind.type is Path else click.STRING
    if kind.limits is None:
        return click.INT if kind.type is int else click.FLOAT
    limits = kind.limits
    make: Callable[..., click.IntRange | click.FloatRange] = (
        click.IntRange if kind.type is int else click.FloatRange
    )
    made = make(limits.low, limits.high, min_open=limits.low_open, max_open=limits.high_open)
    made.name = "whole number" if kind.type is int else "number"  # in messages
    return made


class _Parsed(click.ParamType):  # type: ignore[type-arg,unused-ignore] # generic since click 8.4
    """Text that the option itself parses."""

    name = "text"

    def __init__(
        self, parse: Callable[[str], Any], known: Callable[[], Iterable[str]] | None = None
    ) -> None:
        self._parse = parse
        self._known = known

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self._parse(value) if isinstance(value, str) else value
        except (ValueError, OptionError) as error:
            self.fail(str(error), param, ctx)

    def get_missing_message(
        self, param: click.Parameter, ctx: click.Context | None = None
    ) -> str | None:
        del param, ctx
        return f"Choose from: {', '.join(self._known())}" if self._known else None

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        if self._known is None:
            return []
        return _Listed(click.Choice([*self._known()])).shell_complete(ctx, param, incomplete)


class _Listed(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """Values separated by commas."""

    name = "list"

    def __init__(self, one: click.ParamType) -> None:  # type: ignore[type-arg,unused-ignore]
        self._one = one

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        parts = [part.strip() for part in value.split(",")]
        return [self._one.convert(part, param, ctx) for part in parts if part]

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the value after the last comma."""
        before, comma, last = incomplete.rpartition(",")
        found = self._one.shell_complete(ctx, param, last)
        return [
            CompletionItem(f"{before}{comma}{item.value}", type=item.type, help=item.help)
            for item in found
        ]


_DEFAULT = re.compile(r" By default ([^.]+(?:\.\d[^.]*)*)\.$")
_ROLE = re.compile(r":\w+:`~?(?:[\w.]*\.)?(\w+)`")


def plain(text: str) -> str:
    """Return the text of a docstring without markup."""
    return _ROLE.sub(r"\1", text).replace("``", "").replace("`", "")


def _about(option: Option, choice: str | None = None) -> str:
    text = option.about
    if choice is not None:
        # "auto: extract them again; gold: keep them": each flag has its own part
        found = re.search(rf"``{choice}``:? (.*?)(?:[;.]|$)", text)
        text = found[1] if found else text
    is_name = text.startswith("``")  # of a choice, say, which is written as it is
    text = plain(text).strip()
    text = _DEFAULT.sub(r" [default: \1]", text)
    if option.kind.flag.known is not None and option.kind.flag.parse is not None:
        names = list(option.kind.flag.known())
        if not all(name in text for name in names):
            named = f": {', '.join(names)}."
            text = re.sub(r"\.?(?= \[default: |$)", named, text, count=1)
    if not text:
        return ""
    if not (is_name or re.match(r"[\w-]+(, [\w-]+)*: ", text)):  # "errant, m2: ..." names metrics
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "]", "…")) else f"{text}."
