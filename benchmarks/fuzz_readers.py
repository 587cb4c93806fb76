"""Damaged files for every reader: each must succeed or raise ``FormatError``, and nothing else.

The test suite runs some tens of thousands of these inputs. For more, with another seed::

    python benchmarks/fuzz_readers.py --inputs 1000000 --seed 7
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from redink.errors import FormatError, RedinkWarning
from redink.formats import Format, all_formats, read_values
from redink.formats.metric_scores import read_sentence_scores, read_system_scores

LONGEST = 4000
"""Bytes taken from a real file: small inputs reach more states in the same time."""

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
        b'<DOC nid="" tokenised="yes">\n<TEXT>\n<P>\na b .\n</P>\n</TEXT>\n</DOC>\n'
    ),
    "wi": (
        b'{"id": "1-a", "text": "I has a cat. It don\'t purr.\\nWhy?", "userid": "7", "edits": '
        b'[[0, [[2, 5, "have", "R:VERB:SVA"], [11, 16, null], [28, 28, "So ", "M:ADV"]]]]}\n'
        b'{"text": "a b", "tokenised": true, "edits": [["x", [[0, 1, ""]]]]}\n'
    ),
    "jsonl-corpus": (
        b'{"id": "s1", "text": "I has.", "tokens": ["I", "has", "."], "offsets": [[0, 1], [2, 5], '
        b'[5, 6]], "annotations": [{"annotator": "0", "edits": [{"start": 1, "end": 2, '
        b'"correction": "have", "type": "R:VERB:SVA", "alternatives": ["had"], "rule": "sva"}]}]}\n'
        b'{"tokens": [], "annotations": []}\n'
    ),
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
    "csv": (
        b"item,judge,label,gold,confidence,duration,time,lang\n"
        b'1,anna,3,,0.9,4.2,2024-03-01T10:00:00,"de, en"\n2,"b\nc",x,y,,00:01:02,,\n'
    ),
    "tsv": b'item\tjudge\tlabel\tnote\n1\tanna\t3\tsaid "so"\n\n2\tb\tx\t\n',
    "gug": (
        b"Id\tSentence\tExpert Judgement\tCrowd Flower Judgements\tAverage\tDataset\n"
        b"1\tFor not use car.\t1\t[3, 4, 3, 4, 3]\t3.0\ttest\n2\tOther\t0\t[]\t0\tnone\n"
    ),
    "ged-tsv": b"This\tc\nare\ti\n\nIt\tc\t0.1\nis\ti\t9.3e-1\n",
    "parallel": b"I has a cat .\tI have a cat .\tI have cats .\nFine .\tFine .\tFine .\n",
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
}  # fmt: skip

# What tends to upset parsers, put in at random.
WORDS = (
    b"|||", b"||", b"-NONE-", b"noop", b"S ", b"A ", b"I ", b"\t", b"\n", b"\r\n", b"\r", b"\0",
    b'"', b"'", b"<", b">", b"</P>", b"<P>", b"<DOC>", b"<!DOCTYPE x>", b"<![CDATA[", b"&#0;",
    b"&amp;", b"&x;", b"[", b"]", b"{", b"}", b"[" * 2000, b'{"a":' * 500, b",", b":", b"null",
    b"true", b"NaN", b"Infinity", b"-1", b"0", b"1e999", b"-0.0", b"9" * 25, b"9" * 5000, b"1_0",
    "٣".encode(), "²".encode(), b"\xef\xbb\xbf", b"\xff\xfe", b"\x80", b"\xc3", b"\xf4\x90\x80\x80",
    b"\\ud800", b"\\u0000", "\u2028".encode(), "\x85".encode(), "\u00a0".encode(), b" ", b"  ",
    b"\x1c", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"..", b"...." * 200, b"item,judge,label",
    b'"tokens"', b'"text"', b'"edits"', b"src-id", b"ranking-item", b"\x0c", b"\x7f",
)  # fmt: skip


def mutate(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """A damaged version of ``data``: one to eight random changes of its bytes."""
    result = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(result) + 1)
        end = min(len(result), at + rng.choice((1, 1, 2, 5, 20, 200)))
        change = rng.randrange(9)
        if change == 0 and result:
            result[min(at, len(result) - 1)] = _byte(rng)
        elif change == 1:
            del result[at:end]
        elif change == 2:
            result[at:at] = bytes(_byte(rng) for _ in range(rng.choice((1, 1, 2, 6))))
        elif change in {3, 4}:
            result[at:at] = rng.choice(WORDS)
        elif change == 5:
            result[at:end] = rng.choice(WORDS)
        elif change == 6:
            result[at:at] = result[at:end] * rng.choice((1, 2, 10))
        elif change == 7:
            del result[at:]
        else:
            other = rng.choice(others)
            start = rng.randrange(len(other) + 1)
            result[at:end] = other[start : start + rng.choice((5, 50, 500))]
    if rng.random() < 0.02:
        packed = gzip.compress(bytes(result), compresslevel=1, mtime=0)
        return packed if rng.random() < 0.5 else mutate(packed, [packed], rng)
    return bytes(result)


def _byte(rng: random.Random) -> int:
    # mostly printable: what is not UTF-8 never gets past the door
    return rng.randrange(32, 127) if rng.random() < 0.95 else rng.randrange(256)


def named_formats() -> dict[str, Format]:
    """Every format under a name of its own (``jsonl`` carries several kinds)."""
    return {
        known.name if known.name != "jsonl" else f"jsonl-{known.kind}": known
        for known in all_formats()
    }


Reader = Callable[[Path], Iterable[object]]


def readers() -> dict[str, Reader]:
    """Every reader: of the formats, and of the scores of metrics."""
    found: dict[str, Reader] = {name: known.read for name, known in named_formats().items()}
    for name in SEEDS:
        if name.startswith("system-scores"):
            found[name] = read_system_scores
    return {**found, "sentence-scores": read_sentence_scores}


def real_seeds(folder: Path | None, rng: random.Random) -> dict[str, list[bytes]]:
    """The seeds above, and pieces of every file in a folder that one of the formats can read."""
    seeds = {name: [data] for name, data in SEEDS.items()}
    by_format = {id(known): name for name, known in named_formats().items()}
    for path in sorted(folder.rglob("*")) if folder else ():
        if not path.is_file() or path.suffix in {".gz", ".py"}:
            continue
        try:
            found, _ = read_values(path)
        except FormatError:
            continue
        data = path.read_bytes()
        start = data.rfind(b"\n", 0, rng.randrange(len(data))) + 1
        name = by_format[id(found)]
        if name in {"appraise", "nucle", "gug", "csv", "tsv", "wmt-csv"}:
            start = 0  # a header or an opening tag must stay
        seeds[name].append(data[start : start + LONGEST])
    return seeds


@dataclass
class Outcome:
    """How many inputs were read, refused, and neither, by format."""

    read: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, bytes, str]] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        """All inputs tried."""
        return self.read.total() + self.refused.total() + len(self.failures)


def try_reader(name: str, reader: Reader, data: bytes, path: Path, outcome: Outcome) -> None:
    """Read one input with one reader, and by its content as a user would."""
    path.write_bytes(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RedinkWarning)
            refused = False
            for read in (lambda: reader(path), lambda: read_values(path)[1]):
                try:
                    for _ in read():
                        pass
                except FormatError as error:
                    refused = True
                    if "\n" in str(error) or not str(error).startswith(str(path)):
                        raise AssertionError(f"not one sentence with the file: {error}") from None
        (outcome.refused if refused else outcome.read)[name] += 1
    except Exception:  # noqa: BLE001 (whatever it is, it is what we look for)
        outcome.failures.append((name, data, traceback.format_exc()))


def inputs(
    seeds: dict[str, list[bytes]], count: int, rng: random.Random
) -> Iterator[tuple[str, bytes]]:
    """Damaged inputs, the formats in turn."""
    everything = [data for group in seeds.values() for data in group]
    names = list(seeds)
    for number in range(count):
        name = names[number % len(names)]
        yield name, mutate(rng.choice(seeds[name]), everything, rng)


def run(
    seeds: dict[str, list[bytes]], count: int, seed: int, folder: Path, *, stop_after: int = 5
) -> Outcome:
    """Try ``count`` damaged inputs; stops when enough have failed."""
    rng = random.Random(seed)
    outcome = Outcome()
    known = readers()
    path = folder / "input"
    for name, data in inputs(seeds, count, rng):
        try_reader(name, known[name], data, path, outcome)
        if len(outcome.failures) >= stop_after:
            break
    return outcome


def main(arguments: Iterable[str] | None = None) -> int:
    """The long run; exit code 1 if a reader fell over."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    shared = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=shared, help="a folder of real files")
    options = parser.parse_args(None if arguments is None else list(arguments))
    seeds = real_seeds(options.data if options.data.is_dir() else None, random.Random(options.seed))
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(seeds, options.inputs, options.seed, Path(folder))
    for name in seeds:
        print(f"{name:18} read {outcome.read[name]:9,}   refused {outcome.refused[name]:9,}")
    seconds = time.process_time() - started
    print(f"{outcome.inputs:,} inputs in {seconds:.0f} s CPU, {len(outcome.failures)} failures")
    for name, data, trace in outcome.failures:
        print(f"\n--- {name}: {data!r}\n{trace}", file=sys.stderr)
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
