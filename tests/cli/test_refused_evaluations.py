"""Evaluations that cannot be done with what was given: the whole sentence, exit code 2."""

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
    (
        "agreement j.csv --by x",
        ("a judgment of item '1' has no column 'x' to group by; there are: set"),
        {"j.csv": "item,judge,label,set\n1,a,ok,1\n1,b,ok,1\n"},
    ),
    (
        "agreement j.csv --resample documents --show confusion --documents d",
        "--resample documents goes with the statistics of judges and of pairs",
        {"j.csv": JUDGED, "d": "a\n"},
    ),
    (
        "agreement j.csv --as-gold a --as-gold b --ok ok",
        "no judge is left to be the reference",
        {"j.csv": JUDGED},
    ),
    (
        "crowd j.csv --gold-threshold 0.7",
        "item '1' has two gold answers: 'ok' and 'error'",
        {"j.csv": "item,judge,label,gold\n1,a,ok,ok\n1,b,error,error\n"},
    ),
    (
        "crowd j.csv --experts a,b",
        "there is no crowd: no judgments beside the experts' and the systems'",
        {"j.csv": JUDGED},
    ),
    (
        "crowd j.csv s.csv",
        (
            "system 's' is a file with 2 judges; a system has one, or is called like "
            "one of them (NAME=PATH)"
        ),
        {"j.csv": JUDGED, "s.csv": JUDGED},
    ),
    (
        "detect cloze source.txt --fillers j.csv",
        "a filler may not be called 'text'",
        {"j.csv": "item,judge,label\n1,text,ok\n"},
    ),
    (
        "detect cloze source.txt --fillers j.csv",
        "'anna' filled none of these blanks; is the seed the same?",
        {"j.csv": "item,judge,label\n1,anna,ok\n"},
    ),
    (
        "detect run source.txt --model m",
        (
            "m: is a model of version 1; this redink reads version 2: train it again "
            "with 'redink detect train'"
        ),
        {"m": "redink model 1\n{}\n"},
    ),
    (
        "detect run source.txt --model m",
        "m: is a damaged model: its header makes no sense",
        {"m": "redink model 2\n{}\n"},
    ),
    (
        "detect run source.txt --model m",
        "m: is a damaged model: a part is missing",
        {"m": 'redink model 2\n{"kind": "perceptron", "about": {}, "arrays": {}}\n'},
    ),
    (
        "detection gold.m2 careful.txt --unit target",
        "which targets? Say so, for example --targets tag:IN,TO or slot:,",
        {},
    ),
    (
        "detection gold.m2 careful.txt --curve --level correction",
        "a curve is about detection: scores say nothing of corrections",
        {},
    ),
    (
        "detection gold.m2 careful.ged.tsv --unit target --targets slot:,",
        "flags for tokens do not say what is missing in a slot; use --unit token",
        {},
    ),
    (
        "detection gold.m2 careful.ged.tsv --unit span",
        "flags for tokens have no spans; use --unit token or sentence",
        {},
    ),
    (
        "detection gold.m2 careful.txt --unit target --judgments j.csv",
        "the judged item 's1' is a sentence; use --unit sentence",
        {"j.csv": "item,judge,label\ns1,a,ok\n"},
    ),
    (
        "detection gold.m2 careful.txt --unit sentence --judgments j.csv",
        "the judged item 's01' stands for a unit judged before",
        {"j.csv": "item,judge,label\ns1,a,ok\ns01,a,error\n"},
    ),
    (
        "detection gold.m2 careful.txt --judgments j.csv --unit token",
        "the judged item 's99t0': there is no sentence 99; the text has 64",
        {"j.csv": "item,judge,label\ns99t0,a,ok\n"},
    ),
    (
        "detection gold.m2 careful.txt --judgments j.csv --unit token",
        "the judged item 's1t99': 99:100 does not fit sentence 1 of 16 tokens",
        {"j.csv": "item,judge,label\ns1t99,a,ok\n"},
    ),
    (
        "detection g.m2 h.txt --unit target --targets p --judgments j.csv",
        "the judged item 's1t1' is not one of the targets",
        {
            "g.m2": ONE_EDIT,
            "p": "1\t0\t1\n",
            "j.csv": "item,judge,label\ns1t1,a,ok\n",
            "h.txt": "a b\n",
        },
    ),
    (
        "detection g.m2 h.tsv --threshold 0.5",
        "a threshold needs a probability for every token, and one sentence has none",
        {"g.m2": ONE_EDIT, "h.tsv": "a\tc\nb\ti\n\n"},
    ),
    ("meta rankings.xml s.csv", "s.csv: is empty; scores of systems were expected", {"s.csv": ""}),
    (
        "meta rankings.xml s.csv",
        "s.csv: holds no score of any system",
        {"s.csv": "system,metric,score\n"},
    ),
    (
        "meta rankings.xml --sentences s.csv --show sentences",
        "s.csv: is empty; scores of sentences were expected",
        {"s.csv": ""},
    ),
    (
        "meta h.csv --sentences s.csv --show sentences",
        "agreement on sentences needs judgments, not scores of systems",
        {"h.csv": "system,ts\nA,1\nB,2\nC,3\n", "s.csv": SCORES + "1,A,m,1\n1,B,m,2\n"},
    ),
    (
        "meta d --benchmark b.toml --sentences s.csv",
        ("'m' has scores for 3 sentences of b; expected 1 (those that count) or 1 (all lines)"),
        {**BENCHMARK, "s.csv": SCORES + "1,A,m,1\n1,B,m,2\n2,A,m,1\n2,B,m,2\n3,A,m,1\n3,B,m,2\n"},
    ),
    (
        "meta d x.csv --benchmark b.toml --systems A",
        "no two systems are left to compare",
        {**BENCHMARK, "x.csv": "system,m\nA,1\nB,2\n"},
    ),
    (
        "meta d --benchmark b.toml --metric m2 --reference r.m2 --lines l",
        "no judgment of all is about the lines that were chosen",
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
        "'m' scores none of the sentences that were chosen",
        {"l": "3\n", "s.csv": SCORES + "1,careful,m,1\n1,eager,m,2\n2,eager,m,2\n"},
    ),
    (
        "meta gold.m2 careful.txt --attack --lines l",
        "'99' is not the number of one of the 64 lines",
        {"l": "99\n"},
    ),
    (
        "detect cloze s.txt --choice-test t.csv",
        "the system agrees with the text everywhere; there is no mismatch",
        {"s.txt": "I live in London .\n"},
    ),
    (
        "rank r.xml",
        "r.xml:2: holds no <ranking-item> of a judge",
        {"r.xml": "<appraise-results>\n</appraise-results>\n"},
    ),
    (
        "rank r.csv --method trueskill",
        "ratings are not aggregated by trueskill; method is mean or z-score",
        {"r.csv": "sentence,judge,A,B\n1,a,3,4\n"},
    ),
    (
        "rank r.csv",
        "r.csv:2: expected a rating, found 'x' for system 'A'",
        {"r.csv": "sentence,system,judge,rating\n1,A,a,x\n"},
    ),
    ("rank rankings.xml --bootstrap 5", "rank ranges at p = 0.05 need at least 40 samples", {}),
    (
        "rank rankings.xml --resample documents --documents d",
        "the id '3' is not the number of a line of d",
        {"d": "a\nb\n"},
    ),
    (
        "sample plan c.csv --blind b.csv --key k --ok ok --errors 1 --oks 1 --only in",
        "case 'a' marks no words (text, start, end) to choose by",
        {"c.csv": CASES},
    ),
    (
        "sample plan c.csv --blind b.csv --key k --ok ok --errors 1 --oks 1",
        "2 cases are called 'a'; names must differ",
        {"c.csv": "item,label\na,error\na,ok\n"},
    ),
    (
        ("sample plan c.csv --blind b.csv --key k --ok ok --errors 1 --error-rate 0.1 --oks 1"),
        "give a rate or a number of Error cases, not both",
        {"c.csv": CASES},
    ),
    (
        "sample plan c.csv --blind b.csv --key k --ok ok --recall-width 0.1 --errors 1",
        (
            "to plan for recall, say which share of the OK cases you expect to be "
            "errors (--expect-misses)"
        ),
        {"c.csv": CASES},
    ),
    (
        "sample estimate k b.csv",
        "k: expected a count for 'error_cases'",
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
        "k: expected an object for 'signature'",
        {"k": '{"kind": "sample key", "signature": 3}', "b.csv": JUDGED},
    ),
    ("sample estimate --from-counts 0 0 0 0 --cases 0 0", "the corpus has no cases", {}),
    (
        "sample simulate c.csv",
        "1 of 2 cases have no gold; a simulation needs to know them all",
        {"c.csv": "item,label,gold\na,error,error\nb,ok,\n"},
    ),
    (
        "sample verify j.csv --target corpus --ok ok",
        "an interval about the corpus needs the number of Error cases in it",
        {"j.csv": JUDGED},
    ),
    (
        "score gold.m2 careful.txt --documents d.jsonl --by document --metric m2",
        "d.jsonl: has two documents called '1'",
        {"d.jsonl": '{"id": "1", "text": "a"}\n{"id": "1", "text": "a"}\n'},
    ),
    (
        "score gold.m2 careful.txt --documents d.jsonl --by document --metric m2",
        (
            "d.jsonl: does not have 64 of 64 sentences; the first is sentence 1: 'Last "
            "year I moved at a city where the winter is staying for '"
        ),
        {"d.jsonl": '{"id": "1", "text": "a"}\n'},
    ),
    (
        "score g.m2 h.csv --align --metric m2",
        "h.csv: has several corrected columns; a system has one",
        {"g.m2": ONE_EDIT, "h.csv": "source,corrected1,corrected2\na b,a c,a d\n"},
    ),
    (
        ("score gold.m2 careful.txt --sensitivity --reference-edits gold,auto --metric errant"),
        "sensitivity is shown for one kind of reference edits at a time",
        {},
    ),
    (
        "score gold.m2 careful.txt --reference reference-a.txt",
        "--reference needs --source, the text that it corrects",
        {},
    ),
    (
        "score gold.m2 careful.txt --tokenise",
        ("only text can be tokenised: --tokenise needs --source and --reference, or leave it out"),
        {},
    ),
    (
        "score gold.m2 careful.txt --metric meteor(modules=stem+exact)",
        "the modules of METEOR are, in this order: exact, stem, synonym",
        {},
    ),
    (
        "score gold.m2 careful.txt --metric meteor(modules=stem)",
        "METEOR needs its module exact",
        {},
    ),
    (
        "score gold.m2 careful.txt --metric errant(weights=w.jsonl)",
        (
            "w.jsonl: there is no weight for the edit 4-5 'to' in sentence 1 "
            "(;otherwise=1 gives all such edits a weight)"
        ),
        {"w.jsonl": '{"sentence": 1, "start": 0, "end": 1, "correction": "x", "weight": 2}\n'},
    ),
    (
        "score gold.m2 careful.txt --metric errant(weights=dice:x)",
        ("weights=dice:x: write dice, FILE.jsonl, MODULE:FUNCTION, pt:FOLDER or uot:FOLDER"),
        {},
    ),
    (
        "score gold.m2 careful.txt --metric errant(weights=nomod:f)",
        "weights=nomod:f: the function cannot be loaded (No module named 'nomod')",
        {},
    ),
    ("task bundle . -o t.tar", "t.tar: a bundle is a .zip file", {"task.toml": TASK}),
    (
        "task bundle . -o t.zip",
        "s.txt: is named in the task file and not there",
        {"task.toml": TASK},
    ),
    ("task check . T", "s.txt: no such file", {"task.toml": TASK, "T/s.txt": "a\n"}),
    (
        "task score .",
        "task.toml: the file of an answer has a name without folders, not a/b",
        {"task.toml": TASK + "file = 'a/b'\n"},
    ),
    (
        "task score .",
        "task.toml: two sets have the same name or file: s.txt",
        {"task.toml": TASK * 2},
    ),
    (
        "task score . a/T b/T.txt",
        "a/T and b/T.txt are both by T; give one of them",
        {"task.toml": TASK, "a/T/s.txt": "a\n", "b/T.txt": "a\n"},
    ),
    (
        "task score . T",
        "T is left out: s.txt: is missing; is it x.txt?",
        {"task.toml": TASK, "T/x.txt": "a\n", "s.txt": "a\n", "r.m2": "S a\n\n"},
    ),
]


@pytest.mark.parametrize(("command", "sentence", "files"), REFUSED, ids=lambda one: str(one)[:60])
def test_what_cannot_be_evaluated(
    command: str, sentence: str, files: Files, refuse: Refuse
) -> None:
    """Data that do not fit the question, or options that do not fit the data."""
    refuse(command, sentence, files)
