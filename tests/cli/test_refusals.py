"""What is refused, to the last word: the sentence that a user reads, exit code 2, nothing written.

The tables hold what is given, and the whole sentence.
"""

from __future__ import annotations

import pytest
from tests.cli.conftest import Refuse

COMMANDS: dict[str, str] = {
    "align source.txt careful.txt --tokeniser nonsense -o h.txt": (
        "there is no tokeniser 'nonsense'; there are spacy, treebank, words, "
        "and the tokeniser of every language by its code (de, es, zh)"
    ),
    "align source.txt careful.txt eager.txt": (
        "several hypotheses need a folder to be written to: -o DIR"
    ),
    "align source.txt careful.txt eager.txt -o h.txt": (
        "several hypotheses need a folder to be written to: -o DIR"
    ),
    "align source.txt careful.txt eager.txt -o no/h": (
        "no/h: cannot be written (there is no such folder)"
    ),
    "analyser train source.txt -o no/a": "no/a: cannot be written (there is no such folder)",
    "annotate source.txt careful.txt -o no/a/": "no/a: cannot be written (there is no such folder)",
    "annotate gold.m2 --auto --gold": "--auto and --gold exclude each other; give one",
    "compat install no/c": "no/c: cannot be written (there is no such folder)",
    "convert source.txt out.json": (
        "out.json: a .json file has corrections, and source.txt is plain text; say what is meant "
        "with --to: json (a list of strings) or wi (texts without corrections)"
    ),
    "report gold.m2 careful.txt -o no/r": "no/r: cannot be written (there is no such folder)",
    "task init no/t": "no/t: cannot be written (there is no such folder)",
    "align source.txt": "Missing argument 'HYPOTHESIS...'; see redink align --help",
    "annotate source.txt careful.txt --alignments first": (
        "tables, alignments, simplify and cut are for a language of characters (--language zh)"
    ),
    "annotate gold.m2 careful.txt -o o.m2": (
        "gold.m2 holds edits already; give it alone, with --auto (extract "
        "them again) or --gold (keep them and type them again)"
    ),
    "annotate source.txt": (
        "source.txt does not hold pairs of sentences: give the corrected "
        "text too, or --auto or --gold for a file that holds edits"
    ),
    "annotate source.txt --auto -o o.m2": "source.txt: holds no edits; an M2 file was expected",
    "annotate gold.m2 --auto --keep-types": "--no-minimise and --keep-types are for --gold",
    "annotate source.txt careful.txt --scheduler x -o o.m2": "a scheduler is for the engine 'dask'",
    "annotate source.txt careful.txt --engine dask -o o.m2": (
        "--engine is for output into a folder: -o OUT/"
    ),
    "annotate source.txt careful.txt --analyser nonsense": (
        "there is no analyser 'nonsense'; give 'embedded', 'spacy:NAME', "
        "'conllu:FILE,FILE', 'stanza:LANGUAGE' or 'udpipe:FILE'"
    ),
    "annotate source.txt careful.txt --language xx": (
        "Invalid value for '--language': there is no language 'xx'; there "
        "are codes of two letters or three ('sv', 'de', 'grc'), and 'en', "
        "'zh', 'universal'; see redink annotate --help"
    ),
    "campaign invite nothing.db anna": (
        "nothing.db: no such campaign; make one with: redink campaign create"
    ),
    "campaign create c.db --task rate": (
        "the task rate needs sentences: --source FILE or --from FILE"
    ),
    "campaign create c.db --task post-edit": (
        "the task post-edit needs --source and the systems' outputs"
    ),
    "campaign create c.db --task ranking": (
        "the task ranking needs --source and the systems' outputs"
    ),
    "campaign create c.db --task crowd --source source.txt": (
        "a crowd campaign is about errors, and what was given has none marked"
    ),
    "cite nonsense": "there is no metric 'nonsense'; there are: {metrics}",
    "compare gold.m2 careful.txt eager.txt --baseline nobody --metric m2": (
        "there is no system 'nobody'; there are: careful, eager"
    ),
    "crowd crowd.csv careful.ged.tsv --show bins --bins 0.9,0.5": (
        "bins are given by two or more rising limits, such as 0.5,0.75,0.9,1"
    ),
    "crowd crowd.csv careful.ged.tsv --show bins --bins x": (
        "Invalid value for '--bins': 'x' is not a valid number; see redink crowd --help"
    ),
    "data nonsense": "nonsense is not a folder",
    "detect mine source.txt": "give a large text to count in, or a file of counts, and only one",
    "detect cloze source.txt --choice-test -": (
        "--choice-test -: standard output can hold one thing only; give a file name"
    ),
    "detect run source.txt --model nothing.bin": "nothing.bin: cannot be opened (no such file)",
    "detect cloze source.txt --items -1": (
        "Invalid value for '--items': -1 is not in the range x>=0; see redink detect cloze --help"
    ),
    "detection gold.m2 careful.ged.tsv --unit target --targets judged": (
        "'judged' is neither a rule nor a file; rules are: tag:IN,TO · "
        "pos:ADP · word:of,in · letters · np · not:RULE · a file of positions"
    ),
    "detection gold.m2 careful.ged.tsv --unit target --targets nonsense:x": (
        "'nonsense:x' is neither a rule nor a file; rules are: tag:IN,TO · "
        "pos:ADP · word:of,in · letters · np · not:RULE · a file of positions"
    ),
    "detection --from-counts 1 2 3": "Option '--from-counts' requires 4 arguments",
    "detection --from-counts 1 2 3 4 5": "--from-counts needs no files",
    "detection --from-counts 1 2 3 x": (
        "Invalid value for '--from-counts': 'x' is not a number; see redink detection --help"
    ),
    "detection --from-counts 1 2 3 -4": "a count is a number from 0 up to 1000000000000000, not -4",
    "detection gold.m2 careful.txt --beta -1": (
        "Invalid value for '--beta': -1.0 is not in the range 0<=x<=10000; "
        "see redink detection --help"
    ),
    "detection gold.m2 careful.ged.tsv --curve --threshold 0.5": (
        "a curve sweeps all thresholds; give either it or one threshold"
    ),
    "explore gold.m2 careful.txt --no-open --port 99999": (
        "Invalid value for '--port': 99999 is not in the range 0<=x<=65535; "
        "see redink explore --help"
    ),
    "meta . --benchmark nonsense": (
        "there is no benchmark 'nonsense'; there are: seeda, gjg15, gmeg, or "
        "a TOML file that describes one"
    ),
    "meta . --benchmark seeda": ".: holds no judgments of the benchmark seeda",
    "meta . --benchmark seeda --show betas": (
        "a benchmark has no table 'betas'; show can be: tests, correlation, windows, sentences"
    ),
    "rank rankings.xml --bootstrap 0": (
        "Invalid value for '--bootstrap': 0 is not in the range x>=1; see redink rank --help"
    ),
    "reproduce --data nowhere": "nowhere: there is no such folder",
    "sample simulate --from-counts 0 0 0 0": "a simulation needs both Error and OK cases",
    "sample simulate --from-counts 1 1 1 -": (
        "Invalid value for '--from-counts': '-' is not a valid whole number; "
        "see redink sample simulate --help"
    ),
    "sample plan gold.m2 --blind b --key k --errors 1 --oks 1": (
        "b: the file for the judges ends in .csv or .jsonl"
    ),
    "score gold.m2 careful.txt --metric gleu --sensitivity": (
        "only errant and m2 choose among annotators: nothing is sensitive"
    ),
    "score gold.m2 careful.txt --metric m2 --sentences -": (
        "--sentences -: standard output can hold one thing only; give a file name"
    ),
    "score gold.m2 careful.txt --bootstrap x": (
        "Invalid value for '--bootstrap': 'x' is not a valid whole number; see redink score --help"
    ),
    "score gold.m2 careful.txt --bootstrap 1": (
        "Invalid value for '--bootstrap': 1 is not in the range x>=2; see redink score --help"
    ),
    "score gold.m2 careful.txt --plot x.xyz": "x.xyz: a plot ends in .png, .svg, .pdf, .html",
    "score gold.m2 careful.txt --resample documents --metric m2 --bootstrap 2": (
        "the ids of the sentences do not name documents "
        "(DOCUMENT.PARAGRAPH.NUMBER); give --documents FILE, with the name "
        "of each sentence's document or with the documents"
    ),
    "score gold.m2 careful.txt --metric bleu --by type": "the option by has no meaning for bleu",
    "score gold.m2 careful.txt --metric gleu --max-unchanged-words 3": (
        "the option max-unchanged-words has no meaning for gleu"
    ),
    "score --source source.txt --reference reference-a.txt careful.txt --reference-edits gold": (
        "reference texts have no gold edits; reference-edits can only be auto"
    ),
    "task score nowhere": "nowhere: is not there; redink task init writes one",
    "task init t --source source.txt": "--source needs at least one --reference",
    "task init t --reference gold.m2 -o t.xlsx": (
        "t.xlsx: no table is written in this form; a .csv opens there as well"
    ),
}


@pytest.mark.parametrize("command", list(COMMANDS))
def test_what_a_command_refuses(command: str, refuse: Refuse) -> None:
    """Options that do not go together, values that they cannot have, and what is not there."""
    refuse(command, COMMANDS[command])


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
        "the metric errant has no option 'betaa'; it has: reference_edits, by, beta, "
        "selection, average, weights, level, only, exclude, types, fixed"
    ),
    "errant(beta=x)": "errant: beta is a number, not 'x'",
    "errant(beta=-1)": "beta must be between 0 and 10000, not -1",
    "errant(level=x)": (
        "level cannot be 'x'; it can be: correction, detection-span, "
        "detection-token, correction-typed"
    ),
    "some(model=x)": (
        "x/grammer: there is no such folder; a model is a folder as "
        "transformers saves it, and redink fetches none"
    ),
    "m2(1)": (
        "the metric m2 has no option '1'; it has: reference_edits, by, beta, selection, "
        "average, weights, max_unchanged_words, ignore_whitespace_casing"
    ),
    "-": "there is no metric '-'; there are: {metrics}",
    "errant(level=)": "errant: level needs a value: level=...",
}


@pytest.mark.parametrize("metric", list(METRIC))
def test_a_metric_that_cannot_be_made(metric: str, refuse: Refuse) -> None:
    """What is wrong in its name or its options."""
    refuse(f"score gold.m2 careful.txt --metric {metric}", METRIC[metric])
