"""Use an installed redink as a user does: its version, every page of help, and the demo.

Run by the Python of the environment it is installed in, from outside the project's folder.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import redink
from redink.cli.layout import walk_commands
from redink.cli.main import cli

PROGRAM = Path(sys.executable).with_name("redink")


def run(*words: str | Path) -> str:
    """What a program prints; it must end well and complain of nothing."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0 or "Traceback" in done.stderr:
        raise SystemExit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def main() -> None:
    """Fail loudly, or say what was used."""
    home = Path(redink.__file__).resolve()
    assert "site-packages" in home.parts, f"{home} is not an installation"
    assert version("redink") == redink.__version__
    for words in ([PROGRAM], [sys.executable, "-m", "redink"]):
        assert run(*words, "--version").strip() == f"redink, version {redink.__version__}"
    pages = [path for path, _ in walk_commands(cli, ())]
    for path in pages:
        assert "Usage: redink" in run(PROGRAM, *path, "--help"), path
    with tempfile.TemporaryDirectory() as folder:
        shown = run(PROGRAM, "demo", "-o", Path(folder, "demo"))
        assert Path(folder, "demo", "report", "report.html").stat().st_size > 10_000
    assert "careful" in shown
    sys.stdout.write(f"redink {redink.__version__}: {len(pages)} pages of help, demo: well\n")


if __name__ == "__main__":
    main()
