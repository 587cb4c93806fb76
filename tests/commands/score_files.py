"""A small task for tests of scoring: a source, gold edits by two annotators, three systems."""

from __future__ import annotations

from pathlib import Path

GOLD = """S This are a wrong sentence .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 2 3|||R:DET|||the|||REQUIRED|||-NONE-|||1

S He go to school the yesterday .
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||0
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||came|||REQUIRED|||-NONE-|||1

S Nothing is wrong here .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S I like dog very much .
A 2 3|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||0
A 2 3|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||1

"""
SOURCE = """This are a wrong sentence .
He go to school the yesterday .
Nothing is wrong here .
I like dog very much .
"""
SYSTEMS = {
    "good": """This is a wrong sentence .
He went to school yesterday .
Nothing is wrong here .
I like dogs very much .
""",
    "fair": """This is a wrong sentence .
He go to school yesterday .
Nothing is wrong here .
I like the dog very much .
""",
    "idle": SOURCE,
}
EDITS = """S This are a wrong sentence .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0

S He go to school the yesterday .
A 1 2|||R:VERB|||goes|||REQUIRED|||-NONE-|||0

S Nothing is wrong here .

S I like dog very much .
A 2 3|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||0

"""


def write_task(folder: Path) -> dict[str, Path]:
    """The files, by system, with ``gold``, ``source`` and ``edits`` (a system as M2) besides."""
    files = {"gold": folder / "gold.m2", "source": folder / "source.txt"}
    files["edits"] = folder / "edits.m2"
    files["gold"].write_text(GOLD, encoding="utf-8")
    files["source"].write_text(SOURCE, encoding="utf-8")
    files["edits"].write_text(EDITS, encoding="utf-8")
    for name, text in SYSTEMS.items():
        files[name] = folder / f"{name}.txt"
        files[name].write_text(text, encoding="utf-8")
    return files
