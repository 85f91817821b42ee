"""What no answer is told as sure with, whichever reader gave it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mesh.remarks import NOT_USED
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.confidence.thresholds import DOUBTFUL, LIKELY
from services.planner.domain.evidence import Evidence, Outcome, ProbedQuery, ProbeState
from services.planner.domain.lexicon.grains import PACES
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.lexicon.tokens import Token, stem, tokenise
from services.planner.domain.query.dimensions.coverage import coverage_notes, part_units
from services.planner.domain.query.filters import conditions_of
from services.planner.domain.query.intent import (
    Aggregate,
    Field,
    Intent,
    Understood,
)
from services.planner.domain.query.planning.period_sql import periods_of
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.chart.conditions import find_yearly
from services.planner.domain.reader.grammar import aggregation
from services.planner.domain.reader.grammar.rules import Words
from services.planner.domain.reader.links.naming import is_person
from services.planner.domain.reader.links.schema import Place, Schema, schema_of
from services.planner.domain.semantics.kinds import Kind, counts_rows

_ALIKE = 2  # columns, that tables be of one kind
_MOST_SHOWN = 3
_FEWEST_NUMBERED = 3
"""So few rows may be numbered by chance: enough for a doubt, too few to be read otherwise."""
_WEEKEND, _WEEKDAY = frozenset(("weekend", "weekends")), frozenset(("weekday", "weekdays"))
_OF_DAYS = frozenset(stem(word) for word in "on at in date time day datetime".split())
_PER_TIME = re.compile(
    r"\b(?:average|mean|avg)\b(?:.* per (?P<unit>day|week|month|quarter|year)\b"
    r"| (?P<pace>daily|weekly|monthly|quarterly|yearly|annual)\b)"
)
_OF_AGE = frozenset(("over", "under", "above", "below", "older", "younger"))
_OLDEST = 120
_COUNTED = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)


def cap_confidence(found: Understood, question: str, catalogue: Catalogue) -> Understood:
    """The reading, as doubtful at most where it does what its words hardly ask for."""
    tokens, schema = tokenise(question), schema_of(catalogue)
    doubts = [
        *_adds_up(found.intent, tokens, schema),
        *_adds_years(found.intent, schema),
        *_counts_what_has_no_number(found.intent, tokens, schema),
        *_answers_half(found.intent, tokens),
        *_days_of_all_months(found.intent, tokens, schema),
        *_one_of_many_alike(found.intent, tokens, schema),
        *_weekends_alone(found.intent, tokens),
        *_of_another_number(found, tokens),
        *_older_than(found.intent, tokens, schema),
        *_counts_undone(found.intent, tokens, schema),
    ]
    found = _in_part(_averaged_over_time(found, tokens, schema), catalogue)
    return _doubted(found, doubts)


def _in_part(found: Understood, catalogue: Catalogue) -> Understood:
    """What is told by units of time of which the first or the last is not whole, or sets a period
    against one that is not, as likely at most, with what the data covers of it."""
    part = part_units(found.intent, catalogue)
    notes = coverage_notes(found.intent, catalogue)
    if not part and not (periods_of(found.intent) and notes):
        return found
    texts = (*found.assumptions, *(note for note in notes if note not in found.assumptions))
    sure = min(found.confidence, LIKELY)
    return found.model_copy(update={"confidence": sure, "measured": True, "assumptions": texts})


def _averaged_over_time(found: Understood, tokens: Sequence[Token], schema: Schema) -> Understood:
    """ "Average visits per day" that is told for each day, as likely at most: one average of the
    days' totals is meant as often."""
    text = " ".join(token.lower for token in tokens)
    unit = _PER_TIME.search(text)
    timed = any(
        d.grain is not None or ((place := _place_of(d.expression, schema)) and place.time)
        for d in found.intent.dimensions
    )
    averages = [
        m
        for m in found.intent.measures
        if m.aggregate is Aggregate.AVERAGE
        and (place := _place_of(m.expression, schema))
        and place.kind is Kind.AMOUNT
    ]
    if unit is None or not timed or not averages:
        return found
    each = unit["unit"] or PACES[unit["pace"]]
    note = f"it may also mean: the total of each {each}, averaged over all of them"
    return found.model_copy(
        update={
            "confidence": min(found.confidence, LIKELY),
            "measured": True,
            "assumptions": (note, *found.assumptions),
        }
    )


def _place_of(expression: object, schema: Schema) -> Place | None:
    if not isinstance(expression, Field):
        return None
    return schema.of_field.get((expression.table, expression.column))


async def tried(found: Understood, evidence: Evidence, catalogue: Catalogue) -> Understood:
    """The reading, which was not tried on the data yet, as doubtful at most where all the numbers
    of its answer are missing."""
    if not found.intent.gives_rows or not found.intent.measures:
        return found
    query = render(found.intent, catalogue)
    (outcome,) = await evidence([ProbedQuery(sql=query.text, params=query.params)])
    return where_nothing_is(found, outcome)


def where_nothing_is(found: Understood, outcome: Outcome | None) -> Understood:
    """The reading, as doubtful at most where the data gives rows but none with a number."""
    if (
        outcome is None
        or outcome.state is not ProbeState.OK
        or not outcome.rows
        or not outcome.columns
    ):
        return found
    if not found.intent.measures or outcome.columns[-1].empty_share < 1:
        return found
    return _doubted(found, ["no row has such a value: nothing could be computed"])


def _doubted(found: Understood, doubts: Sequence[str]) -> Understood:
    if not doubts:
        return found
    notes = tuple(one for one in doubts if one not in found.assumptions)
    sure = min(found.confidence, DOUBTFUL)
    values = {"confidence": sure, "measured": True, "assumptions": (*notes, *found.assumptions)}
    return found.model_copy(update=values)


def _of_another_number(found: Understood, tokens: Sequence[Token]) -> Iterator[str]:
    """ "Average discount from asking price" that is told of the asking price."""
    unused = [note for note in found.assumptions if note.startswith(NOT_USED)]
    for cue in Words(tokens).find(aggregation.RULES):
        named = tokens[cue.last + 1].lower if cue.last + 1 < len(tokens) else ""
        if named and any(f'"{named}"' in note.lower() for note in unused):
            how = tokens[cue.last].lower
            yield f'it is not the {how} of "{named}", which the data does not name'
            return


def _counts_undone(intent: Intent, tokens: Sequence[Token], schema: Schema) -> Iterator[str]:
    """ "Who sold the most" that counts what is not sold yet, too."""
    counts = any(m.aggregate is not None for m in intent.measures)
    words = {token.stem for token in tokens if not token.quoted}
    written = intent.model_dump_json()  # wherever a column is made use of
    for place in schema.of_table(intent.base) if counts and not intent.derived else ():
        done = {stem(word) for word in place.words} - _OF_DAYS
        if not place.time or not place.column.nulls or not done or not done <= words:
            continue
        if f'"{place.column.name}"' not in written:
            yield f"rows without {readable(place.column.name)} are counted too"


def _older_than(intent: Intent, tokens: Sequence[Token], schema: Schema) -> Iterator[str]:
    """ "Salary of employees over 50" that is told of another number than their age."""
    for before, sign, number in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if not is_person(before.stem) or sign.lower not in _OF_AGE or number.number is None:
            continue
        if number.number > _OLDEST:
            continue
        for one in conditions_of(intent.filters):
            place = schema.of_field.get((one.field.table, one.field.column))
            if number.number in one.values and place is not None and "age" not in place.words:
                yield f'"{sign.text} {number.text}" may be an age, and not {place.column.name}'


def _weekends_alone(intent: Intent, tokens: Sequence[Token]) -> Iterator[str]:
    """ "Weekends versus weekdays" that is told of the weekends alone."""
    words = {token.lower for token in tokens}
    if (
        words & _WEEKEND
        and words & _WEEKDAY
        and any("weekend" in map(str, one.values) for one in conditions_of(intent.filters))
    ):
        yield "told of weekends alone: weekdays are left out"


def _adds_up(intent: Intent, tokens: Sequence[Token], schema: Schema) -> Iterator[str]:
    """Totals of ratings, prices or speeds that nobody asked for, and of what may number rows."""
    if any(cue.means is Aggregate.SUM for cue in Words(tokens).find(aggregation.RULES)):
        return
    for measure in intent.measures:
        target = measure.expression
        if measure.aggregate is not Aggregate.SUM or not isinstance(target, Field):
            continue
        place = schema.of_field.get((target.table, target.column))
        if place is not None and place.kind is Kind.INTENSIVE:
            yield f"{measure.label} is added up, though such values hardly say anything together"
        if place is not None and counts_rows(place.column, place.table, _FEWEST_NUMBERED):
            yield f"{measure.label} is added up, though {target.column} may only number the rows"


def _adds_years(intent: Intent, schema: Schema) -> Iterator[str]:
    """The populations of all years in one sum, where a table tells those of the same each year."""
    used = {d.expression for d in intent.dimensions}
    used |= {condition.field for condition in conditions_of(intent.filters)}
    for measure in intent.measures:
        place = _place_of(measure.expression, schema)
        if measure.aggregate is not Aggregate.SUM or place is None or place.kind is not Kind.LEVEL:
            continue
        for year in find_yearly(schema.of_table(place.table.name)):
            if year.field not in used:
                yield f"{measure.label} adds up those of every {readable(year.column.name)}"


def _counts_what_has_no_number(
    intent: Intent, tokens: Sequence[Token], schema: Schema
) -> Iterator[str]:
    """Rows counted of what is said in the singular: "turnout by state" asks for no number of rows,
    "staff by team" does."""
    counted = [m for m in intent.measures if m.shown]
    if not counted or any(m.aggregate is not Aggregate.COUNT for m in counted) or not tokens:
        return
    if any(cue.means in _COUNTED for cue in Words(tokens).find(aggregation.RULES)):
        return
    first = tokens[0]
    own = {stem(word) for word in schema.table_words.get(intent.base, ())}
    singular = not first.lower.endswith("s") and not is_person(first.stem)
    if singular and first.stem in own and len(own) == 1:
        yield f'"{first.text}" is taken for rows of {intent.base}, which are counted'


def _answers_half(intent: Intent, tokens: Sequence[Token]) -> Iterator[str]:
    """One number where a number of things and an amount of something are asked for."""
    text = " ".join(token.lower for token in tokens)
    counted = all(m.aggregate in _COUNTED for m in intent.measures) and not intent.derived
    if "how much" in text and "how many" not in text and intent.measures and counted:
        yield '"how much" is answered by a number of rows, as no amount is named'
    if "how many" in text and "how much" in text and len(intent.measures) == 1:
        yield 'of "how many" and "how much" only one is answered'


def _days_of_all_months(intent: Intent, tokens: Sequence[Token], schema: Schema) -> Iterator[str]:
    """Days of the month, 1 to 31, told where each day of the calendar may be meant."""
    text = " ".join(token.lower for token in tokens)
    fields = [d.expression for d in intent.dimensions if isinstance(d.expression, Field)]
    fields += [condition.field for condition in conditions_of(intent.filters)]
    places = [p for f in fields if (p := schema.of_field.get((f.table, f.column))) is not None]
    days = [p for p in places if p.kind is Kind.DATE_PART and p.words[-1] == "day"]
    if not days or "of the month" in text or any(_tells_month(p) for p in places):
        return
    beside = schema.of_table(days[0].table.name)
    if any(_tells_month(p) and p.column.distinct > 1 for p in beside):
        yield "day is the day of the month: those of all months are taken together"


def _tells_month(place: Place) -> bool:
    return place.time or (place.kind is Kind.DATE_PART and place.words[-1] == "month")


def _one_of_many_alike(intent: Intent, tokens: Sequence[Token], schema: Schema) -> Iterator[str]:
    """Rows of one file where others hold the same columns, none of them named: months, say."""
    base = schema.catalogue.table(intent.base)
    if base is None or len(base.columns) < _ALIKE or intent.joins:
        return
    columns = [column.name for column in base.columns]
    alike = [
        table
        for table in schema.catalogue.tables
        if table is not base and [column.name for column in table.columns] == columns
    ]
    shared = set[str]().union(*(schema.table_words[one.name] for one in alike))
    own = set(schema.table_words[base.name]) - shared
    if alike and own.isdisjoint(token.lower for token in tokens):
        others = ", ".join(table.name for table in alike[:_MOST_SHOWN])
        more = f" and {len(alike) - _MOST_SHOWN} more" if len(alike) > _MOST_SHOWN else ""
        yield f"only rows of {base.name} are used: {others}{more} with the same columns are not"
