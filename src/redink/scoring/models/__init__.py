"""Metrics and weights that need a neural model: the user's own, on disk."""
