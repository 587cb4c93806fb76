"""The README and the links in the metadata of a distribution.

The release workflow sets ``REDINK_REPOSITORY`` (a URL) and ``REDINK_TAG``. Then the distribution
links to the repository, and the relative links and pictures of the README become absolute, so that
they work on a package index. Without them, the README stays as it is.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?\[[^\]]*\]\()(?!https?:|#)([^)\s]+)(\))")


def make_absolute(text: str, repository: str, tag: str) -> str:
    """Return a README whose relative links and pictures point to a tag of the repository."""

    def replace(link: re.Match[str]) -> str:
        kind = "raw" if link[1].startswith("!") else "blob"
        return f"{link[1]}{repository}/{kind}/{tag}/{link[2]}{link[3]}"

    return _LINK.sub(replace, text)


class Metadata(MetadataHookInterface):
    """Fill in ``readme`` and ``urls``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the fields that pyproject.toml declares as dynamic."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = os.environ.get("REDINK_REPOSITORY", "").rstrip("/")
        metadata["urls"] = {}
        if repository:
            tag = os.environ.get("REDINK_TAG", "main")
            text = make_absolute(text, repository, tag)
            metadata["urls"] = {
                "Repository": repository,
                "Documentation": f"{repository}/blob/{tag}/README.md",
                "Changelog": f"{repository}/blob/{tag}/CHANGELOG.md",
                "Issues": f"{repository}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
