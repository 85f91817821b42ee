"""A question with words of business: said plainly for the readers; what is told of its reading."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import date

from sqlglot import exp

from services.planner.domain.business.finding import is_named
from services.planner.domain.business.formulas import revenue_formulas
from services.planner.domain.business.lexicon import LEXICON, Entry, Form, entries_in
from services.planner.domain.business.moments import find_moments
from services.planner.domain.catalogue import Catalogue, Column, Table
from services.planner.domain.confidence.thresholds import LIKELY
from services.planner.domain.query.filters import conditions_of
from services.planner.domain.query.intent import (
    Aggregate,
    Clarification,
    Field,
    Intent,
    NotUnderstood,
    Understood,
)
from services.planner.domain.query.measures.metrics import formula_tree

Reading = Understood | Clarification | NotUnderstood
Read = Callable[[str], Awaitable[Reading]]
_AT_A_TIME = (Form.STANDING, Form.LEAVING)
_COUNTS = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
_LISTED_COLUMNS = 12


def plainly(question: str, catalogue: Catalogue, today: date) -> str:
    """The question with words of business as their numbers are called, and without the moment that
    is in their formula."""
    made = _made_in(question, catalogue)
    timed = any(entry.form in _AT_A_TIME for entry in made)
    moments = find_moments(question, today) if timed else ()
    if len(moments) == 1:
        question = f"{question[: moments[0].first]}{question[moments[0].last :]}"
    for entry in made:
        question = entry.pattern.sub(entry.name, question)
    return question


async def which_turnover(
    question: str, catalogue: Catalogue, read: Read, today: date
) -> Clarification | Understood | None:
    """The question back where "turnover" may be what was sold or who left; the one of both that
    can be told where the other cannot; None where it is no question.

    `read` reads a question as one of its meanings.
    """
    both = [entry for entry in _made_in(question, catalogue) if entry.name == "staff turnover"]
    match = both[0].pattern.search(question) if both else None
    if match is None or match.group().lower() != "turnover" or not revenue_formulas(catalogue):
        return None
    found: list[Understood] = []
    for meaning in ("total revenue", both[0].name):
        asked = both[0].pattern.sub(meaning, question)
        one = await read(plainly(asked, catalogue, today))
        one = with_definitions(one, asked, catalogue, today)
        found += [one] if isinstance(one, Understood) else []
    if len(found) < 2:
        return found[0] if found else None
    return Clarification(
        question='"turnover" may be what was taken, or who left',
        options=tuple(one.summary for one in found),
        readings=tuple(found),
        glimpses=("",) * len(found),
    )


def with_definitions(found: Reading, question: str, catalogue: Catalogue, today: date) -> Reading:
    """The reading with what its words of business were taken for, as likely at most; the refusal
    where one of them cannot be had, or not over time."""
    if isinstance(found, Clarification):
        return found
    missing = [entry for entry in entries_in(question) if _is_unknown(entry, catalogue, found)]
    if missing:
        return _refused(missing[0], catalogue)
    if isinstance(found, NotUnderstood):
        return found
    used = list(_used(found.intent, catalogue))
    if not used:
        return found
    if (refused := _over_time(found.intent, used, catalogue, today)) is not None:
        return refused
    notes = tuple(dict.fromkeys(column.guess for _, column in used))
    return found.model_copy(
        update={
            "confidence": min(found.confidence, LIKELY),
            "measured": True,
            "assumptions": (*notes, *found.assumptions),
        }
    )


def _made_in(question: str, catalogue: Catalogue) -> list[Entry]:
    """The words that the question says and the catalogue has as what they were taken for."""
    made = {c.name for table in catalogue.tables for c in table.columns if c.guess}
    return [entry for entry in entries_in(question) if entry.name in made]


def _is_unknown(entry: Entry, catalogue: Catalogue, found: Reading) -> bool:
    """Whether nothing is known by the word, and the reading has nothing for it."""
    made = any(c.guess and c.name == entry.name for t in catalogue.tables for c in t.columns)
    if made or is_named(entry, catalogue):
        return False
    if isinstance(found, Understood):
        numbers = [*found.intent.measures, *(one.measure for one in found.intent.having)]
        counted = all(measure.aggregate in _COUNTS for measure in numbers)
        words = " ".join(found.assumptions)
        return counted or entry.pattern.search(words) is not None
    return isinstance(found, NotUnderstood)


def _refused(entry: Entry, catalogue: Catalogue) -> NotUnderstood:
    needs = [f"{one.phrase} (such as {one.such})" for one in entry.needs if one.required]
    message = (
        f'"{entry.name}" needs {" and ".join(needs)}: no table has '
        f"{'it' if len(needs) == 1 else 'both'}. A semantic model can say what it is"
    )
    return NotUnderstood(message=message, available=_available(catalogue))


def _used(intent: Intent, catalogue: Catalogue) -> Iterator[tuple[Table, Column]]:
    written = intent.model_dump_json()  # wherever a column is made use of
    for table in catalogue.tables:
        for column in table.columns:
            if (
                column.guess
                and Field(table=table.name, column=column.name).model_dump_json() in written
            ):
                yield table, column


def _over_time(
    intent: Intent, used: Sequence[tuple[Table, Column]], catalogue: Catalogue, today: date
) -> NotUnderstood | None:
    """Why a number at a date cannot be split by the dates it is made of, or bound by them."""
    timed = {entry.name for entry in LEXICON if entry.form in _AT_A_TIME}
    fields = [dimension.expression for dimension in intent.dimensions]
    fields += [condition.field for condition in conditions_of(intent.filters)]
    for table, column in used:
        own = {one.name for one in formula_tree(column.formula).find_all(exp.Column)}
        if column.name in timed and any(
            isinstance(field, Field) and field.table == table.name and field.column in own
            for field in fields
        ):
            message = (
                f'"{column.name}" is of one day or period at a time, and its rows split by their '
                f'own dates do not give it. Ask "{column.name} at the end of {today.year - 1}" '
                "and again for another"
            )
            return NotUnderstood(message=message, available=_available(catalogue))
    return None


def _available(catalogue: Catalogue) -> tuple[str, ...]:
    return tuple(
        f"{table.name}: {', '.join(column.name for column in table.stored[:_LISTED_COLUMNS])}"
        for table in catalogue.tables
    )
