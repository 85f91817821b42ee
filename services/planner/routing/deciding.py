"""Which domains a question is put to: routing with the vectors that memory makes."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from mesh import context as calls
from mesh.errors import AssayError
from services.planner.domain.routing.decision import DomainRoutingDecision
from services.planner.domain.routing.domain import Domain
from services.planner.domain.routing.route import route, to_embed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger("assay.planner")


class TextVectors(Protocol):
    """What has the vectors of short texts."""

    async def vectors(self, texts: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """A vector for each text; nothing where meaning is not known. Raises AssayError."""
        ...


class Routing:
    """Decides by meaning within `seconds`; by words alone when memory is away, slow or without a
    model, and the decision says so."""

    def __init__(self, meanings: TextVectors, seconds: float) -> None:
        self._meanings = meanings
        self._seconds = seconds

    async def decide(self, question: str, domains: Sequence[Domain]) -> DomainRoutingDecision:
        """The domains that a question is about, with the reasons. Raises nothing of memory's."""
        try:
            with calls.changed(seconds=self._seconds):
                vectors = await self._meanings.vectors(to_embed(question, domains))
        except AssayError as error:
            log.warning("domains are told apart by words alone: %s", error)
            vectors = {}
        return route(question, domains, vectors)
