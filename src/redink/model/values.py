"""Values that are made by the million: frozen, and made quickly all the same."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar

Value = TypeVar("Value")


def made_quickly(kind: type[Value]) -> type[Value]:
    """A frozen dataclass with slots, whose values are made in half the time.

    What ``@dataclass`` writes for a frozen class looks up every field by its name; this sets the
    slots themselves. Fields are given by position or name, and have values as defaults, if any.
    """
    inside: dict[str, Any] = {}
    parameters, lines = [], []
    for field in fields(kind):  # type: ignore[arg-type]  # a dataclass, as is said above
        inside[f"set_{field.name}"] = getattr(kind, field.name).__set__
        inside[f"default_{field.name}"] = field.default
        default = "" if field.default is MISSING else f"=default_{field.name}"
        parameters.append(f"{field.name}{default}")
        lines.append(f" set_{field.name}(self, {field.name})")
    if hasattr(kind, "__post_init__"):
        lines.append(" self.__post_init__()")
    text = f"def __init__(self, {', '.join(parameters)}):\n" + "\n".join(lines)
    exec(text, inside)  # noqa: S102 (made of names of fields alone)
    made = inside["__init__"]
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    made.__annotations__ = kind.__init__.__annotations__
    kind.__init__ = made  # type: ignore[method-assign]
    return kind
