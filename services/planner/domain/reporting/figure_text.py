"""Figures that were asked for by name: each in plain words, then all as they were asked for."""

from __future__ import annotations

from dataclasses import replace

from mesh.proof.assertions import Stated
from mesh.text.spelling import capitalised
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Label, Prose
from services.planner.domain.reporting.stating import stating
from services.planner.domain.reporting.telling import Finding, Telling, between
from services.planner.domain.reporting.test_text import is_test
from services.planner.domain.reporting.tests_found import Found

_COLUMNS = ("about", "statistic", "value", "text", "asked", "exact")
_TESTED = "tested"
_MOST_SHOWN, _MOST_TESTS = 20, 2


def is_figures(table: EvidenceTable) -> bool:
    """Whether the frame is one that figures.collect makes."""
    return tuple(table.rows.column_names) == _COLUMNS


def describe_figures(telling: Telling) -> Finding:
    """ "The mean of Age is 31.99." for each figure; what the tests conclude and assume; and last,
    for those with names, "@mean_age[31.99]"."""
    table = telling.table
    rows = range(min(table.rows.num_rows, _MOST_SHOWN))
    sentences = [_describe_figure(telling, row) for row in rows]
    for found in _tests(telling)[:_MOST_TESTS]:
        sentences.append(found.concluded())
        assumed = found.assumed()
        sentences += [assumed] if assumed else []
    named = [_label(table, row, "asked") for row in rows if table.value(row, "asked")]
    if named:
        sentences.append(Prose.of(*between(named, " ")))
    return Finding(sentences[0], tuple(sentences))


def _tests(telling: Telling) -> list[Found]:
    """The tests that figures were taken from and that conclude something."""
    tables = [t for name, t in telling.story.tables.items() if name.startswith(_TESTED)]
    found = [Found(replace(telling, table=table), table) for table in tables if is_test(table)]
    return [one for one in found if one.has("conclusion") and one.has("p-value")]


def _describe_figure(telling: Telling, row: int) -> Prose:
    table = telling.table
    name = _label(table, row, "statistic")
    whether = name.text.startswith("whether ")
    label = Prose.of(replace(name, text=capitalised(name.text)) if whether else name)
    label = label if whether else Prose.of("The ", label)
    stated = Stated("statistic", table.digest, (row,), ("value",))
    if table.value(row, "value") is not None:
        return stating(stated, label, " is ", telling.speaker.number(table, row, "value"))
    return stating(stated, label, ": ", _label(table, row, "text"))


def _label(table: EvidenceTable, row: int, column: str) -> Label:
    return Label(str(table.value(row, column)), table.digest, row, column)
