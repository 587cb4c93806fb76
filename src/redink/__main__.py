"""``python -m redink``, and the script ``redink``."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line; Ctrl-C while it is loading ends it quietly."""
    try:
        from redink.processes import look_for_cycles_seldom

        look_for_cycles_seldom()
        from redink.cli.main import main as run
        from redink.cli.stopping import ignore_signals
    except KeyboardInterrupt:
        sys.exit(130)
    try:
        run()
    finally:
        ignore_signals()
        gc.freeze()  # what ends with the process need not be looked through once more


if __name__ == "__main__":
    main()
