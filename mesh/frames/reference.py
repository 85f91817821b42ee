"""A frame's name card: what it is, how large, and where its rows can be had."""

from __future__ import annotations

import builtins
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    import pyarrow as pa


class LocationKind(StrEnum):
    """How rows at a location are fetched."""

    PATH = "path"  # an Arrow IPC file on this host, to be memory-mapped
    FLIGHT = "flight"  # an Arrow Flight endpoint with its ticket


class Location(BaseModel):
    """One place that holds a frame's rows; `uri` is a file path or a Flight address.

    `ticket` opens a Flight location; it is never recorded.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    kind: LocationKind
    uri: str = Field(min_length=1)
    ticket: builtins.bytes = Field(default=b"", repr=False)


class FrameRef(BaseModel):
    """A table that travels by name instead of by value.

    `digest` is `mesh.digest.frame_digest` and the frame's identity; `name` is for people.
    `schema_bytes` is the schema as an encapsulated Arrow IPC message. `bytes` is the size of the
    stored IPC file. `locations` are ordered, nearest first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    schema_bytes: builtins.bytes
    rows: int = Field(ge=0)
    bytes: int = Field(ge=0)
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")
    locations: tuple[Location, ...] = ()

    def arrow_schema(self) -> pa.Schema:
        """Column names and Arrow types. Raises AssayError SOURCE_NOT_READABLE."""
        from mesh.frames.codec import decode_schema

        return decode_schema(self.schema_bytes)

    def path(self) -> Path | None:
        """The first location that is a file of this host, or None."""
        found = (place.uri for place in self.locations if place.kind is LocationKind.PATH)
        return next(map(Path, found), None)

    def flights(self) -> tuple[Location, ...]:
        """The Flight locations."""
        return tuple(place for place in self.locations if place.kind is LocationKind.FLIGHT)
