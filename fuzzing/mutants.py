"""How many small faults in the code do the tests notice?

    python -m fuzzing.mutants [--count 300] [--seed 1] [--rooms scoring,statistics]
    python -m fuzzing.mutants --results FILE [--again]

A mutant is the code with one small fault: another comparison, a number off by one, a condition
turned round, a sign left out. The tests run once without a fault, and are watched: which of them
come by which line. For each mutant of a random sample those that come by run, the quickest first,
until one fails. What no test notices is listed, to be looked at: either a test is missing, or the
two programs do the same.

The same seed draws the same mutants as long as the lines that they change stay as they are.
``FILE`` keeps the fate of each: the same command goes on where it stopped (``FILE.watched`` keeps
which test comes by where), and ``--again`` tries those that nobody noticed once more, after tests
were written, with all tests of the module and of its room.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import hashlib
import json
import multiprocessing
import os
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import coverage
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
        "commands/test_score.py",
        "commands/test_metrics.py",
        "test_cache.py",
    ),
    "statistics": ("commands/test_agreement.py", "commands/test_compare.py"),
    "analysis": (
        "test_golden.py",
        "analysis/test_classify.py",
        "commands/test_explain.py",
        "commands/test_annotate.py",
        "commands/test_analyzer.py",
        "test_cache.py",
    ),
    "judging": (
        "test_golden.py",
        "commands/test_rank.py",
        "commands/test_crowd.py",
        "commands/test_benchmark.py",
        "commands/test_meta.py",
        "commands/test_sample.py",
    ),
}
"""The rooms, and for each the tests that run besides those of the module itself."""

TIMEOUT = 240
"""Seconds after which a mutant that does not end counts as noticed; of work, a sixth of them."""

BUDGET = 20.0
"""Seconds that the tests of one mutant took without a fault, at most."""

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
    """One small fault; two are the same if their names are, wherever the line has gone."""

    name: str
    """File, function, what is changed there and how; and the how manieth of that kind it is."""
    room: str = field(compare=False)
    path: str = field(compare=False)
    line: int = field(compare=False)
    last: int = field(compare=False)
    """The last line of the statement, or of its head."""
    number: int = field(compare=False)
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
            places = dict(_places(tree))
            alike: Counter[str] = Counter()
            for number, (node, what) in enumerate(changes(tree)):
                function, first, last = places[node]
                place = path.relative_to(SOURCE).as_posix()
                name = f"{place} {function}: {ast.unparse(node)}: {what}"
                alike[name] += 1
                name = f"{name} ({alike[name]})"
                found.append(Mutant(name, room, place, first, last, number))
    return found


def _places(
    tree: ast.AST, function: str = "", first: int = 0, last: int = 0
) -> Iterator[tuple[ast.AST, tuple[str, int, int]]]:
    """Of every node the function that it stands in, and the lines of its statement or its head."""
    for node in ast.iter_child_nodes(tree):
        inside, start, end = function, first, last
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            start, end = node.lineno, node.end_lineno or node.lineno
            end = max(start, body[0].lineno - 1) if body else end
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inside = f"{function}.{node.name}".removeprefix(".")
        yield node, (inside, start, end)
        yield from _places(node, inside, start, end)


def draw(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """A random sample that changes no more than the code does."""

    def lot(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed} {mutant.name}".encode()).digest()

    return sorted(mutants, key=lot)[:count]


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


@dataclass(frozen=True)
class Watched:
    """Which tests come by a line, and how many seconds each of them takes."""

    tests: list[str]
    """A whole file of tests where it prepares them, ``""`` where the module is imported."""
    lines: dict[str, list[int]]
    """By ``file:line`` the numbers of the tests."""
    seconds: dict[str, float]

    def tests_for(self, mutant: Mutant) -> list[str]:
        """Those that come by its line, the quickest first; by its file if it runs at import."""
        lines = [f"{mutant.path}:{n}" for n in range(mutant.line, mutant.last + 1)]
        seen = self._tests_at(lines)
        if seen == {""}:
            seen = self._tests_at([ln for ln in self.lines if ln.startswith(f"{mutant.path}:")])
        files = {test for test in seen if "::" not in test}
        seen |= {test for test in self.seconds if test.split("::")[0] in files}
        chosen: dict[str, list[str]] = {}
        total = 0.0
        for test in sorted(seen - files - {""}, key=lambda one: (self.seconds[one], one)):
            total += self.seconds[test]
            if chosen and total > BUDGET:
                break
            chosen.setdefault(test.split("::")[0], []).append(test)
        return [test for tests in chosen.values() for test in tests]

    def _tests_at(self, lines: list[str]) -> set[str]:
        return {self.tests[at] for line in lines for at in self.lines.get(line, ())}


@dataclass(frozen=True)
class Chosen:
    """A plugin of pytest that leaves only these tests, in this order."""

    tests: list[str]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Whole files stay as they are."""
        places = {test: place for place, test in enumerate(self.tests)}
        if all("::" in test for test in self.tests):
            items[:] = [item for item in items if item.nodeid in places]
            items.sort(key=lambda item: places[item.nodeid])


class Watcher:
    """A plugin of pytest that writes down which test comes by where."""

    def __init__(self, package: Path) -> None:
        self.package = package
        self.coverage = coverage.Coverage(data_file=None, config_file=False, source=[str(package)])
        self.seconds: dict[str, float] = {}
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        """What is prepared may be shared by all tests of a file."""
        self.coverage.switch_context(item.nodeid.split("::")[0])
        yield
        self.coverage.switch_context(item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """How long it took."""
        if report.when == "call":
            self.seconds[report.nodeid] = report.duration

    def write(self, path: Path) -> None:
        """All of it, as JSON."""
        self.coverage.stop()
        data = self.coverage.get_data()
        tests = [one for one in sorted(data.measured_contexts()) if not self._is_skipped(one)]
        number = {test: at for at, test in enumerate(tests)}
        lines = {
            f"{Path(file).relative_to(self.package).as_posix()}:{line}": [
                number[test] for test in names if test in number
            ]
            for file in data.measured_files()
            for line, names in data.contexts_by_lineno(file).items()
        }
        watched = Watched(tests, lines, self.seconds)
        path.write_text(json.dumps(asdict(watched)), encoding="utf-8")

    def _is_skipped(self, context: str) -> bool:
        return "::" in context and context not in self.seconds


def watch(folder: Path, tests: list[str], path: Path) -> Watched | None:
    """Which of the tests come by which line; nothing if one of them fails."""
    if not path.exists() and fails(folder, tests, watched=path):
        return None
    return Watched(**json.loads(path.read_text(encoding="utf-8")))


def is_noticed(mutant: Mutant, folder: Path, tests: list[str]) -> bool:
    """Whether one of the tests fails on a copy of the package with that fault.

    The tests run in a copy of this process, which has the libraries already.
    """
    target = folder / "redink" / mutant.path
    original = target.read_text(encoding="utf-8")
    target.write_text(mutate(original, mutant.number), encoding="utf-8")
    failed = bool(tests) and fails(folder, tests)
    target.write_text(original, encoding="utf-8")
    return failed


def fails(folder: Path, tests: list[str], *, watched: Path | None = None) -> bool:
    """Whether one of the tests fails with the package in that folder.

    Where they are watched nothing was changed: what Python compiles is kept for the next process.
    """
    process = multiprocessing.get_context("fork").Process(
        target=_test, args=(folder, tests, watched)
    )
    process.start()
    process.join(None if watched else TIMEOUT)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode != 0


def _test(folder: Path, tests: list[str], watched: Path | None) -> None:
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = str(folder)
    sys.dont_write_bytecode = watched is None
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    place = f"--basetemp={folder / 'tests'}"  # nobody else's old ones are cleared away
    os.chdir(ROOT)
    files = dict.fromkeys(test.split("::")[0] for test in tests)
    words = ["-x", "-q", "-p", "no:cacheprovider", place, *files]
    if watched is None:
        if all("::" in test for test in tests):
            resource.setrlimit(resource.RLIMIT_CPU, (TIMEOUT // 6, TIMEOUT))
        code = pytest.main(words, plugins=[Chosen(tests)])
        os._exit(int(code if code != pytest.ExitCode.NO_TESTS_COLLECTED else 0))
    watcher = Watcher(folder / "redink")
    code = pytest.main(words, plugins=[watcher])
    if not code:
        watcher.write(watched)
    os._exit(int(code))


def read_fates(path: Path) -> dict[str, bool]:
    """What was found before."""
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["name"]: row["noticed"] for row in rows}


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
    drawn = draw(all_mutants(rooms), options.count, options.seed)
    fates = read_fates(options.results) if options.results else {}
    todo = [
        one for one in drawn if one.name not in fates or (options.again and not fates[one.name])
    ]
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="redink-mutants-") as place:
        folder = Path(place)
        shutil.copytree(SOURCE, folder / "redink")
        compileall.compile_dir(folder, quiet=1)
        tests = sorted({test for mutant in drawn for test in tests_of(mutant)})
        kept = Path(f"{options.results}.watched") if options.results else folder / "watched"
        watched = watch(folder, tests, kept)
        if watched is None:
            parser.error(f"a test fails without any fault: pytest {' '.join(tests)}")
        for mutant in todo:
            tests = tests_of(mutant) if options.again else watched.tests_for(mutant)
            fates[mutant.name] = is_noticed(mutant, folder, tests)
            if options.results:
                with options.results.open("a", encoding="utf-8") as file:
                    row = {**asdict(mutant), "noticed": fates[mutant.name]}
                    file.write(f"{json.dumps(row, ensure_ascii=False)}\n")
            if not fates[mutant.name]:
                print(f"line {mutant.line} of {mutant.name}", flush=True)
    tried = Counter(mutant.room for mutant in drawn)
    noticed = Counter(mutant.room for mutant in drawn if fates[mutant.name])
    for room in rooms:
        print(f"{room}: {noticed[room]} of {tried[room]} noticed")
    total = noticed.total() / max(1, tried.total())
    print(f"{noticed.total()} of {tried.total()} ({total:.1%}), {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
