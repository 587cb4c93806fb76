"""Commands that fail: one line with a keyword, exit code 2, nothing written."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Refuse

COMMANDS: dict[str, str] = {
    "align source.txt careful.txt --tokeniser nonsense -o h.txt": "nonsense",
    "align source.txt careful.txt eager.txt": "hypotheses",
    "align source.txt careful.txt eager.txt -o h.txt": "hypotheses",
    "align source.txt careful.txt eager.txt -o no/h": "no/h",
    "analyser train source.txt -o no/a": "no/a",
    "annotate source.txt careful.txt -o no/a/": "written",
    "annotate gold.m2 --auto --gold": "--auto",
    "compat install no/c": "no/c",
    "convert source.txt out.json": "out.json",
    "report gold.m2 careful.txt -o no/r": "no/r",
    "task init no/t": "no/t",
    "align source.txt": "HYPOTHESIS...",
    "annotate source.txt careful.txt --alignments first": "--language",
    "annotate gold.m2 careful.txt -o o.m2": "gold.m2",
    "annotate source.txt": "source.txt",
    "annotate source.txt --auto -o o.m2": "source.txt",
    "annotate gold.m2 --auto --keep-types": "--no-minimise",
    "annotate source.txt careful.txt --scheduler x -o o.m2": "dask",
    "annotate source.txt careful.txt --engine dask -o o.m2": "--engine",
    "annotate source.txt careful.txt --analyser nonsense": "nonsense",
    "annotate source.txt careful.txt --language xx": "--language",
    "campaign invite nothing.db anna": "nothing.db",
    "campaign create c.db --task rate": "--source",
    "campaign create c.db --task post-edit": "--source",
    "campaign create c.db --task ranking": "--source",
    "campaign create c.db --task crowd --source source.txt": "crowd",
    "cite nonsense": "nonsense",
    "compare gold.m2 careful.txt eager.txt --baseline nobody --metric m2": "nobody",
    "crowd crowd.csv careful.ged.tsv --show bins --bins 0.9,0.5": "bins",
    "crowd crowd.csv careful.ged.tsv --show bins --bins x": "--bins",
    "data nonsense": "nonsense",
    "detect mine source.txt": "counts",
    "detect cloze source.txt --choice-test -": "--choice-test",
    "detect run source.txt --model nothing.bin": "nothing.bin",
    "detect cloze source.txt --items -1": "--items",
    "detection gold.m2 careful.ged.tsv --unit target --targets judged": "judged",
    "detection gold.m2 careful.ged.tsv --unit target --targets nonsense:x": "nonsense:x",
    "detection --from-counts 1 2 3": "--from-counts",
    "detection --from-counts 1 2 3 4 5": "--from-counts",
    "detection --from-counts 1 2 3 x": "--from-counts",
    "detection --from-counts 1 2 3 -4": "number",
    "detection gold.m2 careful.txt --beta -1": "--beta",
    "detection gold.m2 careful.ged.tsv --curve --threshold 0.5": "thresholds",
    "explore gold.m2 careful.txt --no-open --port 99999": "--port",
    "meta . --benchmark nonsense": "nonsense",
    "meta . --benchmark seeda": "seeda",
    "meta . --benchmark seeda --show betas": "betas",
    "rank rankings.xml --bootstrap 0": "--bootstrap",
    "reproduce --data nowhere": "nowhere",
    "sample simulate --from-counts 0 0 0 0": "simulation",
    "sample simulate --from-counts 1 1 1 -": "--from-counts",
    "sample plan gold.m2 --blind b --key k --errors 1 --oks 1": "judges",
    "score gold.m2 careful.txt --metric gleu --sensitivity": "annotators",
    "score gold.m2 careful.txt --metric m2 --sentences -": "--sentences",
    "score gold.m2 careful.txt --bootstrap x": "--bootstrap",
    "score gold.m2 careful.txt --bootstrap 1": "--bootstrap",
    "score gold.m2 careful.txt --plot x.xyz": "x.xyz",
    "score gold.m2 careful.txt --resample documents --metric m2 --bootstrap 2": "--documents",
    "score gold.m2 careful.txt --metric bleu --by type": "bleu",
    "score gold.m2 careful.txt --metric gleu --max-unchanged-words 3": "gleu",
    "score --source source.txt --reference reference-b.txt eager.txt --reference-edits gold": (
        "auto"
    ),
    "task score nowhere": "nowhere",
    "task init t --source source.txt": "--source",
    "task init t --reference gold.m2 -o t.xlsx": "t.xlsx",
}


@pytest.mark.parametrize("command", list(COMMANDS))
def test_what_a_command_refuses(command: str, refuse: Refuse) -> None:
    """Options that do not go together, values that they cannot have, and what is not there."""
    refuse(command, COMMANDS[command])


METRIC: dict[str, str] = {
    "cleme2(factors=1+1)": "numbers",
    "errant(average=sentence,by=type)": "sentences",
    "errant(weights=length)": "length",
    "errant(weights=dice,level=detection-token)": "another",
    "cherrant(weights=dice)": "cherrant",
    ",": "metrics",
    "errant(beta)": "errant",
    "errant(fixed=maybe)": "maybe",
    "errant(": "--metric",
    "errant(betaa=1)": "betaa",
    "errant(beta=x)": "x",
    "errant(beta=-1)": "between",
    "errant(level=x)": "x",
    "some(model=x)": "transformers",
    "m2(1)": "1",
    "-": "-",
    "errant(level=)": "errant",
}


@pytest.mark.parametrize("metric", list(METRIC))
def test_a_metric_that_cannot_be_made(metric: str, refuse: Refuse) -> None:
    """What is wrong in its name or its options."""
    refuse(f"score gold.m2 careful.txt --metric {metric}", METRIC[metric])
