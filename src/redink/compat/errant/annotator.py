"""What parses, aligns, merges and types, as the ``errant`` package has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from redink.analysis.classify import DependenciesNeededError
from redink.analysis.edit_extraction import STRATEGIES, Merging
from redink.analysis.edit_finder import EditFinder
from redink.compat.errant.alignment import Alignment
from redink.compat.errant.documents import Doc, as_doc
from redink.compat.errant.edit import Edit
from redink.errors import OptionError


class Annotator:
    """Finds and types edits in one language.

    Attributes:
        lang: the language.
    """

    def __init__(self, lang: str, finder: EditFinder) -> None:
        self.lang = lang
        self._finder = finder

    @property
    def nlp(self) -> Any:
        """The spaCy pipeline behind it; None where it is not spaCy that tags."""
        return getattr(self._finder.analyser, "pipeline", None)

    def parse(self, text: str, tokenise: bool = False) -> Doc:  # noqa: FBT001, FBT002
        """A text ready to be annotated.

        Args:
            text: tokens between white space, or raw text.
            tokenise: it is raw: cut it into tokens first.
        """
        if not tokenise:
            return Doc(text.split(), self._finder.analyser)
        places = self._finder.language.tokenize(text)
        ends = [start for start, _ in places[1:]] + [len(text)]
        return Doc(
            [text[start:end] for start, end in places],
            self._finder.analyser,
            [text[end:following] for (_, end), following in zip(places, ends, strict=True)],
        )

    def align(self, orig: Any, cor: Any, lev: bool = False) -> Alignment:  # noqa: FBT001, FBT002
        """The cheapest way from one text to the other."""
        ours, theirs = (as_doc(side, self._finder.analyser) for side in (orig, cor))
        self._analyse_together(ours, theirs)
        finder = replace(self._finder, levenshtein=lev)
        steps = finder.align(ours.analysis(), theirs.analysis())
        return Alignment(ours, theirs, finder, steps)

    def _analyse_together(self, *docs: Doc) -> None:
        unknown = [doc for doc in docs if doc.known is None]
        if unknown:
            with self._finder.analyser.analyze([doc.words for doc in unknown]) as batch:
                for doc, analysis in zip(unknown, batch.analyses, strict=True):
                    doc.known = analysis

    def merge(self, alignment: Alignment, merging: str = "rules") -> list[Edit]:
        """The edits of an alignment, not yet typed.

        Raises:
            OptionError: there is no such strategy.
        """
        if merging not in STRATEGIES:
            raise OptionError(
                f"there is no merging strategy {merging!r}; there are: {', '.join(STRATEGIES)}"
            )
        return alignment.merged(cast("Merging", merging))

    def classify(self, edit: Edit) -> Edit:
        """The same edit, which now knows its type."""
        before, after = edit.o_toks, edit.c_toks
        source, corrected = before.doc, after.doc
        place = (before.start, before.end, after.start, after.end)
        while True:
            try:
                typed = self._finder.type_edit(source.analysis(), corrected.analysis(), place)
            except DependenciesNeededError as error:
                (source if error.in_source else corrected).analysis(parsed=True)
            else:
                edit.type = typed.type
                return edit

    def annotate(
        self,
        orig: Any,
        cor: Any,
        lev: bool = False,  # noqa: FBT001, FBT002
        merging: str = "rules",
    ) -> list[Edit]:
        """The typed edits that turn one text into the other."""
        return [self.classify(edit) for edit in self.merge(self.align(orig, cor, lev), merging)]

    def import_edit(
        self,
        orig: Any,
        cor: Any,
        edit: Sequence[Any],
        min: bool = True,  # noqa: A002, FBT001, FBT002 (as the original calls it)
        old_cat: bool = False,  # noqa: FBT001, FBT002
    ) -> Edit:
        """An edit from its places, ``[o_start, o_end, c_start, c_end]``, and perhaps its type.

        Args:
            orig: the source.
            cor: the correction.
            edit: the places, and a type.
            min: drop the words at its ends that stay the same.
            old_cat: keep the type.

        Raises:
            OptionError: there are fewer or more.
        """
        if len(edit) not in {4, 5}:
            raise OptionError("an edit is [o_start, o_end, c_start, c_end], and perhaps its type")
        ours, theirs = (as_doc(side, self._finder.analyser) for side in (orig, cor))
        made = Edit(ours, theirs, edit[:4], *edit[4:])
        if min:
            made.minimise()
        return made if old_cat else self.classify(made)
