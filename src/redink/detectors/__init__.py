"""Trainable error detectors from the literature."""
