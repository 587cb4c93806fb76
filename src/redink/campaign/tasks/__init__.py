"""The tasks of campaigns by name; other packages add tasks by entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redink.registry import Registry

if TYPE_CHECKING:
    from redink.campaign.tasks.protocol import CampaignTask

TASKS: Registry[CampaignTask] = Registry(
    "redink.tasks",
    "task",
    {
        "ranking": "redink.campaign.tasks.ranking:RANKING",
        "usage": "redink.campaign.tasks.questions:USAGE",
        "crowd": "redink.campaign.tasks.questions:CROWD",
        "cloze": "redink.campaign.tasks.questions:CLOZE",
        "choice": "redink.campaign.tasks.questions:CHOICE",
        "sample": "redink.campaign.tasks.questions:SAMPLE",
        "edit-check": "redink.campaign.tasks.questions:EDIT_CHECK",
        "edit-validity": "redink.campaign.tasks.edit_questions:EDIT_VALIDITY",
        "rate": "redink.campaign.tasks.questions:RATE",
        "correct": "redink.campaign.tasks.editing:CORRECT",
        "post-edit": "redink.campaign.tasks.editing:POST_EDIT",
        "mark": "redink.campaign.tasks.editing:MARK",
        "adjudicate": "redink.campaign.tasks.edit_questions:ADJUDICATE",
    },
)
