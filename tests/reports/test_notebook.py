"""Tables in a real notebook, which is executed here."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from tests.terminal import run_command

import redink

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

EXAMPLES = Path(str(files("redink") / "examples"))
CELLS = (
    "import redink",
    'table = redink.score("gold.m2", ["careful.txt", "eager.txt"], metrics=["errant", "gleu"])',
    "table",
    "print(table)",
    'redink.score("gold.m2", ["careful.txt", "eager.txt"], metrics="errant", by="type")',
    "table.plot()",
    'redink.mark_edits("He go .", "He goes .")',
    (
        "from IPython.core.completer import provisionalcompleter\n"
        "with provisionalcompleter():\n"
        "    found = list(get_ipython().Completer.completions('redink.s', 8))\n"
        "print(*(each.text for each in found))"
    ),
)


@pytest.fixture(scope="module")
def outputs() -> list[list[Any]]:
    """What each cell has put out, in a kernel that has this redink."""
    from docs.write_notebooks import execute

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS])
    execute(notebook, EXAMPLES)
    return [cell.outputs for cell in notebook.cells]


def test_a_table_shows_itself(outputs: list[list[Any]]) -> None:
    (shown,) = outputs[2]
    page = shown["data"]["text/html"]
    assert re.findall(r'<th scope="col" class="\w+">([^<]*)</th>', page)[:3] == [
        "#",
        "system",
        "TP",
    ]
    assert page.count("<tr") == 2 * (1 + 2)  # a block for every metric
    assert '<td class="text">careful</td>' in page
    assert "<strong>0.7450</strong>" in page
    assert "command:score" in page
    assert page.count("<style>") == 1
    assert "<script" not in page
    assert shown["data"]["text/plain"] == outputs[3][0]["text"].rstrip("\n")


def test_print_is_what_the_terminal_shows(outputs: list[list[Any]]) -> None:
    words = ("score", "gold.m2", "careful.txt", "eager.txt", "--metric", "errant,gleu")
    shell = run_command(EXAMPLES, *words)
    assert outputs[3][0]["text"] == shell.stdout
    assert "careful" in shell.stdout


def test_error_types_are_a_heat_map(outputs: list[list[Any]]) -> None:
    """A column for each system, a line for each type, and colours that need no white page."""
    (shown,) = outputs[4]
    page = shown["data"]["text/html"]
    assert "redink-heatmap" in page
    assert '<th scope="row" class="text">VERB:SVA</th>' in page
    assert re.search(r'style="background:rgb\(59 130 196 / 0\.\d\d\)"', page)


def test_plots_diffs_and_completion_work(outputs: list[list[Any]]) -> None:
    (plot,), (diff,), (completed,) = outputs[5:]
    assert plot["data"]["image/png"]
    assert plot["metadata"]["image/png"]["width"] == 768
    assert "<ins" in diff["data"]["text/html"]
    assert diff["data"]["text/plain"] == "He [-go-] {+goes+} (R:VERB:SVA) ."
    names = {name for name in redink.__all__ if name.lower().startswith("s")}
    assert set(completed["text"].split()) <= names
    assert "score" in completed["text"].split()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paper-table", "judgments"])
def test_the_notebooks_of_the_docs_show_what_they_do(name: str) -> None:
    """Executed here, every cell puts out what the page shows; ``make docs`` writes them again."""
    from docs.write_notebooks import NOTEBOOKS, execute

    [path] = [path for path in NOTEBOOKS if path.stem == name]
    notebook = nbformat.read(path, as_version=4)
    shown = [shown_by(cell) for cell in notebook.cells]
    assert any(shown)
    execute(notebook, path.parent)
    assert [shown_by(cell) for cell in notebook.cells] == shown


def shown_by(cell: Any) -> list[str]:
    outputs = cell.get("outputs", [])
    return [each.get("text") or each["data"]["text/plain"] for each in outputs]
