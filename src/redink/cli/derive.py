"""Commands made from use cases: arguments, options, choices and help from one declaration.

See :mod:`redink.options` for what a use case declares. Here is only what a terminal adds: how a
type is written, where the result goes, and a bar while it is made.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from redink.cli import output
from redink.cli.entry import ONE_FILE, Entry
from redink.cli.layout import Command, FileName
from redink.cli.progress_bar import say, show_progress
from redink.errors import MissingExtraError, OptionError, RedinkError
from redink.files import STANDARD_STREAM, check_target
from redink.model.tables import form_of_file
from redink.options import Declaration, Flag, Kind, Limits, Option, check_together, declaration
from redink.progress import watched_by


def make_command(name: str, function: Callable[..., Any], entry: Entry) -> Command:
    """The command of a use case."""
    declared = declaration(function)
    takes_systems = {"reference", "systems"} <= {option.name for option in declared.options}
    parameters: list[click.Parameter] = []
    inverted = {option.name for option in declared.options if _is_inverted(option)}
    flags = [option.name for option in declared.options if option.kind.flag.each]
    lists = [option.name for option in declared.options if _is_list(option)]
    for option in declared.options:
        if option.kind.flag.hidden or (takes_systems and option.name == "systems"):
            continue
        if takes_systems and option.name == "reference":
            parameters.append(_files_argument(entry.files))
            continue
        parameters += _parameters(option)
    own_options = {parameter.name for parameter in parameters}
    terminal = [getattr(output, option)() for option in entry.more]
    terminal += [output.quiet_option()] if entry.writes else output.table_options()
    parameters += [option for option in terminal if option.name not in own_options]

    def run(**given: Any) -> int | None:
        _check_extra(entry.needs)
        around = {
            option.name: given.pop(option.name) for option in terminal if option.name in given
        }
        files = given.pop("files", None)
        values = {name: _value(given[name], inverted=name in inverted) for name in given}
        values |= {name: _one_of(values[name]) for name in flags if values.get(name)}
        values |= {name: _all_of(values[name]) for name in lists if values.get(name)}
        if files is not None:
            values |= _split_files(files, values, entry.files)
        used = _without_defaults(values, declared)
        check_together(declared.options, used, table=around.get("output"))
        _check_standard_input(values)
        _check_standard_output(values, around, declared, entry)
        for path in (around.get("output"), values.get("plot")):
            if path is not None:
                check_target(path)
        form = around.get("form")
        if around.get("output") is not None and form is None:
            form = form_of_file(around["output"])  # refused before anything is done
        _check_form(form, used, declared)
        with (
            _telling_more(),
            show_progress(quiet=output.is_quiet()) as watcher,
            watched_by(watcher),
        ):
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


@contextmanager
def _telling_more() -> Iterator[None]:
    """What an error has to add besides its sentence, as how to go on, below the bar."""
    try:
        yield
    except (KeyboardInterrupt, RedinkError) as error:
        for note in getattr(error, "__notes__", ()):
            say(f"redink: {note}")
        raise


_EXTRAS = {"campaign": ("sqlalchemy", "starlette", "uvicorn", "jinja2")}


def _check_extra(extra: str | None) -> None:
    for library in _EXTRAS.get(extra or "", ()):
        if importlib.util.find_spec(library) is None:
            raise MissingExtraError(library, str(extra))


def _value(value: Any, *, inverted: bool) -> Any:
    """What click has read, as the use case takes it."""
    return not value if inverted and value is not None else value


def _one_of(flags: Sequence[str]) -> str:
    """The one that was given of flags that exclude each other."""
    if len(set(flags)) > 1:
        named = " and ".join(f"--{flag}" for flag in dict.fromkeys(flags))
        raise OptionError(f"{named} exclude each other; give one")
    return flags[0]


def _all_of(lists: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """The values of a flag that was given once or several times."""
    return lists[0] if len(lists) == 1 else [*chain(*lists)]


def _without_defaults(values: Mapping[str, Any], declared: Declaration) -> dict[str, Any]:
    """What the user gave; what is left out has the default of the function itself."""
    defaults = {option.name: option.default for option in declared.options}
    return {
        name: value
        for name, value in values.items()
        if value is not None and value != () and not _same(value, defaults.get(name))
    }


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and value == default


def _check_standard_output(
    values: Mapping[str, Any], around: Mapping[str, Any], declared: Declaration, entry: Entry
) -> None:
    """Refuse to print two things, which could not be told apart."""
    written = [option.name for option in declared.options if option.kind.flag.writes]
    printed = [name for name in written if str(values.get(name)) == STANDARD_STREAM]
    is_table_printed = not entry.writes and around.get("output") in {None, STANDARD_STREAM}
    if len(printed) + is_table_printed > 1:
        name = printed[0].replace("_", "-")
        raise OptionError(f"--{name} -: standard output can hold one thing only; give a file name")


def _check_form(form: str | None, used: Mapping[str, Any], declared: Declaration) -> None:
    """Refuse options that have no effect in this form of the result."""
    for option in declared.options:
        wanted = option.kind.flag.form
        if wanted is not None and option.name in used and form != wanted:
            raise OptionError(f"--{option.name} has no effect here; it needs --format {wanted}")


_READ = ("reference", "systems", "source", "references", "corrected", "judgments", "scores")


def _check_standard_input(values: Mapping[str, Any]) -> None:
    """Refuse to read two things from where there is one."""
    given = [values.get(name) for name in _READ]
    files = [
        file
        for one in given  # a number of judgments is not a file
        for file in (one if isinstance(one, tuple | list) else [one])
    ]
    if sum(str(file).rpartition("=")[2] == STANDARD_STREAM for file in files) > 1:
        raise OptionError("-: standard input can hold one thing only; give the others by file name")


def _files_argument(name: str) -> click.Argument:
    return click.Argument(["files"], nargs=-1, metavar=name, type=FileName())


def _split_files(files: tuple[str, ...], values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The reference and the systems; with --reference all files are systems."""
    if values.get("references") or values.get("from_counts"):
        return {"systems": list(files)}
    if values.get("source") is not None and name == ONE_FILE:
        return {"systems": list(files)}
    if values.get("source") is not None:
        raise OptionError("--source needs at least one --reference")
    if name == ONE_FILE and not files:
        raise OptionError("give at least one file")
    if name != ONE_FILE and len(files) < 2:
        raise OptionError("give a REFERENCE and at least one SYSTEM")
    return {"reference": files[0], "systems": list(files[1:])}


def _parameters(option: Option) -> list[click.Parameter]:
    kind, flag = option.kind, option.kind.flag
    if option.positional and flag == Flag(value=flag.value, many=flag.many, writes=flag.writes):
        many = kind.many
        return [
            click.Argument(
                [option.name],
                nargs=-1 if many else 1,
                required=option.is_required,
                metavar=flag.value or _argument_name(option),
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


def _argument_name(option: Option) -> str:
    """``SOURCE``; of several, the singular: ``SYSTEM...``; brackets if there may be none."""
    name = option.name.upper().removesuffix("S" if option.kind.many else " ")
    name = name if option.is_required else f"[{name}]"
    return f"{name}..." if option.kind.many else name


_WIDEST = 68
"""Choices that are wider than this are told in the text of the help."""


def _option(option: Option) -> click.Option:
    kind, flag = option.kind, option.kind.flag
    name = flag.name or option.name.replace("_", "-")
    names = [f"--{name}"] + ([f"-{flag.short}"] if flag.short else [])
    settings: dict[str, Any] = {"help": _about(option), "required": option.is_required}
    if not option.is_required:
        settings["default"] = None  # where none is given, the function's own
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
    """Whether one flag takes several values, separated by commas; flags given again add to them."""
    kind, flag = option.kind, option.kind.flag
    listed = kind.many and not flag.repeat and flag.parts == 1
    return listed and not (option.positional or flag.each)


def _is_inverted(option: Option) -> bool:
    """Whether only the flag for False exists, since True is the default."""
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
        return click.Choice(tuple(flag.known()))
    one = _type_of_one(kind)
    return _Listed(one) if _is_list(option) else one


def _type_of_one(kind: Kind) -> click.ParamType:  # type: ignore[type-arg,unused-ignore]
    if kind.choices:
        return click.Choice(kind.choices)
    limits = kind.limits or Limits()
    ends = {"min_open": limits.low_open, "max_open": limits.high_open}
    if kind.type is int:
        low, high = (None if end is None else int(end) for end in (limits.low, limits.high))
        return click.INT if kind.limits is None else _WholeNumber(low, high, **ends)
    if kind.type is float:
        return click.FLOAT if kind.limits is None else _Number(limits.low, limits.high, **ends)
    return FileName() if kind.type is Path else click.STRING


class _WholeNumber(click.IntRange):
    """Called so where it is refused."""

    name = "whole number"


class _Number(click.FloatRange):
    """Likewise."""

    name = "number"


class _Parsed(click.ParamType):  # type: ignore[type-arg,unused-ignore] # generic since click 8.4
    """Text that the option itself knows how to read."""

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
        """The names there are."""
        del param, ctx
        return f"Choose from: {', '.join(self._known())}" if self._known else None

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """A known name after the last comma."""
        before, comma, last = incomplete.rpartition(",")
        names = [name for name in (self._known() if self._known else ()) if name.startswith(last)]
        return [
            CompletionItem(f"{before}{comma}{name}") for name in names
        ] or super().shell_complete(ctx, param, incomplete)


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
        """The value after the last comma."""
        before, comma, last = incomplete.rpartition(",")
        found = self._one.shell_complete(ctx, param, last)
        return [
            CompletionItem(f"{before}{comma}{item.value}", type=item.type, help=item.help)
            for item in found
        ]


_DEFAULT = re.compile(r" By default ([^.]+(?:\.\d[^.]*)*)\.$")
_ROLE = re.compile(r":\w+:`~?(?:[\w.]*\.)?(\w+)`")


def plain(text: str) -> str:
    """Text of a docstring for a terminal: no marks of markup."""
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
    if not is_name and text.split(maxsplit=1)[0][-1] not in ":,":  # "m2: ..." names a metric
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "]", "…")) else f"{text}."
