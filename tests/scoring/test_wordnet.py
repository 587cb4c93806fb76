"""WordNet is read from its database files, wherever an installation puts them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from redink.errors import DataError
from redink.scoring.wordnet import PARTS, find_wordnet, read_wordnet

# A database of eight words in WordNet's format (wndb(5WN)), with its licence in front.
FILES = {
    "index.noun": """  1 This software and database is being provided to you ...
  2 WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.
auto n 1 1 @ 1 1 00000102
automobile n 1 1 @ 1 0 00000102
car n 2 3 @ ~ %p 2 1 00000102 00000103
man n 1 0 1 0 00000106
""",
    "index.verb": """buy v 1 2 @ ~ 1 1 00000101
purchase v 1 1 @ 1 1 00000101
man v 1 0 1 0 00000107
""",
    "index.adj": """big a 2 1 & 2 1 00000104 00000105
large a 1 1 & 1 1 00000104
""",
    "index.adv": "",
    "noun.exc": "feet foot\n",
    "verb.exc": "bought buy\n",
    "adj.exc": "",
    "adv.exc": "",
}


def write_wordnet(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No WordNet in the home of this user or in the environment."""
    for name in ("WNSEARCHDIR", "WNHOME", "NLTK_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def test_words_have_the_sets_of_all_parts_of_speech(tmp_path: Path) -> None:
    wordnet = read_wordnet(write_wordnet(tmp_path / "wordnet"))
    assert wordnet.version == "3.0"
    assert wordnet.senses("car") == {102, 103}
    assert wordnet.senses("man") == {106, 107}
    assert wordnet.senses("unheard-of") == set()


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("bought", "buy"),  # an exception
        ("cars", "car"),
        ("men", "man"),
        ("purchased", "purchase"),
        ("purchasing", "purchase"),
        ("larger", "large"),
    ],
)
def test_a_form_has_the_sets_of_its_base(form: str, base: str, tmp_path: Path) -> None:
    wordnet = read_wordnet(write_wordnet(tmp_path / "wordnet"))
    assert wordnet.senses(form) == wordnet.senses(base) != set()


def test_words_in_ss_and_short_words_have_no_ending(tmp_path: Path) -> None:
    wordnet = read_wordnet(write_wordnet(tmp_path / "wordnet"))
    assert wordnet.senses("autoss") == wordnet.senses("s") == set()


@pytest.mark.usefixtures("nowhere")
def test_found_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_wordnet(tmp_path / "home" / "dict")
    monkeypatch.setenv("WNHOME", str(folder.parent))
    assert find_wordnet() == folder
    other = write_wordnet(tmp_path / "other")
    monkeypatch.setenv("WNSEARCHDIR", str(other))
    assert find_wordnet() == other


@pytest.mark.usefixtures("nowhere")
def test_found_as_data_of_nltk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NLTK keeps it as it downloaded it, a zip file, or unpacked."""
    data = tmp_path / "data"
    folder = write_wordnet(data / "corpora" / "wordnet")
    monkeypatch.setenv("NLTK_DATA", str(data))
    if not Path("/usr/share/wordnet").exists():
        assert find_wordnet() == folder
    shutil.make_archive(str(folder), "zip", data / "corpora", "wordnet")
    shutil.rmtree(folder)
    found = find_wordnet()
    assert found is not None
    assert read_wordnet(found).senses("autos") == {102}


def test_a_folder_without_wordnet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"index\.noun: cannot read"):
        read_wordnet(tmp_path)


@pytest.mark.parametrize("part", PARTS)
def test_a_line_that_is_no_entry_is_refused(part: str, tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path / "wordnet")
    (folder / f"index.{part}").write_text("something else altogether\n", encoding="utf-8")
    with pytest.raises(DataError, match="not a line of a WordNet index"):
        read_wordnet(folder)
