"""The bundled example, damaged in the ways in which files of users are damaged."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import redink

EXAMPLES = Path(redink.__file__).parent / "examples"


def read(name: str) -> list[str]:
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


@dataclass(frozen=True)
class Files:
    """The lines of every file; ``end`` ends every other line of the text that is damaged."""

    source: list[str]
    gold: list[str]
    reference: list[str]
    system: list[str]
    end: str = "\n"

    @classmethod
    def intact(cls) -> Files:
        return cls(*map(read, ("source.txt", "gold.m2", "reference-a.txt", "careful.txt")))

    def everywhere(self, change: Callable[[str], str]) -> Files:
        texts = ([change(x) for x in some] for some in (self.source, self.gold, self.reference))
        return Files(*texts, [change(x) for x in self.system], self.end)

    def write(self, folder: Path, *, damaged: str) -> Path:
        """Write the files; ``damaged`` has the line ends."""
        folder.mkdir(exist_ok=True)
        names = {"source": "source.txt", "gold": "gold.m2", "reference": "reference.txt"}
        copies = len(self.source) // len(read("source.txt"))
        for kind, name in {**names, "system": "mine.txt", "other": "other.txt"}.items():
            lines = read("eager.txt") * copies if kind == "other" else getattr(self, kind)
            ends = ["\n", self.end if kind == damaged else "\n"]
            text = "".join(f"{line}{ends[n % 2]}" for n, line in enumerate(lines))
            (folder / name).write_text(text, encoding="utf-8", newline="")
        return folder


Lines = list[str]
Change = Callable[[Lines, Files], Lines]


def each(change: Callable[[str], str]) -> Change:
    return lambda lines, _files: [change(line) for line in lines]


def shuffled(lines: Lines, _files: Files) -> Lines:
    mixed = lines[:]
    random.Random(1).shuffle(mixed)
    return mixed


def swapped(lines: Lines, _files: Files) -> Lines:
    return [*lines[:10], lines[20], *lines[11:20], lines[10], *lines[21:]]


FOREIGN = ("Dogs bark loudly .", "Green ideas sleep furiously tonight .", "Buy two tickets now !")
FULL_WIDTH = str.maketrans(",.!?", "\uff0c\uff0e\uff01\uff1f")

# name: the change of one text, and what the warning says
TEXT: dict[str, tuple[Change, str]] = {
    "shifted down": (lambda x, _: ["Hello .", *x[:-1]], "misaligned"),
    "shifted up": (lambda x, _: [*x[1:], "Hello ."], "misaligned"),
    "shifted from the middle": (lambda x, _: [*x[:32], "Hello .", *x[32:-1]], "misaligned"),
    "swapped": (swapped, "misaligned: 2 of"),
    "shuffled": (shuffled, "misaligned: (5|6)[0-9] of"),
    "another source": (lambda x, _: [FOREIGN[n % 3] for n in range(len(x))], "another source"),
    "source": (lambda _, files: files.source, "identical to the source"),
    "empty": (
        lambda x, _: ["" if n % 10 == 3 else y for n, y in enumerate(x)],
        "has an empty line in 7 of",
    ),
    "decomposed": (each(lambda x: unicodedata.normalize("NFD", x)), "Unicode normalization"),
    "byte-order marks": (each(lambda x: f"\ufeff{x}"), r"U\+FEFF"),
    "zero-width spaces": (each(lambda x: x.replace(" .", " \u200b.")), r"U\+200B"),
    "soft hyphens": (each(lambda x: re.sub(r"(\w{4})(?=\w{4})", "\\1\u00ad", x)), r"U\+00AD"),
    "end tokens": (each(lambda x: f"{x} </s>"), "language model"),
    "literal line breaks": (each(lambda x: f"{x}\\n"), "line breaks"),
    "byte pairs": (each(lambda x: re.sub(r"(\w{4})(?=\w{2})", r"\1@@ ", x)), "subword"),
    "pieces": (each(lambda x: "▁" + x.replace(" ", " ▁")), "subword"),
    "brackets": (each(lambda x: x.replace('"', "-LRB-")), "Treebank"),
    "entities": (each(lambda x: x.replace('"', "&quot;")), "HTML entities"),
    "full width": (each(lambda x: x.translate(FULL_WIDTH)), "use the marks of the source"),
    "curly": (each(lambda x: x.replace('"', "\u201c")), "use the marks of the source"),
    "quoted": (each(lambda x: f'"{x}"'), "at the beginning and .* at the end"),
    "numbered": (lambda x, _: [f"{n}. {y}" for n, y in enumerate(x, 1)], "at the beginning"),
    "twice": (each(lambda x: f"{x} {x}"), "twice as many tokens"),
    "cut": (each(lambda x: " ".join(x.split()[:8])), "lacks the end"),
    "lower case": (each(str.lower), "upper-case"),
    "other spaces": (each(lambda x: x.replace("co-op", "co - op")), "different spaces"),
    "untokenized": (each(lambda x: re.sub(r" ([.,!?])", r"\1", x)), "untokenized"),
}
# a text that is damaged together with the others
PREPARED: dict[str, Callable[[str], str]] = {
    "decomposed": lambda x: x.replace("city", "cité").replace("winter", "hivér"),
    "other spaces": lambda x: re.sub(r"\b(street|door|bread|people|snow)\b", "co-op", x),
}


def damage(kind: str, name: str) -> tuple[Files, str]:
    """Return the example with one text (``system`` or ``reference``) damaged, and the warning."""
    files = Files.intact()
    if name == "line ends":
        return replace(files, end="\r\n"), "several kinds of line ends"
    if name == "copied block":
        files = Files(*(some * 2 for some in (files.source, files.gold, files.reference)), [])
        return replace(files, system=read("careful.txt") * 2), "occur a second time"
    files = files.everywhere(PREPARED.get(name, str))
    change, told = TEXT[name]
    return replace(files, **{kind: change(getattr(files, kind), files)}), told


def repeated(rows: Sequence[str]) -> list[str]:
    return [*rows, *rows[1:40]]
