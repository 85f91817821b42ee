"""Shares of rows, "what percentage of the staff are female", and of the few that are picked."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.language.linking.mention import Candidate
from services.planner.domain.language.resolving.counted_things import counted_rows
from services.planner.domain.language.work import Work, different, field_of
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.intent import (
    Calculation,
    Condition,
    Derived,
    Field,
    Filter,
    Intent,
    Membership,
    Operator,
)
from services.planner.domain.query.joining.keys import key_of
from services.planner.domain.query.labels import count_of_rows
from services.planner.domain.query.planning.summary import filter_text

_NO_PART = (
    "Which share of which rows is meant could not be told: say, for instance, "
    '"what percentage of the female employees are managers".'
)
_SPREAD = (
    "the parts are of all that the condition leaves, and add up to 100 %; for the part within each "
    'group ask, for instance, "what share of the students in each school are female"'
)
_OF_UNKNOWN = (Operator.IS_NULL, Operator.NOT_NULL)
_SAYING = frozenset("is are was were be has have had".split())
_RELATIVE = frozenset("that which who whose with having where".split())
_GROUPING = frozenset("by per each every for among within across".split())
_TYING = frozenset("in from of to with at for on by and or but not the a an their our".split())


def share_of_rows(work: Work) -> list[Derived]:
    """ "What percentage of students are female": those rows against all of them, or of a group."""
    draft, wish = work.draft, work.wishes.calculation
    share = wish is not None and wish.calculation is Calculation.SHARE
    if not share or not draft.filters:
        return []
    _without_things(work)
    if draft.dimensions and not _said_of_all(work):
        draft.notes.append(_SPREAD)
        return []  # "the share of female students by school": how they spread over the schools
    whole = draft.measures[0] if draft.aggregated else count_of_rows(draft.base)
    wanted = draft.filters[0] if len(draft.filters) == 1 else _said_of_rest(work)
    if wanted is None:
        if len(draft.filters) > 1 and work.parts.top is None:
            draft.problem = _NO_PART
        return []
    called = counted_rows(whole.label, whole.table, work.scene.tokens, work.catalogue)
    whole = whole.model_copy(update={"label": called})
    part = whole.model_copy(
        update={
            "where": _of_related(work, wanted),
            "label": f"{whole.label} where {filter_text(wanted)}",
        }
    )
    draft.measures = [part, whole]
    draft.filters = [one for one in draft.filters if one is not wanted]
    _tell_of_unknown(work, wanted)
    label = f"share of {called.removeprefix('number of ')} where {filter_text(wanted)}"
    return [Derived(calculation=Calculation.RATIO, label=label, of=0, against=1)]


def _of_related(work: Work, wanted: Filter) -> Filter:
    """A condition on rows of another table as "with such a row": a join would repeat or lose some
    of what the share is of."""
    base = work.draft.base
    if not isinstance(wanted, Condition) or wanted.field.table == base:
        return wanted
    tree, table = work.graph.tree(base, [wanted.field.table]), work.catalogue.table(base)
    if tree.missing or table is None or len(key_of(table)) != 1:
        return wanted
    return Membership(
        table=base, related=wanted.field.table, absent=False, where=wanted, path=tree.relations
    )


def _tell_of_unknown(work: Work, wanted: Filter) -> None:
    """Notes that rows of which it is not known are part of the whole, where there are such."""
    if not isinstance(wanted, Condition) or wanted.operator in _OF_UNKNOWN:
        return
    column = work.column(wanted.field)
    if column is not None and column.nulls:
        name = readable(column.name)
        work.draft.notes.append(f"rows where {name} is empty are part of the whole")


def _asked(work: Work) -> int:
    """Where the words end that ask for a share."""
    taken = (i for i, token in enumerate(work.scene.tokens) if token.used == "calculation")
    return max(taken, default=-1) + 1


def _without_things(work: Work) -> None:
    """Of "what percentage of titles are movies" the titles are counted, and split nothing."""
    scene, draft = work.scene, work.draft
    thing = scene.starting(_asked(work), within=1)
    if thing is None or scene.mentions[thing].chosen.kind != "column":
        return
    things = field_of(scene.mentions[thing])
    split = [d for d in draft.dimensions if d.expression == things]
    table = work.catalogue.table(things.table)
    column = table.column(things.column) if table is not None else None
    if not split or table is None or column is None or not _said_of_all(work):
        return
    draft.dimensions = [d for d in draft.dimensions if d not in split]
    if not draft.aggregated and column.distinct < table.rows:
        draft.measures = [different(things)]


def _said_of_all(work: Work) -> bool:
    """Whether the condition is said of what the share is of: "of rows that fail", "are female"."""
    scene = work.scene
    asked = _asked(work)
    told = {i: False for i, token in enumerate(scene.tokens) if token.used == "condition"}
    for index, mention in enumerate(scene.mentions):
        if scene.roles.get(index) == "condition":
            flag = mention.chosen.kind == "column"  # "of men smoke", "of customers churned"
            told[mention.last - 1 if flag else mention.first] = flag
    after = [i for i in told if i >= asked]
    if not after:
        return False
    words = scene.words(asked, max(after))
    said = set(words[-2:]) & _SAYING  # "of the passengers in each class are (not) female"
    behind = bool(words) and words[-1] not in _TYING  # "of patients completed", not "in Germany"
    related = told[max(after)] or behind or set(words) & _RELATIVE
    return bool(said or (words and related and not set(words) & _GROUPING))


def _is_on(wanted: Condition, named: Sequence[Candidate]) -> bool:
    return any(wanted.field == Field(table=one.table, column=one.column) for one in named)


def _said_of_rest(work: Work) -> Filter | None:
    """What is said of the rows that another condition leaves: "of part-time staff is female"."""
    scene, filters = work.scene, work.draft.filters
    told = [m for i, m in enumerate(scene.mentions) if scene.roles.get(i) == "condition"]
    last = max((i for i, t in enumerate(scene.tokens) if t.lower in _SAYING), default=None)
    after = [m.chosen for m in told if last is not None and m.first > last]
    if last is None and told and told[-1].chosen.kind == "column":
        after = [told[-1].chosen]  # a flag: "what percentage of men smoke"
    its = [w for w in filters if isinstance(w, Condition) and _is_on(w, after)]
    if len(its) == 1:
        return its[0]
    plain = all(isinstance(wanted, Condition) for wanted in filters)
    if len(filters) != 2 or len(told) != 2 or not plain:
        return None
    inside = {i for m in scene.mentions for i in range(m.first, m.last)}
    gap = [i for i in range(told[0].last, told[1].first) if i not in inside]
    words = {scene.tokens[i].lower for i in gap}
    said = words & _SAYING or any(
        scene.tokens[i].stem and w not in _TYING for i in gap for w in [scene.tokens[i].lower]
    )
    return filters[1] if said and "or" not in words else None


def with_share_together(intent: Intent) -> Intent:
    """Adds the share of each picked row with those before it: the last has that of all of them."""
    share = intent.derived[0] if len(intent.derived) == 1 else None
    several = intent.limit is not None and intent.limit > 1 and not intent.offset
    ranked = bool(intent.order) and intent.order[0].target == "measure"
    if share is None or share.calculation is not Calculation.SHARE or not several or not ranked:
        return intent
    if len(intent.dimensions) != 1 or len(intent.measures) != 1:
        return intent
    label = f"{share.label} with those before"
    both = share.model_copy(update={"label": label, "together": True})
    return intent.model_copy(update={"derived": (share, both)})
