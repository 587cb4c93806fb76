"""Find objects by name: metrics, formats, languages, analyzers, campaign tasks, output formats.

A registry imports an object when it is first used. Other packages can add objects with an entry
point, without a change to redink::

    [project.entry-points."redink.metrics"]
    wordcount = "my_package.metrics:WordCount"
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Generic, TypeVar

from redink.errors import RedinkError, unknown_name

Thing = TypeVar("Thing")


class Registry(Generic[Thing]):
    """Objects of one kind, by name; each is imported when it is first used."""

    def __init__(self, group: str, what: str, homes: Mapping[str, str]) -> None:
        """List the objects that are part of redink.

        Args:
            group: the entry-point group that adds to it, such as ``redink.metrics``.
            what: the word for one object in a message, such as ``metric``.
            homes: the locations of redink's own objects, as ``package.module:name``, in display
                order.
        """
        self._group = group
        self._what = what
        self._own = dict(homes)
        self._loaded: dict[str, Thing] = {}

    @cached_property
    def _homes(self) -> dict[str, str]:
        from importlib.metadata import entry_points

        added = {point.name: point.value for point in entry_points(group=self._group)}
        return {**self._own, **added, **self._own}  # redink's own come first and take precedence

    @property
    def names(self) -> tuple[str, ...]:
        """All names, redink's own first."""
        return tuple(self._homes)

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._homes

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def load(self, name: str) -> Thing:
        """Import and return the object of that name.

        Raises:
            OptionError: the name is unknown.
            RedinkError: an object of another package cannot be imported.
        """
        if name not in self._loaded:
            home = self._own.get(name) or self._homes.get(name)
            if home is None:
                raise unknown_name(self._what, name, self.names)
            self._loaded[name] = self._import(name, home)
        return self._loaded[name]

    def _import(self, name: str, home: str) -> Any:
        module, _, attribute = home.partition(":")
        try:
            found = importlib.import_module(module)
            return getattr(found, attribute) if attribute else found
        except (ImportError, AttributeError) as error:
            if name in self._own:
                raise
            raise RedinkError(
                f"the {self._what} {name!r}, provided by another package, cannot be loaded from "
                f"{home} ({error})"
            ) from error
