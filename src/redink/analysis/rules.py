"""What a rule of typing is: a name, a condition, the error type it gives, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Change = TypeVar("Change")


@dataclass(frozen=True, slots=True)
class Rule(Generic[Change]):
    """One rule.

    Attributes:
        name: what :attr:`redink.Edit.rule` says.
        gives: the error type without its operation, or how it is found in the change.
        because: why the rule gives this type, as a clause for people.
        when: whether the rule applies.
        kind: what ``gives`` is called in the documentation where it is found in the change.
    """

    name: str
    gives: str | Callable[[Change], str]
    because: str
    when: Callable[[Change], bool]
    kind: str = ""

    def type_of(self, change: Change) -> str:
        """The error type that the rule gives to a change."""
        return self.gives if isinstance(self.gives, str) else self.gives(change)


@dataclass(frozen=True, slots=True)
class Section(Generic[Change]):
    """Rules that are tried one after the other, if their common condition holds."""

    title: str
    rules: tuple[Rule[Change], ...]
    when: Callable[[Change], bool] | None = None

    def find(self, change: Change) -> Rule[Change] | None:
        """The first rule that applies."""
        if self.when is not None and not self.when(change):
            return None
        for rule in self.rules:
            if rule.when(change):
                return rule
        return None
