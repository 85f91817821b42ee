"""Things that have none of something: "customers who never ordered", "tracks without a genre"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.planner.domain.business.formulas import revenue_formulas
from services.planner.domain.language.conditions.comparisons import comparison_at
from services.planner.domain.language.conditions.text_conditions import condition_of
from services.planner.domain.language.linking.mention import Mention
from services.planner.domain.language.normalising.cues import GROUP_CUES, NEGATIONS
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.work import formula_table
from services.planner.domain.lexicon.normalise import name_words, stem
from services.planner.domain.query.intent import (
    Condition,
    Field,
    Filter,
    Group,
    Membership,
    Operator,
)
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.query.tables import filter_tables
from services.planner.domain.reader.times.dates import time_conditions
from services.planner.domain.reader.times.times import TimeSpan

_TRADED = frozenset("sold bought purchased ordered".split())
_REACH = 4
_NEW_CLAUSE = frozenset(["who", "that", "which", "whose", "but", ",", "null", "missing", "empty"])


@dataclass(slots=True)
class Absences:
    """What there must be none of, and the spans of time that say nothing about other rows."""

    filters: list[Filter] = field(default_factory=list)
    spans: list[TimeSpan] = field(default_factory=list)


def find_absences(scene: Scene, graph: JoinGraph, spans: Sequence[TimeSpan]) -> Absences:
    """Every absence, narrowed by the values and times that are said after it."""
    found = Absences(spans=list(spans))
    named = [m for m in scene.mentions if m.chosen.kind in ("table", "column")]
    tables = [i for i, m in enumerate(scene.mentions) if _names_things(m)]
    if not tables:
        return found
    first = scene.mentions[tables[0]]
    # "The ages of people" are one phrase, in which the people are only spoken of by the way.
    by_the_way = first.chosen.kind == "table" and _negated(scene, first.first)
    owner = named[0].chosen.table if by_the_way else first.chosen.table
    for index in tables if by_the_way else tables[1:]:
        mention = scene.mentions[index]
        by_column = mention.chosen.kind == "column" and not _leads(mention)
        if by_column or mention.chosen.table == owner:
            continue
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


def _names_things(mention: Mention) -> bool:
    """Whether a mention speaks of the rows of a table: "tracks", and "seating of tracks"."""
    if mention.chosen.kind == "table":
        return True
    words = mention.phrase.lower().split()
    ends = {stem(words[0]), stem(words[-1])}
    named = ends & set(name_words(mention.chosen.table))
    return mention.chosen.kind == "column" and len(words) > 1 and bool(named)


def _leads(mention: Mention) -> bool:
    """Whether the things go before their column: the "race of class"."""
    return stem(mention.phrase.lower().split()[0]) in name_words(mention.chosen.table)


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
    conditions += _compared(scene, related, last)
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


def _compared(scene: Scene, related: str, start: int) -> list[Condition]:
    """Comparisons of a column of theirs in the same clause: "departments with a budget over 9"."""
    found: list[Condition] = []
    if scene.words(start, start + 1) not in (["with"], ["whose"], ["that"], ["which"], ["where"]):
        return found
    for position in range(start, len(scene.tokens)):
        token = scene.tokens[position]
        if token.mark or token.used in ("chart", "order", "axis"):
            break
        compared = comparison_at(scene, position)
        if compared is None or compared.mention is None or compared.aggregate:
            continue
        theirs = [c for c in scene.mentions[compared.mention].candidates if c.table == related]
        if not theirs or not theirs[0].column or not compared.numbers:
            continue
        scene.roles[compared.mention] = "condition"
        for taken in scene.tokens[compared.first : compared.last]:
            taken.used = taken.used or "condition"
        target = Field(table=related, column=theirs[0].column)
        found.append(condition_of(target, compared.operator, compared.numbers))
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
