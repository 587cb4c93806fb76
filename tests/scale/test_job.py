"""Large jobs on this machine: any form of input, continued, refused, stopped and killed."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pytest
import zstandard
from click.testing import CliRunner
from pyarrow import parquet
from tests.scale.corpus import (
    example_pairs,
    output_of,
    start_job,
    wait_for,
    whole_output,
    write_lines,
    write_shards,
)

import redink
from redink.analysis.language import load_analyzer
from redink.cli.main import cli
from redink.errors import FormatError, OptionError, RedinkError
from redink.files import read_lines

PAIRS = example_pairs(90)
SIZE = 20  # pairs of a piece


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three shards of thirty pairs, and what an undisturbed job makes of them in ``whole``."""
    folder = tmp_path_factory.mktemp("corpus")
    write_shards(folder, PAIRS, 3)
    redink.annotate_shards(
        folder / "source", folder / "corrected", folder / "whole", shard_size=SIZE, workers=1
    )
    return folder


def run(corpus: Path, output: Path, **options: Any) -> redink.Table:
    """The job of ``corpus`` in another folder, in this process."""
    return redink.annotate_shards(
        corpus / "source",
        corpus / "corrected",
        output,
        **{"shard_size": SIZE, "workers": 1, **options},
    )


# ---- what is written


def test_a_shard_is_cut_into_pieces(corpus: Path) -> None:
    written = output_of(corpus / "whole")
    assert list(written) == [f"part-0{s}-0000{n}.m2" for s in range(3) for n in range(2)]
    lines = whole_output(corpus / "whole").decode().splitlines()
    assert [line[2:] for line in lines if line[:2] == "S "] == [source for source, _ in PAIRS]


def test_a_shard_is_what_the_file_alone_gives(corpus: Path, tmp_path: Path) -> None:
    run(corpus, tmp_path / "out", shard_size=1000)
    redink.annotate_files(
        corpus / "source" / "part-01.txt", corpus / "corrected" / "part-01.txt", tmp_path / "x.m2"
    )
    assert list(output_of(tmp_path / "out")) == ["part-00.m2", "part-01.m2", "part-02.m2"]
    assert (tmp_path / "out" / "part-01.m2").read_bytes() == (tmp_path / "x.m2").read_bytes()


def test_totals(corpus: Path, tmp_path: Path) -> None:
    for side in (0, 1):
        write_lines(tmp_path / f"{side}.txt", [pair[side] for pair in PAIRS])
    files = tmp_path / "0.txt", tmp_path / "1.txt"
    alone = redink.annotate_files(*files, tmp_path / "x.m2")
    table = run(corpus, tmp_path / "out")
    again = run(corpus, tmp_path / "out")
    expected = [{**row, "file": None} for row in alone.rows]
    for made in (table, again):
        assert [{**row, "file": None} for row in made.rows] == expected
        assert made.signature == table.signature
    assert table.signature["shard_size"] == SIZE
    assert table.notes[1].startswith("90 pairs in ")
    assert again.notes[1].startswith("0 pairs in ")


def make_inputs(folder: Path, form: str) -> tuple[list[str], dict[str, Any]]:
    """The pairs of the corpus in one form: the arguments and the options."""
    sides = [[pair[side] for pair in PAIRS] for side in (0, 1)]
    if form in {"txt", "gz", "zst"}:
        pack = {"txt": bytes, "gz": gzip.compress, "zst": zstandard.ZstdCompressor().compress}[form]
        names = [f"{side}.{form}" for side in ("s", "c")]
        for name, side in zip(names, sides, strict=True):
            (folder / name).write_bytes(pack("".join(f"{line}\n" for line in side).encode()))
        return [str(folder / name) for name in names], {}
    if form == "tsv":
        write_lines(folder / "p.tsv", ["\t".join(pair) for pair in PAIRS])
    elif form == "jsonl":
        lines = [json.dumps({"text": s, "fixed": [c]}) for s, c in PAIRS]
        (folder / "p.jsonl").write_bytes(gzip.compress("\n".join(lines).encode()))
    else:
        table = pa.table({"text": sides[0], "n": list(range(len(PAIRS))), "fixed": sides[1]})
        parquet.write_table(table, folder / "p.parquet", row_group_size=7)
    columns = {"source_column": "text", "corrected_column": "fixed"} if form != "tsv" else {}
    return [str(folder / f"p.{form}")], columns


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    (source, corrected), _ = make_inputs(folder, "txt")
    redink.annotate_shards(source, corrected, folder / "out", shard_size=SIZE, workers=1)
    redink.annotate_files(source, corrected, folder / "out.m2")
    return folder


@pytest.mark.parametrize("form", ["gz", "zst", "jsonl", "tsv", "parquet"])
def test_every_form_gives_the_same(plain: Path, tmp_path: Path, form: str) -> None:
    (source, *corrected), columns = make_inputs(tmp_path, form)
    redink.annotate_shards(
        source, corrected, tmp_path / "out", shard_size=SIZE, workers=1, **columns
    )
    assert whole_output(tmp_path / "out") == whole_output(plain / "out")
    redink.annotate_files(source, corrected, tmp_path / "out.m2", **columns)
    assert (tmp_path / "out.m2").read_bytes() == (plain / "out.m2").read_bytes()


@pytest.mark.parametrize("compress", ["gz", "zst"])
def test_compressed_output(corpus: Path, tmp_path: Path, compress: Any) -> None:
    run(corpus, tmp_path, compress=compress)
    plain = output_of(corpus / "whole")
    assert list(output_of(tmp_path)) == [f"{name}.{compress}" for name in plain]
    for name, content in plain.items():
        lines = [line for _, line in read_lines(tmp_path / f"{name}.{compress}")]
        assert lines == content.decode().splitlines()


def test_several_annotators(corpus: Path, tmp_path: Path) -> None:
    table = redink.annotate_shards(
        corpus / "source", [corpus / "corrected", f"{corpus}/source/*.txt"], tmp_path, workers=1
    )
    assert [row["edits"] > 0 for row in table.rows] == [True, False]
    assert [row["file"] for row in table.rows] == ["corrected", "*.txt"]


@pytest.mark.parametrize(
    ("source", "corrected", "message"),
    [
        (["a b", "", "c"], ["a c", "x", "c"], "1 lines without a source"),
        (["a b", "a c", "a d"], ["a x", "a |", "a y"], "1 sentences that M2 cannot represent"),
    ],
    ids=["no source", "not in M2"],
)
def test_lines_that_are_left_out(
    source: list[str], corrected: list[str], message: str, tmp_path: Path
) -> None:
    """Sentences without a source, or that M2 cannot represent, are counted."""
    for side, lines in (("s", source), ("c", corrected)):
        write_lines(tmp_path / side / "1", lines)
        write_lines(tmp_path / side / "2", [])
    with pytest.warns(redink.RedinkWarning, match=message):
        table = redink.annotate_shards(tmp_path / "s", tmp_path / "c", tmp_path / "out", workers=1)
    assert table.rows[0]["sentences"] == 2
    assert len(redink.read_corpus(tmp_path / "out" / "1.m2").sentences) == 2
    assert (tmp_path / "out" / "2.m2").read_bytes() == b""


# ---- what is refused


def test_unequal_lengths_are_refused_before_any_work(corpus: Path, tmp_path: Path) -> None:
    write_shards(tmp_path, PAIRS, 3)
    write_lines(tmp_path / "corrected" / "part-01.txt", ["just one"])
    with pytest.raises(FormatError, match=r"part-01\.txt:1: ends after line 1"):
        run(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fixed": True}, "started with fixed not given, not True"),
        ({"compress": "gz"}, "started with compress not given, not 'gz'"),
        ({"merge": "all-split"}, "started with merge 'rules', not 'all-split'"),
    ],
    ids=str,
)
def test_another_job_in_the_folder(corpus: Path, options: dict[str, Any], message: str) -> None:
    before = output_of(corpus / "whole")
    with pytest.raises(RedinkError, match=message):
        run(corpus, corpus / "whole", **options)
    assert output_of(corpus / "whole") == before


def test_changed_input_is_refused(tmp_path: Path) -> None:
    write_shards(tmp_path, PAIRS, 3)
    words = write_lines(tmp_path / "words", ["a", "b"])
    run(tmp_path, tmp_path / "out", lexicon=words)
    run(tmp_path, tmp_path / "out", lexicon=words)
    write_lines(words, ["a", "c"])
    with pytest.raises(RedinkError, match="started with words"):
        run(tmp_path, tmp_path / "out", lexicon=words)
    write_lines(words, ["a", "b"])
    file = tmp_path / "corrected" / "part-02.txt"
    lines = file.read_text().splitlines()
    write_lines(file, [*lines[:-1], "something else"])
    with pytest.raises(RedinkError, match=r"part-02\.txt: changed since the job"):
        run(tmp_path, tmp_path / "out", lexicon=words)
    write_lines(file, lines)
    run(tmp_path, tmp_path / "out", lexicon=words)
    for side in ("source", "corrected"):
        write_lines(tmp_path / side / "part-03.txt", ["new"])
    with pytest.raises(RedinkError, match=r"on other inputs \(3 shards, now 4"):
        run(tmp_path, tmp_path / "out", lexicon=words)


def test_other_columns_are_refused(tmp_path: Path) -> None:
    lines = [json.dumps({"source": s, "corrected": c, "other": c}) for s, c in PAIRS[:5]]
    file = write_lines(tmp_path / "p.jsonl", lines)
    redink.annotate_shards(file, [], tmp_path / "out", workers=1)
    with pytest.raises(RedinkError, match=r"columns \['source', 'corrected'\], not \['source', 'o"):
        redink.annotate_shards(file, [], tmp_path / "out", workers=1, corrected_column="other")


def test_what_is_there_is_not_overwritten(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "part-01-00001.m2").write_text("precious")
    with pytest.raises(RedinkError, match="exists but is not in a manifest"):
        run(corpus, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["part-01-00001.m2"]
    (tmp_path / "manifest.jsonl").write_text("nonsense\n")
    with pytest.raises(FormatError, match="not a redink manifest"):
        run(corpus, tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["source", "corrected"], "need an output folder: -o OUT/"),
        (
            ["source/part-00.txt", "--engine", "dask", "-o", "x.m2"],
            "--engine requires an output folder",
        ),
        (
            ["source", "corrected", "--scheduler", "tcp://x:1", "-o", "x/"],
            "--scheduler requires --engine dask",
        ),
        (["source", "--auto", "-o", "x/"], "--auto reads one file"),
        (["source/part-00.txt", "-o", "x/"], "add the corrected text"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_usage(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(corpus)
    result = CliRunner().invoke(cli, ["annotate", *arguments])
    assert isinstance(result.exception, RedinkError)
    assert message.replace(".", "") in str(result.exception).replace(".", "").replace("*", "")
    assert not Path("x").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lexicon": {"a", "b"}}, "needs the word list as a file"),
        ({"analyzer": load_analyzer()}, "analyzer by name"),
        ({"engine": "ray"}, "engine: unknown value 'ray'"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_a_job_does_not_take(
    corpus: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        run(corpus, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_a_failed_job_says_how_to_continue(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RedinkError("the machine room is on fire")

    monkeypatch.setattr("redink.scale.job.annotate_piece", fail)
    with pytest.raises(RedinkError, match="on fire") as failed:
        run(corpus, tmp_path / "out")
    assert f"files are in {tmp_path / 'out'}; run the same command" in failed.value.__notes__[0]
    words = [str(corpus / "source"), str(corpus / "corrected"), "-o", f"{tmp_path}/other/"]
    said = CliRunner().invoke(cli, ["annotate", *words, "--workers", "1"]).stderr
    assert f"files are in {tmp_path}/other/; run the same command again to resume" in said


# ---- continuing, whatever happened


def test_what_is_missing_is_done_again(corpus: Path, tmp_path: Path) -> None:
    run(corpus, tmp_path)
    (tmp_path / "part-00-00001.m2").unlink()
    (tmp_path / "part-01-00000.m2").write_text("S")
    with (tmp_path / "manifest.jsonl").open("r+b") as stream:
        stream.truncate(stream.seek(0, os.SEEK_END) - 9)
    table = run(corpus, tmp_path)
    assert table.notes[1].startswith(("40 pairs", "50 pairs"))
    assert output_of(tmp_path) == output_of(corpus / "whole")


AT_WORK = """
import sys
from pathlib import Path
from redink.scale.pieces import open_folder

with open_folder(Path(sys.argv[1])):
    print("at work", flush=True)
    sys.stdin.read()
"""


def test_one_job_at_a_time(tmp_path: Path) -> None:
    write_shards(tmp_path, example_pairs(60), 2)
    with subprocess.Popen(
        [sys.executable, "-c", AT_WORK, tmp_path / "out"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline()
        try:
            with pytest.raises(RedinkError, match="another job is using this folder"):
                run(tmp_path, tmp_path / "out")
        finally:
            first.kill()
    table = run(tmp_path, tmp_path / "out")
    assert table.rows[0]["sentences"] == 60


@pytest.mark.slow
def test_stopped_three_times_and_continued(tmp_path: Path) -> None:
    """Ctrl-C, a killed parent, a killed worker, each at a random moment: the same in the end."""
    write_shards(tmp_path, example_pairs(8000), 2)  # some seconds of work
    run(tmp_path, tmp_path / "whole", shard_size=100)
    arguments = ("source", "corrected", "-o", "out/", "--shard-size", "100", "--workers", "2")
    rng = random.Random(3)
    files = 1
    for number in (signal.SIGINT, signal.SIGKILL, signal.SIGINT):
        job = start_job(tmp_path, *arguments)
        wait_for(tmp_path / "out", "*.m2", files)
        time.sleep(rng.uniform(0, 0.3))
        workers = job.children(recursive=True)
        if number == signal.SIGINT:
            os.killpg(job.pid, number)
        else:
            job.kill()
        _, said = job.communicate()
        if number == signal.SIGINT:
            assert job.returncode == 130, said
            assert "run the same command again to resume" in said
            output_of(tmp_path / "out")  # nothing half-written is left
        psutil.wait_procs(workers)
        files = len(list((tmp_path / "out").glob("*.m2"))) + 1
    assert files < 80
    job = start_job(tmp_path, *arguments)
    wait_for(tmp_path / "out", "*.m2", files)
    max(job.children(), key=lambda child: sum(child.cpu_times()[:2])).kill()
    _, said = job.communicate()
    assert job.returncode == 2, said
    assert "killed, or out of memory" in said
    assert "run the same command again to resume" in said
    job = start_job(tmp_path, *arguments)
    job.communicate()
    assert job.returncode == 0
    assert output_of(tmp_path / "out") == output_of(tmp_path / "whole")
