"""The values that flow through redink: frozen, and built on the standard library alone."""

from redink.model.corpus import (
    AnnotatedSentence,
    Corpus,
    Hypotheses,
    References,
    Split,
    SystemOutput,
    annotator_order,
)
from redink.model.counts import Counts, Measure
from redink.model.detections import Detection
from redink.model.edits import (
    NO_ERROR,
    NOOP,
    NOT_ANNOTATABLE,
    UNCORRECTED,
    UNKNOWN,
    UNTYPED,
    Annotation,
    Edit,
    Unclear,
    apply_edits,
)
from redink.model.judgments import Comparison, Judgment, RankedOutput, Ranking, Rating
from redink.model.parallel import ParallelSentence
from redink.model.scores import SentenceScore, SystemScore
from redink.model.signatures import fingerprint, make_signature
from redink.model.tables import (
    Column,
    Look,
    Row,
    Shown,
    Table,
    columns_of,
    make_table,
    row_of,
    table_of,
)
from redink.model.text import Sentence, document_of, parse_name

__all__ = [
    "NOOP",
    "NOT_ANNOTATABLE",
    "NO_ERROR",
    "UNCORRECTED",
    "UNKNOWN",
    "UNTYPED",
    "AnnotatedSentence",
    "Annotation",
    "Column",
    "Comparison",
    "Corpus",
    "Counts",
    "Detection",
    "Edit",
    "Hypotheses",
    "Judgment",
    "Look",
    "Measure",
    "ParallelSentence",
    "RankedOutput",
    "Ranking",
    "Rating",
    "References",
    "Row",
    "Sentence",
    "SentenceScore",
    "Shown",
    "Split",
    "SystemOutput",
    "SystemScore",
    "Table",
    "Unclear",
    "annotator_order",
    "apply_edits",
    "columns_of",
    "document_of",
    "fingerprint",
    "make_signature",
    "make_table",
    "parse_name",
    "row_of",
    "table_of",
]
