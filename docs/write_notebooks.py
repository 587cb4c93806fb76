"""Execute the notebooks of the docs and save them with their outputs.

    python -m docs.write_notebooks [NOTEBOOK...]

``tests/reports/test_notebook.py`` executes the same notebooks and compares.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import nbclient
import nbformat

import redink

NOTEBOOKS = sorted(Path(__file__).parent.glob("*.ipynb"))


def execute(notebook: Any, folder: Path) -> None:
    """Run all cells, in a kernel with this Python and this redink; store the outputs."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        places = [str(Path(redink.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        here = {
            "PYTHONPATH": os.pathsep.join(filter(None, places)),
            "JUPYTER_DATA_DIR": str(home / "data"),
            "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
            "JUPYTER_PATH": str(home / "share" / "jupyter"),
            "IPYTHONDIR": str(home / "ipython"),
        }
        with patch.dict(os.environ, here):
            install = [sys.executable, "-m", "ipykernel", "install", "--name", "here"]
            subprocess.run([*install, "--prefix", place], check=True, capture_output=True)
            nbclient.NotebookClient(
                notebook,
                kernel_name="here",
                timeout=600,
                resources={"metadata": {"path": str(folder)}},
                record_timing=False,
            ).execute()


def main() -> None:
    """Write all notebooks."""
    for path in [Path(name) for name in sys.argv[1:]] or NOTEBOOKS:
        notebook = nbformat.read(path, as_version=4)
        about = dict(notebook.metadata)
        execute(notebook, path.parent)
        notebook.metadata = nbformat.from_dict(about)  # without the Python version that ran it
        nbformat.write(notebook, path)


if __name__ == "__main__":
    main()
