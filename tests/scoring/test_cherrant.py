"""ChERRANT's scorer: its figures in all its modes, its quirks, and the same without them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.errors import DataError
from redink.evaluation import Evaluation
from redink.scoring.chinese_errant import Cherrant

LEVELS = {"-dt": "detection-token", "-ds": "detection-span", "-cse": "correction-typed"}
NAMES = {
    "-b": "beta",
    "--start": "start",
    "--end": "end",
    "--max_answer_num": "answers",
    "--reference_num": "references",
}


def metric_of(options: list[str]) -> Cherrant:
    """The metric that does what the original's options say; some of them say nothing."""
    given: dict[str, Any] = {}
    for place, option in enumerate(options):
        value = options[place + 1] if place + 1 < len(options) else ""
        if option in LEVELS:
            given["level"] = LEVELS[option]
        elif option in {"-single", "-multi"}:
            given["only"] = option[1:]
        elif option == "-cat":
            given["by"] = ("operation", "type", "full")[int(value) - 1]
        elif option == "-filt":
            rest = options[place + 1 :]
            given["exclude"] = tuple(
                rest[: next((n for n, o in enumerate(rest) if o[0] == "-"), 9)]
            )
        elif option in NAMES:
            given[NAMES[option]] = float(value) if option == "-b" else int(value)
    return Cherrant(**given)


def printed(metric: Cherrant, reference: Path, hypothesis: Path) -> str:
    """The rows of figures, as the original prints them."""
    loaded = Evaluation.load(reference, {"system": hypothesis})
    overall, *by_type = metric.rows(metric.collect(loaded.references, loaded.systems[0]))
    lines = [
        " ".join(
            [
                row["type"].ljust(14),
                *(str(row[name]).ljust(8) for name in ("tp", "fp", "fn")),
                *(str(round(row[name], 4)).ljust(8) for name in ("precision", "recall")),
                str(round(row["f"], 4)),
            ]
        )
        for row in by_type
        if any(row[name] for name in ("tp", "fp", "fn"))
    ]
    figures = [overall[name] for name in ("tp", "fp", "fn")]
    figures += [round(overall[name], 4) for name in ("precision", "recall", "f")]
    return "\n".join([*lines, "\t".join(map(str, figures))])


def figures_of(text: str) -> str:
    """The rows of figures in what the original printed, titles and single sentences aside."""
    tables = text.strip().split("\n\n")[-2 if "Category" in text else -1 :]
    lines = "\n".join(tables).split("\n")
    return "\n".join(line for line in lines if not line.startswith(("=", "Category", "TP\t")))


def test_the_original_figures_on_random_files(shared: Path, tmp_path: Path) -> None:
    """T lines, several annotators, NA, UNK, files without annotators, 33 sets of options."""
    path = shared / "oracles" / "languages" / "zh" / "compare-random-cases.json.gz"
    for case in json.loads(gzip.decompress(path.read_bytes())):
        for name in ("hyp", "ref"):
            (tmp_path / f"{name}.m2").write_text(case[name], encoding="utf-8")
        ours = printed(metric_of(case["options"]), tmp_path / "ref.m2", tmp_path / "hyp.m2")
        assert ours == figures_of(case["printed"]), case["options"]


@pytest.mark.parametrize("options", [[], ["-dt", "-cat", "3"], ["--reference_num", "2"]])
def test_the_original_figures_on_a_real_system(options: list[str], shared: Path) -> None:
    """The sample prediction of MuCGEC against its references."""
    folder = shared / "oracles" / "languages" / "zh" / "mucgec-dev"
    recorded = json.loads(gzip.decompress((folder / "compare.json.gz").read_bytes()))
    (case,) = [
        c for c in recorded if (c["hyp"], c["ref"], c["options"]) == ("real", "reference", options)
    ]
    ours = printed(metric_of(options), folder / "reference.m2.gz", folder / "real.m2.gz")
    assert ours == figures_of(case["printed"])


@pytest.mark.slow
def test_all_the_original_figures(shared: Path) -> None:
    """Every system of MuCGEC under every set of options that was recorded."""
    folder = shared / "oracles" / "languages" / "zh" / "mucgec-dev"
    for case in json.loads(gzip.decompress((folder / "compare.json.gz").read_bytes())):
        paths = [folder / f"{case[name]}.m2.gz" for name in ("ref", "hyp")]
        assert printed(metric_of(case["options"]), *paths) == figures_of(case["printed"])


TWO_ALIGNMENTS = """\
S 欢 欢 地
T0-A0 欢 地
A 0 1|||R|||-NONE-|||REQUIRED|||-NONE-|||0
A 2 3|||S|||的|||REQUIRED|||-NONE-|||0
T0-A1 欢 地
A 1 2|||R|||-NONE-|||REQUIRED|||-NONE-|||0
A 2 3|||S|||的|||REQUIRED|||-NONE-|||0
"""
SYSTEM = """\
S 欢 欢 地
T0-A0 欢 地
A 1 2|||R|||-NONE-|||REQUIRED|||-NONE-|||0
A 2 3|||S|||的|||REQUIRED|||-NONE-|||0
"""


def counts(tmp_path: Path, reference: str, system: str, metric: str) -> tuple[int, int, int]:
    (tmp_path / "gold.m2").write_text(reference, encoding="utf-8")
    (tmp_path / "system.m2").write_text(system, encoding="utf-8")
    (row,) = redink.score(tmp_path / "gold.m2", [tmp_path / "system.m2"], metrics=[metric]).rows
    return row["tp"], row["fp"], row["fn"]


def test_alignments_are_one_annotator_or_each_a_version(tmp_path: Path) -> None:
    """The original counts an edit of two alignments twice; fixed, the best alignment counts."""
    assert counts(tmp_path, TWO_ALIGNMENTS, SYSTEM, "cherrant") == (3, 0, 1)
    assert counts(tmp_path, TWO_ALIGNMENTS, SYSTEM, "cherrant(fixed)") == (2, 0, 0)
    assert counts(tmp_path, TWO_ALIGNMENTS, SYSTEM, "errant") == (1, 1, 1)  # the first alone


REFUSED = "S 我 门\nT0 无法标注\nA -1 -1|||NA|||-NONE-|||REQUIRED|||-NONE-|||0\n"
EDIT = "S 我 门\nT0-A0 我 们\nA 1 2|||S|||们|||REQUIRED|||-NONE-|||0\n"


def test_sentences_that_nobody_can_annotate_do_not_count(tmp_path: Path) -> None:
    """The original skips them with one such annotator, fixed with any number of them."""
    twice = REFUSED + REFUSED.split("\n", 1)[1].replace("T0", "T1").replace("|||0", "|||1")
    assert counts(tmp_path, REFUSED, EDIT, "cherrant") == (0, 0, 0)
    assert counts(tmp_path, twice, EDIT, "cherrant") == (0, 1, 1)
    assert counts(tmp_path, twice, EDIT, "cherrant(fixed)") == (0, 0, 0)


def test_verdicts_name_every_edit(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(TWO_ALIGNMENTS + "\n" + REFUSED, encoding="utf-8")
    (tmp_path / "system.m2").write_text(SYSTEM + "\n" + EDIT, encoding="utf-8")
    redink.score(
        tmp_path / "gold.m2",
        [tmp_path / "system.m2"],
        metrics=["cherrant"],
        sentences=tmp_path / "sentences.jsonl",
    )
    first, second = map(json.loads, (tmp_path / "sentences.jsonl").read_text().splitlines())
    assert [(e["verdict"], e["start"]) for e in first["edits"]] == [
        ("FN", 0),
        ("TP", 1),
        ("TP", 2),
        ("TP", 2),
    ]
    assert second["edits"] == []


def test_text_is_annotated_first(tmp_path: Path) -> None:
    """Lines of Chinese, raw or with blanks, are cut into characters wherever they come in."""
    pytest.importorskip("pypinyin")
    pytest.importorskip("opencc")
    (tmp_path / "gold.m2").write_text(EDIT, encoding="utf-8")
    for text in ("我们", "我 们"):
        (row,) = redink.score(
            tmp_path / "gold.m2", {"text": [text]}, metrics=["cherrant"], language="zh"
        ).rows
        assert (row["tp"], row["fp"], row["fn"]) == (1, 0, 0)
    apart = redink.score(
        source=["我门都去了", "很好"],
        references=[["我们都去了", "没有错误"]],
        systems={"text": ["我们都去了", "很好"]},
        metrics=["cherrant", "gleu", "m2"],
        language="zh",
    )
    assert [row.get("f", row.get("score")) for row in apart.rows] == [1.0, 1.0, 1.0]
    (tmp_path / "other.m2").write_text(EDIT.replace("S 我", "S 你"), encoding="utf-8")
    with pytest.raises(
        DataError, match="sentence 1 of system 'other' is not that of the reference"
    ):
        redink.score(tmp_path / "gold.m2", [tmp_path / "other.m2"], metrics=["cherrant"])


GROUPS = """\
S 我 门 好 吗
T0-A0 我 们 很 好
A 1 2|||S:SPELL|||们|||REQUIRED|||-NONE-|||0
A 2 2|||M:ADV|||很 很|||REQUIRED|||-NONE-|||0
A 3 4|||R:AUX|||-NONE-|||REQUIRED|||-NONE-|||0
"""
OTHERS = """\
S 我 门 好 吗
T0-A0 我 们 好 马 上
A 1 2|||S:SPELL|||们|||REQUIRED|||-NONE-|||0
A 3 4|||S:NOUN|||马 上|||REQUIRED|||-NONE-|||0
"""


def test_edits_of_one_word_or_several(tmp_path: Path) -> None:
    """The original measures the words of the source alone, fixed those of the correction too."""
    assert counts(tmp_path, GROUPS, OTHERS, "cherrant") == (1, 1, 2)
    assert counts(tmp_path, GROUPS, OTHERS, "cherrant(only=single)") == (1, 1, 2)
    assert counts(tmp_path, GROUPS, OTHERS, "cherrant(only=multi)") == (0, 0, 0)
    assert counts(tmp_path, GROUPS, OTHERS, "cherrant(only=single,fixed)") == (1, 0, 1)
    assert counts(tmp_path, GROUPS, OTHERS, "cherrant(only=multi,fixed)") == (0, 1, 1)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("operation", {"S": (1, 1, 0), "M": (0, 0, 1), "R": (0, 0, 1)}),
        ("type", {"SPELL": (1, 0, 0), "NOUN": (0, 1, 0), "ADV": (0, 0, 1), "AUX": (0, 0, 1)}),
        (
            "full",
            {"S:SPELL": (1, 0, 0), "S:NOUN": (0, 1, 0), "M:ADV": (0, 0, 1), "R:AUX": (0, 0, 1)},
        ),
    ],
)
def test_counts_by_type(by: str, expected: dict[str, tuple[int, int, int]], tmp_path: Path) -> None:
    for name, text in (("gold.m2", GROUPS), ("system.m2", OTHERS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    table = redink.score(
        tmp_path / "gold.m2", [tmp_path / "system.m2"], metrics=[f"cherrant(by={by})"]
    )
    found = {r["type"]: (r["tp"], r["fp"], r["fn"]) for r in table.rows if r["type"] is not None}
    assert found == expected


def test_types_without_a_main_type_are_no_second_overall_row(tmp_path: Path) -> None:
    """Types of characters are operations only; the original leaves their category empty."""
    text = "S 我 爱 你\nA 0 1|||S|||他|||REQUIRED|||-NONE-|||0\n"
    (tmp_path / "gold.m2").write_text(text, encoding="utf-8")
    table = redink.score(
        tmp_path / "gold.m2", {"s": tmp_path / "gold.m2"}, metrics=["cherrant"], by="type"
    )
    assert [row["type"] for row in table.rows] == [None, "(no main type)"]
    shown = [line.split()[1] for line in table.render("table").splitlines() if " s " in line]
    assert shown == ["all", "(no"]


def test_types_are_chosen_by_main_type_and_operation(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(GROUPS, encoding="utf-8")
    gold = tmp_path / "gold.m2"
    for given, tp in ((["SPELL"], 1), (["S:"], 1), (["R:"], 1), (["ADV", "AUX"], 2)):
        table = redink.score(gold, {"s": gold}, metrics=["cherrant"], types=given)
        assert (table.rows[0]["tp"], table.rows[0]["fp"], table.rows[0]["fn"]) == (tp, 0, 0)
