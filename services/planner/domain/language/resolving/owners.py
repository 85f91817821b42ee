"""Whose column is meant, by the things that are named near it."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.language.linking.mention import Candidate, Mention
from services.planner.domain.language.normalising.cues import AGGREGATE_WORDS, NEGATIONS
from services.planner.domain.lexicon.normalise import Token
from services.planner.domain.lexicon.vocabulary import LINKING_WORDS
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.query.joining.keys import spoken_words

OWNER_NEARBY = 0.22
_EACH_BONUS = 0.3
_ROLE_REACH, _ROLE_SAID = 2, 0.3
_DENIED_REACH = 4
_HAVING = frozenset(["with", "whose", "having"])
_OF_ALL = frozenset("of for all the each every different".split())
_LISTING = frozenset(["and", ",", "the", "their", *AGGREGATE_WORDS]) - frozenset(["least"])


def owner_bonus(
    candidate: Candidate,
    index: int,
    mentions: Sequence[Mention],
    tokens: Sequence[Token],
    graph: JoinGraph,
) -> float:
    """A column just before "of T", or just after T's name, belongs to T."""
    if candidate.kind == "value":
        first = mentions[index].first
        near = tokens[max(0, first - _ROLE_REACH) : first]
        said = {t.stem for t in near if t.lower.endswith("ed")}  # "shipped to USA"
        return _ROLE_SAID if said & set(spoken_words(candidate.column)) else 0.0
    if candidate.kind != "column":
        return 0.0
    here = mentions[index]
    if here.stems in (("id",), ("name",)):
        bare = _bare_owner_bonus(candidate, index, mentions, tokens)
        if bare:
            return bare
    for other in mentions[index + 1 : index + 3]:
        between = [t.lower for t in tokens[here.last : other.first]]
        if len(between) <= 4 and between[:1] in (["of"], ["for"]) and _is_table(other, candidate):
            return OWNER_NEARBY
    if index:
        previous = mentions[index - 1]
        between = [t.lower for t in tokens[previous.last : here.first]]
        close = all(word in LINKING_WORDS | _HAVING for word in between) and len(between) <= 1
        if close and _is_table(previous, candidate):
            return OWNER_NEARBY
        owners = [c.table for c in previous.candidates if c.kind == "table"]
        if close and any(graph.is_a(owner, candidate.table) for owner in owners):
            return OWNER_NEARBY / 2
    return 0.0


def _bare_owner_bonus(
    candidate: Candidate, index: int, mentions: Sequence[Mention], tokens: Sequence[Token]
) -> float:
    """An "id" or "name" without an owner belongs to the thing that is told apart: "each maker"."""
    for other in mentions:
        before = [t.lower for t in tokens[max(0, other.first - 2) : other.first]]
        if {"each", "every", "per"} & set(before) and _is_table(other, candidate):
            return _EACH_BONUS
    here = mentions[index]
    if here.stems == ("name",) and _listed_for(index, candidate, mentions, tokens):
        return _EACH_BONUS
    if [t.lower for t in tokens[here.first - 1 : here.first]] in (["whose"], ["its"], ["their"]):
        earlier = [m for m in mentions[:index] if m.chosen.kind == "table"]
        held = [m for m in earlier if not _is_denied(m, tokens)]
        earlier = held or earlier  # "singers that have no song, and their names"
        if earlier and _is_table(earlier[-1], candidate):
            return _EACH_BONUS
    return 0.0


def _is_denied(mention: Mention, tokens: Sequence[Token]) -> bool:
    """Whether there are none of the things: "do not have any song"."""
    near = tokens[max(0, mention.first - _DENIED_REACH) : mention.first]
    return any(token.lower in NEGATIONS for token in near)


def _listed_for(index: int, candidate: Candidate, mentions: Sequence[Mention],
                tokens: Sequence[Token]) -> bool:  # fmt: skip
    """Whether a list of what is wanted "of T" begins here: "names and average salaries of T"."""
    place = mentions[index].last
    for other in mentions[index + 1 : index + 4]:
        between = [t.lower for t in tokens[place : other.first]]
        if {"of", "for"} & set(between):
            return set(between) <= _OF_ALL and _is_table(other, candidate)
        if not set(between) <= _LISTING:
            return False
        place = other.last
    return False


def _is_table(mention: Mention, candidate: Candidate) -> bool:
    return any(c.kind == "table" and c.table == candidate.table for c in mention.candidates)
