"""Files and conversions: what one form holds and another cannot carry, to the last word."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Files, Refuse

JUDGED = "item,judge,label\n1,a,ok\n1,b,error\n"
REFUSED: list[tuple[str, str, Files]] = [
    (
        "annotate s.txt c.txt --language zh --tables t",
        "t/cilin.txt.gz: is damaged or cannot be read",
        {"s.txt": "我 爱\n", "c.txt": "我 恨\n", "t/cilin.txt.gz": b"\x1f\x8b\x08\x00aaaaaaaaaaaa"},
    ),
    (
        "annotate p.tsv",
        "p.tsv:61: expected a source and its correction, separated by tabs",
        {"p.tsv": "a\tb\n" * 60 + "c\n"},
    ),
    (
        "annotate p.para",
        "p.para:2: expected a number, a source, corrections, separated by tabs",
        {"p.para": "1\ta\tb\n2\ta\n"},
    ),
    (
        "annotate gold.m2 careful.txt --auto",
        "--auto takes one file that holds edits, and no corrected text",
        {},
    ),
    (
        "annotate s/**/*.txt c/**/*.txt -o o/",
        "s/a-b/c.txt and s/a/b-c.txt would have one name in the output; rename one",
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
        ("pieces of s/x-00000.txt and s/x.txt would both be called x-00000.m2; rename one"),
        {"s/x.txt": "a\nb\n", "s/x-00000.txt": "a\n", "c/x.txt": "a\nb\n", "c/x-00000.txt": "a\n"},
    ),
    (
        "annotate source.txt careful.txt --language de --rules 2.0.0",
        "the rules of ERRANT 2.0.0 are for English",
        {},
    ),
    ("align source.txt gold.m2", "gold: holds edits or flags, which need no alignment", {}),
    (
        "convert p.csv o.jsonl",
        "p.csv: holds no sentences below its header",
        {"p.csv": "source,corrected\n"},
    ),
    (
        "convert a.json o.m2",
        "a.json:1: the correction 'x' crosses the end of a sentence",
        {
            "a.json": (
                '{"text": "A b .\\nC d .", "edits": [[0, [[2, 8, "x"]]]], "id": '
                '"1", "tokenised": true}\n'
            )
        },
    ),
    (
        "convert d.jsonl o.sgml",
        "d.jsonl: NUCLE SGML cannot carry the control character in 'X\\rY'",
        {
            "d.jsonl": (
                '{"tokens": ["a"], "annotations": [{"annotator": "0", "edits": '
                '[{"start": 0, "end": 1, "correction": "x", "type": "X\\rY"}]}]}\n'
            )
        },
    ),
    (
        "convert j.csv o.tsv --to gug",
        (
            "j.csv: the GUG table cannot carry the judgments of item '1': it needs one "
            "by 'expert', then 'crowd1', 'crowd2' ... with sentence, average, dataset "
            "and no more"
        ),
        {"j.csv": JUDGED},
    ),
    (
        "convert r.jsonl o.csv --to wmt-csv",
        "r.jsonl: a ranking needs a sentence and a judge; one has '' and 'a'",
        {
            "r.jsonl": (
                '{"sentence": "", "judge": "a", "outputs": [{"rank": 1, "systems": ["A"]}]}\n'
            )
        },
    ),
    (
        "convert r.jsonl o.xml",
        "r.jsonl: XML cannot carry the control character in '\\x01'",
        {
            "r.jsonl": (
                '{"sentence": "\\u0001", "judge": "a", "outputs": [{"rank": 1, '
                '"systems": ["A"]}]}\n'
            )
        },
    ),
    (
        "convert d.jsonl o.csv",
        "d.jsonl: CSV cannot carry the character '\\r' in 'x\\ry'",
        {"d.jsonl": '{"item": "1", "judge": "a", "label": "x\\ry"}\n'},
    ),
    (
        "convert d.jsonl o.tsv --to tsv",
        "d.jsonl: TSV cannot carry the character '\\t' in 'x\\ty'",
        {"d.jsonl": '{"item": "1", "judge": "a", "label": "x\\ty"}\n'},
    ),
    (
        "convert d.jsonl o.m2",
        "d.jsonl: M2 cannot carry the token 'a b' (empty, or with a space or NUL in it)",
        {"d.jsonl": '{"tokens": ["a b"]}\n'},
    ),
    (
        "convert d.jsonl o.m2",
        "d.jsonl:1: the key 'tokens' occurs twice in one object",
        {"d.jsonl": '{"tokens": ["a"], "tokens": ["b"]}\n'},
    ),
    (
        "convert d.jsonl o.sgml",
        "d.jsonl: NUCLE SGML cannot carry the error type 'X '",
        {
            "d.jsonl": (
                '{"tokens": ["a"], "annotations": [{"annotator": "0", "edits": '
                '[{"start": 0, "end": 1, "correction": "x", "type": "X "}]}]}\n'
            )
        },
    ),
    (
        "convert d.jsonl o.sgml",
        "d.jsonl: NUCLE SGML cannot carry the name '1\\n2'",
        {
            "d.jsonl": (
                '{"id": "1\\n2", "tokens": ["a"], "annotations": [{"annotator": '
                '"0", "edits": [{"start": 0, "end": 1, "correction": "x", '
                '"type": "X"}]}]}\n'
            )
        },
    ),
    (
        "convert a.txt o.m2",
        "a.txt:1: byte 1: holds a NUL byte; a text file was expected",
        {"a.txt": "a\x00b\n"},
    ),
    (
        "convert a.txt.gz o.m2",
        "a.txt.gz: is damaged: its compressed data cannot be read",
        {"a.txt.gz": b"\x1f\x8b\x08\x00aaaaaaaaaaaaa"},
    ),
    (
        "convert gold.m2 o.jsonl --annotator nobody",
        "gold.m2: there is no annotator 'nobody' in it",
        {},
    ),
    (
        "convert gold.m2 o.tsv --annotator nobody --to parallel",
        "gold.m2: there is no annotator 'nobody' in it",
        {},
    ),
    ("convert crowd.csv o.m2", "o.m2: judgments cannot become corpus", {}),
    ("report gold.m2 careful.txt -o -", "a folder cannot go to standard output; name one", {}),
    ("task init -", "a folder cannot go to standard output; name one", {}),
]


@pytest.mark.parametrize(("command", "sentence", "files"), REFUSED, ids=lambda one: str(one)[:60])
def test_what_cannot_be_converted(
    command: str, sentence: str, files: Files, refuse: Refuse
) -> None:
    """With the file and the line, where there is one."""
    refuse(command, sentence, files)
