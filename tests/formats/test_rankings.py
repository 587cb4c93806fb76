"""Rankings: Appraise XML and WMT CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from redink.errors import FormatError, RedinkWarning
from redink.formats.ranking_files import read_appraise, read_wmt_csv
from redink.model import RankedOutput, Ranking

ITEM = (
    '<appraise-results><error-correction-ranking-result id="r" source-language="err">\n'
    '<ranking-item doc-id="d" duration="00:01:07.524000" id="0" src-id="135" user="anna">\n'
    '  <translation rank="3" system="CAMB"/>\n  <translation rank="1" system="IITB INPUT"/>\n'
    "</ranking-item>\n</error-correction-ranking-result></appraise-results>\n"
)


def appraise(path: Path, text: str) -> list[Ranking]:
    path.write_text(text, encoding="utf-8")
    return list(read_appraise(path))


def wmt(path: Path, text: str) -> list[Ranking]:
    path.write_text(text, encoding="utf-8")
    return list(read_wmt_csv(path))


def test_item(tmp_path: Path) -> None:
    assert appraise(tmp_path / "f", ITEM) == [
        Ranking(
            "135",
            "anna",
            (RankedOutput(3, ("CAMB",)), RankedOutput(1, ("IITB", "INPUT"))),
            "0",
            67.524,
            (("result-id", "r"), ("result-source-language", "err"), ("doc-id", "d")),
        )
    ]


def test_skipped_item(tmp_path: Path) -> None:
    text = '<r><ranking-item id="1" skipped="true" src-id="2" user="b"/></r>'
    found = appraise(tmp_path / "f", text)
    assert found == [Ranking("2", "b", (), "1", None, (("skipped", "true"),))]


def test_wmt_xml(tmp_path: Path) -> None:
    """The exports of the WMT campaigns put the item into a task and separate by commas."""
    text = (
        '<WMT15-results><HIT hit-id="h" block-id="-1"><ranking-task id="17">'
        '<ranking-result duration="0:35.3" user="jo"><translation rank="2" system="a,b"/>'
        '<translation rank="1" system="c"/></ranking-result></ranking-task></HIT></WMT15-results>'
    )
    found = appraise(tmp_path / "f", text)[0]
    assert (found.sentence, found.judge, found.duration) == ("17", "jo", 35.3)
    assert found.outputs[0].systems == ("a", "b")


def test_human_judgments_of_conll14(shared: Path) -> None:
    """2319 items by eight judges, 13 of them skipped, as the published statistics say."""
    found = list(read_appraise(shared / "data/gjg15/judgments.xml"))
    assert len(found) == 2319
    assert len({r.judge for r in found}) == 8
    assert sum(not r.outputs for r in found) == 13
    assert sum(len(r.outputs) for r in found) == 10768


def test_other_elements_are_counted(tmp_path: Path) -> None:
    text = ITEM.replace('  <translation rank="3"', '<source>x</source><translation rank="3"')
    (tmp_path / "f").write_text(text)
    with pytest.warns(RedinkWarning, match="1 elements without ranks were ignored"):
        list(read_appraise(tmp_path / "f"))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (ITEM[:200], 3, "not valid XML"),
        (ITEM.replace('rank="3"', 'rank="x"'), 3, "expected a whole number for the rank, found"),
        (ITEM.replace('rank="3"', 'rank="-1"'), 3, "expected a whole number for the rank"),
        (ITEM.replace('system="CAMB"', 'system=""'), 3, "has no system"),
        (ITEM.replace('"CAMB"', '"INPUT"'), 5, "the system 'INPUT' occurs twice in one ranking"),
        (ITEM.replace('user="anna"', ""), 5, "must have src-id and user"),
        (ITEM.replace("00:01:07", "soon"), 5, "expected a duration in seconds or as hours"),
        ('<x><translation rank="1" system="A"/></x>', 1, "outside <ranking-item>"),
        ("<x/>", None, "contains no <ranking-item>"),
        ("", None, "not valid XML"),
    ],
)
def test_bad_xml(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        appraise(tmp_path / "f", text)
    assert message in str(caught.value)
    assert line is None or caught.value.line == line


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE x SYSTEM "http://example.org/x.dtd">',
    ],
)
def test_entity_bombs_are_refused(tmp_path: Path, doctype: str) -> None:
    with pytest.raises(FormatError, match="contains a document type declaration"):
        appraise(tmp_path / "f", f"{doctype}{ITEM}")


HEADER = "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system1rank,system2rank\n"


def test_wmt_row(tmp_path: Path) -> None:
    assert wmt(tmp_path / "f", f"{HEADER}err,cor,135,anna,AMU,INPUT UFC,2,1\n") == [
        Ranking(
            "135",
            "anna",
            (RankedOutput(2, ("AMU",)), RankedOutput(1, ("INPUT", "UFC"))),
            extra=(("srclang", "err"), ("trglang", "cor")),
        )
    ]


def test_wmt_rank_left_blank(tmp_path: Path) -> None:
    """A rank of -1 is none: the output is no part of the ranking."""
    found = wmt(tmp_path / "f", f"{HEADER}err,cor,135,anna,AMU,UFC,-1,1\n")
    assert found[0].outputs == (RankedOutput(1, ("UFC",)),)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("err,cor,1,a,AMU,UFC,2", "expected 8 columns as in the header, found 7"),
        ("err,cor,,a,AMU,UFC,2,1", "the column 'srcIndex' is empty"),
        ("err,cor,1,a,AMU,UFC,x,1", "expected a system and a rank for system 1, found 'AMU'"),
        ("err,cor,1,a,AMU,AMU,2,1", "the system 'AMU' occurs twice in one ranking"),
        ('err,cor,1,a,"AMU,UFC,2,1', "is not valid CSV"),
    ],
)
def test_bad_wmt_rows(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        wmt(tmp_path / "f", f"{HEADER}{row}\n")
    assert caught.value.line == 2
    assert message in str(caught.value)


def test_a_table_that_is_neither_rankings_nor_ratings(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("item,text,AMU\n1,a,2\n")
    with pytest.raises(FormatError, match=r"'srcIndex' is missing.*one of ratings has sentence"):
        list(read_wmt_csv(tmp_path / "x.csv"))
