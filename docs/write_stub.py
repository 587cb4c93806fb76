"""Write ``src/redink/__init__.pyi``: the public functions for editors and type checkers.

    python docs/write_stub.py [--check]

A command accepts the fields of its option groups as keywords, which a type checker cannot infer
from the function. ``--check`` writes nothing and exits with 1 if the file is outdated.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import redink
from redink.options import DisplayOptions, Options, PlotOptions

STUB = Path(redink.__file__).with_suffix(".pyi")
HEAD = "# Written by `make docs` from the signatures of the commands: do not edit.\n\n"


class Stub:
    """The text of the stub, and its imports."""

    def __init__(self) -> None:
        self.imports: set[tuple[str, str]] = set()

    def spell(self, hint: Any) -> str:  # noqa: PLR0911 (one case per line)
        """Return the source code of a type."""
        origin, members = get_origin(hint), get_args(hint)
        if hint is Any:
            return self._name("typing", "Any")
        if isinstance(hint, list):  # the parameters of a Callable
            return f"[{', '.join(map(self.spell, hint))}]"
        if hint in {None, NoneType}:
            return "None"
        if hint is Ellipsis:
            return "..."
        if origin in {Union, UnionType}:
            return " | ".join(dict.fromkeys(map(self.spell, members)))
        if origin is Literal:
            return f"{self._name('typing', 'Literal')}[{', '.join(map(repr, members))}]"
        if origin is not None:
            return f"{self.spell(origin)}[{', '.join(map(self.spell, members))}]"
        if hint.__module__ == "builtins":
            return str(hint.__name__)
        return self._name(hint.__module__, hint.__name__)

    def _name(self, module: str, name: str) -> str:
        # import from the public packages instead of numpy's and pathlib's internal modules
        public = {"numpy.random._generator": "numpy.random", "pathlib._local": "pathlib"}
        self.imports.add((public.get(module, module), name))
        return name

    def function(self, name: str, function: Callable[..., Any]) -> str:
        """Return a function with its parameters, without the values of defaults."""
        inner = inspect.unwrap(function)
        hints: dict[str, Any] = get_type_hints(inner)
        for parameter in inspect.signature(inner).parameters.values():
            if isinstance(parameter.default, Options):
                hints |= get_type_hints(type(parameter.default))
        hints |= get_type_hints(PlotOptions) | get_type_hints(DisplayOptions)
        signature = inspect.signature(function)
        parts, starred = [], False
        groups = {name: type(group) for name, group in function.__groups__.items() if name}
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY and not starred:
                parts.append("*")
                starred = True
            default = "" if parameter.default is parameter.empty else " = ..."
            parts.append(f"{parameter.name}: {self.spell(hints[parameter.name])}{default}")
        for group, kind in groups.items():
            parts.append(f"{group}: {self.spell(kind)} = ...")
        answer = self.spell(hints["return"])
        return f"def {name}({', '.join(parts)}) -> {answer}: ...\n"


def render() -> str:
    """Return the whole file."""
    stub = Stub()
    functions = []
    for name in sorted(redink.__all__):
        value = getattr(redink, name)
        if hasattr(value, "__draws__"):
            functions.append(stub.function(name, value))
    names = [n for n in redink.__all__ if not hasattr(getattr(redink, n), "__draws__")]
    lines = [
        f"from {getattr(getattr(redink, name), '__module__', 'redink')} import {name} as {name}"
        for name in sorted(names)
        if name != "__version__"
    ]
    imports = [
        f"from {module} import {name}"
        for module, name in sorted(stub.imports)
        if name not in redink.__all__
    ]
    public = f"__version__: str\n__all__ = {sorted(redink.__all__)!r}\n"
    text = "\n".join([HEAD, *imports, *lines, "", public, *functions])
    ruff = [sys.executable, "-m", "ruff"]
    for step in (["check", "--fix", "--select", "I,F401", "-"], ["format", "-"]):
        named = [*ruff, *step, "--quiet", "--stdin-filename", "__init__.pyi"]
        text = subprocess.run(named, input=text, capture_output=True, text=True, check=True).stdout
    return text


def main() -> int:
    """Write the stub, or report that it is outdated."""
    text = render()
    if "--check" not in sys.argv[1:]:
        STUB.write_text(text, encoding="utf-8")
        return 0
    if STUB.exists() and STUB.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{STUB.name} differs from the declarations of the commands; run: make docs\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
