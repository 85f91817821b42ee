"""Which embedder to use, and what to tell people about the choice."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from mesh.errors import INVALID_ARGUMENT, AssayError
from services.memory.adapters.embedder_hashed import HashedEmbedder
from services.memory.adapters.embedder_minilm import MiniLmEmbedder, model_folder
from services.memory.ports import Embedder

EmbedderChoice = Literal["auto", "minilm", "hashed"]

SET_UP = "python -m services.memory.adapters.minilm_setup"


class EmbedderSettings(Protocol):
    """What the choice depends on.

    "auto" takes MiniLM where it is set up and hashing elsewhere; `model_folder` None means the
    usual place.
    """

    @property
    def embedder(self) -> EmbedderChoice:
        """Which embedder is wanted."""
        ...

    @property
    def model_folder(self) -> Path | None:
        """The folder that holds MiniLM's files."""
        ...


class ChosenEmbedder(NamedTuple):
    """An embedder; `remark` says what people should know of it, and is empty for the best."""

    embedder: Embedder
    remark: str


def choose_embedder(settings: EmbedderSettings) -> ChosenEmbedder:
    """The embedder that settings and installed files allow, not loaded yet.

    Raises AssayError (INVALID_ARGUMENT) when MiniLM is asked for by name and is not set up.
    """
    folder = settings.model_folder or model_folder()
    if settings.embedder == "hashed":
        return ChosenEmbedder(HashedEmbedder(), "recall compares spelling, as configured")
    if MiniLmEmbedder.installed(folder):
        return ChosenEmbedder(MiniLmEmbedder(folder), "")
    if settings.embedder == "minilm":
        raise AssayError(
            INVALID_ARGUMENT,
            f"the embedder minilm is configured, but its model is not in {folder}",
            hint=f"Run `{SET_UP}`, or configure the embedder as auto.",
        )
    return ChosenEmbedder(
        HashedEmbedder(),
        f"recall compares spelling, not meaning: no model in {folder}; `{SET_UP}` makes it",
    )
