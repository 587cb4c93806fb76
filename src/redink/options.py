"""Options, declared once: by the signature and the docstring of a use case.

A use case is a function. Its parameters have types, limits and defaults, and its docstring has a
line about each; the command line, its help and completion, ``docs/cli.md`` and the messages about
wrong values are all made from that::

    @command
    def rank(
        judgments: RankingsLike,
        *,
        method: Literal["expected-wins", "trueskill"] = "expected-wins",
        confidence: Annotated[float, Limits(0, 1)] = 0.95,
        how: Annotating = Annotating(),
    ) -> Table: ...

Options that belong together are a frozen dataclass that inherits :class:`Options`. A caller may
pass the whole value (``how=Annotating(merge="all-split")``) or its fields as keywords
(``merge="all-split"``); the command line has the fields. Where other packages add to the choices,
the registry stands in the type: ``task: Annotated[str, TASKS]``.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from redink.errors import OptionError
from redink.files import check_files_differ
from redink.registry import Registry
from redink.value_types import describe, fits, quote

P = ParamSpec("P")
R = TypeVar("R")


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """Between which numbers a value lies; an open limit is itself not allowed.

    A whole number without a limit above stays below ``FAR``, unless it is ``endless``.
    """

    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    endless: bool = False

    def allow(self, value: float) -> bool:
        """Whether the value lies between the limits; infinity never does."""
        if isinstance(value, float) and not math.isfinite(value):
            return False
        if self.low is not None and (value < self.low or (self.low_open and value == self.low)):
            return False
        return self.high is None or value < self.high or (not self.high_open and value == self.high)

    def __str__(self) -> str:
        if self.high is None:
            return f"more than {self.low:g}" if self.low_open else f"{self.low:g} or more"
        if self.low is None:
            return f"less than {self.high:g}" if self.high_open else f"{self.high:g} or less"
        between = f"between {self.low:g} and {self.high:g}"
        return f"{between}, not at the ends" if self.low_open and self.high_open else between


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """How an option is written on the command line, where its name and type do not say it.

    Attributes:
        name: the name of the flag, if it differs from the parameter's (``metric`` for ``metrics``).
        short: one letter (``o`` for ``-o``).
        value: what stands for the value in the help (``FILE``, ``NAME,...``).
        repeat: a list is given by repeating the flag, not by commas.
        many: several can be given, although the type also takes one alone.
        parts: so many words belong to the flag (``--from-counts TP FP FN TN``).
        off: the name of the flag that means False (``tokenised`` for ``raw``).
        each: every choice is a flag of its own (``--auto``, ``--gold``).
        parse: makes the value from the text that was given; raises ValueError or OptionError.
        reads: text that may name a file to read (``conllu:FILE``); a path always does.
        writes: a file or folder that is written: never one that is read, nor standard output twice.
        form: the only output format in which it has an effect.
        known: the names that can be given, where others may add to them: for help and completion.
        hidden: not on the command line.
    """

    name: str | None = None
    short: str | None = None
    value: str | None = None
    repeat: bool = False
    many: bool = False
    parts: int = 1
    off: str | None = None
    each: bool = False
    parse: Callable[[str], Any] | None = None
    reads: bool = False
    writes: bool = False
    form: str | None = None
    known: Callable[[], Iterable[str]] | None = None
    hidden: bool = False


@dataclasses.dataclass(frozen=True, slots=True, init=False)
class Needs:
    """Options without which an option has no effect, by name; one of them is enough.

    ``Needs(align=True, show=("points", "units"))``: True for an option that is given, otherwise
    the values it may have, or a function that tells whether a value is one of them.
    """

    options: Mapping[str, Any]

    def __init__(self, **options: Any) -> None:
        object.__setattr__(self, "options", options)

    def are_met(self, values: Mapping[str, Any]) -> bool:
        """Whether the option has an effect beside these; yes where none of them exists."""
        known = {name: wanted for name, wanted in self.options.items() if name in values}
        return not known or any(_has(values[name], wanted) for name, wanted in known.items())

    def describe(self, values: Mapping[str, Any]) -> str:
        """The options that exist, as typed."""
        said = []
        for name, wanted in self.options.items():
            if name in values and not callable(wanted):
                flag = f"--{name.replace('_', '-')}"
                allowed = wanted if isinstance(wanted, tuple) else (wanted,)
                named = "|".join(str(one) for one in allowed if one is not None)
                alone = {True: flag, False: f"no {flag}"}
                said.append(alone[wanted] if isinstance(wanted, bool) else f"{flag} {named}")
        return " or ".join(said)


def _has(value: Any, wanted: Any) -> bool:
    if wanted is True:
        return not _is_empty(value)
    if callable(wanted):
        return bool(wanted(value))
    allowed = wanted if isinstance(wanted, tuple) else (wanted,)
    return any(one in allowed for one in (value if isinstance(value, tuple | list) else [value]))


FAR = 1_000_000_000
"""So many samples never come to an end, and numpy refuses more in its own words."""
Positive = Annotated[int, Limits(1)]
Seed = Annotated[int, Limits(0, endless=True)]
NotNegative = Annotated[int, Limits(0)]
Share = Annotated[float, Limits(0, 1)]
Beta = Annotated[float, Limits(0, 10_000)]
"""The weight of recall in F. At 10,000 F is recall to eight digits; its square stays finite."""
Confidence = Annotated[float, Limits(0, 1, low_open=True, high_open=True)]
"""Of an interval: 0.95 for one that holds the truth 19 times out of 20."""


class Options:
    """A frozen dataclass of options; wrong choices and numbers are refused when it is made."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    def __post_init__(self) -> None:
        for name, kind in kinds_of(type(self)).items():
            value = kind.normalize(getattr(self, name))
            object.__setattr__(self, name, value)
            kind.check(name, value)


@dataclasses.dataclass(frozen=True)
class Kind:
    """What an option's type says.

    Attributes:
        type: one value: ``str``, ``int``, ``float``, ``bool``, ``Path`` or another class.
        choices: all values there are, where there are few.
        many: a list of such values.
        limits: of numbers.
        flag: its looks on the command line.
        optional: whether it may be None.
        needs: the options without which it has no effect.
        hint: the type itself.
    """

    type: Any
    choices: tuple[Any, ...] = ()
    many: bool = False
    limits: Limits | None = None
    flag: Flag = Flag()
    optional: bool = False
    needs: Needs | None = None
    hint: Any = Any

    def normalize(self, value: Any) -> Any:
        """A list of names or numbers as a tuple, also a single one; an empty text is none."""
        if not self.many or self.type not in {str, int, float} or self.flag.parts > 1:
            return value
        if isinstance(value, str) or (self.type is not str and isinstance(value, Real)):
            return () if value == "" and not self.flag.repeat else (value,)
        if isinstance(value, set | frozenset):
            return tuple(sorted(value))
        return tuple(value) if isinstance(value, list) else value

    def check(self, name: str, value: Any) -> None:
        """Refuse a value that the type does not allow.

        Raises:
            OptionError: with a sentence that says what is allowed.
        """
        said = self.flag.name or name.replace("_", "-")
        if not fits(value, self.hint) or (
            self.type is Path and isinstance(value, str) and not value
        ):
            raise OptionError(f"{said} cannot be {quote(value)}; expected {describe(self.hint)}")
        if self.flag.parse and self.type is str and isinstance(value, str):
            self.flag.parse(value)
        if value is None or not (self.choices or self.type in {int, float}):
            return
        several = self.many and isinstance(value, Iterable) and not isinstance(value, str)
        for one in value if several else [value]:
            if self.choices and one not in self.choices:
                known = ", ".join(map(str, self.choices))
                raise OptionError(f"{said} cannot be {one!r}; it can be: {known}")
            if isinstance(one, Real):
                self._check_number(said, one)

    def _check_number(self, said: str, one: Any) -> None:
        given = f"{one:g}" if isinstance(one, float) else one
        if self.limits and not self.limits.allow(one):
            raise OptionError(f"{said} must be {self.limits}, not {given}")
        if self.type is int and (not isinstance(one, Integral) or isinstance(one, bool)):
            raise OptionError(f"{said} must be a whole number, not {given}")
        if self.type is float and (isinstance(one, bool) or not math.isfinite(one)):
            raise OptionError(f"{said} must be a number, not {given}")
        limits = self.limits or Limits()
        if self.type is int and limits.high is None and one >= FAR and not limits.endless:
            raise OptionError(f"{said} must be less than {FAR}, not {given}")


@dataclasses.dataclass(frozen=True)
class Option:
    """One option of a use case, for whoever shows it to a person.

    Attributes:
        name: of the parameter.
        kind: what its type says.
        default: the value where none is given; ``inspect.Parameter.empty`` where one must be.
        about: what it does, from the docstring.
        positional: whether it is given by its place.
    """

    name: str
    kind: Kind
    default: Any
    about: str
    positional: bool

    @property
    def is_required(self) -> bool:
        """Whether a value must be given."""
        return self.default is inspect.Parameter.empty


@dataclasses.dataclass(frozen=True)
class Declaration:
    """A use case as its signature and docstring declare it.

    Attributes:
        summary: the first sentence.
        description: what follows it.
        options: in order, groups replaced by their members.
        draws: what its plot shows; None where it has no plot.
    """

    summary: str
    description: str
    options: tuple[Option, ...]
    draws: str | None


@overload
def command(function: Callable[P, R]) -> Callable[P, R]: ...
@overload
def command(
    *, draws: str, shows: Sequence[str] = ()
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def command(
    function: Callable[..., Any] | None = None,
    *,
    draws: str | None = None,
    shows: Sequence[str] = (),
) -> Any:
    """Make a function a use case: its options are checked, and groups can be given as keywords.

    Args:
        function: the function.
        draws: what the plot of its table shows; then it has the options ``plot`` and
            ``plot_size`` too.
        shows: the values of its option ``show`` that have a plot, where not all do.
    """
    if function is None:
        return lambda given: _declare(given, draws, shows)
    return _declare(function, None, ())


def _declare(
    function: Callable[..., Any], draws: str | None, shows: Sequence[str]
) -> Callable[..., Any]:
    groups = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if isinstance(parameter.default, Options)
    }
    homes = {
        field.name: name for name, group in groups.items() for field in dataclasses.fields(group)
    }
    if draws is not None:
        own = inspect.signature(function).parameters
        homes.update({name: "" for name in ("plot", "plot_size") if name not in own})

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        members: dict[str, dict[str, Any]] = {}
        known = {*homes, *inspect.signature(function).parameters}
        given = {find_spelling(name, known): value for name, value in given.items()}
        for name in [name for name in given if name in homes]:
            members.setdefault(homes[name], {})[name] = given.pop(name)
        drawing = PlotOptions(**members.pop("", {}))
        for name, values in members.items():
            given[name] = dataclasses.replace(given.get(name, groups[name]), **values)
        kinds = kinds_of(function)
        own = inspect.signature(function)
        _refuse_unknown([name for name in given if name not in own.parameters], call)
        bound = own.bind(*args, **given)
        for name, value in bound.arguments.items():
            if name in kinds and not isinstance(value, Options):
                bound.arguments[name] = kinds[name].normalize(value)
                kinds[name].check(name, bound.arguments[name])
        values = _spread({"": drawing, **bound.arguments})
        check_together(declaration(call).options, values)
        if drawing.plot is not None and shows:
            bound.apply_defaults()
            if bound.arguments["show"] not in {None, *shows}:
                raise OptionError(f"plot goes with show {' or '.join(shows)}")
        result = function(*bound.args, **bound.kwargs)
        if drawing.plot is not None:
            size = bound.arguments.get("plot_size", drawing.plot_size)
            result.plot(drawing.plot, size=size)
        return result

    call.__signature__ = _flatten(function, groups, draws=draws is not None)  # type: ignore[attr-defined]
    call.__draws__ = draws  # type: ignore[attr-defined]
    return call


def _spread(values: Mapping[str, Any]) -> dict[str, Any]:
    """Every value by its name, groups replaced by their members."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Options):
            found |= {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        else:
            found[name] = value
    return found


def check_together(
    options: Iterable[Option], given: Mapping[str, Any], *, table: str | Path | None = None
) -> None:
    """Refuse options that have no effect, and outputs that would overwrite an input.

    Args:
        options: of the use case.
        given: their values, where they are not the defaults.
        table: the file to which the result is written.

    Raises:
        OptionError: with a sentence that says what is missing, or which file it is.
    """
    known = {option.name: option for option in options}
    values = {name: given.get(name, option.default) for name, option in known.items()}
    for name, option in known.items():
        needs, value = option.kind.needs, values[name]
        can_equal = type(value) is type(option.default) or isinstance(value, Real)
        is_given = value is not option.default and not (can_equal and value == option.default)
        is_off = _is_empty(value) and option.kind.type is not float  # 0.0 is a number like others
        if needs and is_given and not is_off and not needs.are_met(values):
            raise OptionError(
                f"{_as_typed(option)} has no effect here; it needs {needs.describe(values)}"
            )
    written = {
        _as_typed(option): values[name]
        for name, option in known.items()
        if option.kind.flag.writes and isinstance(values[name], str | Path)
    }
    if table is not None:
        written["-o"] = table
    if written:
        read = {
            name: [*_paths_in(values[name])]
            for name, option in known.items()
            if (option.kind.type is Path or option.kind.flag.reads) and not option.kind.flag.writes
        }
        check_files_differ(read, written)


def _as_typed(option: Option) -> str:
    """An option as a user types it."""
    flag = option.kind.flag
    name = flag.name or option.name.replace("_", "-")
    if flag.short:
        return f"-{flag.short}"
    if option.positional:
        return flag.value or name.upper()
    if option.default is True:
        return f"--{flag.off or f'no-{name}'}"
    return f"--{name}"


def _is_empty(value: Any) -> bool:
    """Whether a value switches an option off."""
    return value is None or (isinstance(value, str | int | tuple | list) and not value)


def _paths_in(value: Any) -> Iterator[str | Path]:
    """Everything in a value that may name a file."""
    if isinstance(value, str | Path):
        yield value
    elif isinstance(value, Options):  # a metric prints as its spec
        yield str(value)
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _paths_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _paths_in(one)


def find_spelling(name: str, known: Container[str]) -> str:
    """Return the name in the spelling that is known: ``tokenise`` or ``tokenize``."""
    other = re.sub("([iy])([sz])(?=e|ation)", lambda at: at[1] + "zs"["sz".index(at[2])], name)
    return other if name not in known and other in known else name


def _refuse_unknown(names: Sequence[str], function: Callable[..., Any]) -> None:
    """Say as Python does that there is no such option, and which may be meant."""
    import difflib

    for name in names:
        near = difflib.get_close_matches(name, inspect.signature(function).parameters, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise TypeError(f"{function.__name__}() has no option {name!r}{hint}")


@dataclasses.dataclass(frozen=True)
class PlotOptions(Options):
    """Where and how large to draw.

    Attributes:
        plot: draw it into this file: PNG, SVG, PDF or HTML.
        plot_size: for one column of a paper, the width of its page, or the screen.
    """

    plot: Annotated[str | Path | None, Flag(writes=True)] = None
    plot_size: Annotated[Literal["column", "page", "screen"], Needs(plot=True, plot_kappa=True)] = (
        "screen"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.plot is not None:
            check_plot_path(self.plot)


PLOT_SUFFIXES = (".png", ".svg", ".pdf", ".html")


def check_plot_path(path: str | Path) -> None:
    """Refuse a file whose suffix is not that of a picture, before the work begins."""
    if Path(path).suffix.lower() not in PLOT_SUFFIXES:
        raise OptionError(f"{path}: a plot ends in {', '.join(PLOT_SUFFIXES)}")


def _flatten(
    function: Callable[..., Any], groups: Mapping[str, Options], *, draws: bool
) -> inspect.Signature:
    """The signature with the members of groups in place of the groups."""
    signature = inspect.signature(function)
    parameters = []
    for name, parameter in signature.parameters.items():
        if name not in groups:
            parameters.append(parameter)
            continue
        parameters += _members(groups[name])
    if draws:
        parameters += [
            own for own in _members(PlotOptions()) if own.name not in signature.parameters
        ]
    return signature.replace(parameters=parameters)


def _members(group: Options) -> Iterator[inspect.Parameter]:
    for field in dataclasses.fields(group):
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=getattr(group, field.name),
            annotation=field.type,
        )


@cache
def declaration(function: Callable[..., Any]) -> Declaration:
    """What a use case declares."""
    inner = inspect.unwrap(function)
    draws = getattr(function, "__draws__", None)
    text = parse_docstring(inspect.getdoc(inner) or "")
    kinds = dict(kinds_of(inner))
    about: dict[str, str] = {}
    groups = [p.default for p in inspect.signature(inner).parameters.values()]
    for group in [g for g in groups if isinstance(g, Options)] + [PlotOptions()] * (
        draws is not None
    ):
        kinds |= kinds_of(type(group))
        about |= parse_docstring(inspect.getdoc(type(group)) or "").about
    about |= text.about
    if draws is not None:
        about["plot"] = draws
    options = tuple(
        Option(
            name,
            kinds[name],
            parameter.default,
            about.get(name, ""),
            positional=parameter.kind is not inspect.Parameter.KEYWORD_ONLY,
        )
        for name, parameter in inspect.signature(function).parameters.items()
    )
    return Declaration(text.summary, text.description, options, draws)


_KINDS: dict[Any, Mapping[str, Kind]] = {}


def kinds_of(declared: Any) -> Mapping[str, Kind]:
    """What the types of a function's parameters, or of a dataclass's fields, say."""
    if declared not in _KINDS:
        hints = get_type_hints(declared, include_extras=True)
        _KINDS[declared] = {
            name: dataclasses.replace(_kind(hint), hint=hint)
            for name, hint in hints.items()
            if name != "return" and get_origin(hint) is not ClassVar
        }
    return _KINDS[declared]


def _kind(hint: Any) -> Kind:
    """What a type says; of several types in a union, the plainest decides."""
    if get_origin(hint) is Annotated:
        kind = _kind(get_args(hint)[0])
        for extra in get_args(hint)[1:]:
            kind = _with_extra(kind, extra)
        return kind
    origin, members = get_origin(hint), get_args(hint)
    if origin is Literal:
        return Kind(type(members[0]), choices=members)
    if origin in {Union, UnionType}:
        optional = type(None) in members
        kinds = [_kind(member) for member in members if member is not type(None)]
        best = min(kinds, key=_plainness)
        # one of some choices, or several of them
        many = best.many or any(k.many and k.choices == best.choices for k in kinds if k.choices)
        return dataclasses.replace(best, optional=optional, many=many)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return Kind(Mapping)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Iterable):
        return (
            dataclasses.replace(_kind(members[0]), many=True) if members else Kind(str, many=True)
        )
    return Kind(hint)


def _with_extra(kind: Kind, extra: Any) -> Kind:
    """A kind with what stands beside the type."""
    if isinstance(extra, Limits):
        return dataclasses.replace(kind, limits=extra)
    if isinstance(extra, Flag):
        return dataclasses.replace(kind, flag=extra, many=kind.many or extra.many)
    if isinstance(extra, Needs):
        return dataclasses.replace(kind, needs=extra)
    if isinstance(extra, Registry):
        return dataclasses.replace(kind, choices=extra.names)
    return kind


def _plainness(kind: Kind) -> tuple[bool, bool, int]:
    """What a command line can best take comes first: choices, numbers, files, words, lists."""
    order: Sequence[str] = ("Literal", "bool", "int", "float", "Path", "str")
    name = "Literal" if kind.choices else getattr(kind.type, "__name__", "")
    known = name in order
    return not known, kind.many, order.index(name) if known else 0


@dataclasses.dataclass(frozen=True)
class Docstring:
    """A docstring in its parts."""

    summary: str
    description: str
    about: Mapping[str, str]


_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Yields|Example|Examples):$")
_ENTRY = re.compile(r"^ {4}(\w+): (.*)$")


def parse_docstring(text: str) -> Docstring:
    """The first sentence, the paragraphs below it, and what is said of each parameter."""
    body: list[str] = []
    about: dict[str, str] = {}
    section = current = ""
    for line in text.splitlines():
        if found := _SECTION.match(line):
            section, current = found[1], ""
        elif not section:
            body.append(line)
        elif section in {"Args", "Attributes"}:
            if entry := _ENTRY.match(line):
                current = entry[1]
                about[current] = entry[2]
            elif current and line.strip():
                about[current] += f" {line.strip()}"
    summary, _, description = "\n".join(body).strip().partition("\n\n")
    return Docstring(" ".join(summary.split()), description.strip(), about)
