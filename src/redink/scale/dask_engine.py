"""Run the pieces of a large job on a Dask cluster.

Workers read and write the files themselves, so little data is transferred. The scheduler assigns
the piece of a killed worker to another one. The output is the same as that of the local engine.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any

from redink.errors import MissingExtraError, RedinkError, RedinkWarning
from redink.scale.pieces import Engine

_one_at_a_time = Lock()


def dask_setup(_worker: Any) -> None:
    """Ignore Ctrl-C in a local worker (Dask calls this); the parent process stops it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def dask_engine(scheduler: str | None, workers: int) -> Iterator[Engine]:
    """Yield an engine on a cluster: of a scheduler (address or file), or a new local cluster."""
    try:
        import distributed
    except ImportError as error:
        raise MissingExtraError("distributed", "scale") from error
    if scheduler is not None:
        with _connect(distributed, scheduler) as client:
            yield _engine(distributed, client)
        return
    from dask import config

    # Each worker is a process with one thread, because the work holds Python's GIL. It needs no
    # memory limit, since workers store nothing, and no dashboard.
    with (
        config.set({"distributed.worker.preload": [__name__]}),
        distributed.LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=None,
            dashboard_address=":0",  # any free port: another cluster may use the default
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,  # type: ignore[no-untyped-call]
    ):
        yield _engine(distributed, client)


@contextmanager
def _connect(distributed: Any, scheduler: str) -> Iterator[Any]:
    where = {"scheduler_file": scheduler} if os.path.isfile(scheduler) else {"address": scheduler}  # noqa: PTH113 (an address is not a path)
    try:
        client = distributed.Client(**where)
    except (OSError, ValueError) as error:
        raise RedinkError(f"no Dask scheduler found at {scheduler}") from error
    with client:
        if not client.scheduler_info()["workers"]:
            warnings.warn(
                f"the cluster at {scheduler} has no workers yet; waiting for the first one",
                RedinkWarning,
                stacklevel=3,
            )
        yield client


def _engine(distributed: Any, client: Any) -> Engine:
    def run(function: Callable[[Any], Any], items: Iterable[Any]) -> Generator[Any]:
        # not pure: a piece is processed if its file is missing, regardless of earlier calls
        futures = client.map(partial(_alone, function=function), list(items), pure=False)
        try:
            for future in distributed.as_completed(futures):
                yield _result(distributed, future)
                future.release()
        finally:
            client.cancel(futures)

    return run


def _result(distributed: Any, future: Any) -> Any:
    try:
        return future.result()
    except distributed.scheduler.KilledWorker as error:
        raise RedinkError(
            "workers of the cluster ended repeatedly while processing one piece "
            "(killed, or out of memory)"
        ) from error
    except (asyncio.CancelledError, CancelledError) as error:
        raise RedinkError("lost the connection to the Dask scheduler") from error
    except ImportError as error:
        raise RedinkError(
            f"a worker of the cluster cannot load redink ({error}); install it on all machines"
        ) from error


def _alone(item: Any, *, function: Callable[[Any], Any]) -> Any:
    """Run the function on one item at a time: the pipeline is not thread-safe."""
    with _one_at_a_time:
        return function(item)
