"""Readings that were proposed from elsewhere, weighed against the rules' own.

The ranker never saw such candidates, and how good a proposer is nobody has measured: what one says
counts by rule (docs/decisions/0034-a-model-proposes-readings.md). It may bear out the rules'
reading, or take its place where it accounts for more of the question; by its own word alone
nothing is told as sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeGuard

from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.evidence import Evidence, Outcome, ProbeState
from services.planner.domain.language.intent import (
    Clarification,
    Field,
    Intent,
    Link,
    NotUnderstood,
    Understood,
)
from services.planner.domain.language.planning.sql import render
from services.planner.domain.language.planning.summary import summarise
from services.planner.domain.reader import read
from services.planner.domain.reader.accounting import Account, account_of
from services.planner.domain.reader.asked_of_data import probed
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.choice import thresholds
from services.planner.domain.reader.choice.candidate import Candidate
from services.planner.domain.reader.choice.model import learnt
from services.planner.domain.reader.finish import finished
from services.planner.domain.reader.former import former_candidate
from services.planner.domain.reader.understand import choose

PROPOSED = "proposed"
ALONE, DOUBTFUL = 0.6, 0.4
"""How sure a reading is by its proposer's word alone: likely at most, else doubtful."""
_HARDLY_SURE = 0.7  # likely, however many agree, while words of the question are left over
_LIKELY_AT_MOST = thresholds.SURE - 0.01
_MOST_UNREAD = 0.5
_TOLD_WORDS = 5

Found = Understood | Clarification | NotUnderstood


@dataclass(frozen=True)
class Proposed:
    """A reading that `by` proposes, such as `openai:gpt-5`; `words` say which phrases of the
    question it takes for which columns."""

    intent: Intent
    by: str
    words: tuple[tuple[str, Field], ...] = ()


@dataclass(frozen=True)
class Weighing:
    """What comes of the question; `by` names the proposer where its reading is taken, `caveats`
    say what should be known of how."""

    outcome: Found
    by: str = ""
    caveats: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Asked:
    """A question with what it is about, and the reading that is proposed for it."""

    scene: Scene
    catalogue: Catalogue
    proposed: Proposed
    candidate: Candidate

    @property
    def intent(self) -> Intent:
        return self.candidate.intent

    @property
    def summary(self) -> str:
        return summarise(self.intent, self.catalogue)

    def account(self) -> Account:
        """What it accounts for by its proposer's word, too."""
        return account_of(self.intent, self.scene, self.proposed.words)

    @property
    def unusable(self) -> str:
        """Why it may not be answered at all; empty where it may."""
        told, account = self.candidate.outcome, self.account()
        if told is not None and told.state is ProbeState.FAILED:
            return "it cannot be run"
        if _finds_nothing(told):
            return "it finds nothing"
        if not account.words or len(account.unread) > _MOST_UNREAD * account.words:
            return f"it makes no use of {_quoted(account.unread)}"
        return ""

    @property
    def alone(self) -> float:
        """How sure it is by its proposer's word."""
        bare = account_of(self.intent, self.scene)
        borne_out = len(bare.unread) <= _MOST_UNREAD * bare.words
        ran = self.candidate.outcome is not None and self.candidate.outcome.state is ProbeState.OK
        return ALONE if ran and borne_out and not self.account().lacking else DOUBTFUL

    def understood(self, confidence: float, *, measured: bool = False) -> Understood:
        """It as the answerable reading, with what was taken for what."""
        bare = account_of(self.intent, self.scene)
        by_word = [(p, f) for p, f in self.proposed.words if set(p.split()) & set(bare.unread)]
        notes = [f'"{phrase}" is taken for {field.column}' for phrase, field in by_word]
        unread = self.account().unread
        notes += [f"not used: {_quoted(unread)}"] if unread else []
        links = tuple(
            Link(phrase=phrase, target=f"{field.column} of {field.table}", score=confidence,
                 reason=f"by {self.proposed.by}")
            for phrase, field in self.proposed.words
        )  # fmt: skip
        return Understood(
            intent=self.intent, summary=self.summary, confidence=confidence, measured=measured,
            links=links, assumptions=tuple(dict.fromkeys(notes)),
        )  # fmt: skip


def model_candidate(proposed: Proposed, scene: Scene, catalogue: Catalogue) -> Candidate:
    """The reading as a candidate like any other, ready to be answered."""
    intent = finished(proposed.intent, scene, catalogue)
    candidate = Candidate(intent, None, PROPOSED, 0.0)
    candidate.query = render(intent, catalogue)
    return candidate


async def weighed(
    found: Found,
    proposed: Proposed,
    question: str,
    catalogue: Catalogue,
    lookup: ValueLookup,
    evidence: Evidence,
    *,
    today: date,
) -> Weighing:
    """What comes of a question that the rules read as `found`, and somebody else otherwise."""
    scene = await read.scene_of(question, catalogue, lookup, today=today)
    asked = _Asked(scene, catalogue, proposed, model_candidate(proposed, scene, catalogue))
    rules, confidence = former_candidate(found, catalogue) if _settled(found) else None, 0.0
    if isinstance(found, NotUnderstood):
        choice = await choose(question, catalogue, lookup, evidence, found, learnt(), today=today)
        if choice is not None:
            rules, confidence = choice.ranked[0], choice.confidence
    same = await _probed(asked.candidate, rules, evidence)
    if isinstance(found, Clarification):
        return _chosen(found, asked)
    if isinstance(found, NotUnderstood):
        return _instead(found, asked, confidence if same else 0.0)
    return _agreed(found, asked) if same else _disputed(found, asked)


async def _probed(theirs: Candidate, rules: Candidate | None, evidence: Evidence) -> bool:
    """Ask the data what the proposed reading gives; whether the rules' gives the same."""
    both = [theirs] if rules is None else [theirs, rules]
    outcomes = await evidence([probed(one) for one in both])
    theirs.outcome = outcomes[0]
    if rules is None:
        return False
    if any(told.state is not ProbeState.OK for told in outcomes):
        return theirs.query == rules.query
    digests = {(told.rows, told.multiset_digest, len(told.columns)) for told in outcomes}
    return len(digests) == 1


def _agreed(found: Understood, asked: _Asked) -> Weighing:
    """Two readers, one answer: the doubt is halved, unless both leave words out.

    How often a model agrees by chance was not measured: agreement alone makes nothing sure.
    """
    ours = account_of(found.intent, asked.scene, _claimed(found))
    left = set(ours.unread) & set(asked.account().unread)
    raised = max(found.confidence, min(_halved(found.confidence), _LIKELY_AT_MOST))
    raised = max(found.confidence, min(raised, _HARDLY_SURE)) if left else raised
    return Weighing(found.model_copy(update={"confidence": raised}))


def _disputed(found: Understood, asked: _Asked) -> Weighing:
    """Two readings that differ: the proposed one stands where it runs and leaves out no word that
    the rules use; the other one is told (docs/decisions/0083-results-decide-between-readers.md)."""
    ours = account_of(found.intent, asked.scene, _claimed(found))
    lost = [word for word in asked.account().unread if word not in ours.unread]
    if fault := asked.unusable or (f"it makes no use of {_quoted(lost)}" if lost else ""):
        told = f"The language model read it as {asked.summary}; {fault}."
        return Weighing(found, caveats=(told,))
    caveat = f"The built-in rules read the question otherwise: {found.summary}."
    return Weighing(asked.understood(asked.alone), asked.proposed.by, (caveat,))


def _instead(found: NotUnderstood, asked: _Asked, confidence: float) -> Weighing:
    """The rules would not answer: the proposed reading may be, with its doubts. `confidence` is
    that of the rules' best reading where it gives the same answer."""
    by = asked.proposed.by
    if asked.unusable:
        said = f"The language model read it as {asked.summary}; {asked.unusable}."
        message = f"{found.message.rstrip('.')}. {said}"
        return Weighing(found.model_copy(update={"message": message}))
    raised = _halved(confidence) if confidence else 0.0
    if asked.account().unread:
        raised = min(raised, _HARDLY_SURE)
    measured = raised >= thresholds.ANSWERED
    return Weighing(asked.understood(max(asked.alone, raised), measured=measured), by)


def _chosen(found: Clarification, asked: _Asked) -> Weighing:
    """The rules would ask: what accounts for every word is answered, and the others are told."""
    if asked.unusable or asked.alone < ALONE:
        return Weighing(found)
    caveat = f"Other readings were possible: {found.question} {'; '.join(found.options)}"
    return Weighing(asked.understood(ALONE), asked.proposed.by, (caveat,))


def _settled(found: Found) -> TypeGuard[Understood]:
    return isinstance(found, Understood)


def _claimed(found: Understood) -> Sequence[tuple[str, None]]:
    """The words that the rules used, in ways of their own, too."""
    return [(link.phrase, None) for link in found.links]


def _halved(confidence: float) -> float:
    return 1 - (1 - confidence) / 2


def _finds_nothing(told: Outcome | None) -> bool:
    """No row, or one that is empty."""
    if told is None or told.state is not ProbeState.OK:
        return False
    empty = all(column.empty_share == 1 for column in told.columns)
    return told.rows == 0 or (told.rows == 1 and empty)


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f'"{word}"' for word in words[:_TOLD_WORDS])
