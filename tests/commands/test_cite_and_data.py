"""What to cite for a metric; which corpora exist, and whether a copy of one is whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from redink import cite, corpora
from redink.cli.main import run_here
from redink.commands.cite import PAPERS, bibliography
from redink.errors import OptionError
from redink.scoring.specs import METRICS


def test_every_paper_named_is_there() -> None:
    for name, keys in PAPERS.items():
        assert name in {*METRICS, "redink"}
        assert set(keys) <= set(bibliography())
    for entry in bibliography().values():
        assert entry.count("{") == entry.count("}")
        assert all(f"  {field} = {{" in entry for field in ("title", "author", "year"))


def test_cite_prints_bibtex(capsys: pytest.CaptureFixture[str]) -> None:
    run_here(["cite", "m2(beta=1)", "gleu", "gleu-koyama"])
    printed = capsys.readouterr().out
    assert printed.startswith("@inproceedings{dahlmeier-ng-2012-better,\n")
    assert printed.count("napoles-etal-2015-ground") == 1
    assert [row["key"] for row in cite(["errant"])] == list(PAPERS["errant"])
    assert {row["metric"] for row in cite()} == set(PAPERS)


def test_a_metric_that_does_not_exist() -> None:
    with pytest.raises(OptionError, match="unknown metric 'rouge'"):
        cite(["rouge"])


def test_every_corpus_says_where_it_lives() -> None:
    table = corpora()
    assert {"conll14", "bea19", "jfleg", "nucle", "multigec25", "ua-gec"} <= set(table["corpus"])
    for row in table:
        assert row["url"].startswith("https://")
        assert all(row.values())


def test_a_whole_copy_is_recognized(shared: Path) -> None:
    found = corpora(shared / "data", names=["conll14", "jfleg", "gjg15", "bryant-ng-2015", "gug"])
    assert set(found["state"]) == {"whole"}
    assert len(found) == 27


def test_a_damaged_copy_is_noticed(tmp_path: Path) -> None:
    inner = tmp_path / "some" / "where"
    inner.mkdir(parents=True)
    (inner / "official-2014.combined.m2").write_text("S a\n\n", encoding="utf-8")
    (tmp_path / "fce.dev.gold.bea19.m2").write_text("S a\n\n" * 2191, encoding="utf-8")
    (tmp_path / "fce.test.gold.bea19.m2").write_text("S a\n\n" * 7, encoding="utf-8")
    states = {row["file"].split("/")[-1]: row["state"] for row in corpora(tmp_path)}
    assert states["official-2014.combined.m2"] == "differs"
    assert states["official-2014.0.m2"] == "missing"
    assert states["fce.dev.gold.bea19.m2"] == "whole"
    assert states["fce.test.gold.bea19.m2"] == "differs"


def test_a_folder_without_corpora(tmp_path: Path) -> None:
    table = corpora(tmp_path)
    assert len(table) == 0
    assert "contains no file of a known corpus" in table.notes[0]
    with pytest.raises(OptionError, match="is not a folder"):
        corpora(tmp_path / "none")
    with pytest.raises(OptionError, match="unknown corpus 'conll12'; did you mean 'conll1"):
        corpora(names=["conll12"])


def test_a_metric_is_cited_without_its_model() -> None:
    assert [row["metric"] for row in cite(["some,SCRIBENDI", "impara(quality=x)"])] == [
        "some",
        "scribendi",
        "impara",
    ]
