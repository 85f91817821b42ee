"""Which data an answer is of, in one line: sources and tables."""

from __future__ import annotations

import re

from services.planner.domain.catalogue import Table
from services.planner.domain.reporting.prose import Origin, Prose, Quoted
from services.planner.domain.reporting.story import Story
from services.planner.domain.routing.asked import AskedDomain


def source_of(story: Story) -> Prose:
    """Which tables the answer is of: "shop.sqlite: orders, customers"; empty where that is not
    known."""
    intent, tables = story.reading, story.catalogue.tables
    if intent is None and story.request.domains:
        return _record("; ".join(map(_asked, story.request.domains)))
    if intent is None:
        sources = dict.fromkeys(table.source_name for table in tables)
        return _record(", ".join(sources)) if len(tables) == 1 else Prose()
    names = dict.fromkeys([intent.base, *(relation.right.table for relation in intent.joins)])
    real = {copy.name: copy.table for copy in intent.copies}
    found = [t for name in names if (t := story.catalogue.table(real.get(name, name)))]
    return _record(_places(found)) if found else Prose()


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
