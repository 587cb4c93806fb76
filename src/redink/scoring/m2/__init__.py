"""The M2 scorer (MaxMatch)."""
