"""The layout is the architecture: who may import whom, and what loads what."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import redink

PACKAGE = Path(redink.__file__).parent
GROUND = {
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
# Each floor may use the floors below it; rooms of one floor do not know each other.
FLOORS = [
    {"statistics", "raw_text"},
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
    "spacy": ("analysis/spacy_analyzer.py", "analysis/spacy_training.py"),
    "thinc": ("analysis/spacy_training.py",),
    "matplotlib": ("reports/plots/style.py",),
    "sqlalchemy": ("campaign",),
    "starlette": ("web", "campaign", "explore"),
    "uvicorn": ("web",),
    "jinja2": ("campaign", "reports"),
    "distributed": ("scale",),
    "dask": ("scale",),
    "pyarrow": ("formats/parquet.py",),
    "zstandard": ("files.py",),
    "torch": ("scoring/model_runner.py",),
    "transformers": ("scoring/model_runner.py",),
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def allowed_rooms(room: str) -> set[str]:
    """The rooms that a module of ``room`` may import."""
    allowed = set(GROUND)
    for floor in FLOORS:
        if room in floor:
            return allowed | {room}
        allowed |= floor
    raise AssertionError(f"{room} is on no floor of the house; see docs/architecture.md")


@cache
def imported_modules(path: Path) -> set[str]:
    """Every absolute module name that a file imports, at its top or inside functions."""
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


def test_arrows_never_point_back() -> None:
    """A module imports only from its own room, the floors below, and the ground."""
    back = []
    for path in MODULES:
        place = path.relative_to(PACKAGE)
        room = place.parts[0].removesuffix(".py")
        if room == "__init__":
            continue  # the public face names every room, and loads them lazily
        allowed = GROUND if room in GROUND else allowed_rooms(room)
        parts = [name.split(".") for name in imported_modules(path)]
        rooms = {words[1] for words in parts if words[0] == "redink" and len(words) > 1}
        back += [f"{place.as_posix()} imports from {name}" for name in rooms - {*allowed}]
    assert not back


def test_a_heavy_library_has_one_home() -> None:
    """spaCy, matplotlib and the like are imported only where the plan says."""
    astray = []
    for path in MODULES:
        place = path.relative_to(PACKAGE).as_posix()
        libraries = {name.split(".")[0] for name in imported_modules(path)} & HOMES.keys()
        astray += [
            f"{place} imports {name}" for name in libraries if not place.startswith(HOMES[name])
        ]
    assert not astray


def test_the_model_needs_the_standard_library_alone() -> None:
    """Frozen values depend on nothing that must be installed."""
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
