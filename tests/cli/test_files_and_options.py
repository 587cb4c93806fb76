"""Outputs that would overwrite an input, and options that have no effect: refused at once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import pytest
from tests.cli.conftest import EXAMPLE, Run

import redink as library
from redink.cli.catalogue import COMMANDS
from redink.cli.layout import Entry
from redink.compat import errant_annotate
from redink.errors import OptionError
from redink.options import Flag, Needs, command, declaration


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    (tmp_path / "link.m2").symlink_to("gold.m2")
    os.link(tmp_path / "gold.m2", tmp_path / "hard.m2")
    (tmp_path / "systems").mkdir()
    shutil.copy(tmp_path / "careful.txt", tmp_path / "systems")
    shutil.copy(tmp_path / "eager.txt", tmp_path / "systems")
    return tmp_path


OVERWRITING = [
    "score gold.m2 careful.txt -o gold.m2",
    "score gold.m2 careful.txt -o ./systems/../gold.m2",
    "score gold.m2 careful.txt -o link.m2",
    "score link.m2 careful.txt -o gold.m2",
    "score gold.m2 careful.txt -o hard.m2",
    "score gold.m2 careful.txt --sentences gold.m2",
    "score gold.m2 Mine=careful.txt -o careful.txt",
    "score gold.m2 systems -o systems/eager.txt",
    "score --source source.txt --reference reference-a.txt careful.txt -o reference-a.txt",
    "compare gold.m2 careful.txt eager.txt -o eager.txt",
    "detection gold.m2 careful.txt -o gold.m2",
    "annotate source.txt careful.txt -o source.txt",
    "annotate source.txt careful.txt -o careful.txt",
    "annotate gold.m2 --auto -o gold.m2",
    "annotate systems -o systems",
    "align source.txt careful.txt -o source.txt",
    "align source.txt systems/careful.txt systems/eager.txt -o systems",
    "convert gold.m2 gold.m2",
    "convert source.txt careful.txt --corrected careful.txt --to parallel",
    "agreement crowd.csv -o crowd.csv",
    "crowd crowd.csv -o crowd.csv",
    "rank rankings.xml -o rankings.xml",
    "meta rankings.xml scores.json -o scores.json",
    "sample plan careful.ged.tsv --blind careful.ged.tsv --key k.json --errors 2 --oks 2",
    "detector train source.txt -o source.txt",
    "detector run source.txt -o source.txt",
    "report gold.m2 systems -o systems",
    "campaign export c.db -o c.db",
    "campaign backup c.db c.db",
]
TWICE = [
    "score gold.m2 careful.txt --plot x.png -o x.png",
    "score gold.m2 careful.txt --sentences x -o x",
    "score gold.m2 careful.txt --sentences x -o ./x",
    "sample plan careful.ged.tsv --blind x.csv --key x.csv --errors 2 --oks 2",
    "detector train source.txt --detector lm -o x --arpa x",
]


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", OVERWRITING + TWICE)
def test_nothing_is_overwritten(redink: Run, folder: Path, command: str) -> None:
    """One sentence that names the file, exit code 2, and every file as it was."""
    for name in ("c.db", "scores.json"):
        (folder / name).touch()
    before = _contents(folder)
    result = redink(*command.split())
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    said = "would write the same file" if command in TWICE else "input"
    assert said in result.err
    assert _contents(folder) == before


def test_nothing_is_overwritten_in_python(folder: Path) -> None:
    gold, careful, source = (folder / name for name in ("gold.m2", "careful.txt", "source.txt"))
    with pytest.raises(OptionError, match="is an input that --sentences would overwrite"):
        library.score(gold, {"careful": careful}, sentences=folder / "link.m2")
    with pytest.raises(OptionError, match="is an input"):
        library.annotate_files(source, [careful], careful)
    with pytest.raises(OptionError, match="is an input"):
        library.convert(gold, gold)
    with pytest.raises(OptionError, match="is an input"):
        library.align(source, careful, output=source)


def test_outputs_can_be_written_again(redink: Run, folder: Path) -> None:
    for _ in range(2):
        for output in ("new.json", "/dev/null"):
            words = f"score gold.m2 careful.txt --metric gleu --sentences s.jsonl -o {output}"
            assert redink(*words.split()).code == 0
        assert redink("annotate", "source.txt", "careful.txt", "-q", "-o", "out/").code == 0
    assert (folder / "new.json").exists()


IDLE = [
    ("score gold.m2 careful.txt --documents d", "--by document or --resample documents"),
    ("score gold.m2 careful.txt --sensitivity --bootstrap 100", "no --sensitivity"),
    ("score gold.m2 careful.txt --field x", "--align or --tokenize"),
    ("annotate source.txt careful.txt --source-column x", "SOURCE file that contains"),
    ("score gold.m2 careful.txt --caption x --format csv", "--format latex"),
    ("score gold.m2 careful.txt --plot-size page", "--plot"),
    ("crowd crowd.csv --show judges --repetitions 5", "--show size"),
    ("rank rankings.xml --chance published", "--show agreement"),
    ("meta rankings.xml s.json --tolerance 1", "--sentences or --benchmark"),
    ("detection gold.m2 careful.txt --points 5", "--show points"),
    ("sample estimate k.json a.csv --bootstrap 5", "--interval bootstrap"),
    ("sample estimate k.json a.csv --cases 10 90", "--from-counts"),
    ("detector train source.txt -o m --order 2", "--detector lm"),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("command", "missing"), IDLE)
def test_an_option_without_effect_is_refused(redink: Run, command: str, missing: str) -> None:
    result = redink(*command.split())
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert "no effect here; " in result.err or "cannot be combined with" in result.err
    assert missing in result.err


def _functions(entries: dict[str, Entry]) -> Iterator[tuple[str, Entry]]:
    for name, entry in entries.items():
        if entry.members is not None:
            yield from _functions({f"{name} {one}": entry.member(one) for one in entry.members})
        else:
            yield name, entry


@pytest.mark.parametrize(("name", "entry"), list(_functions(dict(COMMANDS))))
def test_every_need_can_be_met(name: str, entry: Entry) -> None:
    function = entry.find(name)
    if not hasattr(function, "__wrapped__"):
        return
    options = {option.name: option for option in declaration(function).options}
    for option in options.values():
        known = option.kind.needs.options if option.kind.needs else {}
        ways = [
            not isinstance(wanted, str) or wanted in (options[other].kind.choices or (wanted,))
            for other, wanted in known.items()
            if other in options
        ]
        assert any(ways) or not ways, (name, option.name)


def test_a_group_is_checked_as_its_keywords_are() -> None:
    from redink.evaluation import EvaluationOptions

    for given in ({"field": "x"}, {"evaluation_options": EvaluationOptions(field="x")}):
        with pytest.raises(OptionError, match="--field has no effect here"):
            library.score("gold.m2", "careful.txt", **given)  # type: ignore[arg-type]


def test_an_option_that_is_off_needs_nothing() -> None:
    @command
    def example(*, samples: Annotated[int, Needs(plot=True)] = 5, plot: bool = False) -> int:
        """Count.

        Args:
            samples: how many.
            plot: draw them.
        """
        return samples + plot

    assert [example(), example(samples=5), example(samples=0)] == [5, 5, 0]
    assert example(samples=3, plot=True) == 4
    with pytest.raises(OptionError, match="--samples has no effect here; it requires --plot"):
        example(samples=3)


def test_an_output_may_be_a_positional_argument() -> None:
    options = {option.name: option for option in declaration(library.convert).options}
    assert options["target"].positional
    assert options["target"].kind.flag == Flag(value="OUT", writes=True)


@pytest.mark.parametrize(
    "options",
    [
        ["--metric", "meteor(function_words=@words.txt)", "-o", "words.txt"],
        ["--metric", "m2,m2(weights=file:words.txt;otherwise=1)", "-o", "words.txt"],
        ["--analyzer", "conllu:other.conllu,words.txt", "-o", "words.txt"],
    ],
)
def test_a_file_in_a_spec_is_not_overwritten(
    redink: Run, tmp_path: Path, options: list[str]
) -> None:
    (tmp_path / "words.txt").write_text("the\n", encoding="utf-8")
    result = redink("score", str(EXAMPLE / "gold.m2"), str(EXAMPLE / "careful.txt"), *options)
    assert result.code == 2
    assert "words.txt: is an input that -o would overwrite" in result.err
    assert (tmp_path / "words.txt").read_text(encoding="utf-8") == "the\n"


@pytest.mark.parametrize(
    ("main", "arguments"),
    [
        (errant_annotate.parallel_main, ["-orig", "a.txt", "-cor", "b.txt", "-out", "link.txt"]),
        (errant_annotate.m2_main, ["-auto", "a.txt", "-out", "a.txt"]),
        (errant_annotate.chinese_main, ["-f", "a.txt", "-o", "a.txt"]),
    ],
)
def test_a_drop_in_command_keeps_its_input(
    main: Callable[[list[str]], int],
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("1\ta b\ta c\n", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to("b.txt")
    assert main(arguments) != 0
    assert "is an input" in capsys.readouterr().err
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "1\ta b\ta c\n"
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == "1\ta b\ta c\n"
