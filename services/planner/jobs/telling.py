"""A job's beginning and end for those who run Assay: a line in the log, a measurement, its span."""

from __future__ import annotations

import logging
from datetime import datetime

from mesh.telemetry.instruments import ERROR, JOB_SECONDS
from mesh.telemetry.metrics import record
from mesh.telemetry.tracing import fail_running
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.jobs.lease import Lease
from services.planner.domain.step import StepState

log = logging.getLogger("assay.planner")


def began(lease: Lease) -> None:
    """Work on a job begins here; a later claim than the first goes on with what was begun."""
    how = "started" if lease.token == 1 else "goes on"
    fields = {"event": "job " + how, "claim": lease.token}
    log.info("job %s %s (claim %d)", lease.job_id, how, lease.token, extra={"fields": fields})


def ended(job: Job, now: datetime) -> None:
    """A job has ended, by now stored as it is. Where it failed, the running span has failed too."""
    seconds = max(0.0, (now - job.created_at).total_seconds())
    reason = job.failure.reason if job.failure else ""
    done = sum(step.state is StepState.DONE for step in job.steps)
    fields = {
        "event": "job ended",
        "kind": job.kind.value,
        "state": job.state.value,
        "reason": reason,
        "seconds": round(seconds, 3),
        "steps": len(job.steps),
        "steps_done": done,
    }
    log.info(
        "job %s ended: %s after %.1f s, %d of %d steps done",
        job.job_id,
        " ".join(filter(None, (job.state.value, reason))),
        seconds,
        done,
        len(job.steps),
        extra={"fields": fields},
    )
    texts = {"assay.kind": job.kind.value, "assay.state": job.state.value, ERROR: reason}
    record(JOB_SECONDS, seconds, texts)
    if job.state is JobState.FAILED:
        fail_running(reason)
