"""Files that describe a task or a benchmark: what is wrong in one is told to the last word."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Refuse

QUESTION = '[[question]]\nname = "label"\nask = "A"\nkind = "choice"\n'
DEFINITION: dict[str, str] = {
    "question = 3\n": "q.toml: question is a list of tables (in TOML: [[question]])",
    "nonsense = 3\n": (
        "q.toml: a task has no 'nonsense'; it can have: about, consent, "
        "example, instructions, language, mark, question, title, training"
    ),
    QUESTION + 'options = ["a", "b"]\nkeys = {a = "x", b = "x"}\n': (
        "q.toml:1: question 1: the key 'x' is taken"
    ),
    QUESTION + 'options = ["a", "b"]\nkeys = {c = "x"}\n': (
        "q.toml:1: question 1: a key is one letter for one of the options"
    ),
    QUESTION + "options = 3\n": (
        "q.toml:1: question 1: options are a list, or a table of what is stored and shown"
    ),
    QUESTION + 'options = {a = ""}\n': "q.toml:1: question 1: an option has no text",
    QUESTION + "what = 1\n": (
        "q.toml:1: question 1 has no 'what'; it can have: ask, from, help, "
        "high, keys, kind, low, name, only_if, optional, options, to"
    ),
    '[[question]]\nask = "A"\n': "q.toml:1: question 1 needs a name",
    "[[question]]\nname = 3\n": "q.toml:1: question 1: name is a text",
    'title = "T"\n': "q.toml: a task needs at least one question",
    QUESTION + 'options = ["a"]\n': "q.toml:1: question 1: needs two options or more",
    '[[question]]\nname = "label"\nask = "A"\nkind = "choose"\n': (
        "q.toml:1: question 1: kind cannot be 'choose'; it can be: choice, "
        "several, scale, text, span"
    ),
    '[[question]]\nname = "la bel"\nask = "A"\nkind = "choice"\n': (
        "q.toml:1: question 1: 'la bel' cannot be its name; take lower-case "
        "letters, not a name in use"
    ),
    QUESTION
    + (
        'options = ["a", "b"]\n[[training]]\ntext = "a"\nanswers = {label = "c"}\n'
    ): "q.toml: a task needs a title",
    QUESTION + 'options = ["a", "b"]\nonly_if = {x = ["a"]}\n': (
        "q.toml:1: question 1: only_if asks about 'x', which is not a question before it"
    ),
    ('[[question]]\nname = "label"\nask = "A"\nkind = "scale"\nfrom = 3\nto = 1\n'): (
        "q.toml:1: question 1: a scale goes from one whole number to another, in up to 11 steps"
    ),
    (
        'title = "T"\n[[question]]\nname = "label"\nask = "A"\nkind = '
        '"choice"\noptions = ["a", "b"]\n[[training]]\ntext = "a"\n'
    ): ("q.toml:7: training 1: needs answers, one for each question that is judged"),
    (
        'title = "T"\n[[question]]\nname = "label"\nask = "A"\nkind = '
        '"choice"\noptions = ["a", "b"]\n[[training]]\ntext = "a"\nanswers = '
        '{label = "a", x = "b"}\n'
    ): "q.toml:7: training 1: answers a question that there is not",
}


@pytest.mark.parametrize("text", list(DEFINITION))
def test_a_task_of_ones_own(text: str, refuse: Refuse) -> None:
    """What is wrong in the file that describes it, and in which line."""
    command = "campaign create c.db --task q.toml --source source.txt"
    refuse(command, DEFINITION[text], {"q.toml": text})


SHARED_TASK: dict[str | bytes, str] = {
    "": "task.toml: needs a [[set]] for every language and track",
    "nonsense = 1\n": "task.toml: what is 'nonsense'? there are: metrics, rules, set, title",
    b"\xff\n": "task.toml: is not a task file (it is not UTF-8)",
    "set = [1]\n": "task.toml: [[set]] has keys and values",
    "[[set]]\nname = 1\n": (
        "task.toml: what is 'name'? [set] has: file, language, references, source, track"
    ),
    "set = 3\n": "task.toml: set is one table or more, each below [[set]], not 3",
    "rules = 3\n[[set]]\n": "task.toml: rules is a table of keys and values, not 3",
    "title = 3\n[[set]]\n": "task.toml: title is a text in quotes, not 3",
    "[rules]\nx = 1\n[[set]]\n": "task.toml: what is 'x'? [rules] has: bootstrap, tokenised",
    "[[set]]\n": "task.toml: the set en main needs source and references",
    "metrics = ['x']\n[[set]]\n": "task.toml: there is no metric 'x'; there are: {metrics}",
    "[rules]\nbootstrap = 'x'\n[[set]]\n": "task.toml: bootstrap is a number, 0 or more, not 'x'",
    "[[set]]\nsource = 's'\nreferences = 'r'\n": (
        "there is no submission; put them into submissions"
    ),
}


@pytest.mark.parametrize("text", list(SHARED_TASK))
def test_a_shared_task(text: str | bytes, refuse: Refuse) -> None:
    """What is wrong in the file that describes it."""
    refuse("task score .", SHARED_TASK[text], {"task.toml": text})


BENCHMARK: dict[str, str] = {
    "nonsense = 1\n": (
        "b.toml: a description has no 'nonsense'; it has: about, "
        "aggregations, first_line, human, judgments, lines, name, outputs, "
        "ratings, reference, scores, sets, source, source_is, subset, windows"
    ),
    "aggregations = ['x']\n": "b.toml: rankings are aggregated by EW, TS, BT, not by 'x'",
    "aggregations = 'x'\n": "b.toml: aggregations is a list, not 'x'",
    "[windows]\nset = 'z'\n": "b.toml: windows have a size, a whole number, and a set",
    "[judgments]\na = 3\n": "b.toml: expected a file, a pattern or a list, found 3",
    "[human]\na = 'x'\n": "b.toml: human scores are of judgments (none are named), not of 'a'",
    "[judgments]\na = 'nothing.xml'\n": "b.toml: names 'nothing.xml', which is not in .",
    "lines = 3\n": ".: holds no judgments of the benchmark b",
}


@pytest.mark.parametrize("text", list(BENCHMARK))
def test_a_benchmark_of_ones_own(text: str, refuse: Refuse) -> None:
    """What is wrong in the file that describes it."""
    refuse("meta . --benchmark b.toml", BENCHMARK[text], {"b.toml": text})
