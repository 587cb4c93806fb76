"""Files that do not hold what a command needs: one line, exit code 2, nothing written."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Files, Refuse

ITEMS = "text,start,end\na b,0,1\n"
JUDGED = "item,judge,label\n1,a,ok\n1,b,error\n"
RANKED = (
    '<appraise-results>\n<ranking-item src-id="1" user="anna">\n'
    '<translation rank="1" system="A"/><translation rank="%d" system="B"/>\n'
    "</ranking-item>\n</appraise-results>\n"
)
FILES: list[tuple[str, str, Files]] = [
    ("agreement j.csv --merge x", "x", {"j.csv": JUDGED}),
    ("agreement j.csv --judges a,z", "z", {"j.csv": JUDGED}),
    ("agreement j.csv --drop ok", "ok", {"j.csv": JUDGED}),
    (
        "agreement j.csv --drop confidence",
        "judgments",
        {"j.csv": "item,judge,label,confidence\n1,a,ok,low\n"},
    ),
    (
        "agreement j.csv --resample documents --show judges --documents d",
        "documents",
        {"j.csv": JUDGED, "d": "a\n"},
    ),
    ("agreement j.csv --show edits", "j.csv", {"j.csv": JUDGED}),
    (
        "agreement g.m2 --show edits",
        "annotators",
        {"g.m2": "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n"},
    ),
    ("agreement j.csv", "j.csv", {"j.csv": "item,judge,label\n"}),
    (
        "annotate s.txt c.txt --language zh --cut pieces",
        "--tables",
        {"s.txt": "我 爱\n", "c.txt": "我 恨\n"},
    ),
    (
        "annotate s.txt c.txt --language zh --tables t",
        "t/cilin.txt",
        {"s.txt": "我 爱\n", "c.txt": "我 恨\n", "t/cilin.txt": b"\xff\xff\n"},
    ),
    (
        "annotate s.txt c.txt --language zh --tables t",
        "tables",
        {"s.txt": "我 爱\n", "c.txt": "我 恨\n", "t/x": "a"},
    ),
    ("annotate e.txt careful.txt -o o.m2", "e.txt", {"e.txt": ""}),
    ("annotate a/x.txt b/x.txt -o o/", "b/x.txt:1", {"a/x.txt": "", "b/x.txt": "a\n"}),
    ("annotate p.csv --source-column x", "x", {"p.csv": "src,tgt\na,b\n"}),
    ("annotate p.tsv --source-column x", "x", {"p.tsv": "src\ttgt\na\tb\n"}),
    ("annotate p.csv", "output", {"p.csv": "source,output,target\na,b,c\n"}),
    ("campaign invite c.db", "organiser", {"c.db": ""}),
    (
        "campaign create nonsense://a:secret@b/c --task crowd --from i.csv",
        "database",
        {"i.csv": ITEMS},
    ),
    ("campaign create sqlite:///x.db --task crowd --from i.csv", "campaign", {"i.csv": ITEMS}),
    ("campaign status c.db", "c.db", {"c.db": b"SQLite format 3\0" + b"x" * 2000}),
    (
        "campaign create c.db --task crowd --from i.csv --gold-threshold 0.7",
        "questions",
        {"i.csv": ITEMS},
    ),
    ("campaign create c.db --task crowd --from i.csv --judge a --judge a", "a", {"i.csv": ITEMS}),
    ("campaign create c.db --task crowd --from i.csv", "c.db", {"i.csv": ITEMS, "c.db": "x"}),
    (
        "campaign create c.db --task crowd --from i.csv",
        "i.csv:2",
        {"i.csv": "text,start,end\na b,0,9\n"},
    ),
    ("campaign create c.db --task nonsense --from i.csv", "nonsense", {"i.csv": ITEMS}),
    ("campaign create c.db --task usage --from s.txt", "usage", {"s.txt": "a b\n"}),
    (
        "campaign create c.db --task crowd --from i.jsonl",
        "i.jsonl:1",
        {"i.jsonl": '{"item": "1"}\n'},
    ),
    (
        "campaign create c.db --task crowd --from i.csv",
        "i.csv:3",
        {"i.csv": "item,text,start,end\n1,a b,0,1\n1,a c,0,1\n"},
    ),
    ("campaign create c.db --task crowd --from i.csv", "i.csv", {"i.csv": "text,start,end\n"}),
    ("campaign create no/c.db --task crowd --from i.csv", "no/c.db", {"i.csv": ITEMS}),
    (
        "campaign create c.db --task ranking --source s.txt a.txt b.txt",
        "sentence",
        {"s.txt": "a\n", "a.txt": "a\n", "b.txt": "a\n"},
    ),
    (
        "convert a.jsonl b.md --to multigec",
        "1",
        {"a.jsonl": '{"id": "1", "text": "a"}\n{"id": "1", "text": "b"}\n'},
    ),
    ("convert x.tsv o.jsonl --from ged-tsv", "x.tsv:1", {"x.tsv": "a\tc\t0.1\t3\n"}),
    ("convert x.tsv o.jsonl --from ged-tsv", "x.tsv", {"x.tsv": "\n"}),
    ("convert x.tsv o.m2 --from ged-tsv", "o.m2", {"x.tsv": "a\tc\n"}),
    (
        "convert x.jsonl o.xml",
        "x.jsonl:1",
        {"x.jsonl": ('{"sentence": "1", "judge": "a", "outputs": [{"rank": 1, "systems": []}]}\n')},
    ),
    (
        "convert x.jsonl o.xml",
        "x.jsonl:1",
        {
            "x.jsonl": (
                '{"sentence": "1", "judge": "a", "outputs": [{"rank": 1, "systems": '
                '["A"]}], "duration": "x"}\n'
            )
        },
    ),
    (
        "convert x.jsonl o.csv",
        "x.jsonl:1",
        {"x.jsonl": '{"item": "1", "judge": "a", "label": "ok", "duration": "x"}\n'},
    ),
    (
        "convert x.jsonl o.csv",
        ", judge ",
        {"x.jsonl": '{"item": "", "judge": "a", "label": "ok"}\n'},
    ),
    (
        "convert x.jsonl o.jsonl",
        "x.jsonl:1",
        {"x.jsonl": '{"tokens": ["a"], "flags": [true, false]}\n'},
    ),
    (
        "convert x.jsonl o.jsonl",
        "x.jsonl:1",
        {"x.jsonl": '{"tokens": ["a"], "flags": [true], "probabilities": [1, 0]}\n'},
    ),
    ("convert b.jsonl o.m2", "b.jsonl", {"b.jsonl": "\n\n"}),
    ("convert b.jsonl o.m2", "b.jsonl:1", {"b.jsonl": '{"nonsense": 1}\n'}),
    (
        "convert x.jsonl o.m2",
        "x.jsonl:1",
        {"x.jsonl": '{"tokens": ["a"], "text": "a", "offsets": [[0, 1], [1, 2]]}\n'},
    ),
    (
        "convert x.jsonl o.tsv --to para",
        "x.jsonl",
        {"x.jsonl": '{"source": "a b", "corrected": []}\n'},
    ),
    ("convert x.m2 o.tsv --to parallel", "x.m2", {"x.m2": "S a b\n\n"}),
    (
        "convert x.jsonl o.ann",
        "x.jsonl",
        {
            "x.jsonl": (
                '{"tokens": ["a"], "id": "d1:1", "annotations": [{"annotator": "0", '
                '"edits": []}]}\n{"tokens": ["a"], "id": "d2:1", "annotations": '
                '[{"annotator": "0", "edits": []}]}\n'
            )
        },
    ),
    ("convert x.ann o.m2 --annotator 7", "7", {"x.ann": "a {b=>c:::error_type=X} .\n"}),
    ("convert a.jsonl b.md --to multigec", "1", {"a.jsonl": '{"id": "1", "text": "a\\u0000b"}\n'}),
    ("convert a.jsonl b.md --to multigec", "1", {"a.jsonl": '{"id": "1", "text": "\\n\\na\\n"}\n'}),
    (
        "convert x.m2 o.jsonl --field text",
        "x.m2",
        {"x.m2": "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n"},
    ),
    (
        "convert x.jsonl o.m2",
        "x|||y",
        {"x.jsonl": ('{"tokens": ["a"], "annotations": [{"annotator": "x|||y", "edits": []}]}\n')},
    ),
    ("convert x.jsonl o.m2", "x.jsonl:2", {"x.jsonl": '{"tokens": ["a"]}\n3\n'}),
    ("crowd j.csv --gold-threshold 0.7", "questions", {"j.csv": JUDGED}),
    ("crowd j.csv --show removal", "questions", {"j.csv": JUDGED}),
    ("detect run source.txt --model x.bin", "x.bin", {"x.bin": "abc"}),
    ("detect mine s.txt --counts-from source.txt", "s.txt", {"s.txt": "Hello .\n"}),
    ("detection gold.m2 careful.txt --judgments j.csv", "1", {"j.csv": JUDGED}),
    (
        "detection gold.m2 careful.ged.tsv --unit token --judgments j.csv",
        "token",
        {"j.csv": "item,judge,label\ns1,a,ok\n"},
    ),
    (
        "detection gold.m2 careful.ged.tsv --unit sentence --judgments j.csv",
        "sentence",
        {"j.csv": "item,judge,label\ns1t0,a,ok\n"},
    ),
    ("meta rankings.xml x.csv --metric errant", "benchmark", {"x.csv": "system,errant\nA,1\n"}),
    (
        "meta h.csv x.csv",
        "h.csv",
        {"h.csv": "system,ts,ew\nA,1,2\nB,2,1\nC,3,2\n", "x.csv": "system,errant\nA,1\nB,2\nC,3\n"},
    ),
    ("meta seeda", "seeda", {"seeda/a.txt": "b"}),
    (
        "meta d --benchmark b.toml --metric errant",
        "--reference",
        {
            "b.toml": "outputs = 'o/*.txt'\n[judgments]\nall = 'j.xml'\n",
            "d/j.xml": RANKED % 2,
            "d/o/A.txt": "a b\n",
            "d/o/B.txt": "a c\n",
        },
    ),
    (
        "meta d --benchmark b.toml --metric errant --reference r.txt",
        "references",
        {
            "b.toml": "outputs = 'o/*.txt'\n[judgments]\nall = 'j.xml'\n",
            "d/j.xml": RANKED % 2,
            "d/o/A.txt": "a b\n",
            "d/o/B.txt": "a c\n",
            "r.txt": "a c\n",
        },
    ),
    (
        "meta d --benchmark b.toml --metric errant",
        "benchmark",
        {"b.toml": "[judgments]\nall = 'j.xml'\n", "d/j.xml": RANKED % 2},
    ),
    (
        "meta rankings.xml x.csv --benchmark seeda",
        "rankings.xml",
        {"x.csv": "system,errant\nA,1\n"},
    ),
    (
        "meta h.csv x.csv --show sentences",
        "sentences",
        {"h.csv": "system,ts\nA,1\nB,2\nC,3\n", "x.csv": "system,errant\nA,1\nB,2\nC,3\n"},
    ),
    (
        "meta h.csv x.csv --show tests",
        "tests",
        {"h.csv": "system,ts\nA,1\nB,2\nC,3\n", "x.csv": "system,errant\nA,1\nB,2\nC,3\n"},
    ),
    (
        "meta h.csv x.csv",
        "x.csv:2",
        {"h.csv": "system,ts\nA,1\nB,2\nC,3\n", "x.csv": "system,errant\n,1\n"},
    ),
    (
        "meta h.csv x.csv --show williams",
        "metrics",
        {"h.csv": "system,ts\nA,1\nB,2\nC,3\n", "x.csv": "system,errant\nA,1\nB,2\nC,3\n"},
    ),
    ("rank r.xml --plot p.png", "system", {"r.xml": RANKED % 1}),
    ("rank rankings.xml --lines l", "sentences", {"l": "9999\n"}),
    (
        "sample plan c.csv --blind b.csv --errors 9 --oks 1 --ok ok --key k",
        "cannot",
        {"c.csv": "item,label\na,error\nb,ok\n"},
    ),
    (
        "sample plan c.csv --blind b.csv --errors 1 --oks 1 --ok ok --key k",
        "cannot",
        {"c.csv": "item,label\na,error\n"},
    ),
    ("sample estimate k b.csv", "sample", {"k": "{}", "b.csv": "item,judge,label\n1,a,ok\n"}),
    (
        ("score gold.m2 careful.txt --documents d --by document --metric m2"),
        "sentences",
        {"d": "a\n"},
    ),
    ("score e.m2 careful.txt", "e.m2", {"e.m2": ""}),
    ("score gold.m2 e.txt --metric m2", "e.txt", {"e.txt": ""}),
    (
        ("score gold.m2 careful.txt --metric m2 --bootstrap 2 --resample documents --documents d"),
        "d:64",
        {
            "d": (
                "a\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\n"
                "a\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\n"
                "a\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\n\n"
            )
        },
    ),
    ("score gold.m2 mine=outputs/", "--align", {"outputs/a.txt": "a b\n"}),
    (
        "task score .",
        "submissions",
        {
            "task.toml": "[[set]]\nsource = 's.txt'\nreferences = 'r.m2'\n",
            "submissions/T/s.txt": "a\n",
            "submissions/T.zip": "PK",
        },
    ),
    ("task init .", "task", {"task.toml": "x"}),
]


@pytest.mark.parametrize(("command", "keyword", "files"), FILES, ids=lambda one: str(one)[:60])
def test_what_a_file_does_not_hold(
    command: str, keyword: str, files: Files, refuse: Refuse
) -> None:
    """With the file and the line, where there is one."""
    refuse(command, keyword, files)
