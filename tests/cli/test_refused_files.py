"""Files that do not hold what a command needs: the whole sentence, exit code 2, nothing written."""

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
    ("agreement j.csv --merge x", "merge: 'x' is not NEW=OLD,OLD,...", {"j.csv": JUDGED}),
    ("agreement j.csv --judges a,z", "there is no judge 'z'; there are: a, b", {"j.csv": JUDGED}),
    (
        "agreement j.csv --drop ok",
        "no judgment has a column 'ok' to drop by; there are: confidence",
        {"j.csv": JUDGED},
    ),
    (
        "agreement j.csv --drop confidence",
        "no judgments are left after dropping",
        {"j.csv": "item,judge,label,confidence\n1,a,ok,low\n"},
    ),
    (
        "agreement j.csv --resample documents --show judges --documents d",
        "there is one document only, so documents cannot be drawn",
        {"j.csv": JUDGED, "d": "a\n"},
    ),
    (
        "agreement j.csv --show edits",
        "j.csv: holds judgments (csv); sentences were expected",
        {"j.csv": JUDGED},
    ),
    (
        "agreement g.m2 --show edits",
        "no sentence was annotated by two annotators",
        {"g.m2": "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n"},
    ),
    (
        "agreement j.csv",
        "j.csv: holds no judgments below its header",
        {"j.csv": "item,judge,label\n"},
    ),
    (
        "annotate s.txt c.txt --language zh --cut pieces",
        "pieces of words need the folder with chinese_vocab.txt (--tables DIR)",
        {"s.txt": "我 爱\n", "c.txt": "我 恨\n"},
    ),
    (
        "annotate s.txt c.txt --language zh --tables t",
        "t/cilin.txt: byte 0: is not GB18030 text",
        {"s.txt": "我 爱\n", "c.txt": "我 恨\n", "t/cilin.txt": b"\xff\xff\n"},
    ),
    (
        "annotate s.txt c.txt --language zh --tables t",
        ("t: there is no cilin.txt in it (nor cilin.txt.gz), one of ChERRANT's tables"),
        {"s.txt": "我 爱\n", "c.txt": "我 恨\n", "t/x": "a"},
    ),
    (
        "annotate e.txt careful.txt -o o.m2",
        "e.txt: is empty; sentences were expected",
        {"e.txt": ""},
    ),
    (
        "annotate a/x.txt b/x.txt -o o/",
        ("b/x.txt:1: goes on after 0 lines, a/x.txt ends; they must match line by line"),
        {"a/x.txt": "", "b/x.txt": "a\n"},
    ),
    (
        "annotate p.csv --source-column x",
        (
            "p.csv: has no column 'x'; its columns are: 'src', 'tgt' (choose them with "
            "--source-column and --corrected-column)"
        ),
        {"p.csv": "src,tgt\na,b\n"},
    ),
    (
        "annotate p.tsv --source-column x",
        (
            "p.tsv: has no column 'x'; its columns are: 'src', 'tgt' (choose them with "
            "--source-column and --corrected-column)"
        ),
        {"p.tsv": "src\ttgt\na\tb\n"},
    ),
    (
        "annotate p.csv",
        "p.csv: which of 'output', 'target' is the corrected text? Choose with --corrected-column",
        {"p.csv": "source,output,target\na,b,c\n"},
    ),
    (
        "campaign invite c.db",
        "name the judges, or ask for a link with organiser or register",
        {"c.db": ""},
    ),
    (
        "campaign create nonsense://a:secret@b/c --task crowd --from i.csv",
        ("nonsense://a:***@b/c: is neither a file nor a database that can be used"),
        {"i.csv": ITEMS},
    ),
    (
        "campaign create sqlite:///x.db --task crowd --from i.csv",
        (
            "sqlite:///x.db: a campaign is kept in a file, given by its name "
            "alone, or in PostgreSQL, not in sqlite"
        ),
        {"i.csv": ITEMS},
    ),
    (
        "campaign status c.db",
        "c.db: is damaged, or not a redink campaign",
        {"c.db": b"SQLite format 3\0" + b"x" * 2000},
    ),
    (
        "campaign create c.db --task crowd --from i.csv --gold-threshold 0.7",
        "a threshold for gold questions needs items with a gold answer",
        {"i.csv": ITEMS},
    ),
    (
        "campaign create c.db --task crowd --from i.csv --judge a --judge a",
        "the name 'a' is there twice",
        {"i.csv": ITEMS},
    ),
    (
        "campaign create c.db --task crowd --from i.csv",
        "c.db: exists already; a campaign is created in a new file",
        {"i.csv": ITEMS, "c.db": "x"},
    ),
    (
        "campaign create c.db --task crowd --from i.csv",
        "i.csv:2: the span 0 9 does not fit a text of 2 tokens",
        {"i.csv": "text,start,end\na b,0,9\n"},
    ),
    (
        "campaign create c.db --task nonsense --from i.csv",
        (
            "task cannot be 'nonsense'; it can be: ranking, usage, crowd, cloze, "
            "choice, sample, edit-check, edit-validity, rate, correct, "
            "post-edit, mark, adjudicate, or a file that ends in .toml or .yaml"
        ),
        {"i.csv": ITEMS},
    ),
    (
        "campaign create c.db --task usage --from s.txt",
        "a usage campaign is about errors, and what was given has none marked",
        {"s.txt": "a b\n"},
    ),
    (
        "campaign create c.db --task crowd --from i.jsonl",
        "i.jsonl:1: expected a list of strings for 'tokens', found nothing",
        {"i.jsonl": '{"item": "1"}\n'},
    ),
    (
        "campaign create c.db --task crowd --from i.csv",
        "i.csv:3: two items are called '1'",
        {"i.csv": "item,text,start,end\n1,a b,0,1\n1,a c,0,1\n"},
    ),
    (
        "campaign create c.db --task crowd --from i.csv",
        "i.csv: holds no items",
        {"i.csv": "text,start,end\n"},
    ),
    (
        "campaign create no/c.db --task crowd --from i.csv",
        "no/c.db: cannot be created (No such file or directory)",
        {"i.csv": ITEMS},
    ),
    (
        "campaign create c.db --task ranking --source s.txt a.txt b.txt",
        "all systems agree on every sentence; there is nothing to rank",
        {"s.txt": "a\n", "a.txt": "a\n", "b.txt": "a\n"},
    ),
    (
        "convert a.jsonl b.md --to multigec",
        "a.jsonl: multigec cannot carry two essays with the id '1'",
        {"a.jsonl": '{"id": "1", "text": "a"}\n{"id": "1", "text": "b"}\n'},
    ),
    (
        "convert x.tsv o.jsonl --from ged-tsv",
        (
            "x.tsv:1: expected a token, c or i, and perhaps a probability, "
            "separated by tabs; found 4 columns"
        ),
        {"x.tsv": "a\tc\t0.1\t3\n"},
    ),
    ("convert x.tsv o.jsonl --from ged-tsv", "x.tsv: holds no tokens", {"x.tsv": "\n"}),
    (
        "convert x.tsv o.m2 --from ged-tsv",
        "o.m2: detections say where errors are and not how to correct them",
        {"x.tsv": "a\tc\n"},
    ),
    (
        "convert x.jsonl o.xml",
        "x.jsonl:1: a ranked output needs the systems that produced it",
        {"x.jsonl": ('{"sentence": "1", "judge": "a", "outputs": [{"rank": 1, "systems": []}]}\n')},
    ),
    (
        "convert x.jsonl o.xml",
        "x.jsonl:1: expected seconds for 'duration', found 'x'",
        {
            "x.jsonl": (
                '{"sentence": "1", "judge": "a", "outputs": [{"rank": 1, "systems": '
                '["A"]}], "duration": "x"}\n'
            )
        },
    ),
    (
        "convert x.jsonl o.csv",
        ("x.jsonl:1: expected a duration in seconds or as hours:minutes:seconds, found 'x'"),
        {"x.jsonl": '{"item": "1", "judge": "a", "label": "ok", "duration": "x"}\n'},
    ),
    (
        "convert x.jsonl o.csv",
        ("x.jsonl: a judgment needs item, judge and label; one has item '', judge 'a', label 'ok'"),
        {"x.jsonl": '{"item": "", "judge": "a", "label": "ok"}\n'},
    ),
    (
        "convert x.jsonl o.jsonl",
        "x.jsonl:1: 2 flags for 1 tokens",
        {"x.jsonl": '{"tokens": ["a"], "flags": [true, false]}\n'},
    ),
    (
        "convert x.jsonl o.jsonl",
        "x.jsonl:1: 2 probabilities for 1 tokens",
        {"x.jsonl": '{"tokens": ["a"], "flags": [true], "probabilities": [1, 0]}\n'},
    ),
    (
        "convert b.jsonl o.m2",
        "b.jsonl: is empty; JSON objects were expected, one a line",
        {"b.jsonl": "\n\n"},
    ),
    (
        "convert b.jsonl o.m2",
        "b.jsonl:1: expected a list of strings for 'tokens', found nothing",
        {"b.jsonl": '{"nonsense": 1}\n'},
    ),
    (
        "convert x.jsonl o.m2",
        "x.jsonl:1: 2 offsets for 1 tokens: 'a'",
        {"x.jsonl": '{"tokens": ["a"], "text": "a", "offsets": [[0, 1], [1, 2]]}\n'},
    ),
    (
        "convert x.jsonl o.tsv --to para",
        "x.jsonl: sentence 1 has no corrected version",
        {"x.jsonl": '{"source": "a b", "corrected": []}\n'},
    ),
    (
        "convert x.m2 o.tsv --to parallel",
        ("x.m2: there are no edits in it, so nothing is known of corrections or errors"),
        {"x.m2": "S a b\n\n"},
    ),
    (
        "convert x.jsonl o.ann",
        "x.jsonl: a .ann file is one document; there are 2",
        {
            "x.jsonl": (
                '{"tokens": ["a"], "id": "d1:1", "annotations": [{"annotator": "0", '
                '"edits": []}]}\n{"tokens": ["a"], "id": "d2:1", "annotations": '
                '[{"annotator": "0", "edits": []}]}\n'
            )
        },
    ),
    (
        "convert x.ann o.m2 --annotator 7",
        "x.ann: there is no annotator '7' in it",
        {"x.ann": "a {b=>c:::error_type=X} .\n"},
    ),
    (
        "convert a.jsonl b.md --to multigec",
        "a.jsonl: multigec cannot carry a carriage return or NUL (essay '1')",
        {"a.jsonl": '{"id": "1", "text": "a\\u0000b"}\n'},
    ),
    (
        "convert a.jsonl b.md --to multigec",
        (
            "a.jsonl: multigec cannot carry the essay '1': empty lines at its "
            "ends, a header in it or a line break in its id would be lost"
        ),
        {"a.jsonl": '{"id": "1", "text": "\\n\\na\\n"}\n'},
    ),
    (
        "convert x.m2 o.jsonl --field text",
        "x.m2: does not hold documents, so it has no field to choose",
        {"x.m2": "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n"},
    ),
    (
        "convert x.jsonl o.m2",
        "x.jsonl: M2 cannot carry the annotator 'x|||y'",
        {"x.jsonl": ('{"tokens": ["a"], "annotations": [{"annotator": "x|||y", "edits": []}]}\n')},
    ),
    (
        "convert x.jsonl o.m2",
        "x.jsonl:2: expected a JSON object, found '3'",
        {"x.jsonl": '{"tokens": ["a"]}\n3\n'},
    ),
    (
        "crowd j.csv --gold-threshold 0.7",
        ("quality control needs gold questions: a column gold with the known answers"),
        {"j.csv": JUDGED},
    ),
    (
        "crowd j.csv --show removal",
        "removing judges needs gold questions: a column gold with known answers",
        {"j.csv": JUDGED},
    ),
    ("detect run source.txt --model x.bin", "x.bin: is not a model of redink", {"x.bin": "abc"}),
    (
        "detect mine s.txt --counts-from source.txt",
        "s.txt: none of the 34 prepositions stands between two words there",
        {"s.txt": "Hello .\n"},
    ),
    (
        "detection gold.m2 careful.txt --judgments j.csv",
        (
            "the judged item '1' does not say where it is: name it s12 (sentence "
            "12), s12t3 (its token 3, from 0) or s12t3-5, or give it a name in "
            "the file of targets"
        ),
        {"j.csv": JUDGED},
    ),
    (
        "detection gold.m2 careful.ged.tsv --unit token --judgments j.csv",
        "a judgment of a sentence says nothing about one token",
        {"j.csv": "item,judge,label\ns1,a,ok\n"},
    ),
    (
        "detection gold.m2 careful.ged.tsv --unit sentence --judgments j.csv",
        "a judgment of tokens 0:1 says nothing about one sentence",
        {"j.csv": "item,judge,label\ns1t0,a,ok\n"},
    ),
    (
        "meta rankings.xml x.csv --metric errant",
        "metric, reference and human go with a benchmark",
        {"x.csv": "system,errant\nA,1\n"},
    ),
    (
        "meta h.csv x.csv",
        "h.csv has several human scores (ts, ew); give one",
        {"h.csv": "system,ts,ew\nA,1,2\nB,2,1\nC,3,2\n", "x.csv": "system,errant\nA,1\nB,2\nC,3\n"},
    ),
    ("meta seeda", "seeda: is a folder; a file of rankings was expected", {"seeda/a.txt": "b"}),
    (
        "meta d --benchmark b.toml --metric errant",
        "the references of b are not with it; give them with --reference",
        {
            "b.toml": "outputs = 'o/*.txt'\n[judgments]\nall = 'j.xml'\n",
            "d/j.xml": RANKED % 2,
            "d/o/A.txt": "a b\n",
            "d/o/B.txt": "a c\n",
        },
    ),
    (
        "meta d --benchmark b.toml --metric errant --reference r.txt",
        "corrected texts as references of b need its source",
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
        "the outputs of systems are not with the benchmark b",
        {"b.toml": "[judgments]\nall = 'j.xml'\n", "d/j.xml": RANKED % 2},
    ),
    (
        "meta rankings.xml x.csv --benchmark seeda",
        "rankings.xml: is not a folder; the files of a benchmark are in one",
        {"x.csv": "system,errant\nA,1\n"},
    ),
    (
        "meta h.csv x.csv --show sentences",
        "agreement on sentences needs scores of sentences",
        {"h.csv": "system,ts\nA,1\nB,2\nC,3\n", "x.csv": "system,errant\nA,1\nB,2\nC,3\n"},
    ),
    (
        "meta h.csv x.csv --show tests",
        "tests between metrics need two metrics and four systems in common",
        {"h.csv": "system,ts\nA,1\nB,2\nC,3\n", "x.csv": "system,errant\nA,1\nB,2\nC,3\n"},
    ),
    (
        "meta h.csv x.csv",
        "x.csv:2: a row needs a system",
        {"h.csv": "system,ts\nA,1\nB,2\nC,3\n", "x.csv": "system,errant\n,1\n"},
    ),
    (
        "meta h.csv x.csv --show williams",
        "a test between metrics needs the scores of at least two metrics",
        {"h.csv": "system,ts\nA,1\nB,2\nC,3\n", "x.csv": "system,errant\nA,1\nB,2\nC,3\n"},
    ),
    ("rank r.xml --plot p.png", "no system has a score that could be drawn", {"r.xml": RANKED % 1}),
    (
        "rank rankings.xml --lines l",
        "no ranking is about the sentences that were chosen",
        {"l": "9999\n"},
    ),
    (
        "sample plan c.csv --blind b.csv --errors 9 --oks 1 --ok ok --key k",
        "9 Error cases cannot be drawn: there are 1",
        {"c.csv": "item,label\na,error\nb,ok\n"},
    ),
    (
        "sample plan c.csv --blind b.csv --errors 1 --oks 1 --ok ok --key k",
        "1 OK cases cannot be drawn: there are 0",
        {"c.csv": "item,label\na,error\n"},
    ),
    (
        "sample estimate k b.csv",
        "k: is not the key of a sample (as `sample plan` writes it)",
        {"k": "{}", "b.csv": "item,judge,label\n1,a,ok\n"},
    ),
    (
        ("score gold.m2 careful.txt --documents d --by document --metric m2"),
        "d: names the documents of 1 sentences, there are 64",
        {"d": "a\n"},
    ),
    ("score e.m2 careful.txt", "e.m2: is empty", {"e.m2": ""}),
    ("score gold.m2 e.txt --metric m2", "e.txt: is empty", {"e.txt": ""}),
    (
        ("score gold.m2 careful.txt --metric m2 --bootstrap 2 --resample documents --documents d"),
        "d:64: expected the name of a document",
        {
            "d": (
                "a\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\n"
                "a\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\n"
                "a\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\n\n"
            )
        },
    ),
    (
        "score gold.m2 mine=outputs/",
        (
            "outputs/: with a name, a folder is one system that wrote a file for each document; "
            "it has not the 64 sentences of the reference, and --align finds them; without a name, "
            "a folder has a file for each system"
        ),
        {"outputs/a.txt": "a b\n"},
    ),
    (
        "task score .",
        "submissions/T and submissions/T.zip are both by T; give one of them",
        {
            "task.toml": "[[set]]\nsource = 's.txt'\nreferences = 'r.m2'\n",
            "submissions/T/s.txt": "a\n",
            "submissions/T.zip": "PK",
        },
    ),
    (
        "task init .",
        ". is there and not empty; a task needs a folder of its own",
        {"task.toml": "x"},
    ),
]


@pytest.mark.parametrize(("command", "sentence", "files"), FILES, ids=lambda one: str(one)[:60])
def test_what_a_file_does_not_hold(
    command: str, sentence: str, files: Files, refuse: Refuse
) -> None:
    """With the file and the line, where there is one."""
    refuse(command, sentence, files)
