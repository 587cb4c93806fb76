"""``m2scorer``: a system's text against gold edits, as the official M2 scorer 3.2 prints it.

The edits are found by :class:`redink.scoring.m2.MaxMatch`; here is how the original reads its
files, and how it prints, which is Python 2's way of printing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from getopt import GetoptError, getopt
from typing import Any, NamedTuple

from redink.compat.leaving import check_lengths, run, say, tell
from redink.compat.python2_text import Bytes, join_words, show, show_number
from redink.scoring.m2.lattice import Gold
from redink.scoring.m2.metric import MaxMatch, Proposal
from redink.scoring.python2 import iteration_order

_NAME = "m2scorer"
_BAD_USAGE = 255
_USAGE = """\
Usage: m2scorer [OPTIONS] proposed_sentences source_gold
  proposed_sentences          the system's sentences, one a line
  source_gold                 source sentences and gold edits, M2
OPTIONS
  -v, --verbose               print every sentence
      --very_verbose          print how edits are found
      --max_unchanged_words N unchanged words that an edit may hold (default 2)
      --beta B                weight of recall in F (default 0.5)
      --ignore_whitespace_casing
                              leave out edits that change only spaces and case
"""
_LONG_OPTIONS = (
    "max_unchanged_words=",
    "beta=",
    "verbose",
    "ignore_whitespace_casing",
    "very_verbose",
)
_RULE = "-" * 43


class GoldEdit(NamedTuple):
    """A gold edit as the file has it: the words it replaces, and what they can become."""

    start: int
    end: int
    original: str
    corrections: list[str]


class _Sentence(NamedTuple):
    """A source sentence, and the edits of its annotators in the order they are tried."""

    text: str
    annotators: dict[int, list[GoldEdit]]


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        options, files = getopt(given, "v", list(_LONG_OPTIONS))
        told = dict(options)
        unchanged = int(told.get("--max_unchanged_words", "2"))
        beta = float(told.get("--beta", "0.5"))
    except (GetoptError, ValueError) as error:
        return tell(_NAME, error)
    if len(files) != 2:
        sys.stderr.write(_USAGE)
        return _BAD_USAGE
    verbose = bool({"-v", "--verbose"} & told.keys())
    very_verbose = "--very_verbose" in told

    def score() -> None:
        ignores = "--ignore_whitespace_casing" in told
        metric = MaxMatch(
            max_unchanged_words=unchanged, beta=beta, ignore_whitespace_casing=ignores
        )
        scorer = _Scorer(metric, verbose=verbose, very_verbose=very_verbose)
        _score_files(scorer, *files)

    return run(_NAME, score)


def _score_files(scorer: _Scorer, system: str, gold: str) -> None:
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8")
    sentences = _read_gold(gold)
    with _open(system) as stream:
        hypotheses = [line.decode("utf-8").strip() for line in stream]
    check_lengths([(system, len(hypotheses)), (gold, len(sentences))])
    for sentence, hypothesis in zip(sentences, hypotheses, strict=True):
        scorer.add(sentence, hypothesis)
    scorer.finish()


def _open(path: str) -> Any:
    if path.endswith(".gz"):
        import gzip

        return gzip.open(path, "rb")
    return open(path, "rb")  # noqa: PTH123 (pathlib takes time to load)


def _read_gold(path: str) -> list[_Sentence]:
    with _open(path) as stream:
        lines = stream.read().decode("utf-8").splitlines(keepends=True)
    return [sentence for block in _blocks(lines) for sentence in _sentences_of(block)]


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """The lines between empty ones."""
    block: list[str] = []
    for line in lines:
        if line != "\n":
            block.append(line)
        elif block:
            yield "".join(block).splitlines()
            block = []
    if block:
        yield "".join(block).splitlines()


def _sentences_of(block: Sequence[str]) -> Iterator[_Sentence]:
    """The sentences of a block, nearly always one; several share the edits that fit."""
    sources = [line[2:].strip() for line in block if line.startswith("S ")]
    if not sources:
        raise ValueError(f"a block without an S line: {block[0][:60]!r}")
    tokens = " ".join(sources).split()
    found: dict[int, list[GoldEdit]] = {}
    for line in block[1:]:
        if line.startswith(("I ", "S ")):
            continue
        if not line.startswith("A "):
            raise ValueError(f"expected a line that begins with S, A or I: {line[:60]!r}")
        annotator, edit = _read_edit(line, tokens)
        found.setdefault(annotator, []).append(edit)
    order = _python2_order(_python2_order(list(found)))
    length = 0
    for source in sources:
        length += len(source.split())
        fitting = {
            who: [e for e in found[who] if 0 <= e.start <= length and 0 <= e.end <= length]
            for who in order
        }
        yield _Sentence(source, fitting or {0: []})


def _read_edit(line: str, tokens: Sequence[str]) -> tuple[int, GoldEdit]:
    fields = line[2:].split("|||")
    places = fields[0].split()
    start, end = int(places[0]), int(places[1])
    if fields[1] == "noop":
        start = end = -1
    corrections = [c.strip() if c != "-NONE-" else Bytes() for c in fields[2].split("||")]
    return int(fields[5]), GoldEdit(start, end, join_words(tokens[start:end]), corrections)


def _python2_order(numbers: list[int]) -> list[int]:
    if len(numbers) < 2:
        return numbers
    return [numbers[place] for place in iteration_order(numbers)]


class _Scorer:
    """Counts sentence by sentence, each against the annotator that serves the corpus F best."""

    def __init__(self, metric: MaxMatch, *, verbose: bool, very_verbose: bool) -> None:
        self._metric = metric
        self._verbose = verbose
        self._very_verbose = very_verbose
        self._line = 0
        self._total = (0, 0, 0)

    def add(self, sentence: _Sentence, hypothesis: str) -> None:
        """Count a sentence."""
        self._line += 1
        source = sentence.text.split()
        golds = [[_gold(e, source) for e in edits] for edits in sentence.annotators.values()]
        matches = self._metric.match_golds(source, hypothesis.split(), golds)
        tell_search = self._tell_search(source, hypothesis.split(), golds)
        beta = self._metric.beta
        best: tuple[float, ...] | None = None
        chosen, counts = -1, self._total
        for (who, edits), match in zip(sentence.annotators.items(), matches, strict=True):
            right, proposed = len(match.matched), len(match.proposed)
            own = (right, proposed - right, len(edits) - right)
            together = _add(self._total, own)
            key = self._metric.rule.key(together, own, beta)
            if best is None or key > best:
                best, chosen, counts = key, who, together
            tell_search(who, edits)
            if self._verbose:
                words = _with_originals(match.proposed, source)
                correct = _tell_neighbours(words, edits)
                self._tell(sentence.text, hypothesis, words, edits, correct, together)
        if self._verbose:
            say(f">> Chosen Annotator for line {self._line} : {chosen}\n")
        self._total = counts

    def _tell_search(
        self, source: Sequence[str], hypothesis: Sequence[str], golds: Sequence[list[Gold]]
    ) -> Callable[[int, Sequence[GoldEdit]], None]:
        """Tells for an annotator how their edits are searched for, as far as that is wanted."""

        def tell_name(who: int, _edits: Sequence[GoldEdit]) -> None:
            if self._verbose:
                say(f">> Annotator: {who}")

        if not self._very_verbose:
            return tell_name
        from redink.compat.m2_trace import Trace

        trace = Trace(source, hypothesis, self._metric.max_unchanged_words, say)
        whole = replace(self._metric, ignore_whitespace_casing=False)
        paths = iter(whole.match_golds(source, hypothesis, golds))

        def tell_search(who: int, edits: Sequence[GoldEdit]) -> None:
            weights = trace.tell_weights(edits)
            tell_name(who, edits)
            trace.tell_graph(weights, _with_originals(next(paths).proposed, source))

        return tell_search

    def _tell(
        self,
        source: str,
        hypothesis: str,
        proposed: Sequence[_Change],
        gold: Sequence[GoldEdit],
        correct: Sequence[_Change],
        together: tuple[int, int, int],
    ) -> None:
        right, wrong, missed = together
        beta = self._metric.beta
        f = self._metric.rule.key(together, together, beta)[0]
        say(
            f"SOURCE        : {source}\n"
            f"HYPOTHESIS    : {hypothesis}\n"
            f"EDIT SEQ      : {show([_shrink(change) for change in proposed])}\n"
            f"GOLD EDITS    : {show([tuple(edit) for edit in gold])}\n"
            f"CORRECT EDITS : {show(list(correct))}\n"
            f"# correct     : {right}\n"
            f"# proposed    : {right + wrong}\n"
            f"# gold        : {right + missed}\n"
            f"precision     : {show_number(_share(right, right + wrong))}\n"
            f"recall        : {show_number(_share(right, right + missed))}\n"
            f"f_{beta:.1f}         : {show_number(f)}\n"
            f"{_RULE}"
        )

    def finish(self) -> None:
        """Print what the corpus gives."""
        right, wrong, missed = self._total
        beta = self._metric.beta
        p, r = _share(right, right + wrong), _share(right, right + missed)
        below = beta * beta * p + r
        f = (1.0 + beta * beta) * p * r / below if below else 0.0
        if self._verbose:
            say(
                f"CORRECT EDITS  : {right}\nPROPOSED EDITS : {right + wrong}\n"
                f"GOLD EDITS     : {right + missed}\n"
                f"P = {show_number(p)}\nR = {show_number(r)}\nF_{beta:.1f} = {show_number(f)}"
            )
        say(f"Precision   : {p:.4f}\nRecall      : {r:.4f}\nF_{beta:.1f}       : {f:.4f}")


def _gold(edit: GoldEdit, source: Sequence[str]) -> Gold:
    """A gold edit for the search; one whose words are not these matches nothing."""
    is_there = edit.original == " ".join(source[edit.start : edit.end])
    return Gold(edit.start, edit.end, frozenset(edit.corrections if is_there else ()))


def _add(first: tuple[int, int, int], second: tuple[int, int, int]) -> tuple[int, int, int]:
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


# ---- what --verbose prints

_Change = tuple[int, int, str, str]
"""An edit of the system: its span, the words there, and what they become."""


def _with_originals(proposed: Sequence[Proposal], source: Sequence[str]) -> list[_Change]:
    return [
        (start, end, join_words(source[start:end]), join_words([correction] if correction else []))
        for start, end, correction in proposed
    ]


def _shrink(change: _Change) -> _Change:
    """The edit without the words that both of its sides begin and end with."""
    start, end, original, correction = change
    before, after = original.split(), correction.split()
    shorter = min(len(before), len(after))
    first = 0
    while first < shorter and before[first] == after[first]:
        first += 1
    last = 0
    while last < shorter - first and before[-1 - last] == after[-1 - last]:
        last += 1
    words = [join_words(side[first : len(side) - last]) for side in (before, after)]
    return start + first, end - last, words[0], words[1]


def _tell_neighbours(proposed: Sequence[_Change], gold: Sequence[GoldEdit]) -> list[_Change]:
    """The edits that match, in order; those are printed that touch one of the other kind.

    A deletion beside an insertion: ``!`` where that matches too, else ``&`` for a deletion and
    ``*`` for an insertion.
    """
    matched: list[_Change] = []
    begin = 0
    for change in proposed:
        for place in range(begin, len(gold)):
            if not _matches(change, gold[place]):
                continue
            matched.append(change)
            begin = place + 1
            start, end, _, correction = change
            beside = [_shrink(other) for other in proposed if end == other[0] or start == other[1]]
            if start != end:
                beside = [other for other in beside if other[0] == other[1]]
            else:
                beside = [other for other in beside if other[0] < other[1] and not other[3]]
            if beside and (start == end or not correction.strip()):
                both = any(_matches(other, edit) for other in beside for edit in gold)
                mark = "!" if both else "*" if start == end else "&"
                say(f"{mark} {show(change)}")
    return matched


def _matches(change: _Change, gold: GoldEdit) -> bool:
    return change[:3] == gold[:3] and change[3] in gold.corrections


if __name__ == "__main__":
    sys.exit(main())
