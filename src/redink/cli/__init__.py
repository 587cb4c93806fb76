"""The command line, derived from the command functions."""
