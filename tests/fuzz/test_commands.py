"""Every command ends with a whole result, or with one sentence and exit code 2."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from fuzzing import commands, seeds
from fuzzing.outcome import Outcome

COMMANDS = [120, pytest.param(1000, marks=pytest.mark.slow)]


def test_every_command_is_tried() -> None:
    assert set(commands.leaf_commands()) - {"completion"} <= set(commands.TEMPLATES)


@pytest.mark.parametrize("inputs", COMMANDS)
def test_nonsense(
    inputs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", sys.argv)  # each run sets it
    good = seeds.all_seeds(None, random.Random(20), tmp_path)
    outcome = Outcome()
    work = tmp_path / "work"
    work.mkdir()
    commands.run(good, outcome, folder=work, inputs=inputs, seed=2024)
    assert not outcome.failures, str(outcome.failures[0])
    assert outcome.inputs == inputs
    assert outcome.done.total() > inputs / 5
    with capsys.disabled():
        sys.stdout.write(
            f"\nfuzz: {inputs} command lines, {outcome.done.total()} done, "
            f"{outcome.refused.total()} refused, none otherwise\n"
        )
