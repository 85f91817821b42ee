"""Sources under names: what a user asks about again and again, kept by the gateway."""

from __future__ import annotations

import re

from assay.common.v1.data_pb2 import DataSource
from assay.gateway.v1 import source_service_pb2 as pb
from assay.gateway.v1 import source_service_pb2_grpc
from clients.python.calls import answered
from mesh.credentials import REFERENCE

_KEPT_AT = re.compile(rf"[?&]{REFERENCE}=[^&]*")


class KnownSources:
    """SourceService as methods; every one raises AssayError."""

    def __init__(self, stub: source_service_pb2_grpc.SourceServiceStub) -> None:
        self._stub = stub

    async def add(self, name: str, source: DataSource) -> pb.AddSourceResponse:
        """Keep a source that can be read under a name; repeating it changes nothing."""
        return await answered(self._stub.AddSource(pb.AddSourceRequest(name=name, source=source)))

    async def get(self, name: str) -> pb.Source:
        """One of the caller's sources."""
        return (await answered(self._stub.GetSource(pb.GetSourceRequest(name=name)))).source

    async def all(self) -> list[pb.Source]:
        """The caller's sources by name."""
        found: list[pb.Source] = []
        token = ""
        while True:
            request = pb.ListSourcesRequest(page_token=token)
            page = await answered(self._stub.ListSources(request))
            found += page.sources
            token = page.next_page_token
            if not token:
                return found

    async def first(self) -> list[pb.Source]:
        """The caller's sources on the first page: the least that a caller may ask for."""
        return list((await answered(self._stub.ListSources(pb.ListSourcesRequest()))).sources)

    async def remove(self, name: str) -> None:
        """Forget a name; the data stays where it is."""
        await answered(self._stub.RemoveSource(pb.RemoveSourceRequest(name=name)))


def place_of(source: DataSource) -> str:
    """Where a source is, for people: nothing of what is secret in it, nor where that is kept."""
    if source.connection_string:
        return _KEPT_AT.sub("", source.connection_string)
    return source.file_path or source.source_name or source.file_id


def has_password(source: DataSource) -> bool:
    """Whether a password is kept for it."""
    return _KEPT_AT.search(source.connection_string) is not None
