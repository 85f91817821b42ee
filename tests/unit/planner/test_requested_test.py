"""A test that the author of a statement asks for: what it needs, and what the tool is given."""

from __future__ import annotations

import pytest

from assay.common.v1 import proposals_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.contract.requested_tests import requested_test_from, requested_test_to
from services.planner.domain.statements.requested_test import RequestedTest

COMPARE = RequestedTest(kind="compare", outcome="revenue", by="region", cluster="customer")


@pytest.mark.parametrize(
    ("test", "problem"),
    [
        (RequestedTest(kind="compare", outcome="x"), "needs by: the column of the groups"),
        (RequestedTest(kind="compare", by="g"), "needs an outcome"),
        (RequestedTest(kind="cohort", outcome="joined"), "needs time: the day on which"),
        (RequestedTest(kind="forecast", outcome="x", time="m", by="g"), "takes no by"),
        (RequestedTest(kind="regress", outcome="x", predictors=("y",), horizon=3), "no horizon"),
        (RequestedTest(kind="compare", outcome="x", by="g", confidence=0.3), "above 0.5"),
        (RequestedTest(kind="cohort", outcome="a", time="b", period="2024"), "two days"),
        (RequestedTest(kind="cohort", outcome="a", time="b", period="0..30"), "two days"),
        (
            RequestedTest(kind="cohort", outcome="a", time="b", period="2024-02-01..2024-01-01"),
            "first",
        ),
        (RequestedTest(kind="cohort", outcome="a", time="b", period="2024-02-01.."), ""),
        (COMPARE, ""),
        (RequestedTest(), ""),
    ],
)
def test_what_it_lacks_is_told_in_words(test: RequestedTest, problem: str) -> None:
    assert problem in test.problem and bool(problem) == bool(test.problem)


def test_the_contract_says_the_same() -> None:
    message = requested_test_to(COMPARE)
    assert message is not None and requested_test_from(message) == COMPARE
    assert requested_test_to(RequestedTest()) is None
    assert requested_test_from(pb.RequestedTest()) == RequestedTest()


@pytest.mark.parametrize(
    "message",
    [
        pb.RequestedTest(outcome="revenue"),
        pb.RequestedTest(kind=pb.TEST_KIND_FORECAST, outcome="x"),
        pb.RequestedTest(kind=pb.TEST_KIND_COMPARE, outcome="x", by="g", horizon=99),
    ],
)
def test_one_that_cannot_be_made_is_refused(message: pb.RequestedTest) -> None:
    with pytest.raises(AssayError) as refused:
        requested_test_from(message)
    assert refused.value.reason is INVALID_ARGUMENT and "analysis.test" in refused.value.fields


def test_the_tool_is_told_how_many_were_tried_but_of_a_forecast() -> None:
    assert COMPARE.arguments(1) == {
        "test": "compare",
        "columns": ["revenue"],
        "by": "region",
        "cluster": "customer",
        "confidence": 0.95,
    }
    assert COMPARE.arguments(4)["tried"] == 4
    forecast = RequestedTest(kind="forecast", outcome="x", time="m")
    assert "tried" not in forecast.arguments(4)
    cohort = RequestedTest(kind="cohort", outcome="a", time="b", period="2024-01-01..2024-06-30")
    assert cohort.arguments(1)["columns"] == ["a", "b"]
    assert cohort.arguments(1)["span"] == ["2024-01-01", "2024-06-30"]
