"""What became of the inputs."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

_LONGEST = 2000


@dataclass(frozen=True)
class Failure:
    """An input that was neither done nor refused in one sentence."""

    name: str
    given: object
    what: str

    def __str__(self) -> str:
        given = repr(self.given)
        if len(given) > _LONGEST:
            given = f"{given[:_LONGEST]} ... ({len(given)} characters)"
        return f"{self.name}: {given}\n{self.what}"

    @property
    def kind(self) -> str:
        """What failed where: one mistake makes many failures."""
        places = re.findall(r'/redink/([^"]*)", line (\d+)', self.what)
        last = self.what.strip().rpartition("\n")[2]
        return f"{places[-1]} {last[:20]}" if places else f"{self.name} {last[:40]}"


@dataclass
class Outcome:
    """How many inputs were done, refused, and neither, by reader or command."""

    stop_after: int = 5
    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    """The first of each kind."""
    failed: Counter[str] = field(default_factory=Counter)
    """All of them, by kind."""

    def fail(self, failure: Failure) -> None:
        """Remember a failure."""
        if not self.failed[failure.kind]:
            self.failures.append(failure)
        self.failed[failure.kind] += 1

    @property
    def inputs(self) -> int:
        """All inputs tried."""
        return self.done.total() + self.refused.total() + self.failed.total()

    @property
    def enough(self) -> bool:
        """Whether so much has failed that going on would tell nothing new."""
        return len(self.failures) >= self.stop_after

    def table(self) -> str:
        """A line for each reader or command."""
        names = sorted({*self.done, *self.refused, *(f.name for f in self.failures)})
        wide = max(map(len, names), default=0)
        return "\n".join(
            f"{name:{wide}}  done {self.done[name]:9,}  refused {self.refused[name]:9,}"
            for name in names
        )
