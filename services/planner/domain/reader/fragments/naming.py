"""The columns that a fragment names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.query.intent import Aggregate
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.sketch import Number
from services.planner.domain.reader.fragments.cues import Move
from services.planner.domain.reader.fragments.fragment import Split
from services.planner.domain.reader.fragments.progress import NAMED, PARTLY, SPOKEN, Progress
from services.planner.domain.reader.links.mentions import Mention, TableMention, Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import MEASURED, Kind

_IMPLIED, _HOME, _USED_HERE = 0.25, 0.1, 0.15
_NUMBERED, _OF_ITS_TABLE = 0.25, 0.3  # "by department" means their names, not their numbers
_AS_GOOD, _MOST_SHOWN = 0.01, 3  # scores that tell no columns apart
_QUALIFIED = 0.5
_REACH, _BEFORE_NUMBER = 3, 5  # words
_SOLD = "sold"


def read_columns(got: Progress, moves: Sequence[Move]) -> None:
    """Takes each named column as the words around it have it."""
    for place, first, last in _named(got):
        _take(got, place, first, last, moves[first])


def _named(got: Progress) -> Iterator[tuple[Place, int, int]]:
    """The columns named, from left to right, the best for each span."""
    at = 0
    while at < len(got.scene.tokens):
        if at - 1 in got.done and got.scene.tokens[at].lower == _SOLD:
            got.read(at, at)  # "quantity sold" is the quantity, and no revenue
        candidates = list(_candidates(got, at))
        best = max(candidates, key=lambda found: found[0], default=None)
        if best is None:
            at += 1
            continue
        (score, _), place, last = best
        near = {p for (s, _), p, _ in candidates if p is not place and s > score - _AS_GOOD}
        _doubt(got, place, [p for p in near if not _alike(p, place)], at, last)
        got.read(at, last)
        yield place, at, last
        at = last + 1


def _doubt(got: Progress, place: Place, others: Sequence[Place], first: int, last: int) -> None:
    """Says which other columns words may as well name, unless the reading uses one already."""
    if not others or place.field in got.fields or place.index in got.valued:
        return
    text = " ".join(token.text for token in got.scene.tokens[first : last + 1])
    could = " or ".join(sorted(f"{p.table.name}.{p.column.name}" for p in others)[:_MOST_SHOWN])
    taken = f"{place.table.name}.{place.column.name}"
    got.found.doubts.append(f"“{text}” is taken for {taken}, and could be {could}")


def _candidates(got: Progress, at: int) -> Iterator[tuple[tuple[float, int], Place, int]]:
    for mention in got.scene.mentions:
        if mention.first != at or got.done & set(range(at, mention.last + 1)):
            continue
        if mention.coverage * mention.quality < _least(got, mention):
            continue
        if mention.coverage < 1 and _qualifies(got, at, mention.last):
            continue
        if mention.coverage < 1 and _of_a_value(got, mention):
            continue  # "shipped to France": the ship country is meant, no date of shipping
        if mention.place.flag and got.moved[at] in (Move.PLAIN, Move.GONE):
            continue  # a condition, as "without discontinued ones" is
        if got.scene.tokens[at].lower in STOP_WORDS and mention.first == mention.last:
            continue
        if got.in_value(mention.first, mention.last):
            continue
        if mention.tie is Tie.IMPLIED and _counts(got, at):
            continue  # what is counted is named, or it is not
        if mention.coverage < 1 and _speaks_of_rows(got, mention):
            continue  # "only customers in the USA": a condition on those in sight
        if mention.coverage < 1 and _leads_to_value(got, at):
            continue  # "those shipped by Federal Shipping": no date of shipping
        qualified = _QUALIFIED * any(
            t.last == at - 1 and t.table is mention.place.table for t in _tables(got)
        )
        home = _HOME * (mention.place.table.name in got.tables)
        used = _USED_HERE * (mention.place.field in got.fields)
        longer = 0.2 * (mention.last - mention.first)
        score = mention.coverage * mention.quality + home + used + longer + qualified
        score -= _NUMBERED * (mention.place.kind is Kind.ID)
        score += _OF_ITS_TABLE * (mention.tie is Tie.IMPLIED)
        yield (score, -mention.place.index), mention.place, mention.last


def _counts(got: Progress, at: int) -> bool:
    return any(c.means is Aggregate.COUNT and 0 <= at - c.last <= 2 for c in got.cues)


def _tables(got: Progress) -> list[TableMention]:
    return [t for t in got.scene.tables if t.coverage >= SPOKEN]


def _qualifies(got: Progress, first: int, last: int) -> bool:
    """Whether words call the table of the column named after them: "supplier country"."""
    return any(
        t.first == first
        and t.last == last
        and m.first == last + 1
        and m.coverage >= NAMED
        and m.tie is Tie.NAME
        and m.place.table is t.table
        for t in _tables(got)
        for m in got.scene.mentions
    )


def _leads_to_value(got: Progress, at: int) -> bool:
    """Whether a verb leads to the value that narrows what is in sight; it is read then."""
    verb = got.scene.tokens[at].lower.endswith("ed") and got.moved[at] is Move.PLAIN
    leads = any(
        0 < p.first - at <= _REACH and p.place is not None and p.place.index in got.valued
        for p in got.proposals
    )
    if verb and leads:
        got.read(at, at)
    return verb and leads


def _speaks_of_rows(got: Progress, mention: Mention) -> bool:
    """Whether words call what the number in sight is of, or what a value is of, beside it: "only
    customers in the USA"; they are read then."""
    valued = {got.scene.schema.places[at].table.name for at in got.valued}
    plain = got.moved[mention.first] in (Move.PLAIN, Move.GONE)
    speaks = (
        plain
        and bool(valued and got.intent.measures)
        and any(
            t.first <= mention.first
            and mention.last <= t.last
            and t.table.name in {got.base, *valued}
            for t in _tables(got)
        )
    )
    if speaks:
        got.read(mention.first, mention.last)
    return speaks


def _of_a_value(got: Progress, mention: Mention) -> bool:
    """Whether a word names, as well as its column, another whose value stands in the words."""
    return any(
        other.place.index in got.valued
        for other in got.scene.mentions
        if other.first == mention.first
        and other.place is not mention.place
        and other.coverage >= PARTLY
        and mention.place.index not in got.valued
    )


def _least(got: Progress, mention: Mention) -> float:
    if mention.tie is Tie.IMPLIED:
        return _IMPLIED * mention.quality
    return NAMED


def _take(got: Progress, place: Place, first: int, last: int, move: Move) -> None:
    """A named column, as the words around it have it."""
    near = [c for c in got.cues if 0 <= first - c.last <= 2 or 0 <= c.first - last <= 1]
    if any(c.means is Aggregate.COUNT for c in near):  # "the average number of seats"
        near += [c for c in got.cues if 2 < first - c.last <= _BEFORE_NUMBER]
        near.sort(key=lambda c: c.means is Aggregate.COUNT)
    aggregate = near[0].means if near else None
    compared = any(p.place is place for p in _compared(got))
    for table in _tables(got):
        if table.last == first - 1 and table.table is place.table:
            got.read(table.first, table.last)
    if move is Move.GONE:
        got.found.gone.append(place)
    elif move is Move.LIFTED:
        got.found.lifted.append(place)
    elif compared or (move is Move.PLAIN and place.index in got.valued):
        return  # it is named for its condition
    elif move is Move.SPLIT and got.intent.limit and place.kind in MEASURED and place.number:
        got.found.numbers.append(Number(None, place))  # the first few, by what counts
    elif move is Move.SPLIT:
        got.found.splits.append(Split(place))
    elif aggregate is not None:
        got.cues = [c for c in got.cues if c not in near]
        got.found.numbers.append(_number(aggregate, place))
    elif place.time and got.found.spans:
        got.found.dates.append(place)
    elif place.kind in MEASURED and place.number and not _beside_value(got, first, last):
        got.found.numbers.append(Number(None, place))
    elif place.number and _beside_value(got, first, last):
        text = " ".join(token.text for token in got.scene.tokens[first : last + 1])
        got.found.doubts.append(f"“{text}” is taken for what the value before it is")
    else:
        got.found.bare.append(place)


def _beside_value(got: Progress, first: int, last: int) -> bool:
    """Whether words that may name a number stand beside a value of a text: "in the america/denver
    time zone"."""
    return got.moved[first] is Move.PLAIN and any(
        p.place is not None
        and p.place.text
        and p.place.index in got.valued
        and (p.last == first - 1 or p.first == last + 1)
        for p in got.proposals
    )


def _compared(got: Progress) -> list[Proposal]:
    """Conditions that compare a number with a column that is named."""
    return [
        p
        for p in got.proposals
        if p.source == "number"
        and p.place is not None
        and p.first not in got.done
        and p.coverage >= NAMED
    ]


def _alike(one: Place, other: Place) -> bool:
    """Whether two columns hold the same: a key, and what refers to it."""
    same = one.column.name.casefold() == other.column.name.casefold()
    return same and Kind.ID in (one.kind, other.kind)


def _number(aggregate: Aggregate, place: Place) -> Number:
    """A number of a column; a count of what is no number counts different ones."""
    if aggregate is Aggregate.COUNT:
        if place.number and place.kind in MEASURED:
            return Number(None, place)  # "the amount they were invoiced", "number of seats"
        return Number(Aggregate.COUNT_DISTINCT, place)
    return Number(aggregate, place)
