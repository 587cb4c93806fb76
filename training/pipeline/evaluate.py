"""Judge a pipeline by what it does to edits: ERRANT's rules with it against the original's output.

Agreement: the `errant` package's rules run on this pipeline's analyses, compared with the M2 files
the original program wrote with its own model. Speed: words a second of CPU time.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import Any

import errant
import spacy
import spacy_pipeline  # noqa: F401 (registers what the configuration names)
from spacy.language import Language
from spacy.tokens import Doc

Key = tuple[int, int, int, int, str]
BATCH = 256


def read_m2(path: Path) -> dict[Key, str]:
    """Sentence, annotator, span and correction of every edit, with its type."""
    edits: dict[Key, str] = {}
    sentence = -1
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("S "):
            sentence += 1
        elif line.startswith("A "):
            fields = line[2:].split("|||")
            start, end = map(int, fields[0].split())
            if fields[1] != "noop":
                edits[sentence, int(fields[-1]), start, end, fields[2]] = fields[1]
    return edits


def analyze(nlp: Language, texts: list[str], *, parser: bool = True) -> list[Doc]:
    """Whitespace-tokenized texts analyzed in batches."""
    analyzed: list[Doc] = []
    for start in range(0, len(texts), BATCH):
        docs = [Doc(nlp.vocab, words=text.split()) for text in texts[start : start + BATCH]]
        for name, component in nlp.pipeline:
            if parser or name != "parser":
                docs = list(component.pipe(docs, batch_size=BATCH))
        analyzed.extend(docs)
    return analyzed


def annotate(annotator: Any, sources: list[Doc], corrected: list[list[Doc]]) -> dict[Key, str]:
    """The edits ERRANT's rules find, in the form of `read_m2`."""
    edits: dict[Key, str] = {}
    for number, source in enumerate(sources):
        for who, docs in enumerate(corrected):
            if source.text.strip() != docs[number].text.strip():
                for edit in annotator.annotate(source, docs[number]):
                    edits[number, who, edit.o_start, edit.o_end, edit.c_str] = edit.type
    return edits


def compare(ours: dict[Key, str], theirs: dict[Key, str]) -> tuple[int, int, int, int]:
    """Matched edits, edits on either side, and matched edits of the same type."""
    matched = ours.keys() & theirs.keys()
    return len(matched), len(ours), len(theirs), sum(ours[key] == theirs[key] for key in matched)


def show(name: str, counts: tuple[int, int, int, int]) -> None:
    """Print one line of the table."""
    matched, ours, theirs, same = counts
    f1 = 2 * matched / (ours + theirs) if ours + theirs else 1.0
    print(f"{name:12} edits {theirs:6} span F1 {f1:.4f} same type {same / max(1, matched):.4f}")


def measure_speed(nlp: Language, texts: list[str]) -> None:
    """Words a second of CPU time, the best of three."""
    words = sum(len(text.split()) for text in texts)

    def best(work: Any) -> float:
        times = []
        for _ in range(3):
            start = time.process_time()
            work()
            times.append(time.process_time() - start)
        return words / min(times)

    print(f"words/s, batches of {BATCH}: {best(lambda: analyze(nlp, texts)):.0f}")
    print(f"words/s, without parser: {best(lambda: analyze(nlp, texts, parser=False)):.0f}")
    single = best(lambda: [nlp(Doc(nlp.vocab, words=text.split())) for text in texts])
    print(f"words/s, one sentence at a time: {single:.0f}")


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pipeline", help="directory or name of a spaCy pipeline")
    parser.add_argument("--oracle", type=Path, help="directory of the original's M2 files")
    parser.add_argument("--data", type=Path, required=True, help="directory of CoNLL-2014")
    parser.add_argument("--confusions", type=int, default=0, help="show the N commonest")
    parser.add_argument("--no-speed", action="store_true")
    arguments = parser.parse_args()
    start = time.perf_counter()
    nlp = spacy.load(arguments.pipeline)
    print(f"loaded in {time.perf_counter() - start:.2f} s: {nlp.pipe_names}")
    annotator = errant.load("en", nlp)

    def read(path: Path) -> list[str]:
        return path.read_text(encoding="utf-8").split("\n")[: len(sources)]

    sources = (arguments.data / "source.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    if not arguments.no_speed:
        measure_speed(nlp, sources)
    if arguments.oracle is None:
        return
    analyzed = analyze(nlp, sources)
    pooled = [0, 0, 0, 0]
    confusions: Counter[tuple[str, str]] = Counter()
    for path in sorted(arguments.oracle.glob("*.m2")):
        if path.stem == "references":
            files = sorted((arguments.data / "references").glob("*.txt"))
        else:
            files = [arguments.data / "systems" / f"{path.stem}.txt"]
        corrected = [analyze(nlp, read(file)) for file in files]
        ours, theirs = annotate(annotator, analyzed, corrected), read_m2(path)
        counts = compare(ours, theirs)
        show(path.stem, counts)
        pooled = [total + count for total, count in zip(pooled, counts, strict=True)]
        confusions.update((theirs[k], ours[k]) for k in ours.keys() & theirs.keys())
    show("pooled", (pooled[0], pooled[1], pooled[2], pooled[3]))
    differing = Counter({pair: n for pair, n in confusions.items() if pair[0] != pair[1]})
    for (theirs_type, ours_type), count in differing.most_common(arguments.confusions):
        print(f"{count:4} {theirs_type} became {ours_type}")


if __name__ == "__main__":
    main()
