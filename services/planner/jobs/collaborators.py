"""Everything that the use cases of a job work with, as one value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mesh.clock import Clock
from services.planner.domain.catalogue import MeaningLookup
from services.planner.domain.evidence import USUAL_LIMITS, ProbeLimits
from services.planner.domain.jobs.ended import Ended
from services.planner.domain.jobs.job import Job
from services.planner.domain.readings import Readings
from services.planner.domain.request import Constraints
from services.planner.domain.thinking import Thinking
from services.planner.ports import Audit, Memory, Reasoner, Tools
from services.planner.store_ports import JobStore, JobWriter

AtEnd = Callable[[JobStore, Job, Ended], Awaitable[list[tuple[str, dict[str, Any]]]]]
"""What watchers of a kind of work are told of its end, beside what they are of any."""


@dataclass(frozen=True)
class Collaborators:
    """Everything an analysis works with; without `meanings`, words are known by spelling alone.

    `thinking` is how far models are that are being asked, None where there is none, and `readings`
    how far files are that are being read.
    `usual_seconds` is how long a question may take that says nothing of it.
    """

    jobs: JobStore
    tools: Tools
    memory: Memory
    audit: Audit
    reasoner: Reasoner
    parallel_steps: int = 4
    recall_seconds: float = 3.0
    meanings: MeaningLookup | None = None
    meaning_seconds: float = 5.0
    probing: ProbeLimits = USUAL_LIMITS
    thinking: Thinking | None = None
    readings: Readings | None = None
    usual_seconds: float = Constraints().timeout_seconds


@dataclass(frozen=True)
class JobContext:
    """Where one job is worked on: `writer` holds its lease, `notify` is called after every
    change that watchers are told of. `at_end` says what else watchers of its kind are told when it
    ends."""

    writer: JobWriter
    clock: Clock
    notify: Callable[[], None]
    at_end: AtEnd | None = None
