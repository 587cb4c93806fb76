"""``python -m redink``, and the script ``redink``."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line; Ctrl-C while it is loading ends it quietly."""
    # A command makes millions of small values that live long: to look through them for cycles
    # again and again takes a fifth of its time.
    gc.set_threshold(1_000_000, 50, 1000)
    try:
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
