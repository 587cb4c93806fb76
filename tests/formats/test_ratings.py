"""Files of ratings, long and wide."""

from __future__ import annotations

from pathlib import Path

import pytest

from redink.errors import FormatError
from redink.formats.judgment_tables import read_ratings
from redink.inputs.judgment_loading import is_ratings, is_scores, load_human_scores
from redink.model import Rating


def test_long_and_wide(tmp_path: Path) -> None:
    long = tmp_path / "long.csv"
    long.write_text("sentence,system,rater,score\n7,A,ann,80\n7,B,ann,\n8,A,ben,3.5\n")
    assert read_ratings(long) == (Rating("7", "A", "ann", 80.0), Rating("8", "A", "ben", 3.5))
    wide = tmp_path / "wide.tsv"
    wide.write_text("A\tB\n80\t60\n\t10\n")
    assert read_ratings(wide) == (
        Rating("1", "A", "all", 80.0),
        Rating("1", "B", "all", 60.0),
        Rating("2", "B", "all", 10.0),
    )
    named = tmp_path / "named.csv"
    named.write_text("sentence,judge,A,B\ns1,x,1,2\ns1,y,3,4\n")
    assert [r.judge for r in read_ratings(named)] == ["x", "x", "y", "y"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sentence,system,judge,rating\n1,A,x,good\n", ":2: expected a rating"),
        ("sentence,system,judge,rating\n1,A,x,1\n1,A,x,2\n", ":3: .*twice"),
        ("A,B\n1,2\n1,x\n", ":3: expected a rating"),
        ("sentence,system,judge,rating\n", "not a table of ratings"),
        ("a plain line\nand another\n", "not a table of ratings"),
    ],
)
def test_bad_ratings_are_told_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_ratings(path)


def test_kinds_of_human_judgments_are_told_apart(tmp_path: Path) -> None:
    cases = {
        "ratings": "A,B\n1,2\n",
        "scores": "AMU 0.6\nCAMB 0.5\n",
        "wide scores": "system,EW\nA,0.5\n",
        "json scores": '{"A": 0.5, "B": 0.2}',
        "rankings": '<results>\n<ranking-item src-id="1" user="x"/>\n</results>\n',
        "wmt": "srcIndex,judgeId,system1Id,system1rank\n1,x,A,1\n",
    }
    told = {}
    for name, text in cases.items():
        path = tmp_path / name
        path.write_text(text)
        told[name] = (is_ratings(path), is_scores(path))
    assert told == {
        "ratings": (True, False),
        "scores": (False, True),
        "wide scores": (False, True),
        "json scores": (False, True),
        "rankings": (False, False),
        "wmt": (False, False),
    }


def test_means_of_gmeg_are_those_of_its_corpus_file(shared: Path) -> None:
    """Of the Wikipedia part, to 1e-9."""
    import numpy as np

    from redink.judging.rankers import score_by_ratings

    folder = shared / "data" / "gmeg"
    ratings = read_ratings(folder / "wiki-segment-scores.csv")
    ours = score_by_ratings(ratings, samples=2, rng=np.random.default_rng(1))
    [published] = load_human_scores([folder / "wiki-corpus-scores.csv"]).values()
    assert dict(zip(ours.systems, ours.scores, strict=True)) == pytest.approx(published, abs=1e-9)
