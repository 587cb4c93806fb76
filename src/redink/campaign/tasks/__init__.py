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
        "usage": "redink.campaign.tasks.task_files:USAGE",
        "crowd": "redink.campaign.tasks.task_files:CROWD",
        "cloze": "redink.campaign.tasks.task_files:CLOZE",
        "choice": "redink.campaign.tasks.task_files:CHOICE",
        "sample": "redink.campaign.tasks.task_files:SAMPLE",
        "edit-check": "redink.campaign.tasks.task_files:EDIT_CHECK",
        "edit-validity": "redink.campaign.tasks.edit_questions:EDIT_VALIDITY",
        "rate": "redink.campaign.tasks.task_files:RATE",
        "correct": "redink.campaign.tasks.editing:CORRECT",
        "post-edit": "redink.campaign.tasks.editing:POST_EDIT",
        "mark": "redink.campaign.tasks.editing:MARK",
        "adjudicate": "redink.campaign.tasks.edit_questions:ADJUDICATE",
    },
)
