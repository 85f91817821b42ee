"""Attempts at a step come in their order: one to three, each after the one before it failed.

Blocking: for worker threads. What failed is noted beside the records of completed calls, so a
restarted executor, or another that shares the store, knows of it. One whose store was lost refuses
what follows a failure: it cannot know that there was one.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from mesh.errors import ATTEMPT_OUT_OF_ORDER, INVALID_ARGUMENT, AssayError
from mesh.ids import derived_id
from services.executor.domain.stored_item import StoredKind, job
from services.executor.frame_leases import Leases
from services.executor.ports import CallRecords

log = logging.getLogger("assay.executor")

MAX_ATTEMPTS = 3
"""Attempts at a step (seed 000, FR-030)."""


@dataclass(frozen=True)
class Attempt:
    """The how-many-eth try at a step of a job."""

    request_id: str
    task_id: str
    number: int

    def in_range(self) -> Attempt:
        """The attempt itself. Raises AssayError(INVALID_ARGUMENT) for one that may never be."""
        if not 1 <= self.number <= MAX_ATTEMPTS:
            raise AssayError(
                INVALID_ARGUMENT,
                f"attempt {self.number} at step {self.task_id!r}: "
                f"attempts are numbered from 1 to {MAX_ATTEMPTS}",
                fields={"call.attempt_number": f"must lie between 1 and {MAX_ATTEMPTS}"},
            )
        return self

    @property
    def record_id(self) -> str:
        """Under which it is noted that it failed."""
        return derived_id(self.request_id, "failed attempt", self.task_id, str(self.number))

    @property
    def before(self) -> Attempt:
        """The attempt that must have failed first."""
        return Attempt(self.request_id, self.task_id, self.number - 1)


@dataclass(frozen=True)
class Attempts:
    """What is known of attempts, in the store of call records."""

    records: CallRecords
    leases: Leases

    def check(self, attempt: Attempt) -> None:
        """Raise AssayError(ATTEMPT_OUT_OF_ORDER) unless the attempt before this one failed."""
        if attempt.number > 1 and self.records.get(attempt.before.record_id) is None:
            raise AssayError(
                ATTEMPT_OUT_OF_ORDER,
                f"attempt {attempt.number} at step {attempt.task_id!r} of job "
                f"{attempt.request_id[:8]}: no attempt {attempt.before.number} at it is on record "
                "as failed",
            )

    def failed(self, attempt: Attempt, call_id: str) -> None:
        """Note that an attempt failed, for as long as its job needs its records.

        A full disk keeps nobody from hearing of the failure: the next attempt is refused then.
        """
        try:  # held as nothing at all: a cap on what is stored must not keep a step from repair
            self.leases.admit(job(attempt.request_id), StoredKind.CALL)(attempt.record_id, 0)
            self.records.put(attempt.record_id, call_id.encode())
        except (OSError, AssayError) as error:
            log.warning("that call %s failed is not on record: %s", call_id, error)
