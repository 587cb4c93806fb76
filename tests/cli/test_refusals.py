"""What is refused, to the last word: the sentence that a user reads, exit code 2, nothing written.

The tables hold what is given, and the whole sentence.
"""

from __future__ import annotations

import pytest

from .conftest import Files, Refuse

ITEMS = "text,start,end\na b,0,1\n"
JUDGED = "item,judge,label\n1,a,ok\n1,b,error\n"
RANKED = (
    '<appraise-results>\n<ranking-item src-id="1" user="anna">\n'
    '<translation rank="1" system="A"/><translation rank="%d" system="B"/>\n'
    "</ranking-item>\n</appraise-results>\n"
)
COMMANDS: list[tuple[str, str, Files]] = [
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
        "align source.txt careful.txt --tokeniser nonsense -o h.txt",
        (
            "there is no tokeniser 'nonsense'; there are spacy, treebank, words, "
            "and that of every language by its code (de, es, zh)"
        ),
        {},
    ),
    (
        "annotate source.txt careful.txt --alignments first",
        ("tables, alignments, simplify and cut are for a language of characters (--language zh)"),
        {},
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
        "annotate gold.m2 careful.txt -o o.m2",
        (
            "gold.m2 holds edits already; give it alone, with --auto (extract "
            "them again) or --gold (keep them and type them again)"
        ),
        {},
    ),
    (
        "annotate source.txt",
        (
            "source.txt does not hold pairs of sentences: give the corrected "
            "text too, or --auto or --gold for a file that holds edits"
        ),
        {},
    ),
    (
        "annotate source.txt --auto -o o.m2",
        "source.txt: holds no edits; an M2 file was expected",
        {},
    ),
    ("annotate gold.m2 --auto --keep-types", "--no-minimise and --keep-types are for --gold", {}),
    (
        "annotate source.txt careful.txt --scheduler x -o o.m2",
        "a scheduler is for the engine 'dask'",
        {},
    ),
    (
        "annotate source.txt careful.txt --engine dask -o o.m2",
        "--engine is for output into a folder: -o OUT/",
        {},
    ),
    (
        "annotate source.txt careful.txt --analyser nonsense",
        (
            "there is no analyser 'nonsense'; give 'embedded', 'spacy:NAME', "
            "'conllu:FILE,FILE', 'stanza:LANGUAGE' or 'udpipe:FILE'"
        ),
        {},
    ),
    (
        "annotate source.txt careful.txt --language xx",
        (
            "Invalid value for '--language': there is no language 'xx'; there "
            "are codes of two letters or three ('sv', 'de', 'grc'), and 'en', "
            "'zh', 'universal'; see redink annotate --help"
        ),
        {},
    ),
    (
        "campaign invite c.db",
        "name the judges, or ask for a link with organiser or register",
        {"c.db": ""},
    ),
    (
        "campaign invite nothing.db anna",
        "nothing.db: no such campaign; make one with: redink campaign create",
        {},
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
        "campaign create c.db --task rate",
        "the task rate needs sentences: --source FILE or --from FILE",
        {},
    ),
    (
        "campaign create c.db --task post-edit",
        "the task post-edit needs --source and the systems' outputs",
        {},
    ),
    (
        "campaign create c.db --task ranking",
        "the task ranking needs --source and the systems' outputs",
        {},
    ),
    ("cite nonsense", "there is no metric 'nonsense'; there are: {metrics}", {}),
    (
        "compare gold.m2 careful.txt eager.txt --baseline nobody --metric m2",
        "there is no system 'nobody'; there are: careful, eager",
        {},
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
        "crowd j.csv --gold-threshold 0.7",
        ("quality control needs gold questions: a column gold with the known answers"),
        {"j.csv": JUDGED},
    ),
    (
        "crowd j.csv --show removal",
        "removing judges needs gold questions: a column gold with known answers",
        {"j.csv": JUDGED},
    ),
    (
        "crowd crowd.csv careful.ged.tsv --show bins --bins 0.9,0.5",
        "bins are given by two or more rising limits, such as 0.5,0.75,0.9,1",
        {},
    ),
    (
        "crowd crowd.csv careful.ged.tsv --show bins --bins x",
        ("Invalid value for '--bins': 'x' is not a valid number; see redink crowd --help"),
        {},
    ),
    ("data nonsense", "nonsense is not a folder", {}),
    ("detect run source.txt --model x.bin", "x.bin: is not a model of redink", {"x.bin": "abc"}),
    (
        "detect mine source.txt",
        "give a large text to count in, or a file of counts, and only one",
        {},
    ),
    (
        "detect cloze source.txt --choice-test -",
        ("--choice-test -: standard output can hold one thing only; give a file name"),
        {},
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
        "detection gold.m2 careful.ged.tsv --unit target --targets judged",
        (
            "'judged' is neither a rule nor a file; rules are: tag:IN,TO · "
            "pos:ADP · word:of,in · letters · np · not:RULE · a file of positions"
        ),
        {},
    ),
    (
        "detection gold.m2 careful.ged.tsv --unit target --targets nonsense:x",
        (
            "'nonsense:x' is neither a rule nor a file; rules are: tag:IN,TO · "
            "pos:ADP · word:of,in · letters · np · not:RULE · a file of positions"
        ),
        {},
    ),
    ("detection --from-counts 1 2 3", "Option '--from-counts' requires 4 arguments", {}),
    ("detection --from-counts 1 2 3 4 5", "--from-counts needs no files", {}),
    (
        "detection --from-counts 1 2 3 x",
        ("Invalid value for '--from-counts': 'x' is not a number; see redink detection --help"),
        {},
    ),
    ("detection --from-counts 1 2 3 -4", "a count is a number from 0 up, not -4", {}),
    (
        "detection gold.m2 careful.txt --beta -1",
        ("Invalid value for '--beta': -1.0 is not in the range x>=0; see redink detection --help"),
        {},
    ),
    (
        "explore gold.m2 careful.txt --no-open --port 99999",
        (
            "Invalid value for '--port': 99999 is not in the range 0<=x<=65535; "
            "see redink explore --help"
        ),
        {},
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
        "meta . --benchmark nonsense",
        (
            "there is no benchmark 'nonsense'; there are: seeda, gjg15, gmeg, or "
            "a TOML file that describes one"
        ),
        {},
    ),
    ("meta . --benchmark seeda", ".: holds no judgments of the benchmark seeda", {}),
    (
        "meta . --benchmark seeda --show betas",
        ("a benchmark has no table 'betas'; show can be: tests, correlation, windows, sentences"),
        {},
    ),
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
    ("rank r.xml --plot p.png", "no system has a score that could be drawn", {"r.xml": RANKED % 1}),
    ("reproduce --data nowhere", "nowhere: there is no such folder", {}),
    ("sample simulate --from-counts 0 0 0 0", "a simulation needs both Error and OK cases", {}),
    (
        "sample simulate --from-counts 1 1 1 -",
        (
            "Invalid value for '--from-counts': '-' is not a valid whole number; "
            "see redink sample simulate --help"
        ),
        {},
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
        "score gold.m2 careful.txt --metric gleu --sensitivity",
        "only errant and m2 choose among annotators: nothing is sensitive",
        {},
    ),
    (
        "score gold.m2 careful.txt --metric m2 --sentences -",
        ("--sentences -: standard output can hold one thing only; give a file name"),
        {},
    ),
    (
        "score gold.m2 careful.txt --bootstrap x",
        (
            "Invalid value for '--bootstrap': 'x' is not a valid whole number; "
            "see redink score --help"
        ),
        {},
    ),
    (
        "score gold.m2 careful.txt --bootstrap 1",
        ("Invalid value for '--bootstrap': 1 is not in the range x>=2; see redink score --help"),
        {},
    ),
    ("score gold.m2 careful.txt --plot x.xyz", "x.xyz: a plot ends in .png, .svg, .pdf, .html", {}),
    (
        ("score gold.m2 careful.txt --documents d --resample documents --metric m2"),
        "d: names the documents of 1 sentences, there are 64",
        {"d": "a\n"},
    ),
    (
        ("score gold.m2 careful.txt --resample documents --metric m2 --bootstrap 2"),
        (
            "the ids of the sentences do not name documents "
            "(DOCUMENT.PARAGRAPH.NUMBER); give --documents FILE, with the name "
            "of each sentence's document or with the documents"
        ),
        {},
    ),
    (
        "score gold.m2 careful.txt --metric bleu --by type",
        "the option by has no meaning for bleu",
        {},
    ),
    (
        "score gold.m2 careful.txt --metric gleu --max-unchanged-words 3",
        "the option max-unchanged-words has no meaning for gleu",
        {},
    ),
    (
        "task init .",
        ". is there and not empty; a task needs a folder of its own",
        {"task.toml": "x"},
    ),
    ("task score nowhere", "nowhere: is not there; redink task init writes one", {}),
]


@pytest.mark.parametrize(("command", "sentence", "files"), COMMANDS, ids=lambda one: str(one)[:60])
def test_what_a_command_refuses(command: str, sentence: str, files: Files, refuse: Refuse) -> None:
    """Options that do not fit, and files that do not hold what is needed."""
    refuse(command, sentence, files)


METRIC: dict[str, str] = {
    "cleme2(factors=1+1)": (
        "the factors of cleme2 are four numbers that add up to 1, for hit, "
        "wrong, under and over: 0.45+0.35+0.15+0.05"
    ),
    "errant(average=sentence,by=type)": (
        "errant: error types have no mean of sentences; by goes with average=corpus"
    ),
    "errant(weights=length)": (
        "there is no way of weighing edits 'length'; there are: file, python, dice, pt, uot"
    ),
    "errant(weights=dice,level=detection-token)": (
        "errant: edits have weights, tokens have none; choose another level"
    ),
    "cherrant(weights=dice)": "cherrant: its edits have no weights",
    ",": "no metric was asked for; there are: {metrics}",
    "errant(beta)": "errant: beta needs a value: beta=...",
    "errant(fixed=maybe)": "errant: fixed is true or false, not 'maybe'",
    "errant(": (
        "Invalid value for '--metric': a bracket is not closed in 'errant('; "
        "see redink score --help"
    ),
    "errant(betaa=1)": (
        "the metric errant has no option 'betaa'; it has: by, beta, "
        "selection, average, weights, level, only, exclude, fixed"
    ),
    "errant(beta=x)": "errant: beta is a number, not 'x'",
    "errant(beta=-1)": "beta must be 0 or more, not -1",
    "errant(level=x)": (
        "level cannot be 'x'; it can be: correction, detection-span, "
        "detection-token, correction-typed"
    ),
    "some(model=x)": (
        "x/grammer: there is no such folder; a model is a folder as "
        "transformers saves it, and redink fetches none"
    ),
    "m2(1)": (
        "the metric m2 has no option '1'; it has: by, beta, selection, "
        "average, weights, max_unchanged_words, ignore_whitespace_casing"
    ),
    "-": "there is no metric '-'; there are: {metrics}",
    "errant(exclude=)": "errant: exclude needs a value: exclude=...",
}


@pytest.mark.parametrize("metric", list(METRIC))
def test_a_metric_that_cannot_be_made(metric: str, refuse: Refuse) -> None:
    """What is wrong in its name or its options."""
    refuse(f"score gold.m2 careful.txt --metric {metric}", METRIC[metric])
