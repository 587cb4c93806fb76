"""Files and conversions: what one form holds and another cannot carry."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Files, Refuse

JUDGED = "item,judge,label\n1,a,ok\n1,b,error\n"
REFUSED: list[tuple[str, str, Files]] = [
    (
        "annotate s.txt c.txt --language zh --tables t",
        "t/cilin.txt.gz",
        {"s.txt": "我 爱\n", "c.txt": "我 恨\n", "t/cilin.txt.gz": b"\x1f\x8b\x08\x00aaaaaaaaaaaa"},
    ),
    ("annotate p.tsv", "p.tsv:61", {"p.tsv": "a\tb\n" * 60 + "c\n"}),
    ("annotate p.para", "p.para:2", {"p.para": "1\ta\tb\n2\ta\n"}),
    ("annotate gold.m2 careful.txt --auto", "--auto", {}),
    (
        "annotate s/**/*.txt c/**/*.txt -o o/",
        "s/a-b/c.txt",
        {
            "s/a/b-c.txt": "x\n",
            "s/a-b/c.txt": "x\n",
            "s/c.txt": "x\n",
            "c/a/b-c.txt": "x\n",
            "c/a-b/c.txt": "x\n",
            "c/c.txt": "x\n",
        },
    ),
    (
        "annotate s/ c/ -o o/ --shard-size 1",
        "rename",
        {"s/x.txt": "a\nb\n", "s/x-00000.txt": "a\n", "c/x.txt": "a\nb\n", "c/x-00000.txt": "a\n"},
    ),
    ("annotate source.txt careful.txt --language de --rules 2.0.0", "2.0.0", {}),
    ("align source.txt gold.m2", "alignment", {}),
    ("convert p.csv o.jsonl", "p.csv", {"p.csv": "source,corrected\n"}),
    (
        "convert a.json o.m2",
        "a.json:1",
        {
            "a.json": (
                '{"text": "A b .\\nC d .", "edits": [[0, [[2, 8, "x"]]]], "id": '
                '"1", "tokenised": true}\n'
            )
        },
    ),
    (
        "convert d.jsonl o.sgml",
        "X\\rY",
        {
            "d.jsonl": (
                '{"tokens": ["a"], "annotations": [{"annotator": "0", "edits": '
                '[{"start": 0, "end": 1, "correction": "x", "type": "X\\rY"}]}]}\n'
            )
        },
    ),
    ("convert j.csv o.tsv --to gug", "1", {"j.csv": JUDGED}),
    (
        "convert r.jsonl o.csv --to wmt-csv",
        " and ",
        {"r.jsonl": '{"sentence": "", "judge": "a", "outputs": [{"rank": 1, "systems": ["A"]}]}\n'},
    ),
    (
        "convert r.jsonl o.xml",
        "\\x01",
        {
            "r.jsonl": (
                '{"sentence": "\\u0001", "judge": "a", "outputs": [{"rank": 1, '
                '"systems": ["A"]}]}\n'
            )
        },
    ),
    (
        "convert d.jsonl o.csv",
        "\\r",
        {"d.jsonl": '{"item": "1", "judge": "a", "label": "x\\ry"}\n'},
    ),
    (
        "convert d.jsonl o.tsv --to tsv",
        "\\t",
        {"d.jsonl": '{"item": "1", "judge": "a", "label": "x\\ty"}\n'},
    ),
    ("convert d.jsonl o.m2", "a b", {"d.jsonl": '{"tokens": ["a b"]}\n'}),
    ("convert d.jsonl o.m2", "d.jsonl:1", {"d.jsonl": '{"tokens": ["a"], "tokens": ["b"]}\n'}),
    (
        "convert d.jsonl o.sgml",
        "X ",
        {
            "d.jsonl": (
                '{"tokens": ["a"], "annotations": [{"annotator": "0", "edits": '
                '[{"start": 0, "end": 1, "correction": "x", "type": "X "}]}]}\n'
            )
        },
    ),
    (
        "convert d.jsonl o.sgml",
        "1\\n2",
        {
            "d.jsonl": (
                '{"id": "1\\n2", "tokens": ["a"], "annotations": [{"annotator": '
                '"0", "edits": [{"start": 0, "end": 1, "correction": "x", '
                '"type": "X"}]}]}\n'
            )
        },
    ),
    ("convert a.txt o.m2", "a.txt:1", {"a.txt": "a\x00b\n"}),
    ("convert a.txt.gz o.m2", "a.txt.gz", {"a.txt.gz": b"\x1f\x8b\x08\x00aaaaaaaaaaaaa"}),
    ("convert gold.m2 o.jsonl --annotator nobody", "nobody", {}),
    ("convert gold.m2 o.tsv --annotator nobody --to parallel", "nobody", {}),
    ("convert crowd.csv o.m2", "o.m2", {}),
    ("report gold.m2 careful.txt -o -", "standard", {}),
    ("task init -", "standard", {}),
]


@pytest.mark.parametrize(("command", "keyword", "files"), REFUSED, ids=lambda one: str(one)[:60])
def test_what_cannot_be_converted(command: str, keyword: str, files: Files, refuse: Refuse) -> None:
    """With the file and the line, where there is one."""
    refuse(command, keyword, files)
