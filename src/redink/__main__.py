"""``python -m redink``."""

from redink.cli.main import main

main()
