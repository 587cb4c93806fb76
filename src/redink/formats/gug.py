"""GUG: the table of the Grammatical versus Ungrammatical data set (Heilman et al. 2014).

::

    Id	Sentence	Expert Judgement	Crowd Flower Judgements	Average	Dataset
    1	For not use car.	1	[3, 4, 3, 4, 3]	3.0	test

Every rating is a judgment: by ``expert``, and by ``crowd1`` to ``crowd5`` in the order of the
list (the file does not say who they were, so ``crowd1`` is a place and no person). The sentence,
its average and its part of the data are kept with each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TextIO

from redink.errors import DataError
from redink.formats.delimited import TAB, read_table, tell_layout, write_rows
from redink.formats.registry import Format
from redink.model import Judgment

_HEADER = (
    "Id",
    "Sentence",
    "Expert Judgement",
    "Crowd Flower Judgements",
    "Average",
    "Dataset",
)
_EXTRA = ("sentence", "average", "dataset")
_LIST = re.compile(r"\[\s*((?:[^\s,\[\]]+(?:\s*,\s*[^\s,\[\]]+)*)?)\s*\]")
_EXPERT, _CROWD = "expert", "crowd"


def read_gug(path: str | Path) -> Iterator[Judgment]:
    """The judgments of the table, a sentence after the other, the expert's first."""
    return read_table(path, "tsv", _judgments, "sentences")


def _judgments(cells: Mapping[str, str]) -> list[Judgment]:
    for name in _HEADER:
        if name not in cells:
            raise DataError(f"the column {name!r} is missing")
    item, sentence, expert, crowd, average, dataset = (cells[name] for name in _HEADER)
    ratings = _LIST.fullmatch(crowd.strip())
    if not item or not expert or ratings is None:
        raise DataError(
            "expected an id, the expert's rating and a list of the crowd's such as [3, 4, 3]"
        )
    extra = tuple(zip(_EXTRA, (sentence, average, dataset), strict=True))
    labels = re.split(r"\s*,\s*", ratings[1]) if ratings[1] else []
    crowd_members = [f"{_CROWD}{number}" for number in range(1, len(labels) + 1)]
    return [
        Judgment(item, judge, label, extra=extra)
        for judge, label in zip([_EXPERT, *crowd_members], [expert, *labels], strict=True)
    ]


def write_gug(judgments: Iterable[Judgment], stream: TextIO) -> None:
    """The judgments as the table, if they are those of such a table."""
    write_rows(_HEADER, _rows(judgments), stream, TAB)


def _rows(judgments: Iterable[Judgment]) -> Iterator[list[str]]:
    for (item, extra), group in groupby(judgments, key=lambda j: (j.item, j.extra)):
        given = list(group)
        judges = [_EXPERT, *(f"{_CROWD}{number}" for number in range(1, len(given)))]
        plain = [
            Judgment(item, who, j.label, extra=extra) for who, j in zip(judges, given, strict=True)
        ]
        labels = [judgment.label for judgment in given]
        if (
            plain != given
            or tuple(name for name, _ in extra) != _EXTRA
            or not all(item and label and not re.search(r"[\s,\[\]]", label) for label in labels)
        ):
            raise DataError(
                f"the GUG table cannot carry the judgments of item {item!r}: it needs one by "
                f"'expert', then 'crowd1', 'crowd2' ... with {', '.join(_EXTRA)} and no more"
            )
        kept = dict(extra)
        yield [
            item,
            kept["sentence"],
            labels[0],
            f"[{', '.join(labels[1:])}]",
            kept["average"],
            kept["dataset"],
        ]


def _recognise(head: Sequence[str]) -> bool:
    return tell_layout(head, _HEADER) == "tsv"


GUG = Format(
    name="gug",
    kind="judgments",
    description="ratings of grammaticality by an expert and a crowd (the GUG data set)",
    suffixes=(".tsv",),
    recognise=_recognise,
    read=read_gug,
    write=write_gug,
)
