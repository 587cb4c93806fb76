"""Formats that other packages add by entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest

from redink.errors import RedinkWarning
from redink.formats import Format, all_formats, detect_format, format_registry, get_format
from redink.model import AnnotatedSentence, Sentence
from redink.registry import Registry


def words(name: str = "words", *, general: bool = False) -> Format:
    """A word a line, below a first line ``%words``; by its tabs it could be parallel text."""

    def read(path: str | Path) -> Iterator[AnnotatedSentence]:
        yield AnnotatedSentence(Sentence(tuple(Path(path).read_text().split()[1:])))

    def write(values: object, stream: object) -> None:
        raise AssertionError((values, stream))

    return Format(
        name,
        "corpus",
        "a word a line",
        (".words",),
        lambda head: head[0].startswith("%words"),
        read,
        write,
        general=general,
    )


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> object:
    """Pretend that a package is installed that adds these formats."""

    def install(**added: str) -> None:
        points = [metadata.EntryPoint(n, home, "redink.formats") for n, home in added.items()]
        monkeypatch.setattr(metadata, "entry_points", lambda *, group: points if group else ())
        monkeypatch.setattr(format_registry, "_ADDED", Registry("redink.formats", "format", {}))
        format_registry.all_formats.cache_clear()

    module = ModuleType("a_package")
    monkeypatch.setitem(sys.modules, "a_package", module)
    yield module, install
    format_registry.all_formats.cache_clear()


def test_a_format_value(add: tuple[ModuleType, object], tmp_path: Path) -> None:
    """It is known by name, asked before plain and parallel text, and read by its content."""
    module, install = add
    module.WORDS = words()
    install(words="a_package:WORDS")
    assert get_format("words") is module.WORDS
    assert [known.name for known in all_formats()][-4:] == ["words", "para", "parallel", "text"]
    (tmp_path / "x").write_text("%words\tone\na\tword\n")
    assert detect_format(tmp_path / "x") is module.WORDS


def test_several_formats_by_one_entry_point(add: tuple[ModuleType, object]) -> None:
    module, install = add
    module.BOTH = (words("one"), words("two"))
    install(both="a_package:BOTH")
    assert {"one", "two"} <= {known.name for known in all_formats()}


def test_nobody_replaces_a_format_of_redink(add: tuple[ModuleType, object]) -> None:
    module, install = add
    own = get_format("m2")
    module.OTHER = words("m2")
    install(m2="a_package:OTHER")
    assert get_format("m2") is own


def test_a_package_that_is_broken(add: tuple[ModuleType, object]) -> None:
    _, install = add
    install(words="a_package:MISSING", more="no_such_package:X")
    with pytest.warns(RedinkWarning) as told:
        assert get_format("m2").name == "m2"
    messages = [str(warning.message) for warning in told]
    assert len(messages) == 2
    assert messages[0].startswith("ignored: the format 'words', provided by another package,")
    assert "'more'" in messages[1]
