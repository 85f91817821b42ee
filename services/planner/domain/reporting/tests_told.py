"""Sentences about statistical tests: the conclusion, the numbers it rests on, what it assumes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Prose
from services.planner.domain.reporting.telling import Said, Telling, between
from services.planner.domain.reporting.tests_found import MOST_TOLD, Found

_TESTED = ("about", "statistic", "value", "text")
_TASK = "test"


def is_test(table: EvidenceTable) -> bool:
    """Whether the frame is one that stats.test makes."""
    return all(table.has(name) for name in _TESTED)


def told_test(telling: Telling) -> Said:
    """What a test found: its conclusion, or the number asked for, then its first numbers."""
    found = Found(telling, telling.table)
    statistic = telling.intent.statistic if telling.intent else None
    asked = statistic.asked if statistic else ()
    if not found.has("conclusion"):
        return _described(found, asked)
    if statistic is not None and statistic.test == "missing":
        return _missing(found)
    rows = found.terms() if found.has_number("coefficient") else found.whole()
    headline = found.concluded()
    told = Prose.of(found.words("test"), ": ", found.listed(rows))
    sentences = [headline, told] if rows else [headline]
    if statistic is not None and statistic.label is not None:
        sentences += [named] if (named := found.farthest()) else []
    if found.has("pairs"):
        apart = found.compared()
        numbers = Prose.of(": ", found.listed(apart)) if apart else Prose()
        sentences.append(Prose.of(found.words("pairs"), numbers))
    assumed = found.assumed()
    return Said(headline, (*sentences, *([assumed] if assumed else [])))


def beside(telling: Telling) -> Said | None:
    """What a test of the same rows found, where the rows themselves are the answer."""
    table = telling.story.tables.get(_TASK)
    if table is None or telling.table is table or not is_test(table):
        return None
    return told_test(replace(telling, table=table))


def _described(found: Found, asked: Sequence[str]) -> Said:
    """ "Age: mean 29.7 (95 % interval 28.1 to 31.3), median 28"; one sentence for each thing."""
    things = found.described(asked)
    if not things:
        nothing = Prose.of("Nothing to tell")
        return Said(nothing, (nothing,))
    sentences = tuple(found.about(rows) for rows in things)
    return Said(sentences[0], sentences)


def _missing(found: Found) -> Said:
    """ "19 values are missing, in 11 of 344 rows: 11 of sex, 2 of bill length"."""
    each = [item for item in found.each("missing") if item[2]]
    if not each:
        headline = found.concluded()
        return Said(headline, (headline,))
    parts = [Prose.of(cell, " of ", name) for name, cell, _ in each[:MOST_TOLD]]
    if not found.has_number("missing in all columns"):
        name, cell, _ = each[0]
        headline = found.lacking(
            cell, " of ", found.only("rows"), " values of ", name, " are missing"
        )
        return Said(headline, (headline,))
    some = found.only("rows with a missing value")
    where = Prose.of(", in ", some, " of ", found.only("rows"), " rows") if some else Prose()
    total = found.only("missing in all columns")
    headline = found.lacking(total, " values are missing", where)
    more = [Prose.of("fewer elsewhere")] if len(each) > len(parts) else []
    listed = Prose.of(*between([*parts, *more], ", "))
    told = found.lacking(total, " values are missing", where, ": ", listed)
    return Said(headline, (told,))
