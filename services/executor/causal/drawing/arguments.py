"""What `causal.draw` is asked."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from mesh.tool import ToolArguments
from services.executor.causal.discovery.orientations import GraphEdge

MOST_ESTIMATES = 40


class Bar(BaseModel):
    """An estimate with its 95 % interval, in the outcome's unit, under a name for people."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    label: str
    estimate: FiniteFloat
    ci_lower: FiniteFloat
    ci_upper: FiniteFloat
    status: str = Field(default="ok", description="ok, or rejected")
    chosen: bool = Field(default=False, description="whether it speaks for the study")

    @property
    def rejected(self) -> bool:
        """Whether what it rests on did not hold."""
        return self.status != "ok"


class CausalDrawArguments(ToolArguments):
    """The kind of chart and what is on it: estimates, a graph, or the frame of a step."""

    kind: Literal["forest", "heterogeneity", "overlap", "balance", "contour", "graph"]
    title: str = Field(min_length=1, max_length=200)
    subtitle: str = Field(default="", max_length=300)
    input: str | None = Field(
        default=None,
        description="overlap, balance: a step of causal.overlap; contour: one of "
        "causal.sensitivity with method omitted_variable",
    )
    estimates: tuple[Bar, ...] = Field(
        default=(), max_length=MOST_ESTIMATES, description="forest, heterogeneity"
    )
    nodes: tuple[str, ...] = Field(default=(), description="graph")
    edges: tuple[GraphEdge, ...] = Field(default=(), description="graph")
    treatment: str | None = Field(default=None, description="graph")
    outcome: str | None = Field(default=None, description="graph")
