"""Whatever a reading asks of the data, and whatever comes back, survives the way there and back."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.executor.v1 import executor_service_pb2 as pb
from services.executor import contract_probing
from services.executor.probing.outcome import (
    NOT_REACHED,
    Cell,
    ColumnSeen,
    QueryOutcome,
    State,
    failed,
    not_probed,
    read_outcome,
)
from services.planner.contract import outcome_from, probe_limits_to, probe_query_to
from services.planner.domain.evidence import (
    USUAL_LIMITS,
    Outcome,
    ProbedColumn,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
    Value,
)

VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.dates()
    | st.datetimes()
)


@given(st.lists(VALUES, max_size=5))
def test_parameters_arrive_with_their_types(values: list[Value]) -> None:
    query = ProbedQuery(sql="SELECT 1", params=tuple(values))

    (candidate,) = contract_probing.candidates_from([probe_query_to(query)])

    assert candidate.parameters == query.params == tuple(values)
    assert [*map(type, candidate.parameters)] == [*map(type, values)]


def test_a_whole_number_beyond_64_bits_arrives_as_a_number() -> None:
    (candidate,) = contract_probing.candidates_from(
        [probe_query_to(ProbedQuery(sql="SELECT ?", params=(2**70,)))]
    )

    assert candidate.parameters == (float(2**70),)


SEEN = QueryOutcome(
    State.OK,
    rows=2,
    more=True,
    multiset_digest="a" * 64,
    ordered_digest="b" * 64,
    columns=(ColumnSeen("city", 0.5, 0.5),),
    glimpse=(
        (Cell("text", "Berlin"), Cell("whole", 3), Cell("number", 0.5), Cell("truth", True)),
        (Cell(), Cell("day", "2024-02-29"), Cell("moment", "2024-02-29T12:00:00.000001")),
    ),
)


def test_an_outcome_arrives_as_the_planner_knows_it() -> None:
    assert outcome_from(contract_probing.outcome_to(SEEN)) == Outcome(
        state=ProbeState.OK,
        rows=2,
        more=True,
        multiset_digest="a" * 64,
        ordered_digest="b" * 64,
        columns=(ProbedColumn(name="city", empty_share=0.5, distinct_share=0.5),),
        glimpse=(
            ("Berlin", 3, 0.5, True),
            (None, date(2024, 2, 29), datetime(2024, 2, 29, 12, 0, 0, 1)),
        ),
    )


@pytest.mark.parametrize("outcome", [SEEN, failed("SQL_SYNTAX"), not_probed("X"), NOT_REACHED])
def test_an_outcome_comes_out_of_a_process_as_it_was(outcome: QueryOutcome) -> None:
    assert read_outcome(outcome.to_json()) == outcome


def test_the_usual_limits_are_those_of_the_executor() -> None:
    given_ = contract_probing.limits_from(probe_limits_to(USUAL_LIMITS), 60.0)

    assert given_ == contract_probing.limits_from(pb.ProbeLimits(), 60.0)
    own = probe_limits_to(ProbeLimits(rows=5, seconds=1.5, each=0.25))
    assert contract_probing.limits_from(own, 60.0).each == 0.25
