"""How far the data reach into the periods that are compared."""

from __future__ import annotations

from datetime import date, timedelta

from mesh.errors import NO_ROWS_IN_PERIOD, AssayError
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.investigation.times import TimeOfRows
from services.planner.domain.investigation.why_times import MOST_UNSEEN


def reached_by(
    time: TimeOfRows, baseline: DateRange, comparison: DateRange
) -> tuple[DateRange, DateRange, tuple[str, ...]]:
    """The periods as far as the data reach, and what of them was cut off. A few days without rows
    at either end may be a weekend."""
    first, last = day_of(time.first), day_of(time.last)
    few = timedelta(days=MOST_UNSEEN)
    found, texts = [], []
    for name, period in (("baseline", baseline), ("comparison", comparison)):
        start, end = period.start, period.end
        if first is not None and start < first - few:
            start = first
            texts.append(f"the {name} begins on {first}, where the data begin")
        if last is not None and end > last + few:
            end = last
            texts.append(f"the {name} goes to {last}, where the data end")
        found.append(DateRange(start=start, end=end))
    return found[0], found[1], tuple(texts)


def check_covered(time: TimeOfRows, baseline: DateRange, comparison: DateRange) -> None:
    """Raise AssayError(NO_ROWS_IN_PERIOD) for a period before or after all rows."""
    first, last = day_of(time.first), day_of(time.last)
    if first is None or last is None:
        return
    for name, period in (("baseline", baseline), ("comparison", comparison)):
        if period.end < first or period.start > last:
            ahead = "lies ahead of" if period.start > last else "lies before"
            raise AssayError(
                NO_ROWS_IN_PERIOD,
                f"the {name} period, {period}, {ahead} all rows: {time.name} runs from {first} to "
                f"{last}",
                fields={f"investigation.{name}_period": f"the data covers {first} to {last}"},
            )


def day_of(text: str) -> date | None:
    """The day that a text begins with, or None."""
    try:
        return date.fromisoformat(text[:10]) if text else None
    except ValueError:
        return None
