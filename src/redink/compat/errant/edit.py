"""An edit, as the ``errant`` package has it: it knows the tokens on both sides, and can change."""

from __future__ import annotations

from collections.abc import Sequence

from redink.compat.errant.documents import Doc


class Edit:
    """Tokens of the source and what they become.

    Attributes:
        o_start, o_end, o_toks, o_str: where they are in the source, and what stands there.
        c_start, c_end, c_toks, c_str: the same of the correction.
        type: the error type; ``NA`` until it is known.
    """

    def __init__(
        self,
        orig: Doc,
        cor: Doc,
        edit: Sequence[int],
        type: str = "NA",  # noqa: A002 (as the original calls it)
    ) -> None:
        self.o_start, self.o_end, self.c_start, self.c_end = edit[:4]
        self.o_toks = orig[self.o_start : self.o_end]
        self.c_toks = cor[self.c_start : self.c_end]
        self.o_str = self.o_toks.text
        self.c_str = self.c_toks.text
        self.type = type

    def minimise(self) -> Edit:
        """Drop the words at both ends that stay the same: [a b -> a c] is [b -> c]."""
        before, after = self.o_toks, self.c_toks
        while len(before) and len(after) and before[0].text == after[0].text:
            before, after = before[1:], after[1:]
            self.o_start += 1
            self.c_start += 1
        while len(before) and len(after) and before[-1].text == after[-1].text:
            before, after = before[:-1], after[:-1]
            self.o_end -= 1
            self.c_end -= 1
        self.o_toks, self.c_toks = before, after
        self.o_str, self.c_str = before.text, after.text
        return self

    def to_m2(self, id: int | str = 0) -> str:  # noqa: A002 (as the original calls it)
        """The edit as a line of M2, made by this annotator."""
        words = " ".join(token.text for token in self.c_toks)
        span = f"A {self.o_start} {self.o_end}"
        return "|||".join([span, self.type, words, "REQUIRED", "-NONE-", str(id)])

    def __str__(self) -> str:
        orig = [self.o_start, self.o_end, self.o_str]
        cor = [self.c_start, self.c_end, self.c_str]
        return f"Orig: {orig}, Cor: {cor}, Type: {self.type!r}"
