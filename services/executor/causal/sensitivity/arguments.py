"""What `causal.sensitivity` is asked."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from services.executor.causal.frame import StudyArguments

Test = Literal[
    "e_value",
    "rosenbaum",
    "omitted_variable",
    "placebo_treatment",
    "random_common_cause",
    "subset",
    "negative_control",
]
Estimator = Literal[
    "OLS", "IPW", "AIPW", "PSM", "stratification", "DML", "causal_forest", "IV", "RDD", "DiD"
]


class CausalSensitivityArguments(StudyArguments):
    """The study, the test, and the estimate that is tested."""

    method: Test
    estimator: Estimator = Field(description="the method whose estimate is tested")
    estimate: float = Field(allow_inf_nan=False)
    std_error: float = Field(gt=0, allow_inf_nan=False)
    negative_outcome: str | None = Field(
        default=None, description="for negative_control: what the treatment cannot have moved"
    )
