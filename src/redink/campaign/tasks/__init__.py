"""The tasks that a campaign can ask, by name; other packages add theirs by an entry point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redink.registry import Registry

if TYPE_CHECKING:
    from redink.campaign.tasks.protocol import Task

TASKS: Registry[Task] = Registry(
    "redink.tasks",
    "task",
    {
        "ranking": "redink.campaign.tasks.ranking:RANKING",
        "usage": "redink.campaign.tasks.catalogue:USAGE",
        "crowd": "redink.campaign.tasks.catalogue:CROWD",
        "cloze": "redink.campaign.tasks.catalogue:CLOZE",
        "choice": "redink.campaign.tasks.catalogue:CHOICE",
        "sample": "redink.campaign.tasks.catalogue:SAMPLE",
        "edit-check": "redink.campaign.tasks.catalogue:EDIT_CHECK",
        "edit-validity": "redink.campaign.tasks.validity:EDIT_VALIDITY",
        "rate": "redink.campaign.tasks.catalogue:RATE",
        "correct": "redink.campaign.tasks.rewriting:CORRECT",
        "post-edit": "redink.campaign.tasks.rewriting:POST_EDIT",
        "mark": "redink.campaign.tasks.marking:MARK",
        "adjudicate": "redink.campaign.tasks.adjudicating:ADJUDICATE",
    },
)
