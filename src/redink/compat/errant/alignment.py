"""Two texts aligned, as the ``errant`` package has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redink.analysis.edit_extraction import AlignmentStep, Merging, merge
from redink.analysis.edit_finder import EditFinder
from redink.compat.errant.documents import Doc
from redink.compat.errant.edit import Edit

Operation = tuple[str, int, int, int, int]


class Alignment:
    """The cheapest way from one text to another.

    Attributes:
        orig, cor: the texts.
        align_seq: the operations in order, each with its places in both: ``M`` (the same), ``S``,
            ``D``, ``I``, or ``T3`` for three words in another order.
    """

    def __init__(
        self, orig: Doc, cor: Doc, finder: EditFinder, steps: Sequence[AlignmentStep]
    ) -> None:
        self.orig = orig
        self.cor = cor
        self._finder = finder
        self._steps = list(steps)
        self.align_seq: list[Operation] = list(_with_matches(self._steps, len(orig)))

    def merged(self, strategy: Merging) -> list[Edit]:
        """The edits, not yet typed."""
        spans = merge(
            list(self._steps),
            self.orig.analysis(),
            self.cor.analysis(),
            rules=self._finder.language.merging,
            strategy=strategy,
            fixed=self._finder.fixed,
        )
        return [Edit(self.orig, self.cor, span) for span in spans]

    def get_all_split_edits(self) -> list[Edit]:
        """Every operation is an edit."""
        return self.merged("all-split")

    def get_all_merge_edits(self) -> list[Edit]:
        """Operations that touch are one edit."""
        return self.merged("all-merge")

    def get_all_equal_edits(self) -> list[Edit]:
        """Operations that touch and are the same are one edit."""
        return self.merged("all-equal")

    def __str__(self) -> str:
        operations = [operation for operation, *_ in self.align_seq]
        texts = [f"Orig: {' '.join(self.orig.words)}", f"Cor: {' '.join(self.cor.words)}"]
        return "\n".join([*texts, f"Best alignment: {operations}"])


def _with_matches(steps: Sequence[AlignmentStep], length: int) -> Iterator[Operation]:
    at = to = 0
    for step in (*steps, None):
        until = length if step is None else step.start
        for match in range(until - at):
            yield "M", at + match, at + match + 1, to + match, to + match + 1
        if step is not None:
            at, to = step.end, step.to_end
            name = f"T{at - step.start}" if step.operation == "T" else step.operation
            yield name, step.start, at, step.to_start, to
