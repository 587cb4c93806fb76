"""Comparison of writer, annotator and system: units, targets, counts and curves."""
