"""Settings of the gateway, from ASSAY_* and ASSAY_GATEWAY_* variables."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mesh.config import MeshSettings, load

MEBIBYTE = 1024 * 1024


class GatewaySettings(MeshSettings):
    """Where sessions and files are recorded, and their limits (seed 002)."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", frozen=True, extra="ignore")

    gateway_database: str = Field(default="", repr=False)
    """SQLAlchemy URL; empty means SQLite in the home folder."""

    gateway_session_files: int = Field(default=10, ge=1)
    """Most files in a session."""

    gateway_file_bytes: int = Field(default=50 * MEBIBYTE, ge=1)
    """Most bytes in a file."""

    gateway_session_hours: float = Field(default=24.0, gt=0)
    """How long a session lasts."""

    gateway_sweep_seconds: float = Field(default=600.0, gt=0)
    """How often expired sessions give up their files and documents."""

    gateway_hold_seconds: float = Field(default=300.0, ge=1)
    """How long a content is kept for an upload whose last bytes have come."""

    gateway_verified_frame_bytes: int = Field(default=512 * MEBIBYTE, ge=1)
    """The largest frame that is read for checking claims."""

    gateway_domains: Path | None = None
    """A YAML file of domains that are everybody's, or those of the tenants it names; see
    docs/domains.md."""

    @classmethod
    def of(cls, settings: MeshSettings) -> GatewaySettings:
        """The gateway's settings in a mesh with `settings`.

        Raises AssayError(INVALID_ARGUMENT) naming each bad setting.
        """
        if isinstance(settings, cls):
            return settings
        return load(cls, **settings.model_dump())

    @property
    def session_lifetime(self) -> timedelta:
        """How long a session lasts."""
        return timedelta(hours=self.gateway_session_hours)

    def database_url(self) -> str:
        """The database to open."""
        if self.gateway_database:
            return self.gateway_database
        return f"sqlite:///{self.folder('gateway') / 'gateway.sqlite'}"
