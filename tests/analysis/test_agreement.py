"""Agreement out of the box with the original program on its original model.

The oracle is ERRANT 2.3.3 with spaCy 2.2.4 and its small English model 2.2.5, run on CoNLL-2014;
see the README beside it. Two versions of the original agree with each other on .96 to .99 of types.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from redink.analysis.annotation import annotate_texts
from redink.analysis.annotation_options import AnnotationOptions
from redink.inputs import read_corpus
from redink.model import Sentence

SYSTEMS = ("AMU", "CAMB", "NTHU", "UFC")


@pytest.mark.slow
def test_agreement_with_the_original_model(shared: Path) -> None:
    """Same span and correction: F1 at least .995; same type on those: at least .97, pooled."""
    folder = shared / "data" / "conll14"
    read = {
        name: [Sentence.from_line(line) for line in path.read_text("utf-8").splitlines()]
        for name, path in [
            ("source", folder / "source.txt"),
            *((name, folder / "systems" / f"{name}.txt") for name in SYSTEMS),
        ]
    }
    found = annotate_texts(read.pop("source"), read, annotation_options=AnnotationOptions())
    matched = same = ours = theirs = 0
    for name in SYSTEMS:
        oracle = read_corpus(shared / "oracles" / "errant-2.3.3" / f"{name}.m2")
        for annotation, sentence in zip(found[name], oracle.sentences, strict=True):
            expected = {
                (e.start, e.end, e.correction): e.type
                for a in sentence.annotations
                for e in a.edits
            }
            types = {(e.start, e.end, e.correction): e.type for e in annotation.edits}
            common = expected.keys() & types.keys()
            ours += len(types)
            theirs += len(expected)
            matched += len(common)
            same += sum(expected[key] == types[key] for key in common)
    assert 2 * matched / (ours + theirs) >= 0.995
    assert same / matched >= 0.97
