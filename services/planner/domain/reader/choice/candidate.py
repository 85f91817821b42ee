"""A question with the odds of its parts, and one reading of it among others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from services.planner.domain.evidence import Outcome
from services.planner.domain.language.intent import Intent
from services.planner.domain.language.planning.sql import Query
from services.planner.domain.reader.chart.beam import Odds
from services.planner.domain.reader.chart.pieces import Proposal, Role
from services.planner.domain.reader.chart.said import Said
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketches import Draft
from services.planner.domain.reader.choice.local_features import Cues
from services.planner.domain.reader.choice.shape import NO, YES


@dataclass(frozen=True, eq=False)
class Weighed:
    """A question with the odds of its parts: what features of every candidate share."""

    said: Said
    proposals: Sequence[Proposal]
    role_odds: Sequence[Odds]
    condition_odds: Sequence[float]
    cues: Cues

    @property
    def scene(self) -> Scene:
        """The question's words and links."""
        return self.said.scene

    @cached_property
    def odds_of(self) -> dict[int, float]:
        """The odds of each proposal by identity."""
        return {id(p): o for p, o in zip(self.proposals, self.condition_odds, strict=True)}

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
        shape = self.said.shape
        return {
            "p distinct": shape.of("distinct", YES), "p group": shape.of("group", YES),
            "p count": shape.of("count", YES), "p having": shape.of("having", YES),
            "p limit": 1 - shape.of("limit", NO), "p set": 1 - shape.of("set", NO),
            "chart": float(self.scene.charted),
        }  # fmt: skip


@dataclass(eq=False)
class Candidate:
    """One reading: its sketch or whence it came, its intent, what its query showed.

    `votes` counts the candidates with this answer; `agreed` if the former reader's is one of them.
    """

    intent: Intent
    draft: Draft | None
    source: str
    score: float
    features: dict[str, float] = field(default_factory=dict[str, float])
    outcome: Outcome | None = None
    votes: int = 1
    agreed: bool = False
    query: Query | None = None
