"""Products, quotients and other units of columns, as columns worked out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from services.planner.domain.business.formulas import revenue_formulas
from services.planner.domain.catalogue import ColumnRole
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.query.defining.terms import Term
from services.planner.domain.query.filters import Product
from services.planner.domain.reader.links.mentions import Mention
from services.planner.domain.reader.links.schema import Schema
from services.planner.domain.reader.links.worked_out import (
    WorkedOut,
    computed,
    reference,
    worked_out,
)
from services.planner.domain.semantics.kinds import NAMING_KINDS, Kind
from services.planner.domain.semantics.units import converted, unit_called

_STATED, _NAMED = 0.9, 0.6
_MONEY = frozenset(
    """revenue revenues turnover sales spend spent spending spends takings gmv earned earnings
    sold income value worth money""".split()
)
_PROFIT = frozenset("profit profits profitable earnings surplus".split())
_TAKEN_IN = frozenset("revenue revenues sales income turnover takings proceeds gross".split())
_SPENT = frozenset("cost costs expense expenses expenditure spending budget".split())
_EACH = frozenset(("per", "a", "each", "every", "/"))
_HEADS = frozenset(("capita", "head", "person", "inhabitant"))
_PEOPLE = frozenset(("population", "people", "inhabitants", "persons"))


def find_calculations(
    tokens: Sequence[Token], schema: Schema, mentions: Sequence[Mention]
) -> Iterator[WorkedOut]:
    """All that these words ask for and the columns allow."""
    yield from _money(tokens, schema)
    yield from _profit(tokens, schema)
    yield from _of_all_heads(tokens, schema)
    yield from _quotients(tokens, mentions)
    yield from _in_units(tokens, mentions)
    yield from _a_month(tokens, mentions)


def _money(tokens: Sequence[Token], schema: Schema) -> Iterator[WorkedOut]:
    """Price times quantity, less discounts, of one table."""
    numbers = [t.index for t in tokens if t.lower in _MONEY]
    if not numbers:
        return
    for formula in revenue_formulas(schema.catalogue):
        if not isinstance(formula, Product):
            continue
        fields = [*formula.factors, *formula.discounts]
        if len({f.table for f in fields}) > 1:
            continue
        places = [schema.of_field[(f.table, f.column)] for f in fields]
        terms: list[Term] = [reference(p) for p in places[: len(formula.factors)]]
        names = [readable(p.column.name) for p in places]
        text = " × ".join(names[: len(formula.factors)])
        for name, place in zip(names[len(terms) :], places[len(terms) :], strict=True):
            terms.append(computed("-", 1, reference(place)))
            text += f" × (1 − {name})"
        term = terms[0]
        for factor in terms[1:]:
            term = computed("*", term, factor)
        made = worked_out(places[0].table, "revenue", term, kind=Kind.AMOUNT, text=text)
        for at in numbers:
            yield WorkedOut(made, at, at, _STATED)


def _profit(tokens: Sequence[Token], schema: Schema) -> Iterator[WorkedOut]:
    """What came in less what it cost, where a table tells one of each and no column is the profit.

    Of several costs nobody knows which are meant.
    """
    counts = [t.index for t in tokens if t.lower in _PROFIT]
    if not counts or any(_PROFIT & set(place.words) for place in schema.places):
        return
    for table in schema.catalogue.tables:
        numbers = [
            p
            for p in schema.of_table(table.name)
            if p.number and p.kind in (Kind.AMOUNT, Kind.LEVEL)
        ]
        came = [p for p in numbers if _TAKEN_IN & set(p.words)]
        went = [p for p in numbers if _SPENT & set(p.words) and p not in came]
        if len(came) != 1 or len(went) != 1:
            continue
        text = f"{readable(came[0].column.name)} − {readable(went[0].column.name)}"
        term = computed("-", reference(came[0]), reference(went[0]))
        made = worked_out(table, "profit", term, kind=Kind.AMOUNT, text=text)
        for at in counts:
            yield WorkedOut(made, at, at, 1.0)


def _of_all_heads(tokens: Sequence[Token], schema: Schema) -> Iterator[WorkedOut]:
    """What is told for each head, times the heads: GDP from GDP per capita and population."""
    lower = [t.lower for t in tokens]
    if _HEADS & set(lower):
        return
    for place in schema.places:
        if not (place.number and "per" in place.words and _HEADS & set(place.words)):
            continue
        name = " ".join(place.words[: place.words.index("per")])
        people = [
            p for p in schema.of_table(place.table.name) if p.number and _PEOPLE & set(p.words)
        ]
        if name in lower and people:
            term = computed("*", reference(place), reference(people[0]))
            text = f"{readable(place.column.name)} × {readable(people[0].column.name)}"
            made = worked_out(place.table, name, term, kind=Kind.LEVEL, text=text)
            yield WorkedOut(made, lower.index(name), lower.index(name), 1.0)


def _quotients(tokens: Sequence[Token], mentions: Sequence[Mention]) -> Iterator[WorkedOut]:
    """One column over another of the same row: "price per carat"."""
    numbers = [m for m in mentions if m.place.number and m.coverage > _NAMED]
    numbers = [m for m in numbers if m.place.kind not in NAMING_KINDS]
    for token in tokens:
        if token.lower not in ("per", "/"):
            continue
        for top in (m for m in numbers if m.last == token.index - 1):
            for bottom in (m for m in numbers if m.first == token.index + 1):
                a, b = top.place, bottom.place
                if a is b or a.table is not b.table:
                    continue
                name = f"{readable(a.column.name)} per {readable(b.column.name)}"
                made = worked_out(a.table, name, computed("/", reference(a), reference(b)))
                yield WorkedOut(made, top.first, bottom.last, 1.0)


def _in_units(tokens: Sequence[Token], mentions: Sequence[Mention]) -> Iterator[WorkedOut]:
    """A column told in another unit: "average height in cm"."""
    for before, token in pairwise(tokens):
        unit = unit_called(token.lower)
        counted = before.number is not None
        if unit is None or counted or before.lower not in ("in", "of", "many", "("):
            continue
        seen: set[int] = set()
        for mention in mentions:
            place = mention.place
            if not place.number or mention.coverage < 0.4 or place.index in seen:
                continue
            own = place.measure
            factor = converted(1, own, unit) if own is not None else None
            if own is None or factor is None or own is unit:
                continue
            seen.add(place.index)
            name = f"{readable(place.column.name)} in {unit.name}"
            term = computed("*", reference(place), factor)
            text = f"{readable(place.column.name)} ({own.name}) × {factor:g}"
            made = worked_out(place.table, name, term, kind=place.kind, unit=unit, text=text)
            yield WorkedOut(made, mention.first, mention.last, mention.coverage)


def _a_month(tokens: Sequence[Token], mentions: Sequence[Mention]) -> Iterator[WorkedOut]:
    """What is told for a year, told for a month."""
    lower = [t.lower for t in tokens]
    is_mentioned = "monthly" in lower or any(
        a in _EACH and b == "month" for a, b in pairwise(lower)
    )
    if not is_mentioned:
        return
    for mention in mentions:
        place = mention.place
        yearly = {"annual", "yearly"} & set(place.words)
        if place.number and yearly and place.column.role is ColumnRole.MEASURE:
            rest = " ".join(w for w in place.words if w not in yearly)
            term = computed("/", reference(place), 12)
            made = worked_out(
                place.table,
                f"monthly {rest}",
                term,
                kind=place.kind,
                text=f"{readable(place.column.name)} / 12",
            )
            yield WorkedOut(made, mention.first, mention.last, mention.coverage)
