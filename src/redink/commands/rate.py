"""From ratings to an order of systems, with its uncertainty, and how far judges agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from redink.commands.rank_choice import choose_systems
from redink.errors import OptionError
from redink.formats.metric_scores import read_lines_chosen
from redink.formats.ratings import read_ratings
from redink.inputs.loading import PathLike
from redink.judging.rankers import RankedSystem, rank_systems
from redink.judging.rankings import IntArray
from redink.judging.ratings import (
    RaterAgreement,
    RatingMethod,
    intraclass_correlation,
    rater_agreements,
    score_by_ratings,
)
from redink.model import Rating, Table, fingerprint, make_signature, table_of


def rank_by_ratings(
    path: PathLike,
    *,
    method: RatingMethod,
    show: str,
    bootstrap: int,
    p: float,
    systems: Sequence[str],
    without: Sequence[str],
    lines: PathLike | None,
    seed: int,
    documents: Callable[[Sequence[str]], IntArray] | None = None,
) -> Table:
    """Systems by their mean rating, or how far the judges agree.

    Args:
        path: the ratings.
        method: means of ratings, or of z-scores by judge.
        show: ``ranking`` or ``agreement``.
        bootstrap: samples of the sentences.
        p: how likely chance alone may be, behind rank ranges and clusters.
        systems: only these.
        without: all but these.
        lines: a file that names the sentences that count.
        seed: of the samples.
        documents: numbers the documents of sentences, where samples draw documents.
    """
    ratings = read_ratings(path)
    if lines is not None:
        ids = set(read_lines_chosen(lines))
        ratings = tuple(one for one in ratings if one.sentence in ids)
    chosen = choose_systems({one.system for one in ratings}, systems, without)
    ratings = tuple(one for one in ratings if one.system in chosen)
    data = fingerprint(f"{r.sentence}\0{r.system}\0{r.judge}\0{r.value!r}" for r in ratings)
    if show == "agreement":
        return _agreement(ratings, data)
    if show != "ranking":
        raise OptionError(f"ratings have no table {show!r}; show can be: ranking, agreement")
    scored = score_by_ratings(
        ratings,
        method=method,
        samples=bootstrap,
        rng=np.random.default_rng(seed),
        documents=documents,
    )
    drawn = "sentences" if documents is None else "documents"
    judges = len({one.judge for one in ratings})
    sentences = len({one.sentence for one in ratings})
    notes = [
        f"{len(ratings)} ratings of {sentences} sentences; judges: {judges}.",
        "score: the mean over sentences; a sentence counts once, however many judges rated it.",
        f"Ranges and clusters at p = {p:g} from {bootstrap} bootstrap samples of the {drawn}.",
    ]
    signature = make_signature(
        "rank",
        method=method,
        p=p,
        bootstrap=bootstrap,
        seed=seed,
        data=data,
        **({} if documents is None else {"resample": drawn}),
    )
    return table_of(
        rank_systems(scored, p=p),
        RankedSystem,
        notes=notes,
        signature=signature,
        title=f"Systems by {'z-scores of ratings' if method == 'z-score' else 'mean rating'}",
        groups="cluster",
        view="ranking",
        plot_name="ranking",
    )


def _agreement(ratings: Sequence[Rating], data: str) -> Table:
    within = intraclass_correlation(ratings)
    notes = ["Every two judges on the outputs that both rated."]
    if within is None:
        notes.append("With one rating an output there is no agreement to measure.")
    else:
        notes.append(f"Intraclass correlation (one-way, single ratings): {within:.4f}.")
    return table_of(
        rater_agreements(ratings),
        RaterAgreement,
        notes=notes,
        signature=make_signature("rank", show="agreement", data=data),
        title="Agreement of judges' ratings",
    )
