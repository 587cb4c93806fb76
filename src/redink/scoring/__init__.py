"""Edits or strings to counts to scores."""
