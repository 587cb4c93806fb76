"""Running text into sentences."""

import gzip

import pytest

from redink.detectors.features import looks_raw, read_sentences, split_sentences


def test_raw_paragraphs_are_split_and_tokenized(tmp_path):
    path = tmp_path / "raw.txt"
    path.write_text('Mr. Smith came. "Who?" she said.\nThey left.\n')
    assert list(read_sentences(path)) == [
        (1, ("Mr.", "Smith", "came", ".")),
        (1, ('"', "Who", "?", '"', "she", "said", ".")),
        (2, ("They", "left", ".")),
    ]


def test_tokenized_text_is_left_alone(tmp_path):
    path = tmp_path / "t.txt.gz"
    with gzip.open(path, "wt") as stream:
        stream.write("Mr. Smith ca n't come . Really .\n\nYes .\n")
    assert [t for _, t in read_sentences(path)] == [
        ("Mr.", "Smith", "ca", "n't", "come", ".", "Really", "."),
        ("Yes", "."),
    ]


@pytest.mark.parametrize(
    ("lines", "raw"), [(["It is."], True), (["It is ."], False), (["no mark"], False), ([], False)]
)
def test_which_is_which(lines, raw):
    assert looks_raw(lines) is raw


def test_initials_do_not_end_sentences():
    assert split_sentences("J. S. Bach wrote it. Yes.") == ["J. S. Bach wrote it.", "Yes."]
