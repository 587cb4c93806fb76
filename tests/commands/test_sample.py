"""``redink sample``: plan, estimate, verify, simulate."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import redink
from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.model import Counts, Judgment

FIGURE_1 = {"from_counts": Counts(600, 150, 450, 1050), "cases": (1000, 9000)}


def estimates(table, judge: str | None = None) -> dict[str, float | None]:
    return {
        row["quantity"]: row["estimate"]
        for row in table.rows
        if judge is None or row["judge"] == judge
    }


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Two thousand decisions with text, and what they are in truth."""
    rng = np.random.default_rng(1)
    path = tmp_path / "cases.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["item", "label", "text", "start", "end", "score", "gold"])
        for number in range(2000):
            flagged = rng.random() < 0.15
            wrong = rng.random() < (0.8 if flagged else 0.05)
            label, gold = ("Error" if error else "OK" for error in (flagged, wrong))
            text, score = f"They came to place {number} .", 0.9 if flagged else 0.1
            writer.writerow([f"p{number}", label, text, 2, 3, score, gold])
    return path


def truth_of(cases: Path) -> dict[str, tuple[bool, bool]]:
    with cases.open(encoding="utf-8", newline="") as stream:
        return {
            r["item"]: (r["label"] == "Error", r["gold"] == "Error") for r in csv.DictReader(stream)
        }


def judge_blindly(key: Path, cases: Path, judge: str = "ann") -> list[Judgment]:
    truth = truth_of(cases)
    return [
        Judgment(entry["item"], judge, "wrong" if truth[entry["case"]][1] else "fine")
        for entry in json.loads(key.read_text("utf-8"))["items"]
    ]


def test_cost_in_cases_and_hours() -> None:
    """2250 of 10,000 cases at the paper's 125 an hour: 18 hours in place of 80."""
    found = estimates(redink.estimate_sample(**FIGURE_1))
    assert (found["cases"], found["cases_exhaustive"]) == (2250, 10_000)
    assert (found["hours"], found["hours_exhaustive"]) == (18, 80)


def test_from_plan_to_estimate(cases: Path, tmp_path: Path) -> None:
    """AssignmentPlan, judge blindly, estimate: the exhaustive figures lie in the intervals."""
    blind, key = tmp_path / "rate.csv", tmp_path / "key.json"
    plan = redink.plan_sample(cases, blind=blind, key=key, error_rate=0.75, ok_rate=0.2)
    truth = truth_of(cases).values()
    flagged = sum(f for f, _ in truth)
    drawn = {row["subcorpus"]: (row["cases"], row["drawn"]) for row in plan.rows}
    assert drawn["Error"] == (flagged, -(-3 * flagged // 4))
    assert drawn["both"][0] == 2000
    table = redink.estimate_sample(key, judge_blindly(key, cases), ok=["fine"])
    found = {row["quantity"]: row for row in table.rows}
    hits = sum(f and e for f, e in truth)
    exhaustive = {"precision": hits / flagged, "recall": hits / sum(e for _, e in truth)}
    for name, value in exhaustive.items():
        assert found[name]["low"] <= value <= found[name]["high"]
        assert found[name]["high"] - found[name]["low"] < 0.25


def test_the_blind_file_tells_nothing(cases: Path, tmp_path: Path) -> None:
    blind, key = tmp_path / "rate.csv", tmp_path / "key.json"
    redink.plan_sample(cases, blind=blind, key=key, errors=50, oks=100)
    with blind.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["item", "judge", "label", "text", "start", "end"]
    assert [row["item"] for row in rows] == [f"c{n:03d}" for n in range(1, 151)]
    assert {row["label"] for row in rows} == {""}
    content = blind.read_text("utf-8")
    assert "Error" not in content
    assert "p1" not in content
    entries = json.loads(key.read_text("utf-8"))["items"]
    decisions = [entry["decision"] == "error" for entry in entries]
    assert sum(decisions) == 50
    assert 5 < sum(decisions[:50]) < 30  # spread over the list, not in front
    # The key's cases are the blind file's, in its order.
    assert rows[0]["text"] == f"They came to place {entries[0]['case'][1:]} ."


def test_same_seed_same_files(cases: Path, tmp_path: Path) -> None:
    files = {}
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        blind, key = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.json"
        redink.plan_sample(cases, blind=blind, key=key, errors=20, oks=20, seed=seed)
        files[name] = (blind.read_bytes(), key.read_bytes())
    assert files["a"] == files["b"] != files["c"]


def test_a_campaign_can_read_the_blind_file(cases: Path, tmp_path: Path) -> None:
    items = pytest.importorskip("redink.campaign.task_items")
    for suffix in ("csv", "jsonl"):
        blind = tmp_path / f"rate.{suffix}"
        redink.plan_sample(cases, blind=blind, key=tmp_path / "k.json", errors=3, oks=3)
        read = items.read_items(blind)
        assert [item.key for item in read] == [f"c{n}" for n in range(1, 7)]
        assert all(item.payload["text"].startswith("They came") for item in read)
        assert {(item.payload["start"], item.payload["end"]) for item in read} == {(2, 3)}


def test_filled_in_csv_is_read_as_answers(cases: Path, tmp_path: Path) -> None:
    blind, key = tmp_path / "rate.csv", tmp_path / "key.json"
    redink.plan_sample(cases, blind=blind, key=key, errors=30, oks=30)
    answers = {j.item: j.label for j in judge_blindly(key, cases)}
    with blind.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with blind.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows({**r, "judge": "ann", "label": answers[r["item"]]} for r in rows)
    by_file = redink.estimate_sample(key, blind, ok=["fine"])
    by_value = redink.estimate_sample(key, judge_blindly(key, cases), ok=["fine"])
    assert by_file.rows == by_value.rows


def test_planning_for_widths(cases: Path, tmp_path: Path) -> None:
    table = redink.plan_sample(
        cases,
        blind=tmp_path / "b.csv",
        key=tmp_path / "k.json",
        precision_width=0.12,
        recall_width=0.2,
        expect_precision=0.8,
        expect_misses=0.05,
    )
    note = next(note for note in table.notes if note.startswith("Expected width"))
    assert "precision 0.1" in note
    assert "recall 0.20" in note or "recall 0.19" in note


def test_plans_and_simulations_draw_themselves(cases: Path, tmp_path: Path) -> None:
    files = {"blind": tmp_path / "b.csv", "key": tmp_path / "k.json"}
    redink.plan_sample(cases, **files, errors=20, oks=40, plot=tmp_path / "widths.svg")
    redink.simulate_sample(cases, sizes=[50, 100], repeats=20).plot(tmp_path / "sizes.svg")
    assert (tmp_path / "widths.svg").read_text().startswith("<?xml")
    assert (tmp_path / "sizes.svg").read_text().startswith("<?xml")
    with pytest.raises(OptionError, match="needs a plan with both Error and OK cases"):
        redink.plan_sample(cases, **files, errors=20, oks=0).plot(tmp_path / "none.svg")


def test_words_are_cases_too(tmp_path: Path) -> None:
    path = tmp_path / "system.ged.tsv"
    path.write_text("They\tc\ncame\tc\nto\ti\noutside\tc\n\nIt\tc\nrain\ti\n", encoding="utf-8")
    blind, key = tmp_path / "rate.jsonl", tmp_path / "key.json"
    redink.plan_sample(path, blind=blind, key=key, errors=2, oks=4)
    records = [json.loads(line) for line in blind.read_text("utf-8").splitlines()]
    entries = {e["item"]: e["case"] for e in json.loads(key.read_text("utf-8"))["items"]}
    marked = {
        entries[r["item"]]: r["text"].split()[int(r["start"]) : int(r["end"])] for r in records
    }
    assert marked["s1t2"] == ["to"]
    assert marked["s2t1"] == ["rain"]
    rain = next(r for r in records if entries[r["item"]] == "s2t1")
    assert rain["before"] == "They came to outside"


def test_only_some_words_are_cases(tmp_path: Path) -> None:
    path = tmp_path / "system.ged.tsv"
    path.write_text("To\tc\ncome\tc\nto\ti\nus\tc\n", encoding="utf-8")
    files = {"blind": tmp_path / "b.csv", "key": tmp_path / "k"}
    table = redink.plan_sample(path, **files, errors=1, oks=1, words=["to", "in"])
    assert table.rows[2]["cases"] == 2
    with pytest.raises(DataError, match="no case has a marked word among: at"):
        redink.plan_sample(path, **files, errors=1, oks=1, words=["at"])
    with pytest.raises(DataError, match="case 'a' marks no words"):
        redink.plan_sample({"a": "ok"}, **files, errors=0, oks=1, words=["at"])


def test_cases_without_text_are_named(tmp_path: Path) -> None:
    blind = tmp_path / "rate.csv"
    with pytest.warns(RedinkWarning, match="no column text"):
        redink.plan_sample(
            {"a": "error", "b": "ok"}, blind=blind, key=tmp_path / "k", errors=1, oks=1
        )
    with blind.open(encoding="utf-8", newline="") as stream:
        assert {row["case"] for row in csv.DictReader(stream)} == {"a", "b"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"oks": 5}, "number of Error cases"),
        ({"errors": 5}, "number of OK cases"),
        ({"errors": 5, "error_rate": 0.1, "oks": 5}, "not both"),
        ({"errors": 10**6, "oks": 5}, "cannot draw .* there are only"),
        ({"errors": 0, "oks": 0}, "the sample is empty"),
        ({"errors": 5, "recall_width": 0.1}, "--expect-misses"),
    ],
)
def test_impossible_plans_get_words(cases: Path, tmp_path: Path, options, words: str) -> None:
    blind, key = tmp_path / "b.csv", tmp_path / "k.json"
    with pytest.raises(OptionError, match=words):
        redink.plan_sample(cases, blind=blind, key=key, **options)
    assert not blind.exists()
    assert not key.exists()


def test_files_of_a_plan_must_differ_and_fit(cases: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="would write the same file"):
        redink.plan_sample(cases, blind=tmp_path / "a.csv", key=tmp_path / "a.csv", errors=1, oks=1)
    with pytest.raises(OptionError, match=r"must end in \.csv or \.jsonl"):
        redink.plan_sample(cases, blind=tmp_path / "a.xls", key=tmp_path / "k", errors=1, oks=1)
    twice = [Judgment("a", "s", "ok"), Judgment("a", "s", "error")]
    with pytest.raises(DataError, match="names must be unique"):
        redink.plan_sample(twice, blind=tmp_path / "a.csv", key=tmp_path / "k", errors=1, oks=1)


def two_raters(key: Path) -> list[Judgment]:
    """Raters of all cases, the second of whom sees other errors and a few more of them."""
    entries = json.loads(key.read_text("utf-8"))["items"]
    judgments = []
    for judge, hits, misses, offset in (("ann", 800, 460, 0), ("bob", 810, 454, 150)):
        for decision, errors in (("error", hits), ("ok", misses)):
            items = [entry["item"] for entry in entries if entry["decision"] == decision]
            judgments += [
                Judgment(item, judge, "error" if place < errors else "ok")
                for place, item in enumerate(np.roll(items, offset).tolist())
            ]
    return judgments


@pytest.fixture
def all_judged(tmp_path: Path) -> Path:
    """The key of a plan that draws all of 1000 Error and 9000 OK cases."""
    key = tmp_path / "key.json"
    cases = {f"p{n}": "error" if n < 1000 else "ok" for n in range(10_000)}
    with pytest.warns(RedinkWarning, match="no column text"):
        redink.plan_sample(cases, blind=tmp_path / "b.csv", key=key, error_rate=1, ok_rate=1)
    return key


def test_two_raters_of_everything_give_estimates_between_their_own(all_judged: Path) -> None:
    """Raters at P/R .80/.635 and .81/.641: a case they differ on counts in part, not as unknown."""
    table = redink.estimate_sample(all_judged, two_raters(all_judged))
    ann, bob, both = (estimates(table, judge) for judge in ("ann", "bob", "all"))
    assert (ann["precision"], round(ann["recall"], 3)) == (0.8, 0.635)
    assert (bob["precision"], round(bob["recall"], 3)) == (0.81, 0.641)
    for name in ("hit_rate", "fp_rate", "miss_rate", "precision", "recall", "f", "error_rate"):
        assert min(ann[name], bob[name]) <= both[name] <= max(ann[name], bob[name])
    assert both["precision"] == pytest.approx(0.805)
    assert both["cases"] == 10_000
    assert list(dict.fromkeys(row["judge"] for row in table.rows)) == ["all", "ann", "bob"]
    assert any(note.startswith("Judges differ on 596 of 10000 cases") for note in table.notes)


@pytest.mark.parametrize(
    ("ties", "precision", "recall"), [("error", 0.95, 0.609), ("ok", 0.66, 0.685)]
)
def test_even_splits_count_as_the_user_says(
    all_judged: Path, ties: str, precision: float, recall: float
) -> None:
    table = redink.estimate_sample(all_judged, two_raters(all_judged), ties=ties, by_judge=False)
    assert estimates(table)["precision"] == precision
    assert round(estimates(table)["recall"], 3) == recall
    assert "judge" not in table.column_names
    assert table.signature["ties"] == ties


def test_dropping_ties_is_warned_of(all_judged: Path) -> None:
    with pytest.warns(RedinkWarning, match="596 ties between judges of 10000 cases dropped"):
        table = redink.estimate_sample(all_judged, two_raters(all_judged), ties="skip")
    assert round(estimates(table, "all")["precision"], 2) == 0.93
    assert estimates(table, "all")["cases"] == 10_000 - 596


@pytest.mark.parametrize("interval", ["wilson", "normal", "bootstrap"])
def test_verification_by_two_raters(interval: str) -> None:
    """Of 100 flags 60 are errors to both, 20 to one: .70, between .80 and .60, and narrower."""
    labels = {"ann": 80, "bob": 60}
    answers = [
        Judgment(f"f{n}", judge, "error" if n < errors else "ok")
        for judge, errors in labels.items()
        for n in range(100)
    ]
    table = redink.verify_sample(answers, interval=interval)
    rows = {row["judge"]: row for row in table.rows if row["quantity"] == "precision"}
    assert {judge: row["estimate"] for judge, row in rows.items()} == pytest.approx(
        {"all": 0.7, "ann": 0.8, "bob": 0.6}
    )
    half = 1.96 * np.std([1] * 60 + [0.5] * 20 + [0] * 20) / 10
    assert rows["all"]["high"] - rows["all"]["low"] == pytest.approx(2 * half, rel=0.05)


def test_right_edits_are_errors_that_the_system_found() -> None:
    verdicts = ["right"] * 2 + ["wrong"] * 15 + ["optional"] * 3
    answers = [
        Judgment(f"s{n}.e1", "ann", verdict, extra=(("question", "edit"),))
        for n, verdict in enumerate(verdicts)
    ]
    answers += [
        Judgment(f"s{n}.remains", "ann", "yes", extra=(("question", "remains"),)) for n in range(20)
    ]
    assert estimates(redink.verify_sample(answers))["precision"] == 0.1
    assert estimates(redink.verify_sample(answers, ok=["wrong"]))["precision"] == 0.25
    merged = redink.verify_sample(answers, merge_labels={"good": ["right", "optional"]})
    assert estimates(merged)["precision"] == 0.25


def test_right_can_mean_the_text_or_the_flag() -> None:
    answers = [Judgment(f"f{n}", "ann", "right" if n else "wrong") for n in range(4)]
    with pytest.raises(OptionError, match="'right' can mean that the text is right or"):
        redink.verify_sample(answers)
    assert estimates(redink.verify_sample(answers, ok=["right"]))["precision"] == 0.25


def test_several_questions_are_not_pooled() -> None:
    answers = [
        Judgment(f"f{n}", "ann", "error" if n % number else "ok", extra=(("question", name),))
        for number, name in ((2, "grammar"), (5, "fluency"))
        for n in range(10)
    ]
    with pytest.raises(OptionError, match=r"2 questions .*grammar, fluency.*--question"):
        redink.verify_sample(answers)
    assert estimates(redink.verify_sample(answers, question="fluency"))["precision"] == 0.8
    with pytest.raises(
        OptionError, match="unknown question 'meaning'; expected one of: grammar, fluency"
    ):
        redink.verify_sample(answers, question="meaning")


def test_time_spent_is_counted(cases: Path, tmp_path: Path) -> None:
    key = tmp_path / "key.json"
    redink.plan_sample(cases, blind=tmp_path / "b.csv", key=key, errors=60, oks=60)
    answers = [Judgment(j.item, j.judge, j.label, duration=60.0) for j in judge_blindly(key, cases)]
    found = estimates(redink.estimate_sample(key, answers, ok=["fine"]))
    assert found["hours"] == pytest.approx(2)
    assert found["hours_exhaustive"] == pytest.approx(2000 / 60)


def test_unanswered_cases_are_noted(cases: Path, tmp_path: Path) -> None:
    key = tmp_path / "key.json"
    redink.plan_sample(cases, blind=tmp_path / "b.csv", key=key, errors=60, oks=60)
    table = redink.estimate_sample(key, judge_blindly(key, cases)[:60], ok=["fine"])
    assert any(note.startswith("60 of 120 drawn cases have no answer") for note in table.notes)
    assert estimates(table)["cases"] == 60


def test_answers_to_another_plan_are_refused(cases: Path, tmp_path: Path) -> None:
    key = tmp_path / "key.json"
    redink.plan_sample(cases, blind=tmp_path / "b.csv", key=key, errors=5, oks=5)
    with pytest.raises(DataError, match="no answer is about an item of the key"):
        redink.estimate_sample(key, [Judgment("zzz", "ann", "ok")])
    with pytest.raises(DataError, match="1 answered items are not in the key, such as 'zzz'"):
        redink.estimate_sample(key, [*judge_blindly(key, cases), Judgment("zzz", "ann", "fine")])
    unclear = [Judgment(j.item, "ann", "1") for j in judge_blindly(key, cases)]
    with pytest.raises(OptionError, match="--ok LABEL"):
        redink.estimate_sample(key, unclear)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"kind": "sample key"}', "item,label\n"])
def test_what_is_no_key_is_refused(tmp_path: Path, content: str) -> None:
    key = tmp_path / "key.json"
    key.write_text(content)
    with pytest.raises(FormatError, match=r"key\.json"):
        redink.estimate_sample(key, [Judgment("a", "ann", "ok")])


def test_only_error_cases_judged() -> None:
    table = redink.estimate_sample(from_counts=Counts(60, 15, 0, 0), cases=(100, 900))
    assert estimates(table)["precision"] == 0.8
    assert estimates(table)["recall"] is None
    assert any("(verification method: no OK case was judged)" in n for n in table.notes)


def test_estimates_need_something() -> None:
    with pytest.raises(DataError, match="needs all four counts"):
        redink.estimate_sample(from_counts=Counts(1, 2, 3), cases=(10, 10))
    with pytest.raises(OptionError, match="a key and answers, or --from-counts"):
        redink.estimate_sample()
    with pytest.raises(OptionError, match="needs --cases ERROR OK"):
        redink.estimate_sample(from_counts=Counts(1, 1, 1, 1))
    with pytest.raises(OptionError, match=r"cases cannot be \(10,\)"):
        redink.estimate_sample(from_counts=Counts(1, 1, 1, 1), cases=(10,))  # type: ignore[arg-type]


def test_verification_gives_precision_alone() -> None:
    answers = [Judgment(f"f{n}", "ann", "ok" if n % 5 == 0 else "error") for n in range(100)]
    table = redink.verify_sample(answers)
    precision, recall = table.rows
    assert precision["estimate"] == 0.8
    assert precision["low"] < 0.8 < precision["high"]
    assert recall["estimate"] is None
    assert any(note.startswith("Recall is undefined") for note in table.notes)
    whole = redink.verify_sample(answers, cases=100).rows[0]
    assert whole["low"] == whole["high"] == 0.8
    with pytest.raises(DataError, match="cannot come from 50"):
        redink.verify_sample(answers, cases=50)


def test_simulation_from_cases_and_from_counts(cases: Path) -> None:
    table = redink.simulate_sample(cases, sizes=[100, 400], repeats=500)
    truth = list(truth_of(cases).values())
    cells = ((True, True), (True, False), (False, True), (False, False))
    counts = Counts(*map(truth.count, cells))
    by_counts = redink.simulate_sample(from_counts=counts, sizes=[100, 400], repeats=500)
    assert by_counts.rows == table.rows
    for row in table.rows:
        assert row["low"] <= row["truth"] <= row["high"]
        assert row["estimate"] == pytest.approx(row["truth"], abs=0.05)
    assert [row["sample"] for row in table.rows] == [100, 400, 100, 400]


def test_simulations_that_cannot_be(cases: Path) -> None:
    with pytest.raises(DataError, match="have no value in the column gold"):
        redink.simulate_sample({"a": "ok", "b": "error"})
    with pytest.raises(OptionError, match="cannot draw samples of 5000 cases"):
        redink.simulate_sample(cases, sizes=[5000])
    with pytest.raises(OptionError, match="quantities: unknown value 'accuracy'"):
        redink.simulate_sample(from_counts=Counts(80, 20, 100, 800), quantities=["accuracy"])
    with pytest.raises(OptionError, match="cases with the column gold, or --from-counts"):
        redink.simulate_sample()


def write_cases(path: Path, decisions: np.ndarray) -> Path:
    lines = [f"p{n},{'Error' if flag else 'OK'},text {n}" for n, flag in enumerate(decisions)]
    path.write_text("\n".join(["item,label,text", *lines]) + "\n")
    return path


def test_one_sample_serves_several_systems(tmp_path: Path) -> None:
    """Over 80 samples: estimates without bias, and intervals that contain the truth."""
    rng = np.random.default_rng(3)
    truth = rng.random(1500) < 0.1
    flags = {
        "one": np.where(truth, rng.random(1500) < 0.6, rng.random(1500) < 0.05),
        "two": np.where(truth, rng.random(1500) < 0.3, rng.random(1500) < 0.02),
    }
    paths = {name: write_cases(tmp_path / f"{name}.csv", given) for name, given in flags.items()}
    known = {}
    for name, given in flags.items():
        tp, fp, fn = (given & truth).sum(), (given & ~truth).sum(), (~given & truth).sum()
        n = len(truth)
        bias, errors = given.mean(), truth.mean()
        chance = bias * errors + (1 - bias) * (1 - errors)
        kappa = (1 - (fp + fn) / n - chance) / (1 - chance)
        measures = {"precision": tp / (tp + fp), "recall": tp / (tp + fn), "kappa": kappa}
        known |= {(name, quantity): value for quantity, value in measures.items()}
        known[name, "error_rate"] = errors
    found: dict[tuple[str, str], list[tuple[float, bool]]] = {key: [] for key in known}
    key, blind = tmp_path / "key.json", tmp_path / "blind.csv"
    for seed in range(80):
        options = {"errors": 80, "oks": 300, "seed": seed}
        redink.plan_sample(paths["one"], also=[paths["two"]], blind=blind, key=key, **options)
        items = json.loads(key.read_text())["items"]
        assert len(items) == 380
        answers = [
            Judgment(e["item"], "ann", "error" if truth[int(e["case"][1:])] else "ok")
            for e in items
        ]
        for row in redink.estimate_sample(key, answers).rows:
            if (at := (row["system"], row["quantity"])) in known:
                is_inside = row["low"] <= known[at] <= row["high"]
                found[at].append((row["estimate"], is_inside))
    for at, results in found.items():
        values, inside = zip(*results, strict=True)
        error = np.std(values) / np.sqrt(len(values))
        slack = 0.01 if at[1] == "recall" else 0.002  # a ratio of estimates has a small bias
        assert abs(np.mean(values) - known[at]) < 3 * error + slack, at
        assert np.mean(inside) > 0.88, at


def test_a_pooled_sample_needs_answers_of_every_part(tmp_path: Path) -> None:
    one = write_cases(tmp_path / "one.csv", np.array([True] * 10 + [False] * 90))
    two = write_cases(tmp_path / "two.csv", np.array([False] * 8 + [True] * 6 + [False] * 86))
    key, blind = tmp_path / "key.json", tmp_path / "blind.csv"
    options = {"blind": blind, "key": key, "errors": 14, "oks": 20}
    rows = {
        row["subcorpus"]: row["cases"] for row in redink.plan_sample(one, also=[two], **options)
    }
    parts = {"Error: one": 8, "Error: one+two": 2, "Error: two": 4}
    assert rows == {**parts, "Error": 14, "OK": 86, "both": 100}
    items = json.loads(key.read_text())["items"]
    kept = [entry["item"] for entry in items if entry["decisions"] != "-E"]
    answers = [Judgment(item, "a", "error" if item < "c2" else "ok") for item in kept]
    with pytest.raises(DataError, match="no answer about the 4 cases"):
        redink.estimate_sample(key, answers)
    short = write_cases(tmp_path / "short.csv", np.array([True] * 5))
    with pytest.raises(DataError, match="no label for 95 items, such as 'p5'"):
        redink.plan_sample(one, also=[short], **options)


def test_kappa_and_bias_of_a_sample_by_hand() -> None:
    """Figure 1: hits .08, misses .27, a tenth flagged; agreement .08 + .63 = .71."""
    for interval in ("wilson", "normal", "bootstrap"):
        table = redink.estimate_sample(**FIGURE_1, interval=interval)
        rows = {row["quantity"]: row for row in table.rows}
        chance = 0.1 * 0.35 + 0.9 * 0.65
        assert rows["kappa"]["estimate"] == pytest.approx((0.71 - chance) / (1 - chance))
        assert rows["kappa"]["low"] < rows["kappa"]["estimate"] < rows["kappa"]["high"]
        assert rows["bias"]["estimate"] == rows["bias"]["low"] == 0.1


def test_costs_of_approaches() -> None:
    """Table 7 for the corpus of figure 1, by two judges at 2 cents and 125 cases an hour."""
    table = redink.compare_approaches(
        from_counts=(1000, 9000), error_rate=0.75, oks=1500, expect_misses=0.3, price=0.02
    )
    found = {
        (row["approach"], row["judges"]): tuple(
            row[name] for name in ("judgments", "hours", "cost", "judgments_next")
        )
        for row in table.rows
    }
    assert found == {
        ("standard", 1): (10_000, 80, 200, 0),
        ("standard", 2): (20_000, 160, 400, 0),
        ("sampling", 1): (2250, 18, 45, 2250),
        ("sampling", 2): (4500, 36, 90, 4500),
        ("verification", 2): (1500, 12, 30, 1500),
    }
    widths = {row["approach"]: (row["precision_width"], row["recall_width"]) for row in table.rows}
    assert widths["standard"] == pytest.approx((0, 0))
    assert widths["verification"] == (widths["sampling"][0], None)
