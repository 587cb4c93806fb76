"""METEOR 1.5, without paraphrases."""

from redink.scoring.meteor.metric import Meteor

__all__ = ["Meteor"]
