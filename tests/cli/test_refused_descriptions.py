"""Files that describe a task or a benchmark: what is wrong in one gets one line."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Refuse

QUESTION = '[[question]]\nname = "label"\nask = "A"\nkind = "choice"\n'
DEFINITION: dict[str, str] = {
    "question = 3\n": "q.toml",
    "nonsense = 3\n": "nonsense",
    QUESTION + 'options = ["a", "b"]\nkeys = {a = "x", b = "x"}\n': "q.toml:1",
    QUESTION + 'options = ["a", "b"]\nkeys = {c = "x"}\n': "q.toml:1",
    QUESTION + "options = 3\n": "q.toml:1",
    QUESTION + 'options = {a = ""}\n': "q.toml:1",
    QUESTION + "what = 1\n": "q.toml:1",
    '[[question]]\nask = "A"\n': "q.toml:1",
    "[[question]]\nname = 3\n": "q.toml:1",
    'title = "T"\n': "q.toml",
    QUESTION + 'options = ["a"]\n': "q.toml:1",
    '[[question]]\nname = "label"\nask = "A"\nkind = "choose"\n': "q.toml:1",
    '[[question]]\nname = "la bel"\nask = "A"\nkind = "choice"\n': "q.toml:1",
    QUESTION
    + ('options = ["a", "b"]\n[[training]]\ntext = "a"\nanswers = {label = "c"}\n'): "q.toml",
    QUESTION + 'options = ["a", "b"]\nonly_if = {x = ["a"]}\n': "q.toml:1",
    ('[[question]]\nname = "label"\nask = "A"\nkind = "scale"\nfrom = 3\nto = 1\n'): "q.toml:1",
    (
        'title = "T"\n[[question]]\nname = "label"\nask = "A"\nkind = '
        '"choice"\noptions = ["a", "b"]\n[[training]]\ntext = "a"\n'
    ): "q.toml:7",
    (
        'title = "T"\n[[question]]\nname = "label"\nask = "A"\nkind = '
        '"choice"\noptions = ["a", "b"]\n[[training]]\ntext = "a"\nanswers = '
        '{label = "a", x = "b"}\n'
    ): "q.toml:7",
}


@pytest.mark.parametrize("text", list(DEFINITION))
def test_a_task_of_ones_own(text: str, refuse: Refuse) -> None:
    """What is wrong in the file that describes it, and in which line."""
    command = "campaign create c.db --task q.toml --source source.txt"
    refuse(command, DEFINITION[text], {"q.toml": text})


SHARED_TASK: dict[str | bytes, str] = {
    "": "task.toml",
    "nonsense = 1\n": "nonsense",
    b"\xff\n": "task.toml",
    "set = [1]\n": "task.toml",
    "[[set]]\nname = 1\n": "name",
    "set = 3\n": "task.toml",
    "rules = 3\n[[set]]\n": "task.toml",
    "title = 3\n[[set]]\n": "task.toml",
    "[rules]\nx = 1\n[[set]]\n": "x",
    "[[set]]\n": "task.toml",
    "metrics = ['x']\n[[set]]\n": "x",
    "[rules]\nbootstrap = 'x'\n[[set]]\n": "x",
    "[[set]]\nsource = 's'\nreferences = 'r'\n": "submissions",
}


@pytest.mark.parametrize("text", list(SHARED_TASK))
def test_a_shared_task(text: str | bytes, refuse: Refuse) -> None:
    """What is wrong in the file that describes it."""
    refuse("task score .", SHARED_TASK[text], {"task.toml": text})


BENCHMARK: dict[str, str] = {
    "nonsense = 1\n": "nonsense",
    "aggregations = ['x']\n": "x",
    "aggregations = 'x'\n": "x",
    "[windows]\nset = 'z'\n": "b.toml",
    "[judgments]\na = 3\n": "b.toml",
    "[human]\na = 'x'\n": "a",
    "[judgments]\na = 'nothing.xml'\n": "nothing.xml",
    "lines = 3\n": "benchmark",
}


@pytest.mark.parametrize("text", list(BENCHMARK))
def test_a_benchmark_of_ones_own(text: str, refuse: Refuse) -> None:
    """What is wrong in the file that describes it."""
    refuse("meta . --benchmark b.toml", BENCHMARK[text], {"b.toml": text})
