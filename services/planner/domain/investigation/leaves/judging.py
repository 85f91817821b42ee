"""What an iteration over leaves says of its hypothesis: a finding in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.investigation.found import Row, rows_of, statistics_of
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesis import Hypothesis, Test
from services.planner.domain.investigation.hypothesising import in_words
from services.planner.domain.investigation.judgement import (
    CONFIRMED,
    PENDING,
    RULED_OUT,
    Judgement,
    change_of,
)
from services.planner.domain.investigation.judging import Judges, explained
from services.planner.domain.investigation.searched import describe_search
from services.planner.domain.investigation.settling import Split, by_search, contributed
from services.planner.domain.investigation.wording import (
    amount,
    cut,
    is_share,
    per_cent,
)
from services.planner.domain.reporting.evidence import EvidenceTable

_MOST_NAMED = 3
_MOST = 500
_UNSHOWN = ("alike", "total")


def fault_of_leaves(row: Row) -> str:
    """A fault of leaves in a few words."""
    return str(row["detail"])


def _quality(
    hypothesis: Hypothesis, others: Sequence[Hypothesis], table: EvidenceTable, ground: Ground
) -> Judgement:
    faults = [row for row in rows_of(table) if row["severity"] == "fault"]
    doubts = [row for row in rows_of(table) if row["severity"] == "doubt"]
    tested = "Looked for repeated leaves, missing values and forecasts, and another unit."
    if faults:
        named = "; ".join(fault_of_leaves(row) for row in faults[:_MOST_NAMED])
        text = f"{tested} Found {len(faults)}: {named}. The data explain part of the difference."
        return Judgement(cut(text, _MOST), (change_of(hypothesis, CONFIRMED),), showed=True)
    seen = f"Doubtful: {fault_of_leaves(doubts[0])}." if doubts else "None found."
    text = f"{tested} {seen} The difference is not one of the data."
    return Judgement(cut(text, _MOST), (change_of(hypothesis, RULED_OUT),), showed=bool(doubts))


def _changed(
    hypothesis: Hypothesis, others: Sequence[Hypothesis], table: EvidenceTable, ground: Ground
) -> Judgement:
    rows = statistics_of(table)
    value = rows["difference"].figure("value") if "difference" in rows else None
    relative = rows["relative"].figure("value") if "relative" in rows else None
    if value is None:
        text = "Compared the whole with its forecast: the data does not allow it. It stays open."
        return Judgement(text, (change_of(hypothesis, PENDING),))
    share = f" ({per_cent(relative)})" if relative is not None and not ground.ratio else ""
    size = amount(value, ground.unit, share=is_share(ground))
    follows = "It came as forecast." if value == 0 else "Where it is off, a search tells."
    text = f"Compared the whole with its forecast: {size}{share}. {follows}"
    status = CONFIRMED if value == 0 else RULED_OUT
    return Judgement(cut(text, _MOST), (change_of(hypothesis, status),), showed=value != 0)


def _searched(
    hypothesis: Hypothesis, others: Sequence[Hypothesis], table: EvidenceTable, ground: Ground
) -> Judgement:
    """Over everything, it settles too whether all is off alike: leaves have no other test of it."""
    rows = rows_of(table)
    over_all = hypothesis.test is not Test.WITHIN
    out = [row for row in rows if row.stands_out and row["kind"] not in _UNSHOWN]
    alike = over_all and any(row.stands_out and row["kind"] == "alike" for row in rows)
    inside = "" if over_all else f" within {in_words(hypothesis.segment)}"
    named = "; ".join(explained(row, ground) for row in out[:_MOST_NAMED])
    more = f"; and {len(out) - _MOST_NAMED} more" if len(out) > _MOST_NAMED else ""
    found = (
        f"Standing out: {named}{more}."
        if out
        else "No segment is off otherwise than the rest by more than chance."
    )
    changes = [change_of(hypothesis, CONFIRMED if out else RULED_OUT)]
    if over_all:
        found += " The rest is off alike, by more than chance." if alike else ""
        whole = CONFIRMED if alike else RULED_OUT
        changes = by_search(hypothesis, others, out, out, whole, rows)
    return Judgement(
        cut(f"{describe_search(rows, inside)} {found}", _MOST),
        tuple(changes),
        tuple(row.segment for row in out if row.segment),
        showed=bool(out or alike),
    )


_OF_LEAVES = Split(
    "Split the difference by", "Its values are off alike", "Off otherwise than the rest"
)


def _contributed(
    hypothesis: Hypothesis, others: Sequence[Hypothesis], table: EvidenceTable, ground: Ground
) -> Judgement:
    return contributed(hypothesis, others, table, ground, _OF_LEAVES)


JUDGES_OF_LEAVES: Judges = {
    "quality": _quality,
    "change": _changed,
    "search": _searched,
    "within": _searched,
    "contribution": _contributed,
}
