"""What ``m2scorer --very_verbose`` prints: how the official scorer builds and weighs its lattice.

redink finds the same edits by a quicker way (:mod:`redink.scoring.m2`), so there is nothing of this
kind to print. Here the official way is gone step by step: two matrices of costs, the graph of the
cheapest steps under either, arcs that merge steps until there are no more, and a weight for every
arc. All of it is printed, so it takes as long as it is; nothing is counted with it.

What is printed depends on the order of Python 2's dictionaries (:mod:`redink.scoring.python2`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from redink.compat.python2_text import Bytes, join_words, show
from redink.scoring.m2.lattice import FEE, weigh_insertions
from redink.scoring.python2 import hash_tuple, iteration_order

if TYPE_CHECKING:
    from redink.compat.m2scorer import GoldEdit

Node = tuple[int, int]
Arc = tuple[Node, Node]
Change = tuple[int, int, str, str]
"""An edit of the system: its span, the words there, and what they become."""

_DELETION, _INSERTION = Bytes("del"), Bytes("ins")
_SUBSTITUTION, _NOTHING = Bytes("sub"), Bytes("noop")
_NO_WAY = float("inf")


class _Edit(NamedTuple):
    """What an arc does: its kind, span, words and correction; how many words stay as they are."""

    kind: str
    start: int
    end: int
    original: str
    correction: str
    unchanged: int


class Trace:
    """The lattice of a sentence, printed while it is built; then its weights for each annotator.

    Args:
        source: the words of the source.
        hypothesis: the words of the system.
        max_unchanged: how many unchanged words an edit may contain.
        say: prints a line.
    """

    def __init__(
        self,
        source: Sequence[str],
        hypothesis: Sequence[str],
        max_unchanged: int,
        say: Callable[[str], None],
    ) -> None:
        self._source = source
        self._hypothesis = hypothesis
        self._say = say
        matrices, pointers, graphs = [], [], []
        for price in (1, 2):
            matrix = self._costs(price)
            into = self._cheapest_steps(matrix, price)
            matrices.append(matrix)
            pointers.append(into)
            graphs.append(_arcs_of(into, (len(source), len(hypothesis))))
        self._nodes = sorted({node for arcs in graphs for arc in arcs for node in arc} | {(0, 0)})
        self._arcs: list[Arc] = sorted(graphs[0] + graphs[1])
        first, second = (_in_order(dict.fromkeys(arcs)) for arcs in graphs)
        self._edits = {arc: self._step(*arc) for arc in dict.fromkeys(first + second)}
        self._lengths: dict[Arc, float] = dict.fromkeys(self._edits, 1)
        for number, matrix in enumerate(matrices, start=1):
            say(f"edit matrix {number}: {show(matrix)}")
        for number, into in enumerate(pointers, start=1):
            written = [
                (node, [(tail, self._step(tail, node)) for tail in into[node]])
                for node in _nodes_in_order(into)
            ]
            say(f"backpointers {number}: {_show_items(written)}")
        say(f"edits (w/o transitive arcs): {self._show_by_arc(self._edits)}")
        self._merge_steps(max_unchanged)
        self._leave_out_idle_arcs()

    # ---- the steps

    def _costs(self, substitution: int) -> list[list[int]]:
        matrix = [list(range(len(self._hypothesis) + 1))]
        for i, word in enumerate(self._source, start=1):
            above, row = matrix[-1], [i]
            for j, other in enumerate(self._hypothesis, start=1):
                diagonal = above[j - 1] + (0 if word == other else substitution)
                row.append(min(diagonal, above[j] + 1, row[-1] + 1))
            matrix.append(row)
        return matrix

    def _cheapest_steps(
        self, matrix: Sequence[Sequence[int]], substitution: int
    ) -> dict[Node, list[Node]]:
        """For every node the tails of its cheapest steps, in the order in which they are found."""
        rows, columns = range(1, len(matrix)), range(1, len(matrix[0]))
        into: dict[Node, list[Node]] = {(i, 0): [(i - 1, 0)] for i in rows}
        into |= {(0, j): [(0, j - 1)] for j in columns}
        for i in rows:
            for j in columns:
                same = self._source[i - 1] == self._hypothesis[j - 1]
                prices = {
                    (i - 1, j - 1): 0 if same else substitution,
                    (i - 1, j): 1,
                    (i, j - 1): 1,
                }
                cost = matrix[i][j]
                into[i, j] = [
                    tail
                    for tail, price in prices.items()
                    if matrix[tail[0]][tail[1]] + price == cost
                ]
        return into

    def _step(self, tail: Node, head: Node) -> _Edit:
        start, end = tail[0], head[0]
        original = join_words(self._source[start:end])
        correction = join_words(self._hypothesis[tail[1] : head[1]])
        if not correction:
            return _Edit(_DELETION, start, end, original, correction, 0)
        if not original:
            return _Edit(_INSERTION, start, end, original, correction, 0)
        same = original == correction
        return _Edit(
            _NOTHING if same else _SUBSTITUTION, start, end, original, correction, same + 0
        )

    # ---- the arcs

    def _merge_steps(self, max_unchanged: int) -> None:
        """Merge arcs that follow each other, as long as that makes a new or a shorter one."""
        edits, lengths, say = self._edits, self._lengths, self._say
        names = [(node, show(node)) for node in self._nodes]
        say("-- Add transitive arcs --")
        for middle, name in names:
            say(f"v _k : {name}")
            for tail, tail_name in names:
                say(f"v _i : {tail_name}")
                first = edits.get((tail, middle))
                if first is None:
                    continue
                for head, head_name in names:
                    say(f"v _j : {head_name}")
                    second = edits.get((middle, head))
                    if second is None:
                        continue
                    length = lengths[tail, middle] + lengths[middle, head]
                    if length >= lengths.get((tail, head), _NO_WAY):
                        continue
                    merged = self._merged(first, second, tail, head)
                    if merged.unchanged > max_unchanged:
                        continue
                    say(f" add new arcs v_i -> v_j: {show(merged)}")
                    self._arcs.append((tail, head))
                    lengths[tail, head] = length
                    edits[tail, head] = merged

    def _merged(self, first: _Edit, second: _Edit, tail: Node, head: Node) -> _Edit:
        alike = first.kind == second.kind
        kind = first.kind if alike and first.kind != _SUBSTITUTION else _SUBSTITUTION
        start, end, original, correction = self._step(tail, head)[1:5]
        return _Edit(kind, start, end, original, correction, first.unchanged + second.unchanged)

    def _leave_out_idle_arcs(self) -> None:
        """Leave out merged arcs that change nothing; the one after such an arc is not looked at."""
        self._say("-- Remove transitive noop arcs --")
        place = 0
        while place < len(self._arcs):
            arc = self._arcs[place]
            if self._edits[arc].kind == _NOTHING and self._lengths[arc] > 1:
                self._say(f" remove noop arc v_i -> vj: {show(arc)}")
                del self._arcs[place]
                self._lengths[arc] = _NO_WAY
                del self._edits[arc]
            place += 1

    # ---- an annotator

    def tell_weights(self, golds: Sequence[GoldEdit]) -> dict[Arc, float]:
        """Print how the gold edits of an annotator weigh the arcs; the weights."""
        self._say(f"set weights of edges() gold edits : {show(list(golds))}")
        weights = dict(self._lengths)
        by_span: dict[Node, list[Arc]] = {}
        for arc in self._arcs:
            edit = self._edits[arc]
            by_span.setdefault((edit.start, edit.end), []).append(arc)
        for span in sorted(by_span):
            fitting = [edit for edit in golds if (edit.start, edit.end) == span]
            arcs = sorted(by_span[span])
            if span[0] == span[1]:
                find = partial(self._find, golds=fitting, weights=weights)
                weigh_insertions(arcs, len(fitting), find, weights)
                continue
            for arc in arcs:
                found = self._find(arc, range(len(fitting)), golds=fitting, weights=weights)
                if found is None and self._edits[arc].kind != _NOTHING:
                    weights[arc] += FEE
        return weights

    def _find(
        self,
        arc: Arc,
        order: Iterable[int],
        *,
        golds: Sequence[GoldEdit],
        weights: dict[Arc, float],
    ) -> int | None:
        """The gold edit that an arc matches, which rewards the arc."""
        edit = self._edits[arc]
        self._say(f"set weights of edge {show(arc)}\nedit  = {show(edit)}")
        for number in order:
            gold = golds[number]
            if edit.original == gold.original and edit.correction in gold.corrections:
                weights[arc] = -len(self._arcs)
                self._say(f"matched gold edit : {show(gold)}\nset weight to : {weights[arc]}")
                return number
        return None

    def tell_graph(self, weights: dict[Arc, float], path: Sequence[Change]) -> None:
        """Print the lattice with its weights, and the way through it, last edit first."""
        self._say(
            f"Graph(V,E) = \nV = {show(self._nodes)}\nE = {show(self._arcs)}\n"
            f"edits (with transitive arcs): {self._show_by_arc(self._edits)}\n"
            f"dist() = {self._show_by_arc(weights, copied=True)}\n"
            f"viterbi path = {show(list(reversed(path)))}"
        )

    def _show_by_arc(self, values: dict[Arc, Any], *, copied: bool = False) -> str:
        """A dictionary as printed; what was taken out of it still decides where the others are."""
        order = _in_order(self._lengths)
        if copied:
            order = _in_order(order)
        return _show_items((arc, values[arc]) for arc in order if arc in values)


def _arcs_of(into: dict[Node, list[Node]], end: Node) -> list[Arc]:
    """The steps on the cheapest ways, from the end breadth first."""
    arcs: list[Arc] = []
    queue, seen = [end], {end}
    for head in queue:
        for tail in into.get(head, ()):
            arcs.append((tail, head))
            if tail not in seen:
                seen.add(tail)
                queue.append(tail)
    return arcs


@cache
def _hash_node(node: Node) -> int:
    return hash_tuple(node)


def _nodes_in_order(nodes: Iterable[Node]) -> list[Node]:
    listed = list(nodes)
    return [listed[place] for place in iteration_order([_hash_node(node) for node in listed])]


def _in_order(arcs: Iterable[Arc]) -> list[Arc]:
    listed = list(arcs)
    hashes = [hash_tuple([_hash_node(tail), _hash_node(head)]) for tail, head in listed]
    return [listed[place] for place in iteration_order(hashes)]


def _show_items(items: Iterable[tuple[Any, Any]]) -> str:
    return f"{{{', '.join(f'{show(key)}: {show(value)}' for key, value in items)}}}"
