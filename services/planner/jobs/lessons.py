"""Telling memory what jobs taught: now, or when it is back.

Memory never holds the only copy of anything a job needs, and a job never waits long for it: what
it cannot be told now is kept in the planner's own tables.
"""

from __future__ import annotations

import contextlib
import logging

from mesh import context as calls
from mesh.errors import NOT_FOUND, AssayError, Kind
from services.planner.domain.lesson import Lesson
from services.planner.jobs.collaborators import Collaborators
from services.planner.ports import Memory

log = logging.getLogger("assay.planner")

# How long memory may take over what was kept for it: no job waits for this.
_PATIENCE_SECONDS = 10.0


async def tell_or_keep(with_: Collaborators, lesson: Lesson) -> bool:
    """Tell memory a lesson; whether it took it. Else it is kept, and told when memory is back."""
    try:
        with calls.changed(seconds=with_.recall_seconds):
            await _tell(with_.memory, lesson)
        return True
    except AssayError as error:
        log.warning("what job %s taught is kept until memory is back: %s", lesson.job_id, error)
        await with_.jobs.keep_lesson(lesson)
        return False


async def expect_lesson(with_: Collaborators) -> None:
    """Have memory load what it learns with, beside the work of a job that will tell it something
    at its end: the model takes about a second."""
    with contextlib.suppress(AssayError), calls.changed(seconds=_PATIENCE_SECONDS):
        await with_.memory.make_ready()


async def tell_kept_lessons(with_: Collaborators) -> None:
    """Tell memory what it could not be told; what it refuses is dropped and logged.

    Returns at the first sign that memory is still away.
    """
    for tenant, lesson in await with_.jobs.kept_lessons():
        with calls.changed(tenant=tenant, request_id=lesson.job_id, seconds=_PATIENCE_SECONDS):
            try:
                await _tell(with_.memory, lesson)
                log.info("memory was told what job %s taught", lesson.job_id)
            except AssayError as error:
                if _may_pass(error):
                    return
                log.warning("what job %s taught is dropped: %s", lesson.job_id, error)
        await with_.jobs.forget_lesson(lesson.job_id)


async def _tell(memory: Memory, lesson: Lesson) -> None:
    for recipe_id, why in lesson.failed.items():
        await _count(memory, recipe_id, lesson.job_id, why)
    if lesson.worked:
        await _count(memory, lesson.worked, lesson.job_id)
    if lesson.recipe is not None:
        await memory.store(lesson.recipe)
    if lesson.document:
        await memory.store_document(lesson.job_id, lesson.document, lesson.session_id)


async def _count(memory: Memory, recipe_id: str, job_id: str, failure: str = "") -> None:
    try:
        await memory.record_outcome(recipe_id, job_id, failure)
    except AssayError as error:
        if error.reason is not NOT_FOUND:
            raise
        log.info("recipe %s was forgotten while job %s used it", recipe_id[:8], job_id)


def _may_pass(error: AssayError) -> bool:
    """Whether an error says no more than that memory is away or slow."""
    return error.reason.kind in (Kind.UNAVAILABLE, Kind.LIMIT)
