"""Which rows an answer is about, in words: "in 1997", "for Germany"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from rapidfuzz import fuzz, process

from mesh.text.spelling import shortened
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import readable, readable_table
from services.planner.domain.query.intent import (
    Against,
    Condition,
    Filter,
    Group,
    Intent,
    Membership,
    Operator,
)
from services.planner.domain.query.planning.span_text import describe_months, describe_span
from services.planner.domain.query.planning.summary import filter_text
from services.planner.domain.reporting.prose import Origin, Prose, Quoted

_LEADING = re.compile(
    r"(in|on|at|during|between|from|since|after|before|until|till|for|over|prior|later|earlier|"
    r"starting|either)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"(last|past|previous|latest|recent)\b", re.IGNORECASE)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
# Below this likeness a value of the data is no help to whoever misspelt one.
_LIKE_ENOUGH = 40.0
# As many values as a sentence can list.
_FEW_VALUES = 10


def scope_of(intent: Intent | None, *, times: bool = True) -> Prose:
    """The filters as words that follow what they narrow, with a space before; empty without.

    Without `times` the spans of time among them are left to the sentence.
    """
    if intent is None:
        return Prose()
    spans: list[str] = []
    values: list[str] = []
    related: list[str] = []
    others: list[str] = []
    for wanted in intent.filters:
        if (when := _time(wanted)) is not None:
            spans.append(when)
        elif (value := _plain_value(wanted)) is not None:
            values.append(value)
        elif isinstance(wanted, Membership):
            related.append(filter_text(wanted).removeprefix(readable_table(wanted.table)).strip())
        else:
            others.append(filter_text(wanted))
    parts = [_quoted(" " + when) for when in dict.fromkeys(spans if times else ())]
    if values:
        parts.append(_quoted(" for " + " and ".join(dict.fromkeys(values))))
    parts += [_quoted(" " + text) for text in dict.fromkeys(related)]
    if others:
        parts.append(_quoted(" where " + " and ".join(dict.fromkeys(others))))
    return Prose.of(*parts)


def has_one_year(intent: Intent | None) -> bool:
    """Whether the scope names one year, so that months need not."""
    if intent is None:
        return False
    text = " ".join(when for wanted in intent.filters if (when := _time(wanted)))
    return len(set(re.findall(r"\b(?:19|20)\d{2}\b", text))) == 1


def condition_words(intent: Intent | None) -> Prose:
    """Every filter spelled out, for an answer that has no rows."""
    if intent is None or not intent.filters:
        return Prose()
    texts = dict.fromkeys(_spelled(wanted) for wanted in intent.filters)
    return Prose.of(_quoted(" and ".join(texts)))


def described_scope(intent: Intent) -> str:
    """All that may be told of the filters, with rows and without, for the plan that says how they
    are read."""
    texts = (scope_of(intent).plain.strip(), condition_words(intent).plain)
    return "; ".join(dict.fromkeys(filter(None, texts)))


def closest_values(intent: Intent | None, catalogue: Catalogue) -> Prose:
    """Values of the data like those that matched nothing: (closest: "Austria"); or empty."""
    found: list[str] = []
    for condition in _conditions(intent.filters if intent else ()):
        table = catalogue.table(condition.field.table)
        column = table.column(condition.field.column) if table else None
        if condition.operator not in (Operator.EQUAL, Operator.IN) or column is None:
            continue
        for value in condition.values:
            if not isinstance(value, str) or value in column.samples:
                continue
            best = process.extractOne(value, column.samples, scorer=fuzz.ratio)
            if best is not None and best[1] >= _LIKE_ENOUGH:
                found.append(f'"{shortened(best[0])}"')
            elif column.distinct == len(column.samples) <= _FEW_VALUES:
                every = ", ".join(shortened(sample) for sample in column.samples)
                return Prose.of(" (there are: ", Quoted(every, Origin.SAMPLE), ")")
    if not found:
        return Prose()
    return Prose.of(" (closest: ", Quoted(", ".join(dict.fromkeys(found)), Origin.SAMPLE), ")")


def _quoted(text: str) -> Quoted:
    return Quoted(text, Origin.QUESTION)


def _time(wanted: Filter) -> str | None:
    """The question's own words for a span of time; None for any other filter."""
    if isinstance(wanted, Membership | Against):
        return None
    conditions = list(_conditions((wanted,)))
    notes = list(dict.fromkeys(c.note.strip() for c in conditions if c.note.strip()))
    if not notes and isinstance(wanted, Condition):
        return _span(wanted)
    if len(notes) != 1 or not all(_about_time(c) for c in conditions):
        return None
    note = notes[0]
    if _LEADING.match(note):
        return note[:1].lower() + note[1:]
    return f"in the {note}" if _RELATIVE.match(note) else f"in {note}"


def _span(condition: Condition) -> str | None:
    """A span of days or a month that the question did not name in its own words."""
    span = describe_span(condition)
    if condition.operator is Operator.EQUAL and span:
        return f"on {span}"
    if not span and condition.operator is not Operator.NOT_EQUAL:
        span = describe_months(condition)
    return f"{'from' if ' to ' in span else 'in'} {span}" if span else None


def _about_time(condition: Condition) -> bool:
    dated = all(
        isinstance(value, date) or (isinstance(value, str) and _ISO_DATE.match(value))
        for value in condition.values
    )
    return dated or "year" in readable(condition.field.column).split()


def _plain_value(wanted: Filter) -> str | None:
    if not isinstance(wanted, Condition) or wanted.note:
        return None
    texts = all(isinstance(value, str) for value in wanted.values)
    if wanted.operator not in (Operator.EQUAL, Operator.IN) or not texts or not wanted.values:
        return None
    return " or ".join(shortened(str(value)) for value in wanted.values)


def _spelled(wanted: Filter) -> str:
    if (when := _time(wanted)) is not None:
        return when
    if isinstance(wanted, Condition) and wanted.operator is Operator.EQUAL and wanted.values:
        return f'{readable(wanted.field.column)} = "{shortened(str(wanted.values[0]))}"'
    return filter_text(wanted)


def _conditions(filters: Sequence[Filter]) -> Iterator[Condition]:
    for wanted in filters:
        if isinstance(wanted, Condition):
            yield wanted
        elif isinstance(wanted, Group):
            yield from _conditions(wanted.members)
        elif isinstance(wanted, Membership) and wanted.where is not None:
            yield from _conditions((wanted.where,))
