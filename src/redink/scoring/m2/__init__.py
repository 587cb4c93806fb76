"""The M2 scorer (MaxMatch)."""

from redink.scoring.m2.metric import MaxMatch

__all__ = ["MaxMatch"]
