"""Tests that the author of a statement asks for."""

from __future__ import annotations

from pydantic import ValidationError

from assay.common.v1 import proposals_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.domain.statements.requested_test import LONGEST, MOST, Kind, RequestedTest

_KINDS: dict[int, Kind] = {
    pb.TestKind.TEST_KIND_UNSPECIFIED: "",
    pb.TestKind.TEST_KIND_COMPARE: "compare",
    pb.TestKind.TEST_KIND_REGRESS: "regress",
    pb.TestKind.TEST_KIND_COHORT: "cohort",
    pb.TestKind.TEST_KIND_BACKTEST: "backtest",
    pb.TestKind.TEST_KIND_FORECAST: "forecast",
}
_VALUES = {kind: value for value, kind in _KINDS.items()}


def requested_test_from(message: pb.RequestedTest) -> RequestedTest:
    """A test as the domain knows it. Raises AssayError(INVALID_ARGUMENT) for one that cannot be."""
    try:
        found = RequestedTest(
            kind=_KINDS.get(message.kind, ""),
            outcome=message.outcome,
            by=message.by,
            groups=tuple(message.groups),
            predictors=tuple(message.predictors),
            cluster=message.cluster,
            time=message.time,
            horizon=message.horizon,
            period=message.period,
            confidence=message.confidence,
        )
    except ValidationError as error:
        most = f"names of at most {LONGEST} characters, {MOST} groups and predictors, 60 steps"
        raise AssayError(
            INVALID_ARGUMENT, "the test is not one", fields={"analysis.test": most}
        ) from error
    if not found.kind and found != RequestedTest():
        why = "say its kind: compare, regress, cohort, backtest or forecast"
        raise AssayError(INVALID_ARGUMENT, "the test is not one", fields={"analysis.test": why})
    if found.problem:
        raise AssayError(INVALID_ARGUMENT, found.problem, fields={"analysis.test": found.problem})
    return found


def requested_test_to(test: RequestedTest) -> pb.RequestedTest | None:
    """The same for the contract; None where none is asked for."""
    if not test.kind:
        return None
    return pb.RequestedTest(
        kind=pb.TestKind.ValueType(_VALUES[test.kind]),
        outcome=test.outcome,
        by=test.by,
        groups=test.groups,
        predictors=test.predictors,
        cluster=test.cluster,
        time=test.time,
        horizon=test.horizon,
        period=test.period,
        confidence=test.confidence,
    )
