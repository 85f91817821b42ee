"""Which date months and spans of time are of, where a table has several."""

from __future__ import annotations

from functools import lru_cache

from services.planner.domain.query.defining.terms import references
from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.grammar import chart_words
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.adjectives import ADJECTIVES
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.schema import Place

_IN_WHOLE = 0.95
_EMPTY = (Operator.IS_NULL, Operator.NOT_NULL)
_BEFORE_SPANS = frozenset("in on during both between from within over the".split())
_ANY_DATE = frozenset("date dates time times day days month months year years on at".split())


def tells_other_date(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether months, or a span of time, are of another date than rows are told by, though nobody
    names it: orders of 1997 are those ordered then, and not those required."""
    times = [p for p in sketch.shown if p.time]
    times += [
        c.place
        for c in sketch.rows
        if c.place is not None and c.operator not in _EMPTY and c.against is None
    ]
    times += [day for c in sketch.rows if (day := _day_of_part(c, requirements)) is not None]
    places = [
        p for p in times if p.time and p.definition is None and not spoken_of(p, requirements.scene)
    ]
    if not places:
        return False
    if any(_of_whoever_did(c, sketch, requirements) for c in sketch.rows if c.place in places):
        return True
    numbers = [n.place.table.name for n in sketch.made if n.place is not None]
    for place in places:
        own = place.table.name
        missing = own not in requirements.scene.spoken_tables
        others = [t for t in sketch.tables() if t != own] if missing and not numbers else []
        for rows in (*numbers[:1], *others, own):
            intended = requirements.scene.main_date(rows)
            if intended is not None and intended != place.field:
                return True
    return False


def _day_of_part(condition: Proposal, requirements: Requirements) -> Place | None:
    """The column of days whose weekday or month is bound: "on Fridays"."""
    place = condition.place
    if condition.source != "month" or place is None or place.definition is None:
        return None
    named = [
        requirements.scene.schema.of_field.get((one.table, one.column))
        for one in references(place.definition.term)
    ]
    return named[0] if len(named) == 1 else None


def has_other_action(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether customers "who ordered in 2023" are those that signed up in 2023: what was done
    right before a span of time is what happened in it."""
    scene = requirements.scene
    for span in scene.spans:
        at = span.first - 1
        while at > 0 and scene.tokens[at].lower in _BEFORE_SPANS:
            at -= 1
        if at < 1 or not scene.tokens[at].lower.endswith("ed"):
            continue
        dates = {scene.main_date(t.table.name) for t in scene.tables if t.first == at} - {None}
        within = [c.place for c in sketch.conditions if span.first <= c.first <= span.last]
        fields = {p.field for p in within if p is not None and p.time and p.definition is None}
        named = {
            m.place.field for m in scene.mentions if m.first == at and m.tie is not Tie.IMPLIED
        }
        if dates and fields and fields.isdisjoint(dates | named):
            return True
    return False


def splits_by_other_action(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "orders shipped by year" are told by the year of another date of theirs: what was
    done right before "by year" is what is split."""
    scene = requirements.scene
    places = [p for p in (*sketch.shown, *sketch.split) if p.time and p.definition is None]
    for cue in splits(scene.words, Split.OF_EACH):
        at = cue.first - 1
        if not places or at < 0 or not scene.tokens[at].lower.endswith("ed"):
            continue
        grains = scene.words.find(chart_words.GRAINS)
        if not any(c.first <= cue.last + 1 <= c.last for c in grains):
            continue
        named = {m.place for m in scene.mentions if m.last == at and m.tie is Tie.NAME}
        days = {p for p in named if p.time and p.definition is None}
        if (
            days
            and days.isdisjoint(places)
            and any(d.table is p.table for d in days for p in places)
        ):
            return True
        done = {c.place for c in sketch.rows if c.operator is Operator.NOT_NULL}
        if any(p in days and p.column.nulls and p not in done for p in places):
            return True  # what has no such day was not shipped
    return False


def splits_month(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the December of "December 2013" is that of one day, and its year that of another."""
    spans = [s for s in requirements.scene.spans if s.first < s.last]
    return any(
        c.place is not None
        and c.place.definition is not None
        and c.source == "month"
        and any(s.first <= c.first <= s.last for s in spans)
        for c in sketch.conditions
    )


def _of_whoever_did(span: Proposal, sketch: Sketch, requirements: Requirements) -> bool:
    """Whether a time after what was done is taken for a day of who did it: customers who ordered
    in 2023 are not those who signed up then."""
    scene, own = requirements.scene, span.place.table.name if span.place is not None else ""
    before = [(t.last, t.table.name) for t in scene.tables if t.last < span.first]
    before += [
        (c.last, c.place.table.name)
        for c in sketch.rows
        if c is not span and c.place is not None and 0 <= c.last < span.first and not c.place.time
    ]
    nearest = max(before, default=(0, own))[1]
    if nearest == own or not any(p.time for p in scene.schema.of_table(nearest)):
        return False
    tree = scene.graph.tree(nearest, [own])
    return not tree.missing and not tree.fans_out


def names_day(mention: Mention, scene: Scene) -> bool:
    """Whether a word is a day's name, or the verb for what happened on it: joined, of a hiring."""
    if _is_in_longer_name(mention, scene):
        return False
    if mention.tie is not Tie.ADJECTIVE:
        return mention.tie is Tie.NAME
    _, columns = ADJECTIVES.get(scene.tokens[mention.first].lower, (0, ()))
    return bool((set(columns) - _ANY_DATE) & set(mention.place.words))


def _is_in_longer_name(mention: Mention, scene: Scene) -> bool:
    """Whether its words are some of those that name another column in whole: the "ship" of "ship
    country" names no day of shipping."""
    return any(
        m.place is not mention.place
        and m.tie is Tie.NAME
        and m.coverage >= _IN_WHOLE
        and m.first <= mention.first
        and mention.last <= m.last
        and m.last - m.first > mention.last - mention.first
        for m in scene.mentions
    )


@lru_cache(maxsize=64)
def spoken_of(place: Place, scene: Scene) -> bool:
    """Whether a column is named by a word that is not one of any date's."""
    tokens = scene.tokens
    return any(
        names_day(m, scene)
        and any(tokens[at].lower not in _ANY_DATE for at in range(m.first, m.last + 1))
        for m in scene.by_place.get(place.index, ())
    )
