"""Training, running, cloze and mining, from file to file."""

import json

import pytest
from click.testing import CliRunner

import redink
from redink.cli.main import cli
from redink.detectors.detector import RESOURCES, SHIPPED
from redink.errors import DataError, FormatError, OptionError, RedinkError, RedinkWarning
from redink.inputs import read_corpus, read_system

DAYS = ["Monday", "Tuesday", "Friday", "Sunday"]
PLACES = ["Paris", "London", "Rome", "Berlin"]
PEOPLE = ["They", "We", "You", "People"]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """A small language: on days, in cities, nothing after 'discussed'; 2400 lines."""
    lines = []
    for person in PEOPLE:
        lines += [f"{person} met on {day} ." for day in DAYS]
        lines += [f"{person} met in {place} ." for place in PLACES]
        lines += [f"{person} discussed the {noun} ." for noun in ("plan", "work")]
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(lines * 60) + "\n")
    return path


@pytest.fixture(scope="module")
def model(text):
    path = text.with_name("maxent.model")
    redink.train_detector(text, path, passes=2, max_features=2000)
    return path


@pytest.fixture
def essay(tmp_path):
    path = tmp_path / "essay.txt"
    path.write_text("They met in Monday .\nWe discussed on the plan .\nWe met in Rome .\n")
    return path


def quantities(table):
    return {row["quantity"]: row["value"] for row in table.rows}


def test_training_measures_on_held_out_lines(text, tmp_path):
    table = redink.train_detector(text, tmp_path / "m.model", passes=2)
    told = quantities(table)
    assert told["held-out accuracy"] > 0.95 > told["majority accuracy"]
    assert told["held-out prepositions"] == 200 * 8 // 10
    assert table.signature["seed"] == 1
    everything = redink.train_detector(text, tmp_path / "all.model", passes=1, hold_out=False)
    assert "held-out accuracy" not in quantities(everything)


def test_own_prepositions_other_and_held_out_share(text, tmp_path):
    """In the text, half of the prepositions are *on* and half *in*; there are 12 blocks."""
    path = tmp_path / "m.model"
    table = redink.train_detector(
        text, path, prepositions=["on"], other=True, held_out_share=0.5, passes=2
    )
    told = quantities(table)
    assert told["held-out prepositions"] == 6 * 200 * 8 // 10
    assert (told["majority accuracy"], told["held-out accuracy"]) == (0.5, 1.0)
    cloze = tmp_path / "t.txt"
    cloze.write_text("They met on Monday .\nWe met in Rome .\nYou met at noon .\n")
    rows = redink.cloze(cloze, model=path, items=0, show="prepositions").rows
    assert {row["preposition"]: row["written"] for row in rows} == {"on": 1, "(other)": 2}
    redink.train_detector(text, path, prepositions=["on", "whilst"], passes=2)
    rows = redink.cloze(cloze, model=path, items=0, show="prepositions").rows
    assert {row["preposition"]: row["written"] for row in rows} == {"on": 1}
    for options, message in (
        ({"prepositions": ["on", "on"]}, "different"),
        ({"other": True}, "requires"),
    ):
        with pytest.raises(OptionError, match=message):
            redink.train_detector(text, path, **options)


def test_one_classifier_per_preposition(text, essay, tmp_path):
    path = tmp_path / "m.model"
    told = quantities(redink.train_detector(text, path, one_vs_rest=True, passes=3))
    assert told["held-out accuracy of on or not"] > 0.95
    # *of* does not occur, so that its classifier must always say no
    assert told["held-out accuracy of of or not"] == 1
    redink.run_detector(essay, tmp_path / "o.m2", model=path, confusion=0.1, extraneous=0.1)
    assert "A 2 3|||R:PREP|||on|||" in (tmp_path / "o.m2").read_text()


def test_the_same_seed_gives_the_same_file(text, tmp_path):
    for name in ("a", "b"):
        redink.train_detector(text, tmp_path / name, passes=1, max_events=500, seed=7)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_perceptron_and_a_language_model_are_trained_too(text, essay, tmp_path):
    perceptron = redink.train_detector(
        text, tmp_path / "perceptron.model", detector="perceptron", passes=8
    )
    assert quantities(perceptron)["held-out accuracy"] > 0.95
    lm = redink.train_detector(
        text, tmp_path / "lm.model", detector="lm", arpa=tmp_path / "lm.arpa"
    )
    assert quantities(lm)["held-out perplexity"] < 10
    assert (tmp_path / "lm.arpa").read_text().startswith("\\data\\")
    for name in ("perceptron", "lm"):
        redink.run_detector(
            essay, tmp_path / "out.tsv", model=tmp_path / f"{name}.model", extraneous=0.5
        )
        detections = read_system(tmp_path / "out.tsv").detections
        assert detections[1].flags == (False, False, True, False, False, False)
        assert not any(detections[2].flags)


def test_run_writes_edits_flags_or_objects(model, essay, tmp_path):
    options = {"model": model, "confusion": 0.1, "extraneous": 0.1}
    table = redink.run_detector(essay, tmp_path / "out.m2", **options)
    assert {row["kind"]: row["marked"] for row in table.rows} == {"confusion": 1, "extraneous": 1}
    edits = [s.annotations[0].edits for s in read_corpus(tmp_path / "out.m2").sentences]
    assert [(e.start, e.end, e.correction, e.type) for found in edits for e in found] == [
        (2, 3, "on", "R:PREP"),
        (2, 3, "", "U:PREP"),
    ]
    redink.run_detector(essay, tmp_path / "out.ged.tsv", **options)
    redink.run_detector(essay, tmp_path / "out.jsonl", **options)
    assert read_system(tmp_path / "out.ged.tsv").detections == (
        read_system(tmp_path / "out.jsonl").detections
    )


def test_thresholds_are_tuned_for_a_precision(model, essay, tmp_path):
    gold = tmp_path / "gold.m2"
    gold.write_text(
        "S They met in Monday .\nA 2 3|||R:PREP|||on|||REQUIRED|||-NONE-|||0\n\n"
        "S We discussed on the plan .\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
    )
    table = redink.run_detector(
        essay, tmp_path / "o.m2", model=model, tune=gold, precision=0.9, min_support=1
    )
    marked = {row["kind"]: row["marked"] for row in table.rows}
    assert marked["extraneous"] == 0
    assert marked["confusion"] >= 1
    assert any("no threshold that marks" in note for note in table.notes)
    for types, finds in (("PREP", True), ("SPELL", False)):
        table = redink.run_detector(
            essay,
            tmp_path / "o.m2",
            model=model,
            tune=gold,
            precision=0.9,
            min_support=1,
            types=types,
        )
        assert any(row["marked"] for row in table.rows) == finds


def test_text_without_prepositions_is_examined_with_a_warning(model, tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("Birds sing .\n")
    with pytest.warns(RedinkWarning, match="none of the 34 prepositions"):
        redink.run_detector(path, tmp_path / "o.m2", model=model)
    assert (
        tmp_path / "o.m2"
    ).read_text() == "S Birds sing .\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
    path.write_text("")
    with pytest.raises(FormatError, match="empty"):
        redink.run_detector(path, tmp_path / "o2.m2", model=model)
    assert not (tmp_path / "o2.m2").exists()
    with pytest.raises(DataError, match="nothing to train on"):
        redink.train_detector(path, tmp_path / "m.model")
    with pytest.raises(DataError, match="no text to train"):
        redink.train_detector(path, tmp_path / "m.model", detector="lm")
    with pytest.raises(RedinkError, match="empty"):
        redink.cloze(path, model=model)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"to": "docx"}, "to: unknown value 'docx'"),
        ({"types": "PREP"}, "--types has no effect here; it requires --tune"),
        ({"model": "perceptron"}, "no perceptron is bundled with redink"),
    ],
)
def test_impossible_options_of_run(essay, tmp_path, options, message):
    with pytest.raises(OptionError, match=message):
        redink.run_detector(essay, tmp_path / "o.m2", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"detector": "hmm"}, "detector: unknown value 'hmm'"),
        ({"arpa": "a"}, "--arpa has no effect here; it requires --detector lm"),
        ({"detector": "lm", "order": 9}, "order"),
    ],
)
def test_impossible_options_of_train(text, tmp_path, options, message):
    with pytest.raises(OptionError, match=message):
        redink.train_detector(text, tmp_path / "m", **options)


def test_raw_text_is_tokenized_on_request(model, tmp_path):
    path = tmp_path / "raw.txt"
    path.write_text("They met in Rome. We met on Monday.\n")
    redink.run_detector(path, tmp_path / "o.m2", model=model, raw=True)
    assert len(read_corpus(tmp_path / "o.m2")) == 2


@pytest.fixture(scope="module")
def cloze_text(text):
    """The last sentence has a preposition that the model will not choose."""
    path = text.with_name("cloze.txt")
    path.write_text(
        "They met on Monday .\nWe met in Rome .\nYou met in Paris .\nWe met in Friday .\n"
    )
    return path


def test_cloze_agreement(model, cloze_text):
    """Text, system and people against one another, as table 2 of the paper."""
    people = [
        redink.Judgment(item, "anna", word)
        for item, word in (("s1t2", "on"), ("s2t2", "in"), ("s3t2", "at"), ("s4t2", "on"))
    ]
    table = redink.cloze(cloze_text, model=model, items=0, fillers=people)
    rows = {(row["first"], row["second"]): row for row in table.rows}
    assert rows["text", "system"]["agreement"] == 0.75
    # text: on in in in; system: on in in on. Chance: (1/4 * 2/4) + (3/4 * 2/4) = 1/2.
    assert rows["text", "system"]["kappa"] == pytest.approx(0.5)
    assert rows["text", "anna"]["agreement"] == 0.5
    assert rows["system", "anna"]["agreement"] == 0.75
    assert "accuracy 0.7500; always 'in' (majority): 0.7500" in table.notes[0]


def test_cloze_by_preposition_and_confusion(model, cloze_text):
    table = redink.cloze(cloze_text, model=model, items=0, show="prepositions")
    rows = {row["preposition"]: row for row in table.rows}
    assert (rows["in"]["precision"], rows["in"]["recall"]) == (1.0, pytest.approx(2 / 3))
    assert rows["on"]["f"] == pytest.approx(2 / 3)
    matrix = redink.cloze(cloze_text, model=model, items=0, show="confusion").rows
    assert matrix[0] == {"written": "in", "in": 2, "on": 1}


def test_mismatches_become_a_choice_test_whose_answers_adjust_accuracy(model, cloze_text, tmp_path):
    from redink.campaign.task_items import read_items

    redink.cloze(
        cloze_text, model=model, items=0, choice_test=tmp_path / "c.csv", blanks=tmp_path / "b.csv"
    )
    (item,) = read_items(tmp_path / "c.csv")
    assert (item.key, item.payload["start"], item.payload["end"]) == ("s4t2", 2, 3)
    assert sorted(item.payload["choices"]) == ["in", "on"]
    assert "They met ____ Monday ." in (tmp_path / "b.csv").read_text()
    assert len(read_items(tmp_path / "b.csv")) == 4
    answers = [redink.Judgment("s4t2", "r1", "both"), redink.Judgment("s4t2", "r2", "in")]
    table = redink.cloze(cloze_text, model=model, items=0, answers=answers)
    assert "1 of 1 mismatches: adjusted accuracy 1.0000" in table.notes[1]
    assert "0 of 1 mismatches: adjusted accuracy 0.7500" in table.notes[2]
    with pytest.raises(DataError, match="none of the answers"):
        redink.cloze(cloze_text, model=model, items=0, answers=[redink.Judgment("s9t9", "r", "in")])


def test_a_drawn_cloze_test_has_one_blank_a_sentence(model, cloze_text, tmp_path):
    for name in ("a", "b"):
        redink.cloze(cloze_text, model=model, items=2, seed=5, blanks=tmp_path / name)
    first = (tmp_path / "a").read_text()
    assert first == (tmp_path / "b").read_text()
    assert len(first.splitlines()) == 3


def test_mining_compares_trigrams_with_bigrams(text, essay, tmp_path):
    table = redink.mine(essay, counts_from=text)
    assert [row["trigram"] for row in table.rows] == ["discussed on the"]
    row = table.rows[0]
    assert (row["item"], row["trigram_count"], row["bigram_count"]) == ("s2t2", 0, 480)
    counts = tmp_path / "counts.tsv"
    counts.write_text("Discussed the\t300\ndiscussed the\t200\ndiscussed on the\t1\n")
    assert redink.mine(essay, counts=counts).rows[0]["bigram_count"] == 500
    assert redink.mine(essay, counts=counts, max_ratio=0.001).rows == []
    counts.write_text("")
    with pytest.warns(RedinkWarning, match="none of the n-grams"):
        assert redink.mine(essay, counts=counts).rows == []
    counts.write_text("discussed the 5\n")
    with pytest.raises(FormatError, match="tab and a count"):
        redink.mine(essay, counts=counts)
    with pytest.raises(OptionError, match="give either"):
        redink.mine(essay)


def test_candidates_are_items_of_a_campaign_balanced_if_asked(text, essay, tmp_path):
    from redink.campaign.task_items import Material
    from redink.campaign.tasks import TASKS

    result = CliRunner().invoke(
        cli,
        [
            "detector",
            "mine",
            str(essay),
            "--counts-from",
            str(text),
            "--balanced",
            "-o",
            str(tmp_path / "items.csv"),
        ],
    )
    assert result.exit_code == 0, result.output
    found, other = TASKS.load("crowd").make_items(Material(file=tmp_path / "items.csv"))
    assert (found.key, found.tokens[found.payload["start"]]) == ("s2t2", "on")
    assert found.payload["before"] == "They met in Monday ."
    # "met in monday" is unattested, but "met monday" is too; "met in rome" is attested
    assert (other.key, other.payload["extra"]["candidate"]) == ("s3t2", "no")


def test_strict_gaps_are_neither_infinitives_nor_conjunctions(model, tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("He attempts to meet on Monday .\nThey met since he left .\n")
    for strict, gaps in ((False, ["s1t2", "s1t4", "s2t2"]), (True, ["s1t4"])):
        redink.cloze(path, model=model, items=0, strict=strict, blanks=tmp_path / "b.csv")
        rows = (tmp_path / "b.csv").read_text().splitlines()[1:]
        assert [row.split(",")[0] for row in rows] == gaps


def test_the_shipped_models_work_and_stay_small():
    assert sum(path.stat().st_size for path in SHIPPED.values()) < 10e6
    assert "public domain" in (RESOURCES / "PROVENANCE.md").read_text()


@pytest.mark.parametrize(
    ("name", "sentence", "place"),
    [("maxent", "They depend in their parents .", 2), ("lm", "He married with her .", 2)],
)
def test_the_shipped_models_find_plain_errors(tmp_path, name, sentence, place):
    path = tmp_path / "t.txt"
    path.write_text(f"{sentence}\nThe end of the story .\n")
    result = CliRunner().invoke(cli, ["detect", "run", str(path), "--model", name, "--to", "jsonl"])
    assert result.exit_code == 0, result.output
    wrong, right = map(json.loads, result.stdout.splitlines())
    assert wrong["probabilities"][place] > 0.5 > max(right["probabilities"])
