"""Tables: rows with named columns, notes and a signature, returned by all commands.

A row is a frozen dataclass, and the types of its fields define how they are displayed::

    @dataclass(frozen=True)
    class Encounter:
        system: str
        share: Annotated[float | None, Shown(best="max")]
        p: Annotated[float | None, Shown("p")]

    table_of(encounters, title="Head to head", signature=...)
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, overload

from redink._version import __version__
from redink.errors import DataError, MissingExtraError, OptionError, unknown_name
from redink.files import write_atomically
from redink.options import DisplayOptions as DisplayOptions  # noqa: PLC0414 (exported)
from redink.registry import Registry

Kind = Literal["text", "count", "rate", "score", "p"]
Best = Literal["max", "min"]
Size = Literal["column", "page", "screen"]
Row = dict[str, Any]
"""A row of a table: a value for every column, by name."""

TITLES = {
    **{name: name.upper() for name in ("tp", "fp", "fn", "tn", "n", "f")},
    "precision": "P",
    "recall": "R",
}
"""Headings of common columns, if other than the name."""

FORMS: Registry[Callable[..., str]] = Registry(
    "redink.forms",
    "output format",
    {
        "table": "redink.reports.table_formats:to_text",
        "json": "redink.reports.table_formats:to_json",
        "csv": "redink.reports.table_formats:to_csv",
        "tsv": "redink.reports.table_formats:to_tsv",
        "markdown": "redink.reports.table_formats:to_markdown",
        "latex": "redink.reports.latex:to_latex",
        "html": "redink.reports.html:to_html",
        "junit": "redink.reports.table_formats:to_junit",
    },
)
"""Output formats by name (their code is in ``reports``, a higher layer)."""

_FORM_OF_SUFFIX = {
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".xml": "junit",
}


def form_of_file(path: str | Path) -> str:
    """Return the output format for a file's suffix; raise an OptionError if there is none."""
    suffix = Path(path).suffix.lower()
    if suffix in {".xlsx", ".xls", ".ods", ".docx", ".pdf"}:
        raise OptionError(f"{path}: unknown suffix for a table; spreadsheet programs can open .csv")
    return _FORM_OF_SUFFIX.get(suffix, "table")


_DRAW: Registry[Callable[..., Any]] = Registry(
    "redink.drawing", "plotting backend", {"plot": "redink.reports.plots:draw"}
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in JSON, and its formatting.

    Attributes:
        name: the key in every row.
        kind: ``text`` left-aligned; ``count`` without decimals if it is an integer; ``rate`` and
            ``score`` four decimals; ``p`` a p-value.
        best: whether the highest or the lowest value is emphasized.
        title: the heading, by default the name.
        digits: the number of decimals, if different from the default of its kind.
        over: a heading above this column and its neighbors.
    """

    name: str
    kind: Kind = "text"
    best: Best | None = None
    title: str | None = None
    digits: int | None = None
    over: str | None = None

    @property
    def heading(self) -> str:
        """The heading that is displayed."""
        return TITLES.get(self.name, self.name) if self.title is None else self.title


class Definition(str):
    """A note that defines a column or a method; a terminal shows it only with ``--verbose``."""

    __slots__ = ()


@dataclass(frozen=True, repr=False)
class Table:
    """Rows under named columns, with notes and a signature.

    ``table["f"]`` is a column, ``table[0]`` a row, and iteration yields rows. ``print`` displays it
    as in the terminal, a notebook displays it as HTML. An undefined value is None, and a note gives
    the reason.

    Attributes:
        columns: the columns in display order.
        rows: values by column name; a missing key means None.
        notes: notes for the reader.
        signature: version, options and data; results with the same signature are identical.
        title: a heading.
        groups: the column by which rows are grouped: each group has its own ``best`` value and ends
            with a rule.
        view: the name of the view that formats the rows for display, if any.
        plot_name: the name of its plot; None if it has none.
        extra: further data for its view or plot.
        display: its order, and display of its numbers.
        score_sentences: makes the table ``sentences``; None if there are no scores of sentences.
        hidden: columns that the reader did not choose; views and plots know them.
    """

    columns: tuple[Column, ...]
    rows: list[Row]
    notes: tuple[str, ...] = ()
    signature: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    groups: str | None = None
    view: str | None = None
    plot_name: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    display: DisplayOptions = field(default_factory=DisplayOptions)
    score_sentences: Callable[[], Table] | None = field(default=None, compare=False)
    hidden: tuple[Column, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    @overload
    def __getitem__(self, key: int) -> Row: ...
    def __getitem__(self, key: str | int) -> list[Any] | Row:
        if isinstance(key, int):
            return self.rows[key]
        if key not in self.column_names:
            raise KeyError(
                f"unknown column {key!r}; expected one of: {', '.join(self.column_names)}"
            )
        return [row.get(key) for row in self.rows]

    def __str__(self) -> str:
        return str(FORMS.load("table")(self, detail="brief", rest="in table.notes")).rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return FORMS.load("html")(self, styled=True)

    @property
    def column_names(self) -> list[str]:
        """The keys of the rows, in order."""
        return [column.name for column in self.columns]

    @cached_property
    def sentences(self) -> Table:
        """The scores of every sentence: one row per sentence, system and metric.

        Only tables of ``redink.score`` have them; other tables raise an AttributeError.
        """
        if self.score_sentences is None:
            raise AttributeError("this table has no scores of sentences; redink.score returns them")
        found = self.score_sentences()
        return dataclasses.replace(found, signature=self.signature, display=self.display)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON structure: ``signature, notes, columns, rows``."""
        names = self.column_names
        return {
            "signature": dict(self.signature),
            "notes": list(self.notes),
            "columns": names,
            "rows": [{name: row.get(name) for name in names} for row in self.rows],
        }

    def arrange(self, display: DisplayOptions) -> Table:
        """Return the table in another order, with the chosen columns and display.

        Options that have their default do not change the display.
        """
        names = self.column_names
        for name in display.columns:
            if name not in names:
                raise unknown_name("column", name, names)
        chosen = display.columns or names
        known = dict(zip(names, self.columns, strict=True))
        given = {n: v for n, v in vars(display).items() if v != getattr(DisplayOptions, n)}
        table = self if display.sort is None else _sort(self, display.sort)
        return dataclasses.replace(
            table,
            columns=tuple(known[name] for name in dict.fromkeys(chosen)),
            hidden=tuple(known[name] for name in names if name not in chosen),
            display=dataclasses.replace(self.display, **given),
        )

    def render(self, form: str) -> str:
        """Return the table as text in an output format: ``table``, ``json``, ``csv`` ..."""
        return FORMS.load(form)(self)

    def save(self, path: str | Path, form: str | None = None) -> None:
        """Write the table to a file, atomically; by default the suffix selects the format."""
        text = self.render(form or form_of_file(path))
        with write_atomically(path) as stream:
            stream.write(text)

    def to_json(self) -> str:
        """Return JSON: ``signature, notes, columns, rows``."""
        return self.render("json")

    def to_csv(self) -> str:
        """Return comma-separated values, in full precision, empty if undefined."""
        return self.render("csv")

    def to_tsv(self) -> str:
        """Return tab-separated values, in full precision, empty if undefined."""
        return self.render("tsv")

    def to_markdown(self) -> str:
        """Return a pipe table with the notes below it."""
        return self.render("markdown")

    def to_latex(self) -> str:
        """Return a ``tabular`` with booktabs rules."""
        return self.render("latex")

    def to_html(self) -> str:
        """Return an HTML table with its notes and signature below."""
        return self.render("html")

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` of the rows; notes and signature are its ``attrs``."""
        frame = _optional("pandas").DataFrame({name: self[name] for name in self.column_names})
        frame.attrs.update(signature=dict(self.signature), notes=list(self.notes))
        return frame

    def to_polars(self) -> Any:
        """Return a ``polars.DataFrame`` of the rows."""
        return _optional("polars").DataFrame(
            {name: self[name] for name in self.column_names}, strict=False, infer_schema_length=None
        )

    def plot(
        self, path: str | Path | None = None, *, name: str | None = None, size: Size = "screen"
    ) -> Any:
        """Return a plot of the table as a matplotlib figure, and write it if a file is given.

        Args:
            path: the file: PNG, SVG, PDF or HTML.
            name: the plot, if the table has several.
            size: one column of a paper, the full width of a page, or the screen.
        """
        return _DRAW.load("plot")(self, path, name=name or self.plot_name, size=size)


def _sort(table: Table, by: str) -> Table:
    """Return the table with its rows in an order, per group; ``extra["order"]`` has the systems.

    ``by`` is ``none`` (the order of the input), ``name``, a column, or a metric. The best, a low
    rank and a low p-value are first, and undefined values last.
    """
    columns = {column.name: column for column in table.columns}
    texts = [column.name for column in table.columns if column.kind == "text"]
    naming = "system" if "system" in columns else next(iter(texts), "")
    metrics = dict.fromkeys(row.get("metric") for row in table.rows if "metric" in columns)
    order: list[Any] | None = None
    if by in {"none", "name"}:
        named = dict.fromkeys(
            row[side] for row in table.rows for side in (naming, "other") if side in row
        )
        order = (
            sorted(named, key=lambda n: str(n).casefold())
            if by == "name"
            else [*table.extra.get("systems", named)]
        )
    elif by not in columns and by in metrics:
        scores: dict[Any, float] = {}
        for row in table.rows:
            for side, score in ((naming, "f"), (naming, "score"), ("other", "other_score")):
                if row.get("metric") == by and row.get(score) is not None:
                    scores.setdefault(row[side], row[score])
        order = sorted(scores, key=lambda name: -scores[name])
    elif by not in columns:
        raise unknown_name("order", by, ("none", "name", *columns, *metrics))
    places = {name: number for number, name in enumerate(order or ())}
    grouped = None if table.groups == "cluster" else table.groups  # clusters are an order too
    groups: dict[Any, int] = {}

    def place(row: Row) -> tuple[Any, ...]:
        group = groups.setdefault(row.get(grouped or ""), len(groups))
        if order is not None:
            return group, places.get(row.get(naming), len(places))
        value, column = row.get(by), columns[by]
        is_low_first = column.best == "min" or column.kind == "p" or by == "rank"
        if isinstance(value, int | float):
            return group, False, value if is_low_first else -value, ""
        return group, value is None, 0, str(value)

    extra = {**table.extra, "order": order}
    rows = sorted(table.rows, key=place)
    return dataclasses.replace(table, rows=rows, extra=extra, groups=grouped)


def _optional(library: str) -> Any:
    try:
        return importlib.import_module(library)
    except ImportError:
        raise MissingExtraError(library) from None


def make_signature(command: str, **parts: Any) -> dict[str, Any]:
    """Return the signature of a result: version, command and the parts that are not None."""
    given = {name: value for name, value in parts.items() if value is not None}
    return {"redink": __version__, "command": command, **given}


def make_table(
    columns: Iterable[Column | str],
    rows: Iterable[Mapping[str, Any]],
    *,
    notes: Iterable[str] = (),
    signature: Mapping[str, Any] | None = None,
    **more: Any,
) -> Table:
    """Return a table; a column given as a string has the kind ``text``."""
    return Table(
        tuple(Column(column) if isinstance(column, str) else column for column in columns),
        [dict(row) for row in rows],
        tuple(notes),
        dict(signature or {}),
        **more,
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """Formatting of a field of a row, as part of its type: ``p: Annotated[float, Shown("p")]``.

    Attributes:
        kind: kind of the column; by default text for strings, count for integers, else rate.
        best: whether the highest or the lowest value is emphasized.
        title: the heading.
        optional: omit the column if no row has a value.
        hidden: do not show the field as a column.
    """

    kind: Kind | None = None
    best: Best | None = None
    title: str | None = None
    optional: bool = False
    hidden: bool = False


def table_of(
    records: Iterable[Any],
    kind: type | None = None,
    *,
    extra_columns: Sequence[Column] = (),
    **more: Any,
) -> Table:
    """Return a table whose rows are dataclasses.

    Args:
        records: the rows.
        kind: the class of the rows; required if there may be none.
        extra_columns: columns before the others; their values are in the dictionary ``extra`` of
            each record.
        more: as for :func:`make_table`: notes, signature, title, groups ...
    """
    given = list(records)
    if kind is None:
        if not given:
            raise DataError("a table without rows needs the class of its rows")
        kind = type(given[0])
    rows = [row_of(record) for record in given]
    columns = [
        column
        for column, optional in _columns(kind)
        if not optional or any(row[column.name] is not None for row in rows)
    ]
    return make_table([*extra_columns, *columns], rows, **more)


def row_of(record: Any) -> Row:
    """Convert a record to a row: ``extra``, and its fields by name (``from_`` is ``from``)."""
    row = {f.name.rstrip("_"): getattr(record, f.name) for f in dataclasses.fields(record)}
    shown = {column.name for column in columns_of(type(record))}
    return {**row.get("extra", {}), **{name: row[name] for name in row if name in shown}}


def columns_of(kind: type) -> list[Column]:
    """Return the columns for a class of records."""
    return [column for column, _ in _columns(kind)]


@cache
def _columns(kind: type) -> tuple[tuple[Column, bool], ...]:
    hints = get_type_hints(kind, include_extras=True)
    columns = []
    for each in dataclasses.fields(kind):
        if each.name == "extra":
            continue
        hint, display = hints[each.name], Shown()
        if get_origin(hint) is Annotated:
            display = next((m for m in hint.__metadata__ if isinstance(m, Shown)), display)
            hint = hint.__origin__
        if not display.hidden:
            name = each.name.rstrip("_")
            title = display.title or (name.replace("_", " ") if "_" in name else None)
            column = Column(name, display.kind or _kind_of(hint), display.best, title)
            columns.append((column, display.optional))
    return tuple(columns)


def _kind_of(hint: Any) -> Kind:
    members = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
    if float in members:
        return "rate"
    return "count" if int in members else "text"
