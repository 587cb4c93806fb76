"""Rules that mark prepositions, filters that remove marks, and the decision of the paper."""

import numpy as np
import pytest
from click.testing import CliRunner

import redink
from redink.analysis.english.pipeline import default_analyzer
from redink.cli.main import cli
from redink.detectors.detector import PrepositionFinding, judge_place, load_detector
from redink.detectors.features import CLASSES, NOTHING, NUMBER_OF, PREPOSITIONS
from redink.detectors.language_model import NgramModel, write_arpa
from redink.detectors.rules import FILTERS, RULES, apply_rules
from redink.errors import FormatError, OptionError

LOW, HIGH = 0.1, 0.9


@pytest.mark.parametrize(
    ("rule", "sentence", "word", "correction", "applies"),
    [
        ("repeated", "We met in in Rome .", 3, "", True),
        ("repeated", "We met in Rome .", 2, "", False),
        ("quantifier", "Some of people left .", 1, "", True),
        ("quantifier", "Most of young people left .", 1, "", True),
        ("quantifier", "Some of the people left .", 1, "", False),
        ("quantifier", "Some of them left .", 1, "", False),
        ("quantifier", "Most of Europe is cold .", 1, "", False),
        ("quantifier", "A lot of people left .", 2, "", False),
        ("spelling", "They liv in Rome .", 2, "at", True),
        ("spelling", "They live in Rome .", 2, "at", False),
        ("spelling", "Zkljw lived for years in Rome .", 4, "at", False),
        ("antonym", "He came with a friend .", 2, "without", True),
        ("antonym", "He came with a friend .", 2, "to", False),
        ("benefactive", "He did it for him .", 3, "to", True),
        ("benefactive", "He did it for years .", 3, "in", False),
        ("clause", "They attempt to leave .", 2, "for", True),
        ("clause", "She slept since he left .", 2, "in", True),
        ("clause", "He went to Rome .", 2, "in", False),
    ],
)
def test_each_rule_applies_where_its_description_says(rule, sentence, word, correction, applies):
    kind = "confusion" if correction else "extraneous"
    marked = rule in FILTERS
    finding = PrepositionFinding(word, kind, correction, HIGH if marked else LOW)
    found, effects = apply_rules(
        [rule],
        [tuple(sentence.split())],
        [[finding]],
        {"confusion": 0.5, "extraneous": 0.5},
        default_analyzer(),
    )
    changed = (int(applies), int(applies and rule in RULES), int(applies and marked))
    assert effects == {rule: changed}
    ((after,),) = found
    if not applies:
        assert after == finding
    elif marked:
        assert after.confidence == 0
    else:
        assert (after.kind, after.confidence, after.by_rule) == ("extraneous", 1, True)


def test_rules_are_switched_by_name_and_reported(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("Some of people left in in May .\n")

    def run(*options):
        files = [str(path), "-o", str(tmp_path / "o.m2")]
        assert CliRunner().invoke(cli, ["detector", "run", *files, *options]).exit_code == 0
        return (tmp_path / "o.m2").read_text().splitlines()

    assert [line for line in run() if "|||U:PREP|||" in line] == [
        "A 1 2|||U:PREP||||||REQUIRED|||-NONE-|||0",
        "A 5 6|||U:PREP||||||REQUIRED|||-NONE-|||0",
    ]
    assert not any(line.startswith("A 1 2|||U") for line in run("--rules", "repeated"))
    rows = redink.run_detector(
        path, tmp_path / "o.m2", rules=["repeated", "clause"], show="rules"
    ).rows
    assert [row["rule"] for row in rows] == ["repeated", "clause"]
    assert (rows[0]["applies"], rows[0]["removed"]) == (1, 0)
    assert "U:PREP" not in "".join(run("--rules", "none"))
    with pytest.raises(OptionError, match="--rules none cannot be combined"):
        redink.run_detector(path, tmp_path / "o.m2", rules=["none", "clause"])


def test_the_decision_of_the_paper_is_a_difference():
    """The suggestion differs from the written preposition by more than a threshold."""
    fits = np.full(len(CLASSES), 0.0)
    fits[[NUMBER_OF["of"], NUMBER_OF["on"], NOTHING]] = 0.2, 0.7, 0.1
    frequencies = np.full(len(PREPOSITIONS), 1 / 34, np.float32)
    finding = judge_place(3, NUMBER_OF["of"], fits, frequencies, "difference")
    assert (finding.correction, finding.confidence) == ("on", pytest.approx(0.5))
    assert judge_place(3, NUMBER_OF["on"], fits, frequencies, "difference").confidence == 0


def test_arpa_files_are_models(tmp_path):
    """Also those of other programs: words with capitals are looked up as they are."""
    sentences = [["we", "discussed", "the", "plan"], ["we", "sat", "on", "the", "mat"]] * 3
    write_arpa(NgramModel.train(sentences), tmp_path / "m.arpa")
    text = (tmp_path / "m.arpa").read_text().replace("plan", "Plan")
    (tmp_path / "cased.arpa").write_text(f"made by another program\n\n{text}")
    for name, noun in (("m.arpa", "plan"), ("cased.arpa", "Plan")):
        detector = load_detector(tmp_path / name, default_analyzer())
        ((found,),) = detector.examine([("We", "discussed", "about", "the", noun)])
        assert found.confidence > 0.5
    with pytest.raises(OptionError, match="requires a classifier"):
        load_detector(tmp_path / "m.arpa", default_analyzer(), "difference")
    (tmp_path / "k.bin").write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    with pytest.raises(FormatError, match=r"binary of KenLM; pass the ARPA file"):
        load_detector(tmp_path / "k.bin", default_analyzer())
