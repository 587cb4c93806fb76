"""Rankings made from a short notation, and random ones."""

from __future__ import annotations

from hypothesis import strategies as st

from redink.model import RankedOutput, Ranking


def make_ranking(text: str, *, sentence: str = "1", judge: str = "j") -> Ranking:
    """``"A+B C=D E"``: A and B share an output and are best; C and D tie; E is last."""
    outputs = []
    for rank, tied in enumerate(text.split(), start=1):
        outputs += [RankedOutput(rank, tuple(o.split("+"))) for o in tied.split("=")]
    return Ranking(sentence, judge, tuple(outputs))


@st.composite
def random_rankings(draw: st.DrawFn, *, most: int = 12) -> list[Ranking]:
    """A few judges' rankings of up to six systems, some of which share outputs."""
    names = ["A", "B", "C", "D", "E", "F"]
    rankings = []
    for _ in range(draw(st.integers(1, most))):
        shown = draw(st.lists(st.sampled_from(names), min_size=1, max_size=6, unique=True))
        behind: dict[int, list[str]] = {}
        for system in shown:
            behind.setdefault(draw(st.integers(0, 3)), []).append(system)
        outputs = tuple(
            RankedOutput(draw(st.integers(1, 5)), tuple(systems)) for systems in behind.values()
        )
        judge = draw(st.sampled_from(["x", "y", "z"]))
        rankings.append(Ranking(str(draw(st.integers(1, 4))), judge, outputs))
    return rankings
