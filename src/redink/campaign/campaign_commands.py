"""``redink campaign``: set up, serve, watch, invite, export.

The libraries of the extra are imported where they are used, so that help needs none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal

from redink.analysis.annotation_options import LanguageCode
from redink.campaign.assignment import AssignmentPlan
from redink.campaign.task_items import (
    CampaignItem,
    Material,
    mark_places,
    mark_words,
    write_items,
)
from redink.campaign.tasks import TASKS
from redink.campaign.translation import interface_languages
from redink.errors import DataError, OptionError
from redink.files import undo_on_error, write_atomically
from redink.inputs.input_options import AlignmentOptions, PathLike, SystemsLike
from redink.inputs.text_loading import (
    kept_sentences,
    load_systems,
    load_texts,
    name_inputs,
    split_name,
)
from redink.language_models.client import EndpointUrl, LanguageModel, ModelName, ModelOptions
from redink.model import Column, Table, make_signature, make_table, table_of
from redink.options import Flag, Limits, Needs, Options, Positive, Seed, command
from redink.web.serving import Server, address_of, port_taken

if TYPE_CHECKING:
    from redink.campaign.store import CampaignStore
    from redink.campaign.tasks.protocol import CampaignTask

Address = Annotated[str, Flag(value="URL")]
TaskName = Annotated[str, Flag(value="NAME|FILE", parse=str, reads=True, known=lambda: TASKS.names)]
Form = Literal["appraise", "wmt-csv", "csv", "tsv", "jsonl", "m2", "parallel", "ged-tsv"]


@dataclass(frozen=True)
class Link:
    """A name and the link of this person, or the new state of the link."""

    name: str
    link: str


@dataclass(frozen=True)
class ItemSources(Options):
    """The input that items are made from.

    Attributes:
        source: the source text: one sentence per line, or raw essays.
        file: file of items (CSV, TSV, JSONL), or file to generate items from (M2, GED TSV, text).
            Repeat the option for several corpora, or name one with NAME=FILE: the IDs of its items
            begin with the name, and --items is the number of items of each corpus.
        targets: words to judge (tasks usage and crowd): prep (every English preposition), a rule
            as in detection (tag:IN,TO, word:of,in or not:RULE), or a file of token positions.
        items: number of items. By default all.
        sentences: number of sentences; the items of all systems in these sentences are used.
        language: the language of the sentences, as a code: en, zh, de.
        seed: random seed.
        with_replacement: draw sentences with replacement, as Grundkiewicz et al. did (ranking).
        most_outputs: maximum number of outputs in one ranking (ranking).
        input_name: name of the unchanged source, which is ranked as a system (ranking).
        no_input: do not rank the unchanged source (ranking).
        checks: number of silent attention checks: a sentence, and its words shuffled (ranking).
        visible_checks: number of attention checks that ask for a rank (ranking).
    """

    source: PathLike | None = None
    file: Annotated[
        PathLike | Sequence[PathLike] | None, Flag(name="from", repeat=True, value="[NAME=]FILE")
    ] = None
    targets: Annotated[str | None, Flag(value="RULE")] = None
    items: Positive | None = None
    sentences: Positive | None = None
    language: LanguageCode = "en"
    seed: Seed = 1
    with_replacement: bool = False
    most_outputs: Annotated[int, Limits(2, 9)] = 5
    input_name: str = "INPUT"
    no_input: bool = False
    checks: Positive | None = None
    visible_checks: Positive | None = None

    def corpora(self) -> Sequence[tuple[str | None, PathLike | None]]:
        """Return the files by the names of their corpora; None without several or a name."""
        files = [self.file] if isinstance(self.file, str | Path) else [*(self.file or ())]
        if len(files) > 1:
            return name_inputs(files)
        return [split_name(file) for file in files] or [(None, None)]

    def gather(
        self, systems: SystemsLike, alignment: AlignmentOptions, file: PathLike | None
    ) -> Material:
        """Return the input of a task; raw text is aligned with its source.

        With ``targets``, the only argument can be the text.
        """
        source = self.source
        if self.targets is not None and systems:
            text = systems if isinstance(systems, str | Path) else next(iter(systems))
            one = isinstance(systems, str | Path) or len(systems) == 1
            if not isinstance(text, str | Path) or not one or (source or file) is not None:
                raise OptionError("--targets needs one text or folder of essays, and no systems")
            source, systems = text, ()
        raw = alignment.following(source, self.language)
        given = Material(
            source,
            systems,
            file,
            self.items,
            self.sentences,
            self.seed,
            self.with_replacement,
            self.targets,
            raw.tokenize,
            self.language,
            checks=self.checks,
            visible_checks=self.visible_checks,
            most_outputs=self.most_outputs,
            input_name=None if self.no_input else self.input_name,
        )
        if source is None or not raw.raw or self.targets is not None:
            return given
        lines = load_texts(source, raw)
        outputs = load_systems(systems, lines, raw)
        kept_sentences(outputs, len(lines))
        skipped = frozenset[int]().union(*(output.skipped for output in outputs))
        return replace(given, source=lines, systems=outputs, tokenize=False, skipped=skipped)


def _make_items(
    task: CampaignTask,
    material: ItemSources,
    systems: SystemsLike,
    alignment: AlignmentOptions,
) -> list[CampaignItem]:
    is_about_words = getattr(task, "find", None) in {mark_words, mark_places}
    if material.targets is not None and not is_about_words:
        raise OptionError(f"--targets requires a task about words, such as usage; not {task.name}")
    if (material.checks or material.visible_checks) and task.name != "ranking":
        raise OptionError(
            f"--checks requires --task ranking; give {task.name} items with gold answers"
        )
    corpora = material.corpora()
    if corpora[0][0] is not None and task.kind != "judgments":
        raise OptionError(f"the task {task.name} takes one corpus without a name: --from FILE")
    items = []
    for corpus, file in corpora:
        made = task.make_items(material.gather(systems, alignment, file))
        items += made if corpus is None else [_name_corpus(item, corpus) for item in made]
    return items


def _name_corpus(item: CampaignItem, corpus: str) -> CampaignItem:
    extra = {**item.payload.get("extra", {}), "corpus": corpus}
    return replace(item, key=f"{corpus}.{item.key}", payload=item.payload | {"extra": extra})


@command
def create(
    database: PathLike,
    systems: Annotated[SystemsLike, Flag(many=True)] = (),
    *,
    task: TaskName,
    material: ItemSources = ItemSources(),
    alignment: AlignmentOptions = AlignmentOptions(),
    interface: Annotated[str | None, Flag(known=interface_languages)] = None,
    judges: Annotated[Sequence[str], Flag(name="judge", value="NAME", repeat=True)] = (),
    title: str | None = None,
    instructions: PathLike | None = None,
    plan: AssignmentPlan = AssignmentPlan(),
    gold_threshold: Annotated[float, Limits(0, 1, low_open=True)] | None = None,
    gold_minimum: Annotated[Positive, Needs(gold_threshold=True)] = 5,
    register: Positive | None = None,
    completion: Annotated[str | None, Flag(value="CODE")] = None,
    completion_failed: Annotated[str | None, Flag(value="CODE")] = None,
    minimum_seconds: Annotated[float | None, Limits(0, 600)] = None,
    address: Address | None = None,
) -> Table:
    """Set up a campaign in DATABASE: a new file, or the URL of a PostgreSQL database.

    For ranking, give --source and the output of every SYSTEM; sentences are drawn from the
    distribution of Grundkiewicz et al. (2015). For the other tasks, give a file of items with
    --from; or sentences, edits (M2), flags (GED TSV) or the outputs of systems, from which redink
    generates items.

    Args:
        database: a new file, or the URL of an empty database.
        systems: the outputs to judge.
        task: a task file (.toml) with your own questions, or one of these tasks.
        material: the input that items are made from.
        alignment: alignment of raw system outputs with the source.
        interface: the language of the pages. By default the language of the task file, or en.
        judges: invite this judge; repeatable.
        title: the title on every page. By default the title of the task.
        instructions: file (.toml) with your own purpose, steps and examples for one of these tasks.
        plan: how items are assigned to judges.
        gold_threshold: exclude judges whose accuracy on gold questions is below this share.
        gold_minimum: number of gold questions that a judge must answer before an exclusion.
        register: create one sign-up link that accepts up to N people.
        completion: a code, or a link (https://...), that judges see at the end.
        completion_failed: the code or link for judges whom gold questions excluded.
        minimum_seconds: shortest time between the page of an item and its first answer.
        address: public address of the server, used in links. By default http://127.0.0.1:8000.

    Returns:
        The links of the organizer and the judges. They are shown only once.
    """
    from redink.campaign import setup
    from redink.campaign.pages import HOME, Site, read_address
    from redink.campaign.tasks.task_files import find_task, read_instructions

    setup.check_names(judges)
    site = Site(HOME if address is None else read_address(address))
    if "://" not in str(database):
        for name in (database, f"{database}-wal", f"{database}-shm"):
            undo_on_error(name)
    store, organizer = setup.create_campaign(
        database,
        task=task,
        items=_make_items(find_task(task)[0], material, systems, alignment),
        title=title,
        texts=None if instructions is None else read_instructions(str(instructions)),
        plan=plan,
        gold_threshold=gold_threshold,
        gold_minimum=gold_minimum,
        address=address and site.address,
        interface=interface,
        completion=completion,
        completion_failed=completion_failed,
        minimum_seconds=minimum_seconds,
        seed=material.seed,
    )
    with closing(store):
        links = [Link("organizer", site.link(f"/o/{organizer}"))]
        if register is not None:
            token = setup.open_registration(store, register)
            links.append(Link(f"up to {register} people", site.link(f"/r/{token}")))
        links += [Link(name, site.link(f"/j/{setup.invite(store, name)}")) for name in judges]
    return table_of(links, notes=[f"Serve it with: redink campaign serve {store.place}"])


def _open(database: PathLike) -> closing[CampaignStore]:
    from redink.campaign.store import CampaignStore

    return closing(CampaignStore.open(str(database)))


@command
def items(
    systems: Annotated[SystemsLike, Flag(many=True)] = (),
    *,
    task: TaskName | None = None,
    material: ItemSources = ItemSources(),
    alignment: AlignmentOptions = AlignmentOptions(),
    output: Annotated[PathLike, Flag(short="o", writes=True)] = "-",
) -> Table:
    """Write the items that a campaign would ask about, so that you can read and edit them.

    redink generates items from the same input as campaign create: sentences (text, raw essays),
    edits (M2), flags (GED TSV) or the outputs of systems. Pass the file to create --from.

    Args:
        systems: the outputs to judge; with --targets, the text or a folder of essays.
        task: a task file (.toml) with your own questions, or one of these tasks. With --targets, by
            default usage.
        material: the input that items are made from.
        alignment: alignment of raw system outputs with the source.
        output: output file (JSON lines); - is stdout.

    Returns:
        The number of items.
    """
    from redink.campaign.tasks.task_files import find_task

    if task is None and material.targets is None:
        raise OptionError(f"missing --task; expected one of: {', '.join(TASKS)}")
    task = task or "usage"
    made = _make_items(find_task(task)[0], material, systems, alignment)
    with write_atomically(output) as stream:
        write_items(made, stream)
    note = f"{len(made)} items for the task {task}."
    columns = [Column("task"), Column("items", "count")]
    return make_table(columns, [{"task": task, "items": len(made)}], notes=[note])


@command
def serve(
    database: Annotated[PathLike | Sequence[PathLike], Flag(many=True)],
    *,
    host: Annotated[str, Flag(value="ADDRESS")] = "127.0.0.1",
    port: Annotated[int, Limits(0, 65535)] = 8000,
    address: Address | None = None,
) -> Server:
    """Serve the campaign in DATABASE, or several of them, until interrupted.

    The server listens on this machine only, unless you set --host. Put it behind a web server with
    TLS if judges connect over a network. One process serves a campaign and keeps it in memory.
    Several campaigns share an overview page, whose link is printed at the start.

    Args:
        database: the campaigns: their files, or the URLs of their databases.
        host: the address to listen on.
        port: the port; 0 selects a free one.
        address: the public address, if the server is behind another web server; its path
            (https://example.org/judging) is removed from requests. By default the address from
            ``create``.

    Returns:
        A server; ``run()`` serves until interrupted.
    """
    from redink.campaign.pages import Site, read_address
    from redink.campaign.security import new_token
    from redink.campaign.server import CampaignServer
    from redink.campaign.store import CampaignStore
    from redink.campaign.web_app import create_app

    places = [database] if isinstance(database, str | Path) else list(database)
    # The port first: one that is taken is told before the campaign is read.
    with port_taken(host, port) as listening, ExitStack() as opened:
        servers = []
        for one in places:
            store = CampaignStore.open(one)
            opened.callback(store.close)
            servers.append(CampaignServer(store))
        home = address_of(listening)
        site = Site(read_address(address or servers[0].settings.get("address") or home))
        overview = new_token()
        app = create_app(*servers, site=site, overview=overview)
        names = ", ".join(server.store.place for server in servers)
        greeting = f"Serving {names} on {home}; Ctrl-C stops it."
        if len(servers) > 1:
            greeting += f"\nAll campaigns: {site.link(f'/all/{overview}')}"
        opened.pop_all()  # from here on the application closes them
        return Server(app, listening, greeting)


@command
def status(database: PathLike) -> Table:
    """Show the progress of each judge of the campaign in DATABASE.

    Args:
        database: the campaign: its file, or the URL of its database.
    """
    from redink.campaign.results import make_status
    from redink.campaign.server import Campaign

    with _open(database) as store:
        return make_status(Campaign(store))


@command
def ask(
    database: PathLike,
    *,
    endpoint: EndpointUrl,
    model: ModelName,
    judge: Annotated[str | None, Flag(value="NAME")] = None,
    replies: Annotated[PathLike | None, Flag(writes=True)] = None,
    asking: ModelOptions = ModelOptions(),
) -> Table:
    """Let a language model answer the items of the campaign in DATABASE, as a judge.

    The model gets items, shuffled options and gold questions as people do, also while the campaign
    is served, and its answers are stored next to theirs. Each item is one request. The API key is
    read from the environment variable REDINK_API_KEY or OPENAI_API_KEY. All requests and replies
    are stored: an interrupted run continues, and nothing is asked twice.

    Args:
        database: the campaign: its file, or the URL of its database.
        endpoint: URL of the API, such as http://127.0.0.1:8000/v1, or command:PROGRAM for a program
            that reads the prompt on stdin and prints the reply.
        model: name of the model at the endpoint.
        judge: name of the model among the judges. By default the name of the model.
        replies: file of all requests and replies. [default: DATABASE.replies.jsonl]
        asking: the requests, and their limits.

    Returns:
        The progress of each judge.
    """
    from redink.campaign.model_judges import ModelJudge, ensure_judge
    from redink.campaign.results import make_status
    from redink.campaign.server import Campaign, CampaignServer
    from redink.campaign.store import CampaignStore
    from redink.language_models.prompts import Prompt
    from redink.language_models.reply_store import ReplyStore

    if replies is None and "://" in str(database):
        raise OptionError("missing file of replies; give --replies FILE")
    kept = ReplyStore(replies or f"{database}.replies.jsonl", asking.budget())
    prompt, name = Prompt("judge", asking.prompt), judge or model
    about = {"model": model, "prompt": prompt.fingerprint, "temperature": asking.temperature}
    with ExitStack() as opened:
        asked = opened.enter_context(LanguageModel(endpoint, model, asking, kept))
        store = opened.enter_context(_open(database))
        if asking.dry_run:  # a copy has the same items in the same order
            copy = Path(opened.enter_context(TemporaryDirectory()), "copy")
            store.copy_to(copy)
            store = opened.enter_context(closing(CampaignStore.open(copy)))
        ensure_judge(store, name, about)
        worker = ModelJudge(CampaignServer(store, exclusive=False), name, asked, prompt)
        if asking.dry_run:
            return worker.estimate()
        worker.run()
        versions = [version for version in kept.models if version != model]
    with _open(database) as store:
        table = make_status(Campaign(store))
    row = next(row for row in table.rows if row["judge"] == name)
    notes = [f"{name} has answered {row['done']} items, and skipped {row['skipped']} of them."]
    if row["state"] == "excluded":
        notes.append(f"{name} is excluded: its accuracy on gold questions is {row['gold']:.0%}.")
    if versions:
        notes.append(f"The endpoint reports the model {', '.join(versions)}.")
    signature = make_signature("campaign ask", judge=name, seed=asking.seed, **about)
    return replace(table, notes=(*table.notes, *notes), signature=signature)


@command
def invite(
    database: PathLike,
    names: Sequence[str] = (),
    *,
    again: bool = False,
    revoke: bool = False,
    exclude: bool = False,
    restore: bool = False,
    organizer: bool = False,
    register: Positive | None = None,
    address: Address | None = None,
) -> Table:
    """Invite judges by name to the campaign in DATABASE; replace or revoke their links.

    Links are shown once; only a hash of each is stored.

    Args:
        database: the campaign: its file, or the URL of its database.
        names: the judges.
        again: create new links for these judges; the old links stop working.
        revoke: disable the links of these judges.
        exclude: stop these judges, and exclude their answers from the results.
        restore: undo --revoke, and undo the exclusion of these judges.
        organizer: create a new link for the organizer; the old link stops working.
        register: create one sign-up link that accepts up to N people; an older sign-up link
            stops working.
        address: public address of the server, used in links. By default the address from
            ``create``.

    Returns:
        The links.
    """
    from redink.campaign import setup
    from redink.campaign.pages import HOME, Site, read_address
    from redink.campaign.security import hash_token, new_token

    changes = {"again": again, "revoke": revoke, "exclude": exclude, "restore": restore}
    chosen = [name for name, is_chosen in changes.items() if is_chosen]
    if len(chosen) > 1:
        raise OptionError(f"{' and '.join(f'--{name}' for name in chosen)} cannot be combined")
    if not (names or organizer or register):
        raise OptionError("missing names of judges; pass names, --organizer or --register")
    setup.check_names(names)
    with _open(database) as store:
        site = Site(read_address(address or store.settings().get("address") or HOME))
        known = {judge.name for judge in store.judges()}
        for name in names:  # all of them or none
            if bool(chosen) != (name in known):
                has = "a judge already" if name in known else "no judge"
                raise DataError(f"{store.place}: there is {has} named {name!r}")
        links = []
        if organizer:
            token = new_token()
            store.change_setting("organizer", hash_token(token))
            links.append(Link("organizer", site.link(f"/o/{token}")))
        if register is not None:
            token = setup.open_registration(store, register)
            links.append(Link(f"up to {register} people", site.link(f"/r/{token}")))
        for name in names:
            if chosen and not again:
                getattr(setup, chosen[0])(store, name)
                links.append(Link(name, f"{chosen[0].removesuffix('e')}ed"))
            else:
                token = (setup.reissue if again else setup.invite)(store, name)
                links.append(Link(name, site.link(f"/j/{token}")))
    return table_of(links, Link)


@command
def add(
    database: PathLike,
    systems: Annotated[SystemsLike, Flag(many=True)] = (),
    *,
    material: ItemSources = ItemSources(),
    alignment: AlignmentOptions = AlignmentOptions(),
) -> Table:
    """Add items to the campaign in DATABASE; the server can keep running.

    redink generates items as ``create`` does. Items that the campaign already has stay unchanged.
    Judges who see all items get the new ones at the end.

    Args:
        database: the campaign: its file, or the URL of its database.
        systems: the outputs to judge.
        material: the input that items are made from.
        alignment: alignment of raw system outputs with the source.

    Returns:
        The numbers of new items, of items already present, and of all items.
    """
    from redink.campaign import setup

    with _open(database) as store:
        task = setup.task_of(store.settings())
        new, known = setup.add_items(store, _make_items(task, material, systems, alignment))
        row = {"new": new, "known": known, "items": len(store.items())}
        return make_table([Column(name, "count") for name in row], [row])


@command
def backup(database: PathLike, copy: Annotated[PathLike, Flag(writes=True)]) -> Table:
    """Copy the campaign in DATABASE into the new file COPY; the server can keep running.

    The copy is a snapshot that can be served or exported like the campaign itself. The copy of a
    PostgreSQL database is also a file.

    Args:
        database: the campaign: its file, or the URL of its database.
        copy: the new file.

    Returns:
        The copy and its number of answers.
    """
    with _open(database) as store:
        row = {"copy": str(copy), "answers": store.copy_to(Path(copy))}
        return make_table([Column("copy"), Column("answers", "count")], [row])


@command
def migrate(database: PathLike, new: PathLike) -> Table:
    """Copy the campaign in DATABASE into another kind of database, and continue there.

    NEW is a new file or the URL of an empty PostgreSQL database. Links stay valid. Stop the server
    first: answers that arrive after the copy would be missing.

    Args:
        database: the campaign: its file, or the URL of its database.
        new: a new file, or the URL of an empty database.

    Returns:
        The new database and its number of answers.
    """
    from redink.campaign.store import shown_place

    with _open(database) as store:
        store.lock()
        row = {"database": shown_place(new), "answers": store.copy_to(new)}
        note = f"Serve it with: redink campaign serve {row['database']}"
        return make_table([Column("database"), Column("answers", "count")], [row], notes=[note])


@dataclass(frozen=True)
class Removal:
    """The new name of a judge, and the numbers of answers that remain and of removed comments."""

    name: str
    judge: str
    answers: int
    comments: int


@command
def remove(database: PathLike, names: Sequence[str], *, answers: bool = False) -> Table:
    """Remove the personal data of judges from the campaign in DATABASE.

    Names become removed-1, removed-2, ...; links stop working; comments and records of consent are
    deleted. Answers remain, with their times, unless you pass --answers. Stop the server first.

    Args:
        database: the campaign: its file, or the URL of its database.
        names: the judges.
        answers: delete the answers too.

    Returns:
        The new name of each judge, and the numbers of remaining answers and of deleted comments.
    """
    from redink.campaign import setup

    with _open(database) as store:
        store.lock()
        judges = [setup.find_judge(store, name) for name in names]
        rows = [
            Removal(judge.name, *store.remove_judge(judge.id, answers=answers)) for judge in judges
        ]
    notes = ["Backups and exports made before still have the data."]
    return table_of(rows, Removal, notes=notes)


@command
def export(
    database: PathLike,
    *,
    to: Form | None = None,
    annotator: Annotated[str | None, Flag(value="NAME")] = None,
    system: Annotated[str | None, Flag(value="NAME")] = None,
    excluded: bool = False,
    output: Annotated[PathLike, Flag(short="o", writes=True)] = "-",
) -> Table:
    """Write the answers of the campaign in DATABASE as rankings, judgments or a corpus.

    Usage judgments can become a corpus (M2): each judge is an annotator. Skipped items have no
    answer. In CSV and TSV an answer is one line, and an answer that looks
    like a spreadsheet formula begins with an apostrophe. JSONL contains answers as typed.

    Args:
        database: the campaign: its file, or the URL of its database.
        to: the format. By default by the suffix of -o.
        annotator: export only the edits of this judge (corpus formats). Required with
            --to ged-tsv.
        system: export only the answers about this system's outputs, such as its post-edits.
        excluded: include the answers of excluded judges; their judgments are marked.
        output: output file; - is stdout.

    Returns:
        The progress of each judge.
    """
    from redink.campaign.results import choose_export, export_answers, make_status
    from redink.campaign.server import Campaign
    from redink.campaign.tasks.questions import ALTERNATIVES

    with _open(database) as store:
        campaign = Campaign(store)
        suffix = ".ged.tsv" if str(output).endswith(".ged.tsv") else Path(output).suffix
        kind = campaign.task.kind
        asked = {field.name for field in getattr(campaign.task, "fields", ())}
        to = to or ("m2" if suffix == ".m2" else None)
        as_edits = to == "m2" and ALTERNATIVES in asked
        write = choose_export("corpus" if as_edits else kind, to, suffix, annotator)
        items = None
        if system is not None:
            items = {item.id for item in campaign.items.values() if system in item.systems}
            if not items:
                names = sorted({name for item in campaign.items.values() for name in item.systems})
                known = ", ".join(names) or "none"
                raise OptionError(f"unknown system {system!r}; systems of the items: {known}")
        answers = export_answers(campaign, excluded=excluded, as_edits=as_edits, items=items)
        with write_atomically(output) as stream:
            write(answers, stream)
        table = make_status(campaign)
        what = "sentences" if as_edits or kind == "corpus" else kind
        notes = [f"{len(answers)} {what} exported."]
        out = [w.judge.name for w in campaign.workloads.values() if w.judge.excluded and w.answered]
        if out and not excluded:
            notes.append(f"Excluded judges, whose answers are not exported: {', '.join(out)}.")
        return replace(table, notes=(*table.notes, *notes))
