"""Puts the parts of a question together: from resolved mentions to an intent."""

from __future__ import annotations

from mesh.repairs import option_of
from services.planner.domain.language.conditions.absences import find_absences
from services.planner.domain.language.conditions.conditions import find_conditions
from services.planner.domain.language.conditions.counted_groups import (
    counting_groups,
    left_out,
    why_no_groups,
)
from services.planner.domain.language.conditions.flags import with_flags_apart
from services.planner.domain.language.conditions.happened import (
    denied_time,
    done_on,
    untold,
    without_participles,
)
from services.planner.domain.language.conditions.pronouns import compared_as_it
from services.planner.domain.language.conditions.those_without import with_those_without
from services.planner.domain.language.conditions.undone import is_negated
from services.planner.domain.language.dimensions.axes import arrange, arrange_numbers, series_index
from services.planner.domain.language.dimensions.dated_doings import (
    averages_within,
    date_of_coming_or_leaving,
    date_of_event,
    settle_calendar,
    verbs_of_counted,
    why_undated,
    within_events,
)
from services.planner.domain.language.dimensions.dimensions import (
    add_dimensions,
    against_each_other,
)
from services.planner.domain.language.dimensions.time_groups import add_time
from services.planner.domain.language.measures.measures import (
    add_having,
    add_measures,
    find_base,
)
from services.planner.domain.language.measures.paired import pair_for_each_thing
from services.planner.domain.language.measures.text_numbers import count_unreadable
from services.planner.domain.language.measures.unsaid import lost_aggregate
from services.planner.domain.language.normalising.cues import NEGATIONS
from services.planner.domain.language.parsing.compared_periods import (
    periods_to_compare,
    set_against,
)
from services.planner.domain.language.parsing.filling import fill
from services.planner.domain.language.parsing.listing import date_of_verb, take_years
from services.planner.domain.language.parsing.ordering import order_and_limit
from services.planner.domain.language.parsing.promote import promote
from services.planner.domain.language.parsing.pruning import without_needless_base
from services.planner.domain.language.parsing.roles import find_parts
from services.planner.domain.language.parsing.settle import (
    as_compared,
    join_tree,
    numbers_of_repeated,
    settle_count,
    settle_filter,
    settle_having,
)
from services.planner.domain.language.parsing.shares import share_of_rows, with_share_together
from services.planner.domain.language.parsing.working import (
    add_derived,
    add_quantiles,
    aggregate_for_calculation,
    count_if_compared,
    needs_time,
    put_in_ranges,
    wanted_grain,
)
from services.planner.domain.language.refusing.unread import why_unread
from services.planner.domain.language.resolving.counted_things import counted_rows, things_on_rows
from services.planner.domain.language.resolving.things import dimension_said
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.timing.unread import unread_time
from services.planner.domain.language.work import Draft, Wishes, Work, different, only_counted
from services.planner.domain.lexicon.normalise import Token, distinct_names, readable
from services.planner.domain.lexicon.vocabulary import STOP_WORDS
from services.planner.domain.query.dimensions.coverage import coverage_notes
from services.planner.domain.query.intent import Aggregate, ChartType, Intent, Measure
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.query.measures.per_thing import why_not_together
from services.planner.domain.query.planning.counted_once import counted_once, repeats_told
from services.planner.domain.query.tables import table_of
from services.planner.domain.reader.times.dates import time_conditions
from services.planner.domain.reader.times.time_parts import why_no_day

_NOTHING = "No word of the question could be tied to the data."
_ROW_WORDS = frozenset(
    """row rows record records entry entries column columns feature features variable variables
    dataset""".split()
)


def parse(scene: Scene, wishes: Wishes, graph: JoinGraph) -> tuple[Intent, tuple[str, ...]] | str:
    """The intent with notes on what was taken for granted, or why nothing can be computed."""
    with_flags_apart(scene)
    without_participles(scene)
    dated = date_of_verb(scene) or done_on(scene) if wishes.spans else None
    take_years(scene)
    dated = dated or date_of_coming_or_leaving(scene) or verbs_of_counted(scene)
    absences = find_absences(scene, graph, wishes.spans)
    wishes.spans = absences.spans
    conditions = find_conditions(scene)
    draft = Draft(filters=[*absences.filters, *conditions.filters], dated=dated)
    parts = find_parts(scene, wishes.quantiles)
    work = Work(scene, wishes, graph, parts, draft, conditions.split)
    work.compared = conditions.compared
    promote(work)
    aggregate_for_calculation(work)
    draft.base = find_base(work, conditions)
    if not draft.base:
        return _NOTHING
    settle_calendar(work)
    add_measures(work)
    add_quantiles(work)
    count_if_compared(work)
    add_dimensions(work)
    if needs_time(work):
        add_time(work, wanted_grain(work))
    add_having(work, conditions.grouped)
    conditions.unplaced = compared_as_it(work, conditions.unplaced)
    put_in_ranges(work)
    derived = share_of_rows(work)
    fill(work, conditions)
    pair_for_each_thing(work)
    if not draft.measures and not draft.dimensions:
        return _NOTHING
    unknown = unknown_words(scene)
    subject = _unknown_subject(work, unknown)
    if draft.implied and subject:
        return f'Nothing in the data is called "{subject}".'
    problem = draft.problem or lost_aggregate(work) or untold(scene)
    problem = problem or denied_time(scene, wishes.spans) or why_undated(scene)
    problem = problem or unread_time(scene, bool(conditions.unplaced))
    if problem:
        return problem
    unsaid = [token.text for token in unknown if token.lower not in NEGATIONS]
    if unsaid:
        draft.notes.append("left out as not understood: " + ", ".join(unsaid))
    draft.measures = [_called(measure, scene) for measure in draft.measures]
    draft.having = [
        one.model_copy(update={"measure": _called(one.measure, scene)}) for one in draft.having
    ]
    derived = derived or add_derived(work)
    intent = _intent(work)
    intent = without_needless_base(intent, work.catalogue)
    intent = intent.model_copy(update={"derived": intent.derived or tuple(derived)})
    intent = with_share_together(intent)
    intent = counting_groups(intent, work.catalogue)
    intent = counted_once(with_those_without(intent, work.catalogue), work.catalogue)
    notes = (*draft.notes, *left_out(intent), *coverage_notes(intent, work.catalogue))
    notes += tuple(repeats_told(intent, work.catalogue))
    problem = draft.problem or why_unread(work, conditions, intent, unknown)
    problem = problem or why_not_together(intent) or why_no_groups(intent) or why_no_day(intent)
    return problem or (intent, notes)


def _called(measure: Measure, scene: Scene) -> Measure:
    """A number of rows under the name it should have, or of the things that are on many of them;
    the others as they are."""
    if measure.aggregate is Aggregate.COUNT and measure.per is None:
        things = things_on_rows(measure.label, measure.table, scene.tokens, scene.catalogue)
        if things is not None:
            once = different(things)
            return once.model_copy(update={"where": measure.where, "during": measure.during})
    label = counted_rows(measure.label, measure.table, scene.tokens, scene.catalogue)
    return measure.model_copy(update={"label": label})


def unknown_words(scene: Scene) -> list[Token]:
    """Words of content that were tied to nothing; verbs and the like are not counted."""
    inside = {i for mention in scene.mentions for i in range(mention.first, mention.last)}
    return [
        token
        for index, token in enumerate(scene.tokens)
        if token.stem
        and not token.used
        and index not in inside
        and token.lower not in STOP_WORDS | _ROW_WORDS
        and len(token.text) > 2
        and (not token.lower.endswith(("ed", "ing")) or is_negated(scene, index))
    ]


def _unknown_subject(work: Work, unknown: list[Token]) -> str:
    """The unknown word that is to be split, where nothing else is: "salary by employee"."""
    tokens = work.scene.tokens
    first = min((mention.first for mention in work.scene.mentions), default=0)
    for index, token in enumerate(tokens[:first]):
        if token in unknown and tokens[index + 1].lower in ("by", "per"):
            return token.text
    return ""


def _spelled_apart(work: Work) -> str:
    """What the data tell of keys that would relate tables in another spelling, and the repair."""
    for doubt in work.catalogue.doubts:
        if doubt.code == "key-spelling" and doubt.repairs and not doubt.repaired:
            repair = doubt.repairs[0]
            option = option_of(repair.kind, repair.column, repair.value)
            return f" {doubt.said}: read it with --read {option}."
    return ""


def _is_list_of_base(work: Work) -> bool:
    """Whether each row stands for one thing of the base, however many share its name."""
    base = work.draft.base
    return any(d.identity is not None and d.identity.table == base for d in work.draft.dimensions)


def _intent(work: Work) -> Intent:
    draft, wishes, parts = work.draft, work.wishes, work.parts
    if parts.top is not None and not (draft.measures and len(draft.dimensions) == 2):
        parts.top.per_group = False
    arrange(work)
    arrange_numbers(work)
    dated = draft.dated or date_of_event(work)
    spans = time_conditions(
        wishes.spans, work.catalogue, work.graph, draft.base, work.date_stems(), dated,
        counted=only_counted(draft),
    )  # fmt: skip
    settled = [settle_filter(work, f) for f in draft.filters]
    settled, spans.filters = within_events(settled, spans.filters, dated)
    draft.filters = averages_within(settled, spans.filters) + spans.filters
    draft.notes += spans.notes
    draft.problem = draft.problem or spans.lost
    order, limit = order_and_limit(work)
    if wishes.calculation is None:
        count_unreadable(work)
    tree = join_tree(work, order)
    if tree.missing:
        apart = " and ".join(readable(name) for name in sorted(tree.missing))
        draft.problem = f"Nothing relates {readable(draft.base)} to {apart}.{_spelled_apart(work)}"
    compared = periods_to_compare(work)
    said = [dimension_said(d.label, work.scene.mentions, table_of(d)) for d in draft.dimensions]
    labels = distinct_names(said + [m.label for m in draft.measures])
    size = len(draft.dimensions)
    having = tuple(settle_having(work, h, tree) for h in draft.having)
    intent = Intent(
        base=draft.base,
        measures=tuple(
            as_compared(settle_count(work, m, tree), having).model_copy(update={"label": label})
            for m, label in zip(draft.measures, labels[size:], strict=True)
        ),
        dimensions=tuple(
            d.model_copy(update={"label": label})
            for d, label in zip(draft.dimensions, labels[:size], strict=True)
        ),
        filters=tuple(draft.filters),
        having=having,
        order=tuple(order),
        limit=limit,
        offset=parts.top.skip if parts.top is not None else 0,
        limit_per_series=parts.top.count if parts.top and parts.top.per_group else None,
        joins=tree.relations,
        distinct=not draft.measures and not (draft.whole_rows or _is_list_of_base(work)),
        deduplicate=tree.fans_out and not numbers_of_repeated(work, tree),
        series=series_index(work),
        chart=wishes.chart.chart or (ChartType.SCATTER if against_each_other(work) else None),
        chart_named=wishes.chart.certain,
    )
    return set_against(intent, compared, spans.filters)
