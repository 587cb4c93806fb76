"""The report: one self-contained HTML page, from plain data."""
