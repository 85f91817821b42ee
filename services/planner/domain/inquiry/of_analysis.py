"""What an answered question tells of itself."""

from __future__ import annotations

from collections.abc import Iterator

from mesh import sureness
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.answer import Answered
from services.planner.domain.conversation.response import SURENESS
from services.planner.domain.inquiry.of_any import sentence
from services.planner.domain.inquiry.passage import Passage, Topic
from services.planner.domain.jobs.job import Job


def of_analysis(job: Job, result: Answered, planning: Planning) -> Iterator[Passage]:
    """How it was read, what that takes for granted, how sure it is."""
    for assumption in planning.assumptions:
        yield Passage(topics=(Topic.ASSUMED,), text=sentence(assumption), own=True)
    read = f"The question was taken to mean: {job.understood}." if job.understood else ""
    if read:
        yield Passage(topics=(Topic.ASSUMED,), text=read, own=True, about=job.understood)
    if planning.reason:
        yield Passage(topics=(Topic.READING,), text=sentence(planning.reason), rank=2)
    level = sureness.describe_level(result.confidence)
    sure = f"It is told as {level}: {SURENESS[result.confidence]}."
    yield Passage(topics=(Topic.SURE,), text=sure, own=True)
    for caveat in result.caveats:
        yield Passage(topics=(Topic.SURE,), text=sentence(caveat), own=True, rank=2)
    yield Passage(
        topics=(Topic.SURE,),
        text="Its numbers are cells of frames, which `assay verify` traces; that is no statement "
        "about how right the data are.",
        own=True,
        rank=3,
    )
