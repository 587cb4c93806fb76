"""Nonsense for every command: a whole result, or one sentence and exit code 2; nothing else."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shutil
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import uvicorn

from fuzzing.material import Material
from fuzzing.outcome import Failure, Outcome
from fuzzing.readers import Hang, refuse_warnings, time_limit
from fuzzing.seeds import Seeds
from redink import files
from redink.cli.layout import FileName
from redink.cli.main import COMMANDS, cli, main
from redink.inputs import read_values

HANGS_AFTER = 30
"""Seconds of CPU time."""

# What each command wants: {kind} is a file of that kind, {out.x} a file to write.
TEMPLATES: dict[str, tuple[str, ...]] = {
    "annotate": (
        "{text} {text} -o {out.m2}",
        "{text} {text} {text}",
        "{m2} --auto -o {out.m2}",
        "{corpus} --gold",
        "{text}",
    ),
    "explain": ("{words} {words}",),
    "convert": (
        "{corpus} {out.any}",
        "{rankings} {out.any}",
        "{judgments} {out.any}",
        "{ged} {out.any}",
        "{parallel} {out.any}",
        "{text} {out.any} --corrected {text}",
        "{m2} {m2} {out.any} --merge-annotators",
        "{m2} - --to jsonl",
        "{text} {out.any} --tokenizer spacy",
    ),
    "align": ("{text} {text} -o {out.any}", "{m2} {text}", "{corpus} {text}"),
    "archive": ("-o {out.any} -- score {m2} {text} --metric m2", "{text} -o {out.any}"),
    "verify": ("{text}", "{m2}"),
    "correct": (
        "{text} --endpoint command:cat --model m -o {out.txt}",
        "{m2} --endpoint http://127.0.0.1:9/v1 --model m -o {out.txt} --dry-run",
    ),
    "metrics": ("",),
    "cache info": ("",),
    "cache clear": ("",),
    "cite": ("", "errant", "m2 gleu"),
    "corpora": ("", "{out.any}", "{text}"),
    "shared-task init": (
        "{out.any} --reference {m2}",
        "{out.any} --source {text} --reference {text}",
    ),
    "shared-task check": ("{text} {text}",),
    "shared-task score": ("{text}", "{text} {text}"),
    "shared-task board": ("{text} -o {out.any}",),
    "shared-task bundle": ("{text} -o {out.any}",),
    "compat install": ("{out.any}", "{out.any} --names gleu"),
    "score": (
        "{m2} {text} {text}",
        "{m2} {system} --metric m2",
        "{corpus} {system} --metric gleu",
        "--source {text} --reference {text} {text} --metric gleu,bleu",
        "--source {text} {text} --reference-for x={text} --metric gleu",
    ),
    "compare": ("{m2} {text} {text} --samples 20", "{m2} {system} {system} --samples 20"),
    "detection": (
        "{m2} {text} {text}",
        "{m2} {ged}",
        "{ged} {ged} {ged}",
        "{m2} {ged} --curve",
        "--from-counts 1 2 3 4",
        "{m2} {text} --targets {positions}",
        "{m2} {text} --judgments {judgments}",
        "--source {text} --reference {text} {text}",
        "{m2} {system} --targets slot:,",
        "{m2} {system} {system} --bootstrap 5 --show tests",
        "{m2} {system} --by type --show table",
    ),
    "gate": (
        "{m2} {text} {text} --metric gleu --samples 20",
        "{m2} {text} {text} --rule errant.f>=0.1 --summary {out.txt}",
        "--config {text}",
    ),
    "runs": ("{m2} a@1={text} a@2={text} b@1={text} b@2={text} --metric gleu --samples 20",),
    "diff": ("{m2} {text} {text}", "{m2} {system} {system} --metric m2 --by type"),
    "history": ("{text}", "{out.any} --add {scores}"),
    "profile": ("{m2} {text}", "{m2} {system} --bootstrap 5"),
    "attribute": ("{m2} {text} --metric gleu", "{corpus} {system} --method add"),
    "validity": ("{judgments} --bootstrap 5",),
    "doctor": ("{m2} {text}", "{judgments}", "--source {text} --reference {text} {text}"),
    "judge": ("{judgments} --model w1 --bootstrap 5", "{judgments} --model w1 --show people"),
    "agreement": ("{judgments} --bootstrap 20", "{judgments} --as-gold w1 --bootstrap 5"),
    "crowd": (
        "{judgments} {cases}",
        "{judgments}",
        "{judgments} {ged} {ged}",
        "{judgments} w1",
        "{judgments} {ged} --on {judgments} {ged}",
    ),
    "sample plan": (
        "{cases} --blind {out.csv} --key {out.json}",
        "{ged} --blind {out.jsonl} --key {out.json} --errors 2 --oks 3",
    ),
    "sample estimate": ("{key} {answers} --bootstrap 20", "--from-counts 6 1 4 10 --cases 10 90"),
    "sample verify": ("{answers} --bootstrap 20", "{judgments} --bootstrap 20"),
    "sample simulate": (
        "{cases} --repetitions 5 --sizes 3,5",
        "--from-counts 8 2 27 63 --repetitions 5 --sizes 5,9",
    ),
    "sample methods": ("{judgments}", "{cases} {answers}"),
    "rank": ("{rankings} --bootstrap 40", "{rankings} --bootstrap 40 --folds 2 --min-overlap 1"),
    "meta": (
        "{rankings} {scores} --bootstrap 5",
        "{rankings} {scores} {scores} --bootstrap 5",
        "{rankings} --sentences {sentence-scores} --show sentences --bootstrap 5",
    ),
    "analyzer evaluate": (
        "{treebank} --analyzer embedded --language sv",
        "{treebank} {text} --analyzer conllu:nowhere",
    ),
    "detector train": (
        "{running} -o {out.model} --detector lm --order 2",
        "{running} -o {out.model}",
        "{running} {text} -o {out.model} --detector perceptron --all",
    ),
    "detector run": ("{text} -o {out.m2}", "{running} --model {model}", "{text} --tune {m2}"),
    "detector cloze": (
        "{running} --items 0",
        "{text} --blanks {out.csv} --choice-test {out.csv}",
        "{text} --fillers {judgments}",
        "{text} --answers {judgments}",
    ),
    "detector mine": ("{running} --counts-from {running}", "{running} --counts {counts}"),
    "campaign create": (
        "{out.db} --task ranking --source {text} {text} {text}",
        "{out.db} --task crowd --from {items}",
        "{out.db} --task edit-check --from {m2}",
        "{out.db} --task sample --from {items}",
        "{out.db} --task correct --source {text} --tokenize --interface de",
        "{out.db} --task adjudicate --from {m2}",
        "{out.db} --task {text} --from {items}",
    ),
    "campaign items": (
        "--task choice --from {m2} -o {out.jsonl}",
        "--task crowd --from {ged} --items 2",
        "--task edit-validity --source {text} {text}",
        "--task mark --from {items}",
        "--task post-edit --source {text} {text}",
    ),
    "campaign add": ("{campaign} --from {items}", "{campaign} --from {m2}"),
    "campaign backup": ("{campaign} {out.db}",),
    "campaign status": ("{campaign}",),
    "campaign ask": ("{campaign} --endpoint command:cat --model m --dry-run", "{text}"),
    "campaign migrate": ("{campaign} {out.db}", "{text} {out.db}"),
    "campaign remove": ("{campaign} anna", "{campaign} nobody --answers"),
    "campaign export": ("{campaign} -o {out.csv}", "{campaign} --to jsonl"),
    "campaign invite": ("{campaign} zora --address http://x", "{campaign} anna --revoke"),
    "campaign serve": ("{campaign}", "nowhere.db", "folder", "{m2}", "{text}"),
    "report": ("{m2} {text} -o {out.folder} --bootstrap 5 --metric gleu",),
    "reproduce": (
        "tetreault-chodorow-2008 --data folder",
        "nonsense --data nowhere",
        "chodorow-2012 --data {m2}",
    ),
    "explore": ("{m2} {text} --bootstrap 0 --no-open", "nowhere.m2 {text} --no-open"),
    "demo": ("-o {m2}", "-o folder"),
}

# How often each command is tried, where not once a round: the slow ones less.
RARE = {
    "report": 20,
    "explore": 20,
    "reproduce": 10,
    "demo": 10,
    "campaign serve": 4,
    "campaign create": 2,
    "detector train": 3,
    "score": 1,
    "compare": 1,
}

# Options by which a user asks for more work, and so for a longer run.
_COSTLY = {
    "bootstrap",
    "samples",
    "repeats",
    "draws",
    "folds",
    "passes",
    "order",
    "sizes",
    "betas",
    "max_events",
}
_LEFT_OUT = {"help", "workers", "completed", "output", "host", "port", "version"}
_PLOTS = {"plot", "plot_kappa"}

WORDS = (
    "",
    " ",
    ",",
    "a,b",
    "a=b",
    "=",
    "ok=error",
    "ok",
    "error,ok",
    "note",
    "note=x",
    "0",
    "1",
    "-1",
    "0.5",
    "1.5",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "9" * 400,
    "x" * 3000,
    "é",
    "\u202e",
    "\udcff",
    "..",
    "/",
    "[red]",
    "[/b]",
    "%s",
    "{}",
    "w1",
    "w1,w2",
    "anna",
    "careful",
    "f",
    "precision",
    "kappa",
    "item",
    "0:1:0.1",
    "1:0:1",
    "a:b:c",
    "embedded",
    "spacy:nothing",
    "spacy:",
    "tag:IN,TO",
    "word:of,in",
    "letters",
    "np",
    "np:a,the",
    "not:letters",
    "not:not:np",
    "slot:,",
    "pos:ADP",
    "token",
    "span,sentence",
    "target",
    "character",
    "errant",
    "m2,gleu",
    "imeasure",
    "bleu,meteor",
    "gold",
    "auto",
    "gold,auto",
    "R:VERB",
    "wilson",
    "bootstrap",
    "randomization",
    "INPUT,careful",
    "text",
    "m2",
    "jsonl",
    "maxent",
    "lm",
    "perceptron",
    "This are wrong .",
    "\x1b[31m",
)
_NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    "5",
    "-1",
    "0.5",
    "0.9",
    "1.0",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "x",
    "",
    "99999999999999999999",
    "1_0",
    "٣",
)
_SMALL = ("0", "1", "2", "3", "7", "40", "-1", "x", "")
_SUFFIXES = ("m2", "jsonl", "csv", "tsv", "xml", "json", "txt", "sgml", "m2.gz", "xls", "")

# Words of libraries and of Python that no user should have to read.
_RAW = re.compile(
    r"Traceback|Errno|Error\(|codec can't|invalid literal|could not convert|NoneType|not subscript"
    r"|has no attribute|object is not|index out of|<class|<built-in|<_io|sqlite3|sqlalchemy|numpy"
    r"|KeyError|ValueError|TypeError|unhashable|sqlalche\.me"
)


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str
    new: tuple[str, ...]
    trace: str | None


def leaf_commands() -> dict[str, click.Command]:
    """Every command that does something, by its words."""
    found: dict[str, click.Command] = {}
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found.update({f"{name} {sub}": each for sub, each in command.commands.items()})
        else:
            found[name] = command
    return found


@contextmanager
def _standard_streams(given: bytes) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    before = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), "utf-8")
    # as Python opens them: what cannot be encoded is an error on one and shown on the other
    sys.stdout = io.TextIOWrapper(out, "utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, "utf-8", errors="backslashreplace", write_through=True)
    files._STREAMS.clear()  # noqa: SLF001 (every run is a new process but for this)
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


async def _close_at_once(_server: uvicorn.Server, _counter: int) -> bool:
    """Servers start, look after nobody, and shut down in order."""
    return True


def run_command(arguments: list[str], folder: Path, given: bytes = b"") -> Ran:
    """Run the command line as a user meets it, in this process."""
    out_folder = folder / "out"
    shutil.rmtree(out_folder, ignore_errors=True)
    out_folder.mkdir()
    sys.argv = ["redink", *arguments]
    code, trace = 0, None
    with chdir(folder), _standard_streams(given) as (out, err), warnings.catch_warnings():
        showing = warnings.showwarning
        refuse_warnings()
        try:
            with time_limit(HANGS_AFTER), patch.object(uvicorn.Server, "on_tick", _close_at_once):
                main()
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else 0
        except (Exception, Hang):  # noqa: BLE001 (whatever it is, it is what we look for)
            trace = traceback.format_exc()
        finally:
            warnings.showwarning = showing
        written = out.getvalue(), err.getvalue()
    new = sorted(str(path.relative_to(out_folder)) for path in out_folder.rglob("*"))
    strays = [name for name in os.listdir(folder) if name not in _OWN]  # noqa: PTH208
    for name in strays:
        shutil.rmtree(folder / name) if (folder / name).is_dir() else (folder / name).unlink()
    texts = (text.decode("utf-8", "backslashreplace") for text in written)
    return Ran(code, *texts, (*new, *(f"../{name}" for name in strays)), trace)


_OWN = {"good", "bad", "folder", "out", "nowhere.m2"}


def what_is_wrong(ran: Ran, arguments: list[str], folder: Path) -> str | None:
    """Why a run is not as it should be, or None."""
    problem = ran.trace or _what_is_wrong_with_manners(ran)
    has_failed = ran.code == 1 and arguments[0] == "gate" and "of" in ran.out  # a rule failed
    if problem or (ran.code and not has_failed):
        return problem or _what_is_wrong_with_refusal(ran, arguments)
    return _what_is_wrong_with_result(ran, arguments, folder)


def _what_is_wrong_with_manners(ran: Ran) -> str | None:
    if any(Path(name).name.startswith(".") or _is_stray(name) for name in ran.new):
        return f"left behind: {ran.new}"
    if _RAW.search(ran.err):
        return "the words of a library"
    if any(not line.isprintable() for line in ran.err.replace("\n", "").splitlines()):
        return "control characters on stderr"
    return None


def _is_stray(name: str) -> bool:
    """Whether a file lies where none was asked for; a folder or a database may be called -."""
    return name.startswith("../") and name not in {"../-", "../--wal", "../--shm"}


def _what_is_wrong_with_refusal(ran: Ran, arguments: list[str]) -> str | None:
    if ran.code != 2:
        return f"exit code {ran.code}"
    if ran.new:
        return f"failed, yet wrote {ran.new}"
    lines = [line for line in ran.err.splitlines() if not line.startswith("redink: warning: ")]
    if not (len(lines) == 1 and lines[0].startswith("redink: error: ")):
        return "not one sentence"
    if ran.out and "-" not in arguments and arguments[0] != "annotate":  # a stream is no file
        return "failed, yet printed"
    return None


def _what_is_wrong_with_result(ran: Ran, arguments: list[str], folder: Path) -> str | None:
    form = arguments[arguments.index("--format") + 1] if "--format" in arguments else None
    text = ran.out
    if "-o" in arguments and form and arguments[-2] == "-o":
        text = files.read_text(folder / arguments[-1]) if arguments[-1] != "-" else text
    try:
        if "align" in arguments:  # prints the text, whatever the form of its table
            return None
        if form == "json" and "annotate" not in arguments:
            found = json.loads(text, parse_constant=_refuse)
            if not found.keys() >= {"signature", "notes", "columns", "rows"}:
                return "JSON of another shape"
        elif form in {"csv", "tsv"}:
            rows = list(csv.reader(io.StringIO(text), delimiter="," if form == "csv" else "\t"))
            if len({len(row) for row in rows}) > 1:
                return "rows of different length"
        elif arguments[0] == "convert" and ran.new and "--to" not in arguments:
            for _ in read_values(folder / "out" / ran.new[0])[1]:
                pass
    except (ValueError, files.FormatError) as error:
        return f"the result is not well-formed: {error}"
    return None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


class Composer:
    """Makes command lines."""

    def __init__(self, material: Material, rng: random.Random) -> None:
        self.material = material
        self.rng = rng
        self.commands = leaf_commands()
        self._output = 0

    def compose(self, name: str) -> list[str]:
        """A template with its files, and a few options."""
        rng = self.rng
        template = rng.choice(TEMPLATES[name])
        arguments = [self._fill(word) for word in template.split(" ") if word]
        options = [p for p in self.commands[name].params if isinstance(p, click.Option)]
        options = [o for o in options if o.name not in _LEFT_OUT and o.opts[0] != "--list"]
        for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
            if not options:
                break
            option = rng.choice(options)
            if option.name in _PLOTS and rng.random() < 0.9:
                continue  # drawing takes long
            if option.opts[0] not in arguments or option.multiple:
                arguments += self._option(option)
        if rng.random() < 0.05:
            arguments = self._disturb(arguments)
        arguments = [*name.split(), *arguments]
        has_output = any("-o" in o.opts for o in self.commands[name].params)
        if "-o" not in arguments and has_output and rng.random() < 0.15:
            arguments += ["-o", self._output_path("any")]
        return arguments

    def _disturb(self, arguments: list[str]) -> list[str]:
        rng = self.rng
        change = rng.randrange(3)
        at = rng.randrange(len(arguments) + 1)
        if change == 0:
            return arguments[:at] + arguments[at + 1 :]
        if change == 1:
            return [*arguments[:at], rng.choice(WORDS), *arguments[at:]]
        shuffled = list(arguments)
        rng.shuffle(shuffled)
        return shuffled

    def _fill(self, word: str) -> str:
        if not word.startswith("{"):
            return word
        kind = word[1:-1]
        if kind.startswith("out."):
            return self._output_path(kind[4:])
        if kind == "words":
            tokens = [
                "This",
                "are",
                "is",
                "a",
                ".",
                ",",
                "é",
                "can",
                "not",
                "[/b]",
                "",
                "\u200b",
                "A",
            ]
            return " ".join(self.rng.choices(tokens, k=self.rng.randrange(9)))
        if kind == "system":
            kind = self.rng.choice(("text", "m2", "corpus", "ged"))
        path = self.material.pick(kind, self.rng)
        if kind in {"text", "ged"} and self.rng.random() < 0.1:
            return f"{self.rng.choice(WORDS)}={path}"
        return path

    def _output_path(self, suffix: str) -> str:
        if self.rng.random() < 0.03:
            return self.rng.choice(("folder", "no/such/folder/x.m2", "/dev/null", "-", "", "out"))
        self._output += 1
        if suffix == "any":
            suffix = self.rng.choice(_SUFFIXES)
        return f"out/o{self._output % 100}" + (f".{suffix}" if suffix != "folder" else "")

    def _option(self, option: click.Option) -> list[str]:
        flag = self.rng.choice([*option.opts, *option.secondary_opts])
        if option.is_flag or option.count:
            return [flag]
        return [flag, *(self._value(option) for _ in range(option.nargs))]

    def _value(self, option: click.Option) -> str:
        rng, kind = self.rng, option.type
        if isinstance(kind, click.Choice):
            return rng.choice([*map(str, kind.choices)] * 5 + [rng.choice(WORDS)])
        if option.name in _COSTLY:
            return rng.choice(_SMALL)
        if isinstance(kind, FileName):
            return self._path(str(option.name))
        if isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
            return rng.choice(_NUMBERS)
        if option.name in {"targets", "negatives"} and rng.random() < 0.3:
            return self.material.pick("positions", rng)
        return rng.choice([rng.choice(WORDS), rng.choice(_NUMBERS)])

    def _path(self, name: str) -> str:
        wanted = {
            "source": "text",
            "references": "text",
            "lexicon": "lexicon",
            "tune": "m2",
            "judgments": "judgments",
            "corrected": "text",
            "fillers": "judgments",
            "answers": "judgments",
            "counts_from": "running",
            "counts": "counts",
            "file": "items",
            "data": "m2",
        }
        if name in wanted:
            return self.material.pick(wanted[name], self.rng)
        if name in _PLOTS:
            return self._output_path(self.rng.choice(("png", "svg", "xyz")))
        return self._output_path("any")


def run(
    seeds: Seeds,
    outcome: Outcome,
    *,
    folder: Path,
    inputs: int | None,
    seed: int,
    seconds: float | None = None,
    only: str | None = None,
) -> None:
    """Try command lines until there are enough, or time is up, or too many have failed."""
    material = Material(seeds, folder)
    rng = random.Random(seed)
    composer = Composer(material, rng)
    stop = None if seconds is None else time.monotonic() + seconds
    number = 0
    turn = 0
    while True:
        for name in TEMPLATES:
            if only not in {None, name} or turn % RARE.get(name, 1):
                continue
            if number == inputs or outcome.enough or (stop and time.monotonic() > stop):
                return
            number += 1
            arguments = composer.compose(name)
            given = rng.choice(material.everything) if "-" in arguments else b""
            ran = run_command(arguments, folder, given)
            problem = what_is_wrong(ran, arguments, folder)
            if problem:
                seen = f"exit {ran.code}\nstdout: {ran.out[:500]}\nstderr: {ran.err[-1500:]}\n"
                given = (arguments, _damaged(folder, arguments))
                outcome.fail(Failure(name, given, seen + problem))
            else:
                (outcome.refused if ran.code else outcome.done)[name] += 1
        turn += 1


def _damaged(folder: Path, arguments: list[str]) -> dict[str, bytes]:
    """The damaged files that a command line names."""
    return {
        word: (folder / path).read_bytes()
        for word in arguments
        if (path := word.rpartition("=")[2]).startswith("bad/") and (folder / path).is_file()
    }
