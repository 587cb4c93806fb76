"""Languages by their codes: what each is called, and whether a text is clearly in another.

The codes are those of ISO 639, as Universal Dependencies and MultiGEC use them. A text is known by
its commonest words: enough to notice a wrong ``--language``.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

_NAMES = """
af Afrikaans, am Amharic, ar Arabic, az Azerbaijani, be Belarusian, bg Bulgarian, bn Bengali,
br Breton, bs Bosnian, ca Catalan, ckb Kurdish (Sorani), cop Coptic, cs Czech, cu Church Slavonic,
cy Welsh, da Danish, de German, el Greek, en English, eo Esperanto, es Spanish, et Estonian,
eu Basque, fa Persian, fi Finnish, fo Faroese, fr French, fro Old French, fy Frisian, ga Irish,
gd Scottish Gaelic, gl Galician, got Gothic, grc Ancient Greek, gsw Swiss German, gu Gujarati,
gv Manx, ha Hausa, he Hebrew, hi Hindi, hr Croatian, hsb Upper Sorbian, ht Haitian Creole,
hu Hungarian, hy Armenian, id Indonesian, ig Igbo, is Icelandic, it Italian, ja Japanese,
jv Javanese, ka Georgian, kk Kazakh, km Khmer, kmr Kurdish (Kurmanji), kn Kannada, ko Korean,
ky Kyrgyz, la Latin, lb Luxembourgish, lo Lao, lt Lithuanian, ltg Latgalian, lv Latvian,
mg Malagasy, mi Maori, mk Macedonian, ml Malayalam, mn Mongolian, mr Marathi, ms Malay,
mt Maltese, my Burmese, nb Norwegian Bokmål, nds Low German, ne Nepali, nl Dutch,
nn Norwegian Nynorsk, no Norwegian, nrm Norman, oc Occitan, or Odia, pa Punjabi, pcm Naija,
pl Polish, ps Pashto, pt Portuguese, qu Quechua, ro Romanian, ru Russian, sa Sanskrit,
sd Sindhi, se North Sami, si Sinhala, sk Slovak, sl Slovenian, so Somali, sq Albanian,
sr Serbian, sv Swedish, sw Swahili, ta Tamil, te Telugu, tg Tajik, th Thai, ti Tigrinya,
tk Turkmen, tl Tagalog, tr Turkish, tt Tatar, ug Uyghur, uk Ukrainian, ur Urdu, uz Uzbek,
vi Vietnamese, wo Wolof, xcl Classical Armenian, xh Xhosa, yi Yiddish, yo Yoruba, zh Chinese,
zu Zulu
"""

NAMES: Final[dict[str, str]] = {
    code: name for code, _, name in (entry.strip().partition(" ") for entry in _NAMES.split(","))
}
"""What a language is called in English, by its code."""

_CLEAR = 0.12
"""The share of a text's words that are among its language's commonest, at the least."""
_RIVAL = 0.5
"""A language with more than this share of the best one's hits may be meant."""


@cache
def _common_words() -> dict[str, str]:
    path = Path(__file__).with_name("common-words.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def _languages_of_word() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for code, words in _common_words().items():
        for word in words.split():
            found.setdefault(word, []).append(code)
    return found


def guess_other_language(words: Iterable[str], code: str) -> str | None:
    """The code of the language that a text is clearly in, if that is not the one it should be.

    Of a language whose common words are not known here nothing is said: a text in it would look
    like its nearest relative.
    """
    if code not in _common_words():
        return None
    by_word = _languages_of_word()
    total = 0
    hits: Counter[str] = Counter()
    for word in words:
        total += 1
        hits.update(by_word.get(word, ()))
    if not hits:
        return None
    (best, most), expected = hits.most_common(1)[0], hits[code]
    if best == code or most < _CLEAR * total or expected > _RIVAL * most:
        return None
    return best
