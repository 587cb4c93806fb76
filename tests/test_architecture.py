"""The layers of packages, the libraries they import, and the number of files that commands run."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

import redink

PACKAGE = Path(redink.__file__).parent
CORE = {
    "_version",
    "cache",
    "errors",
    "files",
    "model",
    "options",
    "value_types",
    "parallel",
    "progress",
    "registry",
}
# A package may import the core, itself and the packages of the layers before its own.
LAYERS = [
    {"statistics", "raw_text", "language_models"},
    {"formats", "analysis", "scoring", "reports"},
    {"inputs"},
    {"error_detection"},
    {"evaluation", "judging", "detectors"},
    {"commands"},
    {"web", "compat"},
    {"campaign", "explore", "scale"},
    {"cli"},
    {"__main__"},
]
# A heavy library and the only place that may import it.
HOMES = {
    "spacy": ("analysis/spacy_analyzer.py",),
    "thinc": ("analysis/spacy_analyzer.py",),
    "matplotlib": ("reports/plots/style.py",),
    "sqlalchemy": ("campaign",),
    "starlette": ("web", "campaign", "explore"),
    "uvicorn": ("web",),
    "httpx": ("language_models",),
    "jinja2": ("campaign", "language_models", "reports"),
    "distributed": ("scale",),
    "dask": ("scale",),
    "pyarrow": ("formats/parquet.py",),
    "zstandard": ("files.py",),
    "torch": ("scoring/model_runner.py",),
    "transformers": ("scoring/model_runner.py",),
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def allowed_packages(package: str) -> set[str]:
    """Return the packages that a module of ``package`` may import."""
    allowed = set(CORE)
    if package in CORE:
        return allowed
    for layer in LAYERS:
        if package in layer:
            return allowed | {package}
        allowed |= layer
    raise AssertionError(f"{package} is in no layer; see docs/architecture.md")


@cache
def imported_modules(path: Path) -> set[str]:
    """Return the names of all modules that a file imports, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} uses a relative import"
            names.add(node.module or "")
            if node.module == "redink":
                names.update(f"redink.{alias.name}" for alias in node.names)
    return names


def test_imports_point_to_lower_layers() -> None:
    wrong = []
    for path in MODULES:
        place = path.relative_to(PACKAGE)
        package = place.parts[0].removesuffix(".py")
        if package == "__init__":
            continue  # the public names are loaded on first use
        parts = [name.split(".") for name in imported_modules(path)]
        packages = {words[1] for words in parts if words[0] == "redink" and len(words) > 1}
        forbidden = packages - allowed_packages(package)
        wrong += [f"{place.as_posix()} imports from {name}" for name in forbidden]
    assert not wrong


def test_a_heavy_library_has_one_home() -> None:
    astray = []
    for path in MODULES:
        place = path.relative_to(PACKAGE).as_posix()
        libraries = {name.split(".")[0] for name in imported_modules(path)} & HOMES.keys()
        astray += [
            f"{place} imports {name}" for name in libraries if not place.startswith(HOMES[name])
        ]
    assert not astray


def test_the_model_needs_the_standard_library_alone() -> None:
    paths = list((PACKAGE / "model").glob("*.py"))
    assert len(paths) > 5
    for path in paths:
        for name in imported_modules(path):
            root = name.split(".")[0]
            assert root == "redink" or root in sys.stdlib_module_names, f"{path.name}: {name}"


def test_importing_redink_is_light() -> None:
    """``import redink`` loads no heavy library, and few modules of its own."""
    code = "import sys; before = set(sys.modules); import redink; print(*{*sys.modules} - before)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = ran.stdout.split()
    roots = {name.split(".")[0] for name in loaded}
    assert not {*HOMES, "numpy", "scipy", "sklearn", "click", "rich"} & roots
    assert len([name for name in loaded if name.startswith("redink")]) < 25


_COUNT_FILES = """
import sys
files = set()
def note(frame, event, argument):
    name = frame.f_code.co_filename
    if frame.f_code.co_name != "<module>" and "/redink/" in name:
        files.add(name)
sys.argv[0] = "redink"
sys.settrace(note)  # calls only: it returns no tracer of lines
from redink.__main__ import main
try:
    main()
finally:
    sys.settrace(None)
    print(len(files), *sorted(files), file=sys.stderr)
"""


@pytest.mark.skipif(os.name != "posix", reason="reads file names with slashes")
@pytest.mark.parametrize(
    ("command", "most"),
    [
        ("score gold.m2 careful.txt eager.txt --metric errant", 60),
        ("score --source source.txt --reference reference-a.txt careful.txt --metric bleu", 45),
        ("rank rankings.xml", 40),
        ("cite errant", 15),
    ],
)
def test_a_command_runs_code_in_few_files(command: str, most: int) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _COUNT_FILES, *command.split()],
        capture_output=True,
        text=True,
        check=True,
        cwd=str(files("redink") / "examples"),
        env={n: v for n, v in os.environ.items() if not n.startswith("COVERAGE_")},
    )
    number, *names = ran.stderr.splitlines()[-1].split()
    assert int(number) <= most, names


FIELD_NAMES = {"errant", "m2"}
"""A program, its metric and its Python interface share a name; so do M2 files and their scorer."""


def test_names_have_one_meaning() -> None:
    """No two classes, and no two modules or packages, have the same name."""
    modules = Counter(p.parent.name if p.stem == "__init__" else p.stem for p in MODULES)
    classes = Counter(
        node.name
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, times in (modules + classes).items() if times > 1} == FIELD_NAMES


def test_the_architecture_page_names_files_that_exist() -> None:
    root = PACKAGE.parents[1]
    page = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    known = {path.name for path in root.rglob("*.py") if ".venv" not in path.parts}
    assert not set(re.findall(r"\b\w+\.py\b", page)) - known
