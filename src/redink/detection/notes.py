"""What must be said beside detection figures: units, negatives, annotators."""

from __future__ import annotations

from collections.abc import Sequence

from redink.detection.rows import Outcome
from redink.detection.study import Study, Treatment
from redink.detection.was import Counting, Level
from redink.model import Corpus


def describe_units(study: Study, rule: str) -> list[str]:
    """What N is made of, and what a negative is."""
    unit = study.units
    used = list(study.numbers())
    sites = [study.sites[number] for number in used]
    sentences = f"{len(used)} sentences"
    if len(used) < len(study.sources):
        left_out = len(study.sources) - len(used)
        sentences += f" ({left_out} left out: none of the chosen annotators has seen them)"
    if any(site.size is None for site in sites):
        why = (
            "--negatives none"
            if rule == "none"
            else "non-errors have no size, so there are no true negatives"
        )
        return [
            f"Unit {unit.name}: {unit.definition}; {sentences}.",
            f"No negatives ({why}): kappa and every other measure that needs TN is refused.",
        ]
    total = sum(site.size or 0 for site in sites)
    notes = [f"Unit {unit.name}: {unit.definition}; N = {total} in {sentences}."]
    if rule == "all":
        notes.append("Negatives (all): every unit that neither annotator nor system changes.")
    else:
        able = sum(len(site.candidates or ()) for site in sites)
        notes.append(
            f"Negatives ({rule}): {able} units can be true negatives; the other {total - able} "
            "are trivial if nobody changes them: counted apart (tn_trivial), in no measure except "
            "accuracy_with_trivial and kappa_with_trivial."
        )
    return notes


def describe_annotators(study: Study, treatment: Treatment, *, selection: str) -> list[str]:
    """How several annotators were treated, if there are several."""
    names = study.annotators
    notes = []
    if study.is_judged:
        judged = sum(len(weights) for weights in study.judged)
        notes.append(
            f"Graded by judgments: {judged} units have the share of judges who see an error as "
            "their weight; the others are as annotated."
        )
    if treatment == "each" and names:
        absent = {
            name: len(list(study.numbers())) - len(list(study.numbers(name))) for name in names
        }
        gaps = [f"{name} has not seen {n} sentences" for name, n in absent.items() if n]
        notes.append(
            "Annotators (each): a row for every annotator"
            + (f"; left out for him: {', '.join(gaps)}." if gaps else ".")
        )
        return notes
    if study.most_annotators < 2:
        return notes
    meaning = {
        "best": f"per sentence the one who favours the system most (F, {selection} selection)",
        "any": "a unit is an error if any of them changes it; each form is right",
        "majority": "a unit is an error if more than half of those who saw the sentence change it",
        "graded": "a unit is as much of an error as the share of them who change it",
        "each": "",
    }[treatment]
    notes.append(f"Annotators ({treatment} of {len(names)}): {meaning}.")
    return notes


def describe_counting(
    study: Study, outcomes: Sequence[Outcome], *, level: Level, counting: Counting, graded: bool
) -> list[str]:
    """How units touched twice, and wrong corrections, were counted."""
    notes = []
    if not graded and any(o.tally is not None and not o.no_forms for o in outcomes):
        if level == "detection":
            notes.append(
                "X-Y-Z: both change the unit, to different forms: among TP here; for correction "
                "both FP and FN (--level correction)."
            )
        else:
            notes.append(
                "X-Y-Z: both change the unit, to different forms: counted twice here, as FP and "
                "as FN, so the four cells add up to N + X-Y-Z."
            )
    twice = sum(
        len(reading.times)
        for readings in study.readings
        if readings
        for reading in readings.values()
    )
    if twice and not graded and any(o.tally is not None for o in outcomes):
        if counting == "units":
            notes.append(
                f"{twice} units that several edits of one annotator touch count once; "
                "--count edits counts each edit, as the ERRANT scorer does."
            )
        else:
            notes.append(
                f"{twice} units that several edits of one annotator touch count once for each "
                "edit, as in the ERRANT scorer; the cells do not add up to N."
            )
    return notes


def describe_outside(study: Study, corpus: Corpus) -> list[str]:
    """How many of the annotators' edits concern none of the targets."""
    total = outside = 0
    for number, sentence in enumerate(corpus.sentences):
        for annotation in sentence.annotations:
            if annotation.annotator in study.annotators:
                total += len(annotation.edits)
                outside += sum(
                    not study.units.read(number, sentence.source, [edit]).forms
                    for edit in annotation.edits
                )
    if not total:
        return []
    return [f"{total - outside} of the annotators' {total} edits concern a target."]
