"""Make the word list of the spelling rule from SCOWL (Debian package `scowl`, 2020.12.07).

The default list is British English, -ise and -ize both, up to SCOWL's size 70, with first-level
variants: the choice behind the list ERRANT's spelling rule uses, so the two agree. The American
list holds the words American English adds to it, for those who want both accepted.

Get the input with `apt-get download scowl && dpkg-deb -x scowl_*.deb x`; the directory to give is
then `x/usr/share/dict/scowl`.
"""

from __future__ import annotations

import argparse
import unicodedata
from pathlib import Path

SIZE = 70
BRITISH = ["english", "british", "british_z", "british_variant_1"]
AMERICAN = ["american", "variant_1"]
KINDS = ["words", "upper", "proper-names", "abbreviations", "contractions"]
SPECIAL = ["special-hacker", "special-roman-numerals"]


def strip_accents(word: str) -> str:
    """The word as it is typed on a keyboard without accents."""
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def read_lists(directory: Path, names: list[str]) -> set[str]:
    """The words of all lists of these names up to the size, with and without accents."""
    words: set[str] = set()
    for path in directory.iterdir():
        name, _, size = path.name.rpartition(".")
        if name in names and int(size) <= SIZE:
            words.update(path.read_text(encoding="utf-8").split())
    return words | {strip_accents(word) for word in words}


def write(path: Path, words: set[str]) -> None:
    """One word a line, sorted by code point, UTF-8."""
    path.write_text("".join(f"{word}\n" for word in sorted(words)), encoding="utf-8", newline="\n")
    print(f"{path.name}: {len(words)} words, {path.stat().st_size} bytes")


def main() -> None:
    """Build both lists."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scowl", type=Path, help="directory of SCOWL's lists")
    parser.add_argument("out", type=Path, help="directory to write the lists into")
    arguments = parser.parse_args()

    def read(varieties: list[str]) -> set[str]:
        return read_lists(arguments.scowl, [f"{v}-{kind}" for v in varieties for kind in KINDS])

    british = read(BRITISH) | read_lists(arguments.scowl, SPECIAL)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write(arguments.out / "en_GB.txt", british)
    write(arguments.out / "en_US-additions.txt", read(AMERICAN) - british)


if __name__ == "__main__":
    main()
