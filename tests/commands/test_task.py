"""A shared task from its folder to its leaderboard, and as a bundle that a platform runs."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from itertools import product
from pathlib import Path
from shutil import copyfile

import pytest

from redink import check_submission, init_task, score_submissions, task_board, task_bundle
from redink.cli.main import run_here
from redink.commands.task_score import score_upload
from redink.errors import DataError, FormatError, OptionError, RedinkError, RedinkWarning

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "src" / "redink" / "examples"
SOURCE = (EXAMPLE / "source.txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A task with two sets and three teams, scored without annotating anything."""
    folder = tmp_path / "task"
    init_task(folder, source=EXAMPLE / "source.txt", references=[EXAMPLE / "gold.m2"])
    file = folder / "task.toml"
    text = file.read_text(encoding="utf-8").replace('["errant", "gleu"]', '["gleu", "m2"]')
    second = text[text.index("[[set]]") :].replace('"main"', '"fluency"')
    second = second.replace('file = "en.txt"', 'file = "fluent.txt"')
    file.write_text(text.replace("= 1000", "= 20") + second, encoding="utf-8")
    for team in ("careful", "eager", "speller"):
        place = folder / "submissions" / team
        place.mkdir()
        for name in ("en.txt", "fluent.txt"):
            copyfile(EXAMPLE / f"{team}.txt", place / name)
    return folder


def test_references_that_do_not_fit_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"is plain text without edits\. Try: --source"):
        init_task(tmp_path / "a", references=[EXAMPLE / "reference-a.txt"])
    (tmp_path / "short.txt").write_text("\n".join(SOURCE[:-1]), encoding="utf-8")
    for source, reference in (
        (EXAMPLE / "source.txt", tmp_path / "short.txt"),
        (tmp_path / "short.txt", EXAMPLE / "gold.m2"),
    ):
        with pytest.warns(RedinkWarning, match=r"has \d+ sentences.*cannot be scored until"):
            init_task(tmp_path / reference.stem, source=source, references=[reference])


def found(task: Path, folder: Path) -> list[tuple[str, str, int | None, str]]:
    rows = check_submission(task, folder).rows
    return [(row["file"], row["verdict"], row.get("line"), row["what"]) for row in rows]


def test_a_good_submission_is_ready(task: Path) -> None:
    team = task / "submissions" / "careful"
    assert found(task, team) == [("en.txt", "ok", None, ""), ("fluent.txt", "ok", None, "")]
    assert check_submission(task, team).notes == ("Ready to send.",)


@pytest.mark.parametrize(
    ("lines", "line", "said"),
    [
        (SOURCE[:-1], None, f"has {len(SOURCE) - 1} lines, the source has {len(SOURCE)}"),
        (
            [*SOURCE[:9], *SOURCE[10:]],
            10,
            "line 10 matches source line 11: a line before it is missing",
        ),
        (
            [*SOURCE[:9], "", *SOURCE[9:]],
            11,
            "line 11 matches source line 10: a line before it is extra",
        ),
        ([*SOURCE[:9], *SOURCE[10:], ""], 10, "do not belong to their source line"),
        ([line.replace(" .", ".").replace(" ,", ",") for line in SOURCE], 1, "seems untokenized"),
        ([], None, "is empty"),
    ],
)
def test_a_problem_is_told_with_its_place(
    lines: list[str], line: int | None, said: str, task: Path
) -> None:
    team = task / "submissions" / "careful"
    (team / "en.txt").write_text("".join(f"{one}\n" for one in lines), encoding="utf-8")
    file, verdict, place, what = found(task, team)[0]
    assert (file, verdict) == ("en.txt", "problem")
    assert said in what
    if line is not None:
        assert place == line


@pytest.mark.parametrize(
    ("line", "raw", "said"),
    [
        (5, b"caf\xe9\n", "is not UTF-8"),
        (3, b"a\x00b\n", "contains a NUL character"),
        (1, "text".encode("utf-16"), "is UTF-16; expected UTF-8"),
    ],
)
def test_bytes_that_are_not_text(line: int, raw: bytes, said: str, task: Path) -> None:
    file = task / "submissions" / "careful" / "en.txt"
    whole = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*whole[: line - 1], raw, *whole[line:]]))
    assert found(task, file.parent)[0][2:] == (line, said)


def test_names_of_files(task: Path) -> None:
    team = task / "submissions" / "careful"
    (team / "fluent.txt").rename(team / "fluent.text")
    rows = found(task, team)
    assert rows[1] == ("fluent.txt", "problem", None, "is missing; is it fluent.text?")
    assert rows[2] == ("fluent.text", "note", None, "is not part of the task (ignored)")


def test_what_is_only_strange_is_a_note(task: Path) -> None:
    team = task / "submissions" / "careful"
    (team / "en.txt").write_bytes((EXAMPLE / "source.txt").read_bytes())
    assert found(task, team)[1] == ("en.txt", "note", None, "is identical to the source")
    lines = ["", "I am sorry , I cannot help with that ." + " no" * 60, *SOURCE[2:]]
    (team / "en.txt").write_text("".join(f"{one}\n" for one in lines), encoding="utf-8")
    assert [row[1] for row in found(task, team)] == ["ok", "note", "note", "ok"]


def test_the_exit_code_says_whether_it_is_ready(
    task: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    team = task / "submissions" / "careful"
    assert run_here(["task", "check", str(task), str(team)]) == 0
    (team / "en.txt").unlink()
    assert run_here(["task", "check", str(task), str(team)]) == 1
    assert "is missing" in capsys.readouterr().out


def test_all_submissions_are_scored(task: Path, tmp_path: Path) -> None:
    packed = tmp_path / "zipped.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("en.txt", "fluent.txt"):
            archive.write(EXAMPLE / "careful.txt", f"inside/{name}")
    table = score_submissions(task)
    expected = product(("main", "fluency"), ("careful", "eager", "speller"), ("gleu", "m2"))
    assert {(row["track"], row["system"], row["metric"]) for row in table} == set(expected)
    assert {"low", "high", "group"} <= set(table.column_names)
    alone = score_submissions(task, [packed], bootstrap=0)
    assert {row["system"] for row in alone} == {"zipped"}
    careful = [row["f"] for row in table if row["system"] == "careful" and row["metric"] == "m2"]
    assert careful == [row["f"] for row in alone if row["metric"] == "m2"]
    (task / "submissions" / "eager" / "en.txt").unlink()
    table = score_submissions(task, bootstrap=0)
    assert table.notes[0] == "eager is excluded: en.txt: is missing"
    assert "eager" not in table["system"]


def test_the_leaderboard_is_a_page(task: Path, tmp_path: Path) -> None:
    task_board(task, output=tmp_path / "board", bootstrap=0)
    page = (tmp_path / "board" / "index.html").read_text(encoding="utf-8")
    assert [page.count(f"<h2>{name}</h2>") for name in ("All together", "en main")] == [1, 1]
    assert 'href="en-fluency/report.html"' in page
    assert (tmp_path / "board" / "en-main" / "report.html").is_file()
    assert "http" not in page.replace("https://redink", "")


def test_reports_of_a_leaderboard_do_not_contain_the_references(task: Path, tmp_path: Path) -> None:
    """No word that only references have is in any file, unless references are published."""

    def found(**options: bool) -> set[str]:
        board = tmp_path / f"board{len(options)}"
        task_board(task, output=board, bootstrap=0, **options)
        pages = " ".join(path.read_text(encoding="utf-8") for path in board.rglob("*.*"))
        return {word for word in only_references if f'"{word}"' in pages}

    texts = [(EXAMPLE / f"{name}.txt").read_text() for name in ("source", "careful", "eager")]
    gold = (EXAMPLE / "gold.m2").read_text()
    corrections = {line.split("|||")[2] for line in gold.splitlines() if line.startswith("A ")}
    public = set(" ".join(texts).split())
    only_references = {word for word in corrections if word.isalpha() and len(word) > 4} - public
    assert len(only_references) > 10
    assert not found()
    assert found(publish_references=True) == only_references
    report = (tmp_path / "board0" / "en-main" / "report.html").read_text(encoding="utf-8")
    assert 'href="#sentences"' not in report
    assert "data-show=" not in report


def test_a_bundle_runs_as_a_platform_runs_it(task: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.zip"
    task_bundle(task, bundle)
    place = tmp_path / "platform"
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(place)
    competition = json.loads((place / "competition.yaml").read_text(encoding="utf-8"))
    for name, target in (("scoring_program", "program"), ("reference_data", "input/ref")):
        with zipfile.ZipFile(place / competition["tasks"][0][name]) as archive:
            archive.extractall(place / target)
    (place / "input" / "res").mkdir()
    for name in ("en.txt", "fluent.txt"):
        (place / "input/res" / name).write_bytes((EXAMPLE / "careful.txt").read_bytes())
    command = (place / "program" / "metadata.yaml").read_text(encoding="utf-8").split(": ")[1]
    for variable, value in (("$program", "program"), ("$input", "input"), ("$output", "output")):
        command = command.replace(variable, str(place / value))
    words = [sys.executable, *command.split()[1:]]
    bare = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run(words, check=True, cwd=place, env=bare)
    scores = json.loads((place / "output" / "scores.json").read_text(encoding="utf-8"))
    assert (place / "output" / "detailed_results.html").exists()
    assert competition["enable_detailed_results"] is True
    assert (place / competition["image"]).read_bytes().startswith(b"\x89PNG")
    assert zipfile.is_zipfile(place / competition["phases"][0]["public_data"])
    pages = [page["file"] for page in competition["pages"]]
    assert all((place / page).read_text("utf-8") for page in [competition["terms"], *pages])
    columns = competition["leaderboards"][0]["columns"]
    assert set(scores) == {column["key"] for column in columns}
    expected = score_submissions(task, [task / "submissions" / "careful"], bootstrap=0)
    assert scores["en_main_m2"] == next(row["f"] for row in expected if row["metric"] == "m2")
    assert "en_main_gleu: 0." in (place / "output" / "scores.txt").read_text(encoding="utf-8")


def test_a_bundle_names_the_libraries_of_redink(task: Path, tmp_path: Path) -> None:
    task_bundle(task, tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as bundle:
        program = zipfile.ZipFile(io.BytesIO(bundle.read("scoring_program.zip")))
        named = program.read("requirements.txt").decode().split()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert named == project["dependencies"]


def test_too_many_files_are_refused(task: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "team.zip", "w") as archive:
        for number in range(1001):
            archive.writestr(f"{number}.txt", "")
    with pytest.raises(FormatError, match="contains 1,001 files; at most 1,000"):
        check_submission(task, tmp_path / "team.zip")


def test_a_bad_upload_is_explained(
    task: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "input"
    (place / "res").mkdir(parents=True)
    task.rename(place / "ref")
    (place / "res" / "en.txt").write_text("one line\n", encoding="utf-8")
    assert score_upload(place, tmp_path / "output") == 1
    assert "en.txt: has 1 lines" in capsys.readouterr().err
    assert not list((tmp_path / "output").iterdir())


def test_a_task_of_several_languages_waits_for_its_files(tmp_path: Path) -> None:
    made = init_task(tmp_path / "new", languages=["en", "sv"], tracks=["minimal", "fluency"])
    assert len(made) == 10
    assert "sources/sv-fluency.txt" in made.notes[0]
    with pytest.raises(OptionError, match="exists and is not empty"):
        init_task(tmp_path / "new")
    with pytest.raises(OptionError, match="a single language and a single track"):
        init_task(tmp_path / "other", languages=["en", "sv"], references=[EXAMPLE / "gold.m2"])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "A', 'titel = "A', "unknown key 'titel'"),
        ('source = "sources/en.txt"', "", "needs source"),
        ('file = "fluent.txt"', 'file = "en.txt"', "the same name or file"),
        ('file = "fluent.txt"', 'file = "../x"', "a name without folders"),
        ("[rules]", "[rules", "is not valid TOML"),
        ("[rules]", "[[rules]]", r"\[rules\] must be a table of keys"),
    ],
)
def test_a_wrong_task_file_is_explained(old: str, new: str, said: str, task: Path) -> None:
    file = task / "task.toml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(RedinkError, match=said):
        score_submissions(task)


def test_one_metric_may_stand_alone(task: Path) -> None:
    file = task / "task.toml"
    text = file.read_text(encoding="utf-8").replace('["gleu", "m2"]', '"gleu"')
    file.write_text(text, encoding="utf-8")
    assert {row["metric"] for row in score_submissions(task, bootstrap=0).rows} == {"gleu"}


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (-46 - 6 - 22 + 8, 1, "is protected by a password"),
        (-46 - 6 - 22 + 10, 99, "cannot be unpacked .That compression method is not supported"),
        (-46 - 6 - 22, 0, "cannot be unpacked .Bad magic number"),
    ],
)
def test_a_damaged_archive_is_left_out(place: int, value: int, said: str, task: Path) -> None:
    broken = task / "submissions" / "broken.zip"
    with zipfile.ZipFile(broken, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(EXAMPLE / "careful.txt", "en.txt")
    data = bytearray(broken.read_bytes())
    data[place] = value
    broken.write_bytes(data)
    with pytest.raises(FormatError, match=rf"broken\.zip: {said}"):
        check_submission(task, broken)
    table = score_submissions(task, bootstrap=0)
    assert {row["system"] for row in table.rows} == {"careful", "eager", "speller"}
    assert any("broken is excluded" in note for note in table.notes)


def test_submissions_that_are_none(
    task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FormatError, match=r"neither a folder nor a \.zip"):
        check_submission(task, EXAMPLE / "careful.txt")
    with pytest.raises(FormatError, match="does not exist"):
        check_submission(task, tmp_path / "none.zip")
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("en.txt", b"0" * 2_000_000)
    monkeypatch.setattr("redink.commands.task._LARGEST", 1_000_000)
    with pytest.raises(FormatError, match="unpacks to"):
        check_submission(task, bomb)


def test_a_file_is_a_submission_to_a_task_with_one_set(tmp_path: Path) -> None:
    folder = tmp_path / "task"
    init_task(folder, source=EXAMPLE / "source.txt", references=[EXAMPLE / "gold.m2"])
    toml = (folder / "task.toml").read_text(encoding="utf-8")
    (folder / "task.toml").write_text(toml.replace('["errant", "gleu"]', '["gleu"]'))
    for place in (folder / "submissions" / "eager.txt", tmp_path / "eager" / "en.txt"):
        place.parent.mkdir(exist_ok=True)
        place.write_bytes((EXAMPLE / "eager.txt").read_bytes())
    (folder / "submissions" / ".notes").write_text("")
    alone = score_submissions(folder, bootstrap=0)
    assert alone.rows == score_submissions(folder, [tmp_path / "eager"], bootstrap=0).rows
    assert [row["system"] for row in alone] == ["eager"]
    assert found(folder, EXAMPLE / "eager.txt") == [("en.txt", "ok", None, "")]


def test_metrics_of_a_task_file_run_code_only_if_trusted(task: Path, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(
        f"from pathlib import Path\nPath({str(marker)!r}).touch()\n"
        "def w(source, edit, reference):\n    return 1.0\n"
    )
    file = task / "task.toml"
    text = file.read_text(encoding="utf-8")
    spec = f"errant(weights={tmp_path / 'evil.py'}:w)"
    file.write_text(text.replace('["gleu", "m2"]', f'["{spec}"]'), encoding="utf-8")
    with pytest.raises(FormatError, match=r"weights may run code .* --trust"):
        check_submission(task, EXAMPLE / "careful.txt")
    with pytest.raises(FormatError, match="weights may run code"):
        score_submissions(task)
    assert not marker.exists()
    score_submissions(task, bootstrap=0, trust=True)
    assert marker.exists()
    file.write_text(text.replace('["gleu", "m2"]', '["errant(weights=dice,beta=1)"]'))
    assert score_submissions(task, bootstrap=0).rows


def test_links_out_of_a_submission_are_not_followed(task: Path) -> None:
    folder = task / "submissions" / "sly"
    folder.mkdir()
    (folder / "en.txt").symlink_to(task / "references" / "en.m2")
    with pytest.raises(FormatError, match=r"sly/en\.txt: is a link that leaves the submission"):
        check_submission(task, folder)
    (task / "submissions" / "sly.zip").symlink_to(task / "references" / "en.m2")
    notes = score_submissions(task, bootstrap=0).notes
    assert any("sly is excluded" in note for note in notes)


def test_a_team_with_two_submissions_does_not_stop_the_others(task: Path, tmp_path: Path) -> None:
    other = tmp_path / "eager"
    other.mkdir()
    given = [*(task / "submissions").iterdir(), other]
    table = score_submissions(task, given, bootstrap=0)
    assert {row["system"] for row in table.rows} == {"careful", "speller"}
    assert any(note.startswith("eager is excluded: it has two") for note in table.notes)


def test_the_reports_of_a_board_use_its_seed(task: Path, tmp_path: Path) -> None:
    task_board(task, output=tmp_path / "board", bootstrap=20, seed=7)
    pages = [page.read_text(encoding="utf-8") for page in tmp_path.glob("board/*/report.html")]
    assert pages
    assert all("seed:7" in page for page in pages)
