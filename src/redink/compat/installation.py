"""List the drop-in commands and install them into a folder.

``pip install redink`` installs none of them, so that they never replace an installed original.
``redink compat install DIR`` writes small launchers. The distribution ``redink-compat`` (the extra
``redink[compat]``) contains them as scripts.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import redink
from redink.errors import OptionError, unknown_name
from redink.files import all_or_nothing, make_folder, write_atomically
from redink.model import Shown, Table, make_signature, table_of
from redink.options import Flag, command

_ANNOTATE = "redink.compat.errant_annotate"
_COMPARE = "redink.compat.errant_compare"
_GLEU = "redink.compat.gleu_programs"
COMMANDS = {
    "errant_parallel": (f"{_ANNOTATE}:parallel_main", "ERRANT 3.0.2"),
    "errant_m2": (f"{_ANNOTATE}:m2_main", "ERRANT 3.0.2"),
    "errant_compare": (f"{_COMPARE}:main", "ERRANT 3.0.2"),
    "m2scorer": ("redink.compat.m2scorer:main", "the M2 scorer 3.2"),
    "compute_gleu": (f"{_GLEU}:napoles_main", "gec-ranking, 2017"),
    "gleu": (f"{_GLEU}:main", "gleu 1.1.0 (PyPI)"),
    "mgleu": (f"{_GLEU}:mean_main", "gleu 1.1.0 (PyPI)"),
    "sgleu": (f"{_GLEU}:sentence_main", "gleu 1.1.0 (PyPI)"),
    "cherrant_parallel": (f"{_ANNOTATE}:chinese_main", "parallel_to_m2.py of ChERRANT"),
    "cherrant_compare": (f"{_COMPARE}:chinese_main", "compare_m2_for_evaluation.py of ChERRANT"),
    "multiged_eval": (f"{_COMPARE}:multiged_main", "eval.py of MultiGED-2023"),
}
"""The function of every command, and the program that it replaces."""

_MARK = "# Written by `redink compat install`"
_LONGEST_SHEBANG = 120


@dataclass(frozen=True)
class Installed:
    """An installed command."""

    command: str
    path: str
    original: Annotated[str, Shown(title="replaces")]


@command
def install_commands(
    folder: Annotated[str | Path, Flag(value="DIR")],
    *,
    names: Annotated[Sequence[str], Flag(value="NAME,...")] = (),
    force: bool = False,
) -> Table:
    """Install errant_parallel, errant_compare, m2scorer and others into a folder.

    Each command has the options, the output and the exit codes of the original program. Put the
    folder first in PATH, so that your scripts run these commands instead of the originals.

    Args:
        folder: the folder; it is created if it does not exist.
        names: install only these commands.
        force: replace files of these names that redink did not write.

    Returns:
        The commands, and the programs that they replace.
    """
    for name in names:
        if name not in COMMANDS:
            raise unknown_name("command", name, COMMANDS)
    wanted = {name: COMMANDS[name] for name in COMMANDS if not names or name in names}
    place = Path(folder)
    for name in wanted:
        file = place / name
        if not force and file.exists() and _MARK.encode() not in file.read_bytes()[:1_000]:
            raise OptionError(
                f"{file} exists and was not written by redink; use --force to replace it"
            )
    rows = []
    with all_or_nothing():
        make_folder(place)
        notes = _about_path(place, wanted)
        for name, (_, original) in wanted.items():
            with write_atomically(place / name) as stream:
                stream.write(launcher(name))
            rows.append(Installed(name, str(place / name), original))
    for name in wanted:
        (place / name).chmod(0o755)
    return table_of(rows, Installed, notes=notes, signature=make_signature("compat install"))


def launcher(name: str) -> str:
    """Return a script that runs a command with the current Python and redink installation."""
    home, original = COMMANDS[name]
    module, _, function = home.partition(":")
    root = Path(redink.__file__).resolve().parents[1]
    installed = {os.path.realpath(sysconfig.get_path(name)) for name in ("purelib", "platlib")}
    # a redink that is not installed cannot be imported from other folders
    finding = "" if str(root) in installed else f"sys.path.insert(1, {str(root)!r})\n"
    first = f"#!{sys.executable}\n"
    if " " in first or len(first) > _LONGEST_SHEBANG:
        # a line that is a command for the shell and a string for Python
        first = f"#!/bin/sh\n'''exec' \"{sys.executable}\" \"$0\" \"$@\"\n' '''\n"
    return (
        f"{first}"
        f"{_MARK}: {name} compatible with {original}.\n"
        f"import sys\n\n{finding}"
        f"from {module} import {function}\n\n"
        f"sys.exit({function}())\n"
    )


def _about_path(folder: Path, names: Iterable[str]) -> list[str]:
    """Return notes on commands of the same names on PATH."""
    entries = [os.path.realpath(entry) for entry in os.get_exec_path()]
    here = os.path.realpath(folder)
    if here not in entries:
        return [f"{folder} is not on PATH: export PATH={folder.absolute()}:$PATH"]
    notes = []
    for name in names:
        before = shutil.which(name, path=os.pathsep.join(entries[: entries.index(here)]))
        after = shutil.which(name, path=os.pathsep.join(entries[entries.index(here) + 1 :]))
        if before:
            notes.append(f"{name}: {before} is first on PATH and is used instead")
        elif after:
            notes.append(f"{name}: replaces {after} on PATH")
    return notes
