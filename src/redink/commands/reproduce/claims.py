"""The conclusions that papers draw from their tables, tested on our results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from redink.commands.compare import compare
from redink.commands.meta import meta
from redink.commands.rank import rank
from redink.commands.reproduce.figures import (
    CORPUS,
    JUDGMENTS,
    METRICS,
    SOURCE,
    SYSTEMS,
    Figure,
    PaperData,
    Published,
    Reproduction,
)
from redink.judging.benchmark_evaluation import MetaEvaluationOptions
from redink.model import Row

Scores = Mapping[tuple[str, str], Row]
"""Rows of ``redink.score`` by type and team."""


FOLDS = 25
"""The paper has 100 folds, which take minutes with TrueSkill; each judgment is held out once."""


def make_claim(section: str, text: str, evidence: str, *, holds: bool) -> Figure:
    """Return a row for a conclusion of a paper, with the evidence for or against it."""
    verdict = "holds" if holds else "does not hold"
    return Figure(text, section, "holds", verdict, reason=evidence, expected=True, evidence=True)


def _best(scores: Mapping[str, float]) -> str:
    return max(scores, key=lambda name: scores[name])


def _named(values: Mapping[str, Any], form: str = "{:.3f}") -> str:
    return ", ".join(f"{name} {form.format(value)}" for name, value in values.items())


# ---- Bryant et al. 2017


def _of_types(data: PaperData, by: str) -> Scores:
    rows = data.scores("errant", "auto", by=by)
    return {(row["type"] or "all", row["system"]): row for row in rows}


def _f(scores: Scores, kind: str) -> dict[str, float]:
    """Return F of the teams that attempted a type."""
    return {
        team: row["f"]
        for (label, team), row in scores.items()
        if label == kind and row["f"] is not None and row["tp"] + row["fp"]
    }


def _lead(data: PaperData, team: str, kind: str, by: str) -> tuple[bool, str]:
    """Return whether a team is significantly better than all others at a type."""
    table = compare(
        data.references("auto"),
        data.annotated_teams(),
        metrics=["errant"],
        by=by,
        baseline=team,
        samples=1000,
        tests=["bootstrap"],
        seed=data.seed,
        **vars(data.annotation_options),
    )
    tested = [
        row
        for row in table.rows
        if row["type"] == kind and row["p_bootstrap"] is not None and row["difference"] is not None
    ]
    worst = max(tested, key=lambda row: row["p_bootstrap"])
    leads = all(row["difference"] < 0 for row in tested)
    least = f"highest p {worst['p_bootstrap']:.3f} (bootstrap, against {worst['system']})"
    return leads and worst["p_bootstrap"] < 0.05, least


def _gold_and_auto(data: PaperData, metric: str) -> Figure:
    systems: Any = data.teams() if metric == "m2" else data.annotated_teams()
    table = compare(
        data.corpus(),
        systems,
        metrics=[metric],
        measure=["precision", "recall", "f"],
        reference_edits=["gold", "auto"],
        samples=1000,
        tests=["bootstrap"],
        seed=data.seed,
        **vars(data.annotation_options),
    )
    rows = [row for row in table.rows if row["p_bootstrap"] is not None]
    found = [row for row in rows if row["p_bootstrap"] <= 0.05]
    listed = [f"{r['system']} {r['measure']} p = {r['p_bootstrap']:.3f}" for r in found]
    adjusted = sum(row["p_bootstrap_holm"] <= 0.05 for row in rows)
    evidence = (
        f"{len(found)} of {len(rows)} tests with p <= .05: {'; '.join(listed) or 'none'} "
        f"({adjusted} after Holm's adjustment)"
    )
    return make_claim(
        "section 4.1",
        f"no significant difference between gold and automatic references ({metric})",
        evidence,
        holds=not found,
    )


def _bryant(data: PaperData, _published: Published) -> Iterator[Figure]:
    yield _gold_and_auto(data, "m2")
    yield _gold_and_auto(data, "errant")
    m2, errant = (
        {row["system"]: row["f"] for row in data.scores(metric, "auto")}
        for metric in ("m2", "errant")
    )
    lower = [team for team in m2 if m2[team] < errant[team] - 1e-9]
    yield make_claim(
        "section 4.2",
        "the M2 scorer tends to give higher F0.5 than ERRANT",
        f"M2 is not lower for {len(m2) - len(lower)} of {len(m2)} teams",
        holds=2 * len(lower) < len(m2),
    )
    operations, types, full = (_of_types(data, by) for by in ("operation", "type", "full"))
    never = sorted(t for (k, t), row in operations.items() if k == "U" and not row["tp"])
    teams = set(m2)
    never += sorted(team for team in teams if ("U", team) not in operations)
    yield make_claim(
        "section 5.1",
        "AMU, IPN, PKU, RAC and UFC corrected no unnecessary token",
        f"teams without a true positive: {', '.join(sorted(never))}",
        holds=sorted(never) == ["AMU", "IPN", "PKU", "RAC", "UFC"],
    )
    u, everything = (operations[kind, "CAMB"] for kind in ("U", "all"))
    share = (u["tp"] + u["fn"]) / (everything["tp"] + everything["fn"])
    yield make_claim(
        "section 5.1",
        "unnecessary tokens are roughly 25% of all errors",
        f"{share:.1%} of the gold edits on which CAMB is scored (table 10 of the paper: 17.6%)",
        holds=abs(share - 0.25) < 0.025,
    )
    for kind, name, team in (("U", "unnecessary", "CUUI"), ("R", "replacement", "CUUI")):
        scores = _f(operations, kind)
        evidence = _named(dict(sorted(scores.items(), key=lambda one: -one[1])[:2]))
        text = f"{team} is best at {name} errors"
        yield make_claim("section 5.1", text, evidence, holds=_best(scores) == team)
    for team, kind, by in (
        ("CAMB", "M", "operation"),
        ("CUUI", "ORTH", "type"),
        ("CUUI", "VERB:FORM", "type"),
    ):
        holds, evidence = _lead(data, team, kind, by)
        text = f"{team} significantly outperforms all others at {kind}"
        yield make_claim(f"section 5.{1 if kind == 'M' else 2}", text, evidence, holds=holds)
    yield from _bryant_types(types, full, teams)
    multi = {row["system"]: row["f"] for row in data.scores("errant", "auto", only="multi")}
    above = sorted(team for team, f in multi.items() if f > 0.1)
    yield make_claim(
        "section 5.4",
        "only AMU, CAMB and UMC score above 10 F0.5 at multi-token edits",
        _named({team: multi[team] for team in above}),
        holds=above == ["AMU", "CAMB", "UMC"],
    )
    yield make_claim(
        "section 5.5",
        "CUUI performs slightly better than CAMB at correction",
        _named({team: errant[team] for team in ("CUUI", "CAMB")}, "{:.4f}"),
        holds=errant["CUUI"] > errant["CAMB"],
    )


def _bryant_types(types: Scores, full: Scores, teams: set[str]) -> Iterator[Figure]:
    kinds = sorted({kind for kind, _ in types} - {"all", "UNK", "Um"})
    best: dict[str, int] = dict.fromkeys(sorted(teams), 0)
    for kind in kinds:
        scores = _f(types, kind)
        top = max(scores.values(), default=0)
        for team in (name for name, f in scores.items() if top and f == top):
            best[team] += 1
    wins = _named(best, "{}")
    yield make_claim(
        "section 5.2",
        "CAMB has the highest F in most error types, AMU the second most",
        wins,
        holds=sorted(best, key=lambda team: -best[team])[:2] == ["CAMB", "AMU"],
    )
    yield make_claim(
        "section 5.2",
        "all but three teams (IITB, IPN, POST) are best at one type or more",
        wins,
        holds=[team for team in best if not best[team]] == ["IITB", "IPN", "POST"],
    )
    tried = {team: sum(team in _f(types, kind) for kind in kinds) for team in sorted(teams)}
    yield make_claim(
        "section 5.2",
        "only CAMB attempts every error type",
        f"of {len(kinds)} types: {_named(tried, '{}')}",
        holds=[team for team in tried if tried[team] == len(kinds)] == ["CAMB"],
    )
    right = {team for (kind, team), row in types.items() if kind == "CONJ" and row["tp"]}
    yield make_claim(
        "section 5.2",
        "only AMU corrects any CONJ error",
        f"teams with a true positive: {', '.join(sorted(right)) or 'none'}",
        holds=right == {"AMU"},
    )
    sva = _f(types, "VERB:SVA")
    yield make_claim(
        "section 5.2",
        "UFC is best at VERB:SVA, and CUUI is close",
        _named(dict(sorted(sva.items(), key=lambda one: -one[1])[:2])),
        holds=sorted(sva, key=lambda team: -sva[team])[:2] == ["UFC", "CUUI"],
    )
    camb, cuui = (
        {kind: full[kind, team] for kind in ("M:DET", "R:DET", "U:DET")}
        for team in ("CAMB", "CUUI")
    )
    yield make_claim(
        "section 5.3",
        "CUUI outperforms CAMB at R:DET, although CAMB is better overall at DET",
        _named({"CUUI": cuui["R:DET"]["f"], "CAMB": camb["R:DET"]["f"]}),
        holds=cuui["R:DET"]["f"] > camb["R:DET"]["f"]
        and _f(types, "DET")["CAMB"] > _f(types, "DET")["CUUI"],
    )
    yield make_claim(
        "section 5.3",
        "CUUI has higher recall and lower precision than CAMB at U:DET",
        f"recall {cuui['U:DET']['recall']:.3f} and {camb['U:DET']['recall']:.3f}, precision "
        f"{cuui['U:DET']['precision']:.3f} and {camb['U:DET']['precision']:.3f}",
        holds=cuui["U:DET"]["recall"] > camb["U:DET"]["recall"]
        and cuui["U:DET"]["precision"] < camb["U:DET"]["precision"],
    )


# ---- Grundkiewicz et al. 2015


def _grundkiewicz(data: PaperData, _published: Published) -> Iterator[Figure]:
    def ranked(**options: Any) -> list[Row]:
        return rank(data.path(JUDGMENTS), **options).rows

    kappa = {
        row["agreement"]: row["kappa"] for row in ranked(show="agreement") if row["judge"] == "all"
    }
    yield make_claim(
        "section 4.4",
        "judges agree more with themselves than with each other",
        _named(kappa),
        holds=kappa["intra"] > kappa["inter"],
    )
    accuracy = {
        row["method"]: row
        for method in ("expected-wins", "trueskill")
        for row in ranked(
            show="accuracy", method=method, folds=FOLDS, bootstrap=100, seed=data.seed
        )
    }
    wins, skill = accuracy["expected-wins"], accuracy["trueskill"]
    for name, quantity in (("non_ties", "non-ties"), ("clusters", "bootstrapped clusters")):
        values = {"Expected Wins": wins[name], "TrueSkill": skill[name]}
        yield make_claim(
            "section 5.3, table 4",
            f"Expected Wins is more accurate than TrueSkill on {quantity}",
            f"{_named(values, '{:.4f}')}; {FOLDS} folds",
            holds=wins[name] > skill[name],
        )
    yield make_claim(
        "section 5.3",
        "a tuned draw radius assigns all systems to a single cluster",
        f"{wins['within_radius']:.0%} of pairs differ by less than the draw radius (Expected "
        f"Wins), {skill['within_radius']:.0%} with TrueSkill",
        holds=wins["within_radius"] == 1,
    )
    rows = ranked(seed=data.seed)
    clusters = {row["system"]: row["cluster"] for row in rows}
    order = [row["system"] for row in rows]
    yield from _grundkiewicz_ranking(ranked, clusters, order)
    yield from metric_claims(data)


def _grundkiewicz_ranking(
    ranked: Callable[..., list[Row]], clusters: Mapping[str, int], order: list[str]
) -> Iterator[Figure]:
    section = "section 5.4"
    first = [name for name in order if clusters[name] == 1]
    text = "AMU is the clear leader, in a cluster of its own"
    yield make_claim(section, text, f"cluster 1: {', '.join(first)}", holds=first == ["AMU"])
    best: dict[str, str] = {}
    for row in ranked(show="judges", alpha=0.1, bootstrap=100):
        best.setdefault(row["judge"], row["system"])
    leads = sum(name == "AMU" for name in best.values())
    text = "AMU has the highest score of six judges out of eight"
    yield make_claim(
        section, text, f"AMU is best for {leads} of {len(best)} judges", holds=leads == 6
    )
    worse = order[order.index("INPUT") + 1 :]
    text = "two systems are judged to be worse than INPUT"
    yield make_claim(section, text, f"below INPUT: {', '.join(worse)}", holds=len(worse) == 2)
    sizes: dict[int, int] = {}
    for cluster in clusters.values():
        sizes[cluster] = sizes.get(cluster, 0) + 1
    yield make_claim(
        section,
        "the cluster that includes INPUT is the largest of four",
        f"sizes: {_named({str(c): n for c, n in sizes.items()}, '({})')}",
        holds=len(sizes) == 4 and sizes[clusters["INPUT"]] == max(sizes.values()),
    )


def metric_claims(data: PaperData) -> Iterator[Figure]:
    """Yield the conclusions of section 6.3."""
    evaluation = MetaEvaluationOptions(bootstrap=1, seed=data.seed)
    files = [data.path(f"{METRICS}/scores.{name}") for name in ("m2", "iwacc", "bleu", "meteor")]
    betas = [1, 0.5, 0.3, 0.25, 0.2, 0.18, 0.1]
    rows = meta(data.path(JUDGMENTS), files, evaluation=evaluation, beta=betas).rows
    rho = {row["metric"]: row["spearman"] for row in rows}
    by_beta = {beta: rho[f"m2 F{beta:g}"] for beta in betas}
    listed = _named({f"beta {beta:g}": value for beta, value in by_beta.items()})
    for text, holds in (
        ("changing beta from 1.0 to 0.5 was a good choice", by_beta[0.5] > by_beta[1]),
        ("beta 0.25 correlates more than 0.5", by_beta[0.25] > by_beta[0.5]),
        ("the maximum is at beta 0.18", max(by_beta, key=lambda b: by_beta[b]) == 0.18),
        ("correlation drops sharply for beta 0.1", by_beta[0.1] < by_beta[0.25]),
        (
            "0.2 <= beta <= 0.3 is better than 0.5 and 1",
            min(by_beta[b] for b in (0.2, 0.3)) > by_beta[0.5],
        ),
    ):
        yield make_claim("section 6.3", text, listed, holds=holds)
    others = {name: value for name, value in rho.items() if not name.startswith("m2")}
    text = "the other metrics are inversely correlated with human judgment"
    yield make_claim("section 6.3", text, _named(others), holds=all(v < 0 for v in others.values()))
    plain = [data.path(f"{METRICS}/scores.m2{suffix}") for suffix in ("", ".0", ".1")]
    both, *single = [
        float(np.mean([row["spearman"] for row in table.rows]))
        for path in plain
        for table in [meta(data.path(JUDGMENTS), [path], evaluation=evaluation, beta=betas)]
    ]
    yield make_claim(
        "section 6.3",
        "two annotators give a higher Spearman's rho than one",
        f"mean of these values of beta: both {both:.3f}, one {single[0]:.3f} and {single[1]:.3f}",
        holds=both > max(single),
    )


BRYANT_2017 = Reproduction("claims", _bryant, (CORPUS, SOURCE, SYSTEMS), slow=True)
GRUNDKIEWICZ_2015 = Reproduction("claims", _grundkiewicz, (JUDGMENTS, METRICS), slow=True)
