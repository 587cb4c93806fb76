"""Tasks that make references: from a judge's form to a corpus that scores 1 against itself."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.campaign.conftest import Running

import redink
from redink.campaign import previews
from redink.campaign.campaign_commands import create, export
from redink.campaign.live_results import make_live_tables
from redink.campaign.results import export_answers
from redink.campaign.store import Answer
from redink.campaign.task_items import CampaignItem, Material
from redink.campaign.tasks import TASKS
from redink.campaign.tasks.protocol import AnswerError
from redink.errors import DataError, OptionError, RedinkWarning
from redink.inputs import read_corpus
from redink.model import Edit, apply_edits

Start = Callable[..., Running]
SENTENCES = ["She do n't has two cat .", 'He said : " I am good in chess . "', "Fine ."]


def sentence_items(*sentences: str) -> list[CampaignItem]:
    return TASKS.load("correct").make_items(Material(source=list(sentences or SENTENCES)))


def correct(text: str, sentence: str = SENTENCES[0]) -> list[Edit]:
    (item,) = sentence_items(sentence)
    task = TASKS.load("correct")
    answer = task.read(item, {"text": [text]}, 1)
    return list(task.edits(item, answer))


@pytest.mark.parametrize(
    "text", ["error", "ok", "Fine words", "She does .", "Cats", "-", "She don't has two cat"]
)
def test_whatever_is_written_is_kept(text: str) -> None:
    written = apply_edits(SENTENCES[0].split(), correct(text))
    assert "".join(written) == text.replace(" ", "")


def test_a_judge_sees_ordinary_text_and_its_tokens_stay() -> None:
    (item, quoted, _) = sentence_items()
    task = TASKS.load("correct")
    assert task.view(item, 1)["begin"] == "She don't has two cat."
    assert task.view(quoted, 1)["begin"] == 'He said: "I am good in chess."'
    answer = task.read(item, {"text": ["She doesn't have two cats."]}, 1)
    edits = [(e.start, e.end, e.correction, e.type) for e in task.edits(item, answer)]
    assert edits == [
        (1, 2, "does", "R:VERB:SVA"),
        (3, 4, "have", "R:VERB:FORM"),
        (5, 6, "cats", "R:NOUN:NUM"),
    ]


def test_nothing_to_correct_has_to_be_said() -> None:
    (item,) = sentence_items("Fine .")
    task = TASKS.load("correct")
    with pytest.raises(AnswerError, match="not changed anything"):
        task.read(item, {"text": ["Fine."]}, 1)
    answer = task.read(item, {"text": ["Fine."], "as_is": ["1"]}, 1)
    assert task.edits(item, answer) == ()
    with pytest.raises(AnswerError, match="Please enter"):
        task.read(item, {"text": ["  "]}, 1)


def test_changes_are_shown_with_type_and_reason_before_they_are_saved(start: Start) -> None:
    running = start("correct", items=sentence_items("This are wrong ."))
    base = f"/j/{running.judges['alma']}"
    data = running.form(f"{base}/0") | {"text": "This is wrong ."}
    page = running.client.post(f"{base}/0/step", data=data).text
    assert "<del>are</del>" in page
    assert "<ins>is</ins>" in page
    assert "R:VERB:SVA" in page
    assert "third person singular" in page
    assert running.server.store.answers() == []


def test_a_preview_that_takes_long_delays_no_answer(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process of the previews is stopped by a signal: a judge can save all the same."""
    running = start("correct", items=sentence_items("This are wrong ."))
    base = f"/j/{running.judges['alma']}"
    data = running.form(f"{base}/0") | {"text": "This is wrong ."}
    running.client.post(f"{base}/0/step", data=data)
    process = running.server.previews._process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)
    monkeypatch.setattr(previews, "_SECONDS", 0.3)
    assert "cannot be shown" in running.client.post(f"{base}/0/step", data=data).text
    assert process.returncode is not None
    assert running.answer("alma", 0, text="This is wrong.").status_code == 303
    monkeypatch.setattr(previews, "_SECONDS", 60)
    assert "<ins>is</ins>" in running.client.post(f"{base}/0/step", data=data).text


@pytest.mark.parametrize("text", ["He go|||R:X|||y home .", "He -NONE- home ."])
def test_text_that_m2_cannot_represent_is_not_stored(text: str, start: Start) -> None:
    running = start("correct", items=sentence_items("He go home ."))
    mark = "||" if "||" in text else "-NONE-"
    assert f"Please do not use “{mark}”" in running.answer("alma", 0, text=text).text
    base = f"/j/{running.judges['alma']}"
    data = running.form(f"{base}/0") | {"text": text}
    assert f"Please do not use “{mark}”" in running.client.post(f"{base}/0/step", data=data).text
    assert running.server.store.answers() == []


def test_stored_text_that_m2_cannot_represent_stops_no_export(start: Start, tmp_path: Path) -> None:
    """An answer of an earlier version, with text that is refused today."""
    running = start("correct", items=sentence_items("He go home ."))
    running.answer("bruno", 0, text="He goes home.")
    edits = [[1, 2, "go|||R:X|||y", "R:VERB", None]]
    running.server.store.add_answers([Answer("s:1", 1, {"text": "x", "edits": edits}, None, "t")])
    with pytest.warns(RedinkWarning, match="item 's0': the answer of 'alma' is not exported"):
        export(running.place, output=tmp_path / "gold.m2")
    assert (tmp_path / "gold.m2").read_text() == (
        "S He go home .\nA 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0\n\n"
    )


def test_post_editing_starts_from_the_output(start: Start) -> None:
    items = TASKS.load("post-edit").make_items(
        Material(source=["I am good in chess ."], systems={"s": ["I am good on chess ."]})
    )
    running = start("post-edit", items=items)
    page = running.client.get(f"/j/{running.judges['alma']}").text
    assert re.search(r"<textarea[^>]*>I am good on chess\.</textarea>", page)
    running.answer("alma", 0, text="I am good at chess.")
    running.answer("bruno", 0, as_is="1")
    (sentence,) = redink_corpus(running)
    assert {a.annotator: a.edits[0].correction for a in sentence.annotations} == {
        "alma": "at",
        "bruno": "on",
    }


def redink_corpus(running: Running) -> list[object]:
    return list(export_answers(running.server.store))


def mark(sentence: str, *errors: dict[str, str]) -> list[Edit]:
    (item,) = sentence_items(sentence)
    task = TASKS.load("mark")
    form: dict[str, list[str]] = {}
    for error in errors[:-1]:
        filled = task.step(item, form | _marked(error), 1)
        form = {"edit": filled["edit"]}
    return list(task.edits(item, task.read(item, form | _marked(errors[-1]), 1)))


def _marked(error: dict[str, str]) -> dict[str, list[str]]:
    return {"word": error["word"].split()} | {k: [v] for k, v in error.items() if k != "word"}


def test_errors_are_marked_one_after_the_other() -> None:
    edits = mark(
        "She go to the the cinema of blue .",
        {"word": "1", "correction": "goes", "type": "VERB:TENSE"},
        {"word": "6 7", "type": "UNK", "correction": ""},
        {"word": "4", "correction": "", "type": ""},
    )
    assert [(e.start, e.end, e.correction, e.type) for e in edits] == [
        (1, 2, "goes", "R:VERB:TENSE"),
        (4, 5, "", "U:DET"),
        (6, 8, "", "UNK"),
    ]


def test_a_missing_word_is_written_beside_the_marked_one() -> None:
    (edit,) = mark("He went to cinema .", {"word": "3", "correction": "the cinema"})
    assert (edit.start, edit.end, edit.correction, edit.type) == (3, 3, "the", "M:DET")


def test_the_language_of_the_sentences_decides_about_types() -> None:
    (item,) = TASKS.load("mark").make_items(Material(source=["我 今 天 去 校 。"], language="zh"))
    task = TASKS.load("mark")
    for kind in ("S", ""):
        form = {"word": ["4"], "correction": ["学"], "type": [kind]}
        (edit,) = task.edits(item, task.read(item, form, 1))
        assert (edit.start, edit.end, edit.correction, edit.type) == (4, 5, "学", "S")
    (item,) = TASKS.load("correct").make_items(Material(source=["我 去 学 。"], language="zh"))
    assert TASKS.load("correct").view(item, 1)["begin"] == "我去学。"


def test_any_language_can_be_corrected_and_an_unknown_one_is_told(tmp_path: Path) -> None:
    (item,) = TASKS.load("correct").make_items(
        Material(source=["Ich habe ein Katze ."], language="de")
    )
    task = TASKS.load("correct")
    (edit,) = task.edits(item, task.read(item, {"text": ["Ich habe eine Katze."]}, 1))
    assert (edit.start, edit.end, edit.correction) == (2, 3, "eine")
    (tmp_path / "s.txt").write_text("Fine .\n")
    for name in ("correct", "mark"):
        with pytest.raises(OptionError, match="unknown language 'xx'"):
            create(tmp_path / "c.db", task=name, source=tmp_path / "s.txt", language="xx")
    assert not (tmp_path / "c.db").exists()


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ([{"word": "", "correction": "x"}], "select the incorrect words"),
        ([{"word": "0", "correction": "He"}], "same as the original"),
        ([{"word": "0", "correction": "She", "type": "NOPE"}], "Unknown error type"),
        ([{"word": "9", "correction": "x"}], "Select adjacent words"),
    ],
)
def test_what_cannot_be_an_error_is_explained(errors: list[dict[str, str]], words: str) -> None:
    with pytest.raises(AnswerError, match=words):
        mark("He went home .", *errors)


def test_marking_works_without_script(start: Start) -> None:
    running = start("mark", items=sentence_items("He go to cinema ."))
    base = f"/j/{running.judges['alma']}"
    data = running.form(f"{base}/0") | {"word": "1", "correction": "goes"}
    page = running.client.post(f"{base}/0/step", data=data).text
    (line,) = re.findall(r'name="edit" value="([^"]+)"', page)
    wrong = data | {"edit": line, "word": "1", "correction": "goed"}
    page = running.client.post(f"{base}/0/step", data=wrong).text
    assert "part of another error" in page
    assert f'name="edit" value="{line}"' in page
    running.answer("alma", 0, edit=line, word="3", correction="the cinema")
    (sentence,) = redink_corpus(running)
    assert [e.correction for e in sentence.annotations[0].edits] == ["goes", "the"]


@pytest.fixture
def corrected(start: Start) -> Running:
    """Two judges who have corrected the same three sentences, not alike."""
    running = start("correct", items=sentence_items())
    texts = {
        "alma": ["She doesn't have two cats.", 'He said: "I am good at chess."', None],
        "bruno": ["She doesn't have two cat.", 'He said: "I am good at the chess."', None],
    }
    for judge, said in texts.items():
        for position in range(3):
            number = int(running.item(judge, position).payload["sentence"])
            fields = {"as_is": "1"} if said[number] is None else {"text": said[number]}
            assert running.answer(judge, position, **fields).status_code == 303
    return running


def test_the_export_scores_one_against_itself(corrected: Running, tmp_path: Path) -> None:
    gold = tmp_path / "gold.m2"
    export(corrected.place, output=gold)
    assert read_corpus(gold).annotators == ("0", "1")
    assert [str(s.source) for s in read_corpus(gold).sentences] == SENTENCES
    export(corrected.place, output=tmp_path / "gold.jsonl")
    named = read_corpus(tmp_path / "gold.jsonl")
    assert named.annotators == ("alma", "bruno")
    assert [s.source.id for s in named.sentences] == ["s0", "s1", "s2"]
    for judge in ("alma", "bruno"):
        for name in (f"{judge}.m2", f"{judge}.jsonl", f"{judge}.tsv"):
            export(corrected.place, output=tmp_path / name, annotator=judge)
            (row, *_) = redink.score(gold, {judge: tmp_path / name}, metrics=["errant"]).rows
            assert (row["fp"], row["fn"], row["f"]) == (0, 0, 1.0), name
        export(corrected.place, output=tmp_path / f"{judge}.ged.tsv", annotator=judge)
        table = redink.detection(tmp_path / f"{judge}.m2", {judge: tmp_path / f"{judge}.ged.tsv"})
        assert table.rows[0]["f"] == 1.0
    home = f"/o/{corrected.organizer}"
    page = corrected.client.get(home).text
    assert corrected.client.get(f"{home}/export.m2").text == gold.read_text()
    assert corrected.client.get(f"{home}/export.tsv").text.startswith(f"{SENTENCES[0]}\tShe does")
    for judge in ("alma", "bruno"):
        (link,) = re.findall(rf'href="({home}/export.ged.tsv.annotator={judge})"', page)
        assert corrected.client.get(link).text == (tmp_path / f"{judge}.ged.tsv").read_text()
    with pytest.raises(OptionError, match="choose one with --annotator"):
        export(corrected.place, output=tmp_path / "both.ged.tsv")


def test_further_columns_come_out_again(start: Start, tmp_path: Path) -> None:
    rows = ["item,text,essay,level", "a,He like tea .,e1,B1", "b,She run .,e2,C1"]
    (tmp_path / "items.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    made = TASKS.load("correct").make_items(Material(file=tmp_path / "items.csv"))
    running = start("correct", items=made)
    for judge in ("alma", "bruno"):
        for position in range(2):
            likes = running.item(judge, position).key == "a" and judge == "alma"
            text = "He likes tea ." if likes else "We know ."
            running.answer(judge, position, text=text)
    extra = {"He like tea .": {"essay": "e1", "level": "B1"}}
    extra["She run ."] = {"essay": "e2", "level": "C1"}
    export(running.place, output=tmp_path / "both.jsonl")
    both = read_corpus(tmp_path / "both.jsonl").sentences
    assert {str(one.source): dict(one.extra) for one in both} == extra
    disputed = TASKS.load("adjudicate").make_items(Material(file=tmp_path / "both.jsonl"))
    deciding = start("adjudicate", items=disputed, judges=("ada",))
    deciding.answer("ada", 0, place0="0", place1="0", place2="0")
    gold = export_answers(deciding.server.store)
    assert {str(one.source): dict(one.extra) for one in gold} == extra


def test_the_dashboard_tells_agreement_edit_by_edit(corrected: Running, tmp_path: Path) -> None:
    (table,) = make_live_tables(corrected.server.store)
    assert table.title == "Inter-annotator agreement on edits"
    assert "an edit of the same words with the same correction" in {row["on"] for row in table.rows}
    export(corrected.place, output=tmp_path / "gold.m2")
    rows = {r["level"]: r for r in redink.agreement(tmp_path / "gold.m2", show="edits").rows}
    # alma: does, have, cats, at; bruno: does, have, at the (or at + the)
    assert rows["sentence"]["agreement"] == 1.0
    assert rows["span"]["both"] >= 2
    assert rows["correction"]["both"] <= rows["span"]["both"]
    assert 0 < rows["correction"]["agreement"] < 1


def test_unanswered_sentences_are_left_out_with_a_warning(start: Start, tmp_path: Path) -> None:
    running = start("correct", items=sentence_items())
    with pytest.raises(DataError, match="no judge has answered"):
        export(running.place, output=tmp_path / "x.m2")
    running.answer("alma", 0, as_is="1")
    with pytest.warns(RedinkWarning, match=r"not exported\): 2"):
        export(running.place, output=tmp_path / "x.m2")
    assert len(read_corpus(tmp_path / "x.m2")) == 1


def test_adjudication_makes_the_gold_corpus(
    corrected: Running, start: Start, tmp_path: Path
) -> None:
    export(corrected.place, output=tmp_path / "both.m2")
    task = TASKS.load("adjudicate")
    made = task.make_items(Material(file=tmp_path / "both.m2"))
    assert [item.key for item in made] == ["s0", "s1"]
    running = start("adjudicate", items=made, judges=("chidi",))
    for position in range(2):
        fields = {}
        for field in task.fields_for(running.item("chidi", position)):  # type: ignore[attr-defined]
            if field.kind == "choice":
                options = {option.text: option.value for option in field.options}
                wanted = [value for text, value in options.items() if "cats" in text]
                fields[field.name] = wanted[0] if wanted else "other"
                fields[f"{field.name}_text"] = "at the"
        assert running.answer("chidi", position, **fields).status_code == 303
    export(running.place, output=tmp_path / "gold.m2")
    gold = read_corpus(tmp_path / "gold.m2")
    assert [str(s.source) for s in gold.sentences] == SENTENCES
    texts = [
        " ".join(redink.apply_edits(s.source.tokens, s.annotations[0].edits))
        for s in gold.sentences
    ]
    assert texts[0] == "She does n't have two cats ."
    assert texts[1] == 'He said : " I am good at the chess . "'
    assert gold.sentences[2].annotations[0].edits == ()
    export(corrected.place, output=tmp_path / "alma.m2", annotator="alma")
    (row, *_) = redink.score(
        tmp_path / "gold.m2", {"alma": tmp_path / "alma.m2"}, metrics=["errant"]
    ).rows
    assert (row["tp"], row["fp"], row["fn"]) == (4, 0, 1)


def test_the_adjudicator_sees_agreed_edits_and_corrects_what_all_missed(
    start: Start, tmp_path: Path
) -> None:
    lines = [
        "S He go to a school yesterday and play .",
        "A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||0",
    ]
    lines += ["A 3 4|||R:DET|||the|||REQUIRED|||-NONE-|||0"]
    lines += ["A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||1", ""]
    (tmp_path / "both.m2").write_text("\n".join(lines) + "\n")
    made = TASKS.load("adjudicate").make_items(Material(file=tmp_path / "both.m2"))
    running = start("adjudicate", items=made, judges=("chidi",))
    page = running.client.get(f"/j/{running.judges['chidi']}/0").text
    assert re.search(r"<del>.*go</del>|<del>.*go<span", page)
    assert re.search(r"<ins>.*went<span", page)
    running.answer("chidi", 0, place0="0", missed="He went to the school yesterday and played .")
    (gold,) = export_answers(running.server.store)
    assert [(e.start, e.end, e.correction) for e in gold.annotations[0].edits] == [
        (1, 2, "went"),
        (3, 4, "the"),
        (7, 8, "played"),
    ]
    running.answer("chidi", 0, place0="leave", missed="")
    (gold,) = export_answers(running.server.store)
    assert [e.correction for e in gold.annotations[0].edits][:1] == ["went"]


def test_the_post_edits_of_a_system_are_its_own_reference(start: Start, tmp_path: Path) -> None:
    source, outputs = ["He go .", "She run ."], {"a": ["He goes .", "She run ."]}
    outputs |= {"b": ["He go .", "She run ."], "c": ["Go .", "She ran ."]}
    (tmp_path / "s.txt").write_text("\n".join(source) + "\n")
    for name, lines in outputs.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    systems = {name: tmp_path / name for name in outputs}
    made = TASKS.load("post-edit").make_items(Material(source=tmp_path / "s.txt", systems=systems))
    running = start("post-edit", items=made, judges=("alma",))
    for position in range(len(made)):
        item = running.item("alma", position)
        page = running.client.get(f"/j/{running.judges['alma']}/{position}").text
        assert "a+b" not in page
        said = {"He goes .": "He goes .", "He go .": "He went ."}.get(item.payload["hypothesis"])
        running.answer("alma", position, **({"text": said} if said else {"as_is": "1"}))
    for name, wanted in {"a": ["He goes .", "She run ."], "b": ["He went .", "She run ."]}.items():
        export(running.place, output=tmp_path / f"{name}.m2", system=name)
        sentences = read_corpus(tmp_path / f"{name}.m2").sentences
        edited = [redink.apply_edits(s.source.tokens, s.annotations[0].edits) for s in sentences]
        assert [" ".join(tokens) for tokens in edited] == wanted
    with pytest.raises(OptionError, match="unknown system 'x'; systems of the items: a, b, c"):
        export(running.place, output=tmp_path / "x.m2", system="x")


def test_every_edit_is_a_judgment(start: Start, tmp_path: Path) -> None:
    made = TASKS.load("edit-validity").make_items(
        Material(source=["She have two cat ."], systems={"s": ["She has two cats ."]})
    )
    running = start("edit-validity", items=made)
    for judge, second in (("alma", "right"), ("bruno", "optional")):
        running.answer(judge, 0, edit1="right", edit2=second, remains="yes", where="0")
    export(running.place, output=tmp_path / "out.csv")
    rows = redink.read_judgments(tmp_path / "out.csv")
    assert [(j.item, j.label) for j in rows if j.judge == "bruno"] == [
        ("s0.0.e1", "right"),
        ("s0.0.e2", "optional"),
        ("s0.0.remains", "yes"),
    ]
    extra = dict(rows[1].extra)
    assert (extra["type"], extra["correction"], extra["systems"]) == ("R:NOUN:NUM", "cats", "s")
    assert extra["sentence"] == "0"
    table = redink.agreement(tmp_path / "out.csv", by="question", bootstrap=0)
    found = {(r["question"], r["statistic"]): r["value"] for r in table.rows}
    assert found["edit", "observed_agreement"] == 0.5
    assert found["remains", "observed_agreement"] == 1.0
