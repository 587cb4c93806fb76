"""Good files to start from: a small one for every reader, and pieces of real ones."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from pyarrow import table
from pyarrow.parquet import write_table

from redink.campaign.setup import create_campaign, invite
from redink.campaign.store import Answer
from redink.campaign.task_items import CampaignItem
from redink.commands.detect import train_detector
from redink.detectors.language_model import NgramModel, write_arpa
from redink.errors import FormatError
from redink.formats import Format, all_formats
from redink.inputs import read_values

LONGEST = 800
"""Bytes taken from a real file: small inputs reach more states in the same time."""

Seeds = dict[str, list[bytes]]
"""Good files by the name of the reader that they are made for."""

SEEDS: dict[str, bytes] = {
    "m2": (
        b"S This are wrong .\nA 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0\n"
        b"A 1 2|||R:VERB|||was||were|||REQUIRED|||-NONE-|||0\n"
        b"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n\n"
        b"S \n\nS It is caf\xc3\xa9 time\nI note\nA 2 2|||M:DET|||a|||REQUIRED|||-NONE-|||0\n"
        b"A 3 4|||UNK|||-NONE-|||REQUIRED|||why?|||0\n\n"
    ),
    "appraise": (
        b'<?xml version="1.0" encoding="UTF-8"?>\n<appraise-results>\n'
        b'<error-correction-ranking-result source-language="err" id="a" target-language="cor">\n'
        b'<ranking-item doc-id="d" duration="00:01:07.52" id="0" src-id="135" user="anna">\n'
        b'<translation rank="3" system="AMU"/><translation rank="1" system="INPUT UFC"/>\n'
        b'</ranking-item>\n<ranking-item id="1" skipped="true" src-id="1" user="b&amp;c"/>\n'
        b"</error-correction-ranking-result>\n</appraise-results>\n"
    ),
    "nucle": (
        b'<DOC nid="1">\n<TEXT>\n<TITLE>\nA secret\n</TITLE>\n<P>\nHe go home. "They is" nice.\n'
        b'</P>\n</TEXT>\n<ANNOTATION teacher_id="8">\n'
        b'<MISTAKE start_par="1" start_off="3" end_par="1" end_off="5">\n<TYPE>SVA</TYPE>\n'
        b"<CORRECTION>goes</CORRECTION>\n<COMMENT>a &lt;P&gt;</COMMENT>\n</MISTAKE>\n"
        b'<MISTAKE start_par="1" start_off="10" end_par="1" end_off="18">\n<TYPE>Mec</TYPE>\n'
        b"<CORRECTION>, they</CORRECTION>\n</MISTAKE>\n</ANNOTATION>\n</DOC>\n"
        b'<DOC nid="" tokenized="yes">\n<TEXT>\n<P>\na b .\n</P>\n</TEXT>\n</DOC>\n'
    ),
    "wi": (
        b'{"id": "1-a", "text": "I has a cat. It don\'t purr.\\nWhy?", "userid": "7", "edits": '
        b'[[0, [[2, 5, "have", "R:VERB:SVA"], [11, 16, null], [28, 28, "So ", "M:ADV"]]]]}\n'
        b'{"text": "a b", "tokenized": true, "edits": [["x", [[0, 1, ""]]]]}\n'
    ),
    "jsonl-corpus": (
        b'{"id": "s1", "text": "I has.", "tokens": ["I", "has", "."], "offsets": [[0, 1], [2, 5], '
        b'[5, 6]], "annotations": [{"annotator": "0", "edits": [{"start": 1, "end": 2, '
        b'"correction": "have", "type": "R:VERB:SVA", "alternatives": ["had"], "rule": "sva"}]}]}\n'
        b'{"tokens": [], "annotations": []}\n'
    ),
    "json": b'["I has a cat .", "",\n "It is caf\\u00e9 time , \\"now\\" ."]\n',
    "jsonl-detections": (
        b'{"tokens": ["I", "has"], "flags": [false, true], "probabilities": [0.1, 1e-3]}\n'
        b'{"tokens": ["\\u00e9\\ud83d\\ude00"], "flags": [true]}\n'
    ),
    "jsonl-parallel": (
        b'{"source": {"tokens": ["I", "has"]}, "corrected": [{"tokens": ["I", "have"]}]}\n'
        b'{"source": "I has", "corrected": ["I have", {"tokens": []}]}\n'
    ),
    "jsonl-rankings": (
        b'{"sentence": "135", "judge": "anna", "outputs": [{"rank": 1, "systems": ["AMU", "UFC"]}, '
        b'{"rank": 2, "systems": ["NTHU"]}], "id": "0", "duration": 6.5, "extra": {"doc": "d"}}\n'
    ),
    "jsonl-judgments": (
        b'{"item": 1, "judge": "anna", "label": 3.50, "gold": true, "duration": "0:07", "x": "a"}\n'
        b'{"item": "2", "judge": "b", "label": "x", "extra": {"a": "b"}, "time": null}\n'
    ),
    "wmt-csv": (
        b"srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system1rank,system2rank,duration\n"
        b'err,cor,135,anna,AMU,"INPUT UFC",2,1,12.5\nerr,cor,136,"b ""x""",AMU,UFC,-1,1,\n'
    ),
    "csv-judgments": (
        b"item,judge,label,gold,confidence,duration,time,lang\n"
        b'1,anna,3,,0.9,4.2,2024-03-01T10:00:00,"de, en"\n2,"b\nc",x,y,,00:01:02,,\n'
    ),
    "csv-parallel": b'source,corrected1,corrected2,note\nHe go .,He goes .,"He went, then .",x\n',
    "tsv-parallel": b"source\tcorrected\nHe go .\tHe goes .\n\nShe \t\n",
    "tsv-judgments": b'item\tjudge\tlabel\tnote\n1\tanna\t3\tsaid "so"\n\n2\tb\tx\t\n',
    "gug": (
        b"Id\tSentence\tExpert Judgement\tCrowd Flower Judgements\tAverage\tDataset\n"
        b"1\tFor not use car.\t1\t[3, 4, 3, 4, 3]\t3.0\ttest\n2\tOther\t0\t[]\t0\tnone\n"
    ),
    "seeda": (
        b"<Source with context>\nHi .\n<t>She [have] two [] cats .</t>\n\n<Correction>\n"
        b"<s1>She [have\xe2\x86\x92has|True] two [\xe2\x86\x92big]|False cats .</s1>\n"
    ),
    "ged-tsv": b"This\tc\nare\ti\n\nIt\tc\t0.1\nis\ti\t9.3e-1\n",
    "parallel": b"I has a cat .\tI have a cat .\tI have cats .\nFine .\tFine .\tFine .\n",
    "para": b"1\tI has a cat .\tI have a cat .\tI have cats .\n2\tFine .\tFine .\n",
    "ua-gec": (
        b"I {has=>have:::error_type=G/Number} a {=>big :::error_type=Style}cat .\n"
        b"This is {bad=>NO_SUGGESTIONS:::error_type=Style} .\n"
    ),
    "multigec": b"### essay_id = a1\nI has a cat.\nShe go home.\n\n### essay_id = a2\nFine.\n\n",
    "documents": b'{"id": "a", "text": "I has a cat. She go."}\n{"id": "b", "text": "Fine."}\n',
    "system-scores": (
        b'{"signature": {}, "columns": ["system"], "rows": [{"system": "AMU", "metric": "errant", '
        b'"type": "all", "tp": 3, "fp": 1, "fn": 2, "f": 0.7}, {"system": "UFC", "metric": "gleu", '
        b'"score": 0.5}]}\n'
    ),
    "system-scores-csv": b"system,metric,tp,fp,fn,f\nAMU,errant,3,1,2,0.7\nUFC,errant,0,0,2,\n",
    "system-scores-text": b"AMU 0.35 0.41 0.22\nUFC 0.1 .2 0.3\n# note\n",
    "sentence-scores": (
        b'{"sentence": 1, "system": "AMU", "metric": "gleu", "score": 0.5}\n'
        b'{"sentence": "2", "system": "AMU", "metric": "m2", "f": null, "level": "a"}\n'
    ),
    "text": b"I has a cat .\n\nIt is caf\xc3\xa9 time , isn't it ?\nRaw text, glued. Yes!\n",
}


OTHERS: dict[str, bytes] = {
    "listed-objects": (
        b'[{"item": 1, "judge": "anna", "label": 3.50},\n'
        b' {"item": "2", "judge": "b", "label": "x", "extra": {"a": "b"}}]\n'
    ),
    "listed-pairs": b'[\n {"source": "I has it .", "corrected": "I have it ."},\n'
    b' {"source": "Fine .", "corrected": ["Fine .", "Good ."]}\n]\n',
    "wide-judgments": b'item,anna,bert,gold,text\n1,3,,2,"I, too ."\n2,1,x,,\n',
    "cases-csv": (
        b"item,label,text,start,end,before,gold\n1,error,I has a cat .,1,2,,error\n"
        b's2t3,ok,"It, too",0,1,I has a cat .,ok\n'
    ),
    "cases-jsonl": (
        b'{"item": "s1t1", "label": "error", "text": "I has", "start": 1, "end": 2}\n'
        b'{"item": 2, "label": "ok", "judge": "anna", "gold": null}\n'
    ),
    "positions": b"sentence start end name\n1 0 1 first\n1\t1\n# a note\n\n2 2 2 gap\n",
    "sample-key": json.dumps(
        {
            "kind": "sample key",
            "signature": {"command": "sample plan", "seed": 1},
            "error_cases": 10,
            "ok_cases": 90,
            "items": [
                {"item": "c1", "case": "s1t1", "decision": "error"},
                {"item": "c2", "case": "s1t2", "decision": "ok"},
            ],
        },
        indent=1,
    ).encode(),
    "items-csv": (
        b"item,text,start,end,before,note,choices,gold\na,I has a cat .,1,2,,why?,has|have,have\n"
        b",Fine .,,,I has .,,,\n"
    ),
    "items-jsonl": (
        b'{"item": "a", "text": "I has a cat", "start": 1, "end": 2, "choices": ["has", "have"]}\n'
        b'{"text": "Fine .", "gold": 4}\n'
    ),
    "counts": b"marry with her\t3\nmarry her\t1200\ndepend of it\t0\nDepend it\t55\n",
    "running-text": b"I depend of it. She married with him! Dr. No came.\nHe is good in it.\n",
    "running-tokens": b"I depend of it .\nShe married with him !\n\nHe is good in it .\n",
    "pairs": (
        b'{"source": "I has it .", "corrected": "I have it ."}\n'
        b'{"source": "Fine .", "corrected": ["Fine .", "Good ."], "id": 7}\n'
        b'{"source": "A", "corrected": "B"}\n'
    ),
    "treebank": (
        b"# text = I see al\n1\tI\tI\tPRON\tPRP\tCase=Nom\t2\tnsubj\t_\t_\n"
        b"2\tsee\tsee\tVERB\tVBP\tTense=Pres\t0\troot\t_\t_\n"
        b"3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_\n3\ta\ta\tADP\tIN\t_\t2\tobl\t_\t_\n"
        b"4\til\til\tDET\tDT\tGender=Masc\t3\tdet\t_\t_\n\n"
        b"1\tcaf\xc3\xa9\tcaf\xc3\xa9\tNOUN\t_\tNumber=Sing\t0\troot\t_\t_\n\n"
    ),
    "lexicon": b"cat\nhas\n  have \n\ncaf\xc3\xa9\n",
    "wordnet": (
        b"  1 This is WordNet 3.0 Copyright 2006 by nobody.\n"
        b"cat n 2 1 @ 2 1 02121620 10153414  \nhave v 1 0 1 1 02203362\n"
    ),
}


def named_formats() -> dict[str, Format]:
    """Every format under a name of its own (``jsonl``, ``csv`` and ``tsv`` carry several kinds)."""
    return {
        f"{known.name}-{known.kind}" if known.name in {"jsonl", "csv", "tsv"} else known.name: known
        for known in all_formats()
    }


def made_seeds(folder: Path) -> dict[str, bytes]:
    """Files that only the program itself can make: models and a campaign."""
    texts = [line.split() for line in (b"i depend on it .", b"it depends on her .")]
    model = NgramModel.train([[t.decode() for t in text] for text in texts], order=2)
    path = folder / "seed"
    model.save(path)
    made = {"language-model": path.read_bytes()}
    write_arpa(model, path)
    made["arpa"] = path.read_bytes()
    text = folder / "seed.txt"
    text.write_text("He depends on it .\nShe looked at him in the room .\n" * 3)
    train_detector([text], path, max_features=6, hold_out=False)
    text.unlink()
    made["classifier"] = path.read_bytes()
    path.unlink()
    rows = {"source": ["I has it .", "Fine ."], "corrected": ["I have it .", "Fine ."]}
    write_table(table(rows), path)
    made["pairs-parquet"] = path.read_bytes()
    path.unlink()
    place = folder / "seed.db"
    items = [CampaignItem(f"i{n}", {"text": "I has a cat .", "start": 1, "end": 2}) for n in (1, 2)]
    store, _ = create_campaign(place, task="crowd", items=items, seed=1)
    invite(store, "anna")
    first = next(iter(store.assignments()))
    store.add_answers([Answer("k", first.id, {"label": "error"}, 2.5, "2024-03-01T10:00:00")])
    store.close()
    made["campaign"] = place.read_bytes()
    place.unlink()
    return made


def all_seeds(data: Path | None, rng: random.Random, folder: Path) -> Seeds:
    """The small files, those of the bundled example, and pieces of the real ones in a folder."""
    seeds: Seeds = {
        name: [content] for name, content in {**SEEDS, **OTHERS, **made_seeds(folder)}.items()
    }
    by_format = {id(known): name for name, known in named_formats().items()}
    bundled = Path(str(files("redink") / "examples"))
    for place in (bundled, data):
        for path in sorted(place.rglob("*")) if place else ():
            if path.is_file() and path.suffix not in {".gz", ".py", ".pyc"}:
                _add_piece(path, seeds, by_format, rng)
    return seeds


def _add_piece(path: Path, seeds: Seeds, by_format: Mapping[int, str], rng: random.Random) -> None:
    try:
        found, _ = read_values(path)
    except FormatError:
        return
    content = path.read_bytes()
    start = content.rfind(b"\n", 0, rng.randrange(len(content))) + 1
    name = by_format[id(found)]
    if name in {"appraise", "nucle", "gug", "wmt-csv"} or name.startswith(("csv", "tsv")):
        start = 0  # a header or an opening tag must stay
    seeds[name].append(content[start : start + LONGEST])
