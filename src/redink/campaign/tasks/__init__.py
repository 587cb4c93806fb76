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
        "usage": "redink.campaign.tasks.builtin:USAGE",
        "crowd": "redink.campaign.tasks.builtin:CROWD",
        "cloze": "redink.campaign.tasks.builtin:CLOZE",
        "choice": "redink.campaign.tasks.builtin:CHOICE",
        "sample": "redink.campaign.tasks.builtin:SAMPLE",
        "edit-check": "redink.campaign.tasks.builtin:EDIT_CHECK",
        "edit-validity": "redink.campaign.tasks.validity:EDIT_VALIDITY",
        "rate": "redink.campaign.tasks.builtin:RATE",
        "correct": "redink.campaign.tasks.rewriting:CORRECT",
        "post-edit": "redink.campaign.tasks.rewriting:POST_EDIT",
        "mark": "redink.campaign.tasks.marking:MARK",
        "adjudicate": "redink.campaign.tasks.adjudication:ADJUDICATE",
    },
)
