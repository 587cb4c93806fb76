"""Write tests/golden/NAME.json again: run an original program on the recorded inputs.

    python tests/golden/make.py NAME --original DIR [--python INTERPRETER]

NAME is one of those that ``--help`` lists; DIR holds the original program, which is no part of
this project. INTERPRETER is the Python that the original needs, with its own libraries found there
or through PYTHONPATH. The inputs are those of the file, and a case that is added to it is run too.
The head of the file names the program, its version and the command: edit it when you run another
version.
"""

from __future__ import annotations

import argparse
import datetime as dt
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

HERE = Path(__file__).resolve().parent
Case = dict[str, Any]


@dataclass(frozen=True)
class Original:
    """Where an original program is and which interpreter runs it."""

    folder: Path
    python: str

    def run(self, *command: str, cwd: Path, stdin: str | None = None) -> str:
        """What a command prints; an original that fails stops everything."""
        done = subprocess.run(
            command, cwd=cwd, input=stdin, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{command} failed: {done.stderr[-2000:]}\n{cwd}")
        return done.stdout

    def version_of_python(self) -> str:
        code = "import sys; sys.stdout.write(sys.version.split()[0])"
        return self.run(self.python, "-c", code, cwd=self.folder)


# ------------------------------------------------------------------------------------ M2 scorer


def record_m2(original: Original) -> list[Case]:
    cases = recorded_cases("m2")
    for case in cases:
        for run in case["runs"]:
            with folder(gold=case["gold"], system=as_file(case["system"])) as place:
                script = str(original.folder / "m2scorer.py")
                command = (original.python, script, "-v", *run["options"], "system", "gold")
                printed = original.run(*command, cwd=place).splitlines()
            chosen = [line.split()[-1] for line in printed if line.startswith(">> Chosen")]
            run["correct_proposed_gold"] = [int(line.split(":")[1]) for line in printed[-9:-6]]
            run["annotators"] = [int(annotator) for annotator in chosen]
            run["printed"] = printed[-3:]
    return cases


# -------------------------------------------------------------------------------------- ERRANT

COMPARE = """
import json, sys
from errant.commands.compare_m2 import main
for flags in json.loads(sys.argv[1]):
    sys.argv = ["errant_compare", "-hyp", "hyp", "-ref", "ref"] + flags
    main()
    sys.stdout.write(chr(12))
"""


def record_errant_compare(original: Original) -> list[Case]:
    recorded = load("errant-compare")
    for case in recorded["cases"]:
        modes = list(case["printed"])
        flags = json.dumps([recorded["flags"][mode] for mode in modes])
        with folder(ref=case["reference"], hyp=case["system"]) as place:
            printed = original.run(original.python, "-c", COMPARE, flags, cwd=place)
        case["printed"] = dict(zip(modes, printed.split(chr(12))[:-1], strict=True))
    return recorded["cases"]


ANNOTATE = """
import json, sys
import en_core_web_sm, errant
from errant.en import classifier
pipeline = en_core_web_sm.load(disable=["ner"])
annotator = errant.load("en", pipeline)
def describe(document):
    return {
        "tokens": [t.text for t in document],
        "pos": [t.pos_ for t in document],
        "tag": [t.tag_ for t in document],
        "lemma": [t.lemma_ for t in document],
        "dep": [t.dep_ for t in document],
        "head": [t.head.i for t in document],
    }
found = []
for source, corrected, ways in json.load(sys.stdin):
    one, other = annotator.parse(source), annotator.parse(corrected)
    words = {w for t in list(one) + list(other) for w in (t.text, t.lower_)}
    found.append({
        "source": describe(one),
        "corrected": describe(other),
        "known": sorted(w for w in words if w in classifier.spell),
        "edits": {
            way: [
                [e.o_start, e.o_end, e.c_start, e.c_end, e.type]
                for e in annotator.annotate(
                    one, other, way == "levenshtein", "rules" if way == "levenshtein" else way
                )
            ]
            for way in ways
        },
    })
json.dump(found, sys.stdout)
"""


def annotate(original: Original, code: str, cases: Sequence[Case]) -> list[Case]:
    """What the original finds between the sentences of errant-annotation.json."""
    pairs = [
        [case[side]["tokens"] for side in ("source", "corrected")]
        for case in recorded_cases("errant-annotation")
    ]
    asked = [[*pair, list(case["edits"])] for pair, case in zip(pairs, cases, strict=True)]
    command = (original.python, "-c", code)
    found: list[Case] = json.loads(
        original.run(*command, cwd=original.folder, stdin=json.dumps(asked))
    )
    for one in found:
        one["edits"] = {
            way: [" ".join(map(str, edit)) for edit in edits] for way, edits in one["edits"].items()
        }
    return found


def record_errant_annotation(original: Original) -> list[Case]:
    """Pairs of sentences; every fourth with the other ways of merging and aligning too."""
    cases = recorded_cases("errant-annotation")
    for case, one in zip(cases, annotate(original, ANNOTATE, cases), strict=True):
        case["known"] = " ".join(one["known"])
        for side in ("source", "corrected"):
            case[side] = {name: " ".join(map(str, values)) for name, values in one[side].items()}
        case["edits"] = one["edits"]
    return cases


OLD_LEMMAS = """
import sys
sys.path.insert(0, {folder!r})
import errant.en.classifier as classifier
def same_lemma(one, other):  # the same question, as the lemmatiser of spaCy 2.2 takes it
    morphology = classifier.nlp.vocab.morphology
    def lemmas(t):
        return {{morphology.lemmatize(p, t.lower, {{}}) for p in classifier.open_pos1}}
    return bool(lemmas(one) & lemmas(other))
classifier.same_lemma = same_lemma
"""


def record_errant_2_0_0(original: Original) -> list[Case]:
    """The edits that version 2.0.0 finds between the sentences of errant-annotation.json."""
    cases = recorded_cases("errant-2.0.0")
    code = OLD_LEMMAS.format(folder=str(original.folder)) + ANNOTATE
    for case, one in zip(cases, annotate(original, code, cases), strict=True):
        case |= {"known": " ".join(one["known"]), "edits": one["edits"]}
    return cases


# ---------------------------------------------------------------------------------------- GLEU


def record_gleu(original: Original) -> list[Case]:
    cases = recorded_cases("gleu")
    for case in cases:
        names = [f"r{which}" for which in range(len(case["references"]))]
        files = {"s": as_file(case["source"])}
        files |= {f"h{which}": as_file(lines) for which, lines in enumerate(case["systems"])}
        files |= {n: as_file(lines) for n, lines in zip(names, case["references"], strict=True)}
        script = str(original.folder / "compute_gleu")
        with folder(**files) as place:
            command = (original.python, script, "-r", *names, "-s", "s", "-o", "h0", "h1", "h2")
            case["printed"] = original.run(*command, cwd=place).split()[1::2]
            by_sentence = original.run(*command, "-d", cwd=place)
        parts = by_sentence.split("===== Sentence-level scores =====")[1:]
        case["sentences"] = [re.findall(r"^\d+ (\d\.\d{6})", part, re.MULTILINE) for part in parts]
    return cases


# ----------------------------------------------------------------------------------- I-measure


def record_imeasure(original: Original) -> list[Case]:
    """Corpora, one annotator at a time, mixed, and with one more set of options."""
    cases = recorded_cases("imeasure")
    for case in cases:
        for run in case["runs"]:
            with folder(gold=case["gold"], system=as_file(case["system"])) as place:
                convert = (str(original.folder / "m2_to_ixml.py"), "-in:gold", "-out:gold.xml")
                original.run(original.python, *convert, cwd=place)
                files = ("-ref:gold.xml", "-hyp:system", "-per-sent")
                score = (str(original.folder / "ieval.py"), *files, *run["options"])
                printed = original.run(original.python, *score, cwd=place)
            run["printed"] = [
                re.sub(r" +", " ", line)
                for line in printed.splitlines()
                if re.match(r"\d+ +(Det|Cor) |Detection |Correction ", line)
            ]
    return cases


# -------------------------------------------------------------------------------------- METEOR


def record_meteor(original: Original) -> list[Case]:
    """Four corpora of sixteen sentences, with one or two references, by two sets of modules."""
    java = shutil.which("java") or "java"
    jar = str(original.folder / "meteor-1.5.jar")
    recorded = load("meteor")
    cases = recorded["cases"]
    for case in cases:
        texts = str(len(case["references"]))
        mixed = [line for lines in zip(*case["references"], strict=True) for line in lines]
        files = {
            "h": as_file(case["system"]),
            "r": as_file(mixed),
            "words": as_file(recorded["function_words"]),
        }
        for run in case["runs"]:
            with folder(**files) as place:
                options = ("-l", "en", "-r", texts, "-m", run["modules"], "-s", "words")
                command = (java, "-jar", jar, "h", "r", *options)
                scores = original.run(*command, cwd=place)
                counts = original.run(*command, "-ssOut", cwd=place)
            printed = [line.split()[-1] for line in scores.splitlines() if "score:" in line]
            run |= {"sentences": printed[:-1], "final": printed[-1]}
            run["statistics"] = counts.splitlines()
    return cases


# ------------------------------------------------------------------------------------- rankings

SEEDED = """
import random, sys
seed, script = int(sys.argv[1]), sys.argv[2]
sys.argv = sys.argv[2:]
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
random.seed(seed)
exec(compile(open(script).read(), script, "exec"))
"""
RUNS = 80


def appraise_xml(rows: Sequence[Sequence[str]]) -> str:
    """Rankings ``(sentence, judge, "A+B C=D")`` as Appraise writes them: + shares an output."""
    lines = ["<appraise-results>", '<error-correction-ranking-result id="golden">']
    for number, (sentence, judge, order) in enumerate(rows):
        start = f'<ranking-item id="{number}" src-id="{sentence}" user={quoteattr(judge)}>'
        lines.append(f'{start[:-1]} duration="00:00:10.000000">')
        for rank, tied in enumerate(order.split(), start=1):
            lines += [
                f'<translation rank="{rank}" system="{output.replace("+", " ")}"/>'
                for output in tied.split("=")
            ]
        lines.append("</ranking-item>")
    return "\n".join([*lines, "</error-correction-ranking-result>", "</appraise-results>", ""])


def record_rankings(original: Original) -> list[Case]:
    """Files of rankings by each of the published scripts."""
    *given, wide_range = recorded_cases("rankings")
    cases = []
    perl = shutil.which("perl") or "perl"
    scripts = original.folder
    for name, rows in ((case["id"], case["rankings"]) for case in given):
        with folder(judgments=appraise_xml(rows)) as place:
            xml = (place / "judgments").read_text(encoding="utf-8")
            pairs = original.run(perl, str(scripts / "print_pairs.pl"), cwd=place, stdin=xml)
            ranks = original.run(perl, str(scripts / "print_pairs.pl"), "-r", cwd=place, stdin=xml)
            case: Case = {"id": name, "rankings": rows}
            python, tools = original.python, scripts / "wmt-trueskill"
            plain = (python, str(tools / "EW.py"), "-n", "all")
            original.run(*plain, cwd=place, stdin=pairs)
            case["expected_wins"] = scores_of(place / "all_mu_sigma.json")
            case["expected_wins_beaten"] = {
                line.split()[0]: line.split()[1]
                for line in original.run(
                    perl, str(scripts / "EW.pl"), cwd=place, stdin=xml
                ).splitlines()
                if "(" in line
            }
            if table := kappas(perl, scripts, place, xml):
                case["agreement"] = table
            if name not in {"two", "never-met", "once"}:
                shim = f"-I{scripts / 'shim'}"
                command = (perl, shim, str(scripts / "head2head.pl"))
                printed = original.run(*command, cwd=place, stdin=xml)
                case["head_to_head"] = table_of(printed)
            if name not in {"never-won", "never-met", "once"}:
                case["clusters"] = clusters(original, place, pairs)
                case["trueskill"] = skills(original, place, ranks)
        cases.append(case)
    with folder() as place:
        systems = wide_range["clusters"]["systems"]
        for run, sample in enumerate(wide_range["clusters"]["samples"]):
            values = zip(systems, map(float, sample.split()), strict=True)
            text = json.dumps({system: [score, 0.001] for system, score in values})
            (place / f"run{run:02}_mu_sigma.json").write_text(text, encoding="utf-8")
        cases.append({"id": "wide-range", "clusters": cluster_samples(original, place)})
    return cases


def scores_of(path: Path) -> dict[str, float]:
    """The first number of every system in what the scripts write."""
    values = json.loads(path.read_text(encoding="utf-8"))
    return {name: pair[0] for name, pair in sorted(values.items()) if name != "data_points"}


def kappas(perl: str, scripts: Path, place: Path, xml: str) -> list[list[Any]]:
    """Judge, other judge, kappa and the number of comparisons, from what it dumps on stderr."""
    done = subprocess.run(
        [perl, "-e", "$Data::Dumper::Sortkeys = 1; $Data::Dumper::Indent = 0; do shift or die $@",
         str(scripts / "agreement.pl")],
        cwd=place, input=xml, capture_output=True, text=True, check=False,
    )  # fmt: skip
    dumped = done.stderr
    table = []
    for judge, others in re.findall(r"'(\d)' => \{(.*?)\}", dumped):
        for other, kappa, size in re.findall(r"'(\d)' => \['?([^',]+)'?,'?(\d+)'?\]", others):
            table.append([f"judge{judge}", f"judge{other}", kappa, int(size)])
    return table


def table_of(printed: str) -> dict[str, str]:
    """The cells ``row column`` of the head-to-head matrix as they are printed."""
    names = re.findall(r"rotatebox\[origin=l\]\{90\}\{(\w+)\}", printed)
    cells = {}
    for line in printed.splitlines():
        first, *rest = [cell.strip() for cell in line.removesuffix("\\\\ ").split("&")]
        if first in names and len(rest) == len(names):
            cells |= {
                f"{first} {name}": cell for name, cell in zip(names, rest, strict=True)
                if name != first
            }  # fmt: skip
    return cells


def clusters(original: Original, place: Path, pairs: str) -> Case:
    """Expected Wins of resampled judgments, and what the scripts make of them."""
    script = str(original.folder / "wmt-trueskill" / "EW.py")
    for run in range(RUNS):
        command = ("-c", SEEDED, str(run), script, f"run{run:02}")
        original.run(original.python, *command, cwd=place, stdin=pairs)
    return cluster_samples(original, place)


def cluster_samples(original: Original, place: Path) -> Case:
    """The scores in the files of all runs, and what cluster.py prints for them."""
    tools = original.folder / "wmt-trueskill"
    files = [f"run{run:02}_mu_sigma.json" for run in range(RUNS)]
    samples = [scores_of(place / file) for file in files]
    command = (str(tools / "eval" / "cluster.py"), "-by-rank", "-i", "0.95", "x", *files)
    printed = original.run(original.python, *command, cwd=place)
    systems = sorted(samples[0])
    return {
        "systems": systems,
        "samples": [" ".join(repr(sample[s]) for s in systems) for sample in samples],
        "printed": printed.splitlines(),
    }


def skills(original: Original, place: Path, ranks: str) -> dict[str, list[float]]:
    script = str(original.folder / "wmt-trueskill" / "TS.py")
    means: dict[str, list[float]] = {}
    for run in range(12):
        command = ("-c", SEEDED, str(run), script, f"skill{run}", "-n", "2", "-d", "0")
        original.run(original.python, *command, cwd=place, stdin=ranks)
        for system, value in scores_of(place / f"skill{run}_mu_sigma.json").items():
            means.setdefault(system, []).append(value)
    return means


# ----------------------------------------------------------------------------------------- main


@contextmanager
def folder(**files: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="golden-") as made:
        for name, text in files.items():
            (Path(made) / name).write_text(text, encoding="utf-8")
        yield Path(made)


def load(name: str) -> Case:
    """Return a recorded file: program, version and command in its head, and the cases."""
    recorded: Case = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return recorded


def recorded_cases(name: str) -> list[Case]:
    cases: list[Case] = load(name)["cases"]
    return cases


# --------------------------------------------------------------------- all that a command prints


SMALL = {
    "system": "the the cat\u00e9 sat\n\n",
    "gold": (
        "S cat\u00e9 sat on\n"
        "A 0 0|||X|||the||a|||REQUIRED|||-NONE-|||0\n"
        "A 2 3|||X|||-NONE-|||REQUIRED|||-NONE-|||0\n"
        "A 0 0|||X|||the the|||REQUIRED|||-NONE-|||1\n\n"
        "S no .\n\n"
    ),
}
"""Few words, since very much is printed about each."""


def record_printed_python2(original: Original) -> list[Case]:
    """Everything that the M2 scorer and compute_gleu print: for the drop-in commands."""
    cases: list[Case] = []
    for case in recorded_cases("m2")[1:40:5]:
        files = {"system": as_file(case["system"]), "gold": case["gold"]}
        for options in (["-v"], ["-v", "--ignore_whitespace_casing", "--beta", "2"]):
            command = ["m2scorer", *options, "system", "gold"]
            cases.append(printed_by(original, [original.python, "m2scorer.py"], command, files))
    for options in (["--very_verbose"], ["-v", "--very_verbose", "--max_unchanged_words", "1"]):
        command = ["m2scorer", *options, "system", "gold"]
        cases.append(printed_by(original, [original.python, "m2scorer.py"], command, SMALL))
    for case in recorded_cases("gleu")[1:12:4]:
        files, command = gleu_files(case, "compute_gleu")
        for options in ([], ["-d", "--iter", "5"], ["-n", "2", "--iter", "5"]):
            whole = [*command, *options]
            cases.append(printed_by(original, [original.python, "compute_gleu"], whole, files))
    return [{"id": f"{number:02}", **case} for number, case in enumerate(cases)]


def record_printed_gleu(original: Original) -> list[Case]:
    cases: list[Case] = []
    for case in recorded_cases("gleu")[1:12:4]:
        for name in ("gleu", "mgleu", "sgleu"):
            files, command = gleu_files(case, name)
            for options in (["-f", "-i", "5"], ["-m", "-v"], ["-m", "-t", "char", "-n", "6"]):
                whole = [*command, *options]
                code = f"import sys; from gleu.main import {name}; sys.argv[0] = {name!r}; {name}()"
                cases.append(printed_by(original, [original.python, "-c", code], whole, files))
    return [{"id": f"{number:02}", **case} for number, case in enumerate(cases)]


def gleu_files(case: Case, name: str) -> tuple[dict[str, str], list[str]]:
    """The texts of a case as files, and the command that scores them."""
    references = {f"ref{n}": as_file(lines) for n, lines in enumerate(case["references"])}
    systems = {f"sys{n}": as_file(lines) for n, lines in enumerate(case["systems"])}
    files = {"source": as_file(case["source"]), **references, **systems}
    return files, [name, "-s", "source", "-r", *references, "-o", *systems]


def printed_by(
    original: Original, program: list[str], command: list[str], files: dict[str, str]
) -> Case:
    with folder(**files) as place:
        where = [
            str(original.folder / word) if word.endswith((".py", "_gleu")) else word
            for word in program
        ]
        printed = original.run(*where, *command[1:], cwd=place)
    return {"command": command, "files": files, "printed": printed}


CHERRANT_OPTIONS = """
-dt|-ds|-cse|-single|-multi|-cat 1|-cat 2|-cat 3|-dt -cat 3|-cse -cat 3|-ds -cat 1|-b 1|-b 2
-filt S|-filt R:NOUN M:DET -cat 3|--start 0 --end 1|--max_answer_num 1|--max_answer_num 2
--reference_num 1|--reference_num 2|-multi_hyp_avg|-multi_hyp_max|-v|-v -ds|-v -dt -b 1
"""
NOT_ANNOTATED = "A -1 -1|||NA|||-NONE-|||REQUIRED|||-NONE-|||0"


def record_cherrant(original: Original) -> list[Case]:
    """The files of errant-compare.json, five sets of options each."""
    options = [line.split() for line in CHERRANT_OPTIONS.strip().replace("\n", "|").split("|")]
    cases = []
    for number, case in enumerate(recorded_cases("errant-compare")):
        files = {"hyp": case["system"], "ref": case["reference"]}
        changed = {}
        if number % 4 == 3:  # nobody could correct the first sentence
            sentence, rest = files["ref"].split("\n\n", 1)
            files["ref"] = "\n".join([sentence.split("\n")[0], NOT_ANNOTATED, "", rest])
            changed = {"reference": files["ref"]}
        chosen = [[], *(options[(4 * number + k) % len(options)] for k in range(4))]
        for words in chosen:
            command = ["-hyp", "hyp", "-ref", "ref", *words]
            program = [original.python, "compare_m2_for_evaluation.py"]
            ran = printed_by(original, program, ["", *command], files)
            run = {"id": case["id"], "options": words, "printed": ran["printed"]}
            cases.append(run | changed)
    return cases


def words_changed(source: Sequence[str], corrected: Sequence[str]) -> list[tuple[int, int, str]]:
    """The edits between two sentences, as a plain comparison of sequences finds them."""
    found = difflib.SequenceMatcher(None, source, corrected, autojunk=False).get_opcodes()
    return [(i, j, " ".join(corrected[k:n])) for what, i, j, k, n in found if what != "equal"]


def as_file(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


RECORDERS: dict[str, Callable[[Original], list[Case]]] = {
    "m2": record_m2,
    "errant-compare": record_errant_compare,
    "errant-annotation": record_errant_annotation,
    "errant-2.0.0": record_errant_2_0_0,
    "cherrant": record_cherrant,
    "gleu": record_gleu,
    "imeasure": record_imeasure,
    "meteor": record_meteor,
    "rankings": record_rankings,
    "printed-python2": record_printed_python2,
    "printed-gleu": record_printed_gleu,
}


def write(name: str, original: Original, cases: list[Case], *, by: str) -> Path:
    """Write the cases; the head stays, except the interpreter and the date."""
    head = {key: value for key, value in load(name).items() if key != "cases"} | {
        "python": original.version_of_python(),
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "made_by": f"tests/golden/{by} {name} --original DIR",
    }
    # one case per line: readable, small, and a change shows as one line
    text = json.dumps(head, ensure_ascii=False, indent=1, sort_keys=True).removesuffix("\n}")
    lines = [json.dumps(case, ensure_ascii=False, sort_keys=True) for case in cases]
    path = HERE / f"{name}.json"
    path.write_text(text + ',\n "cases": [\n' + ",\n".join(lines) + "\n ]\n}\n", encoding="utf-8")
    return path


def main(
    recorders: dict[str, Callable[[Original], list[Case]]], *, by: str, about: str | None
) -> None:
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("name", choices=sorted(recorders))
    parser.add_argument("--original", type=Path, required=True, help="folder of the program")
    parser.add_argument("--python", default=sys.executable, help="the interpreter it needs")
    arguments = parser.parse_args()
    os.environ["PYTHONIOENCODING"] = "utf-8"
    original = Original(arguments.original.resolve(), arguments.python)
    path = write(arguments.name, original, recorders[arguments.name](original), by=by)
    sys.stdout.write(f"{path}: {path.stat().st_size} bytes\n")


if __name__ == "__main__":
    main(RECORDERS, by="make.py", about=__doc__)
