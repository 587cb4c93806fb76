"""How many small faults in the code do the tests notice?

    python -m fuzzing.mutants [--count 300] [--seed 1] [--rooms scoring,statistics]
    python -m fuzzing.mutants --results FILE [--again]

A mutant is the code with one small fault: another comparison, a number off by one, a condition
turned round, a sign left out. For each of a random sample the tests of its module and of its room
run until one fails. What no test notices is listed, to be looked at: either a test is missing, or
the two programs do the same.

``FILE`` keeps the fate of each: the same command goes on where it stopped, and ``--again`` tries
those that nobody noticed once more, after tests were written.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import json
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np  # noqa: F401 (these are loaded once, here)
import pytest
import rich.table  # noqa: F401
import sacrebleu  # noqa: F401
import scipy.stats  # noqa: F401
import spacy.lang.en  # noqa: F401

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "redink"
ROOMS = {
    "scoring": (
        "test_golden.py",
        "test_golden_recent.py",
        "scoring/test_metric_contract.py",
        "workflows/test_score.py",
    ),
    "statistics": ("workflows/test_agreement.py", "workflows/test_compare.py"),
    "analysis": (
        "test_golden.py",
        "analysis/test_classify.py",
        "workflows/test_explain.py",
        "workflows/test_annotate.py",
    ),
    "judging": (
        "test_golden.py",
        "workflows/test_rank.py",
        "workflows/test_crowd.py",
        "workflows/test_benchmark.py",
    ),
}
"""The rooms, and for each the tests that run besides those of the module itself."""

TIMEOUT = 240
"""Seconds after which a mutant that does not end counts as noticed."""

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
    ast.Pow: ast.Mult,
}


@dataclass(frozen=True)
class Mutant:
    """One small fault."""

    room: str
    path: str
    line: int
    what: str
    number: int
    """The place of the node among all that can be changed, in the order of ``ast.walk``."""


def changes(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Every node that can be changed, and what would be changed there."""
    annotations = {id(inner) for node in ast.walk(tree) for inner in _annotations(node)}
    for node in ast.walk(tree):
        if id(node) in annotations:
            continue
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
            yield node, f"{type(node.ops[0]).__name__} reversed or moved"
        elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            yield node, f"{type(node.op).__name__} becomes {_OPERATORS[type(node.op)].__name__}"
        elif isinstance(node, ast.BoolOp):
            yield node, "and/or exchanged"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            yield node, f"{type(node.op).__name__} left out"
        elif isinstance(node, ast.Constant) and type(node.value) in {int, float}:
            yield node, f"{node.value} becomes {node.value + 1}"
        elif isinstance(node, ast.IfExp):
            yield node, "branches exchanged"


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in types: a change there changes nothing that runs."""
    for name in ("annotation", "returns"):
        inside = getattr(node, name, None)
        if isinstance(inside, ast.AST):
            yield from ast.walk(inside)


def mutate(source: str, number: int) -> str:
    """The source with that change."""
    tree = ast.parse(source)
    node, _ = list(changes(tree))[number]
    if isinstance(node, ast.Compare):
        node.ops[0] = _COMPARISONS[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp):
        node.op = _OPERATORS[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp):
        inner = node.operand
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
        if isinstance(node.op, ast.Not):
            node.operand = ast.UnaryOp(ast.Not(), inner)
    elif isinstance(node, ast.Constant):
        assert isinstance(node.value, int | float)
        node.value = node.value + 1
    elif isinstance(node, ast.IfExp):
        node.body, node.orelse = node.orelse, node.body
    return ast.unparse(ast.fix_missing_locations(tree))


def all_mutants(rooms: list[str]) -> list[Mutant]:
    """Every mutant of the rooms."""
    found = []
    for room in rooms:
        for path in sorted((SOURCE / room).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for number, (node, what) in enumerate(changes(tree)):
                line = getattr(node, "lineno", 0)
                place = path.relative_to(SOURCE).as_posix()
                found.append(Mutant(room, place, line, what, number))
    return found


def tests_of(mutant: Mutant) -> list[str]:
    """The tests of its module, by name or what they import, then those of the whole room."""
    folder = ROOT / "tests" / mutant.room
    parts = [part.removesuffix(".py") for part in Path(mutant.path).parts[1:]]
    own = [folder / f"test_{part}.py" for part in reversed(parts)]
    module = ".".join(["redink", mutant.room, *parts]).removesuffix(".__init__")
    own += [p for p in sorted(folder.glob("test_*.py")) if module in p.read_text(encoding="utf-8")]
    more = [ROOT / "tests" / name for name in ROOMS[mutant.room]]
    named = [path for path in own if path.exists()] or [folder]
    return [str(path) for path in dict.fromkeys([*named, *more]) if path.exists()]


def is_noticed(mutant: Mutant, folder: Path) -> bool:
    """Whether a test fails on a copy of the package with that fault.

    The tests run in a copy of this process, which has the libraries already.
    """
    target = folder / "redink" / mutant.path
    original = target.read_text(encoding="utf-8")
    target.write_text(mutate(original, mutant.number), encoding="utf-8")
    failed = fails(folder, tests_of(mutant))
    target.write_text(original, encoding="utf-8")
    return failed


def fails(folder: Path, tests: list[str], *, keep: bool = False) -> bool:
    """Whether one of the tests fails with the package in that folder.

    What Python compiles is kept where nothing was changed: the next process reads it.
    """
    process = multiprocessing.get_context("fork").Process(target=_test, args=(folder, tests, keep))
    process.start()
    process.join(TIMEOUT)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode != 0


def _test(folder: Path, tests: list[str], keep: bool) -> None:  # noqa: FBT001
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = str(folder)
    sys.dont_write_bytecode = not keep
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    place = f"--basetemp={folder / 'tests'}"  # nobody else's old ones are cleared away
    code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", place, *tests])
    os._exit(int(code))


def read_fates(path: Path, *, again: bool) -> dict[Mutant, bool]:
    """What was found before; ``again`` leaves out those that nobody noticed."""
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    fates = {}
    for row in rows:
        is_noticed = row.pop("noticed")
        if is_noticed or not again:
            fates[Mutant(**row)] = is_noticed
    return fates


def main() -> int:
    """Try a sample, and say which faults nobody noticed."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", default=",".join(ROOMS))
    parser.add_argument("--results", type=Path, help="keep each mutant and its fate here")
    parser.add_argument("--again", action="store_true", help="try those that nobody noticed")
    options = parser.parse_args()
    rooms = options.rooms.split(",")
    drawn = random.Random(options.seed).sample(all_mutants(rooms), options.count)
    fates = read_fates(options.results, again=options.again) if options.results else {}
    todo = [mutant for mutant in drawn if mutant not in fates]
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="redink-mutants-") as place:
        folder = Path(place)
        shutil.copytree(SOURCE, folder / "redink")
        compileall.compile_dir(folder, quiet=1)
        for room in {mutant.room: mutant for mutant in todo}.values():
            if fails(folder, tests_of(room), keep=True):
                parser.error(f"the tests of {room.path} fail without any fault: {tests_of(room)}")
        for mutant in todo:
            fates[mutant] = is_noticed(mutant, folder)
            if options.results:
                lines = [json.dumps({**asdict(one), "noticed": is_}) for one, is_ in fates.items()]
                options.results.write_text("\n".join(lines) + "\n", encoding="utf-8")
            if not fates[mutant]:
                print(f"{mutant.path}:{mutant.line}: {mutant.what}", flush=True)
    tried = Counter(mutant.room for mutant in drawn)
    noticed = Counter(mutant.room for mutant in drawn if fates[mutant])
    for room in rooms:
        print(f"{room}: {noticed[room]} of {tried[room]} noticed")
    total = noticed.total() / max(1, tried.total())
    print(f"{noticed.total()} of {tried.total()} ({total:.1%}), {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
