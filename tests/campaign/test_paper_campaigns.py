"""Campaigns as in Bryant et al. 2017 (section 3.5) and Grundkiewicz et al. 2015 (section 4)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import redink
from redink.campaign.campaign_commands import add, create, items
from redink.campaign.server import CampaignServer
from redink.campaign.store import CampaignStore
from redink.errors import FormatError, OptionError

M2 = """\
S She have two cat .
A 1 2|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0

"""


def open_server(place: Path) -> CampaignServer:
    return CampaignServer(CampaignStore.open(place))


def items_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_two_corpora_are_rated_in_one_campaign(tmp_path: Path) -> None:
    fce, conll, more = tmp_path / "fce.m2", tmp_path / "x.m2", tmp_path / "more.m2"
    for path in (fce, conll, more):
        path.write_text(M2, encoding="utf-8")
    place = tmp_path / "c.db"
    create(place, task="edit-check", file=[fce, f"conll={conll}"], items=1)
    add(place, file=f"more={more}")
    server = open_server(place)
    assert "determined automatically" in server.task.instructions.steps[0]
    found = [item.key for item in server.store.items()]
    server.close()
    assert [key.partition(".")[0] for key in found] == ["fce", "conll", "more", "more"]
    with pytest.raises(OptionError, match="takes one corpus"):
        create(tmp_path / "d.db", task="correct", file=[fce, conll])


def test_the_share_of_labels_by_rater_is_table_3(tmp_path: Path) -> None:
    labels = {"1": "good good good acceptable", "2": "good bad good good", "3": "bad good"}
    path = tmp_path / "ratings.csv"
    lines = [
        f"s{number},{rater},{label},{'NOUN' if number else 'VERB'}\n"
        for rater, given in labels.items()
        for number, label in enumerate(given.split())
    ]
    path.write_text(f"item,judge,label,type\n{''.join(lines)}", encoding="utf-8")
    rows = redink.agreement(path, show="labels", labels=["good", "acceptable", "bad"]).rows
    assert [tuple(row.values()) for row in rows] == [
        ("1", 4, 0.75, 0.25, 0.0, 1.0),
        ("2", 4, 0.75, 0.0, 0.25, 0.75),
        ("3", 2, 0.5, 0.0, 0.5, 0.5),
        ("all", 10, 0.7, 0.1, 0.2, pytest.approx(0.8)),
    ]
    rows = redink.agreement(path, show="labels", by="type").rows
    verbs = [row for row in rows if row["type"] == "VERB"]
    assert [(row["judge"], row["good"]) for row in verbs[-1:]] == [("all", 2 / 3)]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, {"a", "b", "INPUT"}),
        ({"input_name": "SOURCE"}, {"a", "b", "SOURCE"}),
        ({"no_input": True}, {"a", "b"}),
    ],
)
def test_the_source_takes_part_under_a_name(
    tmp_path: Path, options: dict[str, object], names: set[str]
) -> None:
    for name, text in (("s", "x y z"), ("a", "x y q"), ("b", "x r z")):
        (tmp_path / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
    out = tmp_path / "items.jsonl"
    systems = [tmp_path / "a.txt", tmp_path / "b.txt"]
    items(systems, task="ranking", source=tmp_path / "s.txt", output=out, **options)  # type: ignore[arg-type]
    (item,) = items_of(out)
    assert {name for one in item["outputs"] for name in one["systems"]} == names  # type: ignore[attr-defined]


def test_a_ranking_shows_up_to_m_outputs(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("x\n", encoding="utf-8")
    systems = {f"s{number}": [f"x {number}"] for number in range(7)}
    for most in (2, 7):
        out = tmp_path / f"{most}.db"
        create(out, systems, task="ranking", source=tmp_path / "s.txt", most_outputs=most)
        server = open_server(out)
        (item,) = server.store.items()
        assert len(item.payload["outputs"]) == most
        assert server.task.view(item, 1)["ranks"] == list(range(1, max(5, most) + 1))
        ranks = {f"rank{place}": [str(most)] for place in range(most)}
        assert server.task.read(item, ranks, 1) == {"ranks": [most] * most}
        server.close()


def test_the_instructions_of_a_task_can_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("x\n", encoding="utf-8")
    own = tmp_path / "own.toml"
    own.write_text(
        'steps = ["Fluency first."]\n[[example]]\nsentence = "a"\nanswer = "b"\nreason = "c"\n',
        encoding="utf-8",
    )
    systems = {"a": ["x y"]}
    settings = {"task": "ranking", "source": tmp_path / "s.txt"}
    create(tmp_path / "c.db", systems, instructions=own, **settings)  # type: ignore[arg-type]
    server = open_server(tmp_path / "c.db")
    told = server.task.instructions
    server.close()
    assert (told.steps, told.examples[0].answer) == (("Fluency first.",), "b")
    create(tmp_path / "plain.db", systems, **settings)  # type: ignore[arg-type]
    server = open_server(tmp_path / "plain.db")
    assert "You decide what makes one version better" in " ".join(server.task.instructions.steps)
    server.close()
    own.write_text("question = 1\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"own\.toml: unknown key 'question'"):
        create(tmp_path / "d.db", systems, instructions=own, **settings)  # type: ignore[arg-type]
