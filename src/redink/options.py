"""Declare options once: in the signature and the docstring of a command function.

Parameters have types, limits and defaults, and the docstring describes each. The command line, its
help and completion, ``docs/commands`` and the messages about invalid values come from them::

    @command
    def rank(
        judgments: RankingsLike,
        *,
        method: Literal["expected-wins", "trueskill"] = "expected-wins",
        confidence: Annotated[float, Limits(0, 1)] = 0.95,
        annotation_options: AnnotationOptions = AnnotationOptions(),
    ) -> Table: ...

Options that belong together are a frozen dataclass that inherits :class:`Options`. Callers can pass
the whole value (``annotation_options=AnnotationOptions(merge="all-split")``) or its fields as
keywords (``merge="all-split"``); the command line has the fields. With a registry in the type, all
its names are allowed, including those that other packages add: ``task: Annotated[str, TASKS]``.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial, wraps
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

from redink.errors import OptionError, unknown_name
from redink.files import check_files_differ
from redink.registry import Registry
from redink.value_types import describe, fits, quote

P = ParamSpec("P")
R = TypeVar("R")


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a number; an open limit is excluded.

    An integer without an upper limit must be less than ``FAR``, unless it is ``endless``.
    """

    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    endless: bool = False

    def allow(self, value: float) -> bool:
        """Return whether the value is between the limits; infinity never is."""
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
        return f"{between}, exclusive" if self.low_open and self.high_open else between


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """The command-line form of an option, if its name and type do not determine it.

    Attributes:
        name: name of the flag, if different from the parameter (``metric`` for ``metrics``).
        short: one letter (``o`` for ``-o``).
        value: the placeholder in the help (``FILE``, ``NAME,...``).
        repeat: a list is given by repeating the flag instead of by commas.
        many: several values can be given, although the type also allows a single one.
        parts: the number of arguments after the flag (``--from-counts TP FP FN TN``).
        off: the name of the flag that means False (``tokenized`` for ``raw``).
        each: every choice is a flag (``--auto``, ``--gold``).
        parse: makes the value from text; raises ValueError or OptionError.
        reads: text that may contain an input file (``conllu:FILE``); a path always does.
        writes: an output file or folder, which must not be an input or another output.
        form: the only output format for which it has an effect.
        known: the names that can be given, for help and completion.
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
    """Other options that an option requires; one of them is enough.

    ``Needs(align=True, show=("points", "units"))``: True if any value is enough, otherwise the
    accepted values, or a function that returns whether a value is accepted.
    """

    options: Mapping[str, Any]

    def __init__(self, **options: Any) -> None:
        object.__setattr__(self, "options", options)

    def are_met(self, values: Mapping[str, Any]) -> bool:
        """Return whether one of the required options is given, or none of them exists here."""
        known = {name: wanted for name, wanted in self.options.items() if name in values}
        return not known or any(_has(values[name], wanted) for name, wanted in known.items())

    def describe(self, values: Mapping[str, Any]) -> str:
        """Return the required options that exist, as typed."""
        said = []
        for name, wanted in self.options.items():
            if name in values and not callable(wanted):
                flag = f"--{name.replace('_', '-')}"
                if isinstance(wanted, bool):
                    said.append(flag if wanted else f"no {flag}")
                else:
                    allowed = wanted if isinstance(wanted, tuple) else (wanted,)
                    named = "|".join(str(one) for one in allowed if one is not None)
                    said.append(f"{flag} {named}")
        return " or ".join(said)


def _has(value: Any, wanted: Any) -> bool:
    if wanted is True:
        return not _is_empty(value)
    if callable(wanted):
        return bool(wanted(value))
    allowed = wanted if isinstance(wanted, tuple) else (wanted,)
    return any(one in allowed for one in (value if isinstance(value, tuple | list) else [value]))


FAR = 1_000_000_000
"""More samples would never finish, and numpy rejects more with its own error."""
Positive = Annotated[int, Limits(1)]
Seed = Annotated[int, Limits(0, endless=True)]
NotNegative = Annotated[int, Limits(0)]
Share = Annotated[float, Limits(0, 1)]
Beta = Annotated[float, Limits(0, 10_000)]
"""The weight of recall in F. At 10,000, F equals recall to eight digits; its square is finite."""
Confidence = Annotated[float, Limits(0, 1, low_open=True, high_open=True)]
"""The confidence level of an interval."""


class Options:
    """Base class of groups of options: a frozen dataclass whose values are checked."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    def __post_init__(self) -> None:
        for name, kind in kinds_of(type(self)).items():
            object.__setattr__(self, name, kind.accept(name, getattr(self, name)))


def _values_of(group: Options) -> dict[str, Any]:
    return {field.name: getattr(group, field.name) for field in dataclasses.fields(group)}


@dataclasses.dataclass(frozen=True)
class Kind:
    """The meaning of an option's type.

    Attributes:
        type: type of one value: ``str``, ``int``, ``float``, ``bool``, ``Path`` or another class.
        choices: all allowed values, if they are few.
        many: whether the value is a list.
        limits: limits of a number.
        flag: the form on the command line.
        optional: whether it may be None.
        needs: the options that it requires.
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

    def accept(self, name: str, value: Any) -> Any:
        """Check and convert a value that was passed to the function.

        A list of names or numbers, or a single one, becomes a tuple; an empty string becomes ().

        Raises:
            OptionError: the type does not allow the value.
        """
        if self.many and self.type in {str, int, float} and self.flag.parts == 1:
            if isinstance(value, str) or (self.type is not str and isinstance(value, Real)):
                value = () if value == "" and not self.flag.repeat else (value,)
            elif isinstance(value, set | frozenset):
                value = tuple(sorted(value))
            elif isinstance(value, list):
                value = tuple(value)
        if self.choices and isinstance(value, str):
            value = find_spelling(value, self.choices)
        elif self.choices and isinstance(value, tuple):
            spelled = (find_spelling(v, self.choices) if isinstance(v, str) else v for v in value)
            value = tuple(spelled)
        self.check(name, value)
        return value

    def check(self, name: str, value: Any) -> None:
        """Raise an OptionError if the type does not allow the value."""
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
                raise OptionError(f"{said}: {unknown_name('value', one, self.choices)}")
            if isinstance(one, Real) and (wanted := self._find_mistake(one)):
                given = f"{one:g}" if isinstance(one, float) else one
                raise OptionError(f"{said} must be {wanted}, not {given}")

    def _find_mistake(self, number: Any) -> str:
        """Return the requirement that a number does not meet; empty if it meets all."""
        limits = self.limits or Limits()
        if self.limits and not limits.allow(number):
            return str(limits)
        if self.type is int and (not isinstance(number, Integral) or isinstance(number, bool)):
            return "an integer"
        if self.type is float and (isinstance(number, bool) or not math.isfinite(number)):
            return "a number"
        is_far = self.type is int and limits.high is None and number >= FAR
        return f"less than {FAR}" if is_far and not limits.endless else ""


@dataclasses.dataclass(frozen=True)
class Option:
    """One option of a command.

    Attributes:
        name: name of the parameter.
        kind: the meaning of its type.
        default: ``inspect.Parameter.empty`` if a value is required.
        about: its description, from the docstring.
        positional: whether it is a positional argument.
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
    """A command as declared by its signature and docstring; groups are replaced by their fields."""

    summary: str
    description: str
    options: tuple[Option, ...]


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
    """Make a function a command: check its options, and accept fields of groups as keywords.

    Args:
        function: the function.
        draws: description of the plot of its table; adds the options ``plot`` and
            ``plot_size``.
        shows: the values of its option ``show`` that have a plot, if not all have one.
    """
    if function is None:
        return partial(command, draws=draws, shows=shows)
    own = inspect.signature(function)
    groups = {n: p.default for n, p in own.parameters.items() if isinstance(p.default, Options)}
    if draws is not None:
        groups[""] = PlotOptions()
    if own.return_annotation in {"Table", "Aligned"}:
        groups["display"] = DisplayOptions()
    homes = {
        field.name: name
        for name, group in groups.items()
        for field in dataclasses.fields(group)
        if field.name not in own.parameters
    }

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        kinds = kinds_of(function)
        given = {find_spelling(name, {*homes, *own.parameters}): given[name] for name in given}
        _refuse_unknown(given.keys() - {"display", *homes, *own.parameters}, call)
        keywords = {name: given[name] for name in given if name not in homes}
        for group in dict.fromkeys(homes[name] for name in given if name in homes):
            members = {name: given[name] for name in given if homes.get(name) == group}
            keywords[group] = dataclasses.replace(keywords.get(group, groups[group]), **members)
        drawing = keywords.pop("", PlotOptions())
        display = keywords.pop("display", DisplayOptions())
        bound = own.bind(*args, **keywords)
        known = _values_of(drawing) | _values_of(display)
        for name, value in bound.arguments.items():
            if isinstance(value, Options):
                known |= _values_of(value)
            else:
                known[name] = kinds[name].accept(name, value) if name in kinds else value
                bound.arguments[name] = known[name]
        check_together(declaration(call).options, known)
        if (
            drawing.plot
            and shows
            and known.get("show", own.parameters["show"].default) not in {None, *shows}
        ):
            raise OptionError(f"--plot requires --show {' or '.join(shows)}")
        result = function(*bound.args, **bound.kwargs)
        if drawing.plot is not None:
            result.plot(drawing.plot, size=known["plot_size"])
        return result if display == DisplayOptions() else result.arrange(display)

    call.__signature__ = _flatten(own, groups)  # type: ignore[attr-defined]
    call.__draws__ = draws  # type: ignore[attr-defined]
    call.__doc__ = _document(call, groups)
    call.__groups__ = groups  # type: ignore[attr-defined]
    return call


def check_together(
    options: Iterable[Option], given: Mapping[str, Any], *, table: str | Path | None = None
) -> None:
    """Reject options that have no effect, and outputs that would overwrite an input.

    Args:
        options: options of the command.
        given: values of the given options; the others have their defaults.
        table: the output file of the result.

    Raises:
        OptionError: with the missing option or the file.
    """
    known = {option.name: option for option in options}
    values = {name: given.get(name, option.default) for name, option in known.items()}
    for name, option in known.items():
        needs, value = option.kind.needs, values[name]
        can_equal = type(value) is type(option.default) or isinstance(value, Real)
        is_given = value is not option.default and not (can_equal and value == option.default)
        is_off = (
            _is_empty(value) and option.kind.type is not float
        )  # 0.0 is a number, not an empty value
        if needs and is_given and not is_off and not needs.are_met(values):
            raise OptionError(
                f"{_as_typed(option)} has no effect here; it requires {needs.describe(values)}"
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
    """Return an option as a user types it."""
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
    """Return whether a value disables an option."""
    return value is None or (isinstance(value, str | int | tuple | list) and not value)


def _paths_in(value: Any) -> Iterator[str | Path]:
    """Yield all parts of a value that may be a file name."""
    if isinstance(value, str | Path):
        yield value
    elif isinstance(value, Options):  # str() of a metric is its spec
        yield str(value)
    elif isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _paths_in(one)


FORMER_NAMES = {
    # commands
    "data": "corpora",
    "detect": "detector",
    "task": "shared-task",
    # options
    "bootstrap": "samples",
    "draws": "repetitions",
    "merge": "merge-labels",
    "metric": "metrics",
    "metrics": "metric",
    "only": "words names",
    "p": "alpha",
    "passes": "epochs",
    "place": "database",
    "repeats": "repetitions",
    "rule": "rules",
    "rules": "errant-version",
    "samples": "bootstrap",
    "tables": "cherrant-data",
}
"""Undocumented names of earlier versions and of other commands, with the names that replace them.

A command without an option of such a name accepts it for the first of these names that it has."""


def find_spelling(name: str, known: Container[str]) -> str:
    """Return the current name for a former name or British spelling."""
    american = re.sub("([iy])s(?=e|ation|ing)", r"\1z", name)
    word = name.removeprefix("--")
    new = [name.removesuffix(word) + other for other in FORMER_NAMES.get(word, "").split()]
    spellings = (name, american, *new, *(other.replace("-", "_") for other in new))
    return next((spelling for spelling in spellings if spelling in known), name)


def _refuse_unknown(names: Iterable[str], function: Callable[..., Any]) -> None:
    """Raise an error like Python's for an unknown keyword, with a suggestion."""
    import difflib

    for name in names:
        near = difflib.get_close_matches(name, inspect.signature(function).parameters, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise TypeError(f"{function.__name__}() has no option {name!r}{hint}")


@dataclasses.dataclass(frozen=True)
class PlotOptions(Options):
    """The file and the size of a plot.

    Attributes:
        plot: plot file to write: PNG, SVG, PDF or HTML.
        plot_size: size of the plot: one column of a paper, the full width of a page, or the screen.
    """

    plot: Annotated[str | Path | None, Flag(writes=True)] = None
    plot_size: Annotated[Literal["column", "page", "screen"], Needs(plot=True, plot_kappa=True)] = (
        "screen"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.plot is not None:
            check_plot_path(self.plot)


@dataclasses.dataclass(frozen=True)
class DisplayOptions(Options):
    """Rows, columns and numbers of a displayed table; JSON, CSV and TSV keep full precision.

    Attributes:
        percent: show rates and scores in percent.
        digits: number of decimals. By default 4, or 2 in percent.
        columns: show only these columns, by their names in JSON.
        sort: order of the rows: none (as in the input), name, a column, or a metric. By default
            best system first in tables of scores.
        caption: LaTeX: put the table into a table environment with this caption.
        label: LaTeX: label of the table environment.
    """

    percent: bool = False
    digits: Annotated[int, Limits(0, 12)] | None = None
    columns: Sequence[str] = ()
    sort: Annotated[str, Flag(value="none|name|COLUMN|METRIC")] | None = None
    caption: Annotated[str, Flag(value="TEXT", form="latex")] | None = None
    label: Annotated[str, Flag(value="NAME", form="latex")] | None = None


PLOT_SUFFIXES = (".png", ".svg", ".pdf", ".html")


def check_plot_path(path: str | Path) -> None:
    """Raise an error before the work begins if the suffix is not that of a plot."""
    if Path(path).suffix.lower() not in PLOT_SUFFIXES:
        raise OptionError(f"{path}: a plot file must end in {', '.join(PLOT_SUFFIXES)}")


def _flatten(own: inspect.Signature, groups: Mapping[str, Options]) -> inspect.Signature:
    """Return the signature with groups replaced by their fields."""
    parameters = []
    for name in dict.fromkeys((*own.parameters, *groups)):
        if name in groups:
            parameters += [
                inspect.Parameter(
                    field.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=getattr(groups[name], field.name),
                    annotation=field.type,
                )
                for field in dataclasses.fields(groups[name])
                if field.name not in own.parameters
            ]
        else:
            parameters.append(own.parameters[name])
    return own.replace(parameters=parameters)


def _docs_of(group: Options) -> list[str]:
    """Return the docstrings of a group and of the groups that it inherits."""
    return [inspect.getdoc(kind) or "" for kind in type(group).__mro__ if issubclass(kind, Options)]


_ARGS = re.compile(r"^(?:Args|Attributes):\n((?: {4}.*\n?|\n)+)", re.MULTILINE)
_PARAMETER = re.compile(r"^ {4}(\w+): .*(?:\n {5,}.*)*", re.MULTILINE)
_NAMED = re.compile(r"""Flag\([^)]*\bname=["']([\w-]+)""")


def _document(function: Callable[..., Any], groups: Mapping[str, Options]) -> str:
    """Return the docstring of a command for Python: fields of groups, and names instead of flags.

    It only joins texts, since it is made at every import.
    """
    text = inspect.getdoc(inspect.unwrap(function)) or ""
    found: dict[str, str] = {}
    for doc in (*(doc for group in groups.values() for doc in _docs_of(group)), text):
        for section in _ARGS.findall(doc):
            found |= {entry[1]: entry[0] for entry in _PARAMETER.finditer(section)}
    if "" in groups:
        found["plot"] = f"    plot: {function.__draws__}"  # type: ignore[attr-defined]
    parameters = [*inspect.signature(function).parameters.values()]
    for each in parameters:
        about = found.get(each.name, "")
        if each.default is True and "By default" not in about and "--no-" not in about:
            found[each.name] = about.replace(": ", ": if False, ", 1)
    entries = "\n".join(found[each.name] for each in parameters if each.name in found)
    if not _ARGS.search(text):
        text = text.replace("Returns:\n", "Args:\n\nReturns:\n", 1)
    text = _ARGS.sub(lambda _: f"Args:\n{entries}\n\n", text, count=1).rstrip()
    typed = [each.name for each in parameters if each.kind is not each.KEYWORD_ONLY]
    placeholders = {*typed, *(name.removesuffix("s") for name in typed)}
    names = {each.name.replace("_", "-").removesuffix("s"): each.name for each in parameters}
    names |= {each.name.replace("_", "-"): each.name for each in parameters}
    flags = ((_NAMED.search(str(each.annotation)), each.name) for each in parameters)
    names |= {flag[1]: name for flag, name in flags if flag}

    def as_keyword(flag: re.Match[str]) -> str:
        off = names.get(flag[1].removeprefix("no-"))
        return names.get(flag[1]) or (f"{off}=False" if off else flag[0])

    def as_word(word: re.Match[str]) -> str:
        if word[2].lower() not in placeholders:
            return word[0]
        return word[1] + (word[2].capitalize() if word[1] else word[2].lower())

    text = re.sub(r"(?<![\w-])--([a-z][a-z-]*[a-z])", as_keyword, text)
    return re.sub(r"(\.\s|\n\n|)\b([A-Z]{2,})\b(?!=)", as_word, text)


@cache
def declaration(function: Callable[..., Any]) -> Declaration:
    """Return the declaration of a command."""
    inner = inspect.unwrap(function)
    text = parse_docstring(inspect.getdoc(inner) or "")
    draws = getattr(function, "__draws__", None)
    kinds = dict(kinds_of(inner))
    about: dict[str, str] = {}
    for group in getattr(function, "__groups__", {}).values():
        kinds |= kinds_of(type(group))
        for doc in _docs_of(group):
            about |= parse_docstring(doc).about
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
    return Declaration(text.summary, text.description, options)


_KINDS: dict[Any, Mapping[str, Kind]] = {}


def kinds_of(declared: Any) -> Mapping[str, Kind]:
    """Return the kinds of a function's parameters or of a dataclass's fields."""
    if declared not in _KINDS:
        hints = get_type_hints(declared, include_extras=True)
        _KINDS[declared] = {
            name: dataclasses.replace(_kind(hint), hint=hint)
            for name, hint in hints.items()
            if name != "return" and get_origin(hint) is not ClassVar
        }
    return _KINDS[declared]


_EXTRAS: dict[type, str] = {Limits: "limits", Flag: "flag", Needs: "needs"}


def _kind(hint: Any) -> Kind:
    """Return the meaning of a type; for a union, the simplest type decides."""
    origin, members = get_origin(hint), get_args(hint)
    if origin is Annotated:
        kind = _kind(members[0])
        for extra in members[1:]:
            if isinstance(extra, Registry):
                kind = dataclasses.replace(kind, choices=extra.names)
            elif type(extra) in _EXTRAS:
                kind = dataclasses.replace(kind, **{_EXTRAS[type(extra)]: extra})
        return dataclasses.replace(kind, many=kind.many or kind.flag.many)
    if origin is Literal:
        return Kind(type(members[0]), choices=members)
    if origin in {Union, UnionType}:
        kinds = [_kind(member) for member in members if member is not type(None)]
        best = min(kinds, key=_plainness)
        # one or several of some choices
        many = best.many or any(k.many and k.choices == best.choices for k in kinds if k.choices)
        return dataclasses.replace(best, optional=type(None) in members, many=many)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return Kind(Mapping)
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return dataclasses.replace(_kind(members[0]) if members else Kind(str), many=True)
    return Kind(hint)


def _plainness(kind: Kind) -> tuple[bool, bool, int]:
    """Sort by suitability for a command line: choices, numbers, files, words, lists."""
    order = ("Literal", "bool", "int", "float", "Path", "str")
    name = "Literal" if kind.choices else getattr(kind.type, "__name__", "")
    known = name in order
    return not known, kind.many, order.index(name) if known else 0


@dataclasses.dataclass(frozen=True)
class Docstring:
    """The parts of a docstring."""

    summary: str
    description: str
    about: Mapping[str, str]


_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Yields|Example|Examples):$")
_ENTRY = re.compile(r"^ {4}(\w+): (.*)$")


def parse_docstring(text: str) -> Docstring:
    """Return the first sentence, the paragraphs below it, and the descriptions of parameters."""
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
