"""The words of a pipeline that is trained on little text: known ones by name, all by their letters.

Importing this module registers the architecture; `spacy.load` of a pipeline made by
`redink analyser train` needs that and nothing else.
"""

# Annotations are values here, not text: spaCy reads them to check the configuration.

from typing import Any

from spacy.ml.models.tok2vec import CharacterEmbed, MultiHashEmbed
from spacy.util import registry
from thinc.api import Maxout, Model, chain, concatenate, with_array

__all__ = ["build_words_and_letters"]


@registry.architectures("redink.WordsAndLetters.v1")  # type: ignore[untyped-decorator]
def build_words_and_letters(
    *,
    width: int,
    attrs: list[str],
    rows: list[int],
    letters: int,
    letter_width: int,
) -> Model[Any, Any]:
    """Embed a word by attributes of it, and by its first and last letters in their places.

    Args:
        width: the length of a token's vector.
        attrs: the lexical attributes (the form, its beginning and end).
        rows: the number of rows of each attribute's table.
        letters: how many letters, half of them from the beginning and half from the end.
        letter_width: the length of a letter's vector.
    """
    by_name: Model[Any, Any] = MultiHashEmbed(
        width=width, attrs=attrs, rows=rows, include_static_vectors=False
    )
    by_letters: Model[Any, Any] = CharacterEmbed(
        width=width,
        rows=500,
        nM=letter_width,
        nC=letters,
        include_static_vectors=False,
        feature="SHAPE",
    )
    mix: Model[Any, Any] = Maxout(width, 2 * width, nP=3, dropout=0.0, normalize=True)
    return chain(concatenate(by_name, by_letters), with_array(mix))
