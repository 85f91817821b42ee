"""What an iteration's frames say of its hypothesis: a finding in a few sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from services.planner.domain.investigation.faults import fault_in_short, fault_in_words
from services.planner.domain.investigation.found import ALPHA, Row, ended, rows_of, statistics_of
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
from services.planner.domain.investigation.searched import describe_search
from services.planner.domain.investigation.seasons import habits_in
from services.planner.domain.investigation.settling import OF_ROWS, by_search, contributed
from services.planner.domain.investigation.wording import (
    amount,
    chance,
    cut,
    is_share,
    per_cent,
)
from services.planner.domain.reporting.evidence import EvidenceTable

_MOST_NAMED = 3
_MOST_DETAILS = 12
_FOLDED = "(other)"
_MOST = 500

_cut = partial(cut, most=_MOST)


Judges = Mapping[
    str, Callable[[Hypothesis, Sequence[Hypothesis], EvidenceTable, Ground], Judgement]
]
"""What judges an iteration, by what its task does."""


def judged(
    hypothesis: Hypothesis,
    all_of_them: Sequence[Hypothesis],
    tables: Mapping[str, EvidenceTable],
    ground: Ground,
    failed: str = "",
    judges: Judges | None = None,
) -> Judgement:
    """The judgement on one iteration; `failed` says why its call gave nothing. `judges` are of
    rows unless others are given."""
    judges = judges or _JUDGES
    table = next((t for task, t in tables.items() if ended(task) in judges), None)
    if table is None:
        why = failed.rstrip(".") or "the analysis gave nothing to judge by"
        return Judgement(
            _cut(f"Tested: {hypothesis.title}. It could not be: {why}. It stays open."),
            (change_of(hypothesis, PENDING),),
        )
    return judges[ended(table.task_id)](hypothesis, all_of_them, table, ground)


def _quality(
    hypothesis: Hypothesis, others: Sequence[Hypothesis], table: EvidenceTable, ground: Ground
) -> Judgement:
    faults = [row for row in rows_of(table) if row["severity"] == "fault"]
    doubts = [row for row in rows_of(table) if row["severity"] == "doubt"]
    tested = "Looked for gaps, repeated rows, missing values and changed units."
    texts = tuple(fault_in_words(row, ground) for row in (*faults, *doubts)[:_MOST_DETAILS])
    if faults:
        named = "; ".join(fault_in_short(row, ground) for row in faults[:_MOST_NAMED])
        return Judgement(
            _cut(f"{tested} Found {len(faults)}: {named}. The data explain part of the change."),
            (change_of(hypothesis, CONFIRMED),),
            notes=texts,
            showed=True,
        )
    if doubts:
        named = "; ".join(fault_in_short(row, ground) for row in doubts[:_MOST_NAMED])
        return Judgement(
            _cut(f"{tested} In doubt: {named}. Whether the data or the business did it is open."),
            (change_of(hypothesis, PENDING),),
            notes=texts,
            showed=True,
        )
    return Judgement(
        f"{tested} None found. The change is not one of the data.",
        (change_of(hypothesis, RULED_OUT),),
    )


def _changed(
    hypothesis: Hypothesis, others: Sequence[Hypothesis], table: EvidenceTable, ground: Ground
) -> Judgement:
    rows = statistics_of(table)
    difference, p = rows.get("difference"), rows.get("p_value")
    relative = rows.get("relative")
    if difference is None:
        return Judgement(
            "Compared the whole in both periods: the data does not allow it. It stays open.",
            (change_of(hypothesis, PENDING),),
        )
    value = difference.figure("value")
    size = amount(value, ground.unit, share=is_share(ground))
    part = relative.figure("value") if relative is not None else None
    share = f" ({per_cent(part)})" if part is not None else ""
    probability = p.figure("value") if p is not None else None
    at_most = bool(rows["p_at_most"].figure("value")) if "p_at_most" in rows else False
    beside = (
        f"By chance so much is seen with probability {chance(probability, at_most)}."
        if probability is not None
        else "There is no history to tell what is usual."
    )
    status, follows = RULED_OUT, "It is more than the usual."
    if probability is None:
        status, follows = PENDING, "Whether that is much is not known."
    elif probability > ALPHA:
        status, follows = CONFIRMED, "It is within what is usual."
    return Judgement(
        _cut(f"Compared the whole in both periods: {size}{share}. {beside} {follows}"),
        (change_of(hypothesis, status),),
        showed=status is RULED_OUT,
    )


def _searched(
    hypothesis: Hypothesis, others: Sequence[Hypothesis], table: EvidenceTable, ground: Ground
) -> Judgement:
    rows = rows_of(table)
    out = [row for row in rows if row.stands_out and row["kind"] not in ("alike", "total")]
    alike = [row for row in rows if row.stands_out and row["kind"] == "alike"]
    everything = hypothesis.test is not Test.WITHIN
    if not everything:  # values that were folded together are no part that one could look at
        out = [row for row in out if _FOLDED not in dict(row.segment).values()]
    inside = "" if everything else f" within {in_words(hypothesis.segment)}"
    tested = describe_search(rows, inside)
    if out:
        named = "; ".join(explained(row, ground) for row in out[:_MOST_NAMED])
        more = f"; and {len(out) - _MOST_NAMED} more" if len(out) > _MOST_NAMED else ""
        follows = f"Standing out: {named}{more}."
    else:
        follows = "No segment moved differently from the rest by more than chance."
    if habits := habits_in(rows) if everything else []:
        named = "; ".join(f"{in_words(r.segment)} {_effect(r, ground)}" for r in habits)
        follows += f" No further than between earlier periods: {named}."
    if alike and everything:
        follows += f" Everything moved alike: {_sized(alike[0], ground)}."
    segments = tuple(row.segment for row in out if row.segment)
    showed = bool(out or habits or (alike and everything))
    if not everything:
        changes = [change_of(hypothesis, CONFIRMED if out else RULED_OUT)]
        return Judgement(_cut(f"{tested} {follows}"), tuple(changes), segments, showed=showed)
    moved = [*out, *habits]
    unusual = any(h.test is Test.CHANGE and h.status is RULED_OUT for h in others)
    whole = CONFIRMED if alike else PENDING if unusual and not moved else RULED_OUT
    # Where the whole moved unusually far, and still by no more than so wide a search finds by
    # chance, nobody knows whether everything moved alike.
    changes = by_search(hypothesis, others, out, moved, whole, rows)
    return Judgement(_cut(f"{tested} {follows}"), tuple(changes), segments, showed=showed)


def _contributed(
    hypothesis: Hypothesis, others: Sequence[Hypothesis], table: EvidenceTable, ground: Ground
) -> Judgement:
    return contributed(hypothesis, others, table, ground, OF_ROWS)


def explained(row: Row, ground: Ground) -> str:
    """A row of a search in a few words."""
    return f"{in_words(row.segment)} {_sized(row, ground)}"


def _effect(row: Row, ground: Ground) -> str:
    return amount(row.figure("effect"), ground.unit, share=is_share(ground))


def _sized(row: Row, ground: Ground) -> str:
    p = row.figure("p_corrected")
    return f"{_effect(row, ground)} (p {chance(p, bool(row['p_at_most']))})"


_JUDGES: Judges = {
    "quality": _quality,
    "change": _changed,
    "search": _searched,
    "within": _searched,
    "contribution": _contributed,
}
