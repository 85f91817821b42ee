"""Whether an answer tells what is right, and with what certainty."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from itertools import permutations
from typing import Any

from bench.untidy.inputs import Asked, Truth

_RELATIVE = 1e-4
_PER_CENT = 100
_COLUMNS_AT_MOST = 6


class Verdict(StrEnum):
    """What became of a question, best first."""

    RIGHT = "right"
    DOUBTED = "doubt named"
    ASKED = "refused, asked"
    WRONG = "wrong, not sure"
    SURE = "wrong and sure"


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: rows of an answer, its word of confidence and what was told with it; or,
    where there are no rows, why (`refused`)."""

    rows: tuple[tuple[Any, ...], ...] | None = None
    columns: tuple[str, ...] = ()
    confidence: str = ""
    notes: tuple[str, ...] = ()
    text: str = ""
    refused: str = ""


def judged(asked: Asked, reply: Reply) -> Verdict:
    """The verdict on one answer."""
    if reply.refused:
        return Verdict.ASKED
    sure = reply.confidence == "sure"
    named = bool(asked.doubt) and any(re.search(asked.doubt, one) for one in reply.notes)
    if any(holds(reply.rows or (), right) for right in asked.rights):
        heard = any(re.search(asked.tell, one) for one in reply.notes)
        if not asked.tell or heard:
            return Verdict.RIGHT
    elif named and not sure:
        return Verdict.DOUBTED
    return Verdict.SURE if sure else Verdict.WRONG


def holds(rows: Sequence[Sequence[Any]], right: Truth) -> bool:
    """Whether the rows are those that are right, in any order, perhaps with columns beside."""
    if len(rows) != len(right) or not right:
        return False
    columns = range(min(len(rows[0]), _COLUMNS_AT_MOST))
    chosen = permutations(columns, len(right[0]))
    return any(
        _alike([[row[place] for place in places] for row in rows], right) for places in chosen
    )


def _alike(rows: Iterable[Sequence[Any]], right: Truth) -> bool:
    left = list(rows)
    for wanted in right:
        found = next((row for row in left if all(map(same, row, wanted))), None)
        if found is None:
            return False
        left.remove(found)
    return True


def same(given: Any, wanted: Any) -> bool:
    """Whether one cell tells what another does. Whole numbers are held exactly, also as text; a
    code keeps its zeros; a share may be told in per cent; a month is its first day."""
    if wanted is None or given is None:
        return given in (None, "") and wanted in (None, "")
    if isinstance(wanted, str):
        return str(given).strip().lower() == wanted.lower()
    if isinstance(wanted, date):
        return _day(given) == wanted
    if isinstance(given, str):
        return given == str(wanted)
    if isinstance(given, bool) or not isinstance(given, int | float | Decimal):
        return False
    if isinstance(wanted, int) and given == int(given):
        return int(given) == wanted
    return any(
        math.isclose(float(given), float(wanted) * by, rel_tol=_RELATIVE) for by in (1, _PER_CENT)
    )


def _day(given: Any) -> date | None:
    if isinstance(given, datetime):
        return given.date()
    if isinstance(given, date):
        return given
    try:
        return date.fromisoformat(str(given)[:10])
    except ValueError:
        return None


def counted(verdicts: Iterable[tuple[str, Verdict]]) -> dict[str, Counter[Verdict]]:
    """How many of each verdict, by kind in the order they come."""
    found: dict[str, Counter[Verdict]] = {}
    for kind, verdict in verdicts:
        found.setdefault(kind, Counter())[verdict] += 1
    return found
