"""The form in which every result leaves: a table with notes and a signature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["text", "count", "rate", "score", "p"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in JSON, and how to show it to a person.

    Attributes:
        name: the key in every row.
        kind: ``text`` left-aligned; ``count`` an integer where whole; ``rate`` and ``score``
            four decimals; ``p`` a p-value.
        best: whether the highest or the lowest value deserves emphasis.
        title: the heading for people, by default the name.
    """

    name: str
    kind: Kind = "text"
    best: Literal["max", "min"] | None = None
    title: str | None = None

    @property
    def heading(self) -> str:
        """What a person reads above the column."""
        return self.title or self.name


@dataclass(frozen=True)
class Table:
    """Rows under named columns, with notes and the signature of what made them.

    A value that is undefined is None, and a note says why.
    """

    columns: tuple[Column, ...]
    rows: list[dict[str, Any]]
    notes: tuple[str, ...] = ()
    signature: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    groups: str | None = None
    """The column inside whose equal values ``best`` is decided and after which a rule is drawn."""

    @property
    def column_names(self) -> list[str]:
        """The keys of the rows, in order."""
        return [column.name for column in self.columns]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: ``signature, notes, columns, rows``."""
        names = self.column_names
        return {
            "signature": dict(self.signature),
            "notes": list(self.notes),
            "columns": names,
            "rows": [{name: row.get(name) for name in names} for row in self.rows],
        }


def make_table(
    columns: Iterable[Column],
    rows: Iterable[Mapping[str, Any]],
    *,
    notes: Iterable[str] = (),
    signature: Mapping[str, Any] | None = None,
    title: str = "",
    groups: str | None = None,
) -> Table:
    """A table from any iterables."""
    return Table(
        tuple(columns),
        [dict(row) for row in rows],
        tuple(notes),
        dict(signature or {}),
        title,
        groups,
    )
