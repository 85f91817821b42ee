"""A question about cohorts or things that come back, read by what it names.

The words of `grammar/returning.py` say what is told; the things, their events and the days of
these are found in the data. Money by cohort is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from mesh.remarks import NOT_USED
from services.planner.domain.catalogue import Catalogue, ColumnRole
from services.planner.domain.confidence import thresholds
from services.planner.domain.lexicon.normalise import Token, name_words, take, tokenise
from services.planner.domain.lexicon.vocabulary import SIDE_DATE_WORDS
from services.planner.domain.query.cohorts.words import event_of
from services.planner.domain.query.dimensions.coverage import coverage_notes, days_of
from services.planner.domain.query.intent import (
    Aggregate,
    Cohort,
    CohortView,
    Field,
    Grain,
    Intent,
    NotUnderstood,
    Period,
    Understood,
)
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.query.tables import filter_tables
from services.planner.domain.reader.chart.beam import choose_conditions
from services.planner.domain.reader.chart.dated import names_day
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.choice.candidate import Weighed
from services.planner.domain.reader.cohorts.entities import Followed, find_followed_entities
from services.planner.domain.reader.cohorts.outputs import cohort_chart, outputs_of
from services.planner.domain.reader.grammar import aggregation, chart_words, counting
from services.planner.domain.reader.grammar.returning import (
    FIRST,
    FOLLOWING,
    NOT_AGAIN,
    REPEATED,
    SO_LONG,
    VIEWS,
)
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.lost_amounts import refused
from services.planner.domain.reader.statistics.ground import Ground, ground_of
from services.planner.domain.reader.times.dates import main_date
from services.planner.domain.reader.times.times import TimeSpan, time_spans

_LIKELY, _TAKEN, _MOST_UNREAD, _TWO = 0.7, 0.8, 1, 2
_GRAINS = (Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.QUARTER, Grain.YEAR)
_FEW_DAYS = ((92, Grain.WEEK), (30 * 31, Grain.MONTH), (30 * 92, Grain.QUARTER))
_NAMES_OF_VIEW = (CohortView.ACTIVE, CohortView.NEW)
_NOT = frozenset("not never didnt dont churned lost n't".split())
_SPLITTING = frozenset("by per each every across".split())


@dataclass(frozen=True, slots=True)
class _Wish:
    """What is asked: `age` is a number of units after the first event, `within` at most so many."""

    view: CohortView
    age: int | None = None
    within: int | None = None
    unit: str = ""
    first: bool = False
    absent: bool = False
    of_events: bool = False


def cohort_reading(question: str, weighed: Weighed) -> Understood | NotUnderstood | None:
    """What is told of things that are followed; None where the question is no such."""
    scene = weighed.scene
    cue = next((c for c in scene.words.find(VIEWS) if not _is_name(c, scene)), None)
    wish = _wish_of(cue, scene) if cue is not None else None
    if cue is None or wish is None:
        return None
    tokens = tokenise(question)
    spans = time_spans(question, tokens, scene.today)
    if cue.rule.name == NOT_AGAIN and not (len(spans) == _TWO and _counted(scene)):
        return None
    for known_cue in (
        cue,
        *scene.words.find(SO_LONG),
        *scene.words.find(FOLLOWING),
        *scene.words.find(chart_words.KINDS),
    ):
        take(
            tokens, scene.tokens[known_cue.first].start, scene.tokens[known_cue.last].end, "cohort"
        )
    ground = ground_of(scene, tokens, _conditions(weighed, spans, tokens))
    return _decide(wish, ground, scene, spans)


def _counted(scene: Scene) -> bool:
    """Whether a number or a part of them is asked for, and no list."""
    counts = [c for c in scene.words.find(aggregation.RULES) if c.means is Aggregate.COUNT]
    return bool(counts) or any(c.means == "share" for c in scene.words.find(counting.RULES))


def _is_name(cue: Cue[CohortView], scene: Scene) -> bool:
    """Whether the word is a name or a value of the data: a column of cohorts, an active state."""
    return any(
        max(scene.named[at], scene.valued[at]) >= _TAKEN for at in range(cue.first, cue.last + 1)
    )


def _wish_of(cue: Cue[CohortView], scene: Scene) -> _Wish | None:
    words = scene.words
    age, within, unit = _so_long(scene)
    timed = bool(unit) and within is None
    each = bool(words.find(chart_words.GRAINS))
    first = bool(words.find(FIRST))
    absent = any(token.lower in _NOT or token.lower.endswith("n't") for token in scene.tokens)
    view = cue.means
    if view is CohortView.RETENTION:
        return _Wish(CohortView.CURVE if timed else view, age=age, unit=unit, first=True)
    if view is CohortView.RETURNED:
        if cue.rule.name == REPEATED:
            return _Wish(view, within=within, unit=unit, of_events=True)
        view = CohortView.RETENTION if each and within is None else view
        view = CohortView.RETENTION if timed and each else CohortView.CURVE if timed else view
        return _Wish(view, age, within, unit, first, absent)
    if view is CohortView.NEW_OR_RETURNING:
        return _Wish(view)
    entity = scene.tabled[cue.last + 1] if cue.last + 1 < len(scene.tokens) else 0
    if entity < _TAKEN or (view is CohortView.ACTIVE and not each):
        return None
    return _Wish(view, first=view is CohortView.NEW)


def _so_long(scene: Scene) -> tuple[int | None, int | None, str]:
    """So many units after, at most so many, and which unit; "after n months" names only that."""
    for cue in scene.words.find(SO_LONG):
        at = next((a for s in ("number", "number2") if (a := cue.slot(s)) is not None), None)
        named = next((a for s in ("word", "unit") if (a := cue.slot(s)) is not None), 0)
        unit = scene.tokens[named].lower.rstrip("s")
        value = scene.tokens[at].number if at is not None else None
        count = int(value) if value else None
        one = scene.between(cue.first, cue.last).split()[-1:] in (["a"], ["an"])
        if cue.means == "within":
            return None, count or 1, unit
        return 1 if one or cue.means == "next" else count, None, unit
    return None, None, ""


def _conditions(
    weighed: Weighed, spans: Sequence[TimeSpan], tokens: Sequence[Token]
) -> list[Proposal]:
    """The likeliest conditions that are of no span of time."""
    used = {t.start for t in tokens if t.used}
    chosen = choose_conditions(weighed.proposals, weighed.condition_odds)
    taken = chosen[0].taken if chosen else ()
    scene = weighed.scene
    return [
        one
        for one in taken
        if not one.of_groups
        and one.place is not None
        and not one.place.time
        and not any(scene.tokens[at].start in used for at in range(one.first, one.last + 1))
    ]


def _decide(
    wish: _Wish, ground: Ground, scene: Scene, spans: Sequence[TimeSpan]
) -> Understood | NotUnderstood:
    catalogue, graph = scene.schema.catalogue, scene.graph
    apart = [m for m in ground.mentions if not _SPLITTING & set(ground.words(m.first - 2, m.first))]
    found = find_followed_entities(apart, catalogue, graph)
    if found is None:
        why = "following things over time needs rows with a date that say whose they are"
        return refused(why, catalogue)
    dated = _own_date(found.events, scene)
    if dated is None:
        return refused(f"{found.events} have no date to follow {found.plural} by", catalogue)
    if wish.view is CohortView.NEW:
        found, dated = _begun(found, dated, scene)
    grain, timed = _grain(wish, dated, ground, scene)
    periods = _periods(spans, dated)
    if periods is None or len(periods) > 2 or (len(periods) == 2 and _one_period(wish)):
        return refused("which times are meant of things that are followed is not read", catalogue)
    earlier, later = _earlier_and_later(wish, periods)
    cohort = Cohort(
        view=wish.view,
        entity=found.entity,
        dated=dated,
        grain=grain,
        started=_started(found, ground, scene),
        age=wish.age,
        first=wish.first,
        earlier=earlier,
        later=later,
        within=wish.within,
        absent=wish.absent,
    )
    rejected = wish.view in (CohortView.RETURNED, CohortView.NEW)
    split = _split(ground, cohort) if rejected else None
    wanted = {dated.table, found.entity.table, *filter_tables(ground.filters)}
    tree = graph.tree(dated.table, wanted | ({split.table} if split is not None else set()))
    if tree.missing:
        return refused(f"nothing relates {dated.table} to {', '.join(tree.missing)}", catalogue)
    intent = Intent(
        base=dated.table,
        filters=tuple(ground.filters),
        joins=tree.relations,
        cohort=cohort,
        **outputs_of(cohort, found.plural, split, timed=timed),
    )
    asked = next((c.means for c in scene.words.find(chart_words.KINDS)), None)
    intent = intent.model_copy(update={"chart": cohort_chart(intent, asked)})
    return _with_doubts(intent, cohort, found, ground, catalogue)


def _with_doubts(
    intent: Intent, cohort: Cohort, found: Followed, ground: Ground, catalogue: Catalogue
) -> Understood | NotUnderstood:
    unread = list(dict.fromkeys(token.text for token in ground.unread()))
    text = ", ".join(f'"{word}"' for word in unread)
    if len(unread) > _MOST_UNREAD or not _NOT.isdisjoint(map(str.lower, unread)):
        return refused(f"what {text} should mean of {found.plural} is not understood", catalogue)
    notes = [found.note] if found.note else []
    if cohort.within is not None:
        last = f"{cohort.within} {cohort.grain.value}s before the last {event_of(cohort)}"
        notes.append(f"only {found.plural} that began at least {last} are counted")
    notes += [f"{NOT_USED}{text}"] if unread else []
    return Understood(
        intent=intent,
        summary=summarise(intent, catalogue),
        measured=True,
        confidence=thresholds.DOUBTFUL if unread else _LIKELY,
        assumptions=(*notes, *ground.doubts, *coverage_notes(intent, catalogue)),
    )


def _own_date(table: str, scene: Scene) -> Field | None:
    stems = [token.stem for token in scene.tokens if token.stem]
    fields = (main_date(scene.schema.catalogue, scene.graph, table, texts) for texts in (stems, ()))
    return next((field for field in fields if field is not None and field.table == table), None)


def _begun(found: Followed, dated: Field, scene: Scene) -> tuple[Followed, Field]:
    """Things are new on a date of their own, where they have one, rather than at an event."""
    key = scene.graph.parent_of(found.entity) or found.entity
    own = _own_date(key.table, scene) if key.table != found.events else None
    if own is None or set(name_words(own.column)) & SIDE_DATE_WORDS:
        return found, dated
    return replace(found, entity=key, events=key.table), own


def _started(found: Followed, ground: Ground, scene: Scene) -> Field | None:
    """A date in the things' own rows that the question names: "by signup month"."""
    owner = (scene.graph.parent_of(found.entity) or found.entity).table
    if owner == found.events:
        return None
    for mention in scene.mentions:
        if mention.place.table.name == owner and mention.place.time and names_day(mention, scene):
            first, last = scene.tokens[mention.first], scene.tokens[mention.last]
            take(ground.tokens, first.start, last.end, "cohort")
            return mention.place.field
    return None


def _grain(wish: _Wish, dated: Field, ground: Ground, scene: Scene) -> tuple[Grain, bool]:
    """The unit of time that things are followed in, and whether it is said."""
    for cue in scene.words.find(chart_words.GRAINS):
        if cue.means in _GRAINS:
            first, last = scene.tokens[cue.first], scene.tokens[cue.last]
            take(ground.tokens, first.start, last.end, "cohort")
            return (Grain(wish.unit) if wish.unit else cue.means), True
    if wish.unit:
        return Grain(wish.unit), False
    days = days_of(dated, scene.schema.catalogue)
    length = (days.last - days.first).days if days is not None else 0
    return next((g for most, g in _FEW_DAYS if length <= most), Grain.YEAR), False


def _periods(spans: Sequence[TimeSpan], dated: Field) -> list[Period] | None:
    """The spans as periods of the events; None for what has no fixed days."""
    found: list[Period] = []
    for span in spans:
        if span.last is not None or span.start is None or span.end is None:
            return None
        several = span.alternatives or ((span.start, span.end),)
        found += [
            Period(
                label=span.text if len(several) == 1 else str(a.year), dated=dated, start=a, end=b
            )
            for a, b in several
        ]
    return sorted(found, key=lambda p: p.start or date.min)


def _one_period(wish: _Wish) -> bool:
    return wish.view is not CohortView.RETURNED or wish.of_events


def _earlier_and_later(
    wish: _Wish, periods: Sequence[Period]
) -> tuple[Period | None, Period | None]:
    if len(periods) == 2:
        return periods[0], periods[1]
    if not periods:
        return None, None
    again = wish.view is CohortView.RETURNED and not wish.first
    return (None, periods[0]) if again else (periods[0], None)


def _split(ground: Ground, cohort: Cohort) -> Field | None:
    """A column that the things are split by."""
    for mention in ground.mentions:
        column, target = ground.column(mention), Field(table=mention.table, column=mention.column)
        texts = _SPLITTING & set(ground.words(mention.first - 2, mention.first))
        plain = column is not None and column.role is ColumnRole.DIMENSION
        if texts and plain and target not in (cohort.entity, cohort.dated):
            return target
    return None
