"""Lists of things: the columns that the conditions speak of are shown beside the names."""

from __future__ import annotations

from services.planner.domain.catalogue import ColumnRole, DataType
from services.planner.domain.language.conditions.undone import is_year
from services.planner.domain.language.linking.mention import (
    Candidate,
    Mention,
    with_candidate_first,
)
from services.planner.domain.language.measures.measures import column_dimension
from services.planner.domain.language.normalising.cues import BEING
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.work import Work
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.lexicon.wording import worded
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import (
    Against,
    Condition,
    Dimension,
    Field,
    Group,
    Measure,
    Operator,
)
from services.planner.domain.query.joining.entities import entity_dimension, naming
from services.planner.domain.query.tables import table_of

_DATES = (DataType.DATE, DataType.DATETIME)
_DONE = frozenset("built made held born begun written".split())
_COMPARING = (
    Operator.GREATER, Operator.AT_LEAST, Operator.LESS, Operator.AT_MOST, Operator.BETWEEN,
)  # fmt: skip
# Few different levels are still numbers when another number is set against them.
_LEVELS = (ColumnRole.MEASURE, ColumnRole.DIMENSION)
_GAP = 3
_SPLITTING = frozenset("by per each every over".split())
_JOINING, _OWNED = frozenset(["and", "with", ","]), frozenset(["their", "its", "the"])
_EACH = frozenset(["each", "every"])


def date_of_verb(scene: Scene) -> Field | None:
    """The date that a verb before a span of time speaks of: "hired before 1993"."""
    for index, mention in enumerate(scene.mentions):
        after = scene.tokens[mention.last : mention.last + _GAP]
        last = mention.phrase.lower().split()[-1]
        done = last.endswith("ed") or last in _DONE
        verb = done and mention.chosen.kind in ("column", "table")
        verb = verb or _is_compared_year(scene, mention)
        if not verb or not any(token.used == "time" for token in after):
            continue
        dates = [c for c in mention.candidates if _is_date(scene, c)]
        if dates:
            said = with_candidate_first(mention, dates[0])
            size = mention.last - mention.first
            parts = [said] if size == 1 else [_owner(scene, said), said]
            scene.mentions = [*scene.mentions[:index], *parts, *scene.mentions[index + 1 :]]
            scene.roles[index + len(parts) - 1] = "dated"
            return Field(table=dates[0].table, column=dates[0].column)
    return None


def take_years(scene: Scene) -> None:
    """The column of years right before a span of time is only a condition: "birth year after …"."""
    for index, mention in enumerate(scene.mentions):
        column = scene.column(mention)
        after = scene.tokens[mention.last : mention.last + _GAP]
        said = [place for place, token in enumerate(after) if token.used == "time"]
        timed = bool(said) and {token.lower for token in after[: said[0]]} <= BEING
        years = column is not None and "year" in name_words(column.name)
        if timed and years and scene.free(index) and mention.chosen.kind == "column":
            scene.roles[index] = "condition"


def _is_compared_year(scene: Scene, mention: Mention) -> bool:
    """Whether a year, which is a number, is named before the time: "open date before 1875"."""
    column = scene.column(mention)
    plain = column is not None and mention.chosen.kind == "column" and is_year(column)
    split = _SPLITTING & set(scene.words(mention.first - 2, mention.first))
    return plain and len(mention.stems) > 1 and not split


def _owner(scene: Scene, said: Mention) -> Mention:
    """ "Orders shipped" named the thing together with what was done to it."""
    first, last = said.first, said.last - 1
    said.first = last
    words = tuple(token.stem for token in scene.tokens[first:last])
    thing = Candidate("table", said.chosen.table, score=0.9, reason="name")
    return Mention(first, last, " ".join(scene.words(first, last)), words, (thing,))


def _is_date(scene: Scene, candidate: Candidate) -> bool:
    table = scene.catalogue.table(candidate.table)
    column = table.column(candidate.column) if table else None
    if candidate.kind != "column" or column is None:
        return False
    return column.data_type in _DATES or is_year(column)


def tell_apart(work: Work) -> None:
    """Shows which of several values each number belongs to: "population of France and Spain"."""
    draft = work.draft
    if draft.dimensions or not draft.measures or draft.aggregated or work.wishes.chart.wanted:
        return
    for wanted in draft.filters:
        members = wanted.members if isinstance(wanted, Group) else (wanted,)
        plain = [one for one in members if isinstance(one, Condition)]
        values = {value for one in plain for value in one.values}
        equal = all(one.operator in (Operator.EQUAL, Operator.IN) for one in plain)
        if plain and equal and len({one.field for one in plain}) == 1 and len(values) > 1:
            draft.dimensions.append(column_dimension(work, plain[0].field))


def show_conditions(work: Work) -> None:
    """Adds to a list of names the number that was compared and the date that was limited."""
    draft = work.draft
    if draft.measures or work.grouped or not draft.dimensions:
        return
    base = draft.base
    listed = all(_names_base(work, dimension) for dimension in draft.dimensions)
    if not listed or draft.whole_rows:
        return
    if draft.dated is not None and draft.dated.table == base:
        draft.dimensions.append(column_dimension(work, draft.dated))
        draft.ranked_list = True
    for wanted in draft.filters:
        if isinstance(wanted, Condition) and wanted.operator in _COMPARING:
            _show_number(work, wanted.field, (ColumnRole.MEASURE,))
        elif isinstance(wanted, Against):
            for target in (wanted.field, wanted.other):
                _show_number(work, target, _LEVELS)


def _show_number(work: Work, target: Field, roles: tuple[ColumnRole, ...]) -> None:
    column, draft = work.column(target), work.draft
    if column and column.role in roles and numeric(column.data_type) and target.table == draft.base:
        draft.ranked_list = True
        label = worded(target.column)
        draft.add_measure(Measure(aggregate=None, table=draft.base, expression=target, label=label))


def show_owners(work: Work) -> None:
    """Shows things beside what is told of each: "employees and their hire date", "albums with their
    artists".
    """
    draft = work.draft
    told = _told_of_each(work)
    if told is None or draft.measures or not draft.dimensions or work.wishes.chart.wanted:
        return
    owner = draft.base
    if work.graph.tree(owner, [told]).fans_out:
        draft.base = told
    for place, shown in enumerate(draft.dimensions):
        if shown.grain is not None and isinstance(shown.expression, Field):
            draft.dimensions[place] = shown.model_copy(update={"grain": None})
    for name in (owner, told):
        table = work.catalogue.table(name)
        own = entity_dimension(table, name, work.graph) if table is not None else None
        if own is not None and not any(d.expression == own.expression for d in draft.dimensions):
            draft.dimensions.insert(0 if name == owner else len(draft.dimensions), own)


def told_of_each(work: Work) -> bool:
    """Whether a date is told of every thing of the base: "hire date of each employee"."""
    dates = [
        d for d in work.draft.dimensions
        if isinstance(d.expression, Field) and work.data_type(d.expression) in _DATES
    ]  # fmt: skip
    return bool(dates) and any(_is_each_of(work, mention) for mention in work.scene.mentions)


def _is_each_of(work: Work, mention: Mention) -> bool:
    before = work.scene.words(mention.first - 2, mention.first)
    of_each = before[:1] == ["of"] and bool(set(before[1:]) & _EACH)
    return of_each and mention.chosen.kind == "table" and mention.chosen.table == work.draft.base


def _told_of_each(work: Work) -> str | None:
    """The table of what "and their", "with its" or "of each" tells of things of the base."""
    base = work.draft.base
    for mention in work.scene.mentions:
        if mention.chosen.kind != "table" or mention.chosen.table != base:
            continue
        after = work.scene.words(mention.last, mention.last + 2)
        if _is_each_of(work, mention):
            return base
        if set(after[:1]) & _JOINING and set(after[1:]) & _OWNED:
            following = work.scene.starting(mention.last + 2, within=1)
            chosen = work.scene.mentions[following].chosen if following is not None else None
            if chosen is None or chosen.kind != "table":
                return base
            return None if work.graph.tree(base, [chosen.table]).missing else chosen.table
    return None


def _names_base(work: Work, dimension: Dimension) -> bool:
    table = work.catalogue.table(work.draft.base)
    if table is None or table_of(dimension) != table.name:
        return False
    own = entity_dimension(table, table.name, work.graph)
    return naming(table) is not None and own is not None and own.expression == dimension.expression
