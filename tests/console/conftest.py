"""A mesh with its console in a process of its own, and a real browser that walks through its pages.

A walk is a script of `walks/`, run by Node with Playwright; what it asks for by a line "do: NAME"
on its output is done here, and it goes on when it reads a line.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from clients.python.consoles import start_link
from mesh.processes.lifeline import VARIABLE
from tests.busy import allowing

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
RUN = "import sys; sys.argv[0] = 'assay'; from clients.python.cli.main import run; run()"
START_SECONDS = 120.0
WALK_SECONDS = 240.0
Doing = Mapping[str, Callable[[], object]]


@dataclass
class ConsoleServer:
    """`assay up` on a home of its own, at a port that stays the same when it starts again."""

    home: Path
    port: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[str] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start it, and wait until it says where its console is."""
        environment = {
            **os.environ,
            "ASSAY_HOME": str(self.home),
            "ASSAY_EMBEDDER": "hashed",
            **self.settings,
        }
        environment.pop(VARIABLE, None)
        arguments = ["up", "--listen", "127.0.0.1:0", "--console", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN, *arguments],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("console"):
                break
        link = self.link
        assert link, "the server ended before it served a console"
        self.port = int(link.split(":")[2].partition("/")[0])

    def stop(self) -> None:
        """Stop it as a person would, by SIGTERM."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(allowing(60))
            self.process = None

    def restart(self) -> None:
        """Stop it and start it again at the same address."""
        self.stop()
        self.start()

    def let_time_pass(self, table: str) -> None:
        """Have the time of all rows of a table of the gateway be over, as if it had passed."""
        with closing(sqlite3.connect(self.home / "gateway" / "gateway.sqlite")) as database:
            database.execute(f"UPDATE {table} SET expires_at = created_at")
            database.commit()

    @property
    def link(self) -> str:
        """What signs this machine's user in."""
        return start_link(self.home)

    def command(self, *arguments: str) -> str:
        """What a command of `assay` prints, on the same home."""
        environment = {**os.environ, "ASSAY_HOME": str(self.home)}
        done = subprocess.run(
            [sys.executable, "-c", RUN, *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=allowing(120),
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@contextmanager
def console_server(settings: Mapping[str, str] | None = None) -> Iterator[ConsoleServer]:
    """A server for as long as the block lasts, with settings beside its own."""
    with tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True) as folder:
        server = ConsoleServer(Path(folder) / "home", settings=settings or {})
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser; skips where it, Node or the libraries of the walks are not."""
    if "console" in os.environ.get("ASSAY_TEST_WITHOUT", "").split():
        pytest.skip("the console is as when it was last seen whole (.ci/parts.json)")
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    if shutil.which("node") is None:
        pytest.skip("no Node here")
    if not (HERE / "node_modules").is_dir():
        pytest.skip("no Playwright here: npm ci --prefix tests/console")
    return found


@pytest.fixture(scope="session")
def server(chromium: str) -> Iterator[ConsoleServer]:
    """The server that walks share."""
    del chromium
    with console_server() as running:
        yield running


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """Sixty sales of three regions."""
    lines = ["sale_id,sold_on,region,product,quantity"]
    for n in range(60):
        region, product = ("North", "South", "West")[n % 3], ("chair", "desk")[n % 2]
        day = f"2024-{n % 12 + 1:02d}-{n % 28 + 1:02d}"
        lines.append(f"{n + 1},{day},{region},{product},{n % 5 + 1}")
    path = tmp_path / "sales.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


Walk = Callable[..., str]


@pytest.fixture
def walk(chromium: str, server: ConsoleServer, tmp_path: Path) -> Walk:
    """Runs a walk of `walks/` by name; what it printed. Fails with that where the walk does."""

    def run(
        name: str, *, doing: Doing | None = None, at: ConsoleServer = server, **given: object
    ) -> str:
        told = {"start": at.link, "chromium": chromium, "folder": str(tmp_path), **given}
        process = subprocess.Popen(
            ["node", str(HERE / "walks" / f"{name}.mjs")],
            env={**os.environ, "WALK": json.dumps(told)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdin is not None and process.stdout is not None
        printed = []
        for line in process.stdout:
            printed.append(line)
            if line.startswith("do: "):
                (doing or {})[line[4:].strip()]()
                process.stdin.write("done\n")
                process.stdin.flush()
        assert process.wait(allowing(WALK_SECONDS)) == 0, "".join(printed)
        return "".join(printed)

    return run
