"""Questions for a table as a whole: "describe the data", "what is in this file"."""

from __future__ import annotations

import re

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.language.linking.mention import Mention
from services.planner.domain.language.resolving.sureness import links_of
from services.planner.domain.query.intent import Intent, Understood
from services.planner.domain.reader.statistics.wish import StatisticWish

_PROFILE = re.compile(
    r"\b(?:profile|describe|summari[sz]e|summary|overview of|what(?:'s| is) in|explore|inspect)\b.*"
    r"\b(?:data(?:set|base)?|table|file|columns?|this|it)\b"
    r"|^\s*(?:profile|describe(?! (?:how|why|what|when)\b)|overview)\b",
    re.IGNORECASE,
)


def is_profile(question: str, mentions: list[Mention], statistic: StatisticWish | None) -> bool:
    """Whether a whole table is to be told of, rather than some of its columns."""
    if not _PROFILE.search(question) or _specific(mentions):
        return False
    if statistic is None:
        return True
    columns = any(m.chosen.kind == "column" for m in mentions)
    return statistic.test == "describe" and not columns and "describ" in question.lower()


def _specific(mentions: list[Mention]) -> bool:
    return any(m.chosen.kind in ("column", "revenue") and m.chosen.score > 0.9 for m in mentions)


def profile_of(mentions: list[Mention], catalogue: Catalogue) -> Understood | None:
    """The reading that describes the table named, else the largest; None where there is none."""
    named = [m.chosen.table for m in mentions if m.chosen.kind == "table"]
    base = (
        named[0]
        if named
        else max(catalogue.tables, key=lambda t: t.rows).name
        if catalogue.tables
        else ""
    )
    if not base:
        return None
    return Understood(
        intent=Intent(base=base, profile=True),
        summary=f"profile of every column of {base}",
        confidence=0.9 if named or len(catalogue.tables) == 1 else 0.6,
        links=links_of([m for m in mentions if m.chosen.kind == "table"]),
        assumptions=() if named or len(catalogue.tables) == 1 else (f"the largest table, {base}",),
    )
