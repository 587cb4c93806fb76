"""Load references, systems and judgments from any supported input."""

from redink.inputs.reading import read_corpus, read_judgments, read_rankings, read_values
from redink.inputs.text_loading import read_system

__all__ = ["read_corpus", "read_judgments", "read_rankings", "read_system", "read_values"]
