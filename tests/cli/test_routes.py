"""Every route gives the same result: flag, keyword, options object, metric spec, metric value.

The cases are made from the declarations (:func:`redink.options.declaration`,
:func:`redink.options.kinds_of` and the registry of metrics), so a new option is covered as soon as
it is declared.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.cli.main import COMMANDS, main
from redink.commands import sample
from redink.commands.task import read_task
from redink.compat import errant_compare, gleu_programs, m2scorer
from redink.errors import RedinkError
from redink.options import FAR, DisplayOptions, Kind, Limits, Option, Options, declaration, kinds_of
from redink.scoring.metric import Metric
from redink.scoring.specs import METRICS, MetricDefaults, free_metrics, make_metrics

EXAMPLES = Path(redink.__file__).parent / "examples"

REFUSED = "refused"
"""The result of a route that refuses a value with one sentence: OptionError, or exit code 2."""

GOLD = """S This are a wrong sentence , and it have many many errors .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||0
A 8 10|||R:OTHER|||lots of|||REQUIRED|||-NONE-|||0
A 2 3|||R:DET|||the|||REQUIRED|||-NONE-|||1
A 9 10|||U:ADJ||||||REQUIRED|||-NONE-|||1

S He go to school the yesterday with his freinds .
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||0
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||0
A 8 9|||R:SPELL|||friends|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||came|||REQUIRED|||-NONE-|||1
A 4 6|||R:OTHER|||yesterday|||REQUIRED|||-NONE-|||1

S Nothing is wrong here .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 4 4|||M:PUNCT|||, today|||REQUIRED|||-NONE-|||1

S I like dog very much in paris .
A 2 3|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||0
A 6 7|||R:ORTH|||Paris|||REQUIRED|||-NONE-|||0
A 2 3|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||1

S She said that of the the best in all world .
A 2 4|||R:OTHER|||it is|||REQUIRED|||-NONE-|||0
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||0
A 7 9|||R:OTHER|||in the whole|||REQUIRED|||-NONE-|||0
A 4 5|||UNK|||a|||REQUIRED|||-NONE-|||1

"""


def _long_sentence(*annotators: Iterable[int]) -> str:
    """A sentence whose annotators double the tokens at these positions."""
    edits = [
        f"A {at} {at + 1}|||R:NOUN|||{LETTERS[at] * 2}|||REQUIRED|||-NONE-|||{who}\n"
        for who, places in enumerate(annotators)
        for at in places
    ]
    return f"S {' '.join(LETTERS)}\n{''.join(edits)}\n"


LETTERS = "abcdefghijkl"
GOLD += _long_sentence(range(12), range(12)) + _long_sentence([0], range(11))
"""With these two, the rules that choose an annotator differ."""
SYSTEMS = {
    "one": """This is a wrong sentence , and it has lots of errors .
He went to school yesterday with his friends .
Nothing is wrong here , today .
I like dogs very much in Paris .
She said it is the best in all world .
a b c d e f g h i j k l
aa b c d e f g h i j k l
""",
    "two": """This is the wrong sentence , and it have many errors .
He goes to the school yesterday with her freinds .
nothing is wrong here .
I like the dog very much in paris .
She said that of the best in the whole world .
a b c d e f g h i j k l
aa bb c d e f g h i j k l
""",
}
ANSWERS = """judge,item,question,label,document
a,1,form,ok,x
b,1,form,ok,x
c,1,form,error,x
a,2,form,error,x
b,2,form,error,x
a,3,form,ok,y
b,3,form,error,y
c,3,form,error,y
a,4,form,error,y
c,4,form,ok,y
a,5,form,ok,z
b,5,form,ok,z
c,5,form,ok,z
a,1,use,ok,x
b,1,use,error,x
a,2,use,unsure,x
b,2,use,ok,x
a,3,use,error,y
b,3,use,error,y
c,3,use,ok,y
"""


# ---- values


MORE_VALUES: Mapping[str, Sequence[Any]] = {
    "exclude": [["R:OTHER"], ["SPELL", "VERB:*"]],
    "types": [["R:OTHER"], ["SPELL", "VERB:*"]],
    "weights": ["dice"],
    "where": ["level == 'A1'", "level != ''"],
    "factors": [[0.5, 0.5, 0.0, 0.0]],
}
"""Values that change a result, of options whose type cannot name any."""


def awkward_values(name: str, kind: Kind, default: Any) -> Iterator[Any]:
    """Values at which routes could differ: empty, false, the default, the limits, each choice."""
    yield from MORE_VALUES.get(name, ())
    yield from [0, 0.0, False, True, "", [], "no such value"]
    yield from kind.choices
    if kind.many:
        yield from ([one] for one in kind.choices)
        yield [*kind.choices]
    if default is not None and default is not MISSING and default is not inspect.Parameter.empty:
        yield default
    if kind.type in {int, float}:
        yield from _numbers(kind)


def _numbers(kind: Kind) -> Iterator[Any]:
    limits = kind.limits or Limits()
    yield from [2, 0.25, "1", float("nan"), float("inf")]
    for end in (limits.low, limits.high):
        if end is not None:
            yield from [kind.type(end), kind.type(end) - 1, kind.type(end) + 1]
    if kind.type is int and limits.high is None and not limits.endless:
        yield FAR
    if kind.many:
        yield from [[0], [1], [0, 1]]


def as_text(value: Any, joint: str) -> str | None:
    """The value as a user types it; None where it cannot be typed."""
    if isinstance(value, list | tuple):
        parts = [as_text(one, joint) for one in value]
        return joint.join(part for part in parts if part is not None)
    if isinstance(value, bool) or value is None:
        return None
    return str(value)


def flags(option: Option, value: Any) -> list[str] | None:
    """The option on the command line; None where the value cannot be typed."""
    kind, flag = option.kind, option.kind.flag
    name = f"--{flag.name or option.name.replace('_', '-')}"
    if kind.type is bool:
        if not isinstance(value, bool):
            return None
        off = f"--{flag.off or name.replace('--', 'no-', 1)}"
        is_inverted = option.default is True and flag.name is None
        typed = {True: None if is_inverted else [name], False: None}
        if is_inverted or flag.off is not None:
            typed[False] = [off]
        return typed[value]
    if isinstance(value, list | tuple):
        if flag.repeat or flag.parts > 1:
            texts = [text for one in value if (text := as_text(one, ",")) is not None]
            if flag.parts > 1:
                return [name, *texts] if len(texts) == flag.parts else None
            return [part for text in texts for part in (name, text)]
        if not kind.many:
            return None
    text = as_text(value, ",")
    return None if text is None or only_python(value, kind) else [f"{name}={text}"]


def only_python(value: Any, kind: Kind) -> bool:
    """Whether no text means this value: the number 0 where a name is expected, say."""
    if isinstance(value, list | tuple) and not kind.many:
        return True
    is_number = kind.type in {int, float}
    for one in value if isinstance(value, list | tuple) else [value]:
        if isinstance(one, bool) or kind.type is bool:
            return True
        if isinstance(one, int | float) != is_number and one not in {"", "no such value"}:
            return True
    return False


# ---- routes

Run = Callable[[Sequence[str]], Any]
"""Runs a command line; its result, or that it was refused."""


def comparable(table: Mapping[str, Any]) -> Any:
    """The parts of a result that must not depend on the route, as text: NaN equals itself."""
    return json.dumps([table["columns"], table["rows"], table["notes"]], sort_keys=True)


def by_python(call: Callable[[], redink.Table]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            table = call()
        except RedinkError:
            return REFUSED
    return comparable(json.loads(table.to_json()))


@pytest.fixture
def by_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(words: Sequence[str]) -> Any:
        capsys.readouterr()
        with warnings.catch_warnings(), monkeypatch.context() as patch:
            patch.setattr(warnings, "showwarning", warnings.showwarning)
            patch.setattr(sys, "argv", ["redink", *words, "--format", "json"])
            with pytest.raises(SystemExit) as leaving:
                main()
        out, err = capsys.readouterr()
        if leaving.value.code:
            assert (leaving.value.code, out) == (2, ""), err
            assert err.splitlines()[-1].startswith("redink: error: ")
            return REFUSED
        return comparable(json.loads(out))

    return run


# ---- options of metrics


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small corpus on which options change results, and judgments of it."""
    folder = tmp_path_factory.mktemp("routes")
    source = [line[2:] for line in GOLD.splitlines() if line.startswith("S ")]
    files = {"gold.m2": GOLD, "source.txt": "\n".join(source) + "\n", "answers.csv": ANSWERS}
    files |= {f"{name}.txt": text for name, text in SYSTEMS.items()}
    files["three.txt"] = "\n".join(source[:3] + SYSTEMS["two"].splitlines()[3:]) + "\n"
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in SYSTEMS:
        redink.annotate_files(folder / "source.txt", folder / f"{name}.txt", folder / f"{name}.m2")
    _write_judged(folder)
    return folder


def _write_judged(folder: Path) -> None:
    tokens = [line.split() for line in (folder / "source.txt").read_text("utf-8").splitlines()]
    lines = [
        [
            f"{token}\t{'ic'[(n + at) % 3 > 0]}\t{(7 * n + 3 * at) % 10 / 10}"
            for at, token in enumerate(line)
        ]
        for n, line in enumerate(tokens)
    ]
    text = "".join("\n".join(line) + "\n\n" for line in lines)
    (folder / "one.ged.tsv").write_text(text, encoding="utf-8")
    (folder / "metadata.csv").write_text("level\n" + "A1\nB1\nB1\nA1\nB1\nA1\nA1\n")
    (folder / "documents.txt").write_text("x\nx\ny\ny\nz\nz\nz\n", encoding="utf-8")
    decisions = "item,label,gold\n1,error,error\n2,ok,error\n3,error,ok\n4,error,error\n5,ok,ok\n"
    (folder / "decisions.csv").write_text(decisions, encoding="utf-8")
    redink.plan_sample(
        folder / "decisions.csv", blind=folder / "b.csv", key=folder / "key.json", errors=3, oks=2
    )
    blind = (folder / "b.csv").read_text("utf-8").splitlines()[1:]
    items = [line.split(",")[0] for line in blind]
    votes = zip(items * 2, "aaaaabbbbb", ["error", "ok"] * 5, strict=True)
    judged = "item,judge,label\n" + "".join(f"{','.join(vote)}\n" for vote in votes)
    (folder / "judged.csv").write_text(judged, encoding="utf-8")
    rankings = (EXAMPLES / "rankings.xml").read_text("utf-8").split("</ranking-item>")[:15]
    end = "</ranking-item></error-correction-ranking-result></appraise-results>"
    (folder / "rankings.xml").write_text("</ranking-item>".join(rankings) + end, encoding="utf-8")
    names = ("careful", "eager", "speller")
    table = redink.score(
        EXAMPLES / "gold.m2",
        {name: EXAMPLES / f"{name}.txt" for name in names},
        metrics=["gleu", "m2"],
        sentences=folder / "sentences.jsonl",
    )
    table.save(folder / "scores.json")


def metric_options() -> list[tuple[str, str]]:
    return [(name, key) for name in free_metrics() for key in kinds_of(METRICS.load(name))]


def spec_text(value: Any, kind: Kind) -> str | None:
    """The value of an option as a spec has it; None where it cannot be written."""
    if value is None:
        return "none" if kind.optional else None
    if isinstance(value, bool):
        return str(value).lower() if kind.type is bool else None
    return None if only_python(value, kind) else as_text(value, "+")


def results_of_metric(corpus: Path, run: Run, name: str, key: str, value: Any) -> dict[str, Any]:
    """The scores of a metric with one option, by every route that has it."""
    metric = METRICS.load(name)
    gold, systems = corpus / "gold.m2", [corpus / "one.m2", corpus / "two.m2"]
    words = ["score", str(gold), *map(str, systems), "--metric"]

    def score(**given: Any) -> redink.Table:
        return redink.score(gold, systems, **given)

    results = {"value": by_python(lambda: score(metrics=[metric(**{key: value})]))}
    text = spec_text(value, kinds_of(metric)[key])
    if text is not None:
        spec = f"{name}({key}={text})"
        results["spec"] = by_python(lambda: score(metrics=spec))
        results["spec as a flag"] = run([*words, spec])
    options = {option.name: option for option in declaration(redink.score).options}
    if key not in {"by", *kinds_of(MetricDefaults)} or value is None:
        return results
    results["keyword"] = by_python(lambda: score(metrics=name, **{key: value}))
    if (typed := flags(options[key], value)) is not None:
        results["flag"] = run([*words, name, *typed])
    if key != "by":
        results["object"] = by_python(
            lambda: score(metrics=name, metric_defaults=MetricDefaults(**{key: value}))
        )
    return results


UNCHANGED = {
    ("cherrant", "fixed"): "the systems have one version of each sentence",
    ("cherrant", "start"): "has an effect only with end, as in the original",
    ("cherrant", "end"): "has an effect only with start, as in the original",
    ("cherrant", "weights"): "is refused",
    ("meteor", "wordnet"): "needs the files of WordNet",
    ("ter", "normalized"): "the texts are tokenized",
    ("ter", "asian_support"): "has an effect only with normalized or no_punct, as in sacrebleu",
    ("sari", "tokenizer"): "the texts are tokenized",
    ("exact-match", "whitespace"): "M2 has single spaces",
    ("detection", "targets"): "needs unit=target",
    ("detection", "negatives"): "needs a rule such as letters",
    ("detection", "selection"): "the same annotators are the best",
}
"""Options that change no score here, and why."""


def unlabeled(result: str, name: str) -> str:
    return re.sub(rf'"{name}\([^"]*"', f'"{name}"', result)


@pytest.mark.parametrize(("name", "key"), metric_options())
def test_an_option_of_a_metric(corpus: Path, by_command: Run, name: str, key: str) -> None:
    """Flag, keyword, spec, metric value and options object give one result, or all refuse."""
    default = {field.name: field.default for field in fields(METRICS.load(name))}[key]
    seen = set()
    for value in [*awkward_values(key, kinds_of(METRICS.load(name))[key], default), None]:
        results = results_of_metric(corpus, by_command, name, key, value)
        assert len({*results.values()}) == 1, (value, results)
        seen |= {unlabeled(result, name) for result in results.values() if result != REFUSED}
    assert (len(seen) > 1) != ((name, key) in UNCHANGED)


# ---- options of commands


@dataclass(frozen=True)
class Scene:
    """A command with input to which every option can be added.

    Attributes:
        words: the command.
        function: its function.
        given: the input and the options that others need, by parameter; paths are in the corpus.
    """

    words: tuple[str, ...]
    function: Callable[..., redink.Table]
    given: Mapping[str, Any]

    @property
    def is_first(self) -> bool:
        return next(each for each in SCENES if each.words == self.words) is self

    def find(self, folder: Path) -> dict[str, Any]:
        return {name: _in_folder(value, folder) for name, value in self.given.items()}

    def type(self, folder: Path, added: Mapping[str, Any]) -> list[str] | None:
        words, positional = list(self.words), []
        for option in declaration(self.function).options:
            values = {**self.find(folder), **added}
            if option.name not in values:
                continue
            value = values[option.name]
            if option.positional and option.name not in added:
                positional += map(str, value if isinstance(value, list) else [value])
                continue
            if (typed := flags(option, value)) is None:
                return None
            words += typed
        return words + positional


def _in_folder(value: Any, folder: Path) -> Any:
    if isinstance(value, list):
        return [_in_folder(one, folder) for one in value]
    return folder / value if isinstance(value, Path) else value


def scene(words: str, function: Callable[..., redink.Table], **given: Any) -> Scene:
    return Scene(tuple(words.split()), function, given)


_GOLD = {"reference": Path("gold.m2"), "systems": [Path("one.m2"), Path("two.m2")]}
_SCORED = {**_GOLD, "metrics": ["errant", "m2"]}
_RAW = {"reference": Path("gold.m2"), "systems": [Path("one.txt")], "metrics": ["gleu"]}
_FLAGS = {"reference": Path("gold.m2"), "systems": [Path("one.ged.tsv")]}
_CROWD = {"judgments": Path("answers.csv"), "systems": [Path("decisions.csv")], "question": "form"}
_COUNTS = {"from_counts": [8, 2, 3, 17]}

SCENES = [
    scene("score", redink.score, **_SCORED),
    scene("score", redink.score, **_SCORED, bootstrap=5),
    scene(
        "score",
        redink.score,
        **_SCORED,
        by=["document", "level"],
        documents=Path("documents.txt"),
        metadata=Path("metadata.csv"),
    ),
    scene("score", redink.score, **_RAW, align=True),
    scene("compare", redink.compare, **_SCORED, samples=5),
    scene("detection", redink.detection, **_GOLD),
    scene("detection", redink.detection, **_FLAGS, curve=True),
    scene("detection", redink.detection, **_FLAGS, show="points"),
    scene("detection", redink.detection, systems=[], **_COUNTS),
    scene("agreement", redink.agreement, judgments=Path("answers.csv"), bootstrap=5),
    scene("agreement", redink.agreement, judgments=Path("gold.m2"), show="edits", bootstrap=5),
    scene(
        "agreement",
        redink.agreement,
        judgments=Path("answers.csv"),
        question="form",
        as_gold=[Path("decisions.csv")],
        bootstrap=5,
    ),
    scene("crowd", redink.crowd, **_CROWD),
    scene("crowd", redink.crowd, **_CROWD, gold_threshold=0.6),
    scene(
        "crowd",
        redink.crowd,
        judgments=Path("answers.csv"),
        question="form",
        experts=["a"],
        show="size",
        repetitions=3,
    ),
    scene(
        "sample plan",
        sample.plan_sample,
        cases=Path("decisions.csv"),
        blind=Path("blind.csv"),
        key=Path("new.json"),
    ),
    scene(
        "sample estimate", sample.estimate_sample, key=Path("key.json"), answers=Path("judged.csv")
    ),
    scene(
        "sample estimate",
        sample.estimate_sample,
        **_COUNTS,
        cases=[100, 900],
        interval="bootstrap",
        bootstrap=50,
    ),
    scene("sample verify", sample.verify_sample, answers=Path("answers.csv"), question="form"),
    scene("sample simulate", sample.simulate_sample, **_COUNTS, sizes=[10], repetitions=5),
    scene(
        "correct",
        redink.correct,
        source=Path("documents.txt"),
        endpoint="command:cat",
        model="m",
        replies=Path("replies.jsonl"),
        dry_run=True,
    ),
    scene("rank", redink.rank, judgments=Path("rankings.xml"), bootstrap=5),
    scene("rank", redink.rank, judgments=Path("rankings.xml"), show="accuracy", folds=2),
    scene("rank", redink.rank, judgments=Path("rankings.xml"), show="agreement", min_overlap=1),
    scene(
        "meta",
        redink.meta,
        judgments=Path("rankings.xml"),
        scores=[Path("scores.json")],
        bootstrap=5,
    ),
    scene(
        "meta",
        redink.meta,
        judgments=Path("rankings.xml"),
        sentences=[Path("sentences.jsonl")],
        show="sentences",
        bootstrap=5,
    ),
]


SKIPPED = {"workers": "starts processes and changes no result", "cache": "changes no result"}
"""Options of commands that are not tried."""


def command_options() -> list[tuple[int, str]]:
    found = []
    for number, place in enumerate(SCENES):
        for option in declaration(place.function).options:
            flag, needs = option.kind.flag, option.kind.needs
            is_file = option.positional or option.is_required or flag.writes
            if is_file or flag.hidden or flag.form or option.name in SKIPPED:
                continue  # a form is an option of the terminal only
            if option.name in vars(DisplayOptions()) and COMMANDS[place.words[0]].writes:
                continue  # what it writes is no table
            if place.is_first or (needs and {*needs.options} & {*place.given}):
                found.append((number, option.name))
    return found


def group_of(function: Any, name: str) -> tuple[str, Options] | None:
    """The group of options that an option belongs to, with the name of its parameter."""
    for parameter, group in function.__groups__.items():
        if parameter and name in {field.name for field in fields(group)}:
            return parameter, group
    return None


def results_of_command(
    place: Scene, corpus: Path, run: Run, option: Option, value: Any
) -> dict[str, Any]:
    """The result of a command with one option, by every route that has it."""
    given = {**place.find(corpus), option.name: value}
    results = {"keyword": by_python(lambda: place.function(**given))}
    if (typed := place.type(corpus, {option.name: value})) is not None:
        results["flag"] = run(typed)
    if (found := group_of(place.function, option.name)) is not None:
        name, group = found
        others = {key: one for key, one in given.items() if key != option.name}

        def by_object() -> redink.Table:
            members = {f.name: others.pop(f.name) for f in fields(group) if f.name in others}
            return place.function(
                **others, **{name: replace(group, **members, **{option.name: value})}
            )

        results["object"] = by_python(by_object)
    return results


@pytest.mark.parametrize(("number", "name"), command_options())
def test_an_option_of_a_command(corpus: Path, by_command: Run, number: int, name: str) -> None:
    place = SCENES[number]
    option = next(each for each in declaration(place.function).options if each.name == name)
    for value in awkward_values(name, option.kind, option.default):
        results = results_of_command(place, corpus, by_command, option, value)
        assert len({*results.values()}) == 1, (value, results)


# ---- drop-in commands and task files


def _as_filter(value: Sequence[str]) -> list[str]:
    return ["-filt", *value] if value else []


_LEVELS = {
    "correction": "-cs",
    "detection-span": "-ds",
    "detection-token": "-dt",
    "correction-typed": "-cse",
}
_TIERS = {"operation": "1", "type": "2", "full": "3"}
Words = Callable[[Any], list[str]]
_COMPARING: dict[str, Words] = {
    "beta": lambda value: ["-b", str(value)],
    "level": lambda value: [_LEVELS[value]],
    "only": lambda value: [f"-{value}"],
    "exclude": _as_filter,
    "by": lambda value: ["-cat", _TIERS[value]],
}
DROP_INS: dict[str, dict[str, Words]] = {
    "errant": _COMPARING,
    "cherrant": _COMPARING
    | {
        "answers": lambda value: ["--max_answer_num", str(value)],
        "references": lambda value: ["--reference_num", str(value)],
    },
    "m2": {
        "beta": lambda value: ["--beta", str(value)],
        "max_unchanged_words": lambda value: ["--max_unchanged_words", str(value)],
        "ignore_whitespace_casing": lambda value: ["--ignore_whitespace_casing"] * value,
    },
    "gleu-koyama": {
        "order": lambda value: ["-n", str(value)],
        "draws": lambda value: ["-i", str(value)],
        "unit": lambda value: ["-t", value],
        "references": lambda value: ["-m"] * (value == "best"),
    },
}
"""By metric, how its drop-in command writes those of its options that the command has."""


def printed_scores(name: str, words: list[str], corpus: Path, out: Callable[[], str]) -> list[str]:
    gold, edits, text = (str(corpus / file) for file in ("gold.m2", "one.m2", "one.txt"))
    if name == "gleu-koyama":
        files = ["-s", str(corpus / "source.txt"), "-r", text, str(corpus / "two.txt"), "-o"]
        code = gleu_programs.main([*words, "-f", "-d", "4", *files, str(corpus / "three.txt")])
    elif name == "m2":
        code = m2scorer.main([*words, text, gold])
    else:
        compare = errant_compare.main if name == "errant" else errant_compare.chinese_main
        code = compare(["-hyp", edits, "-ref", gold, *words])
    assert code == 0
    lines = out().split("\n")
    if name == "gleu-koyama":
        return [lines[0].split("\t")[1]]
    if name == "m2":
        return [line.split(":")[1].strip() for line in lines[-4:-1]]
    return lines[-4].split("\t")


def scores_of(metric: Metric, corpus: Path) -> list[str]:
    if metric.name == "gleu-koyama":
        table = redink.score(
            source=corpus / "source.txt",
            references=[corpus / "one.txt", corpus / "two.txt"],
            systems=[corpus / "three.txt"],
            metrics=[metric],
        )
        return [f"{100 * table.rows[0]['score']:.4f}"]
    system = corpus / ("one.txt" if metric.name == "m2" else "one.m2")
    row = redink.score(corpus / "gold.m2", [system], metrics=[metric]).rows[0]
    rates = [row["precision"], row["recall"], row["f"]]
    if metric.name == "m2":
        return [f"{rate:.4f}" for rate in rates]
    return [str(row[count]) for count in ("tp", "fp", "fn")] + [str(round(r, 4)) for r in rates]


@pytest.mark.filterwarnings("ignore::redink.RedinkWarning")
@pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, written in DROP_INS.items() for key in written]
)
def test_an_option_of_a_drop_in_command(
    corpus: Path, capsys: pytest.CaptureFixture[str], name: str, key: str
) -> None:
    made = METRICS.load(name)
    default = {field.name: field.default for field in fields(made)}[key]
    for value in awkward_values(key, kinds_of(made)[key], default):
        try:
            metric = made(**{key: value})
            expected = scores_of(metric, corpus)
        except RedinkError:
            continue
        if getattr(metric, "by", None) == "tier" or any(
            "*" in one or ":" not in one for one in getattr(metric, "exclude", ())
        ):
            continue  # the command has no tiers and no patterns
        words = DROP_INS[name][key](getattr(metric, key))
        assert printed_scores(name, words, corpus, lambda: capsys.readouterr().out) == expected


def test_a_task_file_takes_every_spec(tmp_path: Path) -> None:
    for name, key in metric_options():
        made = METRICS.load(name)
        default = {field.name: field.default for field in fields(made)}[key]
        for value in awkward_values(key, kinds_of(made)[key], default):
            text = spec_text(value, kinds_of(made)[key])
            if text is None:
                continue
            spec = f"{name}({key}={text})"
            lines = ["metrics = ", json.dumps([spec]), '\n[[set]]\nlanguage = "en"\n']
            lines.append('source = "s.txt"\nreferences = ["r.txt"]\nfile = "f.txt"\n')
            (tmp_path / "task.toml").write_text("".join(lines), encoding="utf-8")
            try:
                expected = make_metrics(spec)
            except RedinkError:
                with pytest.raises(RedinkError):
                    read_task(tmp_path)
            else:
                assert make_metrics(read_task(tmp_path, trust=True).metrics) == expected
