"""Probes of candidate queries."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from assay.executor.v1 import executor_service_pb2 as pb
from services.planner.contract.times import duration
from services.planner.domain.evidence import (
    Outcome,
    ProbedColumn,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
    Value,
)

_STATES = {
    pb.PROBE_STATE_OK: ProbeState.OK,
    pb.PROBE_STATE_FAILED: ProbeState.FAILED,
    pb.PROBE_STATE_CUT_OFF: ProbeState.CUT_OFF,
    pb.PROBE_STATE_NOT_REACHED: ProbeState.NOT_REACHED,
    pb.PROBE_STATE_NOT_PROBED: ProbeState.NOT_PROBED,
}


def probe_query_to(query: ProbedQuery) -> pb.ProbeQuery:
    """A candidate for the contract."""
    return pb.ProbeQuery(sql=query.sql, params=map(_cell_to, query.params))


def probe_limits_to(limits: ProbeLimits) -> pb.ProbeLimits:
    """What may be spent, for the contract."""
    return pb.ProbeLimits(
        rows=limits.rows,
        total=duration(limits.seconds),
        each=duration(limits.each),
        glimpse=limits.glimpse,
    )


def outcome_from(message: pb.QueryOutcome) -> Outcome:
    """What the data says of a candidate."""
    return Outcome(
        state=_STATES[message.state],
        reason=message.reason,
        rows=message.rows,
        more=message.more,
        multiset_digest=message.multiset_digest,
        ordered_digest=message.ordered_digest,
        columns=tuple(
            ProbedColumn(
                name=one.name,
                empty_share=one.empty_share,
                distinct_share=one.distinct_share,
                digest=one.digest,
            )
            for one in message.columns
        ),
        glimpse=tuple(tuple(map(_value, row.cells)) for row in message.glimpse),
        distinct_share=message.distinct_share,
        content_digest=message.content_digest,
    )


def _cell_to(value: Value) -> pb.Cell:
    given: dict[str, Any] = {}
    if isinstance(value, bool):
        given = {"truth": value}
    elif isinstance(value, int):
        fits = -(2**63) <= value < 2**63
        given = {"whole": value} if fits else {"number": float(value)}
    elif isinstance(value, float):
        given = {"number": value}
    elif isinstance(value, datetime):
        given = {"moment": value.replace(tzinfo=None).isoformat()}
    elif isinstance(value, date):
        given = {"day": value.isoformat()}
    elif value is not None:
        given = {"text": value}
    return pb.Cell(**given)


def _value(cell: pb.Cell) -> Value:
    kind = cell.WhichOneof("value")
    if kind is None:
        return None
    if kind == "day":
        return date.fromisoformat(cell.day)
    if kind == "moment":
        return datetime.fromisoformat(cell.moment)
    value: Value = getattr(cell, kind)
    return value
