"""Write the bundled example from ``essays.txt``: python example/build.py.

The sentences, corrections and system outputs are written by hand in ``essays.txt``. The rankings,
crowd labels and confidences are simulated from them with fixed seeds: they are there to show
what the tools do, and are nobody's real judgments.
"""

from __future__ import annotations

import csv
import random
import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from redink.commands.annotate import annotate_files
from redink.formats.ranking_files import write_appraise
from redink.model import RankedOutput, Ranking

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "src" / "redink" / "examples"
PLACE = re.compile(r"\{([^{}>]*)>([^{}]*)\}")
READERS = {
    "A": "reference-a.txt",
    "B": "reference-b.txt",
    "c": "careful.txt",
    "e": "eager.txt",
    "s": "speller.txt",
}
SYSTEMS = {"careful": "c", "eager": "e", "speller": "s"}

# How much a judge's eye errs (standard deviation on the scale of token similarity), and how close
# two outputs must look to be called equal.
JUDGES = {"alma": (0.02, 0.015), "bruno": (0.04, 0.02), "chidi": (0.05, 0.04), "dora": (0.08, 0.02)}
# The share of clear cases each worker gets right; the last two do not read the sentences.
WORKERS = {
    f"w{n:02d}": skill
    for n, skill in enumerate((0.97, 0.95, 0.95, 0.93, 0.92, 0.90, 0.90, 0.88, 0.86, 0.85), start=1)
}
CARELESS = ("w11", "w12")


@dataclass(frozen=True)
class Word:
    """A token of the source and who says that something is wrong there."""

    sentence: int
    position: int
    token: str
    critics: frozenset[str]

    @property
    def item(self) -> str:
        """A name for the word, such as ``s07t03``."""
        return f"s{self.sentence + 1:02d}t{self.position:02d}"


def read_essays() -> list[str]:
    """The marked sentences, without comments and headings."""
    lines = (HERE / "essays.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("#", "=="))]


def choose(place: re.Match[str], reader: str) -> str:
    """What one reader makes of one marked place."""
    for choice in place[2].split(";"):
        text, _, who = choice.rpartition(":")
        if reader in who:
            return text
    return place[1]


def read_as(reader: str, line: str) -> str:
    """The sentence as one reader would have it (``-`` leaves all as it is)."""
    return " ".join(PLACE.sub(lambda place: choose(place, reader), line).split())


def criticised_words(number: int, line: str) -> list[Word]:
    """The tokens of the source sentence with the readers who change something there."""
    words: list[Word] = []
    waiting: frozenset[str] = frozenset()

    def add(text: str, critics: frozenset[str]) -> None:
        nonlocal waiting
        for token in text.split():
            words.append(Word(number, len(words), token, critics | waiting))
            waiting = frozenset()

    end = 0
    for place in PLACE.finditer(line):
        add(line[end : place.start()], frozenset())
        critics = frozenset(r for r in READERS if choose(place, r) != place[1])
        if place[1].strip():
            add(place[1], critics)
        else:
            waiting = critics  # something missing is blamed on the word after it
        end = place.end()
    add(line[end:], frozenset())
    return words


def similarity(one: str, other: str) -> float:
    """How much of two sentences is the same, token by token."""
    return SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()


def simulate_rankings(essays: list[str]) -> list[Ranking]:
    """Each judge ranks the distinct outputs of most sentences, some of them twice."""
    rng = random.Random(2015)
    rankings = []
    for judge, (noise, tie) in JUDGES.items():
        chosen = [n for n in range(len(essays)) if rng.random() < 0.7]
        chosen += rng.sample(chosen, 8)  # shown again, to see how steady the judge is
        for task, number in enumerate(chosen):
            line = essays[number]
            makers: dict[str, list[str]] = {}
            for system, reader in {**SYSTEMS, "INPUT": "-"}.items():
                makers.setdefault(read_as(reader, line), []).append(system)
            if len(makers) < 2:
                continue
            outputs = list(makers)
            rng.shuffle(outputs)
            seen = {
                text: max(similarity(text, read_as(a, line)) for a in "AB") + rng.gauss(0, noise)
                for text in outputs
            }
            ranks: dict[str, int] = {}
            previous = None
            for text in sorted(outputs, key=lambda t: -seen[t]):
                if previous is None:
                    ranks[text] = 1
                else:
                    step = seen[previous] - seen[text] > tie
                    ranks[text] = ranks[previous] + step
                previous = text
            rankings.append(
                Ranking(
                    sentence=str(number),
                    judge=judge,
                    outputs=tuple(
                        RankedOutput(ranks[text], tuple(sorted(makers[text]))) for text in outputs
                    ),
                    id=f"{judge}-{task}",
                    duration=round(rng.lognormvariate(3.2, 0.4), 1),
                )
            )
    return rankings


def share_of_error(word: Word) -> float:
    """How likely a good reader is to call the word an error."""
    annotators = len(word.critics & {"A", "B"})
    return (0.03, 0.5, 0.97)[annotators]


def simulate_crowd(words: list[Word]) -> list[dict[str, str]]:
    """Twelve workers say error or ok of one word each in a hundred contexts."""
    rng = random.Random(2011)
    wrong = [w for w in words if w.critics & {"A", "B"}]
    suspected = [w for w in words if w.critics and not w.critics & {"A", "B"}]
    fine = [w for w in words if not w.critics and w.token.isalpha()]
    items = rng.sample(wrong, 45) + rng.sample(suspected, 25) + rng.sample(fine, 30)
    rng.shuffle(items)
    clear = [w for w in items if share_of_error(w) != 0.5]
    gold = set(rng.sample([w.item for w in clear], 20))
    rows = []
    for word in items:
        truth = "error" if share_of_error(word) > 0.5 else "ok"
        for worker in (*WORKERS, *CARELESS):
            if worker == "w11":
                label = "ok"
            elif worker == "w12":
                label = rng.choice(("error", "ok"))
            else:
                is_error = rng.random() < share_of_error(word)
                if rng.random() > WORKERS[worker]:
                    is_error = not is_error
                label = "error" if is_error else "ok"
            rows.append(
                {
                    "item": word.item,
                    "judge": worker,
                    "label": label,
                    "gold": truth if word.item in gold else "",
                }
            )
    return rows


def simulate_confidence(word: Word, reader: str, rng: random.Random) -> float:
    """A system's probability of error: high where it changes something, more so if rightly."""
    right = bool(word.critics & {"A", "B"})
    if reader in word.critics:
        return min(0.99, max(0.51, rng.gauss(0.85 if right else 0.68, 0.1)))
    return min(0.49, max(0.001, rng.gauss(0.25 if right else 0.08, 0.1)))


def write_lines(name: str, lines: list[str]) -> None:
    """Write a text file of the example."""
    (EXAMPLES / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def main() -> None:
    """Write every file of the example."""
    EXAMPLES.mkdir(exist_ok=True)
    essays = read_essays()
    sources = [read_as("-", line) for line in essays]
    write_lines("source.txt", sources)
    for reader, name in READERS.items():
        write_lines(name, [read_as(reader, line) for line in essays])

    annotate_files(
        EXAMPLES / "source.txt",
        [EXAMPLES / READERS["A"], EXAMPLES / READERS["B"]],
        EXAMPLES / "gold.m2",
    )

    with (EXAMPLES / "rankings.xml").open("w", encoding="utf-8") as stream:
        write_appraise(simulate_rankings(essays), stream)

    sentences = [criticised_words(n, line) for n, line in enumerate(essays)]
    words = [word for sentence in sentences for word in sentence]
    rows = simulate_crowd(words)
    with (EXAMPLES / "crowd.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)

    rng = random.Random(2012)
    for system, reader in SYSTEMS.items():
        lines = []
        for sentence in sentences:
            for word in sentence:
                confidence = simulate_confidence(word, reader, rng)
                label = "i" if reader in word.critics else "c"
                lines.append(f"{word.token}\t{label}\t{confidence:.3f}")
            lines.append("")
        write_lines(f"{system}.ged.tsv", lines)


if __name__ == "__main__":
    main()
