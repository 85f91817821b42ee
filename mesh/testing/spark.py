"""A Spark Connect server for tests, made of pyspark's own wheel and gone afterwards."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

_START_SECONDS = 180.0
_STOP_SECONDS = 15.0
_POLL = threading.Event()
# Each statement of a test is new code that runs once: to compile it well costs more than it saves.
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class SparkAbsent(RuntimeError):
    """There is no Spark to run here; the text says what is missing."""


class SparkServer:
    """A server on one port, which can be killed and started again.

    `folder` holds its log, its warehouse and what it spills.
    """

    def __init__(self, home: Path, folder: Path, memory: str, settings: Mapping[str, str]) -> None:
        self.folder = folder
        self._home = home
        self._memory = memory
        self._port = _free_port()
        self._settings = {**settings, "spark.connect.grpc.binding.port": str(self._port)}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """What clients call it: sc://127.0.0.1:PORT."""
        return f"sc://127.0.0.1:{self._port}"

    @property
    def pid(self) -> int:
        """The process while it runs. Raises RuntimeError when it does not."""
        if self._process is None:
            raise RuntimeError("the Spark server is not running")
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers. Raises RuntimeError when it does not come up."""
        self._process = process = _started(self._home, self.folder, self._settings, self._memory)
        deadline = time.monotonic() + _START_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            if self._answers():
                return
            _POLL.wait(0.2)
        log = (self.folder / "server.log").read_text(errors="replace")
        raise RuntimeError(f"the Spark server did not come up; the end of its log:\n{log[-2000:]}")

    def stop(self) -> None:
        """End it, gently and then by force."""
        self._signal(signal.SIGTERM)
        try:
            if self._process is not None:
                self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None

    def kill(self) -> None:
        """End it at once, as a crash would; when this returns, its port is free."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait(_STOP_SECONDS)
        deadline = time.monotonic() + _STOP_SECONDS
        while self._answers() and time.monotonic() < deadline:
            _POLL.wait(0.05)

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
            return True
        return False

    def _signal(self, number: int) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)


@contextmanager
def spark_server(
    *, memory: str = "1g", cores: int = 2, settings: Mapping[str, str] | None = None
) -> Iterator[SparkServer]:
    """A running server on a free port of this machine, stopped and removed afterwards.

    `memory` is the heap of its one process, as Java spells it. It takes about 13 s to start.
    Raises SparkAbsent when Java or pyspark is missing, RuntimeError when it does not come up.
    """
    home = _spark_home()
    folder = Path(tempfile.mkdtemp(prefix="assay-spark-"))
    server = SparkServer(home, folder, memory, _configuration(folder, cores, settings))
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _spark_home() -> Path:
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise SparkAbsent("no Java is installed")
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        raise SparkAbsent("pyspark is not installed (the extra `spark`)")
    return Path(found.origin).parent


def _configuration(folder: Path, cores: int, settings: Mapping[str, str] | None) -> dict[str, str]:
    return {
        "spark.master": f"local[{cores}]",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.local.dir": str(folder / "scratch"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.shuffle.partitions": str(cores),
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": _JAVA,
        **(settings or {}),
    }


def _started(
    home: Path, folder: Path, configuration: Mapping[str, str], memory: str
) -> subprocess.Popen[bytes]:
    arguments = [part for pair in configuration.items() for part in ("--conf", "=".join(pair))]
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_NO_DAEMONIZE": "1",
        "SPARK_LOG_DIR": str(folder),
        "SPARK_PID_DIR": str(folder),
    }
    with (folder / "server.log").open("wb") as log:
        return subprocess.Popen(
            [
                "bash",
                str(home / "sbin" / "start-connect-server.sh"),
                "--driver-memory",
                memory,
                *arguments,
            ],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
