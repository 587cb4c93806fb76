"""``redink detection``: linked edits, screening, confidences, segments, partial overlap."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.errors import DataError, OptionError

CELLS = ("tp", "fp", "fn", "tn")


def m2(path: Path, *sentences: tuple[str, list[str]]) -> Path:
    """Write sentences with edits such as ``1 2 R:X new words @link=1``."""
    lines = []
    for source, edits in sentences:
        lines.append(f"S {source}")
        for edit in edits:
            spec, _, comment = edit.partition(" @")
            start, end, kind, *words = spec.split()
            fields = [f"A {start} {end}", kind, " ".join(words), "REQUIRED", comment or "-NONE-"]
            lines.append("|||".join([*fields, "0"]))
        if not edits:
            lines.append("A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0")
        lines.append("")
    path.write_text("\n".join(lines))
    return path


def cells(gold: Path, system: Path, **options: Any) -> tuple[Any, ...]:
    row = redink.detection(gold, {"ours": system}, **options).rows[-1]
    return tuple(row[name] for name in CELLS)


SOURCE = "a b c d e ."
LINKED = ["1 2 R:X x @link=1", "3 4 R:X y @link=1", "4 5 R:Z z"]


@pytest.mark.parametrize(
    ("edits", "linked", "level", "expected"),
    [
        (["1 2 R:X x", "0 1 R:X q"], None, "detection", (1, 1, 2, 3)),
        (["1 2 R:X x", "0 1 R:X q"], "any", "detection", (1, 1, 1, 3)),
        (["1 2 R:X x", "0 1 R:X q"], "all", "detection", (0, 1, 2, 3)),
        (["1 2 R:X x", "3 4 R:X y"], "all", "detection", (1, 0, 1, 4)),
        (["1 2 R:X w", "3 4 R:X y"], "any", "correction", (1, 0, 1, 4)),
        (["1 2 R:X w", "3 4 R:X y"], "all", "correction", (0, 1, 2, 4)),
    ],
)
def test_linked_edits_are_one_error(
    tmp_path: Path, edits: list[str], linked: str | None, level: str, expected: tuple[int, ...]
) -> None:
    """The 7 units of the sentence are 6 if two of them are the parts of one error."""
    gold = m2(tmp_path / "gold.m2", (SOURCE, LINKED))
    ours = m2(tmp_path / "ours.m2", (SOURCE, edits))
    assert cells(gold, ours, linked=linked, level=level) == expected


EXAMPLES = Path(redink.__file__).parent / "examples"


def read_edits() -> list[list[tuple[int, int, str]]]:
    """The edits of annotator 0 in every sentence, by plain text operations."""
    found: list[list[tuple[int, int, str]]] = []
    for line in (EXAMPLES / "gold.m2").read_text().splitlines():
        if line.startswith("S "):
            found.append([])
        elif line.startswith("A ") and line.endswith("|||0") and "noop" not in line:
            span, kind, *_ = line[2:].split("|||")
            start, end = map(int, span.split())
            found[-1].append((start, end, kind))
    return found


@pytest.mark.parametrize("types", [(), ("PREP", "DET")])
def test_screening_leaves_out_units_near_other_errors(types: Any) -> None:
    """Tokens, insertions ignored: recounted from the lines of the files."""
    expected = {"no": [0, 0, 0, 0], "yes": [0, 0, 0, 0]}
    blocks = (EXAMPLES / "eager.ged.tsv").read_text().strip().split("\n\n")
    for theirs, block in zip(read_edits(), blocks, strict=True):
        counted = [edit for edit in theirs if not types or edit[2][2:] in types]
        for token, line in enumerate(block.splitlines()):
            is_error = any(start <= token < end for start, end, _ in counted)
            is_flagged = line.split()[1] == "i"
            others = [e for e in theirs if not (e in counted and e[0] <= token < e[1])]
            # two words on each side; an insertion is between two tokens
            is_near = any(start <= token + 2 and end >= token - 1 for start, end, _ in others)
            cell = (0 if is_flagged else 2) if is_error else (1 if is_flagged else 3)
            expected["no"][cell] += 1
            expected["yes"][cell] += not is_near
    options = {"types": types, "annotator": "0", "insertions": "none", "screen": 2}
    ours = {"eager": EXAMPLES / "eager.ged.tsv"}
    table = redink.detection(EXAMPLES / "gold.m2", ours, **options, bootstrap=20)
    found = {row["screen"]: [row[name] for name in CELLS] for row in table.rows}
    assert found == expected
    assert expected["yes"] != expected["no"]
    assert all(row["kappa_low"] <= row["kappa"] <= row["kappa_high"] for row in table.rows)
    curves = redink.detection(EXAMPLES / "gold.m2", ours, **options, curve=True).rows
    assert [row["n"] for row in curves] == [sum(expected["no"]), sum(expected["yes"])]


GOLD = [
    ("a b c d .", ["0 1 R:X x", "2 3 R:X y"]),
    ("e f g .", ["1 1 M:X the"]),
    ("h i j k l .", []),
]
OURS = [
    (
        "a b c d .",
        ["0 1 R:X x @confidence=0.9", "2 3 R:X z @confidence=0.4", "1 2 U:X @confidence=.4"],
    ),
    ("e f g .", ["1 1 M:X the @confidence=0.7"]),
    ("h i j k l .", ["3 4 R:X q @sure;confidence=0.8"]),
]
# thresholds from the highest: TP, FP, FN, TN of tokens; 5 + 1, 4 + 1, 6 + 1 units
DETECTION = [
    (0, 0, 3, 15),
    (1, 0, 2, 15),
    (1, 1, 2, 14),
    (2, 1, 1, 14),
    (3, 2, 0, 13),
    (3, 15, 0, 0),
]
CORRECTION = [(0, 0, 3, 15), (1, 0, 2, 15), (1, 1, 2, 14), (2, 1, 1, 14), (2, 3, 1, 13)]


@pytest.mark.parametrize(
    ("level", "expected"), [("detection", DETECTION), ("correction", CORRECTION)]
)
def test_confidences_of_edits_give_a_curve(
    tmp_path: Path, level: str, expected: list[tuple[int, ...]]
) -> None:
    gold = m2(tmp_path / "gold.m2", *GOLD)
    ours = m2(tmp_path / "ours.m2", *OURS)
    options: dict[str, Any] = {"level": level, "annotators": "any"}
    table = redink.detection(gold, {"ours": ours}, show="points", points=0, **options)
    assert [tuple(row[name] for name in CELLS) for row in table.rows] == expected
    thresholds = [None, 0.9, 0.8, 0.7, 0.4, 0][: len(expected)]
    assert [row["threshold"] for row in table.rows] == thresholds
    (areas,) = redink.detection(gold, {"ours": ours}, curve=True, bootstrap=20, **options).rows
    steps = zip(expected[1:], expected, strict=False)
    precision = sum(now[0] / (now[0] + now[1]) * (now[0] - then[0]) / 3 for now, then in steps)
    assert areas["average_precision"] == pytest.approx(precision)
    assert areas["average_precision_low"] <= areas["average_precision"]
    assert (areas["roc_area"] is None) == (level == "correction")
    for threshold, counts in zip(thresholds[1:5], expected[1:5], strict=True):
        assert cells(gold, ours, threshold=threshold, **options) == counts


def test_confidences_of_slots_and_json_lines(tmp_path: Path) -> None:
    gold = m2(tmp_path / "gold.m2", ("I see dog .", ["2 2 M:DET a"]), ("He left .", []))
    edits = [
        [{"start": 2, "end": 2, "correction": "the", "confidence": 0.6}],
        [{"start": 1, "end": 1, "correction": "a", "confidence": 0.2, "link": 3}],
    ]
    ours = tmp_path / "ours.jsonl"
    tokens = [["I", "see", "dog", "."], ["He", "left", "."]]
    ours.write_text(
        "".join(
            json.dumps({"tokens": t, "annotations": [{"annotator": "s", "edits": e}]}) + "\n"
            for t, e in zip(tokens, edits, strict=True)
        )
    )
    options: dict[str, Any] = {"targets": "slot:a,the", "annotators": "any"}
    table = redink.detection(gold, {"ours": ours}, show="points", points=0, **options)
    counts = [tuple(row[name] for name in CELLS) for row in table.rows]
    # slots: before I, see, dog and the full stop; before He, left and the full stop
    assert counts == [(0, 0, 1, 6), (1, 0, 0, 6), (1, 1, 0, 5), (1, 6, 0, 0)]
    mixed = m2(
        tmp_path / "mixed.m2", ("I see dog .", ["2 2 M:DET a"]), ("He left .", ["0 1 R:X x"])
    )
    assert redink.detection(gold, {"ours": mixed}, curve=True, annotators="any").rows[0]["tp"] == 1
    text = mixed.read_text().replace("|||-NONE-|||0", "|||confidence=1|||0", 1)
    mixed.write_text(text)
    with pytest.raises(DataError, match="needs a confidence for every edit"):
        redink.detection(gold, {"ours": mixed}, curve=True, annotators="any")
    with pytest.raises(OptionError, match="--unit token, sentence or target"):
        redink.detection(gold, {"ours": ours}, curve=True, unit="span", annotators="any")


PARTIAL = [
    ("a b c d e f .", ["0 3 R:X x", "4 4 M:X y", "5 6 R:X z"]),
    ("g h i j .", ["0 2 R:X x", "2 4 R:X y"]),
    ("k l .", []),
]
PARTIAL_OURS = [
    ("a b c d e f .", ["2 4 R:X x", "4 4 M:X y"]),
    ("g h i j .", ["0 1 R:X x", "1 3 R:X y"]),
    ("k l .", ["0 1 R:X x"]),
]


def test_overlapping_spans_have_partial_credit(tmp_path: Path) -> None:
    """Sentence 1: 2:4 has 1 of 2 tokens and 1 of 3; the insertion is exact; 5:6 is missed.

    Sentence 2: 0:1 with 0:2 and 1:3 with 2:4 share two tokens, more than 1:3 with 0:2 alone.
    """
    gold, ours = m2(tmp_path / "gold.m2", *PARTIAL), m2(tmp_path / "ours.m2", *PARTIAL_OURS)
    options: dict[str, Any] = {"unit": "span", "beta": 1, "bootstrap": 30}
    (row,) = redink.detection(gold, {"ours": ours}, **options).rows
    assert [row[name] for name in CELLS] == [1, 4, 4, None]
    precision, recall = (1 / 2 + 1 + 1 + 1 / 2 + 0) / 5, (1 / 3 + 1 + 0 + 1 / 2 + 1 / 2) / 5
    assert row["partial_precision"] == pytest.approx(precision)
    assert row["partial_recall"] == pytest.approx(recall)
    assert row["partial_f"] == pytest.approx(2 * precision * recall / (precision + recall))
    assert row["partial_f_low"] <= row["partial_f"] <= row["partial_f_high"]
    same = redink.detection(gold, {"gold": gold}, **options).rows[0]
    assert (same["partial_precision"], same["partial_recall"]) == (1, 1)


SENTENCE = "He look at old picture of houses ."
SEGMENTS = "He | look | at | old picture | of | house | s | ."


@pytest.mark.parametrize(
    ("edit", "position", "form"),
    [
        ("1 2 R:X looks", "1", "looks"),
        ("1 2 R:X liked", "1", "liked"),
        ("6 7 R:X house", "6", ""),
        ("6 7 R:X housed", "6", "d"),
        ("3 3 M:X the", "3", "the old picture"),
        ("4 4 M:X big", "3", "old big picture"),
        ("3 5 R:X an old picture", "3", "an old picture"),
        ("4 5 R:X pictures", "3", "old pictures"),
        ("5 6 U:X", "4", ""),
        ("7 8 R:X !", "7", "!"),
        ("8 8 M:X ok", "7", ". ok"),
    ],
)
def test_segments_of_a_file_are_units(tmp_path: Path, edit: str, position: str, form: str) -> None:
    segments = tmp_path / "segments.txt"
    segments.write_text(SEGMENTS + "\n")
    gold = m2(tmp_path / "gold.m2", (SENTENCE, [edit]))
    options: dict[str, Any] = {"segments": segments}
    table = redink.detection(gold, {"same": gold}, show="units", **options)
    (row,) = table.rows
    assert (row["position"], row["annotated"], row["counted"]) == (position, form, "TP")
    assert cells(gold, gold, **options) == (1, 0, 0, 7)


def test_a_segment_file_must_fit_the_text(tmp_path: Path) -> None:
    segments = tmp_path / "segments.txt"
    segments.write_text("He | looks\n")
    gold = m2(tmp_path / "gold.m2", (SENTENCE, []))
    with pytest.raises(DataError, match=r"segments.txt:1: the line without \| differs"):
        redink.detection(gold, {"same": gold}, segments=segments)
    with pytest.raises(OptionError, match="need each other"):
        redink.detection(gold, {"same": gold}, unit="segment")


def test_references_of_another_inventory_are_reclassified(tmp_path: Path) -> None:
    """Token counts by type equal those of ``score``, which reclassifies NUCLE types too."""
    gold = m2(
        tmp_path / "gold.m2",
        ("He arrive to home at night .", ["1 2 SVA arrives", "2 3 Prep"]),
        ("She depend of him .", ["1 2 SVA depends", "2 3 Prep on"]),
    )
    texts = {"ours": ["He arrived home at night .", "She depends on him ."]}
    rows = redink.detection(gold, texts, by="type").rows
    found = {row["type"]: (row["tp"], row["fp"], row["fn"]) for row in rows}
    scored = redink.score(gold, texts, metrics="errant(level=detection-token)", by="type").rows
    assert found == {row["type"]: (row["tp"], row["fp"], row["fn"]) for row in scored}
    assert found["PREP"] == (2, 0, 0)
    with pytest.warns(redink.RedinkWarning, match="different inventories"):
        (row,) = redink.detection(gold, texts, types=["Prep"]).rows
    assert (row["tp"], row["fn"]) == (0, 2)
