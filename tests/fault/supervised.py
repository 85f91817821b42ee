"""A service in a process of its own that is started again whenever it dies, as Kubernetes does."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from mesh.config import MeshSettings
from tests.mesh.support import ServiceProcess, serving, start_process


class Supervised:
    """The service's present process; only its first life has the failpoint."""

    def __init__(
        self, settings: MeshSettings, name: str, extra: Mapping[str, str], module: str
    ) -> None:
        self._settings = settings
        self._name = name
        self._extra = extra
        self._module = module
        self._lives: list[ServiceProcess] = []
        self._died: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    @property
    def present(self) -> ServiceProcess:
        """The process that runs now, or ran last."""
        return self._lives[-1]

    def kill(self) -> None:
        """End the present life as `kill -9` does; the next begins by itself."""
        self.present.process.send_signal(signal.SIGKILL)

    async def died(self, seconds: float = 30.0) -> float:
        """The moment (monotonic seconds) of the first death."""
        return await asyncio.wait_for(asyncio.shield(self._died), seconds)

    async def serving(self) -> None:
        """Return when the present life answers."""
        await serving(self._settings, {self._name: self.present})

    async def live(self, failpoint: str) -> None:
        """Live, die, live again, until cancelled."""
        while True:
            point = {} if self._lives else {"ASSAY_FAILPOINT": failpoint}
            self._lives.append(
                start_process([self._name], self._settings, {**self._extra, **point}, self._module)
            )
            code = await asyncio.to_thread(self.present.process.wait)
            if code != -signal.SIGKILL:
                return
            if not self._died.done():
                self._died.set_result(time.monotonic())


@asynccontextmanager
async def supervised(
    settings: MeshSettings,
    name: str,
    failpoint: str = "",
    extra: Mapping[str, str] | None = None,
    module: str = "services",
) -> AsyncIterator[Supervised]:
    """Run a service beside a mesh that was started `without` it; yields when it answers."""
    service = Supervised(settings, name, extra or {}, module)
    life = asyncio.create_task(service.live(failpoint))
    try:
        await asyncio.sleep(0)
        await service.serving()
        yield service
    finally:
        life.cancel()
        await asyncio.gather(life, return_exceptions=True)
        await asyncio.to_thread(service.present.stop)
