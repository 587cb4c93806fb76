"""The command line: one file a command; parses, calls a workflow, prints; no logic."""
