"""ChERRANT's programs under names of their own: what they print and write, byte for byte."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from redink.compat.errant_annotate import chinese_main as parallel_main
from redink.compat.errant_compare import chinese_main as compare_main


def check(cases: list[dict[str, Any]], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for case in cases:
        for name in ("hyp", "ref"):
            (folder / name).write_text(case[name], encoding="utf-8")
        files = ("-hyp", str(folder / "hyp"), "-ref", str(folder / "ref"))
        assert compare_main([*files, *case["options"]]) == 0
        assert capsys.readouterr().out == case["printed"], case["options"]


def test_comparing_prints_what_the_original_prints(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = shared / "oracles" / "languages" / "zh" / "compare-random-cases.json.gz"
    check(json.loads(gzip.decompress(path.read_bytes())), tmp_path, capsys)


@pytest.mark.slow
def test_comparing_real_systems(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every system of MuCGEC under every set of options that was recorded."""
    folder = shared / "oracles" / "languages" / "zh" / "mucgec-dev"
    for case in json.loads(gzip.decompress((folder / "compare.json.gz").read_bytes())):
        texts = {
            name: gzip.decompress((folder / f"{case[name]}.m2.gz").read_bytes()).decode()
            for name in ("hyp", "ref")
        }
        check([case | texts], tmp_path, capsys)


def test_pairs_become_m2(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the tables that the environment names; what the original stops at is an error."""
    pytest.importorskip("pypinyin")
    pytest.importorskip("opencc")
    folder = shared / "oracles" / "languages" / "zh"
    monkeypatch.setenv("REDINK_CHERRANT_TABLES", str(folder / "tables"))
    files = ("-f", str(tmp_path / "in.para"), "-o", str(tmp_path / "out.m2"))
    case = json.loads(gzip.decompress((folder / "tie-cases.json.gz").read_bytes()))[0]
    row = "\t".join(["1", case["source"], *case["targets"]])
    (tmp_path / "in.para").write_text(f"{row}\n", encoding="utf-8")
    assert parallel_main([*files]) == 0
    assert (tmp_path / "out.m2").read_text(encoding="utf-8").split("\n")[:-2] == case["m2"]
    (tmp_path / "in.para").write_text("我们\n", encoding="utf-8")
    assert parallel_main([*files]) == 1
