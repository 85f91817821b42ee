"""Sentences about statistical tests: the conclusion, then the numbers it rests on."""

from __future__ import annotations

from dataclasses import replace

from services.planner.domain.evidence import EvidenceTable
from services.planner.domain.reporting.cells import Cell
from services.planner.domain.reporting.labels import capitalised
from services.planner.domain.reporting.prose import Label, Prose, Quoted
from services.planner.domain.reporting.telling import Said, Telling, between

_TESTED = ("about", "statistic", "value", "text")
_MOST_TOLD = 8
_SECONDARY = frozenset(["rows used", "rows left out", "n"])


def is_test(table: EvidenceTable) -> bool:
    """Whether the frame is one that stats.test makes."""
    return all(table.has(name) for name in _TESTED)


def told_test(telling: Telling) -> Said:
    """What a test found: its conclusion, or the number asked for, then its first numbers."""
    table = telling.table
    kinds = [table.value(row, "statistic") for row in range(table.rows.num_rows)]
    numbers = [
        row
        for row, kind in enumerate(kinds)
        if table.value(row, "value") is not None and kind not in _SECONDARY
    ]
    statistic = telling.intent.statistic if telling.intent else None
    asked = [row for row in numbers if statistic and kinds[row] in statistic.asked]
    told = (asked + [row for row in numbers if row not in asked])[:_MOST_TOLD]
    listed = Prose.of(*between([_number(telling, row) for row in told], ", "))
    if "conclusion" in kinds:
        headline = Prose.of(_text(telling, kinds.index("conclusion")))
        name = Prose.of(_text(telling, kinds.index("test")), ": ", listed)
        return Said(headline, (headline, name))
    headline = _number(telling, told[0]) if told else Prose.of("Nothing to tell")
    return Said(headline, (listed,))


def _number(telling: Telling, row: int) -> Prose:
    """ "mean of age is 29.7", "p-value is 0.03"."""
    about = telling.table.value(row, "about")
    name: list[Prose | Label | Quoted | str] = [_label(telling, row, "statistic")]
    if about:
        name += [" of ", _label(telling, row, "about")]
    return Prose.of(*name, " is ", telling.cell(Cell(telling.table, row, "value")))


def _text(telling: Telling, row: int) -> Label:
    """A text at the head of a sentence."""
    label = _label(telling, row, "text")
    return replace(label, text=capitalised(label.text))


def _label(telling: Telling, row: int, column: str) -> Label:
    return telling.speaker.label(telling.table, row, column)
