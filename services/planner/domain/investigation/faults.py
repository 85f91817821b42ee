"""Faults and doubts of the data in words, as the tool that found them tells them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.investigation.found import Row
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesising import Segment
from services.planner.domain.investigation.plain_names import in_plain_names
from services.planner.domain.investigation.wording import day_called

_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_PER_CENT = re.compile(r"(?<=\d)%")
_CLAUSE = re.compile(r"[;,] ")


def fault_in_words(row: Row, ground: Ground) -> str:
    """A fault or doubt as a sentence without its stop: what, on which days, and what is usual."""
    text = in_plain_names(str(row["detail"] or str(row["check"]).replace("_", " ")), ground)
    text = _DAY.sub(lambda day: day_called(day.group()), text)
    return _PER_CENT.sub(" %", text)


def fault_in_short(row: Row, ground: Ground) -> str:
    """The same, no more than what and on which days."""
    return _CLAUSE.split(fault_in_words(row, ground))[0]


def segment_at_fault(row: Row) -> Segment:
    """The segment that a fault is of, as a search names segments; empty where it is of all rows."""
    name = row["segment_dimension"]
    return ((str(name), row["segment_value"]),) if name else ()


def each_once(faults: Sequence[Row]) -> list[Row]:
    """Without what is said again of a segment: a load that came twice on days here and there is one
    fault. What is of all rows (days without any) stays apart."""
    seen: set[tuple[str, Segment]] = set()
    out = []
    for row in faults:
        key = str(row["check"]), segment_at_fault(row)
        if key[1] and key in seen:
            continue
        seen.add(key)
        out.append(row)
    return out


def is_too_small(row: Row, ground: Ground, moved: float | None) -> bool:
    """Whether days without rows can be no half of a change of `moved`, a part of the baseline: what
    usually comes in a day is missing so many times."""
    if row["check"] != "missing_days" or segment_at_fault(row) or not moved:
        return False
    if ground.baseline is None or ground.comparison is None:
        return False
    before = (row.figure("baseline") or 0.0) / ground.baseline.days
    after = (row.figure("comparison") or 0.0) / ground.comparison.days
    return abs(after - before) < abs(moved) / 2
