"""Campaigns: collect judgments from people with a web server.

The functions of ``redink campaign`` are in ``redink.campaign.commands``.
"""

from __future__ import annotations

from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    if name == "commands":
        from redink.campaign import campaign_commands

        return campaign_commands
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
