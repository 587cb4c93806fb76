"""Every command ends with a whole result, or with one sentence and exit code 2."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from fuzzing import commands, seeds
from fuzzing.outcome import Outcome

COMMANDS = 500


def test_every_command_is_tried() -> None:
    """A new command needs a template of what it is given."""
    assert set(commands.leaf_commands()) - {"completion"} <= set(commands.TEMPLATES)


def test_nonsense(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Command lines put together at random, the same in every run."""
    monkeypatch.setattr(sys, "argv", sys.argv)  # each run sets it
    good = seeds.all_seeds(None, random.Random(20), tmp_path)
    outcome = Outcome()
    work = tmp_path / "work"
    work.mkdir()
    commands.run(good, outcome, folder=work, inputs=COMMANDS, seed=2024)
    assert not outcome.failures, str(outcome.failures[0])
    assert outcome.inputs == COMMANDS
    assert outcome.done.total() > COMMANDS / 5
    with capsys.disabled():
        sys.stdout.write(
            f"\nfuzz: {COMMANDS} command lines, {outcome.done.total()} done, "
            f"{outcome.refused.total()} refused, none otherwise\n"
        )
