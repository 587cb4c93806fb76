"""The same job on a Dask cluster: the same bytes, also when a worker is killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.scale.corpus import example_pairs, output_of, start_job, wait_for, write_shards

import redink
from redink.errors import RedinkError

SIZE = 100


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two shards, and what the local engine makes of them in ``local``."""
    folder = tmp_path_factory.mktemp("corpus")
    write_shards(folder, example_pairs(4000), 2)
    redink.annotate_shards(
        folder / "source", folder / "corrected", folder / "local", shard_size=SIZE, workers=1
    )
    return folder


def start(folder: Path, output: str, *options: str) -> psutil.Popen:
    words = f"source corrected -o {output}/ --shard-size {SIZE} --engine dask".split()
    return start_job(folder, *words, *options)


def test_a_cluster_writes_what_one_process_writes(tmp_path: Path) -> None:
    write_shards(tmp_path, example_pairs(60), 2)
    made = {}
    for engine in ("local", "dask"):
        out = tmp_path / engine
        redink.annotate_shards(
            tmp_path / "source", tmp_path / "corrected", out, shard_size=20, engine=engine
        )
        made[engine] = output_of(out)
    assert made["dask"] == made["local"]
    assert len(made["local"]) == 4


@pytest.mark.slow
def test_two_processes_of_which_one_is_killed(corpus: Path) -> None:
    """Stopped by Ctrl-C and continued, a worker killed: what one process writes, in the end."""
    job = start(corpus, "dask", "--workers", "2")
    wait_for(corpus / "dask", "*.m2", 1)
    os.killpg(job.pid, signal.SIGINT)
    _, said = job.communicate()
    assert job.returncode == 130, said
    assert said.splitlines() == [
        "redink: finished files are in dask/; run the same command again to resume",
        "redink: interrupted; no incomplete file is left behind",
    ]
    done = len(output_of(corpus / "dask"))
    job = start(corpus, "dask", "--workers", "2")
    wait_for(corpus / "dask", "*.m2", done + 2)
    max(job.children(recursive=True), key=lambda child: sum(child.cpu_times()[:2])).kill()
    _, said = job.communicate()
    assert job.returncode == 0, said
    assert output_of(corpus / "dask") == output_of(corpus / "local")
    assert "4000 sentences" in said
    assert "Traceback" not in said


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[Path]:
    """A scheduler and a worker with two threads, started as on a machine of a cluster."""
    file = folder / "scheduler.json"
    code = "from distributed.cli.{0} import main; main()"
    common = ("--scheduler-file", str(file), "--no-dashboard")
    with contextlib.ExitStack() as stack:
        for name, options in (
            ("dask_scheduler", ("--port", "0", "--host", "127.0.0.1")),
            ("dask_worker", ("--nthreads", "2", "--no-nanny")),
        ):
            command = [sys.executable, "-c", code.format(name), *common, *options]
            if name == "dask_worker":
                wait_for(folder, file.name)
            process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.terminate)
        yield file


@pytest.mark.slow
def test_a_running_cluster(corpus: Path, tmp_path: Path) -> None:
    """A cluster that is there already, by file or address; its worker has another folder."""
    with cluster(tmp_path) as file:
        # what a job was begun with on one engine, it continues with on another
        job = start(corpus, "other", "--scheduler", str(file))
        wait_for(corpus / "other", "*.m2", 2)
        job.kill()
        job.communicate()
        address = json.loads(file.read_text())["address"]
        job = start(corpus, "other", "--scheduler", address)
        _, said = job.communicate()
    assert job.returncode == 0, said
    assert output_of(corpus / "other") == output_of(corpus / "local")


def test_no_scheduler_there(tmp_path: Path) -> None:
    write_shards(tmp_path, example_pairs(2), 1)
    with pytest.raises(RedinkError, match="no Dask scheduler found at nonsense://nowhere"):
        redink.annotate_shards(
            *(tmp_path / name for name in ("source", "corrected", "out")),
            engine="dask",
            scheduler="nonsense://nowhere",
        )
    assert not (tmp_path / "out").exists()
