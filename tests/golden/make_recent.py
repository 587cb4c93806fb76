"""Writes green.json, gec-metrics.json and cleme.json again: programs of 2020 to 2025.

    python tests/golden/make_recent.py NAME --original DIR [--python INTERPRETER]

As ``make.py``. Edits are a plain comparison of words, so that no program's way to find edits plays
a part; the programs are given them.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from make import Case, Original, as_file, folder, main, recorded_cases, words_changed

# --------------------------------------------------------------------------------- GREEN

GREEN_OPTIONS = ([], ["-b", "2"], ["-n", "2", "-b", "0.5"], ["-t", "char", "-n", "6", "-b", "2"])


def record_green(original: Original) -> list[Case]:
    """The texts of gleu.json: corpora, sentences and their means."""
    cases = []
    for number, case in enumerate(recorded_cases("gleu")):
        options = GREEN_OPTIONS[number % len(GREEN_OPTIONS)]
        references = {f"r{n}": as_file(lines) for n, lines in enumerate(case["references"])}
        systems = {f"h{n}": as_file(lines) for n, lines in enumerate(case["systems"])}
        printed = {}
        with folder(s=as_file(case["source"]), **references, **systems) as place:
            for name in ("green", "sgreen", "mgreen"):
                code = f"import sys; sys.path.insert(0, {str(original.folder)!r}); "
                code += f"from green.main import {name}; {name}()"
                words = ("-s", "s", "-r", *references, "-o", *systems, "-d", "10", *options)
                lines = original.run(original.python, "-c", code, *words, cwd=place).splitlines()
                printed[name] = [line.split("\t") for line in lines]
        printed["green"] = [row[1:] for row in printed["green"] if row[0] in systems]
        cases.append({"id": case["id"], "options": options, "printed": printed})
    return cases


# --------------------------------------------------------------------- GoToScorer and others

GEC_METRICS = """
import importlib, json, sys, types
from types import SimpleNamespace
folder = sys.argv[1]
def package(name, place):
    made = types.ModuleType(name)
    made.__path__ = [place]
    sys.modules[name] = made
    return made
package("gec_metrics", folder + "/gec_metrics")  # without the metrics that need torch
metrics = package("gec_metrics.metrics", folder + "/gec_metrics/metrics")
sys.modules["gecommon"] = types.ModuleType("gecommon")
sys.modules["gecommon"].apply_edits = None
import errant
errant.load = lambda language: None  # edits are given
def load(module, name):
    return getattr(importlib.import_module("gec_metrics.metrics." + module), name)
GREEN, GoToScorer = load("green", "GREEN"), load("gotoscorer", "GoToScorer")
GLEU, GLEUOfficial = load("gleu", "GLEU"), load("gleu", "GLEUOfficial")
metrics.GoToScorer = GoToScorer
weigh = importlib.import_module("gec_metrics.cli.gen_gotoscorer_weight").annotate_weight
GoToScorer.edit_extraction = lambda self, src, trg: [
    SimpleNamespace(o_start=i, o_end=j, c_str=text, type="R:X") for i, j, text in edits[trg]
]
for line in sys.stdin:
    case = json.loads(line)
    texts = case["source"], case["references"]
    found = {"green": [], "gleu": [], "gleu_official": [], "gotoscorer": {}}
    for lines in case["systems"]:
        green = GREEN(GREEN.Config(**case["green_options"]))
        for name, metric in (("green", green), ("gleu", GLEU()), ("gleu_official", GLEUOfficial())):
            given = dict(sources=texts[0], hypotheses=lines, references=texts[1])
            found[name].append([metric.score_corpus(**given), metric.score_sentence(**given)])
    scorers = {"no_weight": GoToScorer(GoToScorer.Config(no_weight=True))}
    weights = []
    for number, source in enumerate(texts[0]):
        edits = case["edits"][number]
        hypotheses = [lines[number] for lines in case["systems"]]
        weights.append(weigh(source, texts[1][0][number], hypotheses, scorers["no_weight"]))
    scorers["weighted"] = GoToScorer(GoToScorer.Config(no_weight=True))
    scorers["weighted"].config.no_weight = False
    scorers["weighted"].weights = [one["weights"] for one in weights]
    for name, scorer in scorers.items():
        found["gotoscorer"][name] = []
        for lines in case["systems"]:
            whole, means = scorer.Score(beta=0.5), []
            for number, source in enumerate(texts[0]):
                edits = case["edits"][number]
                if name == "weighted":
                    scorer.weights = [weights[number]["weights"]]
                parts = scorer.score_base([source], [lines[number]], [[texts[1][0][number]]])
                one = scorer.aggregate_to_overall(parts[0][0])
                whole += one
                means.append(one.f)
            counts = [whole.tp, whole.fp, whole.fn, whole.tn]
            row = [counts, whole.precision, whole.recall, whole.f, means]
            found["gotoscorer"][name].append(row)
    print(json.dumps(found))
"""


def record_gec_metrics(original: Original) -> list[Case]:
    """Corpora with three systems, one of which changes nothing."""
    cases = recorded_cases("gec-metrics")
    given = [{**case, "edits": edits_of(case)} for case in cases]
    printed = original.run(
        original.python,
        "-c",
        GEC_METRICS,
        str(original.folder),
        cwd=original.folder,
        stdin="".join(f"{json.dumps(one)}\n" for one in given),
    )
    for case, line in zip(cases, printed.splitlines(), strict=True):
        case["found"] = json.loads(line)
    return cases


def edits_of(case: Case) -> list[dict[str, list[tuple[int, int, str]]]]:
    versions = [*case["references"], *case["systems"]]
    return [
        {lines[number]: words_changed(source.split(), lines[number].split()) for lines in versions}
        for number, source in enumerate(case["source"])
    ]


# --------------------------------------------------------------------------------- CLEME

CLEME = """
import json, sys
sys.path.insert(0, sys.argv[1])
from core.evaluation.metrics.cleme.cleme_dependent import DependentCLEME
from core.evaluation.metrics.cleme.cleme_independent import IndependentCLEME
from core.evaluation.scorers.scorer_heuo import HEUOEditScorer
from core.evaluation.scorers.scorer_prf import PRFEditScorer
from core.evaluation.weighers.weigher_length import LengthWeigher
from core.readers.reader_m2 import M2DataReaderWriter
read = M2DataReaderWriter()._read
factors = dict(factor_hit=0.45, factor_err=0.35, factor_und=0.15, factor_ove=0.05)
found = {}
for name, kind in (("dependent", DependentCLEME), ("independent", IndependentCLEME)):
    for block, scorer, detection in (
        ("prf", PRFEditScorer(table_print=False), False),
        ("prf_detection", PRFEditScorer(table_print=False), True),
        ("heuo", HEUOEditScorer(table_print=False, **factors), False),
    ):
        metric = kind(lang="eng", scorer=scorer, weigher=LengthWeigher(), enable_tqdm=False)
        scores, _ = metric.evaluate(read("hyp"), read("ref"), detection=detection)
        for level, score in scores.scores.items():
            numbers = {n: float(v) for n, v in vars(score).items() if isinstance(v, (int, float))}
            found[f"{name} {block} {level.split('_', 1)[1]}"] = numbers
print(json.dumps(found))
"""


def record_cleme(original: Original) -> list[Case]:
    """Corpora with one to three references: CLEME, its detection, and CLEME 2.0."""
    cases = recorded_cases("cleme")
    for case in cases:
        with folder(ref=case["reference"], hyp=case["system"]) as place:
            printed = original.run(original.python, "-c", CLEME, str(original.folder), cwd=place)
        case["found"] = json.loads(printed)
    return cases


RECORDERS: dict[str, Callable[[Original], list[Case]]] = {
    "green": record_green,
    "gec-metrics": record_gec_metrics,
    "cleme": record_cleme,
}


if __name__ == "__main__":
    main(RECORDERS, by="make_recent.py", about=__doc__)
