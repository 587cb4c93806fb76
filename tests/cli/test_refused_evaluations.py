"""Evaluations that cannot be done with what was given: one line, exit code 2."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Files, Refuse

JUDGED = "item,judge,label\n1,a,ok\n1,b,error\n"
TASK = "[[set]]\nsource = 's.txt'\nreferences = 'r.m2'\n"
ONE_EDIT = "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n"
SCORES = "sentence,system,metric,score\n"
CASES = "item,label\na,error\nb,ok\n"
RANKED = (
    "<appraise-results>\n"
    '<ranking-item src-id="1" user="anna">\n'
    '<translation rank="1" system="A"/><translation rank="2" system="B"/>\n'
    "</ranking-item>\n"
    "</appraise-results>\n"
)
BENCHMARK: Files = {
    "b.toml": "outputs = 'o/*.txt'\nsource = 's.txt'\n[judgments]\nall = 'j.xml'\n",
    "d/j.xml": RANKED,
    "d/o/A.txt": "a b\n",
    "d/o/B.txt": "a c\n",
    "d/s.txt": "a d\n",
}
REFUSED: list[tuple[str, str, Files]] = [
    ("agreement j.csv --by x", "1", {"j.csv": "item,judge,label,set\n1,a,ok,1\n1,b,ok,1\n"}),
    (
        "agreement j.csv --resample documents --show confusion --documents d",
        "--resample",
        {"j.csv": JUDGED, "d": "a\n"},
    ),
    ("agreement j.csv --as-gold a --as-gold b --ok ok", "reference", {"j.csv": JUDGED}),
    (
        "crowd j.csv --gold-threshold 0.7",
        "1",
        {"j.csv": "item,judge,label,gold\n1,a,ok,ok\n1,b,error,error\n"},
    ),
    ("crowd j.csv --experts a,b", " and the systems", {"j.csv": JUDGED}),
    ("crowd j.csv s.csv", "s", {"j.csv": JUDGED, "s.csv": JUDGED}),
    ("detect cloze source.txt --fillers j.csv", "text", {"j.csv": "item,judge,label\n1,text,ok\n"}),
    ("detect cloze source.txt --fillers j.csv", "anna", {"j.csv": "item,judge,label\n1,anna,ok\n"}),
    ("detect run source.txt --model m", "redink detect train", {"m": "redink model 2\n{}\n"}),
    ("detect run source.txt --model m", "damaged", {"m": "PK\x03\x04"}),
    ("detection gold.m2 careful.txt --unit target", "--targets", {}),
    ("detection gold.m2 careful.txt --curve --level correction", "detection", {}),
    ("detection gold.m2 careful.ged.tsv --unit target --targets slot:,", "--unit", {}),
    ("detection gold.m2 careful.ged.tsv --unit span", "--unit", {}),
    (
        "detection gold.m2 careful.txt --unit target --judgments j.csv",
        "s1",
        {"j.csv": "item,judge,label\ns1,a,ok\n"},
    ),
    (
        "detection gold.m2 careful.txt --unit sentence --judgments j.csv",
        "s01",
        {"j.csv": "item,judge,label\ns1,a,ok\ns01,a,error\n"},
    ),
    (
        "detection gold.m2 careful.txt --judgments j.csv --unit token",
        "s99t0",
        {"j.csv": "item,judge,label\ns99t0,a,ok\n"},
    ),
    (
        "detection gold.m2 careful.txt --judgments j.csv --unit token",
        "s1t99",
        {"j.csv": "item,judge,label\ns1t99,a,ok\n"},
    ),
    (
        "detection g.m2 h.txt --unit target --targets p --judgments j.csv",
        "s1t1",
        {
            "g.m2": ONE_EDIT,
            "p": "1\t0\t1\n",
            "j.csv": "item,judge,label\ns1t1,a,ok\n",
            "h.txt": "a b\n",
        },
    ),
    (
        "detection g.m2 h.tsv --threshold 0.5",
        "probability",
        {"g.m2": ONE_EDIT, "h.tsv": "a\tc\nb\ti\n\n"},
    ),
    ("meta rankings.xml s.csv", "s.csv", {"s.csv": ""}),
    ("meta rankings.xml s.csv", "s.csv", {"s.csv": "system,metric,score\n"}),
    ("meta rankings.xml --sentences s.csv --show sentences", "s.csv", {"s.csv": ""}),
    (
        "meta h.csv --sentences s.csv --show sentences",
        "sentences",
        {"h.csv": "system,ts\nA,1\nB,2\nC,3\n", "s.csv": SCORES + "1,A,m,1\n1,B,m,2\n"},
    ),
    (
        "meta d --benchmark b.toml --sentences s.csv",
        "m",
        {**BENCHMARK, "s.csv": SCORES + "1,A,m,1\n1,B,m,2\n2,A,m,1\n2,B,m,2\n3,A,m,1\n3,B,m,2\n"},
    ),
    (
        "meta d x.csv --benchmark b.toml --systems A",
        "compare",
        {**BENCHMARK, "x.csv": "system,m\nA,1\nB,2\n"},
    ),
    (
        "meta d --benchmark b.toml --metric m2 --reference r.m2 --lines l",
        "judgment",
        {
            **BENCHMARK,
            "d/j.xml": (
                '<appraise-results>\n<ranking-item src-id="5" '
                'user="anna">\n<translation rank="1" system="A"/><translation '
                'rank="2" system="B"/>\n</ranking-item>\n</appraise-results>\n'
            ),
            "r.m2": "S a d\n\n",
            "l": "1\n",
        },
    ),
    (
        "meta rankings.xml --sentences s.csv --show sentences --lines l",
        "m",
        {"l": "3\n", "s.csv": SCORES + "1,careful,m,1\n1,eager,m,2\n2,eager,m,2\n"},
    ),
    ("meta gold.m2 careful.txt --attack --lines l", "99", {"l": "99\n"}),
    ("detect cloze s.txt --choice-test t.csv", "everywhere", {"s.txt": "I live in London .\n"}),
    ("rank r.xml", "r.xml:2", {"r.xml": "<appraise-results>\n</appraise-results>\n"}),
    ("rank r.csv --method trueskill", "trueskill", {"r.csv": "sentence,judge,A,B\n1,a,3,4\n"}),
    ("rank r.csv", "r.csv:2", {"r.csv": "sentence,system,judge,rating\n1,A,a,x\n"}),
    ("rank rankings.xml --bootstrap 5", "rank", {}),
    ("rank rankings.xml --resample documents --documents d", "3", {"d": "a\nb\n"}),
    (
        "sample plan c.csv --blind b.csv --key k --ok ok --errors 1 --oks 1 --only in",
        "a",
        {"c.csv": CASES},
    ),
    (
        "sample plan c.csv --blind b.csv --key k --ok ok --errors 1 --oks 1",
        "a",
        {"c.csv": "item,label\na,error\na,ok\n"},
    ),
    (
        ("sample plan c.csv --blind b.csv --key k --ok ok --errors 1 --error-rate 0.1 --oks 1"),
        "number",
        {"c.csv": CASES},
    ),
    (
        "sample plan c.csv --blind b.csv --key k --ok ok --recall-width 0.1 --errors 1",
        "--expect-misses",
        {"c.csv": CASES},
    ),
    (
        "sample estimate k b.csv",
        "error_cases",
        {
            "k": (
                '{"kind": "sample key", "signature": {}, "items": [], '
                '"error_cases": -1, "ok_cases": 1}'
            ),
            "b.csv": JUDGED,
        },
    ),
    (
        "sample estimate k b.csv",
        "signature",
        {"k": '{"kind": "sample key", "signature": 3}', "b.csv": JUDGED},
    ),
    ("sample estimate --from-counts 0 0 0 0 --cases 0 0", "corpus", {}),
    ("sample simulate c.csv", "simulation", {"c.csv": "item,label,gold\na,error,error\nb,ok,\n"}),
    ("sample verify j.csv --target corpus --ok ok", "corpus", {"j.csv": JUDGED}),
    (
        "score gold.m2 careful.txt --documents d.jsonl --by document --metric m2",
        "1",
        {"d.jsonl": '{"id": "1", "text": "a"}\n{"id": "1", "text": "a"}\n'},
    ),
    (
        "score gold.m2 careful.txt --documents d.jsonl --by document --metric m2",
        "d.jsonl",
        {"d.jsonl": '{"id": "1", "text": "a"}\n'},
    ),
    (
        "score g.m2 h.csv --align --metric m2",
        "h.csv",
        {"g.m2": ONE_EDIT, "h.csv": "source,corrected1,corrected2\na b,a c,a d\n"},
    ),
    (
        ("score gold.m2 careful.txt --sensitivity --reference-edits gold,auto --metric errant"),
        "sensitivity",
        {},
    ),
    ("score gold.m2 careful.txt --reference reference-a.txt", "--reference", {}),
    ("score gold.m2 careful.txt --tokenise", "--tokenise", {}),
    ("score gold.m2 careful.txt --metric meteor(modules=stem+exact)", "synonym", {}),
    ("score gold.m2 careful.txt --metric meteor(modules=stem)", "module", {}),
    (
        "score gold.m2 careful.txt --metric errant(weights=w.jsonl)",
        "to",
        {"w.jsonl": '{"sentence": 1, "start": 0, "end": 1, "correction": "x", "weight": 2}\n'},
    ),
    ("score gold.m2 careful.txt --metric errant(weights=dice:x)", "weights", {}),
    ("score gold.m2 careful.txt --metric errant(weights=nomod:f)", "nomod", {}),
    ("task bundle . -o t.tar", "t.tar", {"task.toml": TASK}),
    ("task bundle . -o t.zip", "s.txt", {"task.toml": TASK}),
    ("task check . T", "s.txt", {"task.toml": TASK, "T/s.txt": "a\n"}),
    ("task score .", "task.toml", {"task.toml": TASK + "file = 'a/b'\n"}),
    ("task score .", "task.toml", {"task.toml": TASK * 2}),
    ("task score . a/T b/T.txt", "a/T", {"task.toml": TASK, "a/T/s.txt": "a\n", "b/T.txt": "a\n"}),
    (
        "task score . T",
        "missing",
        {"task.toml": TASK, "T/x.txt": "a\n", "s.txt": "a\n", "r.m2": "S a\n\n"},
    ),
]


@pytest.mark.parametrize(("command", "keyword", "files"), REFUSED, ids=lambda one: str(one)[:60])
def test_what_cannot_be_evaluated(command: str, keyword: str, files: Files, refuse: Refuse) -> None:
    """Data that do not fit the question, or options that do not fit the data."""
    refuse(command, keyword, files)
