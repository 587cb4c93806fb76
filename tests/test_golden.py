"""Every published scorer and ranker against recorded runs of the original, to the last digit.

``golden/NAME.json`` holds inputs of our own, what the original program printed for them, and how it
was run; ``golden/make.py`` writes the files again. No data, network or program outside the
repository is needed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.golden.make import appraise_xml
from tests.scoring.corpora import corpus_of, hypotheses_of_edits, hypotheses_of_text, references_of

from redink.analysis.analyzer import Analysis
from redink.analysis.edit_finder import EditFinder
from redink.analysis.english import ENGLISH
from redink.compat.errant_compare import chinese_main as compare_main
from redink.inputs import read_rankings
from redink.judging.rankers import expected_wins, group_clusters, rank_ranges
from redink.judging.rankings import PairwiseTally, expand, head_to_head, judge_agreements, tally
from redink.judging.trueskill import trueskill
from redink.model import AnnotatedSentence, Corpus, References, Sentence
from redink.scoring.errant import Errant
from redink.scoring.gleu_variants import Gleu
from redink.scoring.imeasure.i_measure import IMeasure
from redink.scoring.m2.max_match import MaxMatch
from redink.scoring.meteor import Meteor

FOLDER = Path(__file__).parent / "golden"
Case = dict[str, Any]


def load(name: str) -> Case:
    recorded: Case = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return recorded


def cases_of(name: str, field: str = "id", *, but: str = "") -> list[Any]:
    """Those that recorded something, except the one that is known to differ."""
    cases = load(name)["cases"]
    return [pytest.param(c, id=c["id"]) for c in cases if field in c and c["id"] != but]


def case_named(name: str, identifier: str) -> Case:
    return next(case for case in load(name)["cases"] if case["id"] == identifier)


def runs_of(name: str, runs: str = "runs") -> list[Any]:
    return [
        pytest.param(
            case, run, id=" ".join([case["id"], *(run["options"] if runs == "runs" else [run])])
        )
        for case in load(name)["cases"]
        for run in case[runs]
    ]


def text_references(texts: list[list[str]], source: list[str]) -> References:
    made = [tuple(Sentence.from_line(line) for line in lines) for lines in [source, *texts]]
    return References(Corpus(tuple(map(AnnotatedSentence, made[0]))), tuple(made[1:]))


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("m2", 120),
        ("errant-compare", 120),
        ("errant-annotation", 150),
        ("errant-2.0.0", 150),
        ("cherrant", 150),
        ("gleu", 60),
        ("imeasure", 60),
        ("meteor", 40),
        ("rankings", 5),
    ],
)
def test_recorded_files_say_where_they_come_from(name: str, least: int) -> None:
    recorded = load(name)
    assert all(recorded[field] for field in ("program", "version", "command", "python", "date"))
    assert recorded["made_by"] == f"tests/golden/make.py {name} --original DIR"
    number = {
        "m2": lambda case: len(case["runs"]),
        "errant-compare": lambda case: len(case["printed"]),
        "gleu": lambda case: len(case["printed"]),
        "imeasure": lambda case: len(case["runs"]),
        "meteor": lambda case: len(case["system"]),
    }.get(name, lambda _: 1)
    assert sum(map(number, recorded["cases"])) >= least
    assert (FOLDER / f"{name}.json").stat().st_size < 150_000


M2_NAMES = {
    "--beta": ("beta", float),
    "--max_unchanged_words": ("max_unchanged_words", int),
    "--ignore_whitespace_casing": ("ignore_whitespace_casing", None),
}


def m2_options(given: list[str]) -> dict[str, Any]:
    rest, options = list(given), {}
    while rest:
        name, kind = M2_NAMES[rest.pop(0)]
        options[name] = True if kind is None else kind(rest.pop(0))
    return options


@pytest.mark.parametrize(("case", "run"), runs_of("m2"))
def test_m2_scorer(case: Case, run: Case, tmp_path: Path) -> None:
    """Counts, chosen annotators, precision, recall and F are the official M2 scorer's."""
    metric = MaxMatch(**m2_options(run["options"]))
    statistics = metric.collect(
        references_of(case["gold"], tmp_path), hypotheses_of_text(case["system"])
    )
    row = metric.rows(statistics)[0]
    counts = [row["tp"], row["tp"] + row["fp"], row["tp"] + row["fn"]]
    assert counts == run["correct_proposed_gold"]
    chosen = [int(sentence["annotator"] or 0) for sentence in metric.sentence_rows(statistics)]
    assert chosen == run["annotators"]
    printed = [line.split()[-1] for line in run["printed"]]
    assert [f"{row[name]:.4f}" for name in ("precision", "recall", "f")] == printed


ERRANT_OPTIONS: dict[str, dict[str, Any]] = {
    "-ds": {"level": "detection-span"},
    "-dt": {"level": "detection-token"},
    "-cse": {"level": "correction-typed"},
    "-single": {"only": "single"},
    "-multi": {"only": "multi"},
    "-b 1": {"beta": 1.0},
    "-filt R:SPELL M:PUNCT": {"exclude": ("R:SPELL", "M:PUNCT")},
    "-cat 1": {"by": "operation"},
    "-cat 2": {"by": "type"},
    "-cat 3": {"by": "full"},
}
TITLES = {
    "correction": "Span-Based Correction",
    "detection-span": "Span-Based Detection",
    "detection-token": "Token-Based Detection",
    "correction-typed": "Span-Based Correction + Classification",
}


def errant_options(flags: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for flag in re.split(r" (?=-)", " ".join(flags)) if flags else ():
        options |= ERRANT_OPTIONS[flag]
    return options


def as_errant_prints(metric: Errant, rows: list[dict[str, Any]]) -> str:
    title = f" {TITLES[metric.level]} "
    measures = ("precision", "recall", "f")
    lines = [""]
    if metric.by is not None and metric.by != "none":
        lines.append(title.center(66, "="))
        names = ["TP", "FP", "FN", "P", "R"]
        lines.append(" ".join([f"{'Category':14}", *(f"{n:8}" for n in names), f"F{metric.beta}"]))
        for row in sorted(rows[1:], key=lambda one: str(one["type"])):
            values = [str(row[n]) for n in ("tp", "fp", "fn")]
            values += [str(round(row[n], 4)) for n in measures]
            if any(row[n] for n in ("tp", "fp", "fn")):
                cells = [f"{row['type']:14}", *(f"{value:8}" for value in values[:-1]), values[-1]]
                lines.append(" ".join(cells))
        lines.append("")
    whole = rows[0]
    lines += [title.center(46, "="), f"TP\tFP\tFN\tPrec\tRec\tF{metric.beta}"]
    counts = [str(whole[n]) for n in ("tp", "fp", "fn")]
    lines.append("\t".join([*counts, *(str(round(whole[n], 4)) for n in measures)]))
    return "\n".join([*lines, "=" * 46, "", ""])


@pytest.mark.parametrize(("case", "mode"), runs_of("errant-compare", "printed"))
def test_errant_compare(case: Case, mode: str, tmp_path: Path) -> None:
    metric = Errant(**errant_options(load("errant-compare")["flags"][mode]))
    gold = references_of(case["reference"], tmp_path)
    system = hypotheses_of_edits(corpus_of(case["system"], tmp_path))
    rows = metric.rows(metric.collect(gold, system))
    assert as_errant_prints(metric, rows) == case["printed"][mode]


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=" ".join([c["id"], *c["options"]])) for c in load("cherrant")["cases"]],
)
def test_cherrant(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = {one["id"]: one for one in load("errant-compare")["cases"]}[case["id"]]
    (tmp_path / "ref").write_text(case.get("reference", given["reference"]), encoding="utf-8")
    (tmp_path / "hyp").write_text(given["system"], encoding="utf-8")
    files = ("-hyp", str(tmp_path / "hyp"), "-ref", str(tmp_path / "ref"))
    assert compare_main([*files, *case["options"]]) == 0
    assert capsys.readouterr().out == case["printed"]


def scripted_analysis(recorded: dict[str, str]) -> Analysis:
    """The recorded analysis of the original's pipeline."""
    columns = {name: tuple(text.split(" ")) for name, text in recorded.items()}
    return Analysis(
        columns["tokens"],
        tuple(token.lower() for token in columns["tokens"]),
        columns["pos"],
        columns["tag"],
        columns["lemma"],
        columns["dep"],
        tuple(map(int, columns["head"])),
    )


def found_by(finder: EditFinder, source: Analysis, corrected: Analysis) -> list[str]:
    return [
        " ".join(map(str, (*span, finder.type_edit(source, corrected, span).type)))
        for span in finder.find_spans(source, corrected)
    ]


@pytest.mark.parametrize("case", cases_of("errant-annotation"))
def test_errant_annotation(case: Case) -> None:
    """Given the original's analyses, our rules find its edits and types, in every way to merge."""
    source, corrected = (scripted_analysis(case[side]) for side in ("source", "corrected"))
    for way, expected in case["edits"].items():
        finder = EditFinder(
            ENGLISH,
            None,  # type: ignore[arg-type] # the analyses are there already
            frozenset(case["known"].split(" ")),
            merge="rules" if way == "levenshtein" else way,
            levenshtein=way == "levenshtein",
        )
        assert found_by(finder, source, corrected) == expected, way


@pytest.mark.parametrize("case", cases_of("errant-2.0.0"))
def test_errant_2_0_0(case: Case) -> None:
    """The rules of version 2.0.0, on the analyses that errant-annotation.json holds."""
    analyzed = case_named("errant-annotation", case["id"])
    source, corrected = (scripted_analysis(analyzed[side]) for side in ("source", "corrected"))
    for way, expected in case["edits"].items():
        finder = EditFinder(
            ENGLISH.older["2.0.0"](),
            None,  # type: ignore[arg-type] # the analyses are there already
            frozenset(case["known"].split(" ")),
            levenshtein=way == "levenshtein",
        )
        assert found_by(finder, source, corrected) == expected, way


@pytest.mark.parametrize("case", cases_of("gleu"))
@pytest.mark.parametrize("system", [0, 1, 2])
def test_gleu(case: Case, system: int) -> None:
    """The score of the corpus and that of every sentence, all six digits, with the same draws."""
    references = text_references(case["references"], case["source"])
    metric = Gleu()
    statistics = metric.collect(references, hypotheses_of_text(case["systems"][system]))
    assert f"{metric.rows(statistics)[0]['score']:f}" == case["printed"][system]
    sentences = [f"{row['score']:f}" for row in metric.sentence_rows(statistics)]
    assert sentences == case["sentences"][system]


def imeasure_row(row: dict[str, Any]) -> list[str]:
    """Our row as the original prints it: counts, then percentages."""
    rates = [f"{100 * row[name]:.2f}" for name in ("wacc", "wacc_baseline", "score")]
    return [str(row[name]) for name in ("tp", "tn", "fp", "fn", "fpn")] + rates


@pytest.mark.parametrize(("case", "run"), runs_of("imeasure"))
def test_imeasure(case: Case, run: Case, tmp_path: Path) -> None:
    options: dict[str, Any] = {"mix": "-nomix" not in run["options"]}
    for option in run["options"]:
        if option.startswith("-max:"):
            options["maximize"] = option.removeprefix("-max:")
        if option.startswith("-w:"):
            options["weight"] = float(option.removeprefix("-w:"))
    metric = IMeasure(**options)
    gold, system = references_of(case["gold"], tmp_path), hypotheses_of_text(case["system"])
    statistics = metric.collect(gold, system)
    found = {row["level"].capitalize(): imeasure_row(row) for row in metric.rows(statistics)}
    found |= {
        f"{number} Cor": imeasure_row(row)
        for number, row in enumerate(metric.sentence_rows(statistics), start=1)
    }
    expected = {}
    for line in run["printed"]:
        name, *values = line.rsplit(" ", 13)
        expected[name] = values[:5] + values[10:]
    assert found == {name: row for name, row in expected.items() if not name.endswith(" Det")}


@pytest.mark.parametrize("case", cases_of("meteor"))
@pytest.mark.parametrize("which", [0, 1], ids=["exact", "exact+stem"])
def test_meteor(case: Case, which: int) -> None:
    """Statistics of every sentence, its score and that of the corpus are METEOR 1.5's."""
    run = case["runs"][which]
    metric = Meteor(
        modules=tuple(run["modules"].split()),
        function_words=frozenset(load("meteor")["function_words"]),
    )
    references = text_references(case["references"], case["system"])
    statistics = metric.collect(references, hypotheses_of_text(case["system"]))
    modules = len(run["modules"].split())
    rows = metric.sentence_rows(statistics)
    for counts, row, line, score in zip(
        statistics["counts"], rows, run["statistics"], run["sentences"], strict=True
    ):
        printed = [float(value) for value in line.split()]
        assert counts[:4].tolist() == printed[:4]
        # the original prints hypothesis and reference side by side
        matched = counts[5:].reshape(-1, 2, 2).transpose(0, 2, 1).reshape(-1)
        assert matched[: 4 * modules].tolist() == printed[4 : 4 + 4 * modules]
        assert row["score"] == pytest.approx(float(score), abs=1e-15)
    final = metric.rows(statistics)[0]["score"]
    assert final == pytest.approx(float(run["final"]), abs=1e-15)


def whole_of(case: Case, folder: Path) -> PairwiseTally:
    return tally(expand(list(read_rankings(write_rankings(case, folder)))))


def write_rankings(case: Case, folder: Path) -> Path:
    path = folder / "judgments.xml"
    path.write_text(appraise_xml(case["rankings"]), encoding="utf-8")
    return path


@pytest.mark.parametrize("case", cases_of("rankings", "expected_wins", but="never-met"))
def test_expected_wins(case: Case, tmp_path: Path) -> None:
    whole = whole_of(case, tmp_path)
    scores = dict(zip(whole.systems, expected_wins(whole).tolist(), strict=True))
    assert scores == pytest.approx(case["expected_wins"], abs=1e-15)


def test_known_difference_opponents_never_met(tmp_path: Path) -> None:
    case = case_named("rankings", "never-met")
    whole = whole_of(case, tmp_path)
    met = (whole.wins + whole.wins.T > 0).sum(axis=1)
    assert met.tolist() == [3, 3, 3, 4, 1]
    theirs = expected_wins(whole) * met / (len(whole.systems) - 1)
    scores = dict(zip(whole.systems, theirs.tolist(), strict=True))
    assert scores == pytest.approx(case["expected_wins"], abs=1e-15)


@pytest.mark.parametrize("case", cases_of("rankings", "expected_wins_beaten"))
def test_expected_wins_over_beaten_opponents(case: Case, tmp_path: Path) -> None:
    whole = whole_of(case, tmp_path)
    scores = expected_wins(whole, opponents="beaten").tolist()
    shown = {s: f"{score:.4f}" for s, score in zip(whole.systems, scores, strict=True) if score}
    assert shown == case["expected_wins_beaten"]


@pytest.mark.parametrize("case", cases_of("rankings", "agreement"))
def test_agreement(case: Case, tmp_path: Path) -> None:
    rankings = list(read_rankings(write_rankings(case, tmp_path)))
    found = {(a.judge, a.other): a for a in judge_agreements(rankings, chance="published")}
    for judge, other, kappa, comparisons in case["agreement"]:
        assert found[judge, other].comparisons == comparisons
        # the original prints 0 where there is nothing to compare
        shown = found[judge, other].kappa if comparisons else 0.0
        assert shown == pytest.approx(float(kappa), abs=1e-15)


MARKS = {"": "", "$\\star$": "★", "$\\dagger$": "†", "$\\ddagger$": "‡"}


def cell_of(text: str) -> tuple[str, str]:
    printed = re.fullmatch(r"(?:\{\\bf )?(\d?\.\d\d) ?\}?(\$\S+\$)?", text)
    assert printed, text
    return printed[1], MARKS[printed[2] or ""]


@pytest.mark.parametrize("case", cases_of("rankings", "head_to_head", but="never-won"))
def test_head_to_head(case: Case, tmp_path: Path) -> None:
    encounters = head_to_head(whole_of(case, tmp_path))
    assert len(encounters) == len(case["head_to_head"]) > 0
    for encounter in encounters:
        assert encounter.share is not None
        shown = f"{encounter.share:.2f}".removeprefix("0"), encounter.stars
        cell = case["head_to_head"][f"{encounter.opponent} {encounter.system}"]
        assert shown == cell_of(cell), (encounter.opponent, encounter.system)


def test_known_difference_pairs_that_one_side_never_won(tmp_path: Path) -> None:
    """head2head.pl takes no win for one win; here none is none."""
    case = case_named("rankings", "never-won")
    encounters = head_to_head(whole_of(case, tmp_path))
    assert len(encounters) == len(case["head_to_head"]) > 0
    for encounter in encounters:
        share, _ = cell_of(case["head_to_head"][f"{encounter.opponent} {encounter.system}"])
        wins, losses = max(encounter.wins, 1), max(encounter.losses, 1)
        assert f"{wins / (wins + losses):.2f}".removeprefix("0") == share
        differs = share != f"{encounter.share:.2f}".removeprefix("0")
        assert differs == ({encounter.system, encounter.opponent} == {"Oak", "Elm"})


def as_clusters_print(recorded: Case, *, own_range_only: bool = False) -> list[str]:
    """Our ranges and clusters of recorded samples in the layout of cluster.py."""
    samples = np.array([[float(v) for v in line.split()] for line in recorded["samples"]])
    low, high = rank_ranges(samples, p=0.05)
    means = samples.mean(axis=0)
    order = np.argsort(-means)
    cluster = group_clusters(low, high, order)
    lines = []
    for place, system in enumerate(order):
        after = order[place + 1 :]
        name, mean = recorded["systems"][system], round(float(means[system]), 3)
        lines.append(f"{name} {mean} ({float(low[system])}, {float(high[system])})")
        ends = len(after) and cluster[system] != cluster[after[0]]
        if own_range_only:
            ends = len(after) and high[system] < low[after].min()
        lines += ["++++++++++"] if ends else []
    return lines


@pytest.mark.parametrize("case", cases_of("rankings", "clusters", but="wide-range"))
def test_clusters(case: Case) -> None:
    """Mean score, rank range and clusters that cluster.py prints for eighty recorded samples."""
    assert as_clusters_print(case["clusters"]) == case["clusters"]["printed"]


def test_known_difference_range_over_a_cluster() -> None:
    """cluster.py ends a cluster inside the range of an earlier system; here a range holds it."""
    recorded = case_named("rankings", "wide-range")["clusters"]
    assert as_clusters_print(recorded, own_range_only=True) == recorded["printed"]
    assert recorded["printed"].count("++++++++++") == 1
    assert "++++++++++" not in as_clusters_print(recorded)


@pytest.mark.parametrize("case", cases_of("rankings", "trueskill"))
def test_trueskill(case: Case, tmp_path: Path) -> None:
    """The means of TS.py: exactly where nothing is left to chance, else within its own error."""
    whole = whole_of(case, tmp_path)
    theirs = np.array([case["trueskill"][system] for system in whole.systems]).T
    ours = trueskill(whole, 400, np.random.default_rng(1))
    error = theirs.std(axis=0).max() / np.sqrt(len(theirs))
    # the original's error function is good to seven digits
    assert np.abs(ours.mean(axis=0) - theirs.mean(axis=0)).max() < 4 * error + 1e-7
