"""Settings of the audit service, from ASSAY_AUDIT_* variables."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mesh.config import MeshSettings


class AuditSettings(MeshSettings):
    """Where the log and its checkpoints are kept: apart from one another, if one can."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", frozen=True, extra="ignore")

    audit_origin: str = Field(default="assay-1", pattern=r"^[A-Za-z0-9._/-]+$")
    """The log's name, which its checkpoints and its key carry."""

    audit_folder: Path | None = None
    """The log's own folder; None means one in the home folder."""

    audit_checkpoints: Path | None = None
    """Where checkpoints are published; None means a folder beside the log's."""

    audit_checkpoint_seconds: float = Field(default=60.0, gt=0)
    """How often a checkpoint is published when the log has grown."""

    audit_segment_bytes: int = Field(default=64 << 20, ge=4096)
    """A file of the log that has reached so many bytes is closed and another begun."""

    def log_folder(self) -> Path:
        """The folder of the log."""
        return self.audit_folder or self.folder("audit", "log")

    def checkpoint_folder(self) -> Path:
        """The folder of the checkpoints."""
        return self.audit_checkpoints or self.folder("audit", "checkpoints")
