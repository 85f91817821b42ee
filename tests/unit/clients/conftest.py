"""A command on a fake gateway, and what it printed."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from clients.python import embedded
from clients.python.cli.harmless import HarmlessConsole
from clients.python.cli.screen import Screen
from mesh.proof.cosignature import WitnessSigningKey
from tests.unit.clients.bundles import exported
from tests.unit.clients.fake_gateway import FakeGateway, Running
from tests.unit.clients.proven import WITNESS_KEY, proven_gateway
from tests.unit.clients.script import JOB_ID

GOLDEN = Path(__file__).parents[2] / "golden" / "cli"


class Paper(io.StringIO):
    """Text that says when there is more of it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = asyncio.Event()

    def write(self, text: str) -> int:
        self.written.set()
        return super().write(text)


class Printed(Screen):
    """A screen that keeps what was printed, as a file of 100 columns or as a terminal."""

    def __init__(self, *, as_json: bool = False, terminal: bool = False) -> None:
        self.file = Paper()
        console = HarmlessConsole(
            file=self.file,
            width=100,
            height=50,
            force_terminal=terminal,
            highlight=False,
            markup=False,
            emoji=False,
            color_system=None,
            legacy_windows=False,
            _environ={},
        )
        super().__init__(as_json=as_json, out=console)

    def seconds(self) -> float:
        return 0.4

    async def printed(self, text: str) -> None:
        """Return once `text` has been printed."""
        while text not in self.text:
            self.file.written.clear()
            await self.file.written.wait()

    @property
    def text(self) -> str:
        return self.file.getvalue()


@pytest.fixture
def golden(tmp_path: Path) -> Callable[[str, str], None]:
    """Compare text with tests/golden/cli/<name>; ASSAY_GOLDEN=write makes it what was printed."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        shown = text.replace(str(tmp_path), "/tmp/here")
        if os.environ.get("ASSAY_GOLDEN") == "write":
            path.write_text(shown, encoding="utf-8")
        assert shown == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and a job id that is known beforehand."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("clients.python.request.new_id", lambda: JOB_ID)
    return tmp_path


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[[FakeGateway], None]:
    """Make a fake gateway the mesh that is installed on this machine."""

    def install(gateway: FakeGateway) -> None:
        @asynccontextmanager
        async def mesh(
            home: Path, *, web: str | None = None, listen: str | None, soon: object = ()
        ) -> AsyncIterator[Running]:
            async with gateway.serving(home) as target:
                yield Running(target, (listen or "").replace(":0", ":7400"))

        class Entry:
            def load(self) -> Any:
                return mesh

        monkeypatch.setattr(embedded, "entry_points", lambda **_: [Entry()])

    return install


@pytest_asyncio.fixture
async def bundle(tmp_path: Path) -> Path:
    """An exported job, as an archive."""
    return await _copied(tmp_path / "job.zip")


@pytest_asyncio.fixture
async def cosigned(tmp_path: Path) -> Path:
    """A bundle with every member there can be: a witness's key too."""
    return await _copied(tmp_path / "cosigned.zip", WITNESS_KEY)


_EXPORTED: dict[str, bytes] = {}


async def _copied(place: Path, *witnesses: WitnessSigningKey) -> Path:
    """An archive as it is exported; equal keys export equal jobs, so only the first time it is."""
    if place.name not in _EXPORTED:
        await exported(proven_gateway(witnesses), place.parent, place.name)
        _EXPORTED[place.name] = place.read_bytes()
    place.write_bytes(_EXPORTED[place.name])
    return place
