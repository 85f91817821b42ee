"""The likeliest ways to give mentions their roles, and to choose among proposed conditions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.pieces import AGGREGATES, Proposal, Role
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.grammar import aggregation
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_WIDTH, _MOST_MENTIONS, _LEAST, _COOLED = 32, 22, 0.008, 0.8
_REACH = 7
_MOST_CONDITIONS, _SETS, _PROPOSALS, _LEAST_CONDITION = 3, 8, 14, 0.03
_KEPT_OF_A_WORD, _KEPT_ODDS = 2, 0.02
_TIMES, _TIME_ODDS = ("month", "time"), 0.7  # what may be nothing but a time is one
_PAIRS, _FEW, _SCALE = 4, 20, "scale"
_ENDS_OF_CHANGE = (Operator.EQUAL, Operator.BETWEEN, Operator.IN)
_SPLITS = frozenset((Role.SHOWN, Role.GROUPED, Role.SPLIT))
_SEVERAL = (Role.AVERAGE, Role.SUM, Role.MINIMUM, Role.MAXIMUM)
_RULES = {
    Role.AVERAGE: "average",
    Role.SUM: "total",
    Role.MINIMUM: "minimum",
    Role.MAXIMUM: "maximum",
}
Odds = Mapping[Role, float]


@dataclass(frozen=True, slots=True)
class Roles:
    """Mentions with the roles they play, in the order of the question; `score` is a log-odds."""

    score: float
    played: tuple[tuple[Mention, Role], ...] = ()


@dataclass(frozen=True, slots=True)
class Conditions:
    """Proposals taken together; `score` is a log-odds."""

    score: float
    taken: tuple[Proposal, ...] = ()


def assign_roles(scene: Scene, odds: Sequence[Odds]) -> list[Roles]:
    """The best assignments, the likeliest first; nothing at all is always one of them."""
    order = sorted(range(len(odds)), key=lambda k: -(1 - _unused(odds[k])))[:_MOST_MENTIONS]
    order.sort(key=lambda k: (scene.mentions[k].first, scene.mentions[k].last))
    states = [Roles(0.0)]
    for k in order:
        mention = scene.mentions[k]
        unused = _unused(odds[k])
        options = [
            (role, _COOLED * math.log((p + 1e-4) / (unused + 1e-3)))
            for role, p in odds[k].items()
            if role not in (Role.UNUSED, Role.FILTERED) and p > _LEAST
        ]
        if not options:
            continue
        grown = list(states)
        for state in states:
            grown += [
                Roles(state.score + gain, (*state.played, (mention, role)))
                for role, gain in options
                if _fits(state, mention, role)
            ]
        grown.sort(key=lambda s: -s.score)
        states = grown[:_WIDTH]
        if all(state.played for state in states):
            states.append(Roles(0.0))
    return states + _several(scene, states[: _WIDTH // 2])


def _unused(odds: Odds) -> float:
    return odds.get(Role.UNUSED, 0.0) + odds.get(Role.FILTERED, 0.0)


def _fits(state: Roles, mention: Mention, role: Role) -> bool:
    for other, played in state.played:
        overlaps = not (other.last < mention.first or other.first > mention.last)
        if overlaps and Tie.IMPLIED not in (other.tie, mention.tie):
            return False
        same = other.place is mention.place
        if same and (played is role or {played, role} <= _SPLITS):
            return False
    return True


def _several(scene: Scene, states: Sequence[Roles]) -> list[Roles]:
    """Where several aggregates are said of one column, all of them: "average and highest age"."""
    found: list[Roles] = []
    for state in states:
        for mention, role in state.played:
            if role not in (*AGGREGATES, *_SPLITS) or not mention.place.number:
                continue
            roles = _list_roles_before(scene, mention)
            if len(roles) < 2:
                continue
            played: list[tuple[Mention, Role]] = []
            for one, as_ in state.played:
                played += [(one, as_)] if one is not mention else [(mention, r) for r in roles]
            found.append(Roles(state.score - 0.2, tuple(played)))
            break
    return found


def _list_roles_before(scene: Scene, mention: Mention) -> list[Role]:
    """The roles whose aggregates stand shortly before a mention, in the order of the words."""
    text = scene.between(mention.first - _REACH, mention.last + 1)
    places: list[tuple[int, Role]] = []
    for role in _SEVERAL:
        rule = next(r for r in aggregation.RULES if r.name == _RULES[role])
        match = rule.compiled.search(text)
        if match is not None:
            places.append((match.start(), role))
    return [role for _, role in sorted(places, key=lambda p: p[0])]


def choose_conditions(proposals: Sequence[Proposal], odds: Sequence[float]) -> list[Conditions]:
    """The best sets of conditions that take no word twice, the likeliest first."""
    odds = _none_lost(proposals, odds)
    likely = [k for k in range(len(proposals)) if odds[k] > _LEAST_CONDITION]
    likely.sort(key=lambda k: -odds[k])
    likely = sorted(likely[:_PROPOSALS], key=lambda k: proposals[k].first)
    states = [Conditions(0.0)]
    for k in likely:
        one, gain = proposals[k], math.log((odds[k] + 1e-3) / (1 - odds[k] + 1e-3))
        grown = list(states)
        grown += [
            Conditions(state.score + gain, (*state.taken, one))
            for state in states
            if len(state.taken) < _MOST_CONDITIONS and not any(_clash(one, t) for t in state.taken)
        ]
        grown.sort(key=lambda s: -s.score)
        states = grown[: 2 * _SETS]
    return states[:_SETS]


def paired_conditions(
    proposals: Sequence[Proposal], odds: Sequence[float], chosen: Sequence[Conditions]
) -> list[Conditions]:
    """Two values of one column, for a change from the one to the other, with what else is likely.

    "From 1980 to 2020" is then no span of years but its two ends.
    """
    plain = [p for p in proposals if p.operator in _ENDS_OF_CHANGE and _tells_apart(p.place)]
    value = {id(p): o for p, o in zip(proposals, odds, strict=True)}
    found: list[Conditions] = []
    for one, other in combinations(plain, 2):
        same = one.place is other.place and one.operator is other.operator
        if not same or _clash(one, other) or one.values == other.values:
            continue
        score = math.log(value[id(one)] + value[id(other)] + 1e-3) - 1
        for more in chosen[:2]:
            rest = tuple(
                c
                for c in more.taken
                if not _clash(c, one) and not _clash(c, other) and c.place is not one.place
            )
            found.append(Conditions(score, tuple(sorted((*rest, one, other), key=_first))))
    found.sort(key=lambda c: -c.score)
    return found[:_PAIRS]


def _tells_apart(place: Place | None) -> bool:
    """Whether rows are told apart by it: times, texts, few numbers and parts of days."""
    if place is None:
        return False
    few = place.column.distinct <= _FEW or place.kind is Kind.DATE_PART
    return place.time or place.text or few


def _first(one: Proposal) -> int:
    return one.first


def _none_lost(proposals: Sequence[Proposal], odds: Sequence[float]) -> list[float]:
    """The odds, raised so that each word that states a condition keeps the best of its own.

    A number or a value that is used by nothing makes a reading worthless, however unlike each of
    the conditions looks that it may state.
    """
    raised = list(odds)
    by_word: dict[int, list[int]] = {}
    for k, one in enumerate(proposals):
        by_word.setdefault(one.first, []).append(k)
    for ks in by_word.values():
        best = sorted(ks, key=lambda k: (-odds[k], k))[:_KEPT_OF_A_WORD]
        for k in [*best, *(k for k in ks if proposals[k].source == _SCALE)]:
            raised[k] = max(odds[k], _LEAST_CONDITION + _KEPT_ODDS)
        if all(proposals[k].source in _TIMES for k in ks):
            raised[best[0]] = max(raised[best[0]], _TIME_ODDS)
    return raised


def _clash(one: Proposal, other: Proposal) -> bool:
    overlaps = not (other.last < one.first or other.first > one.last)
    same = one.place is not None and one.place is other.place
    return overlaps or (same and one.operator is other.operator and one.values == other.values)
