"""Collect judgments from people in a browser without losing any answer."""
