"""Why an investigation cannot go on: what its own tables failed of, for people."""

from __future__ import annotations

from mesh.errors import METRIC_NOT_UNDERSTOOD, NO_ROWS_IN_PERIOD, ROW_LIMIT, STEP_FAILED, AssayError
from services.planner.domain.calls import Observation
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.plain_names import in_plain_names
from services.planner.domain.investigation.wording import called, counted
from services.planner.domain.jobs.job import Job
from services.planner.jobs.collaborators import Collaborators
from services.planner.jobs.failing import why_failed

_OF_ROWS = frozenset(("metric.quality", "metric.margins", "metric.cube"))
_HINTS = {
    STEP_FAILED: "Ask again; if it stays so, ask with fewer dimensions or shorter periods.",
    ROW_LIMIT: "Split by fewer columns, those that matter most: --by COLUMN (repeatable).",
}
_OF_STATEMENT = frozenset(("sql_syntax", "type_mismatch", "missing_column"))


async def unfounded(with_: Collaborators, job: Job, ground: Ground) -> AssayError | None:
    """What no further look could change: a period without rows or without a number, a metric that
    cannot be computed. None where there is no such thing."""
    for call, observation in await with_.jobs.observations(job.job_id):
        if observation is None or observation.succeeded or call.tool_name not in _OF_ROWS:
            continue
        error = _of_rows(observation, ground)
        if error is not None:
            return error
    return None


async def why_no_tables(with_: Collaborators, job: Job, ground: Ground) -> AssayError:
    """Why the tables that everything works on could not be made."""
    error = await why_failed(with_, job)
    text = in_plain_names(error.message, ground)
    return AssayError(
        error.reason, text, hint=_HINTS.get(error.reason, ""), metadata=error.metadata
    )


def _of_rows(observation: Observation, ground: Ground) -> AssayError | None:
    details, sentence = observation.error_details, observation.error_message or ""
    if details.get("reason") == "NO_ROWS_IN_PERIOD":
        empty = [str(name) for name in details.get("periods", ())]
        named = " and ".join(f"the {name} period, {_period(ground, name)}" for name in empty)
        first, last = details.get("first_day"), details.get("last_day")
        covered = f"{ground.time} runs from {first} to {last}" if first else f"no {ground.time}"
        return AssayError(
            NO_ROWS_IN_PERIOD,
            f"{ground.source_name} has no rows in {named}: {covered}",
            fields={f"investigation.{name}_period": "holds no rows" for name in empty},
        )
    if details.get("reason") == "NO_NUMBERS_IN_PERIOD":
        name = str(details.get("period", ""))
        rows = counted(int(details.get("rows", 0)), "row")
        return AssayError(
            NO_ROWS_IN_PERIOD,
            f"{called(ground)} has no value in the {name} period, {_period(ground, name)}: none of "
            f"its {rows} gives a number",
            hint="Look at what the metric is computed from: conditions that no row meets, empty "
            "cells, divisions by zero.",
            fields={f"investigation.{name}_period": "holds no value of the metric"},
        )
    if observation.error_category in _OF_STATEMENT:
        text = f"{ground.metric} cannot be computed: {in_plain_names(sentence, ground).rstrip('.')}"
        return AssayError(
            METRIC_NOT_UNDERSTOOD, text, fields={"investigation.metric_sql": "cannot be computed"}
        )
    return None


def _period(ground: Ground, name: str) -> str:
    return str(getattr(ground, name)) if name in ("baseline", "comparison") else name
