"""Use an installed redink as a user does: version, help, scoring, `explain`, and the demo.

spaCy and Matplotlib are extras: the core must work without them, and name the extra that is
missing. Run by the Python of the environment it is installed in, from outside the project's folder.
"""

from __future__ import annotations

import importlib.util
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


def check_extra(extra: str, *words: str | Path) -> None:
    """Fail unless a command ends with one sentence that names an extra."""
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done
    assert f"pip install 'redink[{extra}]'" in done.stderr.splitlines()[-1], done.stderr


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
    example = Path(redink.__file__).with_name("examples")
    gold, careful, source = (example / name for name in ("gold.m2", "careful.txt", "source.txt"))
    assert "F0.5" in run(PROGRAM, "score", gold, careful, "--metric", "errant,bleu")
    assert "R:VERB:SVA" in run(PROGRAM, "explain", "He go home .", "He goes home .")
    with tempfile.TemporaryDirectory() as folder:
        raw, found = Path(folder, "raw.txt"), Path(folder, "tokens.txt")
        raw.write_text("I can't (really) go.\n", encoding="utf-8")
        run(PROGRAM, "convert", raw, found, "--tokenizer", "spacy")
        assert found.read_text(encoding="utf-8") == "I ca n't ( really ) go .\n"
        run(PROGRAM, "detect", "run", source, "-o", Path(folder, "found.m2"))
        if importlib.util.find_spec("spacy") is None:
            check_extra("spacy", "explain", "a b", "a c", "--analyzer", "spacy:en_core_web_sm")
        if importlib.util.find_spec("matplotlib") is None:
            plot = Path(folder, "plot.png")
            check_extra("plots", "score", gold, careful, "--bootstrap", "10", "--plot", plot)
        shown = run(PROGRAM, "demo", "-o", Path(folder, "demo"))
        assert Path(folder, "demo", "report", "report.html").stat().st_size > 10_000
    assert "careful" in shown
    sys.stdout.write(f"redink {redink.__version__}: {len(pages)} pages of help, demo: well\n")


if __name__ == "__main__":
    main()
