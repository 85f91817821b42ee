"""Settings of the memory service, from ASSAY_MEMORY_* and ASSAY_EMBEDDER variables."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from mesh.config import MeshSettings
from services.memory.adapters.embedders import EmbedderChoice


class MemorySettings(MeshSettings):
    """Which Qdrant, and which embedder."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", frozen=True, extra="ignore")

    memory_qdrant_url: str = ""
    """A Qdrant server; empty means Qdrant in process, in the home folder."""

    memory_qdrant_key: SecretStr | None = None
    """Its key."""

    memory_room_bytes: int = Field(default=64 << 20, ge=0)
    """Free bytes on the disk of the home folder below which nothing is remembered."""

    embedder: EmbedderChoice = "auto"
    """What makes vectors of words: MiniLM, by meaning; or hashes, by spelling. By itself the first
    whose files are there."""

    model_folder: Path | None = None
    """Where MiniLM's files are; in the platform's cache folder if not given."""
