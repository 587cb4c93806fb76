"""Things found by name: metrics, formats, languages, analysers, campaign tasks, output forms.

A registry knows where each thing lives and loads it when it is asked for. Other packages add
theirs by an entry point, without a line of redink changed::

    [project.entry-points."redink.metrics"]
    wordcount = "my_package.metrics:WordCount"
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from redink.errors import OptionError, RedinkError

Thing = TypeVar("Thing")


class Registry(Generic[Thing]):
    """Things of one kind, by name; each is loaded when it is asked for."""

    def __init__(self, group: str, what: str, homes: Mapping[str, str]) -> None:
        """Know what comes with redink.

        Args:
            group: the entry points that add to it, as ``redink.metrics``.
            what: what one of them is called in a message, as ``metric``.
            homes: where each of redink's own lives, as ``package.module:name``, in the order in
                which they are listed.
        """
        self._group = group
        self._what = what
        self._own = dict(homes)
        self._loaded: dict[str, Thing] = {}

    @cached_property
    def _homes(self) -> dict[str, str]:
        if not has_additions():
            return self._own
        from importlib.metadata import entry_points

        added = {point.name: point.value for point in entry_points(group=self._group)}
        return {**added, **self._own}  # nobody replaces what comes with redink

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, redink's own first."""
        return (*self._own, *(name for name in self._homes if name not in self._own))

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._homes

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def load(self, name: str) -> Thing:
        """The thing of that name.

        Raises:
            OptionError: there is none.
            RedinkError: what another package added cannot be loaded.
        """
        if name not in self._loaded:
            home = self._own.get(name) or self._homes.get(name)
            if home is None:
                raise OptionError(
                    f"there is no {self._what} {name!r}; there are: {', '.join(self.names)}"
                )
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
                f"the {self._what} {name!r}, which another package adds, cannot be loaded from "
                f"{home} ({error})"
            ) from error


def has_additions() -> bool:
    """Whether any package that is installed adds something; if in doubt, yes.

    Mostly none does. To load what reads entry points takes longer than to look for ours.
    """
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    return len(finders) > 1 or any(map(_adds, sys.path))


@cache
def _adds(place: str) -> bool:
    """Whether a place where packages are holds one that does."""
    try:
        with os.scandir(place or os.curdir) as there:
            about = [each.path for each in there if each.name.endswith(_ABOUT_PACKAGES)]
    except NotADirectoryError:
        return True  # an archive
    except OSError:
        return False
    return any(map(_names_ours, about))


_ABOUT_PACKAGES = (".dist-info", ".egg-info")


def _names_ours(folder: str) -> bool:
    try:
        return b"[redink." in Path(folder, "entry_points.txt").read_bytes()
    except OSError:
        return False
