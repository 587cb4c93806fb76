"""Options that decide how edits are found and classified."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from redink.analysis.analyzer import Analyzer
from redink.errors import OptionError
from redink.model import Split, make_signature
from redink.options import Flag, Options, Positive

if TYPE_CHECKING:
    from redink.analysis.edit_finder import EditFinder
    from redink.analysis.language import Language

# Commands that annotate nothing import this module too, so languages are imported on demand.

EMBEDDED = "embedded"
"""The name of the built-in analyzer of a language."""

Merging = Literal["rules", "all-split", "all-merge", "all-equal", "clause"]


def _check_language(code: str) -> str:
    if code == "en":
        return code
    from redink.analysis.language import check_language

    return check_language(code)


AnalyzerLike = Annotated[str | Analyzer, Flag(value="NAME", reads=True)]
LexiconLike = Annotated[str | Path | Container[str], Flag(value="FILE")]
LanguageCode = Annotated[str, Flag(value="CODE", parse=_check_language)]
Tables = Annotated[str | Path | None, Flag(value="DIR")]
RulesVersion = Literal["2.0.0", "2.3.3", "3.0.2"]
"""Versions of ERRANT with published results; 2.3.3 and 3.0.2 have the same rules."""
_NEWEST: RulesVersion = "3.0.2"
_NOT_CHINESE = (None, "all", True, "characters")


@dataclass(frozen=True)
class AnnotationOptions(Options):
    """How edits are extracted and classified. The value can be sent to another process.

    Attributes:
        merge: merging of adjacent changes into edits: by ERRANT's rules, never, always, or only
            changes of the same operation; or by the rules, and then paraphrases into one edit per
            clause.
        levenshtein: align by plain Levenshtein distance.
        analyzer: tagger and parser: ``embedded``, ``spacy:NAME`` (an installed spaCy pipeline or a
            folder), ``stanza:LANGUAGE``, ``udpipe:FILE``, or ``conllu:FILE,FILE`` (existing
            analyses of all sentences and corrections).
        lexicon: dictionary for the spelling rules: a file with one word per line, or a Hunspell
            dictionary (FILE.dic). By default redink's word list for English, and none for other
            languages.
        fixed: fix known bugs of the original ERRANT.
        language: language code of the text. ``en`` has the error types of ERRANT, ``zh`` those of
            ChERRANT, and all other languages have universal types.
        errant_version: ERRANT version of the English rules. BEA-2019 was scored with 2.0.0;
            versions 2.3.3 and 3.0.2 have the same rules.
        cherrant_data: Chinese: folder with ChERRANT's tables (cilin.txt, confusion_dict.txt). The
            alignments of ChERRANT require them. Without them, all characters are equally distant.
        alignments: Chinese: use the edits of all cheapest alignments, or only of the first one.
        simplify: Chinese: do not convert corrections to simplified characters before the
            comparison; ChERRANT converts them.
        cut: Chinese: tokens are single characters, or are separated by spaces (blanks).
    """

    merge: Merging = "rules"
    levenshtein: bool = False
    analyzer: AnalyzerLike = EMBEDDED
    lexicon: LexiconLike | None = None
    fixed: bool = False
    language: LanguageCode = "en"
    errant_version: RulesVersion = _NEWEST
    cherrant_data: Tables = None
    alignments: Literal["all", "first"] = "all"
    simplify: bool = True
    cut: Literal["characters", "blanks"] = "characters"

    def load(self) -> EditFinder:
        """Return the edit finder, with its language, analyzer and dictionary."""
        from redink.analysis.edit_finder import EditFinder
        from redink.analysis.language import find_language, load_analyzer

        language = find_language(self.language)
        analyzer, lexicon = self.analyzer, self.lexicon
        if isinstance(analyzer, str):
            analyzer = load_analyzer(analyzer, language=self.language)
        if lexicon is None:
            lexicon = language.lexicon(self.fixed)
        elif isinstance(lexicon, str | Path):
            from redink.analysis.lexicons import load_lexicon

            lexicon = load_lexicon(Path(lexicon))
        pairs = None
        if language.finding is not None:
            pairs = language.finding(
                None if self.cherrant_data is None else str(self.cherrant_data),
                self.alignments,
                simplified=self.simplify,
                cut=self.cut,
                fixed=self.fixed,
            )
        elif (self.cherrant_data, self.alignments, self.simplify, self.cut) != _NOT_CHINESE:
            raise OptionError(
                "--cherrant-data, --alignments, --no-simplify and --cut require --language zh"
            )
        return EditFinder(
            self._with_rules(language),
            analyzer,
            lexicon,
            self.merge,
            self.levenshtein,
            self.fixed,
            pairs,
        )

    def _with_rules(self, language: Language) -> Language:
        if self.errant_version == _NEWEST:
            return language
        if self.errant_version not in language.older:
            raise OptionError(
                f"--errant-version {self.errant_version} works only with --language en"
            )
        found = language.older[self.errant_version]()
        if self.fixed and found is not language:
            raise OptionError(
                f"--fixed cannot be combined with --errant-version {self.errant_version}"
            )
        return found

    @property
    def split(self) -> Split | None:
        """The function that tokenizes raw lines; None if spaces separate the tokens."""
        if self.language == "en":
            return None
        finder = self.load()
        return None if finder.pairs is None else finder.split

    def check_workers(self, workers: int) -> None:
        """Raise an error if several processes cannot share the analyzer."""
        if workers > 1 and not isinstance(self.analyzer, str):
            raise OptionError(
                "with several workers, pass the analyzer by name ('embedded', 'spacy:NAME'), "
                "because each worker loads its own"
            )

    def pipeline(self) -> str:
        """Return the version of the analyzer."""
        if self.analyzer == EMBEDDED:
            from redink.analysis.language import find_language

            return find_language(self.language).analyzer_version()
        return self.load().analyzer.version

    def signature(self, command: str, **parts: Any) -> dict[str, Any]:
        """Return the signature of a command: everything that affects the edits."""
        name = self.analyzer if isinstance(self.analyzer, str) else self.analyzer.name
        words = None
        if self.lexicon is not None:
            from redink.analysis.lexicons import describe_lexicon

            given = self.lexicon
            words = describe_lexicon(Path(given)) if isinstance(given, str | Path) else "given"
        return make_signature(
            command,
            language=None if self.language == "en" else self.language,
            analyzer=name,
            pipeline=self.pipeline(),
            lexicon=words,
            merge=self.merge,
            alignment="levenshtein" if self.levenshtein else None,
            fixed=self.fixed or None,
            rules=None if self.errant_version == _NEWEST else self.errant_version,
            tables=None if self.cherrant_data is None else Path(self.cherrant_data).name,
            alignments=None if self.alignments == "all" else self.alignments,
            simplify=None if self.simplify else False,
            cut=None if self.cut == "characters" else self.cut,
            **parts,
        )


@dataclass(frozen=True)
class AnnotationResources(Options):
    """The annotation options of commands that do not let the user choose the merging of edits.

    Attributes:
        language: language code of the text, such as ``en`` or ``sv``.
        analyzer: tagger and parser for text that must be annotated: ``embedded``, ``spacy:NAME``,
            ``stanza:LANGUAGE``, ``udpipe:FILE`` or ``conllu:FILE,FILE``.
        lexicon: word list or Hunspell dictionary for text that must be annotated.
        workers: number of processes that annotate and score.
        cache: annotate everything again and store nothing in the cache.
        errant_version: ERRANT version of the English rules. BEA-2019 was scored with 2.0.0;
            versions 2.3.3 and 3.0.2 have the same rules.
        cherrant_data: Chinese: folder with ChERRANT's tables (cilin.txt, confusion_dict.txt).
    """

    language: LanguageCode = "en"
    analyzer: AnalyzerLike = EMBEDDED
    lexicon: LexiconLike | None = None
    workers: Positive = 1
    cache: bool = True
    errant_version: RulesVersion = _NEWEST
    cherrant_data: Tables = None

    @property
    def annotating(self) -> AnnotationOptions:
        """The same settings as annotation options."""
        return AnnotationOptions(
            language=self.language,
            analyzer=self.analyzer,
            lexicon=self.lexicon,
            cherrant_data=self.cherrant_data,
            errant_version=self.errant_version,
        )
