"""Chooses, for all mentions at once, what each stands for: by name, nearness and joins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.catalogue import Catalogue, ColumnRole
from services.planner.domain.language.linking.meanings import SIMILAR
from services.planner.domain.language.linking.mention import (
    Candidate,
    Mention,
    with_candidate_first,
)
from services.planner.domain.language.resolving.doubts import doubt, is_unit_of
from services.planner.domain.language.resolving.owners import OWNER_NEARBY, owner_bonus
from services.planner.domain.lexicon.normalise import Token, name_words
from services.planner.domain.lexicon.vocabulary import PREFERRED_OWNERS
from services.planner.domain.query.intent import Field
from services.planner.domain.query.joining.joins import JoinGraph

_BEAM = 40
_JOIN_WEIGHT = 0.12
_UNREACHABLE = 1.5
_SAME_COLUMN = 0.45
_UNIT_OF_DATE = 0.5
_ALIKE, _SAME_TABLE, _VALUES_APART = 0.2, 0.1, 5
_NEW_CLAUSE = frozenset(("who", "that", "which", "whose"))
_ALTERNATIVES = frozenset(("and", "or", ",", "nor"))
_NO_NUMBER = 0.3
_TIE = 0.02
_SHORT_FORMS = frozenset(["code", "type", "id", "categori", "class", "level", "status"])


@dataclass(frozen=True, slots=True)
class _State:
    score: float
    choices: tuple[Candidate, ...]
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resolution:
    """The mentions with their choices first, and the readings that are as good, best first."""

    mentions: tuple[Mention, ...]
    rivals: tuple[tuple[Mention, ...], ...] = ()


def resolve(
    mentions: Sequence[Mention], tokens: Sequence[Token], catalogue: Catalogue, graph: JoinGraph
) -> Resolution:
    """The best joint reading of all mentions; deterministic for equal scores."""
    usable = [_possible(mention, catalogue) for mention in mentions]
    usable = [mention for mention in usable if mention.candidates]
    states = [_State(0.0, (), ())]
    for index, mention in enumerate(usable):
        grown = [
            _extend(state, candidate, index, usable, tokens, catalogue, graph)
            for state in states
            for candidate in _choices(state, mention, usable)
        ]
        grown.sort(key=lambda state: -(state.score - 0.1 * len(state.tables)))
        states = grown[:_BEAM]
    totals = {id(state): _total(state, graph) for state in states}
    ranked = sorted(states, key=lambda state: -totals[id(state)])
    best = ranked[0]
    rivals = [
        _settle(usable, state)
        for state in ranked[1:]
        if totals[id(best)] - totals[id(state)] < _TIE and _differs(best, state, graph)
    ]
    return Resolution(_settle(usable, best), tuple(rivals))


def _settle(mentions: Sequence[Mention], state: _State) -> tuple[Mention, ...]:
    return tuple(
        with_candidate_first(mention, choice)
        for mention, choice in zip(mentions, state.choices, strict=True)
    )


def _possible(mention: Mention, catalogue: Catalogue) -> Mention:
    has_dates = any(c.role is ColumnRole.TIMESTAMP for t in catalogue.tables for c in t.columns)
    kept = tuple(c for c in mention.candidates if c.kind != "grain" or has_dates)
    return Mention(mention.first, mention.last, mention.phrase, mention.stems, kept)


def _choices(state: _State, mention: Mention, mentions: Sequence[Mention]) -> Sequence[Candidate]:
    """A phrase said twice stands for the same thing both times."""
    for earlier, choice in zip(mentions, state.choices, strict=False):
        again = len(mention.stems) == 1 and earlier.stems[1:][-1:] == mention.stems
        if again and choice.kind == "column" and mention.stems[0] in _SHORT_FORMS:
            return [choice]
        same = earlier.stems == mention.stems and _numbers(earlier) == _numbers(mention)
        if same and choice.kind == mention.chosen.kind:
            beside = state.choices[-1].table  # "employee id and manager id": both of employees
            theirs = [c for c in mention.candidates if c.kind == "column" and c.table == beside]
            listed = choice.kind == "column" and choice.table != beside and beside in _before(state)
            return theirs[:1] if theirs and listed and _is_key(choice) else [choice]
    return mention.candidates


def _before(state: _State) -> set[str]:
    """The table of a column that was said just before, if it was one."""
    return {state.choices[-1].table} if state.choices[-1].kind == "column" else set()


def _is_key(choice: Candidate) -> bool:
    return name_words(choice.column)[-1:] == ("id",)


def _numbers(mention: Mention) -> list[str]:
    """The numbers in a name, which have no stems: "meter 100" is not "meter 200"."""
    return re.findall(r"\d+", mention.phrase)


def _extend(
    state: _State,
    candidate: Candidate,
    index: int,
    mentions: Sequence[Mention],
    tokens: Sequence[Token],
    catalogue: Catalogue,
    graph: JoinGraph,
) -> _State:
    score = state.score + candidate.score * (0.7 + 0.3 * len(mentions[index].stems))
    tables = state.tables
    if candidate.table and candidate.table not in tables:
        tables = (*tables, candidate.table)
        if set(name_words(candidate.table)) & set(PREFERRED_OWNERS) and candidate.column:
            score += 0.03
    if index:
        score += _affinity(
            state.choices[-1], candidate, mentions[index - 1], mentions[index], tokens
        )
    score += owner_bonus(candidate, index, mentions, tokens, graph)
    if index and is_unit_of(state.choices[-1], candidate, mentions, index, tokens, catalogue):
        score += _UNIT_OF_DATE
    if candidate.kind == "table" and _is_averaged(mentions[index], tokens):
        score -= _NO_NUMBER
    column = doubt(candidate, mentions[index].stems, catalogue)
    return _State(score + column, (*state.choices, candidate), tables)


def _is_averaged(mention: Mention, tokens: Sequence[Token]) -> bool:
    """Whether an average or a sum is of a number that is called like a table: "mean salary"."""
    said = [t.lower for t in tokens[max(0, mention.first - 1) : mention.first]]
    numbers = [c for c in mention.candidates if c.kind == "column"]
    return said[-1:] in (["average"], ["mean"], ["avg"], ["sum"], ["median"]) and bool(numbers)


def _affinity(
    before: Candidate, after: Candidate, left: Mention, right: Mention, tokens: Sequence[Token]
) -> float:
    """A value next to the name of its column is read as that column's value."""
    kinds = {before.kind, after.kind}
    gap = right.first - left.last
    if kinds == {"column", "value"} and gap <= 4:
        same = (before.table, before.column) == (after.table, after.column)
        return _SAME_COLUMN if same else 0.0
    between = {t.lower for t in tokens[left.last : right.first]}
    if kinds == {"value"} and between and between <= _ALTERNATIVES:
        return _ALIKE if (before.table, before.column) == (after.table, after.column) else 0.0
    if kinds == {"value"} and gap <= _VALUES_APART and before.table == after.table:
        return _SAME_TABLE
    near = gap <= 2 and not between & _NEW_CLAUSE
    if kinds == {"table", "value"} and near and before.table == after.table:
        return OWNER_NEARBY / 2
    return 0.0


def _total(state: _State, graph: JoinGraph) -> float:
    if not state.tables:
        return state.score
    trees = [graph.tree(base, state.tables) for base in state.tables]
    return state.score - min(
        _JOIN_WEIGHT * tree.cost + _UNREACHABLE * len(tree.missing) for tree in trees
    )


def _differs(one: _State, other: _State, graph: JoinGraph) -> bool:
    return any(other_answer(a, b, graph) for a, b in zip(one.choices, other.choices, strict=True))


def other_answer(a: Candidate, b: Candidate, graph: JoinGraph) -> bool:
    """Whether two candidates for one phrase give different answers."""
    if a.reason.startswith(SIMILAR) and b.reason.startswith(SIMILAR):
        return (a.table, a.column) != (b.table, b.column)
    if a.kind not in ("column", "revenue") or b.kind not in ("column", "revenue"):
        return False
    if (a.kind, a.table, a.column) == (b.kind, b.table, b.column):
        return False
    if a.kind == b.kind == "column":
        fields = [Field(table=c.table, column=c.column) for c in (a, b)]
        return not graph.same_values(fields[0], fields[1])
    return True


def describe(candidate: Candidate) -> str:
    """A candidate as people read it."""
    if candidate.kind == "table":
        return f"the rows of {candidate.table}"
    if candidate.kind == "value":
        return f'{candidate.column} = "{candidate.value}" in {candidate.table}'
    if candidate.kind == "grain" and candidate.grain is not None:
        return f"the {candidate.grain.value} of a date"
    return (
        f"{candidate.column} in {candidate.table}" if candidate.column else "price times quantity"
    )
