"""Figures that were asked for by name: each in plain words, then all as they were asked for."""

from __future__ import annotations

from mesh.assertions import Stated
from services.planner.domain.analysis.evidence import EvidenceTable
from services.planner.domain.analysis.reporting.prose import Label, Prose
from services.planner.domain.analysis.reporting.stating import stating
from services.planner.domain.analysis.reporting.telling import Said, Telling, between

_COLUMNS = ("about", "statistic", "value", "text", "exact")
_MOST_TOLD = 20


def is_figures(table: EvidenceTable) -> bool:
    """Whether the frame is one that figures.collect makes."""
    return tuple(table.rows.column_names) == _COLUMNS


def told_figures(telling: Telling) -> Said:
    """ "Mean of Age is 31.99." for each figure, then "@mean_age[31.99]" for those with names."""
    table = telling.table
    rows = range(min(table.rows.num_rows, _MOST_TOLD))
    sentences = [_told(telling, row) for row in rows]
    named = [_text(table, row) for row in rows if table.value(row, "about")]
    if named:
        sentences.append(Prose.of(*between(named, " ")))
    return Said(sentences[0], tuple(sentences))


def _told(telling: Telling, row: int) -> Prose:
    table = telling.table
    label = Label(str(table.value(row, "statistic")), table.digest, row, "statistic")
    stated = Stated("statistic", table.digest, (row,), ("value",))
    if table.value(row, "value") is not None:
        return stating(stated, label, " is ", telling.speaker.number(table, row, "value"))
    return stating(stated, label, ": ", _text(table, row))


def _text(table: EvidenceTable, row: int) -> Label:
    return Label(str(table.value(row, "text")), table.digest, row, "text")
