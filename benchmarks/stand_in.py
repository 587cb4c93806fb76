"""The bundled example in the layout of the real corpora, for machines that do not have them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

from redink.formats import get_format
from redink.inputs import read_corpus
from redink.model import AnnotatedSentence, Sentence

SYSTEMS = ("careful", "eager", "speller")


def make_stand_in(folder: Path, *, sentences: int = 1300) -> Path:
    """``folder`` filled as ../shared is: texts, systems, gold and rankings.

    The sentences of the example are repeated, each time with another word at the end, so that no
    two are the same.
    """
    place = folder / "data" / "conll14"
    for name in ("systems", "references"):
        (place / name).mkdir(parents=True)
    with as_file(files("redink") / "examples") as examples:
        texts = {"source.txt": "source.txt"}
        texts |= {f"systems/{name}.txt": f"{name}.txt" for name in SYSTEMS}
        texts |= {f"references/ref{n}.txt": f"reference-{x}.txt" for n, x in enumerate("ab")}
        for target, source in texts.items():
            lines = (examples / source).read_text(encoding="utf-8").splitlines()
            made = (f"{lines[n % len(lines)]} {_word(n)}\n" for n in range(sentences))
            (place / target).write_text("".join(made), encoding="utf-8")
        gold = read_corpus(examples / "gold.m2").sentences
        repeated = (_extend(gold[n % len(gold)], _word(n)) for n in range(sentences))
        with (place / "official-2014.combined.m2").open("w", encoding="utf-8") as stream:
            get_format("m2").write(repeated, stream)
        (folder / "data" / "gjg15").mkdir()
        shutil.copy(examples / "rankings.xml", folder / "data" / "gjg15" / "judgments.xml")
    return folder


def _word(number: int) -> str:
    return f"x{number:x}"


def _extend(sentence: AnnotatedSentence, word: str) -> AnnotatedSentence:
    return replace(sentence, source=Sentence((*sentence.source.tokens, word)))
