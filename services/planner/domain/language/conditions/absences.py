"""Things that have none of something: "customers who never ordered", "tracks without a genre"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.planner.domain.language.dimensions.dates import time_conditions
from services.planner.domain.language.intent import (
    Condition,
    Field,
    Filter,
    Group,
    Membership,
    Operator,
)
from services.planner.domain.language.joining.joins import JoinGraph
from services.planner.domain.language.measures.formulas import revenue_formulas
from services.planner.domain.language.normalising.cues import GROUP_CUES, NEGATIONS
from services.planner.domain.language.phrases.times import TimeSpan
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.work import filter_tables, formula_table

_TRADED = frozenset("sold bought purchased ordered".split())
_REACH = 4
_NEW_CLAUSE = frozenset(["who", "that", "which", "whose", "but", ","])


@dataclass(slots=True)
class Absences:
    """What there must be none of, and the spans of time that say nothing about other rows."""

    filters: list[Filter] = field(default_factory=list)
    spans: list[TimeSpan] = field(default_factory=list)


def find_absences(scene: Scene, graph: JoinGraph, spans: Sequence[TimeSpan]) -> Absences:
    """Every absence, narrowed by the values and times that are said after it."""
    found = Absences(spans=list(spans))
    tables = [i for i, m in enumerate(scene.mentions) if m.chosen.kind == "table"]
    if not tables:
        return found
    owner = scene.mentions[tables[0]].chosen.table
    for index in tables[1:]:
        mention = scene.mentions[index]
        if _negated(scene, mention.first) and scene.free(index):
            scene.roles[index] = "condition"
            _add(scene, graph, found, owner, mention.chosen.table, mention.first, mention.last)
    for position, token in enumerate(scene.tokens):
        if token.lower in _TRADED and _negated(scene, position):
            linked = scene.starting(position)
            if linked is not None and scene.mentions[linked].chosen.kind != "revenue":
                continue
            sales = _sales(scene, graph, owner)
            if sales is None:
                continue
            if linked is not None:
                scene.roles[linked] = "condition"
            token.used = token.used or "condition"
            _add(scene, graph, found, owner, sales, position, position + 1)
    return found


def _negated(scene: Scene, position: int) -> bool:
    before = scene.words(position - _REACH, position)
    said = [place for place, word in enumerate(before) if word in NEGATIONS]
    if not said or "than" in before:
        return False
    return not _NEW_CLAUSE & set(before[said[-1] + 1 :])  # "not in Berlin who ordered"


def _sales(scene: Scene, graph: JoinGraph, owner: str) -> str | None:
    """The table nearest to the owner whose rows say what was sold."""
    tables = [formula_table(formula) for formula in revenue_formulas(scene.catalogue)]
    trees = [(graph.tree(owner, [table]), table) for table in tables if table != owner]
    reached = [(tree.cost, table) for tree, table in trees if not tree.missing]
    return min(reached)[1] if reached else None


def _add(
    scene: Scene, graph: JoinGraph, found: Absences, owner: str, related: str, first: int, last: int
) -> None:
    if owner == related or graph.tree(owner, [related]).missing:
        return
    for token in scene.tokens[max(0, first - _REACH) : first]:
        token.used = token.used or ("condition" if token.lower in NEGATIONS else "")
    conditions: list[Filter] = [*_values_before(scene, owner, first), *_values(scene, owner, last)]
    conditions += _times(scene, graph, found, related, last)
    wanted = [related, *filter_tables(conditions)]
    where: Filter | None = None
    if conditions:
        several = Group(connective="and", members=tuple(conditions))
        where = conditions[0] if len(conditions) == 1 else several
    path = graph.tree(owner, wanted).relations
    found.filters.append(Membership(table=owner, related=related, where=where, path=path))


def _values(scene: Scene, owner: str, start: int) -> list[Condition]:
    """The values of other tables up to the end of the clause; their owners are only spoken of."""
    found: list[Condition] = []
    for index, mention in enumerate(scene.mentions):
        if mention.first < start or not scene.free(index):
            continue
        between = {t.lower for t in scene.tokens[start : mention.first]}
        if between & (GROUP_CUES - {"by"} | {".", "?", "but"}):
            break
        if mention.chosen.kind == "table" and mention.chosen.table != owner:
            scene.roles[index] = "condition"
        elif mention.chosen.kind == "value" and mention.chosen.table != owner:
            scene.roles[index] = "condition"
            target = Field(table=mention.chosen.table, column=mention.chosen.column)
            values = (mention.chosen.value,)
            found.append(Condition(field=target, operator=Operator.EQUAL, values=values))
        elif mention.chosen.kind != "column":
            break
    return found


def _values_before(scene: Scene, owner: str, first: int) -> list[Condition]:
    """The "paid" of "accounts with no paid invoices"."""
    index = scene.ending(first)
    if index is None or not scene.free(index):
        return []
    chosen = scene.mentions[index].chosen
    if chosen.kind != "value" or chosen.table == owner:
        return []
    scene.roles[index] = "condition"
    target = Field(table=chosen.table, column=chosen.column)
    return [Condition(field=target, operator=Operator.EQUAL, values=(chosen.value,))]


def _times(
    scene: Scene, graph: JoinGraph, found: Absences, related: str, start: int
) -> list[Filter]:
    said = [span for span in found.spans if span.first_token >= start]
    stems = [token.stem for token in scene.tokens if token.stem]
    placed = time_conditions(said, scene.catalogue, graph, related, stems)
    if not placed.filters:
        return []
    found.spans = [span for span in found.spans if span not in said]
    return placed.filters
