"""The pytest plugin: ``pytest --redink``, and the fixture ``redink_gate``.

It is loaded by every pytest in an environment with redink, so it imports the commands only when
they are used.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from redink.model import Table

CONFIG = "redink.toml"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--redink`` and ``--redink-config``."""
    group = parser.getgroup("redink")
    group.addoption(
        "--redink", action="store_true", help="Check the rules of redink.toml, one test per rule."
    )
    group.addoption(
        "--redink-config",
        default=CONFIG,
        metavar="FILE",
        help="Settings file. [default: redink.toml]",
    )


@pytest.fixture
def redink_gate(pytestconfig: pytest.Config) -> Callable[..., Table]:
    """Return a function that fails the test unless a candidate passes ``redink.gate``.

    It has the arguments of ``redink.gate``. Without arguments, it reads redink.toml in the root
    folder of pytest.
    """

    def check(*files: Any, **options: Any) -> Table:
        if not files and "source" not in options:
            options.setdefault("config", _find_config(pytestconfig))
        table = _run_gate(*files, **options)
        failed = [_describe(row) for row in table if row.get("verdict") == "fail"]
        if failed:
            pytest.fail("redink gate failed\n" + "\n".join(failed), pytrace=False)
        return table

    return check


def _describe(row: dict[str, Any]) -> str:
    shown = [
        f"{name} {value:.4f}" if isinstance(value, float) else f"{name} {value}"
        for name in ("slice", "measure", "baseline", "candidate", "difference", "p")
        if (value := row.get(name)) is not None
    ]
    return f"{row['rule']}: {', '.join(shown)}"


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """With ``--redink``, add one test per rule."""
    if session.config.getoption("--redink"):
        file = GateFile.from_parent(session, path=_find_config(session.config))
        items.extend(file.collect())


def _find_config(config: pytest.Config) -> Path:
    return config.rootpath / str(config.getoption("--redink-config"))


def _run_gate(*files: Any, **options: Any) -> Table:
    """Run the gate; warnings about the input are in its notes."""
    import redink

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redink.RedinkWarning)
        return redink.gate(*files, **options)


class GateFile(pytest.File):
    """A settings file of the gate."""

    def collect(self) -> Iterator[GateItem]:
        """Yield one test per rule."""
        from redink.errors import RedinkError

        try:
            table = _run_gate(config=self.path)
        except RedinkError as error:
            raise pytest.UsageError(f"redink gate: {error}") from None
        rules: dict[str, list[dict[str, Any]]] = {}
        for row in table:
            rules.setdefault(row["rule"], []).append(row)
        for rule, rows in rules.items():
            yield GateItem.from_parent(self, name=rule, rows=rows)


class GateItem(pytest.Item):
    """One rule."""

    def __init__(self, *, rows: list[dict[str, Any]], **more: Any) -> None:
        super().__init__(**more)
        self.rows = rows

    def runtest(self) -> None:
        """Fail if one of the checks failed."""
        failed = [_describe(row) for row in self.rows if row["verdict"] == "fail"]
        if failed:
            pytest.fail("\n".join(failed), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the file and the rule."""
        return self.path, None, f"redink: {self.name}"
