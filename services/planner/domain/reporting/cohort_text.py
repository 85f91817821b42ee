"""Sentences about things that were followed: how many stayed, and how many came back."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.proof.assertions import Stated
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.cohorts.words import event_of
from services.planner.domain.query.intent import Cohort, CohortView, Intent
from services.planner.domain.reporting.cells import Cell
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Origin, Prose, Quoted, joined
from services.planner.domain.reporting.stating import of_cells, stating
from services.planner.domain.reporting.telling import Finding, Telling

_CURVE = "curve"
_SHOWN_PERIODS = (1, 3, 6, 12)


def tells_cohorts(intent: Intent | None) -> bool:
    """Whether an answer has sentences of its own because things were followed."""
    views = (CohortView.RETENTION, CohortView.CURVE, CohortView.RETURNED)
    cohort = intent.cohort if intent is not None else None
    if intent is None or cohort is None or cohort.view not in views:
        return False
    return not (cohort.view is CohortView.RETURNED and intent.dimensions)


def describe_cohorts(telling: Telling, intent: Intent, cohort: Cohort) -> Finding:
    """How many came back, or what share was active so many units of time after the first event."""
    if cohort.view is CohortView.RETURNED:
        return _returned(telling, intent, cohort)
    table = telling.story.tables.get(_CURVE, telling.table)
    since = intent.dimensions[-1].label
    ages = table.rows.column(since).to_pylist()
    wanted = [ages.index(age) for age in _SHOWN_PERIODS if age in ages]
    rows = wanted or [row for row, age in enumerate(ages) if age] or list(range(len(ages)))[:1]
    first = _active(telling, intent, cohort, table, rows[:1])
    size = telling.cell(Cell(table, rows[0], intent.measures[0].label))
    entities = Quoted(intent.measures[0].label, Origin.NAME)
    of = of_cells("value", Cell(table, rows[0], intent.measures[0].label))
    sentences = [
        Prose.of(
            stating(of, "of ", size, " ", entities, telling.scope),
            ", ",
            _active(telling, intent, cohort, table, rows[:4]),
        )
    ]
    return Finding(first, tuple(sentences))


def _active(
    telling: Telling, intent: Intent, cohort: Cohort, table: EvidenceTable, rows: Sequence[int]
) -> Prose:
    """ "30 % were active 1 month after their first order, and 19 % after 3"."""
    since, share = intent.dimensions[-1].label, intent.derived[0].label
    began = readable(cohort.started.column) if cohort.started else f"first {event_of(cohort)}"
    parts = []
    for place, row in enumerate(rows):
        part = telling.cell(Cell(table, row, share), percent=True)
        age = telling.cell(Cell(table, row, since))
        unit = cohort.grain.value if table.value(row, since) == 1 else f"{cohort.grain.value}s"
        if place:
            parts.append(Prose.of(part, " after ", age))
        else:
            after = Quoted(f"their {began}", Origin.QUESTION)
            parts.append(Prose.of(part, " were active ", age, f" {unit} after ", after))
    return stating(Stated("curve", table.digest, tuple(rows), (share, since)), joined(parts))


def _returned(telling: Telling, intent: Intent, cohort: Cohort) -> Finding:
    size, back = (measure.label for measure in intent.measures[:2])
    share = intent.derived[0].label
    cells = [Cell(telling.table, 0, name) for name in (size, back, share)]
    entities = Quoted(size, Origin.NAME)
    verb = " did not come back" if cohort.absent else " came back"
    when = ""
    if cohort.later is not None:
        when = f" in {cohort.later.label}"
    elif cohort.within is not None:
        unit = cohort.grain.value
        when = f" within a {unit}" if cohort.within == 1 else f" within {cohort.within} {unit}s"
    whose = ""
    if cohort.earlier is not None:
        whose = f" of {cohort.earlier.label}"
    if cohort.earlier is not None and cohort.first:
        whose = f" that began in {cohort.earlier.label}"
    prose = stating(
        of_cells("part", cells[1], cells[0], cells[2]),
        telling.cell(cells[1]),
        " of ",
        telling.cell(cells[0]),
        " ",
        entities,
        Quoted(whose, Origin.QUESTION),
        telling.scope,
        verb,
        Quoted(when, Origin.QUESTION),
        " (",
        telling.cell(cells[2], percent=True),
        ")",
    )
    return Finding(prose, (prose,))
