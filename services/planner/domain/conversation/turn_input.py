"""What is asked of a turn, and what is told of it first."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.domain.conversation.turn import TurnKind
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.routing.candidate import Candidate


@dataclass(frozen=True, slots=True)
class Turn:
    """A message with its place. `request` holds it as the question of an analysis, with its terms.

    `after` is the last event of its job that was seen already; `candidates` are the domains that a
    question of its own is put to, none where its terms name sources. `taken_back` are the numbers
    of messages before it that do not count any more; the conversation goes on from the job
    `continues`, if it is set, as if that were its first.
    """

    request: AnalysisRequest
    conversation_id: str
    number: int
    session_id: str = ""
    after: int = 0
    candidates: tuple[Candidate, ...] = ()
    taken_back: frozenset[int] = frozenset()
    continues: str = ""

    @property
    def words(self) -> str:
        """What was said."""
        return self.request.intent

    def counts(self, conversation_id: str, number: int) -> bool:
        """Whether a message counts as said: it was not taken back, or is of another
        conversation."""
        return conversation_id != self.conversation_id or number not in self.taken_back


@dataclass(frozen=True, slots=True)
class Reading:
    """How a turn was read: which job answers it, and which it follows; none where it is refused."""

    kind: TurnKind
    reason: str
    job_id: str = ""
    follows_job_id: str = ""
