"""A campaign's database, where it is not what it should be."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from redink.campaign.store import Store
from redink.errors import RedinkError


def _empty_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE other (a)")


def _other_schema(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE settings (key, value)")
        connection.execute("INSERT INTO settings VALUES ('schema', '0')")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux")
@pytest.mark.parametrize(
    "make",
    [lambda path: path.write_bytes(b"no database at all" * 99), _empty_database, _other_schema],
    ids=["no database", "no campaign", "another version"],
)
def test_what_is_no_campaign_is_let_go(tmp_path: Path, make: object) -> None:
    """Refused in one sentence, and the file is not held open."""
    path = tmp_path / "c.db"
    assert callable(make)
    make(path)
    with pytest.raises(RedinkError, match=r"c\.db: (is damaged|was made by another)") as refused:
        Store.open(path)
    assert "\n" not in str(refused.value)
    held = [link for link in Path("/proc/self/fd").iterdir() if "c.db" in _target(link)]
    assert not held


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # it was the one that listed them
        return ""
