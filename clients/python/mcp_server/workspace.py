"""The session of the mesh that a client's frames are in: opened when the first is made."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

from clients.python.cli.naming import whole_id
from clients.python.client import AssayClient
from mesh.errors import NOT_FOUND, SESSION_EXPIRED, AssayError
from mesh.prose.front_matter import is_short_name

_MOST_OPEN = 1_000
_TITLE = "tools for models"


@dataclass
class Workspace:
    """One client's session, and the jobs of its frames by their names as far as they are known."""

    opened: str = ""
    jobs: dict[str, str] = field(default_factory=dict)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def session(self, client: AssayClient) -> str:
        """The id of the session. Raises AssayError."""
        async with self._opening:
            if not self.opened:
                self.opened = (await client.sessions.create(_TITLE)).session_id
                self.jobs.clear()
            return self.opened

    def forget(self, error: AssayError) -> None:
        """Begin anew with the next frame where the session is over, or gone."""
        if error.reason is SESSION_EXPIRED:
            self.opened = ""

    async def job(self, client: AssayClient, name: str) -> str:
        """The job that a name of a frame, or an id, stands for. Raises AssayError(NOT_FOUND)."""
        if not is_short_name(name) or not self.opened:
            return await _by_id(client, name)
        if name not in self.jobs:
            listed = await client.sessions.jobs(self.opened)
            self.jobs |= {one.analysis.frame: one.job_id for one in listed if one.analysis.frame}
        return self.jobs.get(name) or await _by_id(client, name)


async def _by_id(client: AssayClient, name: str) -> str:
    try:
        return await whole_id(client, name)
    except AssayError as error:
        if not is_short_name(name):
            raise
        raise AssayError(
            NOT_FOUND,
            f"there is no frame {name} in this session",
            hint="Frames are of the session in which they were made: query again.",
        ) from error


class Workspaces:
    """Of everybody who speaks with a server; of the many that come and go the last are kept."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Workspace] = OrderedDict()

    def of(self, who: str) -> Workspace:
        """The workspace of one client, by what tells it apart."""
        found = self._known.setdefault(who, Workspace())
        self._known.move_to_end(who)
        while len(self._known) > _MOST_OPEN:
            self._known.popitem(last=False)
        return found
