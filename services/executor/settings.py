"""Settings of the executor, from ASSAY_* and ASSAY_EXECUTOR_* variables."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mesh.config import MeshSettings


class ExecutorSettings(MeshSettings):
    """Where sources, frames and artifacts are kept, and how much runs at once."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", frozen=True, extra="ignore")

    executor_folder: Path | None = None
    """Root of everything this executor stores; None means a folder in the home folder."""

    executor_threads: int = Field(default=8, ge=1)
    """Tool calls that run at the same time."""

    executor_memory_limit: str = "4GB"
    """Most memory the query engine may use, as DuckDB spells it."""

    def root(self) -> Path:
        """The root folder."""
        return self.executor_folder or self.folder("executor")
