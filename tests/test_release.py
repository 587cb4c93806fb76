"""What is released: the two packages, what is in them, what they need, and that they work."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import redink

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "redink"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Names of distributions whose module is called otherwise.
MODULES = {
    "scikit-learn": "sklearn",
    "opencc-python-reimplemented": "opencc",
    "markdown-it-py": "markdown_it",
    "ufal.udpipe": "ufal",
}
# Come with what is declared, and are part of its interface.
COMES_WITH = {"thinc": "spacy", "markupsafe": "jinja2", "dask": "distributed"}


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, built as a release is."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--quiet", "--no-isolation", "--outdir", folder, ROOT],
        check=True,
        capture_output=True,
    )
    return folder


def install(dist: Path, folder: Path) -> Path:
    """The Python of a new environment that has the wheel and nothing else."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    [wheel] = dist.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    options = ["--no-deps", "--no-compile", "--disable-pip-version-check"]
    subprocess.run([*pip, *options, wheel], check=True, capture_output=True)
    return python


@pytest.mark.slow
def test_the_wheel_has_all_that_runs_and_nothing_else(dist: Path) -> None:
    [wheel] = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {n for n in archive.namelist() if ".dist-info/" not in n}
    expected = {
        p.relative_to(PACKAGE.parent).as_posix()
        for p in PACKAGE.rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    assert names == expected
    for needed in (
        "py.typed",
        "examples/gold.m2",
        "campaign/templates/task.html",
        "campaign/static/campaign.css",
        "reports/templates/report.html",
        "reports/page/report.js",
        "analysis/english/resources/en_redink/weights.npz",
        "analysis/english/resources/words/en_GB.txt",
        "detectors/resources/lm.npz",
        "commands/reproduce/published/bryant_2017.json",
    ):
        assert f"redink/{needed}" in names
    assert wheel.stat().st_size < 20e6


@pytest.mark.slow
def test_metadata_name_the_licenses_and_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release has absolute links, and states the licenses of the word list and the lemmas."""
    monkeypatch.setenv("REDINK_REPOSITORY", "https://code.example/redink/")
    monkeypatch.setenv("REDINK_TAG", "v9")
    build = [sys.executable, "-m", "build", "--quiet", "--no-isolation", "--wheel"]
    subprocess.run([*build, "--outdir", tmp_path, ROOT], check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        [name] = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        text = archive.read(name).decode()
        licenses = [n for n in archive.namelist() if "/licenses/" in n]
    assert "License-Expression: MIT AND LicenseRef-SCOWL AND LicenseRef-WordNet" in text
    assert len(licenses) == 3
    assert "Project-URL: Issues, https://code.example/redink/issues" in text
    assert "](https://code.example/redink/raw/v9/docs/pictures/report.png)" in text
    assert "](https://code.example/redink/blob/v9/docs/scoring.md)" in text
    assert not re.search(r"\]\((?!https?:|#)", text)


@pytest.mark.slow
def test_the_sdist_builds_tests_and_documents_and_has_no_litter(dist: Path) -> None:
    [sdist] = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {n.partition("/")[2] for n in archive.getnames()}
    for needed in (
        "pyproject.toml",
        "LICENSE",
        "README.md",
        "CITATION.cff",
        "Makefile",
        "src/redink/py.typed",
        "tests/test_release.py",
        "docs/installation.md",
        "benchmarks/performance.py",
    ):
        assert needed in names
    litter = re.compile(
        r"(^|/)(\.hypothesis|\.venv|__pycache__|\..*_cache|redink-demo|dist|build)/"
    )
    assert not [n for n in names if litter.search(n) or n.endswith((".pyc", ".db"))]
    assert sdist.stat().st_size < 20e6


@pytest.mark.slow
def test_what_is_installed_works(dist: Path, tmp_path: Path) -> None:
    """Version, every page of help, and the demo, from the wheel, with our libraries beside it.

    `make dist-check` does it without ours, in empty environments.
    """
    python = install(dist, tmp_path / "env")
    [site] = (tmp_path / "env").glob("lib/*/site-packages")
    [libraries] = {p for p in sys.path if p.endswith("site-packages")}
    (site / "libraries.pth").write_text(f"{libraries}\n", encoding="utf-8")
    run = subprocess.run(
        [python, ROOT / ".ci" / "use_installed.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.slow
def test_types_are_shipped(dist: Path, tmp_path: Path) -> None:
    """Mypy sees the types of an installed redink: it finds a wrong argument, and no fault else."""
    python = install(dist, tmp_path / "env")
    program = tmp_path / "program.py"
    program.write_text(
        "import redink\n"
        'table = redink.score("gold.m2", {"a": "a.txt"}, metrics=["errant"])\n'
        "reveal_type(table)\n"
        "redink.score(gold=3)\n",
        encoding="utf-8",
    )
    mypy = [sys.executable, "-m", "mypy", "--python-executable", python, "--config-file", ""]
    words = [*mypy, "--cache-dir", tmp_path / "cache", program]
    run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert 'Revealed type is "redink.model.tables.Table"' in run.stdout, run.stdout
    assert "program.py:4: error" in run.stdout
    assert "program.py:2" not in run.stdout


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("github-workflows", ".github/workflows/test.yml"),
        ("github-workflows", ".github/workflows/release.yml"),
        ("github-workflows", "example/gate/redink-gate.yml"),
        ("github-actions", "action.yml"),
        ("dependabot", ".github/dependabot.yml"),
    ],
)
def test_workflows_are_valid(schema: str, path: str) -> None:
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    run = subprocess.run([*check, ROOT / path], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_the_version_is_in_one_place() -> None:
    assert "version" in PROJECT["dynamic"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE)[1] == redink.__version__  # type: ignore[index]


EXTRAS = (
    "campaign",
    "plots",
    "scale",
    "spacy",
    "models",
    "models-api",
    "hunspell",
    "stanza",
    "udpipe",
    "zh",
)


def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - {"redink"}


def test_dependencies_are_what_is_imported() -> None:
    """Nothing is imported that is not declared, and nothing declared that is not imported.

    psycopg is loaded by SQLAlchemy, by the name of the database. Three programs load our adapters.
    """
    extras = PROJECT["optional-dependencies"]
    declared = {
        MODULES.get(name := Requirement(line).name, name)
        for line in [*PROJECT["dependencies"], *(x for n in EXTRAS for x in extras[n])]
    }
    imported = set().union(*(imports_of(path) for path in PACKAGE.rglob("*.py")))
    found = {COMES_WITH.get(name, name) for name in imported}
    assert found - {"pytest", "inspect_ai", "lighteval"} == declared - {"psycopg"}


def test_every_dependency_has_a_lowest_version_and_a_reason() -> None:
    """The lowest are tested by `make test-lowest`; the reasons stand in the docs."""
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    extras = PROJECT["optional-dependencies"]
    for line in [*PROJECT["dependencies"], *(x for n in EXTRAS for x in extras[n])]:
        requirement = Requirement(line)
        assert any(s.operator in {">=", "=="} for s in requirement.specifier), line
        assert re.search(rf"^\| {re.escape(requirement.name)} \|", page, re.MULTILINE), line


def run_time_tree() -> set[str]:
    """Every distribution that an installation with all extras pulls in."""
    seen: set[str] = set()
    extras = PROJECT["optional-dependencies"]
    wanted = [
        *PROJECT["dependencies"],
        *(
            x
            for name in ("campaign", "models-api", "plots", "scale", "spacy")
            for x in extras[name]
        ),
    ]
    while wanted:
        requirement = Requirement(wanted.pop())
        if requirement.name.lower() in seen:
            continue
        if requirement.marker and not any(
            requirement.marker.evaluate({"extra": extra}) for extra in ("", *requirement.extras)
        ):
            continue
        try:
            needs = requires(requirement.name) or []
        except PackageNotFoundError:
            continue  # for another system or version of Python
        seen.add(requirement.name.lower())
        for need in needs:
            inner = Requirement(need)
            chosen = {"", *requirement.extras}
            if inner.marker is None or any(inner.marker.evaluate({"extra": x}) for x in chosen):
                wanted.append(need)
    return seen


def licence_of(name: str) -> str:
    """What a distribution says about its licence, in all the places where it may."""
    about = metadata(name)
    said = [about.get("License-Expression") or "", (about.get("License") or "")[:200]]
    said += [c for c in about.get_all("Classifier") or [] if c.startswith("License")]
    return " | ".join(filter(None, said))


def test_nothing_at_run_time_is_gpl() -> None:
    """The whole tree may be used in any program: what is not permissive is named in the docs."""
    free = re.compile(r"\b(MIT|BSD|Apache|PSF|Python Software Foundation|ISC)\b")
    tree = run_time_tree()
    assert len(tree) > 40
    others = {name: said for name in tree if not free.search(said := licence_of(name))}
    assert others.keys() <= {"psycopg", "psycopg-binary", "certifi"}, others
    assert all(re.search(r"LGPL|Lesser|MPL", said) for said in others.values()), others
    strict = {name for name in tree if re.search(r"(?<!L)GPL|GNU (?!Lesser)", licence_of(name))}
    assert not strict
