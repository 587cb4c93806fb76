"""Commands that fail: one line with a keyword, exit code 2, nothing written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cli.conftest import EXAMPLE, Files, Refuse, Run

JUDGED = "item,judge,label\n1,a,ok\n1,b,error\n"
ITEMS = "text,start,end\na b,0,1\n"
ONE_EDIT = "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n"
TASK = "[[set]]\nsource = 's.txt'\nreferences = 'r.m2'\n"
SCORES = "sentence,system,metric,score\n"
CASES = "item,label\na,error\nb,ok\n"
HUMAN = "system,ts\nA,1\nB,2\nC,3\n"
METRIC = "system,errant\nA,1\nB,2\nC,3\n"
RANKING = (
    '{"sentence": "1", "judge": "a", "outputs": [{"rank": 1, "systems": ["A"]}, '
    '{"rank": 2, "systems": ["B"]}], "extra": %s}\n'
)
WEIGHT = '{"sentence": "1", "start": 0, "end": 1, "correction": "a", "weight": %s}\n'
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
FAILING: dict[str, str] = {
    "align source.txt careful.txt --tokenizer nonsense -o h.txt": "nonsense",
    "align source.txt careful.txt eager.txt -o h.txt": "hypotheses",
    "annotate gold.m2 --auto --gold": "--auto",
    "convert source.txt out.json": "out.json",
    "align source.txt": "HYPOTHESIS...",
    "annotate source.txt careful.txt --alignments first": "--language",
    "campaign invite nothing.db anna": "nothing.db",
    "campaign create c.db --task rate": "--source",
    "campaign create c.db --task post-edit": "--source",
    "campaign create c.db --task ranking": "--source",
    "campaign create c.db --task crowd --source source.txt": "crowd",
    "crowd crowd.csv careful.ged.tsv --show bins --bins 0.9,0.5": "bins",
    "crowd crowd.csv careful.ged.tsv --show bins --bins x": "--bins",
    "detector run source.txt --model nothing.bin": "nothing.bin",
    "detector cloze source.txt --items -1": "--items",
    "detection --from-counts 1 2 3": "--from-counts",
    "detection --from-counts 1 2 3 x": "--from-counts",
    "detection gold.m2 careful.txt --beta -1": "--beta",
    "explore gold.m2 careful.txt --no-open --port 99999": "--port",
    "meta . --benchmark nonsense": "nonsense",
    "meta . --benchmark seeda": "seeda",
    "meta . --benchmark seeda --show betas": "betas",
    "rank rankings.xml --bootstrap 0": "--bootstrap",
    "sample simulate --from-counts 0 0 0 0": "both Error and OK",
    "sample simulate --from-counts 1 1 1 -": "--from-counts",
    "score gold.m2 careful.txt --metric gleu --sensitivity": "annotators",
    "score gold.m2 careful.txt --bootstrap x": "--bootstrap",
    "score gold.m2 careful.txt --bootstrap 1": "--bootstrap",
    "score gold.m2 careful.txt --resample documents --metric m2 --bootstrap 2": "--documents",
    "shared-task score nowhere": "nowhere",
    "shared-task init t --source source.txt": "--source",
    "campaign create c.db --task adjudicate --from gold.m2 --items 3": "adjudicate",
    "annotate source.txt careful.txt --language de --errant-version 2.0.0": "2.0.0",
    "report gold.m2 careful.txt -o -": "standard",
    "shared-task init -": "standard",
    "detection gold.m2 careful.ged.tsv --unit target --targets slot:,": "--unit",
    "detection gold.m2 careful.ged.tsv --unit span": "--unit",
    "sample estimate --from-counts 0 0 0 0 --cases 0 0": "corpus",
    "score gold.m2 careful.txt --metric meteor(modules=stem+exact)": "synonym",
    "score gold.m2 careful.txt --metric meteor(modules=stem)": "module",
    "detection gold.m2 careful.ged.tsv --unit target --targets tag:": "the rule 'tag:' is empty",
    "rank rankings.xml --resample documents --show accuracy": "--show accuracy cannot be",
    "annotate source.txt careful.txt -o out/ --align": "--align reads one source and writes one",
    "detection --from-counts - 1 1 1": "only TN may be missing among TP FP FN TN",
    "campaign create c.db --task mark --from source.txt --source careful.txt": "pass the sentences",
    "campaign create c.db --task edit-check careful.txt": "the outputs of systems need the",
    "campaign create c.db --task adjudicate": "the task adjudicate takes its items from one file:",
    "align source.txt careful.txt --field x -o h.txt": "careful.txt: is not JSON lines",
    "crowd crowd.csv --show items --plot x.png": "--plot requires --show bins",
    "crowd crowd.csv nowhere.csv": "neither a judge in the judgments nor a file",
    "sample simulate --sizes x --from-counts 1 1 1 1": "'--sizes': 'x' is not a valid whole number",
}


@pytest.mark.parametrize("command", list(FAILING))
def test_wrong_options(command: str, refuse: Refuse) -> None:
    refuse(command, FAILING[command])


METRIC_SPECS: dict[str, str] = {
    "cleme2(factors=1+1)": "numbers",
    "errant(average=sentence,by=type)": "average=sentence",
    "errant(weights=dice,level=detection-token)": "cannot be combined",
    ",": "metrics",
    "errant(": "--metric",
}


@pytest.mark.parametrize("metric", list(METRIC_SPECS))
def test_wrong_metrics(metric: str, refuse: Refuse) -> None:
    refuse(f"score gold.m2 careful.txt --metric {metric}", METRIC_SPECS[metric])


WITH_FILES: list[tuple[str, str, str | bytes | Files]] = [
    (
        "campaign invite c.db anna --again --revoke",
        "--again and --revoke cannot be combined",
        {"c.db": ""},
    ),
    (
        "annotate s.txt c.txt --language zh --cherrant-data t",
        "t/cilin.txt.gz",
        {"s.txt": "我 爱\n", "c.txt": "我 恨\n", "t/cilin.txt.gz": b"\x1f\x8b\x08\x00aaaaaaaaaaaa"},
    ),
    ("annotate p.tsv", "p.tsv:61", "a\tb\n" * 60 + "c\n"),
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
    ("convert p.csv o.jsonl", "p.csv", "source,corrected\n"),
    (
        "convert a.json o.m2",
        "a.json:1",
        (
            '{"text": "A b .\\nC d .", "edits": [[0, [[2, 8, "x"]]]], "id": "1'
            '", "tokenized": true}\n'
        ),
    ),
    (
        "convert d.jsonl o.sgml",
        "X\\rY",
        (
            '{"tokens": ["a"], "annotations": [{"annotator": "0", "edits": [{'
            '"start": 0, "end": 1, "correction": "x", "type": "X\\rY"}]}]}\n'
        ),
    ),
    (
        "convert r.jsonl o.csv --to wmt-csv",
        " and ",
        '{"sentence": "", "judge": "a", "outputs": [{"rank": 1, "systems": ["A"]}]}\n',
    ),
    (
        "convert r.jsonl o.xml",
        "\\x01",
        ('{"sentence": "\\u0001", "judge": "a", "outputs": [{"rank": 1, "systems": ["A"]}]}\n'),
    ),
    ("convert d.jsonl o.csv", "\\r", '{"item": "1", "judge": "a", "label": "x\\ry"}\n'),
    (
        "convert d.jsonl o.sgml",
        "X ",
        (
            '{"tokens": ["a"], "annotations": [{"annotator": "0", "edits": [{'
            '"start": 0, "end": 1, "correction": "x", "type": "X "}]}]}\n'
        ),
    ),
    (
        "convert d.jsonl o.sgml",
        "1\\n2",
        (
            '{"id": "1\\n2", "tokens": ["a"], "annotations": [{"annotator": "0'
            '", "edits": [{"start": 0, "end": 1, "correction": "x", "type": "'
            'X"}]}]}\n'
        ),
    ),
    (
        "agreement j.csv --resample documents --show confusion --documents d",
        "--resample",
        {"j.csv": JUDGED, "d": "a\n"},
    ),
    ("agreement j.csv --as-gold a --as-gold b --ok ok", "reference", JUDGED),
    (
        "crowd j.csv --gold-threshold 0.7",
        "1",
        "item,judge,label,gold\n1,a,ok,ok\n1,b,error,error\n",
    ),
    ("crowd j.csv s.csv", "s", {"j.csv": JUDGED, "s.csv": JUDGED}),
    ("detector cloze source.txt --fillers j.csv", "text", "item,judge,label\n1,text,ok\n"),
    ("detector cloze source.txt --fillers j.csv", "anna", "item,judge,label\n1,anna,ok\n"),
    ("detector run source.txt --model m", "redink detector train", {"m": "redink model 2\n{}\n"}),
    ("detector run source.txt --model m", "damaged", {"m": "PK\x03\x04"}),
    (
        "detection gold.m2 careful.txt --unit target --judgments j.csv",
        "s1",
        "item,judge,label\ns1,a,ok\n",
    ),
    (
        "detection gold.m2 careful.txt --unit sentence --judgments j.csv",
        "s01",
        "item,judge,label\ns1,a,ok\ns01,a,error\n",
    ),
    (
        "detection gold.m2 careful.txt --judgments j.csv --unit token",
        "s1t99",
        "item,judge,label\ns1t99,a,ok\n",
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
    ("meta rankings.xml --sentences s.csv --show sentences", "s.csv", ""),
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
                '<appraise-results>\n<ranking-item src-id="5" user="anna">\n<transl'
                'ation rank="1" system="A"/><translation rank="2" system="B"/>\n</'
                "ranking-item>\n</appraise-results>\n"
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
    ("detector cloze s.txt --choice-test t.csv", "everywhere", "I live in London .\n"),
    ("rank rankings.xml --resample documents --documents d", "3", {"d": "a\nb\n"}),
    (
        "sample estimate k b.csv",
        "error_cases",
        {
            "k": (
                '{"kind": "sample key", "signature": {}, "items": [], "error_case'
                's": -1, "ok_cases": 1}'
            ),
            "b.csv": JUDGED,
        },
    ),
    ("sample verify j.csv --target corpus --ok ok", "corpus", JUDGED),
    (
        "score gold.m2 careful.txt --documents d.jsonl --by document --metric m2",
        "1",
        '{"id": "1", "text": "a"}\n{"id": "1", "text": "a"}\n',
    ),
    (
        "score g.m2 h.csv --align --metric m2",
        "h.csv",
        {"g.m2": ONE_EDIT, "h.csv": "source,corrected1,corrected2\na b,a c,a d\n"},
    ),
    ("shared-task bundle . -o t.tar", "t.tar", {"task.toml": TASK}),
    ("shared-task bundle . -o t.zip", "s.txt", {"task.toml": TASK}),
    ("agreement j.csv --drop ok", "ok", JUDGED),
    ("agreement j.csv --drop confidence", "judgments", "item,judge,label,confidence\n1,a,ok,low\n"),
    (
        "agreement j.csv --resample documents --show judges --documents d",
        "documents",
        {"j.csv": JUDGED, "d": "a\n"},
    ),
    ("agreement g.m2 --show edits", "annotators", ONE_EDIT),
    (
        "annotate s.txt c.txt --language zh --cherrant-data t",
        "t/cilin.txt",
        {"s.txt": "我 爱\n", "c.txt": "我 恨\n", "t/cilin.txt": b"\xff\xff\n"},
    ),
    ("annotate e.txt careful.txt -o o.m2", "e.txt", ""),
    ("annotate p.csv --source-column x", "x", "src,tgt\na,b\n"),
    ("annotate p.csv", "output", "source,output,target\na,b,c\n"),
    ("campaign invite c.db", "organizer", {"c.db": ""}),
    ("campaign create sqlite:///x.db --task crowd --from i.csv", "campaign", ITEMS),
    ("campaign create c.db --task crowd --from i.csv --gold-threshold 0.7", "questions", ITEMS),
    ("campaign create c.db --task crowd --from i.csv --judge a --judge a", "a", ITEMS),
    ("campaign create c.db --task crowd --from i.csv", "c.db", {"i.csv": ITEMS, "c.db": "x"}),
    ("campaign create no/c.db --task crowd --from i.csv", "no/c.db", ITEMS),
    (
        "campaign create c.db --task ranking --source s.txt a.txt b.txt",
        "sentence",
        {"s.txt": "a\n", "a.txt": "a\n", "b.txt": "a\n"},
    ),
    ("convert b.jsonl o.m2", "b.jsonl", "\n\n"),
    (
        "convert x.jsonl o.m2",
        "x.jsonl:1",
        '{"tokens": ["a"], "text": "a", "offsets": [[0, 1], [1, 2]]}\n',
    ),
    (
        "convert x.jsonl o.ann",
        "x.jsonl",
        (
            '{"tokens": ["a"], "id": "d1:1", "annotations": [{"annotator": "0'
            '", "edits": []}]}\n{"tokens": ["a"], "id": "d2:1", "annotations":'
            ' [{"annotator": "0", "edits": []}]}\n'
        ),
    ),
    ("convert a.jsonl b.md --to multigec", "1", '{"id": "1", "text": "a\\u0000b"}\n'),
    ("convert a.jsonl b.md --to multigec", "1", '{"id": "1", "text": "\\n\\na\\n"}\n'),
    ("convert x.m2 o.jsonl --field text", "x.m2", ONE_EDIT),
    (
        "convert x.jsonl o.m2",
        "x|||y",
        '{"tokens": ["a"], "annotations": [{"annotator": "x|||y", "edits": []}]}\n',
    ),
    ("detector run source.txt --model x.bin", "x.bin", "abc"),
    ("detector mine s.txt --counts-from source.txt", "s.txt", "Hello .\n"),
    (
        "detection gold.m2 careful.ged.tsv --unit token --judgments j.csv",
        "token",
        "item,judge,label\ns1,a,ok\n",
    ),
    ("meta rankings.xml x.csv --metric errant", "benchmark", "system,errant\nA,1\n"),
    (
        "meta d --benchmark b.toml --metric errant",
        "--reference",
        {
            "b.toml": "outputs = 'o/*.txt'\n[judgments]\nall = 'j.xml'\n",
            "d/j.xml": RANKED,
            "d/o/A.txt": "a b\n",
            "d/o/B.txt": "a c\n",
        },
    ),
    (
        "meta d --benchmark b.toml --metric errant --reference r.txt",
        "references",
        {
            "b.toml": "outputs = 'o/*.txt'\n[judgments]\nall = 'j.xml'\n",
            "d/j.xml": RANKED,
            "d/o/A.txt": "a b\n",
            "d/o/B.txt": "a c\n",
            "r.txt": "a c\n",
        },
    ),
    (
        "meta d --benchmark b.toml --metric errant",
        "benchmark",
        {"b.toml": "[judgments]\nall = 'j.xml'\n", "d/j.xml": RANKED},
    ),
    ("meta rankings.xml x.csv --benchmark seeda", "rankings.xml", "system,errant\nA,1\n"),
    ("rank r.xml --plot p.png", "system", RANKED.replace('rank="2"', 'rank="1"')),
    ("rank rankings.xml --lines l", "sentences", {"l": "9999\n"}),
    (
        "score gold.m2 careful.txt --metric m2 --bootstrap 2 --resample documents --documents d",
        "d:64",
        {"d": "a\n" * 63 + "\n"},
    ),
    ("score gold.m2 mine=outputs/", "--align", {"outputs/a.txt": "a b\n"}),
    ("demo -o full", "full: is not empty and not a demo; name another", {"full/a": "a\n"}),
    (
        "convert overlap.m2 o.ann",
        "overlap.m2: UA-GEC cannot represent overlapping corrections",
        "S a b c\nA 0 2|||X|||d|||REQUIRED|||-NONE-|||0\nA 1 3|||X|||e|||REQUIRED|||-NONE-|||0\n\n",
    ),
    (
        "convert r.jsonl o.xml",
        "r.jsonl: a ranking has a second 'user', which Appraise XML",
        RANKING % '{"user": "b"}',
    ),
    (
        "convert kept.jsonl o.csv --to wmt-csv",
        "kept.jsonl: WMT CSV cannot represent an extra value",
        RANKING % '{"system3Id": "c"}',
    ),
    (
        "convert para.tsv o.tsv --from para --to parallel",
        "para.tsv:1: expected a number, a source and its",
        "1\ta\n",
    ),
    (
        "rank ratings.csv",
        "ratings.csv: contains no rating",
        "sentence,system,judge,rating\n1,a,b,\n",
    ),
    (
        "align source.txt chat.jsonl -o h.txt",
        "chat.jsonl:1: the messages contain no answer",
        '{"messages": [{"role": "user", "content": "a"}]}\n',
    ),
    (
        "annotate source.txt careful.txt -o o.m2 --language sv --analyzer conllu:e.conllu",
        "e.conllu: contains no sentence; expected CoNLL-U",
        {"e.conllu": "# nothing\n\n"},
    ),
    (
        "rank rankings.xml --lines twice",
        "twice:2: the sentence '1' occurs twice",
        {"twice": "1\n1\n"},
    ),
    (
        "rank rankings.xml --lines empty",
        "empty: is empty; expected numbers or ids of",
        {"empty": "\n"},
    ),
    ("detector cloze short.txt", "the text contains none of the 34 prep", "Hello .\n"),
    (
        "align source.txt a.jsonl --field a.b -o h.txt",
        "a.jsonl:1: expected a string for 'a.b', found '3'",
        '{"a": {"b": 3}}\n',
    ),
    (
        "campaign create c.db --task adjudicate --from same.m2",
        "the annotators agree on every sentence; there is nothing to",
        "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||1\n\n",
    ),
]
"""Command, keyword and files; a text is the content of the first file that is no example."""


@pytest.mark.parametrize(("command", "keyword", "files"), WITH_FILES, ids=lambda one: str(one)[:60])
def test_wrong_files(
    command: str, keyword: str, files: str | bytes | Files, refuse: Refuse
) -> None:
    if isinstance(files, str | bytes):
        names = re.findall(r"(?<= )[\w-]+\.(?!db)[\w.]+", command)
        files = {next(name for name in names if not (EXAMPLE / name).exists()): files}
    refuse(command, keyword, files)


CAMPAIGN_ITEMS: list[tuple[str, str, str, str]] = [
    ("crowd", "i.csv", "i.csv:2", "text,start,end,judge\na b,0,1,x\n"),
    ("crowd", "i.csv", "i.csv", "text,start,end\n"),
    ("ranking", "i.jsonl", "i.jsonl:1", '{"item": "1", "source": "a", "outputs": 3}\n'),
    (
        "ranking",
        "i.jsonl",
        "i.jsonl:2",
        (
            '{"item": "1", "source": "a", "outputs": []}\n{"item": "1", "sourc'
            'e": "a", "outputs": []}\n'
        ),
    ),
    (
        "ranking",
        "i.jsonl",
        "i.jsonl:1",
        '{"item": "1", "source": "a", "outputs": [], "gold": "x"}\n',
    ),
    ("adjudicate", "g.m2", "--from", ONE_EDIT),
    ("adjudicate", "i.jsonl", "i.jsonl:1", '{"item": "1", "text": "a b", "places": []}\n'),
    ("edit-validity", "i.jsonl", "i.jsonl:1", '{"item": "1", "text": "a b", "edits": []}\n'),
    ("usage", "g.m2", "usage", "S a b\nA 1 1|||M:X|||c|||REQUIRED|||-NONE-|||0\n\n"),
    (
        "edit-validity",
        "i.jsonl",
        "i.jsonl:1",
        '{"item": "1", "text": "a", "edits": [[0, 1, "c", "X", null]], "gold": "x"}\n',
    ),
    ("mark", "i.csv", "i.csv:2", "text,gold\na b,x\n"),
    ("crowd", "i.csv", "i.csv:2", "text,start,end\na b,0,9\n"),
    ("nonsense", "i.csv", "nonsense", ITEMS),
    ("crowd", "i.csv", "i.csv:3", "item,text,start,end\n1,a b,0,1\n1,a c,0,1\n"),
]


@pytest.mark.parametrize(("task", "name", "keyword", "text"), CAMPAIGN_ITEMS)
def test_wrong_items(task: str, name: str, keyword: str, text: str, refuse: Refuse) -> None:
    refuse(f"campaign create c.db --task {task} --from {name}", keyword, {name: text})


IN_CAMPAIGN: list[tuple[str, str, Files]] = [
    ("campaign export c.db --to m2", "judgments", {}),
    ("campaign export c.db --annotator x -o o.csv", "annotators", {}),
    ("campaign invite c.db anna --revoke", "anna", {}),
    (
        "campaign add c.db --from i.jsonl",
        "i.jsonl:1",
        {"i.jsonl": '{"item": "1", "text": "a b"}\n'},
    ),
]


@pytest.mark.parametrize(
    ("command", "keyword", "files"), IN_CAMPAIGN, ids=lambda one: str(one)[:60]
)
def test_what_a_campaign_does_not_have(
    command: str, keyword: str, files: Files, redink: Run, refuse: Refuse, tmp_path: Path
) -> None:
    (tmp_path / "i.csv").write_text(ITEMS)
    assert redink(*["campaign", "create", "c.db", "--task", "crowd", "--from", "i.csv"]).code == 0
    refuse(command, keyword, {**files, "i.csv": ITEMS})


QUESTION = '[[question]]\nname = "label"\nask = "A"\nkind = "choice"\n'
DESCRIPTIONS: dict[str, dict[str | bytes, str]] = {
    "campaign create c.db --task q.toml --source source.txt": {
        "question = 3\n": "q.toml",
        QUESTION + 'options = ["a", "b"]\nkeys = {c = "x"}\n': "q.toml:1",
        QUESTION + "options = 3\n": "q.toml:1",
        QUESTION + 'options = {a = ""}\n': "q.toml:1",
        '[[question]]\nask = "A"\n': "q.toml:1",
        'title = "T"\n': "q.toml",
        'title = "T"\n' + QUESTION + 'options = ["a", "b"]\n[[training]]\ntext = "a"\n': "q.toml:7",
        'title = "T"\n'
        + QUESTION
        + 'options = ["a", "b"]\n[[training]]\ntext = "a"\n'
        + 'answers = {label = "a", x = ""}\n': "q.toml:7",
    },
    "shared-task score .": {
        "": "task.toml",
        "set = [1]\n": "task.toml",
        "set = 3\n": "task.toml",
        "[[set]]\nsource = 's'\nreferences = 'r'\n": "submissions",
    },
    "meta . --benchmark b.toml": {
        "nonsense = 1\n": "nonsense",
    },
}

_FILES = {"campaign": "q.toml", "shared-task": "task.toml", "meta": "b.toml"}


@pytest.mark.parametrize(
    ("command", "text"),
    [(command, text) for command, texts in DESCRIPTIONS.items() for text in texts],
)
def test_wrong_descriptions(command: str, text: str | bytes, refuse: Refuse) -> None:
    refuse(command, DESCRIPTIONS[command][text], {_FILES[command.split(maxsplit=1)[0]]: text})
