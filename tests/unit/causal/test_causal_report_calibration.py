"""The report says of which methods it was not measured how they fare on these data."""

from __future__ import annotations

from datetime import UTC, datetime

from services.planner.domain.causal.data_models import DatasetInfo
from services.planner.domain.causal.report import CausalReport, Cells
from services.planner.domain.causal.results import TreatmentEffectResult
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.reporting.blocks import Grid, Paragraph
from services.planner.domain.reporting.evidence import ClaimBook
from services.planner.domain.reporting.prose import Prose

NOW = datetime(2026, 1, 5, tzinfo=UTC)
HEAD = "How methods fare on these data"


def report(methods: list[str], calibrated: list[Cells]) -> CausalReport:
    effects = tuple(
        TreatmentEffectResult(
            method=method,
            estimand="ATE",
            estimate=1.0,
            std_error=0.1,
            ci_lower=0.8,
            ci_upper=1.2,
            p_value=0.001,
        )
        for method in methods
    )
    state = AnalysisState.created(
        "a" * 32,
        DatasetInfo(url="x.csv"),
        NOW,
        treatment_variable="t",
        outcome_variable="y",
        treatment_effects=effects,
    )
    return CausalReport(
        "a" * 32,
        Prose.of("t"),
        Prose.of("t"),
        state,
        None,
        [],
        calibrated,
        [],
        ClaimBook(),
        {},
        NOW,
    )


def told(methods: list[str], calibrated: list[Cells]) -> tuple[bool, list[str]]:
    """Whether a table of calibration stands there, and the paragraphs beside it."""
    sections = [one for one in report(methods, calibrated).sections() if one.heading == HEAD]
    blocks = [block for section in sections for block in section.blocks]
    texts = [block.prose.plain for block in blocks if isinstance(block, Paragraph)]
    return any(isinstance(block, Grid) for block in blocks), texts


def test_designs_that_no_effects_were_planted_for_are_named() -> None:
    table, texts = told(["naive", "IV", "RDD"], [])
    assert not table
    assert texts == [
        "No effects were planted for IV, RDD: how often intervals made so hold the truth on these "
        "data is not measured."
    ]


def test_methods_that_were_tried_are_not_named_among_them() -> None:
    cells = ("OLS", "the same for all", "0", "0.1", "95 %", "25")
    table, texts = told(["naive", "OLS", "causal_forest"], [cells])
    assert table
    assert "causal forest" in texts[-1] and "OLS" not in texts[-1]


def test_nothing_is_said_where_all_were_tried() -> None:
    cells = ("OLS", "the same for all", "0", "0.1", "95 %", "25")
    _, texts = told(["naive", "OLS"], [cells])
    assert len(texts) == 1
