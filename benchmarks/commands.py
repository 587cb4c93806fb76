"""The drop-in commands against the originals, from the shell, in one run.

    python benchmarks/commands.py [--shared ../shared] [--m2scorer FILE] [--compute-gleu FILE]
                                  [--python2 INTERPRETER] [--gleu FILE] [--system AMU]

CPU times (user and system) of whole processes, the least of three, ours and theirs in turns. The
originals are no part of redink: ERRANT's commands are those of the ``errant`` package of this
environment (whose annotator is given the pipeline that comes with redink, where
``en_core_web_sm`` is not installed), the others are named as files; what is not named is left out.
Bounds: three times as fast, the M2 scorer twenty times.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from rows import record

from redink.compat.installation import install_commands

ROOT = Path(__file__).resolve().parents[1]
BOUNDS = {"m2scorer": 20.0}
ORIGINAL = """
import sys, errant, spacy
from errant.commands import {module} as program
if {stand_in}:
    sys.path.append({root!r})
    from training.pipeline.spacy_pipeline import load_embedded
    load = errant.load
    errant.load = lambda language: load(language, load_embedded())
sys.argv[0] = "original"
program.main()
"""
MODULES = {
    "errant_parallel": "parallel_to_m2",
    "errant_m2": "m2_to_m2",
    "errant_compare": "compare_m2",
}


def time_once(command: list[str], environment: dict[str, str]) -> float:
    """CPU seconds of a process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(name: str, ours: list[str], theirs: list[str], rounds: int) -> bool:
    """Both in turns; whether ours is as fast as it must be."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{os.environ.get('PYTHONPATH', '')}"}
    times = [(time_once(ours, environment), time_once(theirs, environment)) for _ in range(rounds)]
    mine, original = (min(column) for column in zip(*times, strict=True))
    ratio, bound = original / mine, BOUNDS.get(name, 3.0)
    verdict = "ok" if ratio >= bound else "TOO SLOW"
    record("scoring", f"{name} from the shell", mine, peer=name, theirs=original)
    print(
        f"{name:18}{mine:8.3f} s{original:9.3f} s{ratio:8.1f} x{bound:7.0f} x  {verdict}",
        flush=True,
    )
    return ratio >= bound


def main() -> int:
    """Time every command whose original is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--m2scorer", help="m2scorer.py of the NUS")
    parser.add_argument("--compute-gleu", help="compute_gleu of gec-ranking")
    parser.add_argument("--python2", default="python2.7", help="with numpy and scipy for GLEU")
    parser.add_argument("--gleu", help="the script gleu of the package gleu 1.1.0")
    parser.add_argument("--system", default="AMU")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    folder = options.shared / "data" / "conll14"
    source, gold = str(folder / "source.txt"), str(folder / "official-2014.combined.m2")
    system = str(folder / "systems" / f"{options.system}.txt")
    references = [str(path) for path in sorted((folder / "references").iterdir())]
    edits = options.shared / "oracles" / "errant-2.3.3"
    texts = ["-s", source, "-r", *references, "-o", system]
    is_fast = True
    with tempfile.TemporaryDirectory() as place:
        install_commands(f"{place}/bin")
        out = ["-out", f"{place}/out.m2"]
        files = [
            ("errant_parallel", ["-orig", source, "-cor", system, *out]),
            ("errant_m2", ["-auto", gold, *out]),
            (
                "errant_compare",
                ["-hyp", str(edits / "AMU.m2"), "-ref", str(edits / "references.m2")],
            ),
            ("m2scorer", [system, gold]),
            ("compute_gleu", texts),
            ("gleu", [*texts, "-f"]),
        ]
        originals = {
            "m2scorer": options.m2scorer and [options.python2, options.m2scorer],
            "compute_gleu": options.compute_gleu and [options.python2, options.compute_gleu],
            "gleu": options.gleu and [options.gleu],
        }
        for name, words in files:
            if name in MODULES:
                stand_in = name != "errant_compare" and find_spec("en_core_web_sm") is None
                code = ORIGINAL.format(module=MODULES[name], stand_in=stand_in, root=str(ROOT))
                original = [sys.executable, "-c", code]
            elif originals[name]:
                original = originals[name]
            else:
                print(f"{name:18}left out: its original is not named")
                continue
            is_fast &= compare(
                name, [f"{place}/bin/{name}", *words], [*original, *words], options.rounds
            )
    return int(not is_fast)


if __name__ == "__main__":
    sys.exit(main())
