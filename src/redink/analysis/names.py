"""Languages by their codes (ISO 639, as Universal Dependencies and MultiGEC use them)."""

from __future__ import annotations

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
