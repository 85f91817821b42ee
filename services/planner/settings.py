"""Settings of the planner, from ASSAY_* and ASSAY_PLANNER_* variables."""

from __future__ import annotations

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from mesh.config import MeshSettings


class PlannerSettings(MeshSettings):
    """Where jobs are kept and how much runs at once."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", frozen=True, extra="ignore")

    planner_database: str = Field(default="", repr=False)
    """SQLAlchemy URL; empty means SQLite in the home folder."""

    planner_parallel_steps: int = Field(default=4, ge=1)
    """Most steps of one job that run at the same time."""

    planner_recall_seconds: float = Field(default=1.0, gt=0)
    """How long a job waits for memory before it goes on without."""

    planner_lease_seconds: float = Field(default=3.0, gt=0)
    """How long a planner holds a job without renewing; after that another may take it."""

    planner_renew_seconds: float = Field(default=1.0, gt=0)
    """How often a planner renews what it holds; well below the lease."""

    planner_look_seconds: float = Field(default=0.5, gt=0)
    """How often a planner looks for jobs that nobody works on, or that were asked to stop."""

    @model_validator(mode="after")
    def _renewed_in_time(self) -> PlannerSettings:
        if self.planner_renew_seconds * 2 > self.planner_lease_seconds:
            raise ValueError(
                "ASSAY_PLANNER_RENEW_SECONDS must be at most half of ASSAY_PLANNER_LEASE_SECONDS"
            )
        return self

    def database_url(self) -> str:
        """The database to open."""
        if self.planner_database:
            return self.planner_database
        return f"sqlite:///{self.folder('planner') / 'planner.sqlite'}"
