"""The classifiers: what they learn, how they are kept, what they mark."""

import numpy as np
import pytest

from redink.analysis.english.pipeline import default_analyzer
from redink.detectors.classifier import (
    choose_features,
    find_features,
    load_classifier,
    probabilities,
    train_classifier,
)
from redink.detectors.detector import (
    ClassifierDetector,
    PrepositionFinding,
    is_marked,
    to_edits,
    tune_thresholds,
)
from redink.detectors.features import NOTHING, PREPOSITIONS, collect_events, join_events
from redink.detectors.language_model import NgramModel
from redink.detectors.model_files import write_model
from redink.errors import DataError, FormatError, OptionError
from redink.model import AnnotatedSentence, Annotation, Edit, Sentence

DAYS = ["Monday", "Tuesday", "Friday", "Sunday"]
PLACES = ["Paris", "London", "Rome", "Berlin"]
HOURS = ["noon", "midnight", "dawn", "dusk"]
PEOPLE = ["They", "We", "You", "People"]


def make_text():
    """A language of its own: on days, in cities, at hours, and nothing after 'discussed'."""
    sentences = []
    for person in PEOPLE:
        for kind, preposition in ((DAYS, "on"), (PLACES, "in"), (HOURS, "at")):
            sentences += [(person, "met", preposition, noun, ".") for noun in kind]
        sentences += [(person, "discussed", "the", noun, ".") for noun in ("plan", "work")]
    return [(number, s) for number, s in enumerate(sentences * 3)]


@pytest.fixture(scope="module")
def events():
    return collect_events(
        make_text(), default_analyzer(), rng=np.random.default_rng(1), gap_share=1.0
    )


@pytest.fixture(scope="module")
def maxent(events):
    return train_classifier(events, rng=np.random.default_rng(1), passes=5)


def test_events_are_prepositions_and_gaps(events):
    words = {PREPOSITIONS[label] for label in events.prepositions.labels}
    assert words == {"on", "in", "at"}
    assert (events.labels == NOTHING).sum() > 0
    assert len(events.prepositions) == 4 * 12 * 3


def test_blocks_are_held_out_whole(events):
    both = join_events([events, events])
    learnt, held = both.split()
    assert not set(learnt.blocks) & set(held.blocks)
    assert len(both) == 2 * len(events)


def test_maxent_learns_the_language(events, maxent):
    test = events.prepositions
    assert (maxent.choose(test.atoms) == test.labels).mean() > 0.95
    assert maxent.probabilities(test.atoms).sum(axis=1) == pytest.approx(1)


def test_a_saved_model_says_nearly_the_same(events, maxent, tmp_path):
    maxent.save(tmp_path / "m.model")
    again = load_classifier(tmp_path / "m.model")
    assert again.about["prepositions"] == len(events.prepositions)
    assert again.thresholds == maxent.thresholds
    assert np.array_equal(again.frequencies, maxent.frequencies)
    atoms = events.atoms[:50]
    assert again.probabilities(atoms) == pytest.approx(maxent.probabilities(atoms), abs=0.02)
    again.save(tmp_path / "again.model")
    twice = load_classifier(tmp_path / "again.model")
    assert twice.probabilities(atoms) == pytest.approx(again.probabilities(atoms))


def test_maxent_marks_confusion_and_extraneous_use(maxent):
    detector = ClassifierDetector(maxent, default_analyzer())
    confused, extraneous, fine, *others = detector.examine(
        [
            ("They", "met", "in", "Monday", "."),
            ("They", "discussed", "about", "the", "plan", "."),
            ("They", "met", "on", "Friday", "."),
            ("Birds", "sing", "."),
            (),
        ]
    )
    assert others == [[], []]
    assert detector.examine([]) == []
    assert (confused[0].kind, confused[0].correction) == ("confusion", "on")
    assert confused[0].confidence > 5 * fine[0].confidence
    assert (extraneous[0].kind, extraneous[0].correction) == ("extraneous", "")
    assert extraneous[0].confidence > 5 * fine[0].confidence


def test_the_perceptron_tells_extraneous_ones(events):
    model = train_classifier(
        events, learner="perceptron", task="extraneous", rng=np.random.default_rng(1), passes=5
    )
    guess = model.linear.scores(events.atoms).argmax(axis=1)
    assert ((guess == NOTHING) == (events.labels == NOTHING)).mean() > 0.95
    found = ClassifierDetector(model, default_analyzer()).examine(
        [("They", "discussed", "about", "the", "plan", "."), ("They", "met", "in", "Rome", ".")]
    )
    assert found[0][0].confidence > 0.5 > found[1][0].confidence
    assert {f.kind for findings in found for f in findings} == {"extraneous"}
    assert set(model.thresholds) == {"extraneous"}


def test_text_without_prepositions_teaches_nothing():
    rng = np.random.default_rng(1)
    some = collect_events([(1, ("Birds", "sing", "."))], default_analyzer(), rng=rng)
    with pytest.raises(DataError, match="none of the 34 prepositions"):
        train_classifier(some, rng=rng)
    assert len(collect_events([], default_analyzer(), rng=rng)) == 0


def test_few_features_are_the_most_frequent(events):
    everything = choose_features(events.atoms, min_count=1)
    few = choose_features(events.atoms, min_count=1, max_features=10)
    assert len(few) == 10
    assert np.isin(few, everything).all()
    assert len(choose_features(events.atoms, min_count=10**6)) == 0
    assert (find_features(np.empty(0, np.uint64), few) == -1).all()
    assert probabilities(np.array([[0.0, 0.0]])).tolist() == [[0.5, 0.5]]


def test_marks_are_strictly_above_the_threshold_and_keep_capitals():
    even = PrepositionFinding(0, "extraneous", "", 0.5)
    assert not is_marked(even, {"extraneous": 0.5})
    assert is_marked(even, {"extraneous": 0.49})
    assert not is_marked(PrepositionFinding(0, "confusion", "on", 1.0), {"extraneous": 0.0})
    edits = to_edits(
        ("In", "Monday"), [PrepositionFinding(0, "confusion", "on", 0.9)], {"confusion": 0.5}
    )
    assert edits == (Edit(0, 1, "On", "R:PREP"),)


def tuned(precision, **options):
    error = AnnotatedSentence(Sentence(("in",)), (Annotation("0", (Edit(0, 1, "on", "R:PREP"),)),))
    fine = AnnotatedSentence(Sentence(("in",)), (Annotation("0"),))
    findings = [[PrepositionFinding(0, "confusion", "on", c)] for c in (0.9, 0.8, 0.7, 0.6)]
    return tune_thresholds([error, fine, error, fine], findings, precision, **options)


def test_tuning_reaches_the_wanted_precision():
    thresholds, notes = tuned(0.6, min_support=1)
    assert thresholds == {"confusion": 0.6, "extraneous": 1.0}
    # Wilson's interval of 2 of 3, by hand: (2/3 + z2/6 -+ z sqrt(2/27 + z2/36)) / (1 + z2/3)
    assert "precision 0.6667 [0.2077, 0.9385]" in notes[0]
    assert "no threshold that marks at least 1 reaches" in notes[1]
    assert tuned(1.0, min_support=1)[0]["confusion"] == 0.8
    for types, threshold in ((["PREP"], 0.6), (["R:PREP"], 0.6), (["SPELL"], 1.0)):
        assert tuned(0.6, min_support=1, types=types)[0]["confusion"] == threshold
    with pytest.raises(OptionError, match="between 0 and 1"):
        tuned(0)


@pytest.mark.parametrize(
    ("precision", "options", "threshold"),
    [
        (1.0, {"min_support": 2}, 1.0),  # the one correct mark is too few
        (0.5, {"min_support": 2}, 0.0),  # 2 of 4
        (0.5, {}, 1.0),  # 20 by default
        (0.2, {"min_support": 1, "lower_bound": True}, 0.6),  # bounds .2065 .0945 .2077 .1500
        (0.3, {"min_support": 1, "lower_bound": True}, 1.0),
    ],
)
def test_tuning_needs_support_and_a_lower_bound_if_asked(precision, options, threshold):
    assert tuned(precision, **options)[0]["confusion"] == threshold


def test_a_model_of_another_version_is_refused(maxent, tmp_path, monkeypatch):
    path = tmp_path / "m.model"
    path.write_bytes(b'redink model 2\n{"kind": "maxent"}\n')
    with pytest.raises(FormatError, match=r"version 2.*train it again"):
        load_classifier(path)
    monkeypatch.setattr("redink.detectors.model_files.VERSION", 99)
    maxent.save(path)
    monkeypatch.undo()
    with pytest.raises(FormatError, match=r"version 99.*train it again"):
        load_classifier(path)


def test_files_that_are_no_models_are_refused(maxent, tmp_path):
    path = tmp_path / "m.model"
    path.write_text("hello\n")
    with pytest.raises(FormatError, match="not a redink model"):
        load_classifier(path)
    maxent.save(path)
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(FormatError, match="damaged"):
        load_classifier(path)
    write_model(path, "perceptron", {}, {})
    with pytest.raises(FormatError, match="a part is missing"):
        load_classifier(path)
    write_model(path, "lm", {}, {})
    with pytest.raises(FormatError, match="not a classifier"):
        load_classifier(path)
    with pytest.raises(FormatError, match="damaged"):
        NgramModel.load(path)
    with pytest.raises(FormatError, match="no such file"):
        load_classifier(tmp_path / "none")
