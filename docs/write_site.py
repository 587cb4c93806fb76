"""Build the documentation as a site, into build/site: ``make site``.

    python -m docs.write_site [FOLDER]

The pages are those of ``docs/``; the front page is the README. The reference of the Python names is
made from their docstrings, and the gallery by running the commands it shows on the bundled example.
A link that leads nowhere is an error.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import shlex
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

from docs.write_examples import ROOT, copy_example, run

import redink

DOCS = ROOT / "docs"
GROUPS = {
    "Begin": "installation questions paper-table judgments drop-in gallery",
    "Systems": "annotation error-types scoring metrics string-metrics comparing detection align "
    "reports",
    "Languages": "languages universal-types chinese",
    "People": "campaigns references agreement crowd sampling ranking meta-evaluation",
    "Look up": "cli api formats output papers shared-tasks scale cache detectors",
    "Behind it": "trust reproduction performance architecture dependencies contributing changelog",
}
"""The pages by subject; what is not named here comes under the heading "More"."""

_SYSTEMS = "gold.m2 careful.txt eager.txt speller.txt"
GALLERY = {
    "Scores with their intervals": f"score {_SYSTEMS} --metric errant --bootstrap 500",
    "Error types of every system": f"score {_SYSTEMS} --metric errant --by type",
    "Differences between systems": f"compare {_SYSTEMS} --metric errant --samples 1000",
    "Detection at every threshold": "detection gold.m2 careful.ged.tsv eager.ged.tsv --curve",
    "A human ranking": "rank rankings.xml --method trueskill",
    "Who beats whom": "rank rankings.xml --show head-to-head",
    "Metrics held against people": "meta rankings.xml scores.json",
    "Which beta people would choose": "meta rankings.xml scores.json --show betas",
    "Systems where the crowd agrees": "crowd crowd.csv --show agreement",
}
BEFORE = f"score {_SYSTEMS} INPUT=source.txt --metric errant,m2 --format json -o scores.json"

FAVICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
    '<path d="M8 1c3 4 5 6 5 9a5 5 0 0 1-10 0c0-3 2-5 5-9z" fill="#b3202c"/></svg>'
)

SETTINGS = {
    "project": "redink",
    "author": "the redink authors",
    "copyright": "the redink authors",
    "release": redink.__version__,
    "html_title": f"redink {redink.__version__}",
    "extensions": ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_nb"],
    "html_theme": "furo",
    "html_copy_source": False,
    "html_favicon": "favicon.svg",
    "html_show_sphinx": False,
    "templates_path": [],
    "myst_heading_anchors": 4,
    "nb_execution_mode": "off",  # they are written with their outputs, which the tests compare
    "autodoc_typehints": "description",
    "autodoc_member_order": "bysource",
    "napoleon_numpy_docstring": False,
    "suppress_warnings": ["mystnb.unknown_mime_type"],
}


def copy_pages(folder: Path) -> None:
    """The pages as they are, and those that lie beside ``docs``, with their links turned."""
    for path in [*DOCS.glob("*.md"), *DOCS.glob("*.ipynb")]:
        shutil.copy(path, folder)
    for name in ("pictures", "performance"):
        shutil.copytree(DOCS / name, folder / name)
    for name, source in {
        "readme": "README.md",
        "contributing": "CONTRIBUTING.md",
        "changelog": "CHANGELOG.md",
    }.items():
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    for page in folder.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        text = text.replace("```mermaid", "```text")  # which a forge draws, and a script elsewhere
        page.write_text(_turn_links(text), encoding="utf-8")


def _turn_links(text: str) -> str:
    """Links out of ``docs`` as links in the site; what is no page there is only named."""
    text = re.sub(r"\]\((?:\.\./)?(README|CONTRIBUTING|CHANGELOG)\.md", _lower, text)
    return re.sub(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:|#)([^)#]+)(#[^)]*)?\)", _keep_or_name, text)


def _lower(link: re.Match[str]) -> str:
    page = link[1].lower()
    return f"]({'index' if page == 'readme' else page}.md"


def _keep_or_name(link: re.Match[str]) -> str:
    is_page = link[2].endswith((".md", ".ipynb", ".png", ".svg")) and "/" not in link[2]
    return link[0] if is_page else f"{link[1]} (`{link[2].removeprefix('../')}`)"


def write_front(folder: Path) -> None:
    """The README, with the list of pages in the margin."""
    known = {name for names in GROUPS.values() for name in names.split()}
    there = {path.stem for path in [*folder.glob("*.md"), *folder.glob("*.ipynb")]}
    groups = {
        **{title: names.split() for title, names in GROUPS.items()},
        "More": sorted(there - known - {"readme", "index"}),
    }
    lists = [
        "```{toctree}\n:hidden:\n:caption: " + title + "\n\n" + "\n".join(names) + "\n```\n"
        for title, names in groups.items()
        if names
    ]
    readme = folder / "readme.md"
    text = readme.read_text(encoding="utf-8") + "\n" + "\n".join(lists)
    (folder / "index.md").write_text(text, encoding="utf-8")
    readme.unlink()


def write_api(folder: Path) -> None:
    """Every public name, from its docstring: functions first, then values, then errors."""
    names = [name for name in redink.__all__ if name != "__version__"]
    kinds: dict[str, list[str]] = {"Functions": [], "Values": [], "Errors": []}
    for name in sorted(names, key=str.lower):
        value = getattr(redink, name)
        if not isinstance(value, type):
            show_plain_types(value)
            kinds["Functions"].append(f".. autofunction:: redink.{name}")
        elif issubclass(value, Exception):
            kinds["Errors"].append(f".. autoexception:: redink.{name}")
        else:
            options = "   :members:\n   :exclude-members: __init__, __new__"
            kinds["Values"].append(f".. autoclass:: redink.{name}\n{options}")
    about = (redink.__doc__ or "").split("\n\n", 1)[1].replace(":class:", "")
    parts = ["# The Python names\n", about]
    for title, directives in kinds.items():
        body = "\n\n".join(directives)
        parts.append(f"## {title}\n\n````{{eval-rst}}\n{body}\n````\n")
    (folder / "api.md").write_text("\n".join(parts), encoding="utf-8")


def show_plain_types(function: Callable[..., Any]) -> None:
    """What the command line adds to a type is of no use in Python."""
    function.__annotations__ = get_type_hints(inspect.unwrap(function))
    signature = inspect.signature(function)
    plain = [  # those of grouped options are text
        each.replace(
            annotation=ast.unparse(_WithoutExtras().visit(ast.parse(each.annotation)))
            if isinstance(each.annotation, str)
            else each.annotation
        )
        for each in signature.parameters.values()
    ]
    function.__signature__ = signature.replace(parameters=plain)  # type: ignore[attr-defined]


class _WithoutExtras(ast.NodeTransformer):
    """Replace ``Annotated[type, extra, …]`` by the type."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.value) == "Annotated" and isinstance(node.slice, ast.Tuple):
            return node.slice.elts[0]
        return node


def write_gallery(folder: Path) -> None:
    """Every plot, with the command that draws it."""
    (folder / "gallery").mkdir()
    with tempfile.TemporaryDirectory() as place:
        example = Path(place) / "example"
        copy_example(example)
        _run(BEFORE, example)
        parts = ["# Plots\n\nEach drawn by the command below it, from the bundled example.\n"]
        for number, (title, command) in enumerate(GALLERY.items()):
            name = f"plot{number}.svg"
            _run(f"{command} --plot {shlex.quote(str(folder / 'gallery' / name))}", example)
            parts.append(f"## {title}\n\n![{title}](gallery/{name})\n")
            lines = textwrap.wrap(f"redink {command} --plot plot.svg", 72, break_on_hyphens=False)
            parts.append("```text\n" + " \\\n    ".join(lines) + "\n```\n")
    (folder / "gallery.md").write_text("\n".join(parts), encoding="utf-8")


def _run(command: str, folder: Path) -> None:
    found = run(f"redink {command} -q", folder)
    if found.code:
        raise SystemExit(f"{command}: {found.errors}")


def build(target: Path) -> int:
    """Write the site into a folder; how the generator ended."""
    from sphinx.application import Sphinx

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "pages"
        folder.mkdir()
        copy_pages(folder)
        write_api(folder)
        write_gallery(folder)
        write_front(folder)
        (folder / "favicon.svg").write_text(FAVICON, encoding="utf-8")
        made = Sphinx(
            folder,
            None,
            target,
            Path(place) / "doctrees",
            "html",
            confoverrides=SETTINGS,
            status=None,
            warningiserror=True,
            keep_going=True,
        )
        made.build()
        mend_pages(target)
        return int(made.statuscode)


MENDED = {
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper ': '<div tabindex="0" class="table-wrapper ',
    "</head>": "<style>td.wordy { min-width: 12rem }</style></head>",
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
}
"""What the theme leaves out: who has no mouse scrolls by keys, headings have a level, and words
beside each other on a phone are no column of syllables: its table scrolls."""

_CELL = re.compile(r'<td(?: class="([^"]*)")?>(.*?)</td>', re.DOTALL)
_WORDY = 40
"""Letters in a cell that need room."""


def give_room(cell: re.Match[str]) -> str:
    """A cell of a table; one with many words says so."""
    if len(re.sub(r"<[^>]*>", "", cell[2]).strip()) < _WORDY:
        return cell[0]
    return f'<td class="{f"{cell[1]} " if cell[1] else ""}wordy">{cell[2]}</td>'


def mend_pages(target: Path) -> None:
    """Make what was built usable by keyboard and screen reader."""
    for page in target.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        for theirs, ours in MENDED.items():
            text = text.replace(theirs, ours)
        text = _CELL.sub(give_room, text)
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    sys.exit(build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site").resolve()))
