"""Build the documentation site in build/site: ``make site``.

    python -m docs.write_site [FOLDER]

The pages are those of ``docs/``. The API reference is generated from docstrings
(:mod:`docs.write_api`), and the gallery by running the commands it shows on the bundled example. A
broken link is an error.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
import textwrap
from pathlib import Path

from docs.write_api import write_api
from docs.write_examples import ROOT, copy_example, run

import redink

DOCS = ROOT / "docs"
GROUPS = {
    "Getting started": "installation tutorial questions glossary",
    "Tutorials": "references paper-table judgments",
    "How-to guides": "annotation align languages chinese scoring comparing gate slices metrics "
    "detection reports output agreement language-models model-judges crowd sampling ranking "
    "meta-evaluation campaigns campaign-server shared-tasks papers scale detectors drop-in",
    "Reference": "cli api formats error-types universal-types string-metrics gallery cache "
    "environment",
    "Papers, section by section": "chodorow-2012 tetreault-chodorow-2008 madnani-2011 "
    "bryant-2017 grundkiewicz-2015",
    "Background": "other-tools reproduction performance trust",
    "Development": "contributing architecture dependencies releasing changelog",
}
"""The pages by purpose; other pages are listed under "More"."""

_SYSTEMS = "gold.m2 careful.txt eager.txt speller.txt"
GALLERY = {
    "Scores with confidence intervals": f"score {_SYSTEMS} --metric errant --bootstrap 500",
    "Scores by error type": f"score {_SYSTEMS} --metric errant --by type",
    "Differences between systems": f"compare {_SYSTEMS} --metric errant --samples 1000",
    "Detection at every threshold": "detection gold.m2 careful.ged.tsv eager.ged.tsv --curve",
    "A human ranking": "rank rankings.xml --method trueskill",
    "Head to head": "rank rankings.xml --show head-to-head",
    "Correlation of metrics with human judgments": "meta rankings.xml scores.json",
    "Correlation by beta": "meta rankings.xml scores.json --show betas",
    "Precision and recall by agreement of crowd workers": "crowd crowd.csv --show agreement",
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
    "extensions": ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_nb", "sphinx_copybutton"],
    "copybutton_prompt_text": "$ ",
    "copybutton_only_copy_prompt_lines": True,
    "myst_enable_extensions": ["deflist"],
    "html_theme": "furo",
    "html_copy_source": False,
    "smartquotes": False,  # they would turn --source into a dash
    "html_favicon": "favicon.svg",
    "html_show_sphinx": False,
    "templates_path": [],
    "myst_heading_anchors": 4,
    "nb_execution_mode": "off",  # notebooks are saved with their outputs, which the tests compare
    "autodoc_typehints": "description",
    "autodoc_member_order": "bysource",
    "napoleon_numpy_docstring": False,
    "suppress_warnings": ["mystnb.unknown_mime_type"],
}


def copy_pages(folder: Path) -> None:
    """Copy the pages of ``docs`` and of its parent folder; adapt their links to the site."""
    for path in [*DOCS.glob("*.md"), *DOCS.glob("*.ipynb")]:
        shutil.copy(path, folder)
    for name in ("commands", "pictures", "performance"):
        shutil.copytree(DOCS / name, folder / name)
    for name, source in {
        "contributing": "CONTRIBUTING.md",
        "changelog": "CHANGELOG.md",
    }.items():
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    for page in folder.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(_turn_links(text), encoding="utf-8")
    with (folder / "cli.md").open("a", encoding="utf-8") as overview:
        overview.write("\n```{toctree}\n:hidden:\n:glob:\n\ncommands/*\n```\n")


def _turn_links(text: str) -> str:
    """Adapt links to the site; a link to a file outside of it becomes the file name."""
    text = re.sub(r"\]\((?:\.\./)?(README|CONTRIBUTING|CHANGELOG)\.md", _lower, text)
    return re.sub(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:|#)([^)#]+)(#[^)]*)?\)", _keep_or_name, text)


def _lower(link: re.Match[str]) -> str:
    page = link[1].lower()
    return f"]({'index' if page == 'readme' else page}.md"


def _keep_or_name(link: re.Match[str]) -> str:
    name = link[2].removeprefix("commands/")
    is_page = name.endswith((".md", ".ipynb", ".png", ".svg")) and "/" not in name
    return link[0] if is_page else f"{link[1]} (`{link[2].removeprefix('../')}`)"


SHORT_TITLES = {
    "align": "Raw text",
    "gate": "Continuous integration",
    "slices": "Slices and named columns",
    "bryant-2017": "Bryant 2017",
    "campaigns": "Campaigns",
    "chinese": "Chinese",
    "cli": "Command line",
    "comparing": "Significance tests",
    "drop-in": "Drop-in commands",
    "environment": "Environment variables",
    "formats": "File formats",
    "grundkiewicz-2015": "Grundkiewicz 2015",
    "judgments": "Meta-evaluation notebook",
    "other-tools": "Other tools",
    "output": "Tables and plots",
    "paper-table": "Paper table",
    "papers": "Citing, signatures",
    "questions": "How-to questions",
    "ranking": "Human rankings",
    "references": "Making references",
    "releasing": "Versions, releases",
    "reproduction": "Published results",
    "sampling": "Sampling",
    "scale": "Large corpora",
    "tutorial": "Tutorial",
    "universal-types": "Universal types",
}
"""Short titles for the menu, if the title of the page has more than three words."""


def write_front(folder: Path) -> None:
    """Write the front page, with the menu of all pages."""
    known = {name for names in GROUPS.values() for name in names.split()}
    pages = {path.stem for path in [*folder.glob("*.md"), *folder.glob("*.ipynb")]}
    rest = {name for name in pages - known if not name.startswith("api-")}
    groups = {title: names.split() for title, names in GROUPS.items()} | {"More": sorted(rest)}
    menu = ""
    for title, names in groups.items():
        lines = [f"{SHORT_TITLES[n]} <{n}>" if n in SHORT_TITLES else n for n in names]
        if lines:
            entries = "\n".join(lines)
            menu += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{entries}\n```\n"
    front = (DOCS / "site" / "index.md").read_text(encoding="utf-8")
    (folder / "index.md").write_text(front + menu, encoding="utf-8")


def write_gallery(folder: Path) -> None:
    """Write the gallery: every plot with its command."""
    (folder / "gallery").mkdir()
    with tempfile.TemporaryDirectory() as place:
        example = Path(place) / "example"
        copy_example(example)
        _run(BEFORE, example)
        parts = ["# Plots\n\nEach plot shows the bundled example. The command below it draws it.\n"]
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
    """Write the site into a folder; return the exit code of Sphinx."""
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
        fix_pages(target)
        return int(made.statuscode)


STYLE = """
td.wordy { min-width: 12rem }
.lead { font-size: 1.25em; line-height: 1.5 }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem }
.button { border: 1px solid var(--color-brand-primary); border-radius: .4rem; padding: .45rem .9rem;
  text-decoration: none; color: var(--color-brand-primary) }
.button.first { background: var(--color-brand-primary); color: var(--color-background-primary) }
article img { border-radius: .4rem; background: #fff }
article dl.simple dd p, article dl dd p { margin-top: .1rem }
"""

FIXES = {
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper ': '<div tabindex="0" class="table-wrapper ',
    "</head>": f"<style>{STYLE}</style></head>",
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
}
"""Replacements in all pages: scrollable parts can be reached by keyboard, headings have a level,
and columns of tables with long texts have a minimum width on phones."""

_CELL = re.compile(r'<td(?: class="([^"]*)")?>(.*?)</td>', re.DOTALL)
_WORDY = 40
"""A cell with at least this many letters needs a minimum width."""


def give_room(cell: re.Match[str]) -> str:
    """Mark a table cell that contains many words."""
    if len(re.sub(r"<[^>]*>", "", cell[2]).strip()) < _WORDY:
        return cell[0]
    return f'<td class="{f"{cell[1]} " if cell[1] else ""}wordy">{cell[2]}</td>'


def fix_pages(target: Path) -> None:
    """Make the pages usable by keyboard and screen reader."""
    for page in [*target.glob("*.html"), *target.glob("commands/*.html")]:
        text = page.read_text(encoding="utf-8")
        for before, after in FIXES.items():
            text = text.replace(before, after)
        text = _CELL.sub(give_room, text)
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    sys.exit(build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site").resolve()))
