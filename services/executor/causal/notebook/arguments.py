"""What `causal.notebook` is asked."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from mesh.tool import ToolArguments


class Section(BaseModel):
    """A heading and its text: lines of words, or a list whose lines begin with "- "."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    heading: str = Field(max_length=200)
    markdown: str = Field(max_length=50_000)


class Expected(BaseModel):
    """An estimate of the study with its 95 % interval, which running the notebook must give."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    method: str
    estimand: str
    estimate: FiniteFloat
    ci_lower: FiniteFloat
    ci_upper: FiniteFloat

    @property
    def name(self) -> str:
        """Method and estimand: "AIPW ATE"."""
        return f"{self.method} {self.estimand}"


class CausalNotebookArguments(ToolArguments):
    """The words, the study and its estimates; the data is the frame of step `input`."""

    input: str = Field(min_length=1, description="the step whose frame is the data")
    title: str = Field(min_length=1, max_length=300)
    sections: tuple[Section, ...] = Field(default=(), max_length=60)
    treatment: str | None = Field(default=None)
    outcome: str | None = Field(default=None)
    treated: str | None = Field(default=None, description="the treatment's value that counts as 1")
    reference: str | None = Field(default=None, description="the only other value looked at")
    adjustment: tuple[str, ...] = Field(default=(), description="columns that were adjusted for")
    modifiers: tuple[str, ...] = Field(default=(), description="columns the effect varies with")
    unit: str | None = Field(default=None, description="whose rows belong together")
    instruments: tuple[str, ...] = Field(default=(), description="of IV")
    running: str | None = Field(default=None, description="of RDD: decides at the cutoff")
    cutoff: float | None = Field(default=None, description="of RDD; treated from here on")
    time: str | None = Field(default=None, description="of DiD, whose units are `unit`")
    seed: int = Field(default=0, ge=0, lt=2**31)
    estimates: tuple[Expected, ...] = Field(default=(), max_length=100)
    groups: tuple[Expected, ...] = Field(
        default=(), max_length=100, description="of groups, whose name is the estimand"
    )

    @property
    def designs(self) -> dict[str, tuple[str, ...]]:
        """The columns that each design needs beside, by method; of those that are named whole."""
        found: dict[str, tuple[str, ...]] = {}
        if self.instruments:
            found["IV"] = self.instruments
        if self.running and self.cutoff is not None:
            found["RDD"] = (self.running,)
        if self.unit and self.time:
            found["DiD"] = (self.unit, self.time)
        return found

    job_id: str = Field(default="", pattern=r"^[A-Za-z0-9_.:-]{0,80}$")
