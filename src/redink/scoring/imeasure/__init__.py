"""The I-measure (Felice and Briscoe 2015): what a text gains by a system's corrections."""

from redink.scoring.imeasure.metric import IMeasure

__all__ = ["IMeasure"]
