"""A command line as a user meets it, from the words to the exit code, without a new process."""

from __future__ import annotations

import io
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

from redink.cli.main import main


def run_command(folder: Path, *words: str) -> CompletedProcess[str]:
    """Run ``redink WORDS`` in a folder; the libraries are loaded once for all tests."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        chdir(folder),
        redirect_stdout(out),
        redirect_stderr(err),
        warnings.catch_warnings(),
        patch.object(warnings, "showwarning", warnings.showwarning),
        patch.object(sys, "argv", ["redink", *words]),
    ):
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else 1
    return CompletedProcess(["redink", *words], code, out.getvalue(), err.getvalue())
