"""``python -m redink``, and the script ``redink``."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line; Ctrl-C before it listens to signals ends it quietly."""
    try:
        from redink.processes import look_for_cycles_seldom

        look_for_cycles_seldom()
        from redink.cli.main import main as run
        from redink.cli.stopping import ignore_signals

        try:
            run()
        finally:
            ignore_signals()
            gc.freeze()  # what ends with the process need not be looked through once more
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
