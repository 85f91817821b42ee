"""What operators see of jobs, for the contract."""

from __future__ import annotations

from assay.common.v1 import operation_pb2 as pb
from services.planner.contract.jobs import JOB_KIND_NUMBERS
from services.planner.contract.times import duration, timestamp
from services.planner.domain.jobs.gaps import Gap, GapKind
from services.planner.domain.jobs.overview import Asker, Depth, HeldJob

_GAP_KINDS = {
    GapKind.REASON: pb.GAP_KIND_REASON,
    GapKind.WORD: pb.GAP_KIND_WORD,
    GapKind.CHECK: pb.GAP_KIND_CHECK,
}


def depth_to(depth: Depth) -> pb.QueueDepth:
    """How much there is to do."""
    return pb.QueueDepth(
        waiting=depth.waiting,
        at_work=depth.at_work,
        longest_wait=None if depth.longest_wait is None else duration(depth.longest_wait),
    )


def held_to(job: HeldJob) -> pb.HeldJob:
    """A job that is worked on."""
    return pb.HeldJob(
        job_id=job.job_id,
        kind=JOB_KIND_NUMBERS[job.kind],
        asked_by=job.asked_by,
        holder=job.holder,
        lease_left=duration(job.lease_left),
        time_left=duration(job.time_left),
        stopping=job.stopping,
    )


def asker_to(asker: Asker) -> pb.Asker:
    """Who asked."""
    return pb.Asker(user=asker.user, jobs=asker.jobs, newest_at=timestamp(asker.newest_at))


def gap_to(gap: Gap) -> pb.Gap:
    """What was missing."""
    return pb.Gap(
        kind=_GAP_KINDS[gap.kind],
        subject=gap.subject,
        refused=gap.refused,
        doubted=gap.doubted,
        examples=[
            pb.GapExample(
                job_id=one.job_id,
                question=one.question,
                asked_by=one.asked_by,
                asked_at=timestamp(one.asked_at),
                refused=one.refused,
            )
            for one in gap.examples
        ],
    )
