"""From where to why: which rows, treatment and outcome a finding is handed over as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import pytest

from mesh.errors import AssayError
from mesh.policy import Policy
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.origin import Origin
from services.planner.domain.causal.request import CausalRequest
from services.planner.domain.handover.handed import handed_over
from services.planner.domain.investigation.data_model import AnalysisPlan, DataModel
from services.planner.domain.investigation.explanation import Explanation, Likelihood
from services.planner.domain.investigation.ground import Ground, LeafColumns
from services.planner.domain.investigation.grounding import ground_of
from services.planner.domain.investigation.hypothesis import Hypothesis
from services.planner.domain.investigation.iteration import ExitReason, Finding, FindingsLedger
from services.planner.domain.investigation.result import InvestigationResult
from tests.unit.investigation.shop import NOW, asked, shop

NORTH = (("region", "North"),)
ROWS = """
    CREATE TABLE customers AS
    SELECT * FROM (VALUES (1, 'home'), (2, 'office')) t(customer_id, segment);
    CREATE TABLE orders AS SELECT * FROM (VALUES
        (1, 1, DATE '2024-01-05', 'North', 'web', 10.0),
        (2, 2, DATE '2024-01-31', 'South', 'web', 20.0),
        (3, 1, DATE '2024-02-01', 'North', 'shop', NULL),
        (4, 2, DATE '2024-02-29', NULL, 'shop', 40.0),
        (5, 1, DATE '2024-03-01', 'North', 'web', 50.0),
        (6, 2, DATE '2023-12-31', 'North', 'web', 60.0)
    ) t(order_id, customer_id, ordered_on, region, channel, revenue);
"""


def explanation(
    rank: int, segment: tuple[tuple[str, str | None], ...], kind: str = "segment"
) -> Explanation:
    return Explanation(
        rank=rank,
        title="something moved",
        likelihood=Likelihood.LIKELY,
        evidence=(),
        reasoning="",
        causal_story="",
        source_hypotheses=(),
        kind=kind,
        segment=segment,
    )


def result(
    metric: str = "sum(revenue)",
    explanations: Sequence[Explanation] = (explanation(1, NORTH),),
    ground: Ground | None = None,
    hypotheses: tuple[Hypothesis, ...] = (),
    findings: tuple[Finding, ...] = (),
) -> InvestigationResult:
    ground = ground or ground_of(asked(metric_sql=metric), shop())
    assert ground is not None
    ledger = FindingsLedger(
        findings=findings,
        hypothesis_outcomes={},
        total_iterations=1,
        exit_reason=ExitReason.CONCLUDE,
        created_at=NOW,
    )
    return InvestigationResult(
        text="",
        reasoner="rules",
        ground=ground,
        hypotheses=hypotheses,
        iterations=(),
        data_model=DataModel(tables=(), recommended_dimensions=(), inferred_at=NOW),
        analysis_plan=AnalysisPlan(steps=(), created_at=NOW),
        ledger=ledger,
        explanations=tuple(explanations),
    )


def handed(found: InvestigationResult, **fields: Any) -> CausalRequest:
    origin = Origin(job_id="b" * 32, **fields.pop("origin", {}))
    before = fields.pop("before", Policy())
    request = CausalRequest(request_id="c" * 32, timestamp=NOW, origin=origin, **fields)
    return handed_over(request, asked(policy=before), found)


def rows(request: CausalRequest) -> list[dict[str, Any]]:
    with duckdb.connect() as connection:
        connection.execute(ROWS)
        table = connection.execute(request.relation).to_arrow_table()
    return sorted(table.to_pylist(), key=lambda row: row["ordered_on"])


def refusal(found: InvestigationResult, **fields: Any) -> AssayError:
    with pytest.raises(AssayError) as refused:
        handed(found, **fields)
    return refused.value


def test_membership_is_the_treatment_the_rows_amount_the_outcome_and_time_comes_first() -> None:
    request = handed(result())

    assert (request.treatment, request.outcome) == ("region = North", "revenue")
    assert request.knowledge.tiers == (("ordered_on", "period"), ("region = North",), ("revenue",))
    assert request.modifiers == ("period",)
    found = rows(request)
    assert [r["region = North"] for r in found] == [1, 0, 1, 0], "both periods, and no other day"
    assert [r["period"] for r in found] == ["baseline"] * 2 + ["comparison"] * 2
    assert [r["revenue"] for r in found] == [10.0, 20.0, None, 40.0]
    assert "region" not in found[0], "what a segment is made of says who belongs to it"
    assert {"channel", "segment"} <= set(found[0])
    assert request.data_sources == asked().data_sources
    assert request.origin is not None
    assert request.origin.said.startswith("explanation 1, region = North; rows of orders.csv")


def test_a_segment_without_a_value_is_its_own() -> None:
    request = handed(result(explanations=[explanation(1, (("region", None),))]))

    assert [r["region = nothing"] for r in rows(request)] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("metric", "outcomes"),
    [
        ("avg(revenue)", [10.0, 20.0, 40.0]),
        ("sum(revenue) filter (where channel = 'web')", [10.0, 20.0, 0.0, 0.0]),
        ("100 * count(*) filter (where channel = 'web') / count(*)", [100.0, 100.0, 0.0, 0.0]),
    ],
)
def test_what_a_row_adds_is_told_of_averages_and_shares(metric: str, outcomes: list[float]) -> None:
    request = handed(result(metric))

    assert [r[request.outcome] for r in rows(request)] == outcomes


@pytest.mark.parametrize(
    ("metric", "why"),
    [
        ("sum(revenue) / sum(customer_id)", "quotient of two amounts"),
        ("count(*)", "every row counts the same"),
        ("count(distinct customer_id)", "different things"),
    ],
)
def test_a_metric_that_no_row_has_is_refused_and_what_to_do_is_said(metric: str, why: str) -> None:
    error = refusal(result(metric))

    assert error.reason.code == "NO_ROW_MEASURE" and why in error.message
    assert "--outcome" in str(error.remedy)
    assert handed(result(metric), outcome="revenue").outcome == "revenue", "as it says"


def test_leaves_are_refused() -> None:
    ground = result().ground.model_copy(update={"leaf": LeafColumns(real="a", predicted="b")})

    assert refusal(result(ground=ground)).reason.code == "NO_ROW_MEASURE"


@pytest.mark.parametrize(
    ("explanations", "origin", "said"),
    [
        ([], {}, "found nothing"),
        ([explanation(1, (), "alike")], {}, "about no segment"),
        ([explanation(1, (), "fault"), explanation(2, NORTH)], {"explanation": 1}, "cannot hand"),
        ([explanation(1, NORTH)], {"explanation": 3}, "no explanation 3"),
        ([explanation(1, NORTH)], {"finding_id": "find_009"}, "no finding find_009"),
    ],
)
def test_what_is_about_no_segment_is_refused(
    explanations: list[Explanation], origin: dict[str, Any], said: str
) -> None:
    error = refusal(result(explanations=explanations), origin=origin)

    assert error.reason.code == "NOTHING_TO_HAND_OVER" and said in error.message


def test_the_first_explanation_with_a_segment_is_meant_where_none_is_named() -> None:
    found = result(explanations=[explanation(1, (), "fault"), explanation(2, NORTH)])

    assert handed(found).treatment == "region = North"


def test_a_finding_hands_over_the_segment_that_it_looked_into() -> None:
    web = (("channel", "web"),)
    within = Hypothesis(
        hypothesis_id="hyp_007",
        title="within",
        causal_story="",
        dimensions=(),
        expected_pattern="",
        priority=3,
        created_at=NOW,
        segment=web,
    )
    finding = Finding(
        finding_id="find_004",
        iteration=4,
        summary="",
        full_output_ref="",
        hypothesis_affected="hyp_007",
        created_at=NOW,
    )
    found = result(hypotheses=(within,), findings=(finding,))

    request = handed(found, origin={"finding_id": "find_004"})

    assert request.treatment == "channel = web"
    assert request.origin is not None and request.origin.said.startswith("find_004")


def test_a_new_segment_is_compared_within_the_period_that_has_it() -> None:
    request = handed(result(explanations=[explanation(1, NORTH, "new")]))

    assert [str(r["ordered_on"]) for r in rows(request)] == ["2024-02-01", "2024-02-29"]
    assert request.modifiers == ()


def test_another_column_as_treatment_keeps_the_segment_to_tell_the_effect_by() -> None:
    request = handed(result(), treatment="channel")

    assert request.treatment == "channel"
    assert request.modifiers == ("region = North", "period")
    assert {"channel", "region", "region = North"} <= set(rows(request)[0])


def test_the_segments_own_column_as_treatment_leaves_membership_out() -> None:
    request = handed(result(), treatment="region")

    assert "region = North" not in rows(request)[0]
    assert request.modifiers == ("period",)


def test_a_column_beyond_the_investigations_comes_along_where_it_is_named() -> None:
    request = handed(result(), knowledge=Knowledge(tiers=(("customer_id",), ("region = North",))))

    assert request.origin is not None and request.origin.columns == ("customer_id",)
    assert [r["customer_id"] for r in rows(request)] == [1, 2, 1, 2]


def test_data_of_its_own_beside_an_investigation_is_refused() -> None:
    with pytest.raises(AssayError) as refused:
        handed(result(), table="orders")

    assert refused.value.reason.code == "INVALID_ARGUMENT"


def test_what_the_investigation_could_not_see_stays_hidden() -> None:
    request = handed(
        result(),
        before=Policy(blocked_patterns=("email",)),
        policy=Policy(blocked_patterns=("phone",)),
    )

    assert request.policy.blocked_patterns == ("email", "phone")
