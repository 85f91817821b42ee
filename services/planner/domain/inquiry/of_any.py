"""What jobs of every kind tell of themselves."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.analysis.past import Attempt
from services.planner.domain.inquiry.passage import Passage, Topic
from services.planner.domain.jobs.job import Job


def of_any(job: Job, calls: list[Attempt]) -> Iterator[Passage]:
    """Its answer, sources, steps and files. The words of the answer are its own: each is held
    against the cells by whoever verifies it."""
    result = job.answer
    if result is None:
        return
    if result.text:
        yield Passage(topics=(Topic.ANSWER,), text=result.text, own=True)
    labels = ", ".join(dict.fromkeys(source.label for source in job.request.data_sources))
    if labels:
        yield Passage(topics=(Topic.SOURCES,), text=f"It is from {labels}.", own=True)
    if job.understood:
        text = f"It was understood as: {job.understood}."
        yield Passage(topics=(Topic.READING,), text=text, own=True)
    for caveat in result.caveats:
        yield Passage(topics=(Topic.ASSUMED,), text=sentence(caveat), own=True, rank=2)
    yield from _steps(job, calls)
    files = [a.content_ref.rpartition("/")[2] for a in result.artifacts]
    if files:
        yield Passage(
            topics=(Topic.FILES,),
            text=f"There are {', '.join(dict.fromkeys(files))}.",
            own=True,
            artifacts=tuple(a.content_ref for a in result.artifacts),
        )


def _steps(job: Job, calls: list[Attempt]) -> Iterator[Passage]:
    """One passage for all steps, and one a call that is told only for a number it made."""
    described = {step.task_id: step.description for step in job.steps}
    done = [call for call, seen in calls if seen is not None and seen.succeeded]
    if done:
        steps = dict.fromkeys(
            f"{described.get(call.task_id) or call.task_id} ({call.tool_name})" for call in done
        )
        text = f"In these steps: {'; '.join(list(steps)[:8])}{'; …' if len(steps) > 8 else ''}."
        yield Passage(
            topics=(Topic.COMPUTED,), text=text, own=True, calls=tuple(c.call_id for c in done)
        )
    for call in done:
        about = f"{described.get(call.task_id) or call.task_id} ({call.tool_name})"
        yield Passage(
            topics=(Topic.COMPUTED,), text="", own=True, rank=99, calls=(call.call_id,), about=about
        )


def sentence(text: str) -> str:
    """Recorded words as a sentence."""
    begun = f"{text[:1].upper()}{text[1:]}"
    return begun if begun[-1:] in ".!?…" else f"{begun}."
