"""How the files behind an answer were read."""

from __future__ import annotations

from collections.abc import Iterable

from services.planner.domain.catalogue import Catalogue, Frozen


class ReadDecision(Frozen):
    """One thing that was decided while a file was read; `subject` is the option to overrule it.

    `column` is empty for the whole table. Another reading was possible unless it is `certain`.
    """

    source_name: str
    table: str
    subject: str
    value: str
    column: str = ""
    because: str = ""
    certain: bool = True


def decisions_used(
    decisions: Iterable[ReadDecision], catalogue: Catalogue, queries: str
) -> tuple[ReadDecision, ...]:
    """The decisions for the tables and columns that the queries name."""
    named = {table.name for table in catalogue.tables if f'"{table.name}"' in queries}
    return tuple(
        decision
        for decision in decisions
        if decision.table in named and (not decision.column or f'"{decision.column}"' in queries)
    )


def in_words(decisions: Iterable[ReadDecision]) -> tuple[str, ...]:
    """A sentence for each table, and one for each of its columns, of what is not plain."""
    texts: dict[tuple[str, str, str], list[str]] = {}
    for decision in decisions:
        if not _usual(decision):
            key = (decision.source_name, decision.table, decision.column)
            texts.setdefault(key, []).append(_phrase(decision))
    return tuple(
        f"{source}, {f'column {column}' if column else f'table {table}'}: {'; '.join(phrases)}"
        for (source, table, column), phrases in texts.items()
    )


_PHRASES = {
    "encoding": "encoding {}",
    "delimiter": "cells parted by {}",
    "quote": "quoted by {}",
    "escape": "quotes escaped by {}",
    "comment": "remarks begin with {}",
    "missing": "read as missing: {}",
    "skip_lines": "lines left out before the table: {}",
    "skip_footer": "lines left out after the table: {}",
    "decimal": "decimals after {}",
    "types": "read as {}",
}
_WORDS = {
    ("header", "true"): "a line of names",
    ("header", "false"): "no line of names",
    ("units_row", "true"): "a line of units below the names",
    ("date_order", "dmy"): "day before month",
    ("date_order", "mdy"): "month before day",
}
_SIGNS = frozenset({"delimiter", "quote", "escape", "comment", "decimal"})


def _usual(decision: ReadDecision) -> bool:
    """Whether it goes without saying."""
    usual = (decision.subject, decision.value) in {("skip_lines", "0"), ("quote", "")}
    return usual or (decision.subject == "escape" and decision.value in ("", '"'))


def _phrase(decision: ReadDecision) -> str:
    value = decision.value
    if decision.subject in _SIGNS and len(value) < 3:
        value = f"\u201c{value}\u201d"
    text = _WORDS.get((decision.subject, decision.value)) or _PHRASES.get(
        decision.subject, f"{decision.subject.replace('_', ' ')} {{}}"
    ).format(value)
    doubt = "" if decision.certain else "not certain"
    why = ", ".join(filter(None, (decision.because, doubt)))
    return f"{text} ({why})" if why else text
