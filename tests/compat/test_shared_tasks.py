"""The scoring steps of public shared tasks, with only our commands on the PATH.

What the scripts of MultiGEC-2025 and UNLP-2023 run by the shell, and how they read the answer, is
in ``oracles/languages/README.md``, section 7.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from redink.analysis.annotation_options import AnnotationOptions
from redink.compat.installation import install_commands
from redink.errors import OptionError

Shell = Callable[[str], str]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Runs a line of a script in the folder of the test; what it prints."""
    install_commands(tmp_path / "bin")

    def run(line: str) -> str:
        path = f"{tmp_path / 'bin'}:/usr/bin:/bin"
        ran = subprocess.run(  # noqa: S602 (by the shell, as the scripts do)
            line,
            shell=True,
            cwd=tmp_path,
            env={"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run


def test_multigec_2025(shared: Path, tmp_path: Path, shell: Shell) -> None:
    """GLEU and the comparison as recorded; annotating in every language that redink has."""
    recorded = shared / "oracles" / "languages" / "e2e" / "multigec"
    printed = (recorded / "stdout.txt").read_text(encoding="utf-8")
    for name in ("ref", "res", "stand-in"):
        shutil.copytree(recorded / name, tmp_path / name)
    for line in (recorded / "commands.jsonl").read_text(encoding="utf-8").splitlines():
        words = json.loads(line)
        if words[0] == "gleu":
            answer = shell(" ".join(words))
            assert re.fullmatch(r"\d+\.\d{4}", answer.split()[1])
            assert answer in printed
        elif words[0] == "errant_compare":
            stand_in = words[2].replace("/res/", "/stand-in/")
            answer = shell(" ".join([*words[:2], stand_in, *words[3:]]))
            assert answer in printed
            found = re.search(r"\d\.\d+\s+\d\.\d+\s+\d\.\d+", answer)
            assert found is not None
            assert len(found.group(0).split("\t")) == 3
        elif _is_known(words[-1]):
            shell(" ".join(words))
            written = (tmp_path / words[words.index("-out") + 1]).read_text(encoding="utf-8")
            sources = (tmp_path / words[2]).read_text(encoding="utf-8").splitlines()
            assert written.count("\nS ") + 1 == sum(bool(line.strip()) for line in sources)


def _is_known(language: str) -> bool:
    try:
        AnnotationOptions(language=language).pipeline()
    except OptionError:
        return False
    return True


def test_unlp_2023(shared: Path, tmp_path: Path, shell: Shell) -> None:
    recorded = shared / "oracles" / "languages" / "e2e" / "unlp"
    with gzip.open(recorded / "gec-only.valid.m2.gz", "rt", encoding="utf-8") as stream:
        blocks = stream.read().strip().split("\n\n")[:120]
    with gzip.open(recorded / "gec-only.noisy.txt.gz", "rt", encoding="utf-8") as stream:
        answers = stream.read().splitlines()[:120]
    sources = [block.split("\n")[0][2:] for block in blocks]
    for name, lines in (("source", sources), ("system", answers), ("gold.m2", blocks)):
        joint = "\n\n" if name.endswith("m2") else "\n"
        (tmp_path / name).write_text(joint.join(lines) + joint, encoding="utf-8")
    told = shell("errant_parallel -orig source -cor system -out target.m2")
    assert told == "Loading resources...\nProcessing parallel files...\n"
    for option in ("", " -ds"):
        answer = shell(f"errant_compare -hyp target.m2 -ref gold.m2{option}")
        tp, fp, fn = map(int, answer.splitlines()[3].split("\t")[:3])
        assert tp > fp > 0
        assert fn > 0
