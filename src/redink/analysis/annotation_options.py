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

# Commands that annotate nothing read these options too: they load languages and rules on demand.

EMBEDDED = "embedded"
"""The name of the analyzer that comes with a language."""

Merging = Literal["rules", "all-split", "all-merge", "all-equal"]


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
"""Versions of ERRANT that people compare against; the rules of the last two are the same."""
_NEWEST: RulesVersion = "3.0.2"
_NOT_CHINESE = (None, "all", True, "characters")


@dataclass(frozen=True)
class AnnotationOptions(Options):
    """How edits are found and typed, in a form that can be sent to another process.

    Attributes:
        merge: what becomes one edit: what the rules say; nothing; all that touches; all that
            touches and is the same operation.
        levenshtein: align by plain Levenshtein distance.
        analyzer: what tags the text: ``embedded``; ``spacy:NAME`` for a spaCy pipeline that is
            installed or in a folder; ``stanza:LANGUAGE`` and ``udpipe:FILE`` for models of these;
            ``conllu:FILE,FILE`` for ready-made analyses of all sentences and corrections.
        lexicon: known words for the spelling rules: a file with a word a line, a Hunspell
            dictionary (FILE.dic), or ``hunspell`` for the installed one of the language. By
            default redink's list for English, and none for others.
        fixed: mend what is wrong in the original ERRANT.
        language: the language of the text, as a code: ``en`` has ERRANT's types, ``zh`` ChERRANT's;
            others have universal ones.
        errant_version: the version of ERRANT whose rules are used, for English. BEA-2019 was
            scored with 2.0.0; the rules of 2.3.3 and 3.0.2 are the same.
        cherrant_data: Chinese: a folder with ChERRANT's tables (cilin.txt, confusion_dict.txt),
            with which the alignments are exactly its own. Without it all characters differ alike in
            meaning.
        alignments: Chinese: the edits of all alignments that cost the least, or of the first.
        simplify: Chinese: corrections are simplified before they are compared, as ChERRANT does;
            ``--no-simplify`` leaves them as they are.
        cut: Chinese: every character is a token; tokens are separated by blanks; or words that are
            not Chinese are cut into pieces, by the chinese_vocab.txt among the tables.
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
    cut: Literal["characters", "blanks", "pieces"] = "characters"

    def load(self) -> EditFinder:
        """What finds the edits, with its language, analyzer and word list."""
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

            lexicon = load_lexicon(str(lexicon), self.language)
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
                "cherrant-data, alignments, simplify and cut are for a language of characters "
                "(--language zh)"
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
            raise OptionError(f"the rules of ERRANT {self.errant_version} are for English")
        found = language.older[self.errant_version]()
        if self.fixed and found is not language:
            raise OptionError(
                f"--fixed cannot be combined with --errant-version {self.errant_version}"
            )
        return found

    @property
    def split(self) -> Split | None:
        """What cuts raw lines into tokens, of a language in which blanks do not."""
        if self.language == "en":
            return None
        finder = self.load()
        return None if finder.pairs is None else finder.split

    def check_workers(self, workers: int) -> None:
        """Complain where several processes cannot share the work."""
        if workers > 1 and not isinstance(self.analyzer, str):
            raise OptionError(
                "with several workers, name the analyzer ('embedded', 'spacy:NAME'): "
                "each worker loads its own"
            )

    def pipeline(self) -> str:
        """The version of what analyses the text."""
        if self.analyzer == EMBEDDED:
            from redink.analysis.language import find_language

            return find_language(self.language).analyzer_version()
        return self.load().analyzer.version

    def signature(self, command: str, **parts: Any) -> dict[str, Any]:
        """What decides about the edits."""
        name = self.analyzer if isinstance(self.analyzer, str) else self.analyzer.name
        words = None
        if self.lexicon is not None:
            from redink.analysis.lexicons import describe_lexicon

            is_file = isinstance(self.lexicon, str | Path)
            words = describe_lexicon(str(self.lexicon), self.language) if is_file else "given"
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
    """By what and by how many processes text is annotated, where only that is asked.

    Attributes:
        language: the language of the text, as a code: ``en``, ``sv``.
        analyzer: for text that must be annotated: ``embedded``, ``spacy:NAME``,
            ``stanza:LANGUAGE``, ``udpipe:FILE`` or ``conllu:FILE,FILE``.
        lexicon: for text that must be annotated, known words: a file, or ``hunspell``.
        workers: how many processes annotate and score.
        cache: annotate all again, and keep nothing for the next time.
        errant_version: the version of ERRANT whose rules are used, for English. BEA-2019 was
            scored with 2.0.0; the rules of 2.3.3 and 3.0.2 are the same.
        cherrant_data: Chinese: a folder with ChERRANT's tables (cilin.txt, confusion_dict.txt).
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
        """How edits are found."""
        return AnnotationOptions(
            language=self.language,
            analyzer=self.analyzer,
            lexicon=self.lexicon,
            cherrant_data=self.cherrant_data,
            errant_version=self.errant_version,
        )
