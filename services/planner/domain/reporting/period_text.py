"""Sentences about two periods that are set against each other."""

from __future__ import annotations

from services.planner.domain.drafting.compared import CHANGE, GROWTH
from services.planner.domain.query.intent import Intent, Period
from services.planner.domain.query.planning.compared_groups import compares_groups
from services.planner.domain.reporting.cells import Cell, ranked
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Origin, Prose, Quoted, joined
from services.planner.domain.reporting.stating import of_cells, of_rows, stating
from services.planner.domain.reporting.telling import Finding, Telling, name_of

_SHAPE, _TOTALS = "shape", "leaders"


def describe_difference(telling: Telling, intent: Intent) -> Finding | None:
    """ "Revenue rose from 208,084 in 1996 to 617,085 in 1997 (+409,001, 197 %)"; None without."""
    during = [m.during for m in intent.measures if m.during is not None]
    if len(during) != 2 or telling.table.rows.num_rows != 1:
        return None
    table, labels = telling.table, [measure.label for measure in intent.measures]
    values = [table.value(0, label) for label in labels]
    if any(value is None for value in values):
        return None
    number = labels[0].removesuffix(f" in {during[0].label}")
    subject = Prose.of(Quoted(number, Origin.NAME), telling.scope)
    cells = [Cell(table, 0, label) for label in labels]
    between = [Cell(table, 0, derived.label) for derived in intent.derived]
    kind, verb = _moved(values[0], values[1])
    prose = stating(
        of_cells(kind, *cells, *between),
        subject,
        verb,
        telling.cell(cells[0]),
        _when(during[0]),
        " to ",
        telling.cell(cells[1]),
        _when(during[1]),
        _by(telling, between[0], between[1]),
    )
    return Finding(prose, (prose,))


def describe_periods(telling: Telling, intent: Intent) -> Finding | None:
    """What changed in all, and which groups changed most; None where no groups are compared."""
    periods = compares_groups(intent)
    shape = telling.story.tables.get(_SHAPE)
    if periods is None or shape is None or not shape.has(CHANGE):
        return None
    sentences = [s for s in (_in_all(telling, intent, periods), _most(telling, shape)) if s]
    return Finding(sentences[0], tuple(sentences)) if sentences else None


def _in_all(telling: Telling, intent: Intent, periods: tuple[Period, Period]) -> Prose:
    totals = telling.story.tables.get(_TOTALS)
    name, label = intent.measures[0].label, intent.dimensions[1].label
    if totals is None or not totals.has(label) or not totals.has(name):
        return Prose()
    labels = totals.rows.column(label).to_pylist()
    if not all(period.label in labels for period in periods):
        return Prose()
    rows = [labels.index(period.label) for period in periods]
    values = [totals.value(row, name) for row in rows]
    number = telling.shape.numbers[0]
    before, after = (telling.cell(Cell(totals, row, name), number) for row in rows)
    when = [telling.speaker.label(totals, row, label) for row in rows]
    kind, verb = _moved(values[0], values[1])
    return stating(
        of_cells(kind, *(Cell(totals, row, name) for row in rows)),
        name_of(number),
        telling.scope,
        verb,
        before,
        " in ",
        when[0],
        " to ",
        after,
        " in ",
        when[1],
    )


def _most(telling: Telling, shape: EvidenceTable) -> Prose:
    """The groups at either end of the changes."""
    category = telling.shape.categories[0]
    order = ranked(shape, CHANGE, named_by=category.column)
    if not order.rows or order.level:
        return Prose()
    ends = []
    for rows, high in ((order.highest, True), (order.lowest, False)):
        row, change = rows[0], shape.value(rows[0], CHANGE)
        verb = " rose most" if high else " rose least"
        if change < 0:
            verb = " fell least" if high else " fell most"
        label = telling.speaker.label(shape, row, category.column, category.grain)
        by = _by(telling, Cell(shape, row, CHANGE), Cell(shape, row, GROWTH))
        if len(rows) == 1:
            kind = verb.strip().replace(" ", "_")
            ends.append(
                stating(of_rows(kind, shape, rows, CHANGE, category.column), label, verb, by)
            )
    return joined(ends)


def _moved(before: float, after: float) -> tuple[str, str]:
    """What is stated, and its verb."""
    if before == after:
        return "unchanged", " stayed the same: from "
    return ("rose", " rose from ") if after > before else ("fell", " fell from ")


def _when(period: Period) -> Prose:
    return Prose.of(" in ", Quoted(period.label, Origin.NAME))


def _by(telling: Telling, change: Cell, growth: Cell) -> Prose:
    """The difference and the growth in brackets; a growth from nought is none."""
    plus = "+" if change.value > 0 else ""
    prose = Prose.of(" (", plus, telling.cell(change))
    if growth.value is None:
        return Prose.of(prose, ")")
    return Prose.of(prose, ", ", plus, telling.cell(growth, percent=True), ")")
