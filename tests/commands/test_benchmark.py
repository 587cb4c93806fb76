"""``redink.meta(benchmark=...)``: benchmarks of the literature, and of one's own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import redink
from redink.cli.main import cli
from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.inputs.benchmarks import read_benchmark

SOURCE = ["This are wrong .", "He go home .", "All is well ."]
TEXTS = {
    "good": ["This is wrong .", "He goes home .", "All is well ."],
    "half": ["This is wrong .", "He go home .", "All is well ."],
    "none": SOURCE,
    "poor": ["This are bad .", "He go a home .", "All are well ."],
}
DESCRIPTION = """
name = "mine"
source = "source.txt"
outputs = "outputs/*.txt"
reference = ["gold.txt"]
judgments = {edit = "edit.xml"}
aggregations = ["EW", "BT"]

[sets.all]
[sets.some]
without = ["none"]

[windows]
size = 3
set = "all"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outputs").mkdir()
    for name, lines in TEXTS.items():
        _write(tmp_path / "outputs" / f"{name}.txt", lines)
    _write(tmp_path / "source.txt", SOURCE)
    _write(tmp_path / "gold.txt", TEXTS["good"])
    (tmp_path / "benchmark.toml").write_text(DESCRIPTION)
    items = []
    for sentence, judge in ((1, "ann"), (2, "ann"), (1, "ben"), (2, "ben")):
        half = 1 if sentence == 1 else 2
        ranks = {"good": 1, "half": half, "none": 2, "poor": 3}
        outputs = "".join(f'<translation system="{s}" rank="{r}"/>' for s, r in ranks.items())
        items.append(f'<ranking-item src-id="{sentence}" user="{judge}">{outputs}</ranking-item>')
    xml = f"<appraise-results><x>\n{chr(10).join(items)}\n</x></appraise-results>\n"
    (tmp_path / "edit.xml").write_text(xml)
    return tmp_path


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))


def _run(*arguments: object) -> dict[str, Any]:
    result = CliRunner().invoke(cli, ["meta", *map(str, arguments), "--format", "json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_folder_with_a_description_gives_every_level(folder: Path) -> None:
    options = ("--metric", "gleu,m2", "--bootstrap", "20")
    rows = _run("--benchmark", "benchmark.toml", folder, *options)["rows"]
    blocks = {(r["level"], r["human"], r["set"]) for r in rows}
    assert blocks == {
        *(("system", human, name) for human in ("EW", "BT") for name in ("all", "some")),
        *(("window", human, "all") for human in ("EW", "BT")),
        *(("sentence", None, name) for name in ("all", "some")),
    }
    assert {r["systems"] for r in rows if r["set"] == "some"} == {3}
    gleu = next(r for r in rows if r["level"] == "sentence" and r["metric"] == "gleu")
    assert gleu["accuracy"] == 1
    # the two outputs that are alike cannot be told apart, and are not a pair that people decide
    assert gleu["pairs"] == 2 * (5 + 5)


def test_windows_of_one_aggregation(folder: Path) -> None:
    (folder / "benchmark.toml").write_text(f'{DESCRIPTION}human = "BT"\n')
    options = {"benchmark": "benchmark.toml", "metrics": ["gleu"], "bootstrap": 20}
    found = redink.meta(folder, show="windows", **options)
    assert {row["human"] for row in found} == {"BT"}


def test_outside_scores_stand_beside_ours(folder: Path) -> None:
    (folder / "outside.csv").write_text("system,SOME\ngood,4\nhalf,3\nnone,2\npoor,1\n")
    scores = folder / "length"
    scores.mkdir()
    for name, lines in TEXTS.items():
        _write(scores / f"{name}.txt", [str(len(line)) for line in lines])
    table = redink.meta(
        folder,
        [folder / "outside.csv"],
        benchmark="benchmark.toml",
        metrics=["gleu"],
        sentences=[scores],
        show="correlation",
        bootstrap=20,
    )
    assert {row["metric"] for row in table} == {"SOME", "length", "gleu"}
    some = next(row for row in table if row["metric"] == "SOME")
    assert some["spearman"] == pytest.approx(1)
    assert "length: the score of a system is the mean over its sentences." in table.notes


def test_human_scores_may_be_given(folder: Path) -> None:
    _write(folder / "EW.txt", ["4", "3", "2", "1"])
    (folder / "outside.csv").write_text("system,SOME\ngood,4\nhalf,3\nnone,2\npoor,1\n")
    how: dict[str, Any] = {"benchmark": "benchmark.toml", "show": "correlation", "bootstrap": 20}
    table = redink.meta(folder, [folder / "outside.csv"], human=[f"EW={folder}/EW.txt"], **how)
    given = [row for row in table if row["human"] == "EW" and row["set"] == "all"]
    assert [row["pearson"] for row in given] == [pytest.approx(1)]
    _write(folder / "EW.txt", ["4", "3"])
    with pytest.raises(FormatError, match="2 numbers without system names"):
        redink.meta(folder, [folder / "outside.csv"], human=[f"EW={folder}/EW.txt"], **how)


def test_lines_and_systems_can_be_chosen(folder: Path) -> None:
    _write(folder / "lines", ["2"])
    options = {"benchmark": "benchmark.toml", "metrics": ["gleu"], "bootstrap": 20}
    one = redink.meta(folder, lines=folder / "lines", show="sentences", **options)
    assert {row["pairs"] for row in one if row["set"] == "all"} == {10}
    less = redink.meta(folder, without=["poor"], show="sentences", **options)
    assert {row["systems"] for row in less} == {2, 3}
    with pytest.raises(OptionError, match="unknown system 'nobody'"):
        redink.meta(folder, without=["nobody"], **options)
    _write(folder / "lines", ["77"])
    with pytest.raises(DataError, match="unknown sentence '77'; the outputs have 3 lines"):
        redink.meta(folder, lines=folder / "lines", **options)


def test_metrics_as_judges(folder: Path) -> None:
    table = redink.meta(
        folder,
        benchmark="benchmark.toml",
        metrics=["gleu"],
        aggregate="expected-wins",
        show="correlation",
        bootstrap=20,
    )
    assert {row["metric"] for row in table} == {"gleu", "gleu expected-wins"}


def test_tests_between_metrics(folder: Path) -> None:
    table = redink.meta(
        folder, benchmark="benchmark.toml", metrics=["gleu", "m2"], show="tests", bootstrap=50
    )
    assert {row["level"] for row in table} == {"system", "sentence"}
    assert all(row["p_holm"] == row["p"] for row in table)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("outputs = 3", "expected a file"),
        ('source = "not-there"', "contains 'not-there', which does not exist in"),
        ("judgments = [", "not valid TOML"),
    ],
)
def test_wrong_descriptions_are_told(folder: Path, line: str, message: str) -> None:
    (folder / "wrong.toml").write_text(f'{line}\n[judgments]\nedit = "edit.xml"\n')
    if line.startswith("judgments"):
        (folder / "wrong.toml").write_text(line)
    with pytest.raises(FormatError, match=re.escape(message)):
        read_benchmark("wrong.toml", folder)


def test_a_subset_that_does_not_fit(folder: Path) -> None:
    description = folder / "benchmark.toml"
    description.write_text(f'subset = "some/*.txt"\n{DESCRIPTION}')
    (folder / "some").mkdir()
    for name, lines in TEXTS.items():
        _write(folder / "some" / f"{name}.txt", lines[1:])
    how: dict[str, Any] = {"benchmark": "benchmark.toml", "metrics": ["gleu"], "bootstrap": 20}
    _write(folder / "some" / "half.txt", ["Something else .", TEXTS["half"][2]])
    with pytest.raises(DataError, match="line 1 of the subset is not among all lines"):
        redink.meta(folder, **how)
    _write(folder / "some" / "half.txt", TEXTS["half"])
    with pytest.raises(FormatError, match=r"half\.txt: has 3 lines, .*good\.txt has 2"):
        redink.meta(folder, **how)


def test_unknown_benchmarks_and_empty_folders(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="expected one of: seeda, gjg15, gmeg"):
        read_benchmark("nothing", folder)
    with pytest.raises(FormatError, match="no judgments of the benchmark seeda"):
        read_benchmark("seeda", folder)
    with pytest.raises(FormatError, match="not a folder"):
        read_benchmark("seeda", tmp_path / "absent")


def test_ratings_are_a_benchmark_of_their_own(tmp_path: Path) -> None:
    rows = [(80, 60, 20), (70, 70, 30), (90, 50, 40), (60, 65, 10), (75, 55, 35)]
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("A,B,C\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    scores = tmp_path / "metric.csv"
    scores.write_text("A,B,C\n" + "".join(f"{a},{b + 1},{c}\n" for a, b, c in rows))
    system, sentence = redink.meta(ratings, sentences=[scores], bootstrap=50).rows
    assert (system["level"], sentence["level"]) == ("system", "sentence")
    assert system["pearson"] == pytest.approx(1, abs=1e-3)
    assert system["soft_accuracy"] > 0.99 > system["chance"]
    assert sentence["pearson"] > 0.99
    assert sentence["calibrated"] == pytest.approx(1)
    assert sentence["threshold"] == 1
    for path in (ratings, scores):
        lines = path.read_text().splitlines()
        path.write_text("".join(f"{line.rsplit(',', 1)[0]}\n" for line in lines))
    two_systems, _ = redink.meta(ratings, sentences=[scores], bootstrap=50).rows
    assert two_systems["soft_accuracy"] > 0.9


def test_plots_of_benchmarks(folder: Path) -> None:
    how: dict[str, Any] = {"benchmark": "benchmark.toml", "metrics": ["gleu"], "bootstrap": 20}
    for show in (None, "sentences", "windows"):
        target = folder / f"{show}.svg"
        table = redink.meta(folder, show=show, **how)
        table.plot(target)
        drawn = target.read_text(encoding="utf-8")
        assert all(row["metric"] in drawn for row in table), show


# ---- the published figures


@pytest.fixture(scope="module")
def seeda(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The folder of SEEDA, and what redink says of the three made-up metrics on it."""
    data, work = shared / "data" / "seeda", tmp_path_factory.mktemp("seeda")
    texts = {
        path.stem: [line.split() for line in path.read_text().removesuffix("\n").split("\n")]
        for path in sorted((data / "outputs" / "subset").glob("*.txt"))
    }
    for name, score in _MADE_UP.items():
        (work / "sentences" / name).mkdir(parents=True)
        for system, lines in texts.items():
            pairs = zip(lines, texts["INPUT"], strict=True)
            _write(
                work / "sentences" / name / f"{system}.txt", [str(score(*pair)) for pair in pairs]
            )
    published = json.loads((shared / "oracles" / "seeda" / "published.json").read_text())
    for name in ("EW", "TS"):
        human = published["human"][f"{name}_edit"]
        _write(work / f"{name}.txt", [f"{system} {score}" for system, score in human.items()])
    found = _run(
        *("--benchmark", "seeda", data, "--sentences", work / "sentences", "--bootstrap", 20),
        *("--human", f"EW={work}/EW.txt", "--human", f"TS={work}/TS.txt"),
    )
    return shared / "oracles" / "seeda" / "meta-edit.json", found


_MADE_UP = {
    "length": lambda ours, _: len(ours),
    "distance": lambda ours, source: -abs(len(ours) - len(source)),
    "longest": lambda ours, _: max(map(len, ours), default=0),
}


def _rows(found: dict[str, Any], **wanted: object) -> list[dict[str, Any]]:
    return [row for row in found["rows"] if all(row[k] == v for k, v in wanted.items())]


def test_seeda_system_level(seeda: tuple[Path, dict[str, Any]]) -> None:
    oracle, found = seeda
    for told in json.loads(oracle.read_text())["system"]:
        [row] = _rows(
            found, level="system", metric=told["metric"], human=told["human"], set=told["systems"]
        )
        assert row["pearson"] == pytest.approx(float(told["Pearson"]), abs=1e-9)
        assert row["spearman"] == pytest.approx(float(told["Spearman"]), abs=1e-9)


def test_seeda_sentence_level(seeda: tuple[Path, dict[str, Any]]) -> None:
    oracle, found = seeda
    for told in json.loads(oracle.read_text())["sentence"]:
        [row] = _rows(found, level="sentence", metric=told["metric"], set=told["systems"])
        accuracy, kendall = (float(line.split()[1]) for line in told["stdout"])
        assert row["seeda_accuracy"] == pytest.approx(accuracy, abs=1e-9)
        assert row["seeda_kendall"] == pytest.approx(kendall, abs=1e-9)
        assert row["kendall"] == pytest.approx(2 * row["accuracy"] - 1)


@pytest.mark.slow
def test_seeda_windows(seeda: tuple[Path, dict[str, Any]]) -> None:
    oracle, found = seeda
    for told in json.loads(oracle.read_text())["window"]:
        rows = _rows(found, level="window", metric=told["metric"])
        values = [float(line.split()[1]) for line in told["stdout"] if not line.startswith("-")]
        ours = [value for row in rows for value in (row["pearson"], row["spearman"])]
        assert ours == pytest.approx(values, abs=1e-9)


@pytest.mark.slow
def test_seeda_human_scores_from_the_judgments(shared: Path) -> None:
    published = json.loads((shared / "oracles" / "seeda" / "published.json").read_text())["human"]
    judgments = shared / "data" / "seeda" / "judgments_edit.xml"
    for method, name, tolerance in (
        ("expected-wins", "EW_edit", 0.001),
        ("trueskill", "TS_edit", 0.02),
    ):
        table = redink.rank(judgments, method=method, bootstrap=40)  # type: ignore[arg-type]
        ours = {row["system"]: row["score"] for row in table}
        assert ours == pytest.approx(published[name], abs=tolerance)


@pytest.mark.slow
def test_seeda_m2(shared: Path) -> None:
    """The printed column, of all 15 systems."""
    published = json.loads((shared / "oracles" / "seeda" / "published.json").read_text())["metrics"]
    outputs = sorted((shared / "data" / "seeda" / "outputs" / "all").glob("*.txt"))
    gold = shared / "data" / "conll14" / "official-2014.combined.m2"
    with pytest.warns(redink.errors.RedinkWarning):
        table = redink.score(gold, outputs, metrics=["m2"])
    ours = {row["system"]: round(100 * row["f"], 2) for row in table}
    assert ours == {system: scores["M2"] for system, scores in published.items()}


def test_gjg15_numbers_its_lines_from_zero(shared: Path) -> None:
    from redink.inputs import read_rankings

    [found] = read_benchmark("gjg15", shared / "data" / "gjg15")
    texts = {name: path.read_text().split("\n") for name, path in found.outputs.items()}
    assert found.source is not None
    texts["INPUT"] = found.source.read_text().split("\n")
    same = different = 0
    for ranking in read_rankings(found.judgments["rankings"]):
        for output in ranking.outputs:
            place = int(ranking.sentence) - found.first_line
            lines = {texts[system][place].strip() for system in output.systems}
            same += len(output.systems) > 1 and len(lines) == 1
            different += len(lines) > 1
    assert same > 50 * different


def test_ratings_are_ranked(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    rows = [
        (n, s, j, 50 + 10 * (s == "A") + n + bias)
        for n in range(20)
        for s in "AB"
        for j, bias in (("x", 0), ("y", -30))
    ]
    path.write_text(
        "sentence,system,judge,rating\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows)
    )
    table = redink.rank(path, bootstrap=100)
    assert [(row["system"], row["score"], row["cluster"]) for row in table] == [
        ("A", 54.5, 1),
        ("B", 44.5, 2),
    ]
    assert redink.rank(path, method="z-score", bootstrap=100)[0]["score"] > 0
    [pair] = redink.rank(path, show="agreement").rows
    assert (pair["pearson"], pair["difference"]) == (pytest.approx(1), pytest.approx(30))
    with pytest.raises(OptionError, match="mean or z-score"):
        redink.rank(path, method="trueskill")
    with pytest.raises(OptionError, match="--show pairs needs rankings"):
        redink.rank(path, show="pairs")


def test_systems_are_left_out_of_a_ranking(folder: Path) -> None:
    table = redink.rank(folder / "edit.xml", without=["poor"], bootstrap=100)
    assert [row["system"] for row in table] == ["good", "half", "none"]
    assert table[0]["wins"] == 6
    _write(folder / "lines", ["2"])
    table = redink.rank(folder / "edit.xml", lines=folder / "lines", bootstrap=100)
    assert sum(row["wins"] for row in table) == 10
    with pytest.raises(OptionError, match="needs ratings"):
        redink.rank(folder / "edit.xml", method="mean")


def test_attacks_are_noticed_or_not(folder: Path) -> None:
    options = ("--metric", "gleu,m2", "--systems", "good,half", "--benchmark", "benchmark.toml")
    rows = _run("--attack", folder, *options)["rows"]
    assert len(rows) == 2 * 7
    by_attack = {(row["metric"], row["attack"]): row for row in rows}
    for metric in ("gleu", "m2"):
        copied = by_attack[metric, "source copied"]
        assert (copied["lower"], copied["systems"], copied["up"]) == (2, 2, 0)
        assert by_attack[metric, "corrections reverted"]["after"] == copied["after"]
    assert by_attack["gleu", "one fluent sentence"]["verdict"] == "noticed"


def test_human_scores_alone(tmp_path: Path) -> None:
    _write(tmp_path / "EW", ["A 0.9", "B 0.5", "C 0.4", "D 0.1"])
    (tmp_path / "outside.csv").write_text("system,one,two\nA,4,1\nB,3,2\nC,2,4\nD,1,3\n")
    table = redink.meta(tmp_path / "EW", [tmp_path / "outside.csv"], bootstrap=50)
    assert [row["spearman"] for row in table] == [pytest.approx(1), pytest.approx(-0.8)]
    assert table.signature["uncertainty"] == "systems"
    tests = redink.meta(tmp_path / "EW", [tmp_path / "outside.csv"], show="tests", bootstrap=50)
    assert tests[0]["metric"] == "one"


def test_benchmarks_name_metrics_references_and_missing_systems(folder: Path) -> None:
    """The signature has the specs and the references; a metric that lacks systems is named."""
    (folder / "outside.csv").write_text("system,SOME\ngood,4\nhalf,3\nnone,2\n")
    options: dict[str, Any] = {"benchmark": "benchmark.toml", "bootstrap": 20}
    metrics = ["m2(beta=1)", "errant(reference_edits=auto)"]
    with pytest.warns(RedinkWarning, match="SOME lacks poor"):
        table = redink.meta(folder, [folder / "outside.csv"], metrics=metrics, **options)
    assert any("SOME lacks poor" in note for note in table.notes)
    assert table.signature["metrics"] == ["SOME", *metrics]
    assert len(table.signature["references"]) == 12
    assert table.signature["analyzer"] == "embedded"
    assert {row["metric"] for row in table.rows} == {"SOME", *metrics}
    numbers = {row["metric"]: row["systems"] for row in table.rows if row["set"] == "all"}
    assert numbers["SOME"] != numbers["m2(beta=1)"]
