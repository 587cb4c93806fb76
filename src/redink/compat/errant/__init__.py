"""The Python interface of the ``errant`` package: ``from redink.compat import errant``.

A parsed text has the parts of spaCy's interface that programs use, computed on first use.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast, overload

from redink.analysis.analyzer import Analysis, Analyzer
from redink.analysis.annotation_options import EMBEDDED, AnnotationOptions, Merging
from redink.analysis.classify import DependenciesNeededError
from redink.analysis.edit_extraction import STRATEGIES, AlignmentStep, merge
from redink.analysis.edit_finder import EditFinder
from redink.errors import OptionError, unknown_name

__version__ = "3.0.2"
"""Version of the package that has this interface and these rules."""

__all__ = ["Alignment", "Annotator", "Edit", "load"]


def load(lang: str, nlp: Any = None) -> ErrantAnnotator:
    """Return an annotator for a language; ``nlp`` is a spaCy pipeline.

    By default it uses redink's own pipeline, or the analyzer in the environment variable
    ``REDINK_ANALYZER``.
    """
    analyzer: Any = (
        os.environ.get("REDINK_ANALYZER") or os.environ.get("REDINK_ANALYSER") or EMBEDDED
    )
    if nlp is not None:
        from redink.analysis.spacy_analyzer import SpacyAnalyzer

        analyzer = SpacyAnalyzer(nlp, name="spacy", version=str(nlp.meta.get("version", "")))
    return ErrantAnnotator(lang, AnnotationOptions(language=lang, analyzer=analyzer).load())


# ---- texts, with the parts of spaCy's interface that programs use


class Span:
    """Adjacent tokens of a text."""

    def __init__(self, doc: Doc, start: int, end: int) -> None:
        self.doc = doc
        self.start = start
        self.end = end

    @property
    def text(self) -> str:
        """The text without the whitespace after it."""
        return "".join(t.text_with_ws for t in self[:-1]) + self[-1].text if len(self) else ""

    def __len__(self) -> int:
        return self.end - self.start

    def __iter__(self) -> Iterator[DocToken]:
        return (DocToken(self.doc, index) for index in range(self.start, self.end))

    @overload
    def __getitem__(self, key: int) -> DocToken: ...
    @overload
    def __getitem__(self, key: slice) -> Span: ...
    def __getitem__(self, key: int | slice) -> DocToken | Span:
        if isinstance(key, slice):
            start, end, _ = key.indices(len(self))
            return Span(self.doc, self.start + start, self.start + max(start, end))
        return DocToken(self.doc, range(self.start, self.end)[key])

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class Doc(Span):
    """A text as tokens; ``spaces`` is the whitespace after each, by default one space."""

    def __init__(
        self, tokens: Sequence[str], analyzer: Analyzer, spaces: Sequence[str] | None = None
    ) -> None:
        super().__init__(self, 0, len(tokens))
        self.words = tuple(tokens)
        self.spaces = [" "] * len(tokens) if spaces is None else list(spaces)
        self.known: Analysis | None = None
        self._analyzer = analyzer

    def analysis(self, *, parsed: bool = False) -> Analysis:
        """Return tags and lemmas, and dependencies if requested."""
        if self.known is None or (parsed and self.known.dep is None):
            with self._analyzer.analyze([self.words]) as batch:
                self.known = batch.parse([0])[0] if parsed else batch.analyses[0]
        return self.known

    @property
    def text(self) -> str:
        """The text; as in spaCy, with the space after the last token."""
        return "".join(token.text_with_ws for token in self)


def _tag(name: str) -> Any:
    return property(lambda token: getattr(token.doc.analysis(), name)[token.i])


@dataclass(frozen=True, repr=False)
class DocToken:
    """A word or punctuation mark, by its position in a text; attributes as in spaCy."""

    doc: Doc
    i: int

    pos_ = _tag("pos")
    tag_ = _tag("tag")
    lemma_ = _tag("lemma")
    dep_ = property(lambda token: (token.doc.analysis(parsed=True).dep or ())[token.i])
    text = property(lambda token: token.doc.words[token.i])
    orth_ = text
    lower_ = property(lambda token: token.text.lower())
    whitespace_ = property(lambda token: token.doc.spaces[token.i])
    text_with_ws = property(lambda token: token.text + token.whitespace_)
    idx = property(lambda token: len("".join(t.text_with_ws for t in token.doc[: token.i])))

    @property
    def head(self) -> DocToken:
        """The token that it depends on; the root is its own head."""
        heads = self.doc.analysis(parsed=True).head
        assert heads is not None
        return DocToken(self.doc, heads[self.i])

    @property
    def children(self) -> Iterator[DocToken]:
        """The tokens that depend on it, from left to right."""
        found = self.doc.analysis(parsed=True).children(self.i)
        return (DocToken(self.doc, index) for index in found)

    def __len__(self) -> int:
        return len(self.text)

    def __str__(self) -> str:
        return str(self.text)

    __repr__ = __str__


def _as_doc(given: Any, analyzer: Analyzer) -> Doc:
    """Convert a spaCy document, including its tags and parse; return a ``Doc`` unchanged."""
    if isinstance(given, Doc):
        return given
    from redink.analysis.spacy_analyzer import read_document

    made = Doc([token.text for token in given], analyzer, [token.whitespace_ for token in given])
    made.known = read_document(given)
    return made


# ---- edits and alignments


class ErrantEdit:
    """Position, tokens and text in the source (``o_``) and in the correction (``c_``), and type."""

    def __init__(
        self,
        orig: Doc,
        cor: Doc,
        edit: Sequence[int],
        type: str = "NA",  # noqa: A002 (as in the original)
    ) -> None:
        self.o_start, self.o_end, self.c_start, self.c_end = edit[:4]
        self.o_toks = orig[self.o_start : self.o_end]
        self.c_toks = cor[self.c_start : self.c_end]
        self.o_str = self.o_toks.text
        self.c_str = self.c_toks.text
        self.type = type

    def minimize(self) -> ErrantEdit:
        """Drop equal words at both ends: [a b -> a c] becomes [b -> c]."""
        before, after = self.o_toks, self.c_toks
        while len(before) and len(after) and before[0].text == after[0].text:
            before, after = before[1:], after[1:]
        while len(before) and len(after) and before[-1].text == after[-1].text:
            before, after = before[:-1], after[:-1]
        places = (before.start, before.end, after.start, after.end)
        self.__init__(before.doc, after.doc, places, self.type)  # type: ignore[misc]
        return self

    def to_m2(self, id: int | str = 0) -> str:  # noqa: A002 (as in the original)
        """Return the edit as a line of M2, made by this annotator."""
        words = " ".join(token.text for token in self.c_toks)
        span = f"A {self.o_start} {self.o_end}"
        return "|||".join([span, self.type, words, "REQUIRED", "-NONE-", str(id)])

    def __str__(self) -> str:
        orig = [self.o_start, self.o_end, self.o_str]
        cor = [self.c_start, self.c_end, self.c_str]
        return f"Orig: {orig}, Cor: {cor}, Type: {self.type!r}"


class Alignment:
    """The cheapest alignment of two texts.

    ``align_seq`` has the operations with their positions in both texts: ``M`` (equal), ``S``,
    ``D``, ``I``, or ``T3`` for three words in another order.
    """

    def __init__(
        self, orig: Doc, cor: Doc, finder: EditFinder, steps: Sequence[AlignmentStep]
    ) -> None:
        self.orig = orig
        self.cor = cor
        self._finder = finder
        self._steps = list(steps)
        self.align_seq: list[tuple[str, int, int, int, int]] = []
        at = to = 0
        for step in (*steps, None):
            until = len(orig) if step is None else step.start
            for match in range(until - at):
                place = (at + match, at + match + 1, to + match, to + match + 1)
                self.align_seq.append(("M", *place))
            if step is not None:
                at, to = step.end, step.to_end
                name = f"T{at - step.start}" if step.operation == "T" else step.operation
                self.align_seq.append((name, step.start, at, step.to_start, to))

    def merged(self, strategy: Merging) -> list[ErrantEdit]:
        """Return the edits without their types."""
        spans = merge(
            list(self._steps),
            self.orig.analysis(),
            self.cor.analysis(),
            rules=self._finder.language.merging,
            strategy=strategy,
            fixed=self._finder.fixed,
        )
        return [ErrantEdit(self.orig, self.cor, span) for span in spans]

    def get_all_split_edits(self) -> list[ErrantEdit]:
        """Return every operation as an edit."""
        return self.merged("all-split")

    def get_all_merge_edits(self) -> list[ErrantEdit]:
        """Merge adjacent operations."""
        return self.merged("all-merge")

    def get_all_equal_edits(self) -> list[ErrantEdit]:
        """Merge adjacent operations of the same kind."""
        return self.merged("all-equal")

    def __str__(self) -> str:
        operations = [operation for operation, *_ in self.align_seq]
        texts = [f"Orig: {' '.join(self.orig.words)}", f"Cor: {' '.join(self.cor.words)}"]
        return "\n".join([*texts, f"Best alignment: {operations}"])


class ErrantAnnotator:
    """Finds and classifies edits in one language."""

    def __init__(self, lang: str, finder: EditFinder) -> None:
        self.lang = lang
        self._finder = finder

    @property
    def nlp(self) -> Any:
        """The spaCy pipeline, or None if the analyzer is not spaCy's."""
        return getattr(self._finder.analyzer, "pipeline", None)

    def parse(self, text: str, tokenise: bool = False) -> Doc:  # noqa: FBT001, FBT002
        """Return a text ready to be annotated: tokens between whitespace, or raw text."""
        if not tokenise:
            return Doc(text.split(), self._finder.analyzer)
        places = self._finder.language.tokenize(text)
        ends = [start for start, _ in places[1:]] + [len(text)]
        return Doc(
            [text[start:end] for start, end in places],
            self._finder.analyzer,
            [text[end:following] for (_, end), following in zip(places, ends, strict=True)],
        )

    def align(self, orig: Any, cor: Any, lev: bool = False) -> Alignment:  # noqa: FBT001, FBT002
        """Return the cheapest alignment of the two texts."""
        ours, theirs = (_as_doc(side, self._finder.analyzer) for side in (orig, cor))
        unknown = [doc for doc in (ours, theirs) if doc.known is None]
        if unknown:
            with self._finder.analyzer.analyze([doc.words for doc in unknown]) as batch:
                for doc, analysis in zip(unknown, batch.analyses, strict=True):
                    doc.known = analysis
        finder = replace(self._finder, levenshtein=lev)
        return Alignment(ours, theirs, finder, finder.align(ours.analysis(), theirs.analysis()))

    def merge(self, alignment: Alignment, merging: str = "rules") -> list[ErrantEdit]:
        """Return the edits of an alignment without their types."""
        if merging not in STRATEGIES:
            raise unknown_name("merging strategy", merging, STRATEGIES)
        return alignment.merged(cast("Merging", merging))

    def classify(self, edit: ErrantEdit) -> ErrantEdit:
        """Set the type of an edit and return the edit."""
        before, after = edit.o_toks, edit.c_toks
        source, corrected = before.doc, after.doc
        place = (before.start, before.end, after.start, after.end)
        while True:
            try:
                typed = self._finder.type_edit(source.analysis(), corrected.analysis(), place)
            except DependenciesNeededError as error:
                is_source = error.analysis is source.analysis()
                (source if is_source else corrected).analysis(parsed=True)
            else:
                edit.type = typed.type
                return edit

    def annotate(
        self,
        orig: Any,
        cor: Any,
        lev: bool = False,  # noqa: FBT001, FBT002
        merging: str = "rules",
    ) -> list[ErrantEdit]:
        """Return the classified edits that turn one text into the other."""
        return [self.classify(edit) for edit in self.merge(self.align(orig, cor, lev), merging)]

    def import_edit(
        self,
        orig: Any,
        cor: Any,
        edit: Sequence[Any],
        min: bool = True,  # noqa: A002, FBT001, FBT002 (as in the original)
        old_cat: bool = False,  # noqa: FBT001, FBT002
    ) -> ErrantEdit:
        """Return an edit from ``[o_start, o_end, c_start, c_end]`` and an optional type.

        With ``min``, equal words at its ends are removed. With ``old_cat``, the type is preserved.
        """
        if len(edit) not in {4, 5}:
            raise OptionError(
                "an edit must be [o_start, o_end, c_start, c_end], optionally with a type"
            )
        ours, theirs = (_as_doc(side, self._finder.analyzer) for side in (orig, cor))
        made = ErrantEdit(ours, theirs, edit[:4], *edit[4:])
        if min:
            made.minimize()
        return made if old_cat else self.classify(made)


# the names of the errant package
Annotator = ErrantAnnotator
Edit = ErrantEdit
