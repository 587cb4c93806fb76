"""``redink campaign``: collect judgments from people in a browser."""

from __future__ import annotations

import importlib.util
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from redink.cli.layout import Command, FileName, Group
from redink.cli.options import emit, parse_systems, seed_option, table_options
from redink.errors import DataError, MissingExtraError, OptionError
from redink.files import undo_on_error, write_atomically

if TYPE_CHECKING:
    from redink.campaign.store import Item

TASK_NAMES = ("ranking", "usage", "crowd", "cloze", "choice", "sample", "edit-check")


class _CampaignCommand(Command):
    """Says what is missing when it is run; its help needs nothing."""

    def invoke(self, ctx: click.Context) -> object:
        for library in ("sqlalchemy", "starlette", "uvicorn", "jinja2"):
            if importlib.util.find_spec(library) is None:
                raise MissingExtraError(library, "campaign")
        return super().invoke(ctx)


class _CampaignGroup(Group):
    command_class = _CampaignCommand


@click.group(
    cls=_CampaignGroup,
    epilog="\b\nExamples:\n"
    "  redink campaign create c.db --task ranking --source source.txt "
    "careful.txt eager.txt speller.txt --items 20 --judge alma --judge bruno\n"
    "  redink campaign serve c.db\n"
    "  redink campaign status c.db\n"
    "  redink campaign export c.db -o rankings.xml",
)
def command() -> None:
    """Collect judgments from people in a browser.

    A judge opens a personal link and works with the keyboard; every answer is on disk before it
    is acknowledged. What is exported feeds rank, agreement, crowd and sample unchanged.
    """


@command.command(
    epilog="\b\nExamples:\n"
    "  redink campaign create c.db --task ranking --source source.txt careful.txt eager.txt\n"
    "  redink campaign create c.db --task crowd --from items.csv --gold-threshold 0.7\n"
    "  redink campaign create postgresql://me@host/db --task cloze --from gaps.jsonl",
)
@click.argument("place", type=FileName())
@click.argument("systems", nargs=-1, metavar="[SYSTEM]...", type=FileName())
@click.option("--task", type=click.Choice(TASK_NAMES), required=True, help="What judges are asked.")
@click.option("--source", type=click.Path(path_type=Path), help="The source text, for ranking.")
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path),
    help="A file of items (CSV, TSV, JSONL), or an M2 file for edit-check.",
)
@click.option("--items", "count", type=click.IntRange(min=1), help="How many items. [default: all]")
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="NAME",
    help="Invite this judge; may be given again.",
)
@click.option("--title", help="What judges read above every page. [default: the task's]")
@click.option(
    "--per-judge", type=click.IntRange(min=1), help="Different items for each judge. [default: all]"
)
@click.option(
    "--shared",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    help="The share of a judge's items that every judge sees.",
)
@click.option(
    "--repeated",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="The share of a judge's items that they see a second time.",
)
@click.option(
    "--gold-threshold",
    type=click.FloatRange(0, 1),
    help="Exclude judges below this share of right answers to gold questions.",
)
@click.option(
    "--gold-minimum",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Gold questions a judge must have answered before that.",
)
@click.option(
    "--address",
    default="http://127.0.0.1:8000",
    show_default=True,
    metavar="URL",
    help="What the links begin with.",
)
@seed_option
def create(
    place: str,
    systems: tuple[str, ...],
    *,
    task: str,
    source: Path | None,
    file: Path | None,
    count: int | None,
    judges: tuple[str, ...],
    title: str | None,
    per_judge: int | None,
    shared: float,
    repeated: float,
    gold_threshold: float | None,
    gold_minimum: int,
    address: str,
    seed: int,
) -> None:
    """Set up a campaign in PLACE: a new file, or the URL of a PostgreSQL database.

    For ranking, give --source and the output of every SYSTEM; sentences are drawn by the
    distribution of Grundkiewicz et al. (2015). For the other tasks, give a file of items with
    --from.
    """
    from redink.campaign.creating import create_campaign
    from redink.campaign.inviting import check_names, invite
    from redink.campaign.planning import Plan

    check_names(judges)
    if "://" not in place:
        for name in (place, f"{place}-wal", f"{place}-shm"):
            undo_on_error(name)
    store, organiser = create_campaign(
        place,
        task=task,
        items=_load_items(task, source, systems, file, count, seed),
        title=title,
        plan=Plan(per_judge, shared, repeated),
        gold_threshold=gold_threshold,
        gold_minimum=gold_minimum,
        seed=seed,
    )
    with closing(store):
        click.echo(f"organiser\t{address}/o/{organiser}")
        for name in judges:
            click.echo(f"{name}\t{address}/j/{invite(store, name)}")
    click.echo(f"Serve it with: redink campaign serve {place}", err=True)


def _load_items(
    task: str,
    source: Path | None,
    systems: tuple[str, ...],
    file: Path | None,
    count: int | None,
    seed: int,
) -> list[Item]:
    import numpy as np

    from redink.analysis.english import ENGLISH
    from redink.campaign.items import edit_items, ranking_items, read_items
    from redink.formats import read_corpus
    from redink.formats.inputs import load_hypotheses

    rng = np.random.default_rng(seed)
    if task == "ranking":
        if source is None or not systems:
            raise OptionError("a ranking campaign needs --source and the systems' outputs")
        sources, outputs = load_hypotheses(source, parse_systems(systems))
        return ranking_items(sources, outputs, count=count or len(sources), rng=rng)
    if file is None or systems or source:
        raise OptionError(f"a {task} campaign takes its items from one file: --from FILE")
    items = (
        edit_items(read_corpus(file), ENGLISH.describe_types())
        if task == "edit-check"
        else read_items(file)
    )
    if count is not None and count < len(items):
        chosen = sorted(rng.choice(len(items), size=count, replace=False))
        items = [items[index] for index in chosen]
    return items


@command.command(
    epilog="\b\nExamples:\n  redink campaign serve c.db --port 8080",
)
@click.argument("place", type=FileName())
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="The address to listen on.",
)
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="The port."
)
def serve(place: str, host: str, port: int) -> None:
    """Serve the campaign in PLACE until interrupted.

    It listens on this machine only, unless --host says otherwise; put it behind a web server
    with TLS when judges come over a network.
    """
    from redink.campaign.serving import serve as run

    def tell() -> None:
        click.echo(f"Serving {place} on http://{host}:{port}; Ctrl-C stops it.", err=True)

    run(place, host=host, port=port, on_ready=tell)


@command.command(
    epilog="\b\nExamples:\n  redink campaign status c.db",
)
@click.argument("place", type=FileName())
@table_options
def status(place: str, form: str, output: Path | None) -> None:
    """How far each judge of the campaign in PLACE is."""
    from redink.campaign.serving import status as summarise

    emit(summarise(place), form=form, output=output)


@command.command(
    epilog="\b\nExamples:\n"
    "  redink campaign invite c.db chidi dora\n"
    "  redink campaign invite c.db dora --revoke",
)
@click.argument("place", type=FileName())
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--revoke", is_flag=True, help="Make these judges' links useless instead.")
@click.option(
    "--address",
    default="http://127.0.0.1:8000",
    show_default=True,
    metavar="URL",
    help="What the links begin with.",
)
def invite(place: str, names: tuple[str, ...], *, revoke: bool, address: str) -> None:
    """Invite judges by name to the campaign in PLACE, or revoke their links.

    Links are shown once; only a hash of each is kept.
    """
    from redink.campaign.inviting import check_names
    from redink.campaign.inviting import invite as add
    from redink.campaign.inviting import revoke as withdraw
    from redink.campaign.store import Store

    check_names(names)
    with closing(Store.open(place)) as store:
        known = {judge.name for judge in store.judges()}
        for name in names:  # all of them or none
            if revoke != (name in known):
                has = "no judge" if revoke else "a judge already"
                raise DataError(f"{place}: there is {has} called {name!r}")
        for name in names:
            if revoke:
                withdraw(store, name)
                click.echo(f"{name}\trevoked")
            else:
                click.echo(f"{name}\t{address}/j/{add(store, name)}")


@command.command(
    epilog="\b\nExamples:\n"
    "  redink campaign export c.db -o rankings.xml\n"
    "  redink campaign export c.db --to jsonl",
)
@click.argument("place", type=FileName())
@click.option(
    "--to",
    "form",
    type=click.Choice(["appraise", "wmt-csv", "csv", "tsv", "jsonl"]),
    help="The format. [default: by the suffix of -o]",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    default=Path("-"),
    help="Write here. [default: stdout]",
)
def export(place: str, form: str | None, output: Path) -> None:
    """Write the answers of the campaign in PLACE as rankings or judgments."""
    from redink.campaign.exporting import choose_export, export_answers
    from redink.campaign.store import Store

    with closing(Store.open(place)) as store:
        write = choose_export(store, form, output.suffix)
        answers = export_answers(store)
        with write_atomically(output) as stream:
            write(answers, stream)
