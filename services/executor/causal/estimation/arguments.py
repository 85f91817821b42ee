"""What `causal.estimate` is asked."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from services.executor.causal.frame import StudyArguments

Method = Literal[
    "OLS", "IPW", "AIPW", "PSM", "stratification", "DML", "causal_forest", "IV", "RDD", "DiD"
]


class DesignArguments(StudyArguments):
    """The study, and the columns that some methods need beside."""

    instruments: tuple[str, ...] = Field(default=(), description="for IV")
    running: str | None = Field(default=None, description="for RDD: decides at the cutoff")
    cutoff: float | None = Field(default=None, description="for RDD; treated from here on")
    time: str | None = Field(default=None, description="for DiD: a number or date")


class CausalEstimateArguments(DesignArguments):
    """The study, the method, and which of its effects are asked for."""

    method: Method
    estimand: Literal["ATE", "ATT", "CATE", "LATE"] | None = Field(
        default=None, description="only the rows of this estimand"
    )


class CausalCalibrateArguments(DesignArguments):
    """The study, and what to plant on it how often; of designs (IV, RDD, DiD) one at a time."""

    methods: tuple[Method, ...] = Field(
        default=("OLS", "IPW", "AIPW", "PSM", "stratification", "DML"), min_length=1
    )
    repetitions: int = Field(default=50, ge=2, le=1000)
    effects: tuple[float, ...] = Field(
        default=(0.2,),
        min_length=1,
        max_length=5,
        description="in standard deviations of the outcome",
    )
    seconds: float = Field(default=60.0, gt=0, description="about what it may take")
