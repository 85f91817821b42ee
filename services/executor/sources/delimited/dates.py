"""Dates as people write them. Day or month first is decided from all cells of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.executor.domain.source import DateOrder
from services.executor.sources.delimited.part_years import PARTS, WEEK_DAY
from services.executor.sources.offsets import without_offset
from services.executor.sources.sql import literal

_DAY_FIRST, _MONTH_FIRST = DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a date: what it looks like, how DuckDB reads it, and in which order.

    `order` is None where the form leaves no doubt. `timed` says that it holds a time of day. With
    `first_day` that SQL reads it, with {0} for the text. `called` says what cells of the form
    hold, where that is more than a day.
    """

    pattern: str
    format: str
    order: DateOrder | None = None
    timed: bool = False
    first_day: str = ""
    called: str = ""

    @property
    def short_year(self) -> bool:
        """Whether it has two digits for the year."""
        return "%y" in self.format


_TIMES = (
    ("", ""),
    (r"[ T,]+\d{1,2}:\d{2}", " %H:%M"),
    (r"[ T,]+\d{1,2}:\d{2}:\d{2}", " %H:%M:%S"),
    (r"[ T,]+\d{1,2}:\d{2}:\d{2}\.\d{1,6}", " %H:%M:%S.%f"),
    (r"[ T,]+\d{1,2}:\d{2} ?[AaPp][Mm]", " %I:%M %p"),
    (r"[ T,]+\d{1,2}:\d{2}:\d{2} ?[AaPp][Mm]", " %I:%M:%S %p"),
)
_SHORT = r"[A-Za-z]{3}\.?"
_LONG = r"[A-Za-z]{4,9}"
_DAYS: tuple[tuple[str, str, DateOrder | None], ...] = (
    (r"\d{4}-\d{1,2}-\d{1,2}", "%Y-%m-%d", None),
    (r"\d{1,2}-\d{1,2}-\d{4}", "%d-%m-%Y", _DAY_FIRST),
    (r"\d{1,2}-\d{1,2}-\d{4}", "%m-%d-%Y", _MONTH_FIRST),
    (r"\d{1,2}-\d{1,2}-\d{2}", "%d-%m-%y", _DAY_FIRST),
    (r"\d{1,2}-\d{1,2}-\d{2}", "%m-%d-%y", _MONTH_FIRST),
    (rf"\d{{1,2}}-{_SHORT}-\d{{4}}", "%d-%b-%Y", None),
    (rf"\d{{1,2}}-{_SHORT}-\d{{2}}", "%d-%b-%y", None),
    (rf"\d{{1,2}}-{_LONG}-\d{{4}}", "%d-%B-%Y", None),
    (rf"{_SHORT}-\d{{1,2}}-\d{{4}}", "%b-%d-%Y", None),
    (rf"{_LONG}-\d{{1,2}}-\d{{4}}", "%B-%d-%Y", None),
    (r"\d{4}-\d{2}", "%Y-%m", None),
    (rf"{_SHORT}-\d{{4}}", "%b-%Y", None),
    (rf"{_LONG}-\d{{4}}", "%B-%Y", None),
    (rf"{_SHORT}-\d{{2}}", "%b-%y", None),
    (rf"\d{{4}}-{_SHORT}", "%Y-%b", None),
    (rf"\d{{4}}-{_SHORT}-\d{{1,2}}", "%Y-%b-%d", None),
)
# Only columns whose names speak of dates come here with plain digits.
_COMPACT = Form(r"(19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])", "%Y%m%d")
FORMS = (
    *(
        Form(pattern + time, day + clock, order, bool(time))
        for pattern, day, order in _DAYS
        for time, clock in _TIMES
        if not time or "%d" in day
    ),
    _COMPACT,
    *(
        Form(part.pattern, "", first_day=part.first_day, called=part.called)
        for part in (*PARTS, WEEK_DAY)
    ),
)


def without_weekday(name: str) -> str:
    """SQL: the text without the name of a weekday before it."""
    return f"regexp_replace(trim({name}), '^[^0-9\\s,.]{{2,10}}\\.?,\\s+', '')"


def bare(name: str) -> str:
    """SQL: the text with one sign between the parts, no weekday, and one blank before the time.

    Months may be parted by points, slashes, blanks or commas; that says nothing of their order.
    """
    text = without_weekday(name)
    text = f"regexp_replace({text}, '(\\d)(st|nd|rd|th|er)\\b', '\\1')"
    # The date is all before a time such as 10:30; in it, every separator becomes a dash.
    time = f"regexp_extract({text}, '[ T,]+(\\d{{1,2}}:\\d{{2}}.*)$', 1)"
    date = f"regexp_replace({text}, '[ T,]+\\d{{1,2}}:\\d{{2}}.*$', '')"
    date = f"regexp_replace({date}, '[./, '']+', '-', 'g')"
    return f"trim({date} || ' ' || {time})"


def parsed(text: str, forms: Sequence[Form]) -> str:
    """SQL: the moment in a bare text, by the first form that fits it; null where none does."""
    cases = " ".join(
        f"WHEN regexp_full_match({text}, {literal(form.pattern)}) THEN {_read(text, form)}"
        for form in forms
    )
    return f"(CASE {cases} END)" if forms else "NULL::TIMESTAMP"


def _read(text: str, form: Form) -> str:
    if form.first_day:
        return form.first_day.format(text)
    return f"try_strptime({text}, {literal(form.format)})"


_ZONED = r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[-+]\d{2}(:?\d{2})?)"


def zoned(text: str, *, as_written: bool = False) -> str:
    """SQL: the moment in UTC of a text that says its zone, or its own clock `as_written`; null for
    others."""
    seconds = f"regexp_replace({text}, '([ T]\\d\\d:\\d\\d)(Z|[-+])', '\\1:00\\2')"
    seconds = f"regexp_replace({seconds}, '([-+]\\d\\d)(\\d\\d)$', '\\1:\\2')"
    moment = f"try_cast({seconds} AS TIMESTAMPTZ) AT TIME ZONE 'UTC'"
    if as_written:
        moment = f"try_cast({without_offset(seconds)} AS TIMESTAMP)"
    return f"(CASE WHEN regexp_full_match({text}, {literal(_ZONED)}) THEN {moment} END)"


def ordered(forms: Sequence[Form], order: DateOrder) -> list[Form]:
    """The forms that are possible when numeric dates have that order."""
    return [form for form in forms if form.order in (None, order)]
