"""Penn Treebank tokens, for corrections that annotators wrote without spaces.

The published converter of M2 files runs every correction through NLTK's ``word_tokenize`` before
use, so that ``known,the`` becomes three words. These are the rules of that tokeniser for one
sentence, in its order. Corrections are not split into sentences first, as NLTK does with a
trained model; the two differ only where a correction holds a full stop glued to the word before
it and then another word.
"""

from __future__ import annotations

import re

_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # opening quotes
        (r"`+", r" \g<0> "),
        (r'^"', r" `` "),
        (r"``", r" `` "),
        (r"""(?<=[ (\[{<])(?:"|'')""", r" `` "),
        (r"(?i)'(?!re|ve|ll|m|t|s|d)(\w)\b", r"' \1"),
        # marks inside and after words; a comma or colon before a digit belongs to the number
        (r"([^.])\.([\])}>\"' ]*)\s*$", r"\1 . \2 "),
        (r"([:,])(\D)", r" \1 \2"),
        (r"[:,]$", r" \g<0> "),
        (r"\.\.\.", r" ... "),
        (r"[;@#$%&?!]", r" \g<0> "),
        (r"(?<=[^'])' ", r" ' "),
        (r"[\]\[(){}<>]", r" \g<0> "),
        (r"--", r" -- "),
        # the rest works on words with a space on either side
        (r"^|$", r" "),
        # closing quotes and contractions
        (r'"', r" '' "),
        (r"(\S)''", r"\1 '' "),
        (r"(?<=[^' ])('[sSmMdD]|') ", r" \1 "),
        (r"(?<=[^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r" \1 "),
        (r"(?i)\b(can)(not)\b", r" \1 \2 "),
        (r"(?i)\b(d)('ye)\b", r" \1 \2 "),
        (r"(?i)\b(gim|lem)(me)\b", r" \1 \2 "),
        (r"(?i)\b(gon)(na)\b", r" \1 \2 "),
        (r"(?i)\b(got)(ta)\b", r" \1 \2 "),
        (r"(?i)\b(mor)('n)\b", r" \1 \2 "),
        (r"(?i)\b(wan)(na)(?=\s)", r" \1 \2 "),
        (r"(?i) ('t)(is|was)\b", r" \1 \2 "),
    )
)


def treebank_tokens(text: str) -> tuple[str, ...]:
    """The tokens of a text as the Penn Treebank has them."""
    if text.isalpha() and not text.lower().startswith(("can", "gim", "lem", "gon", "got", "wan")):
        return (text,)
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return tuple(text.split())
