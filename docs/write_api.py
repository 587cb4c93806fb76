"""Write the API reference pages of the site, from signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import redink
from redink.options import Option, declaration, parse_docstring
from redink.value_types import describe

TOPICS = {
    "Evaluate systems": "score compare detection report metrics cite",
    "Annotate and prepare text": "annotate annotate_m2 annotate_files annotate_corpus "
    "annotate_shards explain diff align correct convert doctor evaluate_analyzer",
    "Evaluate with human judgments": "agreement judge crowd plan_sample estimate_sample "
    "verify_sample compare_approaches simulate_sample rank meta plan_items",
    "Error detectors": "train_detector run_detector cloze mine",
    "Shared tasks and research": "init_task check_submission score_submissions task_board "
    "task_bundle reproduce data",
    "Read files": "read_corpus read_system read_judgments read_rankings apply_edits",
    "Cache": "cache_info clear_cache",
}
"""Public functions by topic; other functions are listed under "Other functions"."""


def write_api(folder: Path) -> None:
    """Write one page per topic, one about values, one about errors, and their index."""
    public = {name: getattr(redink, name) for name in redink.__all__ if name != "__version__"}
    functions = {name for name, value in public.items() if not isinstance(value, type)}
    topics = {title: [n for n in names.split() if n in public] for title, names in TOPICS.items()}
    topics["Other functions"] = sorted(
        functions - {name for some in topics.values() for name in some}
    )
    about = (redink.__doc__ or "").split("\n\n", 1)[1].replace(":class:", "")
    index = ["# API reference\n", about]
    pages = []
    for title, names in topics.items():
        if names:
            page = _file_name(title)
            pages.append(page)
            index.append(f"\n## {title}\n\n| function | |\n|---|---|")
            parts = [f"# {title}\n"]
            for name in names:
                index.append(
                    f"| [{name}]({page}.md#{name.replace('_', '-')}) | {_summary(public[name])} |"
                )
                parts.append(_describe_function(name, public[name]))
            (folder / f"{page}.md").write_text("\n".join(parts), encoding="utf-8")
    classes = sorted(public.keys() - functions, key=str.lower)
    errors = [name for name in classes if issubclass(public[name], Exception)]
    values = [name for name in classes if name not in errors]
    options = "   :members:\n   :exclude-members: __init__, __new__"
    blocks = {
        "Values": [f".. autoclass:: redink.{name}\n{options}" for name in values],
        "Errors": [f".. autoexception:: redink.{name}" for name in errors],
    }
    for title, directives in blocks.items():
        pages.append(_file_name(title))
        body = "\n\n".join(directives)
        text = f"# {title}\n\n````{{eval-rst}}\n{body}\n````\n"
        (folder / f"{_file_name(title)}.md").write_text(text, encoding="utf-8")
        index.append(f"\n## {title}\n\nSee [{title.lower()}]({_file_name(title)}.md).")
    index.append("\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n")
    (folder / "api.md").write_text("\n".join(index), encoding="utf-8")


def _file_name(title: str) -> str:
    return "api-" + title.lower().replace(" ", "-")


def _summary(function: Callable[..., Any]) -> str:
    return _plain(parse_docstring(inspect.getdoc(function) or "").summary)


def _plain(text: str) -> str:
    """Turn the markup of docstrings into Markdown."""
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", text)
    return text.replace("``", "`")


def _describe_function(name: str, function: Callable[..., Any]) -> str:
    """Return a section about a function: its call, its parameters, and its result."""
    doc = inspect.getdoc(function) or ""
    text = parse_docstring(doc)
    parameters = inspect.signature(function).parameters
    required = [p.name for p in parameters.values() if p.default is p.empty]
    more = ["*, …"] if len(required) < len(parameters) else []
    parts = [f"## {name}\n", f"```text\nredink.{name}({', '.join([*required, *more])})\n```\n"]
    parts += [_plain(text.summary), ""]
    if text.description:
        parts += [_plain(text.description), ""]
    kinds = _kinds_of(function)
    if text.about:
        parts.append("**Parameters**\n")
        for parameter, about in text.about.items():
            shown = f" ({kinds[parameter]})" if kinds else ""
            parts.append(f"`{parameter}`{shown}\n: {_plain(about)}\n")
    if returns := re.search(r"^Returns:\n((?: {4}.*\n?|\n)+)", doc, re.MULTILINE):
        parts += ["**Returns**\n", _plain(" ".join(returns[1].split())), ""]
    return "\n".join(parts)


def _kinds_of(function: Callable[..., Any]) -> Mapping[str, str]:
    if not hasattr(function, "__draws__"):
        return {}
    return {option.name: _describe_type(option) for option in declaration(function).options}


def _describe_type(option: Option) -> str:
    """Describe the type and the default of an option in words."""
    expected = describe(option.kind.hint).replace("True or False", "bool")
    if option.is_required:
        return f"{expected}; required"
    if option.default is None or option.default == ():
        return f"{expected}; optional"
    return f"{expected}; default `{option.default!r}`"
