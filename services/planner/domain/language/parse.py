"""Puts the parts of a question together: from resolved mentions to an intent."""

from __future__ import annotations

from services.planner.domain.language.comparisons import numeric_column_named
from services.planner.domain.language.conditions import Conditions, find_conditions
from services.planner.domain.language.cues import ADJECTIVES, NEGATIONS
from services.planner.domain.language.dates import time_conditions
from services.planner.domain.language.dimensions import (
    add_dimension,
    add_dimensions,
    add_time,
    against_each_other,
    arrange,
    dimension_of,
    series_index,
)
from services.planner.domain.language.entities import entity_dimension, naming
from services.planner.domain.language.intent import (
    ChartType,
    Field,
    Filter,
    Intent,
    Measure,
    Membership,
)
from services.planner.domain.language.joins import JoinGraph
from services.planner.domain.language.listing import date_of_verb, show_conditions
from services.planner.domain.language.measures import (
    add_having,
    add_measures,
    column_dimension,
    find_base,
)
from services.planner.domain.language.normalise import Token, readable
from services.planner.domain.language.ordering import order_and_limit
from services.planner.domain.language.promote import promote
from services.planner.domain.language.roles import find_parts
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.settle import join_tree, settle_count, settle_filter
from services.planner.domain.language.sql import distinct_names
from services.planner.domain.language.vocabulary import STOP_WORDS
from services.planner.domain.language.work import Draft, Wishes, Work, count_of_rows
from services.planner.domain.language.working import (
    add_derived,
    add_quantiles,
    aggregate_for_calculation,
    needs_time,
    put_in_ranges,
    share_of_rows,
    wanted_grain,
)

_NOTHING = "No word of the question could be tied to the data."
_MOST_COLUMNS = 12
_ROW_WORDS = frozenset("row rows record records entry entries".split())


def parse(scene: Scene, wishes: Wishes, graph: JoinGraph) -> tuple[Intent, tuple[str, ...]] | str:
    """The intent with notes on what was taken for granted, or why nothing can be computed."""
    dated = date_of_verb(scene) if wishes.spans else None
    absences = _absences(scene, graph)
    conditions = find_conditions(scene)
    draft = Draft(filters=[*absences, *conditions.filters], dated=dated)
    work = Work(scene, wishes, graph, find_parts(scene), draft, conditions.split)
    work.compared = conditions.compared
    promote(work)
    aggregate_for_calculation(work)
    draft.base = find_base(work, conditions)
    if not draft.base:
        return _NOTHING
    add_measures(work)
    add_quantiles(work)
    add_dimensions(work)
    if needs_time(work):
        add_time(work, wanted_grain(work))
    add_having(work, conditions.grouped)
    put_in_ranges(work)
    derived = share_of_rows(work)
    _fill(work, conditions)
    if not draft.measures and not draft.dimensions:
        return _NOTHING
    unknown = unknown_words(scene)
    subject = _unknown_subject(work, unknown)
    if draft.implied and subject:
        return f'Nothing in the data is called "{subject}".'
    if draft.problem:
        return draft.problem
    if unknown:
        draft.notes.append("left out as not understood: " + ", ".join(t.text for t in unknown))
    derived = derived or add_derived(work)
    intent = _intent(work).model_copy(update={"derived": tuple(derived)})
    return draft.problem or (intent, tuple(draft.notes))


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
        and not token.lower.endswith(("ed", "ing"))
    ]


def _unknown_subject(work: Work, unknown: list[Token]) -> str:
    """The unknown word that is to be split, where nothing else is: "salary by employee"."""
    tokens = work.scene.tokens
    first = min((mention.first for mention in work.scene.mentions), default=0)
    for index, token in enumerate(tokens[:first]):
        if token in unknown and tokens[index + 1].lower in ("by", "per"):
            return token.text
    return ""


def _absences(scene: Scene, graph: JoinGraph) -> list[Filter]:
    """ "customers who never ordered", "products without orders"."""
    found: list[Filter] = []
    tables = [i for i, m in enumerate(scene.mentions) if m.chosen.kind == "table"]
    for position, index in enumerate(tables):
        mention = scene.mentions[index]
        before = scene.words(mention.first - 4, mention.first)
        if not position or not set(before) & NEGATIONS or "than" in before:
            continue
        owner = scene.mentions[tables[0]].chosen.table
        related = mention.chosen.table
        if owner == related or graph.tree(owner, [related]).missing:
            continue
        scene.roles[index] = "condition"
        for token in scene.tokens[max(0, mention.first - 4) : mention.first]:
            token.used = token.used or ("condition" if token.lower in NEGATIONS else "")
        found.append(Membership(table=owner, related=related, absent=True))
    return found


def _fill(work: Work, conditions: Conditions) -> None:
    """Adds what goes without saying: a count, a name for each row, the number ranked by."""
    draft, parts = work.draft, work.parts
    if parts.top is not None and not draft.measures:
        _rank_by_adjective(work)
    plain_list = not work.grouped and not work.wishes.chart.wanted
    if not draft.measures and draft.dimensions and not plain_list and not _two_axes(work):
        draft.add_measure(count_of_rows(draft.base))
        draft.implied = True
    base = work.catalogue.table(draft.base)
    nameless = not draft.dimensions and not draft.aggregated and len(draft.measures) < 2
    if nameless and base is not None and naming(base) is not None:
        add_dimension(work, entity_dimension(base, base.name, work.graph))
    elif nameless and base is not None and not draft.measures:
        draft.whole_rows = True
        draft.dimensions += [
            column_dimension(work, Field(table=base.name, column=column.name))
            for column in base.columns[:_MOST_COLUMNS]
        ]
    show_conditions(work)
    _split_by_listed(work)
    _split_by_kind(work)
    ranked = parts.top is not None or bool(conditions.grouped)
    ranked = ranked or work.wishes.chart.wanted or work.wishes.calculation is not None
    others = [i for i in parts.tables if work.mention(i).chosen.table != draft.base]
    if ranked and _lacks_dimension(work) and (others or parts.tables):
        add_dimension(work, dimension_of(work, work.mention((others or parts.tables)[0])))


def _lacks_dimension(work: Work) -> bool:
    draft = work.draft
    one_number = len(draft.measures) == 1 and not draft.dimensions
    if work.wishes.calculation is not None and draft.measures and draft.measures[0].where:
        return False
    told = draft.aggregated or work.parts.top is not None or not work.wishes.chart.wanted
    return one_number and told


def _two_axes(work: Work) -> bool:
    drawn = work.wishes.chart.chart in (ChartType.SCATTER, ChartType.LINE)
    return drawn and len(work.draft.dimensions) > 1


def _split_by_listed(work: Work) -> None:
    """ "Show all continents and the number of countries": the first is what is split by."""
    draft, parts = work.draft, work.parts
    if draft.dimensions or not parts.counts:
        return
    for index in parts.tables:
        mention = work.mention(index)
        gap = work.scene.words(mention.last, parts.counts[0].position)
        if mention.chosen.table != draft.base and set(gap) & {"and", ",", "with"} and len(gap) <= 5:
            add_dimension(work, dimension_of(work, mention))
            return


def _split_by_kind(work: Work) -> None:
    """A chart of one number of things shows the kinds of them, where they have a kind."""
    draft, base = work.draft, work.catalogue.table(work.draft.base)
    counted = len(draft.measures) == 1 and draft.measures[0].expression is None
    if draft.dimensions or not counted or not work.wishes.chart.wanted or base is None:
        return
    if any(work.mention(i).chosen.table != draft.base for i in work.parts.tables):
        return
    made = entity_dimension(base, base.name, work.graph)
    if made is not None and made.identity is None and isinstance(made.expression, Field):
        column = base.column(made.expression.column)
        if column is not None and 1 < column.distinct < base.rows:
            add_dimension(work, made)


def _rank_by_adjective(work: Work) -> None:
    top = work.parts.top
    if top is None:
        return
    for word in [top.word, *work.scene.words(top.position, top.position + 2)]:
        target = numeric_column_named(work.scene, ADJECTIVES.get(word, ()))
        if target is not None:
            label = readable(target.column)
            for token in work.scene.tokens[top.position : top.position + 2]:
                token.used = token.used or ("top" if token.lower in ADJECTIVES else "")
            work.draft.add_measure(
                Measure(aggregate=None, table=target.table, expression=target, label=label)
            )
            return


def _is_list_of_base(work: Work) -> bool:
    """Whether each row stands for one thing of the base, however many share its name."""
    base = work.draft.base
    return any(d.identity is not None and d.identity.table == base for d in work.draft.dimensions)


def _intent(work: Work) -> Intent:
    draft, wishes, parts = work.draft, work.wishes, work.parts
    if parts.top is not None and not (draft.measures and len(draft.dimensions) == 2):
        parts.top.per_group = False
    arrange(work)
    spans = time_conditions(
        wishes.spans, work.catalogue, work.graph, draft.base, work.stems(), draft.dated
    )
    draft.filters = [settle_filter(work, f) for f in draft.filters] + spans.filters
    draft.notes += spans.notes
    order, limit = order_and_limit(work)
    tree = join_tree(work, order)
    if tree.missing:
        apart = " and ".join(readable(name) for name in sorted(tree.missing))
        draft.problem = f"Nothing relates {readable(draft.base)} to {apart}."
    labels = distinct_names([d.label for d in draft.dimensions] + [m.label for m in draft.measures])
    size = len(draft.dimensions)
    return Intent(
        base=draft.base,
        measures=tuple(
            settle_count(work, m, tree).model_copy(update={"label": label})
            for m, label in zip(draft.measures, labels[size:], strict=True)
        ),
        dimensions=tuple(
            d.model_copy(update={"label": label})
            for d, label in zip(draft.dimensions, labels[:size], strict=True)
        ),
        filters=tuple(draft.filters),
        having=tuple(draft.having),
        order=tuple(order),
        limit=limit,
        limit_per_series=parts.top.count if parts.top and parts.top.per_group else None,
        joins=tree.relations,
        distinct=not draft.measures and not (draft.whole_rows or _is_list_of_base(work)),
        deduplicate=tree.fans_out,
        series=series_index(work),
        chart=wishes.chart.chart or (ChartType.SCATTER if against_each_other(work) else None),
        chart_named=wishes.chart.certain,
    )
