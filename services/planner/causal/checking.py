"""Checks of the rows of a causal job, before anything is estimated in them."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.causal.starting import causal_of
from services.planner.domain.causal.agent import Brief
from services.planner.domain.causal.frame import FrameChecked
from services.planner.domain.causal.running import BEGUN
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import Job
from services.planner.jobs.asking_data import evidence_of
from services.planner.jobs.collaborators import Collaborators
from services.planner.ports import Described

FRAME = "frame"
"""Under which name it is kept with the decision that begins a job."""


async def checked_frame(
    with_: Collaborators, job: Job, brief: Brief, described: Described
) -> FrameChecked:
    """What is to be told of the rows that a job studies."""
    # Here, because lists of jobs come by this module and judge no statement.
    from services.planner.domain.causal.frame_checked import (
        OF_FRAMES,
        frame_checked,
        frame_statement,
    )
    from services.planner.domain.checks.judging import Judgement, judge

    request, catalogue = causal_of(job), described.catalogue
    text = frame_statement(brief.relation, request.outcome, catalogue)
    judged = Judgement(readable=False)
    if text:
        judged = await judge(text, catalogue, evidence_of(with_, request), codes=OF_FRAMES)
    return frame_checked(text, judged, request.outcome, brief.relation, catalogue)


def frame_of(decisions: Sequence[Decision]) -> FrameChecked:
    """What was found when a job began; nothing of jobs of older versions."""
    kept = [d.given[FRAME] for d in decisions if d.kind == BEGUN and FRAME in d.given]
    return FrameChecked.model_validate(kept[-1]) if kept else FrameChecked()
