"""Missing values that are counted: those of one column, or which columns lack most."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.reader.instructions.analysis import Number, Test, Tested
from services.planner.domain.reader.instructions.ground import Ground
from services.planner.domain.reader.instructions.offers import Offer
from services.planner.domain.reader.instructions.output import Slot
from services.planner.domain.reader.instructions.sentences import MARK, Sentence
from services.planner.domain.reader.instructions.vocabulary import stems

_MOST = 20


def read_columns_with_missing(
    sentence: Sentence, ground: Ground, pattern: re.Pattern[str], slots: Sequence[Slot]
) -> list[Offer]:
    """The columns with most missing values, as many as are asked for, else all that lack any."""
    match = pattern.search(sentence.text)
    if match is None:
        return []
    text = match.group("n")
    names = tuple(column.name for column in ground.table.columns)[:50]
    missing = sum(1 for column in ground.table.columns if column.nulls)
    singular = re.search(r"\bcolumn\b", match.group()) is not None
    number = int(sentence.marks[text].number) if text else 1 if singular else max(missing, 1)
    test = Test(test="missing", columns=names)
    offers: list[Offer] = []
    for rank in range(min(max(number, 1 if slots else 0), _MOST, len(names))):
        place = f"#{rank + 1} " if rank else ""
        offers += [
            Offer(
                Tested(test=test, statistic="missing", rank=rank, tells="name"),
                f"{place}column with the most missing values",
                frozenset({"name"}),
                frozenset({"column"}),
                text=True,
            ),
            Offer(
                Tested(test=test, statistic="missing", rank=rank),
                f"number of missing values of the {place}column that lacks most",
                frozenset({"missing", "count"}),
            ),
        ]
    offers.append(
        Offer(
            Tested(test=test, statistic="missing in all columns"),
            "number of missing values in all columns",
            frozenset({"missing", "sum"}),
            asked=False,
        )
    )
    sentence.read |= set(MARK.findall(sentence.text))
    sentence.matched, sentence.text = True, "·"
    return offers


def count_missing_in_all(sentence: Sentence, ground: Ground) -> Offer:
    """How many values all columns lack together."""
    names = tuple(column.name for column in ground.table.columns)[:50]
    sentence.matched, sentence.text = True, "·"
    return Offer(
        Tested(test=Test(test="missing", columns=names), statistic="missing in all columns"),
        "number of missing values in all columns",
        frozenset({"missing", "sum", "count"}),
    )


def read_missing_of(sentence: Sentence, ground: Ground, pattern: re.Pattern[str]) -> list[Offer]:
    """How many values a column lacks, and which share of its rows that is."""
    match = pattern.search(sentence.text)
    if match is None:
        return []
    name = sentence.mark(match.group("c")).column
    percent = re.search(r"percent|%", sentence.text) is not None
    share = re.search(r"percent|%|share|proportion|fraction", sentence.text) is not None
    sentence.read |= set(MARK.findall(sentence.text))
    sentence.text = "·"
    return [
        Offer(
            Number(statistic="missing", column=name),
            f"number of missing values of {name}",
            frozenset({"missing", "count"}),
            stems(name),
        ),
        Offer(
            Number(statistic="share missing", column=name),
            f"share of rows that lack {name}",
            frozenset({"share"}),
            stems(name),
            asked=share,
            percent=percent,
        ),
    ]
