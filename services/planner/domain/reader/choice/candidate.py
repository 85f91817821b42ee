"""A question with the odds of its parts, and one reading of it among others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from services.planner.domain.evidence import Outcome
from services.planner.domain.query.intent import Intent
from services.planner.domain.query.planning.sql import Query
from services.planner.domain.reader.chart.beam import Odds
from services.planner.domain.reader.chart.pieces import Proposal, Role
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketches import Draft
from services.planner.domain.reader.choice.local_features import Cues
from services.planner.domain.reader.choice.shape import NO, YES
from services.planner.domain.reader.choice.shaping import ShapeScores
from services.planner.domain.reader.links.mentions import Mention, Tie


class Naming:
    """How well each column is named by its best mention (`fit`), from which token on it is spoken
    of (`first`), and which columns, with how well, are named around each token (`at`)."""

    def __init__(self, mentions: Sequence[Mention]) -> None:
        self.fit: dict[int, float] = {}
        self.first: dict[int, int] = {}
        self.at: dict[int, list[tuple[int, float]]] = {}
        for one in mentions:
            index, fit = one.place.index, one.coverage + 0.2 * one.quality
            self.fit[index] = max(self.fit.get(index, 0.0), fit)
            self.first[index] = min(self.first.get(index, one.first), one.first)
            if one.tie is Tie.NAME:
                for token in range(one.first, one.last + 1):
                    self.at.setdefault(token, []).append((index, fit))


@dataclass(frozen=True, eq=False)
class Weighed:
    """A question with the odds of its parts: what features of every candidate share."""

    requirements: Requirements
    proposals: Sequence[Proposal]
    role_odds: Sequence[Odds]
    condition_odds: Sequence[float]
    cues: Cues

    @cached_property
    def known(self) -> dict[object, dict[str, float]]:
        """Features that many candidates share, by what they hang on; nobody may change them."""
        return {}

    @property
    def scene(self) -> Scene:
        """The question's words and links."""
        return self.requirements.scene

    @cached_property
    def odds_of(self) -> dict[int, float]:
        """The odds of each proposal by identity."""
        return {id(p): o for p, o in zip(self.proposals, self.condition_odds, strict=True)}

    @cached_property
    def shapes(self) -> ShapeScores:
        """What each shape is worth by the wording."""
        shape = self.requirements.shape
        return ShapeScores(
            shape.unordered_log_probabilities if self.scene.charted else shape.log_probabilities
        )

    @cached_property
    def naming(self) -> Naming:
        """How well columns are named, and where."""
        return Naming(self.scene.mentions)

    @cached_property
    def role_columns(self) -> dict[Role, dict[int, float]]:
        """The best odds of each column, by role."""
        found: dict[Role, dict[int, float]] = {}
        for (index, role), odds in self.best_role.items():
            found.setdefault(role, {})[index] = odds
        return found

    @cached_property
    def best_role(self) -> dict[tuple[int, Role], float]:
        """The best odds of each role for each column."""
        found: dict[tuple[int, Role], float] = {}
        for mention, odds in zip(self.scene.mentions, self.role_odds, strict=True):
            for role, p in odds.items():
                key = (mention.place.index, role)
                found[key] = max(found.get(key, 0.0), p)
        return found

    @cached_property
    def shared(self) -> dict[str, float]:
        """What is the same for all candidates, to be crossed with what differs."""
        shape = self.requirements.shape
        return {
            "p distinct": shape.of("distinct", YES),
            "p group": shape.of("group", YES),
            "p count": shape.of("count", YES),
            "p having": shape.of("having", YES),
            "p limit": 1 - shape.of("limit", NO),
            "p set": 1 - shape.of("set", NO),
            "chart": float(self.scene.charted),
        }


@dataclass(eq=False)
class Candidate:
    """One reading: its sketch, its intent, what its query showed.

    `votes` counts the candidates with this answer.
    `hurried` tells that others, as likely at first sight, could not be tried in time.
    """

    intent: Intent
    draft: Draft
    score: float
    features: dict[str, float] = field(default_factory=dict[str, float])
    outcome: Outcome | None = None
    votes: int = 1
    query: Query | None = None
    hurried: bool = False
