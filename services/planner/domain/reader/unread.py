"""Which words of a question a reading did not use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from services.planner.domain.business.formulas import revenue_formulas
from services.planner.domain.lexicon.stop_words import HARMLESS, PRESENTATION, STOP_WORDS
from services.planner.domain.lexicon.tokens import Token, stem
from services.planner.domain.query.filters import Membership, Product
from services.planner.domain.query.kinds import Aggregate, Operator
from services.planner.domain.reader.chart.asked import asked_of, statistics_read
from services.planner.domain.reader.chart.calculated import read_of
from services.planner.domain.reader.chart.described import described
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch
from services.planner.domain.reader.chart.split_by import dates_of_spans
from services.planner.domain.reader.choice.candidate import Candidate
from services.planner.domain.reader.grammar import (
    aggregation,
    changing,
    chart_words,
    comparison,
    counting,
    fillers,
    leading,
    ordering,
    texts,
)
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.links.actions import GUESSED
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.naming import people_tables, routes_of
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.verbs import verbs_read
from services.planner.domain.semantics.kinds import Kind
from services.planner.domain.semantics.units import measured_by, unit_called

_MEASURING = frozenset(stem(word) for word in "weigh cost measure last price".split())

_CHANGING = frozenset(stem(word) for word in "change develop evolve vary trend move".split())
_FILLERS = STOP_WORDS | PRESENTATION | HARMLESS
_NAMED, _REACH = 0.8, 4
_GAPS = (r"\S+ ", r"\w+ ", "{gap}")
_SPANNED = 2  # words between a number and its unit, or a unit and what is told in it
_ABOVE = frozenset((Operator.GREATER, Operator.AT_LEAST))
_BELOW = frozenset((Operator.LESS, Operator.AT_MOST))
_EMPTINESS = frozenset((Operator.IS_NULL, Operator.NOT_NULL))

Span = tuple[int, int]


def unread_words(scene: Scene, one: Candidate) -> list[str]:
    """The content words that the reading did not use, in the order of the question."""
    sketch = one.draft.sketch
    tables, used = {*sketch.tables(), sketch.missing_table}, scene.with_operands(sketch.used)
    spans = [
        (m.first, m.last)
        for m in scene.mentions
        if m.place.index in used and not _in_unknown_unit(scene, m)
    ]
    spans += [(t.first, t.last) for t in scene.tables if t.table.name in tables]
    spans += [(c.first, c.last) for c in sketch.conditions]
    spans += [(at, at) for c in _grammar_read(scene, sketch) for at in _own_words(scene, c)]
    spans += statistics_read(scene, sketch, asked_of(scene))
    spans += [span for c in sketch.conditions for span in _measured(scene, c)]
    roles = scene.graph.role_words(one.intent.joins)
    read = {at for first, last in spans for at in range(first, last + 1)}
    ways = any(set(ends) <= set(sketch.shown) for ends in routes_of(scene.schema))
    read |= {t.index for t in scene.tokens if ways and t.lower in ("route", "routes")}
    for first, last in _beside(scene, one, read):
        read |= set(range(first, last + 1))
    return [
        token.text
        for token in scene.tokens
        if token.index not in read
        and token.stem not in roles
        and not token.mark
        and (token.number is None or _counts(token, sketch))
        and (token.index in scene.loud or token.lower not in _FILLERS or _is_group(scene, token))
        and not _is_of_number(scene, token, sketch)
    ]


def _is_group(scene: Scene, token: Token) -> bool:
    """Whether a word that elsewhere speaks of the chart splits numbers: "by colour"."""
    before = scene.tokens[token.index - 1].lower if token.index else ""
    return before in ("by", "per") and token.lower in PRESENTATION and not scene.charted


def _is_of_number(scene: Scene, token: Token, sketch: Sketch) -> bool:
    """Whether it is the "total" of a "total number", which is a count."""
    following = scene.tokens[token.index + 1 : token.index + 2]
    number = bool(following) and following[0].lower in ("number", "count")
    return token.lower == "total" and number and COUNT in sketch.numbers


def _counts(token: Token, sketch: Sketch) -> bool:
    """Whether a number in figures must be read: a year that is left out changes the answer."""
    return token.text[0].isdigit() and token.number != sketch.limit


def _in_unknown_unit(scene: Scene, mention: Mention) -> bool:
    """Whether a unit stands for a column that may be told in another: "miles flown"."""
    unit = unit_called(scene.tokens[mention.first].lower)
    return mention.tie is Tie.ADJECTIVE and unit is not None and mention.place.measure is not unit


def guessed_rows(scene: Scene, one: Candidate) -> list[str]:
    """Words that are taken for the rows of a table though its name does not say so, for people."""
    tables = {*one.draft.sketch.tables(), one.draft.sketch.missing_table, one.intent.base}
    return [
        f'"{scene.tokens[t.first].text}" is taken for rows of {t.table.name}'
        for t in scene.tables
        if t.table.name in tables and t.quality == GUESSED
    ]


def _grammar_read(scene: Scene, sketch: Sketch) -> list[Cue[Any]]:
    """The cues that the sketch heeds: an average that it does not take is not read."""
    taken = {number.aggregate for number in sketch.numbers}
    if Aggregate.COUNT_DISTINCT in taken:
        taken.add(Aggregate.COUNT)
    by = sketch.sorting.by if sketch.sorting is not None else None
    taken |= {by.aggregate} if isinstance(by, Number) else set()
    taken |= {Aggregate.AVERAGE for one in sketch.conditions if one.than_average}
    taken |= {one.aggregate for one in sketch.groups}
    found: list[Cue[Any]] = [c for c in scene.words.find(aggregation.RULES) if c.means in taken]
    if sketch.sorting is not None:
        rules = (*ordering.DIRECTIONS, *ordering.SORTING, *ordering.TOP)
        found += scene.words.find(rules)
    if sketch.before:
        found += scene.words.find(ordering.PLACES)
    if any(number.per is not None for number in sketch.made):
        found += scene.words.find(aggregation.OF_ENTITIES)
    if any(n.place is not None and n.place.time for n in sketch.numbers):
        found += scene.words.find(leading.DAY_OF_END)
    if sketch.within:
        found += [*scene.words.find(leading.EACH), *scene.words.find(leading.ENDS)]
    if sketch.sorting is not None and sketch.sorting.by == COUNT:
        found += [c for c in scene.words.find(leading.ENDS) if c.means is leading.End.COMMONEST]
    if sketch.change is not None:
        found += [*scene.words.find(changing.RULES), *scene.words.find(changing.WAYS)]
        found += scene.words.find(changing.MOST)
    found += [*read_of(scene, sketch), *scene.words.find(chart_words.KINDS)]
    shared = _tells_share(sketch)
    return found + [c for c in scene.words.find(counting.RULES) if shared or c.means != "share"]


def _tells_share(sketch: Sketch) -> bool:
    """Whether it tells a share, or of what is told as one: a "rate" of totals is none."""
    places = [n.place for n in sketch.made if n.place is not None]
    places += [c.place for c in sketch.conditions if c.place is not None]
    whole = sketch.share or sketch.ratio or sketch.change or sketch.worked
    return bool(whole) or any(p.flag or p.kind in (Kind.FLAG, Kind.INTENSIVE) for p in places)


def _measured(scene: Scene, one: Proposal) -> list[tuple[int, int]]:
    """The words of a comparison with a number: how it is compared, by which verb, in which unit."""
    if one.source != "number" or one.last < one.first:
        return []
    cues = [c for c in scene.words.find(comparison.RULES) if c.first <= one.first <= c.last]
    first = min([one.first, *(c.first for c in cues)])
    after = scene.tokens[one.last + 1 : one.last + 2]
    in_unit = [t.index for t in after if unit_called(t.lower) or measured_by(t.lower)]
    verb = [t.index for t in scene.tokens[max(0, first - 2) : first] if t.stem in _MEASURING]
    return [(min([first, *verb]), max([one.last, *in_unit]))]


def _beside(scene: Scene, one: Candidate, read: set[int]) -> Iterator[Span]:
    """Words that belong to what is read: comparisons, units, parts of time, empty words."""
    sketch = one.draft.sketch
    for empty in scene.words.find(fillers.EMPTY):
        if all(scene.named[at] < _NAMED for at in range(empty.first, empty.last + 1)):
            yield empty.first, empty.last
    if scene.charted and not sketch.grouped and len(sketch.shown_places) > 1:
        yield from ((cue.first, cue.last) for cue in scene.words.find(chart_words.AGAINST))
    yield from verbs_read(scene, sketch)
    if sketch.grouped and COUNT in sketch.numbers:
        yield from ((cue.first, cue.last) for cue in scene.words.find(fillers.EACH_HAS))
    yield from _joined_by(scene, one)
    yield from ((at, at) for at in _ends_of_spans(scene, sketch))
    yield from _along_axis(scene, sketch)
    yield from _named_and_done(scene, sketch)
    for text in scene.words.find(texts.RULES):
        at = text.slot("quoted") if text.slot("quoted") is not None else text.slot("word")
        if any(c.operator is text.means and c.first == at for c in sketch.conditions):
            yield text.first, text.last
    ends = {c.last for c in sketch.conditions}
    yield from ((m.first, m.last) for m in described(scene) if m.first - 1 in ends)
    yield from _comparisons(scene, sketch)
    yield from _units(scene, sketch)
    yield from _times(scene, sketch, read)
    if any(c.operator in _EMPTINESS for c in sketch.conditions):
        yield from ((cue.first, cue.last) for cue in scene.words.find(fillers.KNOWN))
    several = {c.place for c in sketch.rows if c.operator is Operator.IN or c in sketch.either}
    if several and several.isdisjoint((*sketch.shown, *sketch.split)):
        yield from ((cue.first, cue.last) for cue in scene.words.find(fillers.TOGETHER))
    places = [*(n.place for n in sketch.numbers), *sketch.shown, *sketch.split]
    counted = {place.index for place in places if place is not None and place.number}
    for cue in scene.words.find(fillers.NUMBER_OF):
        at = cue.slot("word")
        if any(m.first == at and m.place.index in counted for m in scene.mentions):
            yield cue.first, cue.last
    if one.intent.base in people_tables(scene.schema):
        yield from ((cue.first, cue.last) for cue in scene.words.find(fillers.PEOPLE))


def _joined_by(scene: Scene, one: Candidate) -> Iterator[Span]:
    """Verbs that say how the tables of a reading are joined: "bought" by the lines of orders."""
    joined = {one.intent.base, *(r.right.table for r in one.intent.joins)}
    for member in one.intent.filters:
        if isinstance(member, Membership):
            joined |= {member.related, *(r.right.table for r in member.path)}
    if len(joined) < _SPANNED:
        return
    yield from ((cue.first, cue.last) for cue in scene.words.find(fillers.HOLDING))
    sold = {
        field.table
        for formula in revenue_formulas(scene.schema.catalogue)
        for field in (formula.factors if isinstance(formula, Product) else (formula,))
    }
    if sold & joined:
        yield from ((cue.first, cue.last) for cue in scene.words.find(fillers.TRADING))


def _ends_of_spans(scene: Scene, sketch: Sketch) -> Iterator[int]:
    """Words that begin like the dates that a span of time lies between: "order and shipment"."""
    starts = {
        word[:_REACH]
        for date in dates_of_spans(sketch, scene)
        for word in date.words
        if len(word) >= _REACH and word not in ("date", "time")
    }
    yield from (token.index for token in scene.tokens if token.lower[:_REACH] in starts)


def _along_axis(scene: Scene, sketch: Sketch) -> Iterator[Span]:
    """ "Over the day", where a chart has the days along its axis."""
    axis = {place.index for place in sketch.shown[:1]} if scene.charted else set[int]()
    for cue in scene.words.find(fillers.ALONG):
        at = cue.slot("word")
        if any(m.first == at and m.place.index in axis for m in scene.mentions):
            yield cue.first, cue.first
            yield cue.last - 2, cue.last


def _named_and_done(scene: Scene, sketch: Sketch) -> Iterator[Span]:
    """The "name" of things whose name is shown, and what was done to all of what is counted:
    harbours "opened", where each has the year of its opening."""
    shown = {place.table.name for place in sketch.shown if place.text}
    for token in scene.tokens[1:]:
        before = [t for t in scene.tables if t.last == token.index - 1]
        if token.lower == "name" and any(t.table.name in shown for t in before):
            yield token.index, token.index
    for m in scene.mentions:
        dated = m.place.time or m.place.year or m.place.kind is Kind.DATE_PART
        entities = any(t.last == m.first - 1 and t.table is m.place.table for t in scene.tables)
        done = m.first == m.last and scene.tokens[m.first].lower.endswith("ed")
        if dated and entities and done and not m.place.column.nulls:
            yield m.first, m.last


def _comparisons(scene: Scene, sketch: Sketch) -> Iterator[Span]:
    """ "over 5", where something is more than five: the words around the number of a condition."""
    for cue in scene.words.find(comparison.RULES):
        at = cue.slot("number")
        for condition in sketch.conditions:
            again = at is not None and scene.tokens[at].number in condition.values
            stated = at is not None and (again or condition.first <= at <= condition.last)
            if stated and _alike(cue.means, condition.operator):
                yield cue.first, cue.last


def _alike(operator: Operator, asked: Operator) -> bool:
    return operator is asked or any({operator, asked} <= side for side in (_ABOVE, _BELOW))


def _units(scene: Scene, sketch: Sketch) -> Iterator[Span]:
    """The unit after a number of a condition on what is told in it, and that of what is shown."""
    shown = [n.place for n in sketch.numbers if n.place is not None]
    shown += [p for p in sketch.shown if p.number]
    for token in scene.tokens:
        unit = unit_called(token.lower)
        if unit is not None and any(place.measure is unit for place in shown):
            yield token.index, token.index
        if any(_in_unit(token.lower, one, token.index) for one in sketch.conditions):
            yield token.index, token.index


def _in_unit(word: str, condition: Proposal, at: int) -> bool:
    """Whether a word is the unit of a condition's number, and its column is told in such."""
    place = condition.place
    beside = condition.first - _SPANNED < at < condition.last + _SPANNED
    if place is None or not beside:
        return False
    unit, own = unit_called(word), place.measure
    if unit is not None and own is not None:
        return own.quantity == unit.quantity
    return own is None and bool(measured_by(word) & _words(place))


def _words(place: Place) -> set[str]:
    return {*place.words, *(word for words in place.synonyms for word in words)}


def _own_words(scene: Scene, cue: Cue[Any]) -> Iterator[int]:
    """The words that a rule asks for, and not what may stand between: "of rainy days by year"."""
    gaps = any(gap in cue.rule.pattern for gap in _GAPS)
    slots = {at for _, at in cue.slots}
    for at in range(cue.first, cue.last + 1):
        word = scene.tokens[at].lower
        own = at in (cue.first, cue.last) or at in slots
        if own or not gaps or word.removesuffix("s") in cue.rule.pattern:
            yield at


def _times(scene: Scene, sketch: Sketch, read: set[int]) -> Iterator[Span]:
    """ "per month" where days are put together by month, "of the day" after an hour that is read,
    "10 times" where rows of a group are counted."""
    if any(place.time for place in (*sketch.shown, *sketch.split)):
        for grain in scene.words.find(chart_words.GRAINS):
            if grain.means is sketch.grain or any(place.time for place in sketch.shown):
                yield from ((at, at) for at in _own_words(scene, grain))
    if any(place.time or place.kind is Kind.DATE_PART for place in (*sketch.shown, *sketch.split)):
        for cue in scene.words.find(fillers.OVER_TIME):
            yield cue.first, cue.last
            known_range = range(cue.first, max(cue.first - _REACH, 0), -1)
            yield from ((at, at) for at in known_range if scene.tokens[at].stem in _CHANGING)
    for part in scene.words.find(fillers.PART_OF_TIME):
        if part.slot("word") in read:
            yield part.first, part.last
    by = sketch.sorting.by if sketch.sorting is not None else None
    ranked = isinstance(by, Number) and by.place is None
    if ranked or any(one.place is None for one in sketch.groups):
        yield from ((cue.first, cue.last) for cue in scene.words.find(fillers.TIMES))
