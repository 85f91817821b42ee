"""What is asked of causal.overlap."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments


class OverlapArguments(ToolArguments):
    """The frame of step `input`, the question, and what is adjusted for.

    `treated` says which value counts as treated, `reference` the only other one that is looked at.
    `adjustment` are the covariates; without any, all
    usable columns but those whose names say that they come after. `trim` cuts chances below it and
    above 1 less it; by default where the rule of Crump et al. (2009) does.
    """

    input: str = Field(min_length=1, description="the step whose frame is looked at")
    treatment: str
    outcome: str
    treated: str | None = None
    reference: str | None = None
    adjustment: tuple[str, ...] = Field(default=(), max_length=1_000)
    modifiers: tuple[str, ...] = Field(default=(), max_length=1_000)
    unit: str | None = Field(default=None, description="whose rows belong together")
    trim: float | None = Field(default=None, ge=0, lt=0.5)
    seed: int = Field(default=0, ge=0, lt=2**31)
