"""SEEDA's edit judgments: read as they are, odd typing included, and reproduced by the task."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import pytest

import redink
from redink.errors import FormatError
from redink.formats.seeda import read_sentences

FILE = """<Source with context>
Hello .
<t>She [have] two cats [] .</t>
Bye .

<Correction>
<s1>She [have→has|True] two [cats→pets|False] .</s1>
<s2>She have two cats [→too]|True .</s2>
<s3>She [have→has|Truex] two [cats→|True,] .</s3>
<s4>She [have→has] two cat .</s4>
"""


def write(folder: Path, text: str = FILE, judge: str = "anna") -> Path:
    (folder / judge).mkdir(exist_ok=True)
    path = folder / judge / "0.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_edit_is_a_judgment(tmp_path: Path) -> None:
    write(tmp_path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = redink.read_judgments(tmp_path)
    assert [str(w.message).split(": ", 1)[1] for w in told] == [
        "edits with a mistyped or missing judgment: 3",
        "corrections with another source than most corrections, ignored: 1",
    ]
    edits = [j for j in found if dict(j.extra)["question"] == "edit"]
    assert [(j.judge, j.label, dict(j.extra).get("correction")) for j in edits] == [
        ("anna", "right", "has"),
        ("anna", "wrong", "pets"),
        ("anna", "right", "too"),
        ("anna", "right", "has"),
        ("anna", "right", ","),
    ]
    left = [j.label for j in found if dict(j.extra)["question"] == "remains"]
    assert left == ["no", "yes", "no"]  # a change beside a gap may have filled it


def test_one_file_is_told_by_its_content(tmp_path: Path) -> None:
    path = write(tmp_path, FILE.split("<s2>", maxsplit=1)[0])
    assert [j.label for j in redink.read_judgments(path)] == ["right", "wrong", "no"]


def test_a_file_without_a_source_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, FILE.replace("<t>", "").replace("</t>", ""))
    with pytest.raises(FormatError, match=r"0\.txt:7: found a correction before its source"):
        redink.read_judgments(path)


@pytest.mark.filterwarnings("ignore::redink.errors.RedinkWarning")
def test_the_published_judgments_go_through_the_task(shared: Path) -> None:
    """Three annotators, 600 sheets: given as answers to edit-validity, they come out the same."""
    pytest.importorskip("starlette")
    from redink.campaign.task_items import Material
    from redink.campaign.tasks import TASKS

    folder = shared / "data" / "seeda" / "edit-evaluation"
    task = TASKS.load("edit-validity")
    items = {}
    for item in task.make_items(Material(file=folder)):
        key = (item.payload["text"], tuple((e[0], e[1], e[2]) for e in item.payload["edits"]))
        items[key] = item
    given: Counter[tuple[str, str]] = Counter()
    for sentence in read_sentences(folder):
        for version in sentence.versions:
            if not version.edits or None in version.right:
                continue
            made = tuple((e.start, e.end, e.correction) for e in version.edits)
            item = items[" ".join(sentence.tokens), made]
            form = {
                f"edit{number}": ["right" if right else "wrong"]
                for number, right in enumerate(version.right, start=1)
            }
            form["remains"] = ["yes" if sentence.leaves_error(version) else "no"]
            answer = task.read(item, form, 1)
            said = [one.label for one in task.split(item, answer)]
            assert said == [values[0] for values in form.values()]
            given.update((sentence.judge, label) for label in said[:-1])
    total = Counter(label for (_, label), count in given.items() for _ in range(count))
    assert total == {"right": 5813, "wrong": 597}
