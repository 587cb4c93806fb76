"""Campaigns that cannot be made or asked: one line, exit code 2, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Files, Refuse, Run

ITEMS = "text,start,end\na b,0,1\n"
ONE_EDIT = "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n"
REFUSED: list[tuple[str, str, Files]] = [
    ("campaign invite c.db anna --again --revoke", "restore", {"c.db": ""}),
    ("campaign create c.db --task crowd --from i.csv", "i.csv:2", {"i.csv": "text,end\na b,1\n"}),
    (
        "campaign create c.db --task crowd --from i.csv",
        "i.csv:2",
        {"i.csv": "text,start,end,judge\na b,0,1,x\n"},
    ),
    ("campaign create c.db --task crowd --from i.csv", "i.csv", {"i.csv": "text,start,end\n"}),
    (
        "campaign create c.db --task ranking --from i.jsonl",
        "i.jsonl:1",
        {"i.jsonl": '{"item": "1", "source": "a", "outputs": 3}\n'},
    ),
    (
        "campaign create c.db --task ranking --from i.jsonl",
        "i.jsonl:2",
        {
            "i.jsonl": (
                '{"item": "1", "source": "a", "outputs": []}\n{"item": "1", '
                '"source": "a", "outputs": []}\n'
            )
        },
    ),
    (
        "campaign create c.db --task ranking --from i.jsonl",
        "i.jsonl:1",
        {"i.jsonl": '{"item": "1", "source": "a", "outputs": [], "gold": "x"}\n'},
    ),
    ("campaign create c.db --task adjudicate --from gold.m2 --items 3", "adjudicate", {}),
    ("campaign create c.db --task adjudicate --from g.m2", "--from", {"g.m2": ONE_EDIT}),
    (
        "campaign create c.db --task adjudicate --from i.jsonl",
        "i.jsonl:1",
        {"i.jsonl": '{"item": "1", "text": "a b", "places": []}\n'},
    ),
    (
        "campaign create c.db --task edit-validity --from i.jsonl",
        "i.jsonl:1",
        {"i.jsonl": '{"item": "1", "text": "a b", "edits": []}\n'},
    ),
    (
        "campaign create c.db --task usage --from g.m2",
        "usage",
        {"g.m2": "S a b\nA 1 1|||M:X|||c|||REQUIRED|||-NONE-|||0\n\n"},
    ),
    (
        "campaign create c.db --task edit-validity --from i.jsonl",
        "i.jsonl:1",
        {"i.jsonl": '{"item": "1", "text": "a", "edits": [[0, 1, "c", "X", null]], "gold": "x"}\n'},
    ),
    ("campaign create c.db --task mark --from i.csv", "i.csv:2", {"i.csv": "text,gold\na b,x\n"}),
    (
        "campaign create c.db --task correct --from i.csv",
        "i.csv:2",
        {"i.csv": "text,gold\na b,x\n"},
    ),
    ("campaign create c.db --task rate --from i.csv", "i.csv:2", {"i.csv": "text,gold\na b,x\n"}),
    (
        "campaign create c.db --task choice --from i.csv",
        "i.csv:2",
        {"i.csv": "text,start,end,choices\na b,0,1,x\n"},
    ),
    ("campaign create c.db --task q.yaml --source source.txt", "q.yaml", {"q.yaml": "3\n"}),
    ("campaign create c.db --task q.yaml --source source.txt", "q.yaml", {"q.yaml": "a: \x01\n"}),
    ("campaign create c.db --task q.yaml --source source.txt", "q.yaml", {"q.yaml": "&a [*a]\n"}),
    ("campaign create c.db --task q.toml --source source.txt", "q.toml", {}),
]


@pytest.mark.parametrize(("command", "keyword", "files"), REFUSED, ids=lambda one: str(one)[:60])
def test_a_campaign_that_cannot_be(
    command: str, keyword: str, files: Files, refuse: Refuse
) -> None:
    """What is wrong with its items, its task or who is meant."""
    refuse(command, keyword, files)


THERE: list[tuple[str, str, Files]] = [
    ("campaign export c.db --to m2", "judgments", {"i.csv": ITEMS}),
    ("campaign export c.db --annotator x -o o.csv", "annotators", {"i.csv": ITEMS}),
    ("campaign invite c.db anna --revoke", "anna", {"i.csv": ITEMS}),
    (
        "campaign add c.db --from i.jsonl",
        "i.jsonl:1",
        {"i.csv": ITEMS, "i.jsonl": '{"item": "1", "text": "a b"}\n'},
    ),
]


@pytest.mark.parametrize(("command", "keyword", "files"), THERE, ids=lambda one: str(one)[:60])
def test_what_a_campaign_does_not_have(
    command: str, keyword: str, files: Files, redink: Run, refuse: Refuse, tmp_path: Path
) -> None:
    """A form, an annotator, a judge, or what an item needs."""
    (tmp_path / "i.csv").write_text(ITEMS)
    assert redink(*["campaign", "create", "c.db", "--task", "crowd", "--from", "i.csv"]).code == 0
    refuse(command, keyword, files)
