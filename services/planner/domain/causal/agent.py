"""What an agent is: it asks for tool calls, and makes a patch of what they gave. It does no more.

An agent is pure judgement. Its numbers come from executor tools, so each has its call, its frame
and its proof; equal state and frames give an equal patch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from services.planner.domain.calls import Artifact
from services.planner.domain.causal.graph import CausalPair
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.origin import Origin
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.traces import AgentTrace
from services.planner.domain.plan import Subtask
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.suggestions import Suggestions

Row = dict[str, Any]


@dataclass(frozen=True)
class Seen:
    """What the calls of a job gave so far, by task: rows of small frames, references of all frames,
    files, notes, and why calls failed; and what a language model suggested to the agent whose turn
    it is."""

    tables: Mapping[str, EvidenceTable] = field(default_factory=dict)
    frames: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, tuple[Artifact, ...]] = field(default_factory=dict)
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    advice: Suggestions | None = None

    def rows(self, task_id: str) -> list[Row]:
        """The rows that a call gave; none where it failed or was not made."""
        table = self.tables.get(task_id)
        return table.rows.to_pylist() if table is not None else []

    def ended(self, task_id: str) -> bool:
        """Whether a call was made and is over, well or not."""
        return task_id in self.frames or task_id in self.failed or task_id in self.files

    def tasks(self, prefix: str) -> Iterator[str]:
        """The tasks with a frame whose names begin so, in order."""
        return (name for name in sorted(self.tables) if name.startswith(prefix))


@dataclass(frozen=True)
class Brief:
    """What a job was asked beside its state: where the data come from and what its user knows.

    `relation` is the SELECT that gives the data; `rows` how many of them are taken at most;
    `seconds` what is left of the job's time. `modifiers` are columns by which the effect is to be
    told, group by group; `origin` is the finding that is asked about. Of a treatment with several
    values `treated` is the one that is judged, `reference` what it is held against; `pairs` are
    estimated beside.
    """

    relation: str
    knowledge: Knowledge = field(default_factory=Knowledge)
    rows: int = 100_000
    seed: int = 0
    seconds: float = 600.0
    metadata: Mapping[str, Any] | None = None
    modifiers: tuple[str, ...] = ()
    origin: Origin | None = None
    treated: str = ""
    reference: str = ""
    pairs: tuple[CausalPair, ...] = ()


def file_name(artifact: Artifact) -> str:
    """The artifact's own name, without folders."""
    return artifact.content_ref.replace("\\", "/").rpartition("/")[2]


class Agent(Protocol):
    """One of the thirteen; its contract stands in `contracts` under its name."""

    name: str
    status: JobStatus

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """What it wants to know next; nothing once it has seen enough. Calls that ended are not
        asked for again."""
        ...

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """The fields that it changes, as JSON, and why, in words."""
        ...


def trace_of(agent: str, action: str, reasoning: str, now: datetime, **more: Any) -> AgentTrace:
    """A trace of an agent's action."""
    return AgentTrace(agent_name=agent, timestamp=now, action=action, reasoning=reasoning, **more)
