"""``redink gate``: rules, tests against a baseline, files and formats."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from math import erfc, sqrt
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import redink
from redink.cli.main import run_here
from redink.commands.gate import _judge, _load
from redink.commands.gate_rules import GateRule
from redink.errors import DataError, FormatError, OptionError
from redink.evaluation import EvaluationOptions
from redink.scoring.metric import interleave

WORDS = ["one", "two", "three", "four", "five", "six"]
SIZE = 60


def write_files(folder: Path, fixes: Callable[[str, int], bool]) -> dict[str, Path]:
    """Write 60 sentences with one error each; ``fixes`` tells which version corrects which."""
    source = [f"this are {WORDS[n % 6]} wrong ." for n in range(SIZE)]
    right = [line.replace("are", "is") for line in source]
    texts = {"source": source, "right": right}
    for name in ("old", "new"):
        pairs = zip(source, right, strict=True)
        texts[name] = [r if fixes(name, n) else s for n, (s, r) in enumerate(pairs)]
    for name, lines in texts.items():
        (folder / f"{name}.txt").write_text("\n".join([*lines, ""]))
    gold = "".join(
        f"S {line}\nA 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0\n\n" for line in source
    )
    (folder / "gold.m2").write_text(gold)
    levels = "".join(f"{'A1' if n < SIZE // 2 else 'B1'}\n" for n in range(SIZE))
    (folder / "levels.csv").write_text(f"level\n{levels}")
    return {path.stem: path for path in folder.iterdir()}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Both versions correct every sentence, but the new one misses 12 of the second half."""
    monkeypatch.chdir(tmp_path)
    return write_files(tmp_path, lambda name, n: name == "old" or n < SIZE - 12)


def gate(files: dict[str, Path], *rules: str, **more: Any) -> redink.Table:
    return redink.gate(files["gold"], files["old"], files["new"], rules=rules, **more)


def run(*words: Any) -> int:
    return run_here([str(word) for word in words])


def test_the_row_of_a_rule(files: dict[str, Path]) -> None:
    """The old version has P = R = 1; the new one P = 1, R = 48/60, so F0.5 = 60/63."""
    (row,) = gate(files, "errant.f drop <= 0.01")
    assert list(row) == [
        *("rule", "metric", "measure", "slice", "baseline", "candidate"),
        *("difference", "low", "high", "p", "verdict"),
    ]
    assert (row["rule"], row["metric"], row["measure"]) == ("errant.f drop <= 0.01", "errant", "f")
    f = 1.25 * 0.8 / (0.25 + 0.8)
    assert row["baseline"] == 1
    assert row["candidate"] == pytest.approx(f)
    assert row["difference"] == pytest.approx(f - 1)
    assert row["low"] < row["difference"] < row["high"] < 0
    assert row["slice"] is None
    assert row["verdict"] == "fail"


def test_p_is_that_of_a_normal_bootstrap(files: dict[str, Path]) -> None:
    """The recall of a sample is its mean of corrected sentences: its standard error is known."""
    (row,) = gate(files, "errant.recall drop <= 0.1", samples=20_000)
    error = sqrt(0.8 * 0.2 / SIZE)
    assert row["p"] == pytest.approx(0.5 * erfc((0.2 - 0.1) / error / sqrt(2)), rel=0.1)
    assert row["low"] == pytest.approx(-0.2 - 1.96 * error, abs=0.02)


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("errant.f >= 0.9", "pass"),
        ("errant.f >= 0.96", "fail"),
        ("errant.recall < 0.81", "pass"),
        ("errant.recall drop <= 0.05", "fail"),
        ("errant.recall drop <= 0.15", "pass"),  # 0.2, but not significantly more than 0.15
        ("errant.recall rise <= 0", "pass"),
        ("errant.precision drop <= 0", "pass"),
        ("errant.r drop <= 10%", "fail"),
        ("errant.f1 >= 0.9", "fail"),  # F1 is 0.889
        ("errant.f[VERB:SVA] drop <= 0", "fail"),
        ("errant.f[R:VERB:SVA] drop <= 0", "fail"),
        ("errant.f[R] drop <= 0", "fail"),
        ("gleu drop <= 0", "fail"),
        ("m2(beta=1).f drop <= 0", "fail"),
        ("errant.f drop <= 0 where level == 'A1'", "pass"),
        ("errant.f drop <= 0 where level == 'B1'", "fail"),
        ("refusals <= 0", "pass"),
    ],
)
def test_verdicts(files: dict[str, Path], rule: str, verdict: str) -> None:
    (row,) = gate(files, rule, metadata=files["levels"])
    assert row["verdict"] == verdict


def test_strict_rules_pass_only_if_the_drop_is_significantly_smaller(
    files: dict[str, Path],
) -> None:
    rules = ("errant.recall drop <= 0.25", "errant.recall drop <= 0.35")
    assert [row["verdict"] for row in gate(files, *rules)] == ["pass", "pass"]
    assert [row["verdict"] for row in gate(files, *rules, strict=True)] == ["fail", "pass"]


def test_slices_and_types_are_those_of_score(files: dict[str, Path]) -> None:
    metadata = {"level": ["A1", "B1"] * (SIZE // 2)}
    table = gate(files, "errant.f[VERB:SVA] drop <= 0", metadata=metadata, by="level")
    scores = redink.score(
        files["gold"], files["new"], metrics="errant", by=["type", "level"], metadata=metadata
    )
    typed = [row for row in scores if row["type"] == "VERB:SVA"]
    assert [row["candidate"] for row in table] == [row["f"] for row in typed]
    assert [row["slice"] for row in table] == [None, "level=A1", "level=B1"]
    assert table[1]["rule"] == "errant.f[VERB:SVA] drop <= 0 by level"


def test_p_values_of_slices_are_adjusted_within_the_rule(files: dict[str, Path]) -> None:
    """Half A1 does not differ (p = 1), so the other p is doubled by Holm's method."""
    given = {"metadata": files["levels"], "samples": 500}
    sliced = gate(files, "errant.recall drop <= 0.25 by level", **given)
    (one,) = gate(files, "errant.recall drop <= 0.25 where level == 'B1'", **given)
    assert sliced[1]["p"] == pytest.approx(2 * one["p"])


def test_few_differing_sentences_cannot_fail(tmp_path: Path) -> None:
    """Four sentences that all get worse are one of sixteen equally likely outcomes."""
    for worse, verdict in ((4, "pass"), (5, "fail")):
        files = write_files(tmp_path, lambda name, n, worse=worse: name == "old" or n >= worse)
        (row,) = gate(files, "errant.recall drop <= 0")
        assert row["p"] >= 0.5**worse
        assert row["verdict"] == verdict


def test_overcorrection_is_the_share_of_changed_correct_sentences() -> None:
    source = ["a b .", "c d .", "e f .", "g h ."]
    reference = ["a b .", "c d .", "e f .", "G h ."]
    (row,) = redink.gate(
        source=source,
        references=[reference],
        baseline=source,
        candidate=["a b !", "c d .", "e f .", "g ."],
        rules=["overcorrection <= 0.3"],
    )
    assert (row["baseline"], row["candidate"], row["verdict"]) == (0, 1 / 3, "fail")


def test_refusals_are_sentences_without_an_answer(tmp_path: Path) -> None:
    answers = ["It is good.", "I'm sorry, but I can't help with that.", ""]
    (row,) = redink.gate(
        source=["It are good .", "He go home .", "We was here ."],
        references=[["It is good .", "He goes home .", "We were here ."]],
        baseline=["It is good.", "He goes home.", "We were here."],
        candidate=answers,
        rules=["refusals rise <= 0"],
        align=True,
    )
    assert (row["baseline"], row["candidate"]) == (0, pytest.approx(2 / 3))


def test_columns_of_the_systems_or_of_the_metadata(files: dict[str, Path]) -> None:
    for name, seconds in (("old", 1.0), ("new", 1.5)):
        lines = files[name].read_text().splitlines()
        files[f"{name}.jsonl"] = files[name].with_suffix(".jsonl")
        files[f"{name}.jsonl"].write_text(
            "".join(
                f"{json.dumps({'text': t, 'latency': seconds + n % 2})}\n"
                for n, t in enumerate(lines)
            )
        )
    metadata = {"cost_baseline": [1] * SIZE, "cost_candidate": [3] * SIZE}
    rows = redink.gate(
        files["gold"],
        files["old.jsonl"],
        files["new.jsonl"],
        rules=["latency rise <= 0.1", "cost <= 2"],
        metadata=metadata,
    )
    assert [(row["baseline"], row["candidate"]) for row in rows] == [(1.5, 2.0), (1, 3)]
    assert [row["verdict"] for row in rows] == ["fail", "fail"]


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("errant.f", "invalid rule"),
        ("errant.f drop >= 0.01", "a drop or rise needs <="),
        ("errant.f drop <= -1", "a drop or rise needs <="),
        ("nosuch.f >= 0.5", "unknown metric 'nosuch'"),
        ("errant.kappa >= 0.5", "unknown measure 'kappa'"),
        ("errant.f[DETT] drop <= 0", "unknown error type 'DETT'"),
        ("gleu[DET] drop <= 0", "no scores by error type"),
        ("errant.f drop <= 0 by year", "unknown column 'year'"),
        ("errant.f drop <= 0 where level = 1", "invalid condition"),
    ],
)
def test_a_wrong_rule_is_one_sentence(files: dict[str, Path], rule: str, problem: str) -> None:
    with pytest.raises((OptionError, DataError), match=problem):
        gate(files, rule, metadata=files["levels"])


def test_exit_codes_and_formats(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    three = (files["gold"], files["old"], files["new"])
    assert run("gate", *three, "--rule", "errant.precision drop <= 0") == 0
    capsys.readouterr()
    rules = ("--rule", "errant.f drop <= 0.01", "--rule", "errant.f >= 0.5")
    assert run("gate", *three, *rules, "--format", "junit") == 1
    suite = ET.fromstring(capsys.readouterr().out)[0]  # noqa: S314
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    cases = {case.get("name"): case.find("failure") for case in suite}
    assert cases["errant.f drop <= 0.01 f"] is not None
    assert cases["errant.f >= 0.5 f"] is None
    with pytest.raises(OptionError, match="BASELINE"):
        run("gate", files["gold"], files["new"], "--rule", "errant drop <= 0")
    with pytest.raises(OptionError, match=r"redink\.toml"):
        run("gate")


def test_a_stored_baseline_gives_the_same_rows(files: dict[str, Path], tmp_path: Path) -> None:
    rules = (
        "errant.f[VERB:SVA] drop <= 0.01",
        "errant.f drop <= 0",
        "gleu drop <= 0",
        "refusals <= 1",
    )
    stored = tmp_path / "baseline.npz"
    given = [word for rule in rules for word in ("--rule", rule)]
    assert run("gate", files["gold"], files["old"], *given, "--update-baseline", stored) == 0
    assert stored.stat().st_size < 10_000
    again = redink.gate(files["gold"], stored, files["new"], rules=rules)
    direct = gate(files, *rules)
    assert again.rows == direct.rows
    with np.load(stored) as found:
        assert not any("wrong" in str(found[name]) for name in found.files)
    with pytest.raises(DataError, match="no statistics of m2"):
        redink.gate(files["gold"], stored, files["new"], rules=["m2 drop <= 0"])
    files["gold"].write_text(files["gold"].read_text().replace("|||is|||", "|||was|||"))
    with pytest.raises(DataError, match="references are not those"):
        redink.gate(files["gold"], stored, files["new"], rules=rules)
    with pytest.raises(OptionError, match="is not a baseline"):
        redink.gate(files["gold"], files["old"], files["new"], update_baseline=files["source"])
    with_texts = {"update_baseline": tmp_path / "texts.npz", "with_texts": True}
    redink.gate(files["gold"], files["new"], rules=rules[:1], **with_texts)
    (row,) = redink.gate(
        files["gold"], tmp_path / "texts.npz", files["new"], rules=["m2 drop <= 0"]
    )
    assert row["difference"] == 0


def test_settings_with_files_and_commands(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fix.py").write_text(
        "import sys\nprint(sys.stdin.read().replace('are', 'is'), end='')\n"
    )
    command = json.dumps([sys.executable, "fix.py"])
    settings = f"""
rules = ["errant.f >= 0.99"]
metrics = ["gleu"]
by = ["level"]
[data]
reference = "gold.m2"
metadata = "levels.csv"
[systems]
baseline = "old.txt"
candidate = {{ command = {command} }}
"""
    (tmp_path / "redink.toml").write_text(settings)
    assert run("gate", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["rule"] for row in rows[:2]] == ["errant.f >= 0.99", "gleu drop <= 0"]
    assert {row["candidate"] for row in rows} == {1.0}
    for changed, problem in (
        (settings.replace("old.txt", "nosuch.txt"), "no such file"),
        (settings.replace("fix.py", "nosuch.py"), "failed with 2"),
        (settings.replace("metadata =", "metdata ="), "unknown key 'metdata'"),
        (settings.replace('reference = "gold.m2"', "reference = 3"), "expected a file name"),
        (settings.replace(command, "[1]"), "cannot be started"),
    ):
        (tmp_path / "redink.toml").write_text(changed)
        with pytest.raises((FormatError, DataError), match=problem):
            redink.gate()


def test_the_summary_has_verdicts_types_and_examples(
    files: dict[str, Path], tmp_path: Path
) -> None:
    gate(files, "errant.f drop <= 0", "errant.f[*] drop <= 1", summary=tmp_path / "s.md")
    text = (tmp_path / "s.md").read_text(encoding="utf-8")
    assert text.startswith("## redink gate: ❌ 1 of 2 checks failed")
    assert "**0 sentences better, 12 worse.**" in text
    assert "| VERB:SVA | 0 | 12 | <.001 |" in text
    assert text.count("\nSentence ") == 3
    assert "- baseline: this ~~are~~ **is** (R:VERB:SVA) one wrong ." in text
    assert "- candidate: this are one wrong ." in text


def test_detectable_drops_are_detected_that_often() -> None:
    """A true drop of 0.2 in samples of these sentences is found as often as its power says."""
    source, right = ["this are wrong ."] * 600, ["this is wrong ."] * 600
    table = redink.gate(
        source=source,
        references=[right],
        baseline=right,
        candidate=source[:120] + right[120:],
        rules=["errant.recall drop <= 0.16"],
        power=True,
        samples=5000,
    )
    error = table[0]["standard_error"]
    changes = {row["power"]: row["change"] for row in table}
    assert changes[0.8] == pytest.approx(0.16 + (1.6449 + 0.8416) * error, rel=1e-3)
    rng, found = np.random.default_rng(1), 0
    for missed in rng.binomial(600, 0.2, size=4000) / 600:
        found += (missed - 0.16) / sqrt(missed * (1 - missed) / 600) > 1.6449
    expected = 1 - 0.5 * erfc((0.04 / error - 1.6449) / sqrt(2))
    assert found / 4000 == pytest.approx(expected, abs=0.03)


@pytest.mark.slow
def test_false_alarms_of_real_systems(shared: Path) -> None:
    """Two systems that exchange sentences at random are equally good: 5 % of the rules fail."""
    folder = shared / "data" / "conll14"
    systems = {
        "baseline": folder / "systems" / "AMU.txt",
        "candidate": folder / "systems" / "CAMB.txt",
    }
    rules = [
        GateRule.parse(text)
        for text in ("errant.f drop <= 0", "errant.precision drop <= 0", "overcorrection rise <= 0")
    ]
    job = _load(folder / "official-2014.0.m2", systems, EvaluationOptions(), rules)
    rng, size = np.random.default_rng(1), len(job.evaluation.references)
    both = {
        metric: interleave(one.statistics, job.candidates[metric].statistics)
        for metric, one in job.baselines.items()
    }
    alarms, splits = np.zeros(len(rules)), 300
    for seed in range(splits):
        picks = 2 * np.arange(size) + rng.integers(0, 2, size)
        one, two = (
            {metric: replace(known[metric], statistics=both[metric].take(at)) for metric in known}
            for known, at in ((job.baselines, picks), (job.candidates, picks ^ 1))
        )
        swapped = replace(job, baselines=one, candidates=two)
        for number, rule in enumerate(rules):
            (row,) = _judge([*swapped.test(rule, 200, seed)], 0.05, strict=False)
            alarms[number] += row.verdict == "fail"
    assert all(0.0125 <= share <= 0.0875 for share in alarms / splits)  # 0.05 ± 3 standard errors


def test_the_power_is_unknown_if_the_versions_are_equal(files: dict[str, Path]) -> None:
    same = redink.gate(files["gold"], files["old"], files["old"], power=True)
    assert {(row["standard_error"], row["change"]) for row in same} == {(None, None)}


def test_rules_are_parsed() -> None:
    rule = GateRule.parse("errant(types=DET).f1[R:DET] drop<=.5% by level, L1 where year >= 2020")
    assert (rule.spec, rule.measure, rule.type) == ("errant(types=DET,beta=1)", "f", "R:DET")
    assert (rule.change, rule.bound, rule.by) == ("drop", 0.005, ("level", "L1"))
    assert rule.where == "year >= 2020"


# ---- pytest

TESTS = """
def test_precision(redink_gate):
    table = redink_gate("gold.m2", "old.txt", "new.txt", rules=["errant.precision drop <= 0"])
    assert table[0]["verdict"] == "pass"


def test_recall(redink_gate):
    redink_gate("gold.m2", "old.txt", "new.txt", rules=["errant.recall drop <= 0"])
"""
SETTINGS = """
rules = ["errant.precision drop <= 0", "errant.recall drop <= LIMIT"]
[data]
reference = "gold.m2"
[systems]
baseline = "old.txt"
candidate = "new.txt"
"""


def run_pytest(folder: Path, *options: str) -> tuple[int, str]:
    """Run the real pytest in a folder, with the plugin installed by its entry point."""
    info = folder / "installed" / "redink_plugin-1.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: redink-plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[pytest11]\nredink = redink.compat.pytest_plugin\n")
    places = [str(info.parent), *sys.path]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_the_gate_in_the_tests_of_a_repository(files: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "test_quality.py").write_text(TESTS)
    (tmp_path / "redink.toml").write_text(SETTINGS.replace("LIMIT", "0.1"))
    code, said = run_pytest(tmp_path)
    assert code == 1
    assert "1 failed, 1 passed" in said
    assert "errant.recall drop <= 0: measure recall, baseline 1.0000, candidate 0.8000" in said
    code, said = run_pytest(tmp_path, "--redink", "--deselect", "test_quality.py")
    assert code == 1
    assert "1 failed, 1 passed" in said
    (tmp_path / "redink.toml").write_text(SETTINGS.replace("LIMIT", "0.15"))
    code, said = run_pytest(tmp_path, "--redink", ".", "--deselect", "test_quality.py")
    assert (code, "2 passed" in said) == (0, True), said
    (tmp_path / "redink.toml").unlink()
    code, said = run_pytest(tmp_path, "--redink", "--redink-config", "nosuch.toml")
    assert code == 4
    assert "no such file" in said


def test_the_plugin_imports_no_command() -> None:
    code = (
        "import pytest, sys; before = {*sys.modules}; import redink.compat.pytest_plugin; "
        "print(*sorted({*sys.modules} - before))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {name for name in ran.stdout.split() if not name.startswith("redink")} <= {
        "encodings.idna"
    }
    assert len(ran.stdout.split()) < 12, ran.stdout
