"""What readings tell that nobody asks for: sums of keys, columns that only bound the rows."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.calculated import aggregates_said
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.chart.times import ends_groups
from services.planner.domain.reader.grammar import calculating
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.naming import names_of
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.speeds import is_span, is_speed
from services.planner.domain.semantics.kinds import Kind

_WHOLE = 0.7
_OF_KEYS = (Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MEDIAN, Aggregate.DEVIATION)
_EXTREMES = (Aggregate.MAXIMUM, Aggregate.MINIMUM)
_FAST = frozenset("fastest slowest quickest".split())
_AGAIN, _JOINING = frozenset(("in", "on", "during")), frozenset(("and", "or", ",", "to", "&"))
_AND = frozenset(("and", ",", "with", "plus"))
_BEFORE = frozenset("the a which what what's is are show list find".split())


def adds_keys(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the numbers that flights are called by are added up, where no word asks for it:
    "flights by carrier" counts them."""
    if aggregates_said(requirements.scene):
        return False
    return any(
        n.aggregate in _OF_KEYS and n.place is not None and n.place.kind is Kind.ID
        for n in sketch.made
    )


def makes_numbers_of_groups(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "average celsius by hour of day" averages the days as well: what follows "by", with
    no "and" between, is no number where one is named before."""
    scene = requirements.scene
    cues = splits(scene.words, Split.OF_EACH)
    if not cues or len(sketch.numbers) < 2:
        return False
    by = cues[-1].first
    ends = [t.index for t in scene.tokens if t.index > by and t.lower in _AND]
    end = min(ends, default=len(scene.tokens))
    named = [
        [m.first for m in scene.by_place.get(n.place.index, ()) if m.tie is Tie.NAME]
        for n in sketch.numbers
        if n.place is not None
    ]
    before = any(at and min(at) < by for at in named)
    return before and any(at and all(by < one < end for one in at) for at in named)


def tells_beside_span(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "median hours to close" tells, beside the hours, a number nobody speaks of."""
    counts = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
    numbers = [n for n in sketch.numbers if n.aggregate not in counts]
    places = [n.place for n in numbers if n.place is not None]
    if len(places) < 2 or not any(place.definition is not None for place in places):
        return False
    mentions = requirements.scene.by_place
    return any(p.definition is None and not mentions.get(p.index) for p in places)


def ranks_by_no_span(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the slowest is told by a number of rows, or by what is neither a time nor a speed,
    where the words or the columns tell one."""
    scene, place = requirements.scene, sketch.sorted_by
    if sketch.sorting is None or _FAST.isdisjoint(t.text.lower() for t in scene.tokens):
        return False
    timed = [m.place for m in scene.mentions if _lasts(m.place)]
    named = any(
        m.place is place and m.tie is Tie.NAME and m.coverage >= _WHOLE for m in scene.mentions
    )
    return bool(timed) and (
        not requirements.counts if place is None else not (_lasts(place) or named)
    )


def _lasts(place: Place) -> bool:
    return is_span(place) or is_speed(place)


def tells_end_for_thing(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "the cheapest 3 bedroom house" is told by its price alone, and not which it is."""
    if sketch.shown or sketch.split or len(sketch.numbers) != 1:
        return False
    (number,) = sketch.numbers
    if number.aggregate not in _EXTREMES or number.place is None:
        return False
    entity = _superlative_thing(requirements.scene)
    return number.place.table.name == entity and all(
        m.tie is not Tie.NAME for m in requirements.scene.by_place.get(number.place.index, ())
    )


@lru_cache(maxsize=8)
def _superlative_thing(scene: Scene) -> str:
    """The table whose things a question ends with that begins with a superlative, and which have
    names; empty where it does not."""
    last = max((t.index for t in scene.tokens if not t.mark), default=-1)
    tables = {t.table.name for t in scene.tables if t.last == last and t.coverage >= _WHOLE}
    words = [t.lower for t in scene.tokens if t.lower not in _BEFORE]
    begins = bool(words) and words[0].endswith("est") and words[0] not in ("latest", "best")
    if len(tables) != 1 or not begins:
        return ""
    names = names_of(scene.schema, next(iter(tables)))
    return tables.pop() if names else ""


def tells_bound(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether a column with which another one is only compared is told: the reorder level of
    "products with stock below reorder level"."""
    scene = requirements.scene
    bounds = [c for c in sketch.conditions if c.against is not None]
    if not bounds or not any(t.first == 0 and t.coverage >= _WHOLE for t in scene.tables):
        return False
    told = {*sketch.shown, *sketch.split, *(p for n in sketch.made for p in n.places)}
    return any(
        p in told and _only_in(p, c, scene) for c in bounds for p in (c.place, c.against) if p
    )


def _only_in(place: Place, condition: Proposal, scene: Scene) -> bool:
    """Whether a column is spoken of once, at a comparison that the question ends with."""
    named = [m for m in scene.by_place.get(place.index, ()) if m.tie is Tie.NAME]
    spoken = {(m.first, m.last) for m in named if m.coverage >= _WHOLE}
    return len(spoken) <= 1 and all(m.first > 0 for m in named)


def averages_otherwise(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the moving average "of total price" is not one of totals."""
    scene = requirements.scene
    if sketch.worked is None or not sketch.numbers:
        return False
    for cue in scene.words.find(calculating.RULES):
        after = cue.last + (2 if scene.between(cue.last + 1, cue.last + 2) == "of" else 1)
        said = [one.means for one in aggregates_said(scene) if one.first in (cue.last, after)]
        if said and all(n.aggregate not in said for n in sketch.numbers):
            return True
    return False


def joins_spans(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "in 1997 in 1998" is told as either of the two years, or both, which nobody says."""
    tokens = requirements.scene.tokens
    dated = [c for c in (*sketch.either, *sketch.conditions) if c.place is not None]
    dated = sorted({c for c in dated if c.place and c.place.time}, key=lambda c: c.first)
    for one, other in pairwise(dated):
        words = [token.lower for token in tokens[one.last + 1 : other.first + 1]]
        alike = one.place is other.place and one.operator is other.operator
        texts = all(isinstance(value, str) for value in (*one.values, *other.values))
        apart = alike and texts and one.values != other.values
        if apart and words and words[0] in _AGAIN and _JOINING.isdisjoint(words):
            return True
    return False


def counts_year(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the year of "by category 2022" is told as a number of rows."""
    scene = requirements.scene
    years = [s.first for s in scene.spans if s.span.years and s.first == s.last]
    return any(
        c.place is None and c.first <= at <= c.last and ends_groups(scene, at)
        for c in sketch.conditions
        for at in years
    )


RULES = (
    counts_year,
    adds_keys,
    makes_numbers_of_groups,
    tells_beside_span,
    ranks_by_no_span,
    tells_end_for_thing,
    tells_bound,
    averages_otherwise,
    joins_spans,
)
