"""``m2scorer``: score a system's text against gold edits, as the official M2 scorer 3.2 does.

:class:`~redink.scoring.m2.max_match.MaxMatch` extracts the edits. This module reads files and
prints results as the original does. ``--verbose`` prints strings without Python 2's ``u``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from getopt import GetoptError, getopt
from io import BytesIO
from typing import NamedTuple

from redink.compat.drop_in import check_lengths, print_error, print_line, run
from redink.model.counts import f_beta
from redink.scoring.m2.edit_lattice import Gold
from redink.scoring.m2.max_match import MaxMatch
from redink.scoring.python2 import iteration_order

_NAME = "m2scorer"
_BAD_USAGE = 255
_USAGE = """\
Usage: m2scorer [OPTIONS] proposed_sentences source_gold
  proposed_sentences          the system's sentences, one per line
  source_gold                 source sentences and gold edits, M2
OPTIONS
  -v, --verbose               print every sentence
          --very_verbose          same as --verbose
      --max_unchanged_words N unchanged words that an edit may contain (default 2)
      --beta B                weight of recall in F (default 0.5)
      --ignore_whitespace_casing
                              ignore edits that change only whitespace and case
"""
_LONG_OPTIONS = [
    "max_unchanged_words=",
    "beta=",
    "verbose",
    "ignore_whitespace_casing",
    "very_verbose",
]

Counts = tuple[int, int, int]
"""True positives, false positives, false negatives."""


class GoldEdit(NamedTuple):
    """A gold edit as in the file: its span, the source words, and their corrections."""

    start: int
    end: int
    original: str
    corrections: list[str]


class _GoldSentence(NamedTuple):
    """A source sentence, and its annotators' edits in the order in which they are tried."""

    text: str
    annotators: dict[int, list[GoldEdit]]


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    try:
        given, files = getopt(sys.argv[1:] if arguments is None else arguments, "v", _LONG_OPTIONS)
        options = dict(given)
        unchanged = int(options.get("--max_unchanged_words", "2"))
        beta = float(options.get("--beta", "0.5"))
    except (GetoptError, ValueError) as error:
        return print_error(_NAME, error)
    if len(files) != 2:
        sys.stderr.write(_USAGE)
        return _BAD_USAGE
    ignore = "--ignore_whitespace_casing" in options
    is_verbose = not {"-v", "--verbose", "--very_verbose"}.isdisjoint(options)

    def score() -> None:
        metric = MaxMatch(max_unchanged_words=unchanged, beta=beta, ignore_whitespace_casing=ignore)
        _score_files(metric, *files, is_verbose=is_verbose)

    return run(_NAME, score)


def _score_files(metric: MaxMatch, system: str, gold: str, *, is_verbose: bool) -> None:
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    sentences = list(_read_gold(gold))
    hypotheses = [line.decode("utf-8").strip() for line in BytesIO(_read(system))]
    check_lengths([(system, len(hypotheses)), (gold, len(sentences))])
    total: Counts = (0, 0, 0)
    for number, pair in enumerate(zip(sentences, hypotheses, strict=True), start=1):
        total, chosen = _add_sentence(metric, *pair, total, is_verbose=is_verbose)
        if is_verbose:
            print_line(f">> Chosen Annotator for line {number} : {chosen}\n")
    right, wrong, missed = total
    p, r = _share(right, right + wrong), _share(right, right + missed)
    f = f_beta(p, r, metric.beta)
    if is_verbose:
        print_line(
            f"CORRECT EDITS  : {right}\nPROPOSED EDITS : {right + wrong}\n"
            f"GOLD EDITS     : {right + missed}\n"
            f"P = {_number(p)}\nR = {_number(r)}\nF_{metric.beta:.1f} = {_number(f)}"
        )
    print_line(f"Precision   : {p:.4f}\nRecall      : {r:.4f}\nF_{metric.beta:.1f}       : {f:.4f}")


def _read(path: str) -> bytes:
    with open(path, "rb") as stream:  # noqa: PTH123 (pathlib takes time to load)
        content = stream.read()
    if path.endswith(".gz"):
        import gzip

        return gzip.decompress(content)
    return content


def _read_gold(path: str) -> Iterator[_GoldSentence]:
    """Yield the sentences of blocks separated by empty lines."""
    block: list[str] = []
    for line in (*_read(path).decode("utf-8").splitlines(keepends=True), "\n"):
        if line != "\n":
            block.append(line)
        elif block:
            yield from _sentences_of("".join(block).splitlines())
            block = []


def _sentences_of(block: Sequence[str]) -> Iterator[_GoldSentence]:
    """Yield the sentences of a block, almost always one; several sentences share its edits."""
    sources = [line[2:].strip() for line in block if line.startswith("S ")]
    if not sources:
        raise ValueError(f"a block has no S line: {block[0][:60]!r}")
    tokens = " ".join(sources).split()
    found: dict[int, list[GoldEdit]] = {}
    for line in block[1:]:
        if line.startswith("A "):
            annotator, edit = _read_edit(line, tokens)
            found.setdefault(annotator, []).append(edit)
        elif not line.startswith(("I ", "S ")):
            raise ValueError(f"invalid line; expected S, A or I at its start: {line[:60]!r}")
    order = list(found)
    for _ in range(2):  # the original stores annotators in a dictionary, and copies it once
        order = [order[place] for place in iteration_order(order)]
    length = 0
    for source in sources:
        length += len(source.split())
        fitting = {
            who: [e for e in found[who] if 0 <= e.start <= length and 0 <= e.end <= length]
            for who in order
        }
        yield _GoldSentence(source, fitting or {0: []})


def _read_edit(line: str, tokens: Sequence[str]) -> tuple[int, GoldEdit]:
    fields = line[2:].split("|||")
    start, end = map(int, fields[0].split()[:2])
    if fields[1] == "noop":
        start = end = -1
    corrections = [c.strip() if c != "-NONE-" else "" for c in fields[2].split("||")]
    return int(fields[5]), GoldEdit(start, end, " ".join(tokens[start:end]), corrections)


def _add_sentence(
    metric: MaxMatch, sentence: _GoldSentence, hypothesis: str, total: Counts, *, is_verbose: bool
) -> tuple[Counts, int]:
    """Return the updated counts, and the annotator who gives the highest corpus F so far."""
    source = sentence.text.split()
    golds = [[_gold(edit, source) for edit in edits] for edits in sentence.annotators.values()]
    matches = metric.match_golds(source, hypothesis.split(), golds)
    candidates: list[tuple[tuple[float, ...], Counts, int]] = []
    for (who, edits), match in zip(sentence.annotators.items(), matches, strict=True):
        right, proposed = len(match.matched), len(match.proposed)
        own = (right, proposed - right, len(edits) - right)
        tp, fp, fn = total[0] + own[0], total[1] + own[1], total[2] + own[2]
        key = metric.published_preference.key((tp, fp, fn), own, metric.beta)
        candidates.append((key, (tp, fp, fn), who))
        if is_verbose:
            seen = [(s, e, " ".join(source[s:e]), new) for s, e, new in match.proposed]
            correct = [next(e for e in seen if _matches(e, edits[g])) for g in match.matched]
            print_line(
                f">> Annotator: {who}\n"
                f"SOURCE        : {sentence.text}\n"
                f"HYPOTHESIS    : {hypothesis}\n"
                f"EDIT SEQ      : {seen!a}\n"
                f"GOLD EDITS    : {[tuple(edit) for edit in edits]!a}\n"
                f"CORRECT EDITS : {correct!a}\n"
                f"# correct     : {tp}\n"
                f"# proposed    : {tp + fp}\n"
                f"# gold        : {tp + fn}\n"
                f"precision     : {_number(_share(tp, tp + fp))}\n"
                f"recall        : {_number(_share(tp, tp + fn))}\n"
                f"f_{metric.beta:.1f}         : {_number(key[0])}\n"
                f"{'-' * 43}"
            )
    _, counts, chosen = max(candidates, key=lambda candidate: candidate[0])
    return counts, chosen


def _gold(edit: GoldEdit, source: Sequence[str]) -> Gold:
    """Return a gold edit for the search; one with other source words than these matches nothing."""
    is_there = edit.original == " ".join(source[edit.start : edit.end])
    return Gold(edit.start, edit.end, frozenset(edit.corrections if is_there else ()))


def _matches(edit: tuple[int, int, str, str], gold: GoldEdit) -> bool:
    return edit[:3] == gold[:3] and edit[3] in gold.corrections


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _number(value: float) -> str:
    """Return a number as Python 2 prints it, with twelve digits."""
    text = f"{value:.12g}"
    return text if any(mark in text for mark in ".en") else f"{text}.0"


if __name__ == "__main__":
    sys.exit(main())
