"""Sweeping thresholds and tallying units, against the bound and against scikit-learn.

    python benchmarks/detection.py [--data ../shared] [--units 1000000]

Times are CPU times of one process. The bound of the sweep is two seconds for a million units. The
same areas by scikit-learn (ROC area, average precision, and kappa at only a hundred thresholds)
are timed in the same run.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rows import record
from sklearn import metrics

import redink
from redink.error_detection.curves import ThresholdCurve, sweep_thresholds
from redink.error_detection.study import build_study, trace_curve
from redink.error_detection.units import TokenUnits
from redink.errors import RedinkWarning
from redink.model import Detection, SystemOutput

ROOT = Path(__file__).resolve().parents[1]
BOUND = 2.0


def measure(work: Callable[[], Any], *, repeat: int = 3) -> tuple[float, Any]:
    """The least CPU time of some runs, and the result."""
    times, result = [], None
    for _ in range(repeat):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
    return min(times), result


def sweep_all(errors: Any, scores: Any) -> ThresholdCurve:
    """The sweep, all areas and the best threshold."""
    curve = sweep_thresholds(errors, scores)
    _ = curve.roc_area, curve.average_precision, curve.pr_area, curve.kappa_area
    curve.best_point("f")
    curve.best_point("kappa", min_precision=0.5)
    return curve


def sweep_with_scikit_learn(errors: Any, scores: Any) -> tuple[float, float]:
    """What scikit-learn has of it."""
    area = metrics.roc_auc_score(errors, scores)
    average = metrics.average_precision_score(errors, scores)
    for threshold in np.quantile(scores, np.linspace(0, 1, 100)):
        metrics.cohen_kappa_score(errors, scores >= threshold)
    return area, average


def benchmark_sweep(units: int) -> None:
    """A million scored units, all different and with ties."""
    rng = np.random.default_rng(1)
    errors = rng.random(units) < 0.1
    for name, digits in (("distinct scores", 17), ("scores of three digits", 3)):
        scores = np.round(1 / (1 + np.exp(-rng.normal(size=units) - 1.5 * errors)), digits)
        ours, curve = measure(lambda scores=scores: sweep_all(errors, scores))
        theirs, (area, average) = measure(
            lambda scores=scores: sweep_with_scikit_learn(errors, scores), repeat=1
        )
        assert abs(curve.roc_area.value - area) < 1e-9
        assert abs(curve.average_precision.value - average) < 1e-9
        verdict = "ok" if ours < BOUND else "TOO SLOW"
        what = f"curves of {units:,} units, {name}"
        record("detection", what, ours, peer="scikit-learn", theirs=theirs, bound=BOUND)
        print(
            f"{units} units, {name}: redink {ours:.2f} s (bound {BOUND} s: {verdict}), "
            f"scikit-learn {theirs:.2f} s, {theirs / ours:.0f} times as long"
        )


def benchmark_study(units: int) -> None:
    """The same from sentences with flags: finding the errors of every token, then the sweep."""
    rng = np.random.default_rng(2)
    tokens = tuple(f"word{place}" for place in range(20))
    length = len(tokens)
    flags = (False,) * length
    detections = tuple(
        Detection(tokens, flags, tuple(scores))
        for scores in rng.random((units // length, length)).round(3).tolist()
    )
    gold = redink.Corpus(
        tuple(
            redink.AnnotatedSentence(
                redink.Sentence(tokens),
                (redink.Annotation("0", (redink.Edit(start, start + 1, "x"),)),),
            )
            for start in rng.integers(0, length, size=units // length).tolist()
        )
    )
    system = SystemOutput("system", detections=detections)
    seconds, _ = measure(
        lambda: trace_curve(build_study(gold, TokenUnits()), system, treatment="any"), repeat=1
    )
    print(f"{units} tokens from sentences to curve: {seconds:.2f} s")


def benchmark_corpus(data: Path) -> None:
    """Four real systems, from M2 files to the table."""
    edits = data / "oracles" / "errant-2.3.3"
    if not edits.is_dir():
        print(f"{edits} is not there: no real systems")
        return
    systems = {path.stem: path for path in sorted(edits.glob("[A-Z]*.m2"))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedinkWarning)
        seconds, table = measure(lambda: redink.detection(edits / "references.m2", systems))
    print(f"{len(table.rows)} systems of CoNLL-2014, files to table: {seconds:.2f} s")


def main() -> None:
    """Run all parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--units", type=int, default=1_000_000)
    arguments = parser.parse_args()
    benchmark_sweep(arguments.units)
    benchmark_study(arguments.units)
    benchmark_corpus(arguments.data)


if __name__ == "__main__":
    main()
