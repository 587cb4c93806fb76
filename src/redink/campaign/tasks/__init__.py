"""The tasks that a campaign can ask, by name."""

from redink.campaign.tasks.catalogue import CHOICE, CLOZE, CROWD, EDIT_CHECK, SAMPLE, USAGE
from redink.campaign.tasks.protocol import AnswerError, Task
from redink.campaign.tasks.ranking import RankingTask

TASKS: dict[str, Task] = {
    task.name: task for task in (RankingTask(), USAGE, CROWD, CLOZE, CHOICE, SAMPLE, EDIT_CHECK)
}

__all__ = ["TASKS", "AnswerError", "Task"]
