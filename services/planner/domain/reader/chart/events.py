"""Conditions of what was done and what was not: days and cells that are there, or missing."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.placing import placed
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.grammar import negation
from services.planner.domain.reader.grammar.negation import Negation
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.schema import Place

_UN, _WHOLE_NAME = "un", 0.8
ENDINGS = frozenset(
    stem(word)
    for word in (
        "end leave left leaving exit close closed resolve return finish termination until"
    ).split()
)
"""Words of columns that tell when something ended."""
_PARTICIPLES = frozenset("paid sent sold left built born won lost made met".split())
_OF_DATES = frozenset(map(stem, ("date", "time", "day", "at", "on")))
_CLAUSE = 5
_CLAUSES = frozenset("and but or who which that where yet".split())
_DENYING = frozenset(
    "not no never neither nor without non cannot lack lacks lacking didnt dont havent hasnt".split()
)


def propose_events(scene: Scene) -> Iterator[Proposal]:
    """Whatever a word says is missing, over, or done."""
    yield from _missing(scene)
    yield from _undone(scene)
    yield from _done(scene)


def denies(scene: Scene, at: int) -> bool:
    """Whether a word of the clause before a token says no: "neither a car nor a bike"."""
    for token in reversed(scene.tokens[max(0, at - _CLAUSE) : at]):
        if token.lower in _CLAUSES or token.mark:
            return False
        if token.lower in _DENYING or token.lower.endswith("n't"):
            return True
    return False


def _missing(scene: Scene) -> Iterator[Proposal]:
    for cue in scene.words.find(negation.RULES):
        if cue.means is Negation.VALUE:
            continue
        if cue.means in (Negation.LASTING, Negation.ENDED):
            yield from _endings(scene, cue)
            continue
        operator = Operator.NOT_NULL if cue.means is Negation.PRESENT else Operator.IS_NULL
        loose = cue.means is Negation.RELATED
        source, quality = ("lacking", 0.4) if loose else ("missing", 0.6)
        for place in scene.schema.places:
            distance, coverage = scene.nearest(place, cue.last)
            near = distance <= (4 if loose else 8) and coverage > (0.6 if loose else 0.3)
            if near and place.column.nulls:
                one = Proposal(place, operator, (), cue.first, cue.last, source, quality)
                yield placed(scene, one)


def _undone(scene: Scene) -> Iterator[Proposal]:
    """What is "unsold" has no day on which it was sold."""
    for token in scene.tokens:
        done = stem(token.lower[len(_UN) :]) if token.lower.startswith(_UN) else ""
        for place in scene.schema.places if done else ():
            if place.time and place.column.nulls and done in {stem(w) for w in place.words}:
                at = token.index
                one = Proposal(place, Operator.IS_NULL, (), at, at, str(Negation.LASTING), 0.9)
                yield placed(scene, one)


def _done(scene: Scene) -> Iterator[Proposal]:
    """What "was sold" has a day on which it was."""
    for m in scene.mentions:
        word = scene.tokens[m.first].lower
        of_entities = all(scene.tabled[at] for at in range(m.first + 1, m.last + 1))
        is_mentioned = (
            of_entities
            and m.tie is Tie.NAME
            and (m.coverage >= _WHOLE_NAME or _is_own_word(m.place, stem(word)))
        )
        if (
            not is_mentioned
            or not m.place.time
            or not m.place.column.nulls
            or denies(scene, m.first)
        ):
            continue
        if word.endswith("ed") or word in _PARTICIPLES:
            one = Proposal(m.place, Operator.NOT_NULL, (), m.first, m.first, "ended", 0.8)
            yield placed(scene, one)


def _is_own_word(place: Place, word: str) -> bool:
    """Whether a word is all that a date is called by beside its table: settled of the date on
    which a claim was settled."""
    table = {stem(one) for one in words_of(place.table.name)}
    return {stem(one) for one in place.words} - table - _OF_DATES == {word}


def _endings(scene: Scene, cue: Cue[Negation]) -> Iterator[Proposal]:
    """What lasts has no day on which it ended: who is still employed has no leaving date."""
    lasting = cue.means is Negation.LASTING
    operator = Operator.IS_NULL if lasting else Operator.NOT_NULL
    for place in scene.schema.places:
        if place.time and place.column.nulls and ENDINGS & {stem(word) for word in place.words}:
            yield placed(
                scene, Proposal(place, operator, (), cue.first, cue.last, str(cue.means), 0.6)
            )
