"""The command line: derived from the use cases; only what is about terminals is written here."""
