"""Small good files for commands, and what a user may put in their place."""

from __future__ import annotations

import gzip
import random
from importlib.resources import files
from pathlib import Path

from fuzzing.mutations import mutate
from fuzzing.seeds import Seeds

_SENTENCES = 4

CROWD = "item,judge,label,gold,note\n" + "".join(
    f"s{1 + n % 3}t{n // 3},w{judge},{'error' if (n * judge) % 3 == 1 else 'ok'},"
    f"{'error' if n == 4 else ''},{'x' if n == 5 else ''}\n"
    for n in range(9)
    for judge in range(4)
)
ANSWERS = "item,judge,label\n" + "".join(
    f"c{1 + n % 2},{'ab'[n % 3 % 2]},{'error' if n % 3 else 'ok'}\n" for n in range(2)
)
CASES = "item,label,gold,text,start,end\n" + "".join(
    f"k{n},{'error' if n % 3 == 0 else 'ok'},{'error' if n % 4 == 0 else 'ok'},I has it .,1,2\n"
    for n in range(12)
)
SENTENCE_SCORES = "".join(
    f'{{"sentence": {n}, "system": "{system}", "metric": "gleu", "score": {(n + k) % 5 / 4}}}\n'
    for n in (1, 2, 3)
    for k, system in enumerate(("INPUT", "careful", "eager", "speller"))
)
SCORES = (
    '{"signature": {}, "notes": [], "columns": ["system", "metric", "f"], "rows": ['
    + ", ".join(
        f'{{"system": "{system}", "metric": "{metric}", "tp": {k + 1}, "fp": 2, "fn": 3, '
        f'"precision": {(k + 1) / (k + 3)}, "recall": {(k + 1) / (k + 4)}, "f": {k / 7}}}'
        for k, system in enumerate(("INPUT", "careful", "eager", "speller"))
        for metric in ("errant", "m2")
    )
    + "]}\n"
)


class Material:
    """Files by kind, good and bad, in a folder that commands run in."""

    def __init__(self, seeds: Seeds, folder: Path) -> None:
        self.folder = folder
        self.good: dict[str, list[tuple[str, bytes]]] = {}
        for kind, name, content in _good_files(seeds):
            self.good.setdefault(kind, []).append((f"good/{name}", content))
        self.everything = [content for group in self.good.values() for _, content in group]
        (folder / "good").mkdir()
        for group in self.good.values():
            for name, content in group:
                (folder / name).write_bytes(content)
        (folder / "folder").mkdir()
        (folder / "folder" / "x.txt").write_bytes(b"x\n")
        (folder / "bad").mkdir()
        self._number = 0

    def pick(self, kind: str, rng: random.Random) -> str:
        """The path of a file for an argument that wants this kind; not always a good one."""
        luck = rng.random()
        name, content = rng.choice(self.good[kind])
        if luck < 0.75:
            # a campaign changes by being used
            return self._write(name, content) if kind == "campaign" else name
        if luck < 0.92:
            return self._write(name, mutate(content, self.everything, rng))
        if luck < 0.95:
            return rng.choice(self.good[rng.choice(list(self.good))])[0]
        return self._odd(name, content, rng)

    def _write(self, name: str, content: bytes) -> str:
        # a number, since what is mapped into memory must not change
        self._number += 1
        bad = f"bad/{self._number % 8}{Path(name).name}"
        (self.folder / bad).unlink(missing_ok=True)
        (self.folder / bad).write_bytes(content)
        return bad

    def _odd(self, name: str, content: bytes, rng: random.Random) -> str:
        odd = rng.randrange(18)
        places = (
            "nowhere.m2",
            "folder",
            "/dev/null",
            "-",
            "",
            "no/such/folder/x",
            "/proc/self/mem",
        )
        if odd < len(places):
            return places[odd]
        changed = (
            b"",
            b"\n",
            b"\n\n \n",
            bytes(range(256)),
            b"x" * 300_000,
            b"\xef\xbb\xbf" + content,
            content.replace(b"\n", b"\r\n"),
            content.decode("utf-8", "replace").encode("utf-16"),
            content + b"caf\xe9\n",
            gzip.compress(content),
            gzip.compress(content)[:-9],
        )
        return self._write(name, changed[odd - len(places)])


def _good_files(seeds: Seeds) -> list[tuple[str, str, bytes]]:
    example = files("redink") / "examples"

    def lines(name: str) -> bytes:
        return b"".join((example / name).read_bytes().splitlines(True)[:_SENTENCES])

    def blocks(name: str) -> bytes:
        return b"\n\n".join((example / name).read_bytes().split(b"\n\n")[:_SENTENCES]) + b"\n\n"

    rankings = (example / "rankings.xml").read_bytes()
    cut = rankings.index(b"</ranking-item>", 4500) + len(b"</ranking-item>")
    systems = ("careful", "eager", "speller")
    found: list[tuple[str, str, bytes]] = [
        ("m2", "gold.m2", blocks("gold.m2")),
        (
            "rankings",
            "rankings.xml",
            rankings[:cut] + rankings[rankings.rindex(b"</error-correction") :],
        ),
        ("text", "source.txt", lines("source.txt")),
        ("judgments", "crowd.csv", CROWD.encode()),
        ("judgments", "crowd.tsv", CROWD.replace(",", "\t").encode()),
        ("answers", "answers.csv", ANSWERS.encode()),
        ("cases", "cases.csv", CASES.encode()),
        ("scores", "scores.json", SCORES.encode()),
        ("sentence-scores", "sentences.jsonl", SENTENCE_SCORES.encode()),
    ]
    found += [("text", f"{name}.txt", lines(f"{name}.txt")) for name in (*systems, "reference-a")]
    found += [("ged", f"{name}.ged.tsv", blocks(f"{name}.ged.tsv")) for name in systems]
    found += [("cases", f"{name}.ged.tsv", blocks(f"{name}.ged.tsv")) for name in systems[:1]]
    # one for each reader, by the kind of the command's argument that it fits
    fits = {
        "rankings": {"appraise": "a.xml", "wmt-csv": "w.csv", "jsonl-rankings": "r.jsonl"},
        "judgments": {
            "csv-judgments": "j.csv",
            "tsv-judgments": "j.tsv",
            "jsonl-judgments": "j.jsonl",
            "gug": "g.tsv",
            "wide-judgments": "wide.csv",
            "listed-objects": "j.json",
        },
        "corpus": {"m2": "c.m2", "nucle": "n.sgml", "wi": "w.json", "jsonl-corpus": "c.jsonl"},
        "parallel": {"parallel": "p.tsv", "csv-parallel": "p.csv", "jsonl-parallel": "p.jsonl"},
        "scores": {"system-scores-csv": "s.csv", "system-scores-text": "scores.gleu"},
        "sentence-scores": {"sentence-scores": "s.jsonl"},
        "cases": {"cases-csv": "k.csv", "cases-jsonl": "k.jsonl"},
        "key": {"sample-key": "key.json"},
        "items": {"items-csv": "items.csv", "items-jsonl": "items.jsonl"},
        "lexicon": {"lexicon": "words.txt"},
        "counts": {"counts": "counts.txt"},
        "treebank": {"treebank": "treebank.conllu"},
        "running": {"running-text": "raw.txt", "running-tokens": "tokens.txt"},
        "model": {"language-model": "lm.model", "classifier": "my.model"},
        "positions": {"positions": "positions.txt"},
        "campaign": {"campaign": "c.db"},
    }
    for kind, names in fits.items():
        found += [(kind, name, seeds[reader][0]) for reader, name in names.items()]
    return found
