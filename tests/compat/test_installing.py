"""The drop-in commands are put where a person wants them, and nowhere else."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from redink.compat.installation import COMMANDS, install_commands, launcher
from redink.errors import OptionError

ROOT = Path(__file__).resolve().parents[2]


def test_a_launcher_runs_from_anywhere(tmp_path: Path) -> None:
    """Without PYTHONPATH and in another folder, with the exit code of the command."""
    install_commands(tmp_path / "bin", names=["errant_compare", "m2scorer"])
    assert {path.name for path in (tmp_path / "bin").iterdir()} == {"errant_compare", "m2scorer"}
    m2 = tmp_path / "some.m2"
    m2.write_text("S a b\nA 0 1|||R:DET|||the|||REQUIRED|||-NONE-|||0\n\n", encoding="utf-8")
    command = [tmp_path / "bin" / "errant_compare", "-hyp", m2, "-ref", m2]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env={"PATH": "/bin"}
    )
    assert (ran.returncode, ran.stdout.splitlines()[3]) == (0, "1\t0\t0\t1.0\t1.0\t1.0")
    ran = subprocess.run([tmp_path / "bin" / "m2scorer"], capture_output=True, check=False, env={})
    assert ran.returncode == 255


def test_a_file_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    """Nothing is written then; --force replaces it, and what redink wrote is replaced freely."""
    (tmp_path / "m2scorer").write_text("#!/bin/sh\n", encoding="utf-8")
    with pytest.raises(OptionError, match="was not written by redink"):
        install_commands(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["m2scorer"]
    install_commands(tmp_path, force=True)
    install_commands(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(COMMANDS)
    with pytest.raises(OptionError, match="unknown command 'errant'"):
        install_commands(tmp_path, names=["errant"])


def test_a_person_hears_what_path_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That the folder is not on PATH, that another command comes first, or that one is replaced."""
    for folder in ("early", "late"):
        (tmp_path / folder).mkdir()
        name = "gleu" if folder == "early" else "m2scorer"
        (tmp_path / folder / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / folder / name).chmod(0o755)
    [note] = install_commands(tmp_path / "bin").notes
    assert "is not on PATH" in note
    monkeypatch.setenv("PATH", ":".join(str(tmp_path / name) for name in ("early", "bin", "late")))
    notes = install_commands(tmp_path / "bin").notes
    assert notes == (
        f"m2scorer: replaces {tmp_path}/late/m2scorer on PATH",
        f"gleu: {tmp_path}/early/gleu is first on PATH and is used instead",
    )


def test_a_python_with_a_space_in_its_name_runs_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "my python"
    python.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(python))
    script = tmp_path / "m2scorer"
    script.write_text(launcher("m2scorer"), encoding="utf-8")
    script.chmod(0o755)
    assert script.read_text(encoding="utf-8").startswith("#!/bin/sh\n")


def test_the_distribution_has_the_same_commands() -> None:
    """``redink-compat``, which the extra installs, declares every command and nothing else."""
    project = tomllib.loads((ROOT / "packaging/redink-compat/pyproject.toml").read_text())
    assert project["project"]["scripts"] == {name: home for name, (home, _) in COMMANDS.items()}
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert whole["optional-dependencies"]["compat"] == ["redink-compat"]
    assert set(whole["scripts"]) == {"redink"}
