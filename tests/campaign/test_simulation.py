"""A whole campaign, answered by the judges of Grundkiewicz et al. (2015)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from redink.campaign.results import choose_export, export_answers
from redink.campaign.security import hash_token, new_token
from redink.campaign.server import CampaignServer
from redink.campaign.setup import create_campaign
from redink.campaign.store import CampaignStore
from redink.campaign.task_items import CampaignItem
from redink.commands.rank import rank
from redink.inputs import read_corpus, read_rankings
from redink.model import Ranking


def make_item(number: int, ranking: Ranking, outputs: dict[str, list[str]]) -> CampaignItem:
    sentence = int(ranking.sentence)
    shown = []
    for output in ranking.outputs:
        texts = {outputs[system][sentence] for system in output.systems}
        assert len(texts) == 1, "systems that were collapsed have the same output"
        shown.append({"text": texts.pop(), "systems": sorted(output.systems)})
    return CampaignItem(
        id=number,
        key=f"i{number}",
        payload={"sentence": sentence, "source": outputs["INPUT"][sentence], "outputs": shown},
    )


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_the_export_gives_the_expected_wins_of_the_file(
    step: int, shared: Path, tmp_path: Path
) -> None:
    """Eight judges, 2319 rankings on the CoNLL-2014 outputs, in and out without a change.

    Each of them, or one of six.
    """
    data = shared / "data"
    rankings = read_rankings(data / "gjg15" / "judgments.xml")[::step]
    files = {path.stem: path for path in sorted((data / "conll14" / "systems").glob("*.txt"))}
    files["INPUT"] = data / "conll14" / "source.txt"
    outputs = {
        name: [str(s.source) for s in read_corpus(path).sentences] for name, path in files.items()
    }
    items = [make_item(number, r, outputs) for number, r in enumerate(rankings, start=1)]
    place = tmp_path / "c.db"
    store, _ = create_campaign(place, task="ranking", items=items)
    tokens = {}
    for judge in sorted({ranking.judge for ranking in rankings}):
        tokens[judge] = new_token()
        own = [n for n, r in enumerate(rankings, start=1) if r.judge == judge]
        store.add_judge(judge, hash_token(tokens[judge]), own)
    store.close()
    assert len(tokens) == 8

    server = CampaignServer(CampaignStore.open(place))

    async def answer_all(judge: str) -> None:
        workload = server.find(tokens[judge])
        assert workload is not None
        for position, assignment in enumerate(workload.sequence):
            ranking = rankings[assignment.item - 1]
            item = server.items[assignment.item]
            ranks = [output.rank for output in ranking.outputs]
            form = server.task.filled(item, {"ranks": ranks}, assignment.id)
            await server.submit(
                workload,
                position,
                {name: [value] for name, value in form.items()},
                submission=f"submission{position}",
                seconds=1.0,
            )

    async def everyone() -> None:
        await asyncio.gather(*(answer_all(judge) for judge in tokens))

    asyncio.run(everyone())
    server.close()

    store = CampaignStore.open(place)
    out = tmp_path / "rankings.xml"
    with out.open("w", encoding="utf-8") as stream:
        choose_export("rankings", None, out.suffix)(export_answers(store), stream)
    store.close()
    ours = rank(out, method="expected-wins", bootstrap=40)
    theirs = rank(rankings, method="expected-wins", bootstrap=40)
    assert {r["system"]: r["score"] for r in ours.rows} == {
        r["system"]: r["score"] for r in theirs.rows
    }
    assert len(ours.rows) == 13
