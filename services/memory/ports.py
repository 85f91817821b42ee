"""What memory needs from outside: a store of vectors, and something that makes vectors of text.

Every method of a store takes the tenant first and without a default: a search that forgets it
does not type-check and does not run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32]"
"""One embedding, of length 1, shape [dimension]."""

Vectors: TypeAlias = "NDArray[np.float32]"
"""One embedding a row, shape [texts, dimension]."""


@dataclass(frozen=True, slots=True)
class Where:
    """Which points: each `equal` field has that value, and no `unlike` field has.

    A field that holds a list has every value in the list. Values are text only: Qdrant in process
    takes a Boolean for the number 1 and finds nothing.
    """

    equal: Mapping[str, str] = field(default_factory=dict)
    unlike: Mapping[str, str] = field(default_factory=dict)


EVERYTHING = Where()


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Something remembered: an id that is unique within its tenant, fields, and a vector."""

    point_id: str
    payload: Mapping[str, Any]
    vector: Vector


@dataclass(frozen=True, slots=True)
class Entry:
    """A point without its vector."""

    point_id: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Hit:
    """A point that a search found; `similarity` is a cosine, from -1 to 1."""

    point: Point
    similarity: float


@dataclass(frozen=True, slots=True)
class Page:
    """Some points, and where to go on; `next` is None after the last page."""

    points: tuple[Entry, ...]
    next: str | None


class VectorStore(Protocol):
    """One collection of points.

    A write MUST be seen by every later read of the same process and MUST survive `kill -9` of it
    once it returned. Every method raises AssayError: SERVICE_UNAVAILABLE when the store cannot
    be reached, INVALID_ARGUMENT for an empty tenant.
    """

    async def upsert(self, tenant: str, points: Sequence[Point]) -> None:
        """Write points, replacing the tenant's points of the same ids."""
        ...

    async def search(self, tenant: str, where: Where, vector: Vector, limit: int) -> list[Hit]:
        """The tenant's nearest points by cosine, best first, at most `limit`."""
        ...

    async def get(self, tenant: str, point_id: str) -> Point | None:
        """The tenant's point of that id, or None."""
        ...

    async def scroll(self, tenant: str, where: Where, limit: int, after: str | None = None) -> Page:
        """The tenant's points in a stable order of the store's own, from the page `after`.

        Their vectors stay where they are: who lists things reads none of them.
        """
        ...

    async def delete(self, tenant: str, where: Where) -> int:
        """Delete the tenant's points; returns how many there were."""
        ...

    async def count(self, tenant: str, where: Where = EVERYTHING) -> int:
        """How many points the tenant has."""
        ...

    async def close(self) -> None:
        """Let go of the storage; may be called twice."""
        ...


class Embedder(Protocol):
    """Turns text into vectors whose cosine says how alike two texts are.

    Vectors of two embedders mean nothing to each other; `name` changes whenever equal text may
    give another vector.
    """

    @property
    def name(self) -> str:
        """Which embedder and which version made a vector."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers in one vector."""
        ...

    @property
    def same_meaning(self) -> float:
        """Cosine from which two short texts are taken to say the same."""
        ...

    @property
    def by_meaning(self) -> bool:
        """Whether texts of one meaning are near each other, not only those of like spelling."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 a text. Never blocks the event loop."""
        ...
