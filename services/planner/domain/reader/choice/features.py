"""What the ranker sees of one candidate: its score, what it leaves unread, what the data said."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from services.planner.domain.evidence import Outcome
from services.planner.domain.language.intent import Intent
from services.planner.domain.language.kinds import Aggregate, ChartType, Operator
from services.planner.domain.language.planning.sql import Query
from services.planner.domain.reader.chart.beam import Odds
from services.planner.domain.reader.chart.pieces import AGGREGATES, Proposal, Role
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Number, Sketch
from services.planner.domain.reader.chart.sketches import Draft, Said
from services.planner.domain.reader.choice.local_features import Cues
from services.planner.domain.reader.choice.shape import HEADS, NO, YES
from services.planner.domain.reader.grammar import chart_words
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.semantics import Kind
from services.planner.domain.reader.words.common import PRESENTATION, STOP_WORDS

_LEAST_PROBABILITY = 2e-3
_ROLE_OF = {aggregate: role for role, aggregate in AGGREGATES.items()}
_SAID = {
    Aggregate.AVERAGE: re.compile(r"\b(average|avg|mean)\b"),
    Aggregate.SUM: re.compile(r"\b(total|sum)\b"),
    Aggregate.MINIMUM: re.compile(r"\b(min|minimum|minimal|lowest|smallest)\b"),
    Aggregate.MAXIMUM: re.compile(r"\b(max|maximum|maximal|highest|largest)\b"),
}
_COUNTED = re.compile(r"(?:number|numbers|many|count)(?: of)?(?: the)?(?: different)? (\w+)")


@dataclass(frozen=True, eq=False)
class Weighed:
    """A question with the odds of its parts: what features of every candidate share."""

    said: Said
    proposals: Sequence[Proposal]
    role_odds: Sequence[Odds]
    condition_odds: Sequence[float]
    cues: Cues

    @property
    def scene(self) -> Scene:
        """The question's words and links."""
        return self.said.scene

    @cached_property
    def odds_of(self) -> dict[int, float]:
        """The odds of each proposal by identity."""
        return {id(p): o for p, o in zip(self.proposals, self.condition_odds, strict=True)}

    @cached_property
    def best_role(self) -> dict[tuple[int, Role], float]:
        """The best odds of each role for each column."""
        found: dict[tuple[int, Role], float] = {}
        for mention, odds in zip(self.scene.mentions, self.role_odds, strict=True):
            for role, p in odds.items():
                key = (mention.place.index, role)
                found[key] = max(found.get(key, 0.0), p)
        return found

    @cached_property
    def shared(self) -> dict[str, float]:
        """What is the same for all candidates, to be crossed with what differs."""
        shape = self.said.shape
        return {
            "p distinct": shape.of("distinct", YES), "p group": shape.of("group", YES),
            "p count": shape.of("count", YES), "p having": shape.of("having", YES),
            "p limit": 1 - shape.of("limit", NO), "p set": 1 - shape.of("set", NO),
            "chart": float(self.scene.charted),
        }  # fmt: skip


@dataclass(eq=False)
class Candidate:
    """One reading: its sketch or whence it came, its intent, what its query showed."""

    intent: Intent
    draft: Draft | None
    source: str
    score: float
    features: dict[str, float] = field(default_factory=dict[str, float])
    outcome: Outcome | None = None
    votes: int = 1
    query: Query | None = None


def choices_of(sketch: Sketch) -> dict[str, str]:
    """What a sketch chose of each head of the shape."""
    said = {n.aggregate for n in sketch.numbers if n.place is not None}
    counts = any(n.place is None for n in sketch.numbers)
    by = sketch.sorting.by if sketch.sorting is not None else None
    limit = NO if not sketch.limit else "one" if sketch.limit == 1 else "few"
    rows = len(sketch.rows)
    series = sketch.series and len(sketch.shown) > 1
    columns = len(sketch.shown) + len(sketch.numbers) - (1 if series else 0)
    order = NO if sketch.sorting is None else "falling" if sketch.sorting.descending else "rising"

    def yes(held: bool) -> str:
        return YES if held else NO

    return {
        "count": yes(counts), "count kinds": yes(Aggregate.COUNT_DISTINCT in said),
        "average": yes(Aggregate.AVERAGE in said), "sum": yes(Aggregate.SUM in said),
        "minimum": yes(Aggregate.MINIMUM in said), "maximum": yes(Aggregate.MAXIMUM in said),
        "group": yes(sketch.grouped and sketch.sets is None), "having": yes(bool(sketch.groups)),
        "order": order, "order by count": yes(isinstance(by, Number) and by.place is None),
        "limit": limit, "distinct": yes(sketch.distinct),
        "set": str(sketch.sets) if sketch.sets else NO, "conditions": str(min(2, rows)),
        "shown": str(max(1, min(3, columns))), "or": yes(bool(sketch.either)),
    }  # fmt: skip


def shape_scores(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """The log-probability of each choice, by head; the order of a chart's marks is not told."""
    chosen = choices_of(sketch)
    skipped = ("order", "order by count") if weighed.scene.charted else ()
    return {
        head: 0.0
        if head in skipped
        else math.log(max(weighed.said.shape.of(head, chosen[head]), _LEAST_PROBABILITY))
        for head in HEADS
    }


def draft_features(weighed: Weighed, draft: Draft) -> dict[str, float]:
    """What is known of a draft before its query is run."""
    sketch = draft.sketch
    shape = shape_scores(weighed, sketch)
    found = {f"shape {head}": score for head, score in shape.items()}
    found |= {
        "shape": sum(shape.values()), "least shape": min(shape.values()),
        "roles": draft.roles.score, "conditions": draft.conditions.score, "cost": draft.cost,
        "tables": len(sketch.tables()), "extra tables": len(sketch.extra),
        "columns": len(sketch.shown) + len(sketch.numbers), "filters": len(sketch.conditions),
        "grouped": sketch.grouped, "set": sketch.sets is not None, "limit": bool(sketch.limit),
        "distinct": sketch.distinct, "having": len(sketch.groups), "series": sketch.series,
        "numbers": len(sketch.numbers), "sorted": sketch.sorting is not None,
    }  # fmt: skip
    found |= _unused(weighed, draft) | _coverage(weighed, sketch) | _names(weighed, sketch)
    found |= _aggregates(weighed, sketch) | _filters(weighed, sketch) | _order(weighed, sketch)
    found |= _kinds(sketch) | _drawn(weighed, sketch)
    crossed = {
        f"{name} and {one}": value * found[one]
        for name, value in weighed.shared.items()
        for one in ("distinct", "grouped", "limit", "having", "unread", "columns")
    }
    return {name: float(value) for name, value in (found | crossed).items()}


def _places(sketch: Sketch) -> list[Place]:
    numbers = [n.place for n in sketch.numbers if n.place is not None]
    return [*sketch.shown, *numbers]


def _all_places(sketch: Sketch) -> set[int]:
    found = {p.index for p in (*_places(sketch), *sketch.split)}
    found |= {c.place.index for c in sketch.conditions if c.place is not None}
    if sketch.sorting is not None:
        by = sketch.sorting.by
        place = by.place if isinstance(by, Number) else by
        found |= {place.index} if place is not None else set()
    return found


def _unused(weighed: Weighed, draft: Draft) -> dict[str, float]:
    used = _all_places(draft.sketch)
    played = {m.place.index for m, _ in draft.roles.played}
    return {"roles unused": len(played - used), "columns without role": len(used - played)}


def _coverage(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """How many words of the question the reading accounts for."""
    scene, used, tables = weighed.scene, _all_places(sketch), set(sketch.tables())
    tables |= {sketch.lacking}
    read = [0.0] * len(scene.tokens)
    filtered = [False] * len(scene.tokens)
    for mention in scene.mentions:
        if mention.place.index in used and mention.tie is not Tie.IMPLIED:
            for at in range(mention.first, mention.last + 1):
                read[at] = max(read[at], mention.coverage)
    missed: set[str] = set()
    for said in scene.tables:
        if said.table.name in tables:
            for at in range(said.first, said.last + 1):
                read[at] = max(read[at], said.coverage)
    for said in scene.tables:
        if said.table.name not in tables and said.coverage > 0.8:
            if not any(read[at] >= 0.95 for at in range(said.first, said.last + 1)):
                missed.add(said.table.name)
    for one in sketch.conditions:
        for at in range(one.first, one.last + 1):
            read[at], filtered[at] = 1.0, True
    return _unread(weighed, sketch, read, filtered) | {"tables missed": len(missed)}


def _unread(
    weighed: Weighed, sketch: Sketch, read: list[float], filtered: list[bool]
) -> dict[str, float]:
    scene = weighed.scene
    words = unread = columns = values = numbers = quoted = 0
    for token in scene.tokens:
        at = token.index
        if token.mark:
            continue
        if token.number is not None:
            numbers += not filtered[at] and sketch.limit != token.number
            continue
        if token.lower in STOP_WORDS or token.lower in PRESENTATION:
            continue
        words += 1
        unread += read[at] < 0.5
        columns += read[at] < 0.5 and scene.named[at] >= 0.8
        values += scene.valued[at] > 0.7 and not filtered[at] and read[at] < 0.95
        quoted += token.quoted and not filtered[at]
    lost, lost_sum = 0.0, 0.0
    best = [0.0] * len(scene.tokens)
    used = _all_places(sketch)
    for mention, odds in zip(scene.mentions, weighed.role_odds, strict=True):
        if mention.place.index in used:
            continue
        span = range(mention.first, mention.last + 1)
        meant = 1 - odds.get(Role.UNUSED, 0.0)
        if not any(read[at] >= 0.9 for at in span):
            lost = max(lost, meant - odds.get(Role.FILTERED, 0.0))
        if mention.tie is not Tie.IMPLIED:
            for at in span:
                best[at] = max(best[at], meant)
    lost_sum = sum(value for at, value in enumerate(best) if read[at] < 0.5)
    return {
        "unread": unread, "unread share": unread / max(1, words), "columns unread": columns,
        "values unread": values, "numbers unread": numbers, "quotes unread": quoted,
        "role lost": lost, "roles lost": lost_sum,
    }  # fmt: skip


def _names(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """How well what is shown is named in the question."""
    scene, places = weighed.scene, _places(sketch)
    fits = [_named(scene, place) for place in places]
    used = _all_places(sketch)
    found: dict[str, float] = {
        "least named": min(fits, default=-1), "named": sum(fits) / len(fits) if fits else -1,
        "same names": sum(p.words == q.words and p is not q for p in places for q in scene.schema.places),
    }  # fmt: skip
    first = [min((m.first for m in scene.by_place.get(p.index, ())), default=99) for p in places]
    found["in order"] = first == sorted(first)
    found["apart"] = (first[1] - first[0]) / 10 if len(first) > 1 else 0
    spoken = set(scene.spoken_tables)
    well = {
        m.place.table.name for m in scene.mentions if m.place.index in used and m.coverage > 0.7
    }
    found["tables unsaid"] = len([t for t in sketch.tables() if t not in spoken | well])
    found["tables said"] = len(set(sketch.tables()) & spoken)
    found["better rivals"] = sum(
        1
        for place, fit, at in zip(places, fits, first, strict=True)
        for m in scene.mentions
        if m.place is not place and m.place.index not in used and m.tie is Tie.NAME
        and m.first <= at <= m.last and m.coverage + 0.2 * m.quality > fit + 0.03
    )  # fmt: skip
    for number, place in enumerate(places[:3]):
        role = Role.SHOWN
        if place not in sketch.shown:
            aggregate = next(n.aggregate for n in sketch.numbers if n.place is place)
            role = _ROLE_OF.get(aggregate, Role.SHOWN) if aggregate else Role.SHOWN
        odds = weighed.best_role.get((place.index, role), 0.0)
        if role is Role.SHOWN:
            odds = max(odds, weighed.best_role.get((place.index, Role.GROUPED), 0.0))
        found[f"odds of {number}"] = odds
        found[f"key {number}"] = place.key
        found[f"unique {number}"] = place.unique
    return found


def _named(scene: Scene, place: Place) -> float:
    return max(
        (m.coverage + 0.2 * m.quality for m in scene.by_place.get(place.index, ())), default=0.0
    )


def _aggregates(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    scene = weighed.scene
    used = [n.aggregate for n in sketch.numbers]
    if sketch.sorting is not None and isinstance(sketch.sorting.by, Number):
        used.append(sketch.sorting.by.aggregate)
    used += [c.aggregate for c in sketch.conditions if c.aggregate is not None]
    used += [Aggregate.AVERAGE for c in sketch.conditions if c.than_average]
    said = {a: bool(p.search(scene.lower)) for a, p in _SAID.items()}
    without_cue = 0
    for number in sketch.numbers:
        if number.place is None or number.aggregate not in _SAID:
            continue
        near = [
            scene.between(m.first - 4, m.first + 3)
            for m in scene.by_place.get(number.place.index, ())
        ]
        without_cue += not any(_SAID[number.aggregate].search(text) for text in near)
    counts, tables = [], set(sketch.tables())
    for match in _COUNTED.finditer(scene.lower):
        word = match.group(1)
        of_table = any(
            scene.tokens[t.first].lower == word and t.table.name in tables for t in scene.tables
        )
        of_column = any(
            scene.tokens[m.first].lower == word and m.coverage > 0.8 and m.place in _places(sketch)
            for m in scene.mentions
        )
        counts.append(of_table or of_column)
    return {
        "aggregates unsaid": sum(a in _SAID and not said[a] for a in used if a is not None),
        "aggregates unused": sum(s and a not in used for a, s in said.items()),
        "average unused": said[Aggregate.AVERAGE] and Aggregate.AVERAGE not in used,
        "aggregates far": without_cue,
        "counted missed": sum(not c for c in counts), "counted met": sum(counts),
    }  # fmt: skip


def _filters(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    conditions, rows = sketch.conditions, sketch.rows
    ors = [t.index for t in weighed.scene.tokens if t.lower == "or"]
    spans = sorted((c.first, c.last) for c in conditions)
    between = any(a[1] < o < b[0] for a, b in zip(spans, spans[1:], strict=False) for o in ors)
    equal = [c.place.index for c in rows if c.place and c.operator is Operator.EQUAL]
    filtered = {c.place.index for c in conditions if c.place is not None}
    odds = {i: p for (i, role), p in weighed.best_role.items() if role is Role.FILTERED}
    negations = (Operator.NOT_EQUAL, Operator.NOT_CONTAINS)
    return {
        "or missed": (between != bool(sketch.either)) if len(conditions) > 1 else 0,
        "or between": between,
        "denial missed": 0
        if sketch.sets is not None
        else sum(c.denied and c.operator not in negations for c in conditions),
        "contradiction": len(equal) != len(set(equal)) and not sketch.either and sketch.sets is None,
        "least odds of filters": min((weighed.odds_of[id(c)] for c in conditions), default=1.0),
        "filter odds unused": max((p for i, p in odds.items() if i not in filtered), default=0.0),
        "filters of parts": sum(c.source in ("part", "quoted") for c in conditions),
        "filters far": max((min(c.distance, 20) / 10 for c in conditions if c.place), default=0.0),
        "filters denied": sum(c.operator in negations for c in conditions),
        "filters hardly named": sum(c.coverage < 0.5 for c in conditions),
    }  # fmt: skip


def _order(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    sorting, cues = sketch.sorting, weighed.cues.by_name
    falling = len(cues.get("falling", ())) + len(cues.get("most", ()))
    rising = len(cues.get("rising", ())) + len(cues.get("least", ()))
    if sorting is None:
        return {
            "order unsaid": 0,
            "direction": 0,
            "order odds": 0,
            "order unused": bool(cues.get("sorted by")),
        }
    direction = (falling > rising) - (rising > falling)
    place = sorting.by.place if isinstance(sorting.by, Number) else sorting.by
    odds = 0.0
    if place is not None:
        odds = weighed.best_role.get((place.index, Role.ORDERED), 0.0)
    rivals = max(
        (p for (_, role), p in weighed.best_role.items() if role is Role.ORDERED), default=0.0
    )
    return {
        "order unsaid": not (falling or rising or cues.get("sorted by")),
        "direction": direction * (1 if sorting.descending else -1),
        "order odds": odds, "order rivals": rivals - odds, "order unused": 0,
        "sorted by text": place is not None and not place.number and not place.time,
    }  # fmt: skip


def _kinds(sketch: Sketch) -> dict[str, float]:
    """Whether the kinds of its columns allow what it does with them."""
    sums = [n.place.kind for n in sketch.numbers if n.place and n.aggregate is Aggregate.SUM]
    means = [n.place.kind for n in sketch.numbers if n.place and n.aggregate is Aggregate.AVERAGE]
    found: dict[str, float] = {
        "sum of intensive": sum(k is Kind.INTENSIVE for k in sums),
        "sum of ids": sum(k in (Kind.ID, Kind.DATE_PART) for k in (*sums, *means)),
        "grouped by amount": sketch.grouped
        and any(p.kind in (Kind.AMOUNT, Kind.INTENSIVE) for p in sketch.shown),
        "ids shown": sum(p.kind is Kind.ID for p in sketch.shown),
        "names shown": sum(p.kind is Kind.NAME for p in sketch.shown),
    }
    return found


def _drawn(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """Whether it is drawn as the words on chart and axes say."""
    scene = weighed.scene
    if not scene.charted:
        return {"share said": weighed.said.shares and bool(sketch.share),
                "share missed": weighed.said.shares and not sketch.share}  # fmt: skip
    kinds = {cue.means for cue in scene.words.find(chart_words.KINDS)}
    stacked = bool(kinds & {ChartType.STACKED_BAR, ChartType.MULTI_LINE})
    axes = {cue.means: cue for cue in scene.words.find(chart_words.AXES)}
    raw = any(n.aggregate is None for n in sketch.numbers)
    counts = any(n.place is None for n in sketch.numbers)
    scatter = ChartType.SCATTER in kinds
    found: dict[str, float] = {
        "stacked met": stacked and sketch.series, "stacked missed": stacked and not sketch.series,
        "series said": "series" in axes and sketch.series,
        "series missed": "series" in axes and not sketch.series,
        "series unsaid": sketch.series and not stacked and "series" not in axes,
        "scatter of counts": scatter and counts, "scatter of values": scatter and raw,
        "scatter of two": scatter and len(sketch.numbers) == 2, "values unsaid": raw and not scatter,
        "two numbers": len(sketch.numbers) == 2, "no axis": not sketch.shown,
        "line not of time": ChartType.LINE in kinds and bool(sketch.shown)
        and not (sketch.shown[0].time or sketch.shown[0].kind is Kind.DATE_PART),
        "share said": weighed.said.shares and bool(sketch.share),
    }  # fmt: skip
    for name, cue in axes.items():
        at = cue.slot("word")
        meant = {m.place.index for m in scene.mentions if m.first == at and m.coverage > 0.6}
        if not meant:
            continue
        shown = [p.index for p in sketch.shown]
        drawn = {
            "x": shown[:1],
            "y": [n.place.index for n in sketch.numbers if n.place is not None],
            "series": shown[-1:] if sketch.series else [],
        }[name]
        found[f"{name} met"] = bool(meant & set(drawn))
        found[f"{name} missed"] = not meant & set(drawn)
    return found


def outcome_features(candidate: Candidate, shared: Mapping[str, float]) -> dict[str, float]:
    """What the data said of a candidate."""
    told = candidate.outcome
    assert told is not None
    chart = shared["chart"]
    first = told.glimpse[0] if told.glimpse else ()
    repeats = 1 - told.columns[0].distinct_share if told.columns and told.rows else 0.0
    again = 1 - told.distinct_share if told.rows else 0.0
    same = bool(told.columns) and told.columns[-1].distinct_share * told.rows <= 1
    return {
        "rows": math.log1p(told.rows), "no rows": told.rows == 0, "one row": told.rows == 1,
        "more rows": told.more, "chart of one row": chart * (told.rows == 1),
        "nothing": told.rows == 1 and first[:1] in ((0,), (None,)),
        "missing": max((c.empty_share for c in told.columns), default=0.0),
        "axis repeats": repeats, "chart axis repeats": repeats * chart,
        "same number": same and told.rows > 1, "repeated rows": again,
        "repeated rows and p distinct": again * shared["p distinct"],
    }  # fmt: skip
