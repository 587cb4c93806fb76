"""A little Markdown to HTML, for instructions and consent: nothing in it can be HTML of its own.

Headings, paragraphs, lists, **bold**, *emphasis*, ``code`` and links to the web.
"""

from __future__ import annotations

import re
from html import escape

_HEADING = re.compile(r"#{1,6}\s+(.+)")
_BULLET = re.compile(r"[-*+]\s+(.+)")
_NUMBER = re.compile(r"\d{1,3}[.)]\s+(.+)")
_INLINE = (
    (re.compile(r"\*\*(.+?)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<!\w)\*([^*]+)\*"), r"<em>\1</em>"),
    (re.compile(r"\[([^\]]+)\]\((https?://[^\s)]+)\)"), r'<a href="\2" rel="noreferrer">\1</a>'),
)


def to_html(text: str) -> str:
    """The text as HTML; headings begin at the second level, below the title of the page."""
    parts: list[str] = []
    lines: list[str] = []
    inside = ""

    def close() -> None:
        nonlocal inside
        if inside == "p" and lines:
            parts.append(f"<p>{_inline(' '.join(lines))}</p>")
        elif inside:
            entries = "".join(f"<li>{_inline(line)}</li>" for line in lines)
            parts.append(f"<{inside}>{entries}</{inside}>")
        lines.clear()
        inside = ""

    for line in map(str.strip, text.splitlines()):
        heading = _HEADING.fullmatch(line)
        entry = _BULLET.fullmatch(line) or _NUMBER.fullmatch(line)
        if not line or heading:
            close()
            if heading:
                parts.append(f"<h2>{_inline(heading[1])}</h2>")
        elif entry:
            kind = "ul" if _BULLET.fullmatch(line) else "ol"
            if inside != kind:
                close()
            inside = kind
            lines.append(entry[1])
        elif inside in {"ul", "ol"}:
            lines[-1] += f" {line}"
        else:
            inside = "p"
            lines.append(line)
    close()
    return "\n".join(parts)


def _inline(text: str) -> str:
    """What is inside a line; between backquotes nothing means anything."""
    pieces = escape(text).split("`")
    if len(pieces) % 2 == 0:  # an odd backquote is only itself
        pieces[-2:] = ["`".join(pieces[-2:])]
    for number, piece in enumerate(pieces):
        if number % 2:
            pieces[number] = f"<code>{piece}</code>"
            continue
        for pattern, html in _INLINE:
            piece = pattern.sub(html, piece)  # noqa: PLW2901
        pieces[number] = piece
    return "".join(pieces)
