"""Analyze text in Universal Dependencies: CoNLL-U files, Stanza models, UDPipe 1 models.

If several words of a CoNLL-U sentence share a surface token (``2-3 al`` for *a* and *il*), the text
contains the surface token. It gets the part of speech of the word that the others depend on (or of
the first word), all their features, and their lemmas joined by a plus sign. Text that consists of
the words instead of surface tokens is found too.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Self

from redink.analysis.analyzer import Analysis, Analyzer, Tokens, WholeAnalyzer
from redink.errors import DataError, FormatError, MissingExtraError, OptionError
from redink.files import read_lines

_COLUMNS = 10
_NOTHING = "_"
PARTS_OF_SPEECH = frozenset(
    {"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN"}
    | {"PUNCT", "SCONJ", "SYM", "VERB", "X"}
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or a surface token that several words share."""

    form: str
    lemma: str
    pos: str
    tag: str
    features: str
    head: int
    dep: str
    numbers: tuple[int, int]

    @classmethod
    def of(
        cls,
        numbers: tuple[int, int],
        form: str,
        lemma: str | None = None,
        pos: str | None = None,
        tag: str | None = None,
        features: str | None = None,
        head: int | None = None,
        dep: str | None = None,
    ) -> Self:
        """Make a word with defaults for values that an analyzer may not provide."""
        tag, head = tag or pos or "X", max(head or 0, 0)
        return cls(
            form, lemma or form, pos or "X", tag, features or "", head, dep or "dep", numbers
        )


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence of a treebank: its syntactic words, and those that share a surface token."""

    words: tuple[Word, ...]
    shared: tuple[Word, ...] = ()

    def surface(self) -> Analysis:
        """Return the analysis of the surface tokens."""
        joined = {token.numbers[0]: self._join(token) for token in self.shared}
        tokens: list[Word] = []
        while (number := tokens[-1].numbers[1] + 1 if tokens else 1) <= len(self.words):
            tokens.append(joined.get(number) or self.words[number - 1])
        return _analyze(tokens)

    def syntactic(self) -> Analysis:
        """Return the analysis of the syntactic words."""
        return _analyze(self.words)

    def _join(self, token: Word) -> Word:
        first, last = token.numbers
        parts = self.words[first - 1 : last]
        # Use the word that all others depend on. A preposition and an article (al) have their
        # head outside, so use the first of them.
        inside = range(first, last + 1)
        leading = [part for part in parts if part.head not in inside]
        chief = leading[0] if len(leading) == 1 else parts[0]
        return Word(
            token.form,
            "+".join(part.lemma for part in parts),
            chief.pos,
            "+".join(part.tag for part in parts),
            join_features(part.features for part in parts),
            leading[0].head if leading else 0,
            chief.dep,
            token.numbers,
        )


def parse_features(text: str) -> dict[str, str]:
    """Return features by name; parts that are not ``Name=Value`` are ignored."""
    pairs = (pair.partition("=") for pair in text.split("|")) if text else ()
    return {name: value for name, equals, value in pairs if equals}


def join_features(several: Iterable[str]) -> str:
    """Return all features of several words; if words differ in a feature, all its values."""
    values: dict[str, list[str]] = {}
    for text in several:
        for name, value in parse_features(text).items():
            values.setdefault(name, []).extend(v for v in value.split(",") if v not in values[name])
    ordered = sorted(values.items(), key=lambda item: item[0].lower())
    return "|".join(f"{name}={','.join(sorted(found))}" for name, found in ordered)


def _analyze(words: Sequence[Word]) -> Analysis:
    """Return the analysis of consecutive tokens; a token with spaces is split at the spaces."""
    pieces = [(piece, word) for word in words for piece in word.form.split()]
    places: dict[int, int] = {}
    for place, (_, word) in enumerate(pieces):
        for number in range(word.numbers[0], word.numbers[1] + 1):
            places.setdefault(number, place)
    tokens = tuple(piece for piece, _ in pieces)
    return Analysis(
        tokens,
        tuple(map(str.lower, tokens)),
        tuple(word.pos for _, word in pieces),
        tuple(word.tag for _, word in pieces),
        tuple(word.lemma if piece == word.form else piece.lower() for piece, word in pieces),
        tuple(word.dep for _, word in pieces),
        tuple(places.get(word.head, place) for place, (_, word) in enumerate(pieces)),
        tuple(word.features for _, word in pieces),
    )


def read_trees(path: str | Path) -> Iterator[Tree]:
    """Yield the sentences of a CoNLL-U file, which may be compressed."""
    words: list[Word] = []
    shared: list[Word] = []
    for number, line in read_lines(path):
        if not line.strip():
            if words:
                yield Tree(tuple(words), tuple(shared))
                words, shared = [], []
        elif not line.startswith("#"):
            _read_word(line, words, shared, path, number)
    if words:
        yield Tree(tuple(words), tuple(shared))


def _read_word(
    line: str, words: list[Word], shared: list[Word], path: str | Path, number: int
) -> None:
    columns = line.split("\t")
    if len(columns) != _COLUMNS:
        raise FormatError(
            f"expected ten tab-separated columns of CoNLL-U, found {len(columns)}",
            path=path,
            line=number,
        )
    name, form, lemma, pos, tag, features, head, dep = columns[:8]
    if "." in name:
        return  # an empty node of the enhanced graph, which is not in the text
    first, dash, last = name.partition("-")
    try:
        numbers = int(first), int(last if dash else first)
        above = 0 if head == _NOTHING else int(head)
    except ValueError:
        message = f"expected the numbers of a word and its head, found {name!r} and {head!r}"
        raise FormatError(message, path=path, line=number) from None
    if pos not in PARTS_OF_SPEECH and pos != _NOTHING:
        message = f"expected a universal part of speech (NOUN, VERB …), found {pos!r}"
        raise FormatError(message, path=path, line=number)
    if numbers[0] != len(words) + 1 or numbers[1] < numbers[0]:
        message = f"expected word {len(words) + 1}, found {name}"
        raise FormatError(message, path=path, line=number)
    word = Word(
        form,
        form if lemma == _NOTHING and form != _NOTHING else lemma,
        "X" if pos == _NOTHING else pos,
        pos if tag == _NOTHING else tag,
        "" if features == _NOTHING else features,
        above,
        "dep" if dep == _NOTHING else dep,
        numbers,
    )
    (shared if dash else words).append(word)


@cache
def load_conllu(paths: str) -> Analyzer:
    """Load an analyzer from CoNLL-U files, with commas between their names.

    The first of several analyses of the same tokens is used.
    """
    known: dict[Tokens, Analysis] = {}
    in_words: dict[Tokens, Analysis] = {}
    digest = hashlib.sha256()
    for path in paths.split(","):
        for tree in read_trees(path):
            surface = tree.surface()
            known.setdefault(surface.tokens, surface)
            digest.update(repr(tree).encode())
            if tree.shared:
                words = tree.syntactic()
                in_words.setdefault(words.tokens, words)
    if not known:
        raise FormatError("contains no sentence; expected CoNLL-U", path=paths)
    known = in_words | known
    return WholeAnalyzer(
        f"conllu:{paths}",
        f"conllu+{digest.hexdigest()[:8]}",
        lambda sentences: [_find_known(tokens, known, paths) for tokens in sentences],
    )


def _find_known(tokens: Tokens, known: Mapping[Tokens, Analysis], paths: str) -> Analysis:
    if tokens not in known:
        text = " ".join(tokens)
        shown = text if len(text) <= 60 else f"{text[:60]}…"
        raise DataError(
            f"the sentence {shown!r} is not in {paths}, which must contain all sentences and "
            "corrections with the same tokens"
        )
    return known[tokens]


def _analyze_by_stanza(pipeline: Any, sentences: Sequence[Tokens]) -> list[Analysis]:
    wanted = [list(tokens) for tokens in sentences if tokens]
    found = iter(pipeline(wanted).sentences if wanted else ())
    return [_read(next(found), tokens) if tokens else Tree(()).surface() for tokens in sentences]


def _read(sentence: Any, tokens: Tokens) -> Analysis:
    words = tuple(
        Word.of(
            (word.id, word.id),
            word.text,
            word.lemma,
            word.upos,
            word.xpos,
            word.feats,
            word.head,
            word.deprel,
        )
        for word in sentence.words
    )
    tokens_of_several = (token for token in sentence.tokens if len(token.id) > 1)
    shared = tuple(Word.of((t.id[0], t.id[-1]), t.text) for t in tokens_of_several)
    analysis = Tree(words, shared).surface()
    if analysis.tokens != tokens:
        raise OptionError(
            f"this pipeline cannot be used: Stanza changed the tokens {' '.join(tokens)[:60]!r}"
        )
    return analysis


@cache
def load_stanza(language: str) -> Analyzer:
    """Load the installed Stanza models of a language, without a download."""
    try:
        import stanza
    except ImportError as error:
        raise MissingExtraError("stanza", "stanza") from error
    folder = os.environ.get("STANZA_RESOURCES_DIR", str(Path.home() / "stanza_resources"))
    try:
        pipeline = _load_pipeline(stanza.Pipeline, lang=language, dir=folder)
    except Exception as error:
        # Damaged files cause any kind of exception; the user can only download them again.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise OptionError(
            f"the Stanza models of {language!r} cannot be loaded from {folder} ({reason}). "
            f"Try: python -c \"import stanza; stanza.download('{language}')\""
        ) from error
    version = f"stanza-{stanza.__version__}-{language}"
    return WholeAnalyzer(f"stanza:{language}", version, partial(_analyze_by_stanza, pipeline))


def _load_pipeline(make: Any, **wanted: Any) -> Any:
    """Load a pipeline that tags and lemmatizes, and parses if it can, without its messages."""
    wanted |= {"tokenize_pretokenized": True, "download_method": None, "verbose": False}
    log = logging.getLogger("stanza")
    before, log.disabled = log.disabled, True
    try:
        return make(processors="tokenize,pos,lemma,depparse", **wanted)
    except Exception:  # noqa: BLE001 (the next pipeline needs fewer models)
        return make(processors="tokenize,pos,lemma", **wanted)
    finally:
        log.disabled = before


def _analyze_by_udpipe(library: Any, model: Any, tokens: Tokens) -> Analysis:
    sentence = library.Sentence()
    for token in tokens:
        sentence.addWord(token)
    model.tag(sentence, model.DEFAULT)
    # A model may have no parser, because only tags and lemmas are required.
    model.parse(sentence, model.DEFAULT)
    words = list(sentence.words)[1:]  # the first is the artificial root
    return Tree(
        tuple(
            Word.of(
                (number, number),
                token,
                word.lemma,
                word.upostag,
                word.xpostag,
                word.feats,
                word.head,
                word.deprel,
            )
            for number, (token, word) in enumerate(zip(tokens, words, strict=True), start=1)
        )
    ).surface()


@cache
def load_udpipe(path: str) -> Analyzer:
    """Load the UDPipe model in a file."""
    try:
        from ufal import udpipe
    except ImportError as error:
        raise MissingExtraError("ufal.udpipe", "udpipe") from error
    file = Path(path)
    if not file.is_file():
        raise OptionError(f"the UDPipe model {path!r} cannot be loaded: the file does not exist")
    model = udpipe.Model.load(path)
    if model is None:
        raise OptionError(f"the UDPipe model {path!r} cannot be loaded: the file is not a model")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    return WholeAnalyzer(
        f"udpipe:{path}",
        f"{file.stem}+{digest}",
        lambda sentences: [_analyze_by_udpipe(udpipe, model, tokens) for tokens in sentences],
    )
