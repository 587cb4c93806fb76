"""Chinese, character by character: cutting, alignments, types, and ChERRANT's own output."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.analysis.chinese import CHINESE, characters, cheapest_alignments
from redink.analysis.chinese.characters import Likeness, load_likeness, split
from redink.errors import OptionError
from redink.formats.m2 import read_m2

pytest.importorskip("pypinyin")
pytest.importorskip("opencc")

OPTIONS: dict[str, dict[str, Any]] = {
    "first": {"alignments": "first"},
    "--no_simplified": {"simplify": False},
    "--segmented": {"cut": "blanks"},
}


@pytest.fixture(scope="module")
def oracles(shared: Path) -> Path:
    """What the original program wrote."""
    return shared / "oracles" / "languages" / "zh"


def write_rows(path: Path, rows: list[tuple[str, ...]]) -> Path:
    """Rows as the original takes them: a number, a source, targets."""
    lines = ["\t".join((str(number), *row)) for number, row in enumerate(rows, start=1)]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def annotated(tmp_path: Path, rows: list[tuple[str, ...]], **options: Any) -> list[str]:
    """The blocks of the M2 file that the rows become."""
    source = write_rows(tmp_path / "in.para", rows)
    redink.annotate_files(source, [], tmp_path / "out.m2", language="zh", **options)
    return (tmp_path / "out.m2").read_text(encoding="utf-8").strip().split("\n\n")


def test_a_character_is_a_token() -> None:
    """White space is passed over, whatever it is; the mark of a missing part is one token."""
    assert split("我　们 a1\u00a0[缺失成分]好") == ("我", "们", "a", "1", "[缺失成分]", "好")
    assert split(" 我们  好 [ 缺 失 成 分 ] ", "blanks") == ("我们", "好", "[缺失成分]")
    assert CHINESE.tokenize("我 [缺失成分]们") == [(0, 1), (2, 8), (8, 9)]


def test_what_a_replacement_costs() -> None:
    alike = Likeness({"他": "Aa02A01", "她": "Aa02A02", "天": "Bd02A01"}, {"人": frozenset("入")})
    assert alike.cost("他", "她") == pytest.approx(0.25)  # one class of meaning, one sound
    assert alike.cost("他", "天") == pytest.approx(2 * 2 / 6 + 0.5 + 0.25)  # 02 alone is shared
    assert alike.cost("人", "入") == alike.cost("入", "人") == pytest.approx(4 / 6 + 0.25)
    assert alike.cost("，", "；") == pytest.approx(4 / 6 + 0.5)
    assert alike.cost("，", "天") == pytest.approx(4 / 6 + 0.5 + 0.499)
    assert Likeness().cost("他", "天") == pytest.approx(5 / 6 + 0.75)


def test_hostile_sentences_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redink.analysis.chinese.MOST_STEPS", 3800)
    assert len(list(cheapest_alignments(tuple("ab" * 20), tuple("b" * 35), Likeness()))) == 51


@pytest.mark.parametrize(
    ("source", "corrected", "edits"),
    [
        ("我门去", "我们去", [(1, 2, "们", "S")]),
        ("我们去了", "我们去", [(3, 4, "", "R")]),
        ("我们去", "我们要去", [(2, 2, "要", "M")]),
        ("去我们北京", "我们去北京", [(0, 3, "我 们 去", "W")]),
        ("甲乙丙", "丙乙甲", [(0, 3, "丙 乙 甲", "W")]),
        ("好，的", "的，好", [(0, 3, "的 ， 好", "W")]),
        ("他喜欢她说", "说他喜欢她", [(0, 5, "说 他 喜 欢 她", "W")]),
        ("，他很好", "他很好，", [(0, 1, "", "R"), (4, 4, "，", "M")]),  # marks never move
    ],
)
def test_edits_and_types(
    source: str, corrected: str, edits: list[tuple[int, int, str, str]]
) -> None:
    found = redink.annotate(source, corrected, language="zh")
    assert [(e.start, e.end, e.correction, e.type) for e in found] == edits
    assert all(rule != CHINESE.typing.explain(rule) for rule in (str(e.rule) for e in found))


def test_a_traditional_source_is_an_edit_unless_that_is_mended(tmp_path: Path) -> None:
    """The original simplifies the correction alone; ``fixed`` compares like with like."""
    rows = [("我們好", "我們好"), ("我們好", "我們很好")]
    assert "A 1 2|||S|||们" in annotated(tmp_path, rows)[0]
    plain, changed = annotated(tmp_path, rows, fixed=True)
    assert plain.endswith("T0 没有错误\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0")
    assert changed == "S 我 們 好\nT0-A0 我 们 很 好\nA 2 2|||M|||很|||REQUIRED|||-NONE-|||0"
    assert "noop" in annotated(tmp_path, rows, simplify=False)[0]


def test_edits_of_others_are_typed(tmp_path: Path) -> None:
    """``--gold`` keeps the edits and types them by what they do."""
    edits = ("1 2|||X|||们", "2 4|||X|||京 去")
    lines = "".join(f"A {edit}|||REQUIRED|||-NONE-|||0\n" for edit in edits)
    text = f"S 我 门 去 京\n{lines}"
    (tmp_path / "gold.m2").write_text(text, encoding="utf-8")
    redink.annotate_m2(tmp_path / "gold.m2", tmp_path / "out.m2", edits="gold", language="zh")
    (sentence,) = read_m2(tmp_path / "out.m2")
    assert [edit.type for edit in sentence.annotations[0].edits] == ["S", "W"]


def test_tables_belong_to_chinese(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="--language zh"):
        redink.annotate("a b", "a c", cherrant_data=tmp_path)
    with pytest.raises(OptionError, match=r"cilin\.txt .* is missing"):
        redink.annotate("我", "你", language="zh", cherrant_data=tmp_path)


@pytest.mark.parametrize(("module", "said"), [("pypinyin", "pypinyin"), ("opencc", "OpenCC")])
def test_what_is_missing_is_named(module: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    for function in (characters._converter, characters._readings):
        function.cache_clear()
    with pytest.raises(OptionError, match=rf"{said}.*redink\[zh\]"):
        redink.annotate("坐", "做", language="zh")


# ---- the original's own output


def cases(oracles: Path, name: str) -> Iterator[dict[str, Any]]:
    """Recorded lines whose options we have; ``--bpe`` needs a vocabulary that is not there."""
    for case in json.loads(gzip.decompress((oracles / name).read_bytes())):
        if case["options"] != ["--bpe"]:
            yield case


@pytest.mark.parametrize("name", ["edge-cases.json.gz", "tie-cases.json.gz"])
def test_odd_lines_are_annotated_as_by_the_original(
    name: str, oracles: Path, tmp_path: Path
) -> None:
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for case in cases(oracles, name):
        groups.setdefault(tuple(case["options"]), []).append(case)
    assert () in groups
    for given, members in groups.items():
        rows = [(case["source"], *case["targets"]) for case in members]
        options = {key: value for o in given for key, value in OPTIONS.get(o, {}).items()}
        found = annotated(tmp_path, rows, cherrant_data=oracles / "tables", **options)
        assert found == ["\n".join(case["m2"]) for case in members]


def blocks(oracles: Path, name: str) -> list[str]:
    """The sentences of a recorded M2 file."""
    return gzip.decompress((oracles / f"{name}.m2.gz").read_bytes()).decode().strip().split("\n\n")


def f1(found: list[str], recorded: list[str]) -> float:
    """F1 of edit lines, each once a sentence."""
    ours, theirs = (
        {(n, line) for n, block in enumerate(of) for line in block.split("\n") if line[0] == "A"}
        for of in (found, recorded)
    )
    return 2 * len(ours & theirs) / (len(ours) + len(theirs))


def annotate_oracle(oracles: Path, name: str, tmp_path: Path, **options: Any) -> list[str]:
    redink.annotate_files(
        oracles / f"{name}.para.gz", [], tmp_path / "out.m2", language="zh", **options
    )
    return (tmp_path / "out.m2").read_text(encoding="utf-8").strip().split("\n\n")


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("mucgec-dev/real", 0.999),
        *(
            pytest.param(name, 0.99, marks=pytest.mark.slow)
            for name in (
                *("mucgec-dev/reference", "mucgec-dev/first-reference", "mucgec-dev/copy"),
                *("mucgec-dev/drop50", "mucgec-dev/noisy", "mucgec-dev/multi"),
                "nlpcc18/reference",
            )
        ),
    ],
)
def test_corpora_are_annotated_as_by_the_original(
    name: str, least: float, oracles: Path, tmp_path: Path
) -> None:
    recorded = blocks(oracles, name)
    assert annotate_oracle(oracles, name, tmp_path, cherrant_data=oracles / "tables") == recorded
    assert f1(annotate_oracle(oracles, name, tmp_path), recorded) >= least


def test_tables_may_be_compressed_or_not(oracles: Path, tmp_path: Path) -> None:
    for name in ("cilin.txt", "confusion_dict.txt"):
        plain = gzip.decompress((oracles / "tables" / f"{name}.gz").read_bytes())
        (tmp_path / name).write_bytes(plain)
    assert load_likeness(str(tmp_path)).classes == load_likeness(str(oracles / "tables")).classes
