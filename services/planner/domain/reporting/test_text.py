"""Sentences about statistical tests: the conclusion, the numbers it rests on, what it assumes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Prose
from services.planner.domain.reporting.telling import Finding, Telling, between
from services.planner.domain.reporting.tests_found import MOST_SHOWN, Found

_TESTED = ("about", "statistic", "value", "text")
_TASK, _DENIED = "test", "not met"


def is_test(table: EvidenceTable) -> bool:
    """Whether the frame is one that stats.test makes."""
    return all(table.has(name) for name in _TESTED)


def is_denied(table: EvidenceTable | None) -> bool:
    """Whether the data of a test does not bear out what it takes for granted."""
    return table is not None and is_test(table) and _DENIED in table.rows["statistic"].to_pylist()


def describe_test(telling: Telling) -> Finding:
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
    prose = Prose.of(found.words("test"), ": ", found.listed(rows))
    sentences = [headline, prose] if rows else [headline]
    if statistic is not None and statistic.label is not None:
        sentences += [named] if (named := found.farthest()) else []
    if found.has("pairs"):
        apart = found.compared()
        numbers = Prose.of(": ", found.listed(apart)) if apart else Prose()
        sentences.append(Prose.of(found.words("pairs"), numbers))
    assumed = found.assumed()
    return Finding(headline, (*sentences, *([assumed] if assumed else [])))


def beside(telling: Telling) -> Finding | None:
    """What a test of the same rows found, where the rows themselves are the answer."""
    table = telling.story.tables.get(_TASK)
    if table is None or telling.table is table or not is_test(table):
        return None
    return describe_test(replace(telling, table=table))


def _described(found: Found, asked: Sequence[str]) -> Finding:
    """ "Age: mean 29.7 (95 % interval 28.1 to 31.3), median 28"; one sentence for each thing."""
    entities = found.described(asked)
    if not entities:
        nothing = Prose.of("Nothing to tell")
        return Finding(nothing, (nothing,))
    sentences = tuple(found.about(rows) for rows in entities)
    return Finding(sentences[0], sentences)


def _missing(found: Found) -> Finding:
    """ "19 values are missing, in 11 of 344 rows: 11 of sex, 2 of bill length"."""
    each = [item for item in found.each("missing") if item[2]]
    if not each:
        headline = found.concluded()
        return Finding(headline, (headline,))
    parts = [Prose.of(cell, " of ", name) for name, cell, _ in each[:MOST_SHOWN]]
    if not found.has_number("missing in all columns"):
        name, cell, _ = each[0]
        headline = found.describe_missing(
            cell, " of ", found.only("rows"), " values of ", name, " are missing"
        )
        return Finding(headline, (headline,))
    some = found.only("rows with a missing value")
    where = Prose.of(", in ", some, " of ", found.only("rows"), " rows") if some else Prose()
    total = found.only("missing in all columns")
    headline = found.describe_missing(total, " values are missing", where)
    more = [Prose.of("fewer elsewhere")] if len(each) > len(parts) else []
    listed = Prose.of(*between([*parts, *more], ", "))
    prose = found.describe_missing(total, " values are missing", where, ": ", listed)
    return Finding(headline, (prose,))
