"""What is told of things that are followed, in one line and as the title of a chart."""

from __future__ import annotations

from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.intent import Cohort, CohortView, Intent
from services.planner.domain.query.joining.entities import singular


def cohort_text(intent: Intent, cohort: Cohort) -> str:
    """For example "customers by month of first order, and how many had any order since"."""
    entities = _name_entities(intent)
    unit, event = cohort.grain.value, event_of(cohort)
    began = readable(cohort.started.column) if cohort.started else f"first {event}"
    by = "".join(f" by {d.label}" for d in intent.dimensions if d.expression != cohort.dated)
    during = f" in {cohort.earlier.label}" if cohort.earlier is not None else ""
    if cohort.view is CohortView.RETENTION:
        each = f"and how many had any {event} in each {unit} since"
        return _with_money(intent, f"{entities} by {unit} of {began}{during}, {each}")
    if cohort.view is CohortView.CURVE:
        when = f"{cohort.age} {unit}s" if cohort.age is not None else f"each number of {unit}s"
        return _with_money(intent, f"{entities} active {when} after their {began}{during}")
    if cohort.view is CohortView.NEW:
        timed = f" by {unit}" if any(d.grain for d in intent.dimensions) else ""
        return f"new {entities} by their first {readable(cohort.dated.column)}{timed}{by}{during}"
    if cohort.view is CohortView.ACTIVE:
        return f"{entities} with any {event}, by {unit} of {readable(cohort.dated.column)}{during}"
    if cohort.view is CohortView.NEW_OR_RETURNING:
        return f"{entities} with any {event} by {unit}, new or returning{during}"
    return _returned(cohort, entities, event, by)


def cohort_title(intent: Intent, cohort: Cohort) -> str:
    """What a chart of it shows."""
    entities = _name_entities(intent)
    unit = cohort.grain.value
    money = [m.label for m in intent.measures if m.expression is not None]
    what = money[0] if money else "share active"
    if cohort.view is CohortView.RETENTION:
        return f"{entities.capitalize()} by {unit} they began in: {what} in each {unit} since"
    if cohort.view is CohortView.CURVE:
        return f"{entities.capitalize()}: {what} in each {unit} since they began"
    if cohort.view is CohortView.ACTIVE:
        return f"Active {entities} by {unit}"
    if cohort.view is CohortView.NEW:
        return f"New {entities} by {' and '.join(d.label for d in intent.dimensions)}"
    if cohort.view is CohortView.NEW_OR_RETURNING:
        return f"New and returning {entities} by {unit}"
    back = "did not come back" if cohort.absent else "came back"
    by = "".join(f" by {d.label}" for d in intent.dimensions)
    return f"Share of {entities} that {back}{by}"


def _name_entities(intent: Intent) -> str:
    label = intent.measures[0].label.removeprefix("number of ")
    return label.removeprefix("new ").removeprefix("active ")


def _with_money(intent: Intent, text: str) -> str:
    money = [m.label for m in intent.measures if m.expression is not None]
    return f"{money[0]} of {text}" if money else text


def event_of(cohort: Cohort) -> str:
    """What one event is called: an order, an invoice."""
    return singular(cohort.dated.table)


def _returned(cohort: Cohort, entities: str, event: str, by: str) -> str:
    first = f"their first {event}" if cohort.first else f"any {event}"
    whose = f" with {first} in {cohort.earlier.label}" if cohort.earlier else ""
    further = f"further {event}" if cohort.absent else f"a further {event}"
    further = f"any {event} in {cohort.later.label}" if cohort.later else further
    again = further.removeprefix("any ") if cohort.absent else further
    if cohort.within is not None:
        again += f" within {cohort.within} {cohort.grain.value}s of the first"
    had = "had no" if cohort.absent else "had"
    return f"{entities}{whose}, and how many {had} {again}{by}"
