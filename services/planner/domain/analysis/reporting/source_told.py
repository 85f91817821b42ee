"""Which data an answer is of, in one line: sources, tables and period."""

from __future__ import annotations

import re
from datetime import date

from services.planner.domain.analysis.reporting.prose import Origin, Prose, Quoted
from services.planner.domain.analysis.reporting.story import Story
from services.planner.domain.catalogue import Table
from services.planner.domain.language.intent import Intent
from services.planner.domain.language.planning.rows_used import FIRST, LAST, USED, time_field
from services.planner.domain.routing.asked import AskedDomain


def source_of(story: Story) -> Prose:
    """Which tables the answer is of and from when to when: "shop.sqlite: orders, customers · 1 May
    2024 to 30 June 2024"; empty where that is not known."""
    intent, tables = story.reading, story.catalogue.tables
    if intent is None and story.request.domains:
        return _record("; ".join(map(_asked, story.request.domains)))
    if intent is None:
        sources = dict.fromkeys(table.source_name for table in tables)
        return _record(", ".join(sources)) if len(tables) == 1 else Prose()
    names = dict.fromkeys([intent.base, *(relation.right.table for relation in intent.joins)])
    real = {copy.name: copy.table for copy in intent.copies}
    found = [t for name in names if (t := story.catalogue.table(real.get(name, name)))]
    if not found:
        return Prose()
    period = _period(story, intent)
    return _record(_places(found) + (f" · {period}" if period else ""))


def _period(story: Story, intent: Intent) -> str:
    """From when to when the rows are that the answer is of; empty where nothing tells it."""
    used = story.tables.get(USED)
    if used is not None and used.rows.num_rows == 1 and used.has(FIRST):
        return _from_to(used.value(0, FIRST), used.value(0, LAST))
    if used is not None or intent.filters or intent.joins:
        return ""  # what was picked was not counted, and the whole table's period is not its own
    timed = time_field(intent, intent.base, story.catalogue)
    table = story.catalogue.table(timed.table) if timed is not None else None
    column = table.column(timed.column) if table is not None and timed is not None else None
    return _from_to(column.minimum, column.maximum) if column is not None else ""


def _from_to(first: object, last: object) -> str:
    days = [_day(moment) for moment in (first, last)]
    if None in days:
        return ""
    told = [f"{day.day} {day:%B} {day.year}" for day in days if day is not None]
    return told[0] if told[0] == told[1] else " to ".join(told)


def _day(moment: object) -> date | None:
    if isinstance(moment, date):
        return moment
    try:
        return date.fromisoformat(str(moment)[:10])
    except ValueError:
        return None


def _asked(domain: AskedDomain) -> str:
    """A domain that several or a tool elsewhere answer for, with that tool."""
    return f"{domain.name}: {domain.call.tool}" if domain.call is not None else domain.name


def _places(tables: list[Table]) -> str:
    """Every source with its tables; a file that is one table says enough by itself."""
    by_source: dict[str, list[str]] = {}
    for table in dict.fromkeys(tables):
        by_source.setdefault(table.source_name, []).append(table.name)
    return "; ".join(
        source if _is_one_table(source, names) else f"{source}: {', '.join(names)}"
        for source, names in by_source.items()
    )


def _is_one_table(source: str, names: list[str]) -> bool:
    letters = [re.sub(r"\W|_", "", text).casefold() for text in (source, names[0])]
    return len(names) == 1 and letters[0].startswith(letters[1])


def _record(text: str) -> Prose:
    return Prose.of(Quoted(text, Origin.RECORD))
