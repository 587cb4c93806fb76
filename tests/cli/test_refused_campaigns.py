"""Campaigns that cannot be made or asked: the whole sentence, exit code 2, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Files, Refuse, Run

ITEMS = "text,start,end\na b,0,1\n"
ONE_EDIT = "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n"
REFUSED: list[tuple[str, str, Files]] = [
    (
        "campaign invite c.db anna --again --revoke",
        "give only one of again, revoke and restore",
        {"c.db": ""},
    ),
    (
        "campaign create c.db --task crowd --from i.csv",
        "i.csv:2: an item with an end needs a start",
        {"i.csv": "text,end\na b,1\n"},
    ),
    (
        "campaign create c.db --task crowd --from i.csv",
        "i.csv:2: the column 'judge' is one that the answers have; give it another name",
        {"i.csv": "text,start,end,judge\na b,0,1,x\n"},
    ),
    (
        "campaign create c.db --task crowd --from i.csv",
        "i.csv: holds no items",
        {"i.csv": "text,start,end\n"},
    ),
    (
        "campaign create c.db --task ranking --from i.jsonl",
        "i.jsonl:1: this is not an item as redink campaign items writes it",
        {"i.jsonl": '{"item": "1", "source": "a", "outputs": 3}\n'},
    ),
    (
        "campaign create c.db --task ranking --from i.jsonl",
        "i.jsonl:2: two items are called '1'",
        {
            "i.jsonl": (
                '{"item": "1", "source": "a", "outputs": []}\n{"item": "1", '
                '"source": "a", "outputs": []}\n'
            )
        },
    ),
    (
        "campaign create c.db --task ranking --from i.jsonl",
        "i.jsonl:1: an item has up to 5 outputs and no gold answer",
        {"i.jsonl": '{"item": "1", "source": "a", "outputs": [], "gold": "x"}\n'},
    ),
    (
        "campaign create c.db --task adjudicate --from gold.m2 --items 3",
        "adjudicate takes all sentences on which annotators differ; leave out items",
        {},
    ),
    (
        "campaign create c.db --task adjudicate --from g.m2",
        "adjudicate needs a corpus with two annotators or more: --from FILE.m2",
        {"g.m2": ONE_EDIT},
    ),
    (
        "campaign create c.db --task adjudicate --from i.jsonl",
        "i.jsonl:1: an item of the task adjudicate needs places that differ",
        {"i.jsonl": '{"item": "1", "text": "a b", "places": []}\n'},
    ),
    (
        "campaign create c.db --task edit-validity --from i.jsonl",
        "i.jsonl:1: an item of the task edit-validity needs edits",
        {"i.jsonl": '{"item": "1", "text": "a b", "edits": []}\n'},
    ),
    (
        "campaign create c.db --task usage --from g.m2",
        "a usage campaign is about words, and in what was given none is marked",
        {"g.m2": "S a b\nA 1 1|||M:X|||c|||REQUIRED|||-NONE-|||0\n\n"},
    ),
    (
        "campaign create c.db --task edit-validity --from i.jsonl",
        "i.jsonl:1: the task edit-validity has no gold answers",
        {
            "i.jsonl": (
                '{"item": "1", "text": "a b", "edits": [[0, 1, "c", "X", null]], "gold": "x"}\n'
            )
        },
    ),
    (
        "campaign create c.db --task mark --from i.csv",
        "i.csv:2: the task mark has no gold answers",
        {"i.csv": "text,gold\na b,x\n"},
    ),
    (
        "campaign create c.db --task correct --from i.csv",
        "i.csv:2: the task correct has no gold answers",
        {"i.csv": "text,gold\na b,x\n"},
    ),
    (
        "campaign create c.db --task rate --from i.csv",
        "i.csv:2: the task rate has no question 'label' for a gold answer",
        {"i.csv": "text,gold\na b,x\n"},
    ),
    (
        "campaign create c.db --task choice --from i.csv",
        "i.csv:2: there must be two choices or more, separated by |",
        {"i.csv": "text,start,end,choices\na b,0,1,x\n"},
    ),
    (
        "campaign create c.db --task q.yaml --source source.txt",
        "q.yaml: is not a task: it should say its title and questions",
        {"q.yaml": "3\n"},
    ),
    (
        "campaign create c.db --task q.yaml --source source.txt",
        (
            "q.yaml: is not well-formed YAML: unacceptable character #x0001: special "
            "characters are not allowed"
        ),
        {"q.yaml": "a: \x01\n"},
    ),
    (
        "campaign create c.db --task q.yaml --source source.txt",
        "q.yaml: is not well-formed YAML: it contains itself",
        {"q.yaml": "&a [*a]\n"},
    ),
    ("campaign create c.db --task q.toml --source source.txt", "q.toml: no such file", {}),
]


@pytest.mark.parametrize(("command", "sentence", "files"), REFUSED, ids=lambda one: str(one)[:60])
def test_a_campaign_that_cannot_be(
    command: str, sentence: str, files: Files, refuse: Refuse
) -> None:
    """What is wrong with its items, its task or who is meant."""
    refuse(command, sentence, files)


THERE: list[tuple[str, str, Files]] = [
    (
        "campaign export c.db --to m2",
        "judgments: can be exported as csv, tsv, jsonl, not as m2",
        {"i.csv": ITEMS},
    ),
    (
        "campaign export c.db --annotator x -o o.csv",
        "judgments have no annotators",
        {"i.csv": ITEMS},
    ),
    (
        "campaign invite c.db anna --revoke",
        "c.db: there is no judge called 'anna'",
        {"i.csv": ITEMS},
    ),
    (
        "campaign add c.db --from i.jsonl",
        "i.jsonl:1: an item of the task crowd needs start",
        {"i.csv": ITEMS, "i.jsonl": '{"item": "1", "text": "a b"}\n'},
    ),
]


@pytest.mark.parametrize(("command", "sentence", "files"), THERE, ids=lambda one: str(one)[:60])
def test_what_a_campaign_does_not_have(
    command: str, sentence: str, files: Files, redink: Run, refuse: Refuse, tmp_path: Path
) -> None:
    """A form, an annotator, a judge, or what an item needs."""
    (tmp_path / "i.csv").write_text(ITEMS)
    assert redink(*["campaign", "create", "c.db", "--task", "crowd", "--from", "i.csv"]).code == 0
    refuse(command, sentence, files)
