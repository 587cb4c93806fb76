"""The steps of judges on the way to an answer, in a process that can be ended.

Finding the edits of a typed text can take long. It never delays the storing of answers: a step that
takes too long ends the process, and the judge can save all the same.

The server runs ``python -m redink.campaign.previews``; both sides exchange pickled values.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, BinaryIO

from redink.campaign.task_items import CampaignItem
from redink.campaign.tasks.protocol import AnswerError, CampaignTask

_SECONDS = 3.0
_START_SECONDS = 60.0  # the first step loads the analyzer
_SIZE = 4  # bytes of the length before a pickled value


class PreviewProcess:
    """A process that takes one step at a time; it starts with the first one."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._is_free = asyncio.Lock()

    async def step(
        self, task: CampaignTask, item: CampaignItem, form: Mapping[str, list[str]], seed: int
    ) -> dict[str, Any]:
        """Return the fields after a step; raise an AnswerError if there are none in time."""
        async with self._is_free:
            limit = _SECONDS if self._process else _START_SECONDS
            try:
                async with asyncio.timeout(limit):
                    fields, problem = await self._ask(pickle.dumps((task, item, dict(form), seed)))
            except (TimeoutError, OSError, asyncio.IncompleteReadError) as error:
                await self.stop()
                text = "Your changes cannot be shown at the moment. You can save your answer."
                raise AnswerError(text) from error
            except BaseException:  # the reply would be taken for that of the next step
                await self.stop()
                raise
        if problem is not None:
            raise AnswerError(problem[0], **problem[1])
        return dict(fields)

    async def _ask(self, sent: bytes) -> Any:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "redink.campaign.previews"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
        to, reply = self._process.stdin, self._process.stdout
        assert to is not None
        assert reply is not None
        to.write(len(sent).to_bytes(_SIZE) + sent)
        await to.drain()
        size = int.from_bytes(await reply.readexactly(_SIZE))
        return pickle.loads(await reply.readexactly(size))  # noqa: S301 (from our own process)

    async def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _serve(asked: BinaryIO, replies: BinaryIO) -> None:
    while size := int.from_bytes(asked.read(_SIZE)):
        task, item, form, seed = pickle.loads(asked.read(size))  # noqa: S301 (from the server)
        fields, problem = {}, None
        try:
            fields = task.step(item, form, seed)
        except AnswerError as error:
            problem = error.text, error.values
        sent = pickle.dumps((fields, problem))
        replies.write(len(sent).to_bytes(_SIZE) + sent)
        replies.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    with suppress(AttributeError, OSError):
        os.nice(10)  # storing first
    _serve(sys.stdin.buffer, sys.stdout.buffer)
