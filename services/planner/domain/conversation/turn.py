"""A turn: what a message is, and what stands before it in its conversation."""

from __future__ import annotations

from enum import StrEnum

from mesh.errors import NOTHING_TO_FOLLOW
from services.planner.domain.catalogue import Frozen
from services.planner.domain.routing.decision import DomainRoutingDecision


class TurnKind(StrEnum):
    """What a message is."""

    FRESH = "fresh"
    FOLLOW_UP = "follow_up"
    CORRECTION = "correction"
    CHOICE = "choice"
    WHY = "why"
    CAUSE = "cause"
    ABOUT = "about"


class Standing(Frozen):
    """What stands before a message.

    `options` are the readings that the job before asks to choose from, where it waits;
    `has_reading` says that an earlier question was read, so that words can change it;
    `fresh_reading` that it was a question of its own, which a correction is learnt with, and
    `in_sight` in one line what it was read as.
    """

    options: tuple[str, ...] = ()
    has_reading: bool = False
    fresh_reading: bool = False
    in_sight: str = ""


class Otherwise(StrEnum):
    """When words that look like a question of their own are a follow-up after all: where all of
    them change the question before, and as a question of their own they are so read."""

    NEVER = ""
    REFUSED = "refused"
    DOUBTFUL = "doubtful"


class Judgement(Frozen):
    """What a message is taken for, and why.

    `option` is the place, from 0, of the reading that it chooses. A `tentative` follow-up is one
    only if all its words change something; else it is a question of its own, which is a follow-up
    `otherwise`. With `refused` it is
    none of these: it says why, for people, by the `rule` of mesh.errors; `routing` is what was
    decided where no domain is about it.
    """

    kind: TurnKind
    reason: str
    option: int | None = None
    tentative: bool = False
    otherwise: Otherwise = Otherwise.NEVER
    refused: str = ""
    rule: str = NOTHING_TO_FOLLOW.code
    routing: DomainRoutingDecision | None = None
