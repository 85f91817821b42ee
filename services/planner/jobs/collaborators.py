"""Everything that the use cases of a job work with, as one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mesh.clock import Clock
from services.planner.domain.catalogue import MeaningLookup
from services.planner.ports import Audit, Memory, Reasoner, Tools
from services.planner.store_ports import JobStore, JobWriter


@dataclass(frozen=True)
class Collaborators:
    """Everything an analysis works with; without `meanings`, words are known by spelling alone."""

    jobs: JobStore
    tools: Tools
    memory: Memory
    audit: Audit
    reasoner: Reasoner
    parallel_steps: int = 4
    recall_seconds: float = 3.0
    meanings: MeaningLookup | None = None
    meaning_seconds: float = 5.0


@dataclass(frozen=True)
class Desk:
    """Where one job is worked on: `writer` holds its lease, `notify` is called after every
    change that watchers are told of."""

    writer: JobWriter
    clock: Clock
    notify: Callable[[], None]
