"""Takes what a question says about the time between dates out of it, as columns of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from services.planner.domain.catalogue import Catalogue, Table, ValueHit, ValueLookup
from services.planner.domain.language.timing.ages import ages, in_ages, people_over
from services.planner.domain.language.timing.elapsed import next_elapsed
from services.planner.domain.language.timing.events import dates_of, spoken_tables
from services.planner.domain.language.timing.firsts import by_date
from services.planner.domain.language.timing.lasting import how_long_of_what
from services.planner.domain.language.timing.lateness import COLUMN, next_lateness, rates
from services.planner.domain.language.timing.pieces import Piece
from services.planner.domain.language.timing.weekdays import next_weekday
from services.planner.domain.query.defining.columns import with_columns
from services.planner.domain.query.defining.terms import Choice, Constant, Definition
from services.planner.domain.query.intent import Understood
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.defining.definitions import Defined
from services.planner.domain.reader.times.time_parts import vague_time

_MOST = 4


@dataclass
class Timed:
    """A question in words of columns, the catalogue with these, and what was taken for granted."""

    question: str
    catalogue: Catalogue
    definitions: tuple[Definition, ...] = ()
    notes: tuple[str, ...] = ()
    words: dict[str, tuple[str, str, str]] = field(default_factory=dict)

    def lookup(self, values: ValueLookup) -> ValueLookup:
        """A look-up that finds the words of defined columns and, for them, nothing else."""
        return _with_words(values, self.words) if self.words else values

    def add(self, definition: Definition, catalogue: Catalogue) -> None:
        """Puts a column into the catalogue, once."""
        if definition not in self.definitions:
            self.definitions = (*self.definitions, definition)
        self.catalogue = with_columns(catalogue, self.definitions)
        if isinstance(definition.term, Choice):
            table, column = definition.table, definition.column
            named = [b.then.value for b in definition.term.branches if isinstance(b.then, Constant)]
            self.words |= {str(n).casefold(): (table, column, str(n)) for n in named}


def timed(question: str, catalogue: Catalogue, today: date) -> Timed | str:
    """The question as it reads once those columns are there, or why it cannot be read."""
    vague = vague_time(question)
    if vague:
        return vague
    made = Timed(question, catalogue)
    tables = spoken_tables(question, catalogue)
    for definition in ages(made.question, tables, catalogue, today):
        made.add(definition, catalogue)
    made.question = people_over(made.question, catalogue.tables)
    if made.definitions:
        made.question = in_ages(made.question)
    dates = [dated for table in tables for dated in dates_of(table)]
    made.question = by_date(made.question, tables, dates)
    late: set[str] = set()
    for _ in range(_MOST):
        piece = _next(made.question, tables, late)
        if isinstance(piece, str):
            return piece
        if piece is None:
            break
        if isinstance(piece.definition.term, Choice):
            late |= {piece.definition.column} & {COLUMN}
        made.add(piece.definition, catalogue)
        made.notes += (piece.note,) if piece.note else ()
        made.question = f"{made.question[: piece.start]}{piece.stands}{made.question[piece.end :]}"
    for definition in made.definitions:
        if definition.column == COLUMN:
            made.question, share = rates(made.question, definition)
            if share is not None:
                made.definitions = tuple(
                    share if one is definition else one for one in made.definitions
                )
            made.catalogue = with_columns(catalogue, made.definitions)
    told = any(not isinstance(d.term, Choice) for d in made.definitions)
    return made if told else how_long_of_what(made.question, catalogue.tables, dates) or made


def _next(question: str, tables: Sequence[Table], late: set[str]) -> Piece | str | None:
    dates = [dated for table in tables for dated in dates_of(table)]
    found = next_elapsed(question, dates) if dates else None
    found = found if found is not None else next_weekday(question, tables)
    return found if found is not None or late else next_lateness(question, tables)


def _with_words(values: ValueLookup, words: Mapping[str, tuple[str, str, str]]) -> ValueLookup:
    async def both(phrases: Sequence[str]) -> Sequence[ValueHit]:
        own = [
            ValueHit(phrase=phrase, table=table, column=column, value=value, score=1.0)
            for phrase in phrases
            if phrase.casefold() in words
            for table, column, value in [words[phrase.casefold()]]
        ]
        return [*own, *await values([p for p in phrases if p.casefold() not in words])]

    return both


def with_defined(found: Understood, told: Timed, own: Defined) -> Understood:
    """The reading with the columns that the question defines, and what it says of them."""
    definitions = (*told.definitions, *own.definitions)
    if not definitions:
        return found
    intent = found.intent.model_copy(update={"defined": definitions})
    summary = summarise(intent, own.catalogue)
    notes = (*found.assumptions, *told.notes)
    return found.model_copy(update={"intent": intent, "summary": summary, "assumptions": notes})
