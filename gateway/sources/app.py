"""What the gateway does with sources that have names: keep, show, forget, stand in for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gateway.domain.known_source import KnownSource
from gateway.store_ports import KnownSourceStore
from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import NAME_TAKEN, NO_DATA_SOURCES, NOT_FOUND, AssayError

_MOST_NAMED = 8


class KnownSources:
    """The use cases of SourceService, for the caller of the running call."""

    def __init__(self, store: KnownSourceStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def add(self, name: str, source: str, same: Callable[[KnownSource], bool]) -> KnownSource:
        """Keep a source under a name; again for the same one it changes nothing.

        `same` says of what the name stands for whether it is the same place: then what is said of
        it, such as its semantic model, is put in place of what was. Raises AssayError(NAME_TAKEN).
        """
        tenant = calls.current().tenant
        known = await self._store.add(KnownSource(tenant, name, source, self._clock.now()))
        if known.source != source and same(known):
            return await self._store.replace(replace(known, source=source))
        if known.source != source:
            raise AssayError(
                NAME_TAKEN,
                f"{name} is another source already",
                fields={"name": "stands for another source"},
            )
        return known

    async def get(self, name: str) -> KnownSource:
        """The caller's source of that name. Raises AssayError(NOT_FOUND), naming what there is."""
        known = await self._store.get(calls.current().tenant, name)
        if known is None:
            raise AssayError(NOT_FOUND, f"there is no source {name!r}", hint=await self._there_is())
        return known

    async def page(self, size: int, token: str) -> tuple[list[KnownSource], str]:
        """The caller's sources by name, and the token of the next page."""
        return await self._store.page(calls.current().tenant, size, token)

    async def remove(self, name: str) -> None:
        """Forget a source. Raises AssayError(NOT_FOUND)."""
        if not await self._store.remove(calls.current().tenant, name):
            raise AssayError(NOT_FOUND, f"there is no source {name!r}", hint=await self._there_is())

    async def only(self) -> KnownSource | None:
        """What a request is about that names no source: the only one that the caller has.

        None where there is none. Raises AssayError(NO_DATA_SOURCES) where there are several.
        """
        found, _ = await self.page(2, "")
        if len(found) > 1:
            raise AssayError(
                NO_DATA_SOURCES,
                "the request names no data, and several sources are known",
                hint=await self._there_is(),
            )
        return found[0] if found else None

    async def _there_is(self) -> str:
        found, more = await self.page(_MOST_NAMED, "")
        names = ", ".join(known.name for known in found)
        if not names:
            return "No source has been added yet."
        return f"There is {names}{' and others' if more else ''}."
