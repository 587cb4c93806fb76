"""What ``import redink`` offers, name by name."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.released.interface import public_interface

import redink
from redink.cli.main import COMMANDS
from redink.options import find_spelling, parse_docstring

ROOT = Path(__file__).resolve().parents[1]


def test_nothing_public_is_undocumented() -> None:
    """Every public name exists, is no module, and has a docstring if it is a function or class."""
    assert set(redink._HOMES) <= set(redink.__all__)
    for name in redink.__all__:
        value = getattr(redink, name)
        assert not isinstance(value, types.ModuleType), name
        if inspect.isfunction(value) or inspect.isclass(value):
            assert inspect.getdoc(value), name


def test_every_parameter_is_described() -> None:
    """``help`` describes what the signature has, options of groups included, and nothing else."""
    for name in redink.__all__:
        if inspect.isfunction(value := getattr(redink, name)):
            about = parse_docstring(inspect.getdoc(value) or "").about
            assert set(about) == set(inspect.signature(value).parameters), name
            assert all(about.values()), name


def test_help_has_names_instead_of_flags() -> None:
    shown = inspect.getdoc(redink.score) or ""
    assert "SYSTEM" not in shown
    assert "REFERENCE" not in shown
    assert "--reference" not in shown
    assert "cache: if False, " in shown  # the text is that of the flag --no-cache


def test_completion_offers_public_names_only() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", "import redink; redink.score; redink.model; print(*dir(redink))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == sorted(redink.__all__)


def test_one_process_unless_more_are_asked_for() -> None:
    found = {
        name: inspect.signature(value).parameters["workers"].default
        for name in redink.__all__
        if inspect.isfunction(value := getattr(redink, name))
        and "workers" in inspect.signature(value).parameters
    }
    assert {name: default for name, default in found.items() if default != 1} == {
        "annotate_shards": None
    }
    assert len(found) > 8


def test_each_command_that_computes_has_its_function() -> None:
    """A command of the command line is a function of the same name, unless it is a group."""
    groups = {name for name, entry in COMMANDS.items() if entry.members is not None}
    groups |= {"convert", "demo", "reproduce", "explore", "report", "completion"}
    for command in set(COMMANDS) - groups:
        assert command in redink.__all__, command


def test_the_stub_for_editors_is_current() -> None:
    """``__init__.pyi`` has every public function with all its keywords; ``make docs`` writes it."""
    ran = subprocess.run(
        [sys.executable, "docs/write_stub.py", "--check"],
        cwd=Path(__file__).resolve().parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


RELEASED = sorted(Path(__file__).parent.glob("released/*.json"))


@pytest.mark.parametrize("released", RELEASED, ids=lambda path: path.stem)
def test_released_names_work_or_are_listed_as_removed(released: Path) -> None:
    """Before 1.0, a name may be removed at once if the changelog names it under "Removed"."""
    earlier, now = json.loads(released.read_text("utf-8")), public_interface()
    missing = [name for kind, names in earlier.items() for name in _missing(names, now[kind])]
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    removed = re.findall(r"^### Removed\n(.*?)(?=^##)", changelog, re.DOTALL | re.MULTILINE)
    assert [name for name in missing if f"{name}`" not in " ".join(removed)] == []


def _missing(earlier: dict[str, list[str]], now: dict[str, list[str]]) -> Iterator[str]:
    """Yield the names that are not accepted any more, in the current spelling."""
    words = {word for name in now for word in name.split()}
    for name, parts in earlier.items():
        present = " ".join(find_spelling(word, words) for word in name.split())
        if present not in now:
            yield present
        else:
            yield from (p for p in parts if find_spelling(p, now[present]) not in now[present])
