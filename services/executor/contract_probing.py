"""Probes to and from their contract."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from google.protobuf.duration_pb2 import Duration

from assay.executor.v1 import executor_service_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.executor.probing.outcome import (
    LONGEST_STATEMENT,
    MOST_GLIMPSED,
    MOST_PARAMETERS,
    MOST_QUERIES,
    MOST_ROWS,
    MOST_SECONDS,
    Candidate,
    Cell,
    Limits,
    Parameter,
    QueryOutcome,
    State,
)

_DEFAULTS = Limits()
_STATES = {
    State.OK: pb.PROBE_STATE_OK,
    State.FAILED: pb.PROBE_STATE_FAILED,
    State.CUT_OFF: pb.PROBE_STATE_CUT_OFF,
    State.NOT_REACHED: pb.PROBE_STATE_NOT_REACHED,
    State.NOT_PROBED: pb.PROBE_STATE_NOT_PROBED,
}


def candidates_from(messages: Iterable[pb.ProbeQuery]) -> list[Candidate]:
    """The queries of a probe. Raises AssayError(INVALID_ARGUMENT)."""
    listed = list(messages)
    if len(listed) > MOST_QUERIES:
        raise _malformed("queries", f"are {len(listed)}, and may be {MOST_QUERIES}")
    return [_candidate(place, message) for place, message in enumerate(listed)]


def limits_from(message: pb.ProbeLimits, seconds_left: float) -> Limits:
    """How much may be spent before the call's own deadline. Raises AssayError(INVALID_ARGUMENT)."""
    if not 0 <= message.rows <= MOST_ROWS:
        raise _malformed("limits.rows", f"is {message.rows}, and may be 1 to {MOST_ROWS:,}")
    seconds = _seconds(message, "total", _DEFAULTS.seconds)
    each = _seconds(message, "each", _DEFAULTS.each)
    total = min(seconds, seconds_left)
    if not 0 <= message.glimpse <= MOST_GLIMPSED:
        raise _malformed("limits.glimpse", f"is {message.glimpse}, and may be 1 to {MOST_GLIMPSED}")
    return Limits(
        rows=message.rows or MOST_ROWS,
        seconds=total,
        each=min(each, seconds),
        glimpse=message.glimpse or _DEFAULTS.glimpse,
    )


def outcome_to(outcome: QueryOutcome) -> pb.QueryOutcome:
    """An outcome for the contract."""
    return pb.QueryOutcome(
        state=_STATES[outcome.state],
        reason=outcome.reason,
        rows=outcome.rows,
        more=outcome.more,
        multiset_digest=outcome.multiset_digest,
        ordered_digest=outcome.ordered_digest,
        columns=[
            pb.ProbedColumn(
                name=one.name,
                empty_share=one.empty_share,
                distinct_share=one.distinct_share,
                digest=one.digest,
            )
            for one in outcome.columns
        ],
        glimpse=[pb.ProbedRow(cells=map(_cell_to, row)) for row in outcome.glimpse],
        distinct_share=outcome.distinct_share,
        content_digest=outcome.content_digest,
    )


def _candidate(place: int, message: pb.ProbeQuery) -> Candidate:
    name = f"queries[{place}]"
    if not 0 < len(message.sql) <= LONGEST_STATEMENT:
        raise _malformed(f"{name}.sql", f"must have 1 to {LONGEST_STATEMENT:,} characters")
    if len(message.params) > MOST_PARAMETERS:
        raise _malformed(f"{name}.params", f"may be {MOST_PARAMETERS:,} at most")
    return Candidate(
        message.sql,
        tuple(_parameter(f"{name}.params[{n}]", cell) for n, cell in enumerate(message.params)),
    )


def _parameter(name: str, cell: pb.Cell) -> Parameter:
    kind = cell.WhichOneof("value")
    if kind is None:
        return None
    try:
        if kind == "day":
            return date.fromisoformat(cell.day)
        if kind == "moment":
            moment = datetime.fromisoformat(cell.moment)
            if moment.tzinfo is not None:
                raise ValueError("a moment has no zone")
            return moment
    except ValueError:
        raise _malformed(name, f"is no {kind} in ISO form") from None
    value: Parameter = getattr(cell, kind)
    return value


def _cell_to(cell: Cell) -> pb.Cell:
    given: dict[str, Any] = {cell.kind: cell.value} if cell.kind else {}
    return pb.Cell(**given)


def _seconds(message: pb.ProbeLimits, name: str, default: float) -> float:
    if not message.HasField(name):  # type: ignore[arg-type] # one of two, both durations
        return default
    span: Duration = getattr(message, name)
    seconds = span.ToNanoseconds() / 1e9
    if not 0 < seconds <= MOST_SECONDS:
        raise _malformed(f"limits.{name}", f"must be above 0 s and at most {MOST_SECONDS:g} s")
    return seconds


def _malformed(field: str, fault: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT, f"the probe is malformed: {field} {fault}", fields={field: fault}
    )
