"""Suspicious input never passes silently: each damage gets its warning from each command."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.inputs.damage import EXAMPLES, TEXT, Files, damage, read, repeated

import redink
from redink.campaign.campaign_commands import create
from redink.errors import RedinkWarning
from redink.explore.explore_command import explore

Command = Callable[[Path], Any]
EAGER = EXAMPLES / "eager.txt"
FAST: dict[str, Any] = {"metrics": ["gleu"]}


def texts_of(folder: Path) -> dict[str, Any]:
    """Return the references of a folder, as texts apart from their source."""
    return {"source": folder / "source.txt", "references": [folder / "reference.txt"]}


def task_of(folder: Path) -> Path:
    """Return a shared task with the system of a folder as its only submission."""
    task = folder / "task"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedinkWarning)
        redink.init_task(task, source=folder / "source.txt", references=[folder / "gold.m2"])
    file = task / "task.toml"
    text = file.read_text(encoding="utf-8").replace('["errant", "gleu"]', '["gleu"]')
    file.write_text(text.replace("= 1000", "= 0"), encoding="utf-8")
    (task / "submissions" / "mine").mkdir()
    shutil.copy(folder / "mine.txt", task / "submissions" / "mine" / "en.txt")
    return task


def explored(folder: Path) -> None:
    system = folder / "mine.txt"
    explore(folder / "gold.m2", [system], port=0, shows=False, bootstrap=0, **FAST).place.close()


OF_SYSTEMS: dict[str, Command] = {
    "score": lambda x: redink.score(x / "gold.m2", [x / "mine.txt"], **FAST),
    "compare": lambda x: redink.compare(x / "gold.m2", [x / "mine.txt", x / "other.txt"], **FAST),
    "report": lambda x: redink.report(
        x / "gold.m2", [x / "mine.txt"], x / "report", bootstrap=0, **FAST
    ),
    "explore": explored,
    "detection": lambda x: redink.detection(x / "gold.m2", [x / "mine.txt"], unit="sentence"),
    "annotate": lambda x: redink.annotate_files(x / "source.txt", x / "mine.txt", x / "mine.m2"),
    "annotate shards": lambda x: redink.annotate_shards(
        x / "source.txt", x / "mine.txt", x / "m2", workers=1
    ),
    "campaign": lambda x: create(
        x / "campaign.db", [x / "mine.txt"], task="ranking", source=x / "source.txt"
    ),
    "shared-task score": lambda x: redink.score_submissions(task_of(x)),
}
OF_REFERENCES: dict[str, Command] = {
    "score": lambda x: redink.score(systems=[EAGER], **texts_of(x), **FAST),
    "compare": lambda x: redink.compare(
        systems=[EAGER, EXAMPLES / "speller.txt"], **texts_of(x), **FAST
    ),
    "report": lambda x: redink.report(
        systems=[EAGER], output=x / "report", **texts_of(x), bootstrap=0, **FAST
    ),
    "detection": lambda x: redink.detection(systems=[EAGER], **texts_of(x), unit="sentence"),
}
DAMAGES = (*TEXT, "line ends", "copied block")


def is_left_out(command: str, name: str) -> bool:
    """Whether a task leaves out a submission with a problem instead of scoring it."""
    severe = {"another source", "shuffled", "untokenized"}
    return command == "shared-task score" and (name.startswith("shifted") or name in severe)


@pytest.fixture(autouse=True)
def strict() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RedinkWarning)
        yield


@pytest.mark.parametrize("command", OF_SYSTEMS)
@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_system_is_noticed(command: str, name: str, tmp_path: Path) -> None:
    files, told = damage("system", name)
    folder = files.write(tmp_path / "files", damaged="system")
    if command == "annotate shards" and name in {"line ends", "copied block"}:
        pytest.skip("a large job reads its files in pieces")
    if is_left_out(command, name):
        with pytest.raises(redink.DataError, match=told):
            OF_SYSTEMS[command](folder)
        return
    with pytest.raises(RedinkWarning, match=told):
        OF_SYSTEMS[command](folder)


@pytest.mark.parametrize("command", OF_REFERENCES)
@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_reference_is_noticed(command: str, name: str, tmp_path: Path) -> None:
    files, told = damage("reference", name)
    if name in {"decomposed", "other spaces", "copied block"}:
        pytest.skip("the other systems do not fit the changed source")
    if name == "curly":
        pytest.skip("annotators correct the shape of marks")
    folder = files.write(tmp_path / "files", damaged="reference")
    with pytest.raises(RedinkWarning, match=told):
        OF_REFERENCES[command](folder)


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("kind", ["system", "reference"])
def test_doctor_lists_the_damage(kind: str, name: str, tmp_path: Path) -> None:
    files, told = damage(kind, name)
    if (kind, name) == ("reference", "curly"):
        pytest.skip("annotators correct the shape of marks")
    folder = files.write(tmp_path / "files", damaged=kind)
    table = redink.doctor(systems=[folder / "mine.txt"], **texts_of(folder))
    said = [f"{row['file']}: {row['problem']}; {row['advice']}" for row in table.rows]
    file = {"system": "mine.txt", "reference": "reference.txt"}[kind]
    file = "source.txt" if name == "copied block" else file
    assert any(re.search(told, one) and file in one for one in said), said


@pytest.mark.parametrize("command", [*OF_SYSTEMS, "shared-task check"])
def test_the_intact_example_gets_no_warning(command: str, tmp_path: Path) -> None:
    folder = Files.intact().write(tmp_path / "files", damaged="")
    if command == "shared-task check":
        task = task_of(folder)
        table = redink.check_submission(task, task / "submissions" / "mine")
        assert [row["verdict"] for row in table.rows] == ["ok"]
    else:
        OF_SYSTEMS[command](folder)


@pytest.mark.parametrize("command", OF_REFERENCES)
def test_intact_references_get_no_warning(command: str, tmp_path: Path) -> None:
    OF_REFERENCES[command](Files.intact().write(tmp_path / "files", damaged=""))


@pytest.mark.parametrize("name", sorted({*TEXT} - {"decomposed", "other spaces"}))
def test_task_check_notices_a_damaged_submission(name: str, tmp_path: Path) -> None:
    files, told = damage("system", name)
    task = task_of(files.write(tmp_path / "files", damaged="system"))
    table = redink.check_submission(task, task / "submissions" / "mine")
    said = " ".join(str(row["what"]) for row in table.rows)
    assert re.search("is identical to the source" if name == "source" else told, said)


@pytest.mark.parametrize("reference", [EXAMPLES / "gold.m2", None])
def test_a_system_that_is_a_reference_is_noticed(reference: Path | None) -> None:
    apart = {"source": EXAMPLES / "source.txt", "references": [EXAMPLES / "reference-a.txt"]}
    given: dict[str, Any] = {"reference": reference} if reference else apart
    with pytest.raises(RedinkWarning, match="'a' is identical to"):
        redink.score(systems={"a": EXAMPLES / "reference-a.txt"}, **given, **FAST)


def test_two_systems_that_are_identical_are_noticed() -> None:
    systems = {"one": EAGER, "two": read("eager.txt")}
    with pytest.raises(RedinkWarning, match="system 'two' is identical to system 'one'"):
        redink.score(EXAMPLES / "gold.m2", systems, **FAST)


@pytest.mark.parametrize("name", ["source", "INPUT", "baseline", "no-op"])
def test_a_baseline_that_changes_nothing_gets_no_warning(name: str) -> None:
    redink.score(EXAMPLES / "gold.m2", {name: EXAMPLES / "source.txt", "b": EAGER}, **FAST)


def test_references_without_edits_are_noticed(tmp_path: Path) -> None:
    lines = [line for line in read("gold.m2") if not line.startswith("A")]
    (tmp_path / "gold.m2").write_text("\n".join(lines) + "\n")
    with pytest.raises(RedinkWarning, match="no edit in 64 sentences"):
        redink.score(tmp_path / "gold.m2", [EAGER], **FAST)


def test_ids_that_occur_twice_are_noticed(tmp_path: Path) -> None:
    redink.convert(EXAMPLES / "gold.m2", tmp_path / "gold.jsonl")
    corpus = redink.read_corpus(tmp_path / "gold.jsonl")
    named = [
        redink.AnnotatedSentence(redink.Sentence(s.source.tokens, id=f"e.1.{max(n, 2)}"))
        for n, s in enumerate(corpus.sentences, start=1)
    ]
    table = redink.doctor(redink.Corpus(tuple(named)))
    assert any("ids that occur more than once" in row["problem"] for row in table.rows)


# ---- judgments


JUDGED: dict[str, Command] = {"agreement": redink.agreement, "crowd": redink.crowd}


@pytest.mark.parametrize("command", JUDGED)
def test_copied_judgments_are_noticed(command: str, tmp_path: Path) -> None:
    """The same judge, item and label again: a file that was joined with a part of itself."""
    file = tmp_path / "crowd.csv"
    file.write_text("\n".join(repeated(read("crowd.csv"))) + "\n")
    with pytest.raises(RedinkWarning, match="39 judgments are copies"):
        JUDGED[command](file)
    (row,) = redink.doctor(file).rows
    assert row["file"] == str(file)
    assert "39 judgments are copies" in row["problem"]


@pytest.mark.parametrize("command", JUDGED)
def test_intact_judgments_get_no_warning(command: str) -> None:
    JUDGED[command](EXAMPLES / "crowd.csv")
    assert not redink.doctor(EXAMPLES / "crowd.csv").rows


def test_labels_that_a_judge_changed_are_noticed(tmp_path: Path) -> None:
    rows = read("crowd.csv")
    other = [row.replace(",ok,", ",error,") for row in rows[1:3]]
    file = tmp_path / "crowd.csv"
    file.write_text("\n".join([*rows, *other]) + "\n")
    with pytest.raises(RedinkWarning, match="2 judgments have another label"):
        redink.crowd(file)
    redink.agreement(file)


def test_copied_rankings_are_noticed(tmp_path: Path) -> None:
    rankings = list(redink.read_rankings(EXAMPLES / "rankings.xml"))
    redink.rank(rankings)
    with pytest.raises(RedinkWarning, match="5 rankings are copies"):
        redink.rank(rankings + rankings[:5])


def test_annotate_counts_the_lines_of_the_file(tmp_path: Path) -> None:
    files = Files.intact()
    source, lines = ["", *files.source], ["", *files.system]
    lines[5] = f"{lines[5]} </s>"
    for name, some in (("source.txt", source), ("mine.txt", lines)):
        (tmp_path / name).write_text("\n".join(some) + "\n")
    with pytest.raises(RedinkWarning, match="first: line 6"):
        redink.annotate_files(tmp_path / "source.txt", tmp_path / "mine.txt", tmp_path / "a.m2")
