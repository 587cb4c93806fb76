"""Metrics: from edits or text to counts, and from counts to scores."""
