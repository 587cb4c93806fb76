"""How busy ``redink campaign ask`` keeps a model: 1,000 items with 16 requests in flight.

Bound: the requests in progress are at least 90% of 16, on average over the whole command.

    python benchmarks/asking.py [--delay SECONDS]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from rows import record

from redink.campaign.campaign_commands import ask
from redink.campaign.setup import create_campaign
from redink.campaign.task_items import CampaignItem
from redink.language_models.client import ModelOptions

sys.path.append(str(Path(__file__).parents[1]))
from tests.language_models.scripted_server import Answer, serve

ITEMS, IN_FLIGHT, BOUND = 1000, 16, 0.9


def main() -> None:
    """Measure the share of the possible work, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=0.5, help="seconds of each request")
    delay = parser.parse_args().delay
    items = [
        CampaignItem(f"i{n}", {"text": f"It is game {n} .", "start": 1, "end": 2})
        for n in range(ITEMS)
    ]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "c.db"
        create_campaign(place, task="crowd", items=items)[0].close()
        with serve(lambda *_: Answer('{"label": "ok"}', delay=delay)) as server:
            begun = time.monotonic()
            asking = ModelOptions(concurrency=IN_FLIGHT)
            ask(place, endpoint=server.url, model="m", asking=asking)
            took = time.monotonic() - begun
    work = sum(now * (later - at) for (at, now), (later, _) in pairwise(server.busy))
    share = work / (IN_FLIGHT * took)
    print(f"{ITEMS} items in {took:.1f} s; server busy {share:.1%} (bound: {BOUND:.0%})")
    most = IN_FLIGHT / delay
    what = f"ask: {ITEMS} items, {IN_FLIGHT} in flight"
    record("campaign", what, ITEMS / took, unit="items/s", bound=BOUND * most)


if __name__ == "__main__":
    main()
