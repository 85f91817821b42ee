"""A real Prometheus for tests, which fetches the metrics of processes on this machine."""

from __future__ import annotations

import json
import math
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

_READY_TRIES = 400
_TOOLS = Path(__file__).resolve().parents[2] / ".tools"

Series = list[tuple[dict[str, str], list[tuple[float, float]]]]
"""Labels, and values by their moments in seconds since 1970."""


class PrometheusAbsent(Exception):
    """There is none to run here."""


@dataclass(frozen=True)
class Prometheus:
    """One that runs."""

    address: str

    def over(self, query: str, start: float, end: float, step: float = 1.0) -> Series:
        """What a query gives between two moments, without what is no number."""
        asked = {"query": query, "start": start, "end": end, "step": step}
        return [
            (each["metric"], _numbers(each["values"]))
            for each in self._data("query_range", asked)["result"]
        ]

    def at(self, query: str, moment: float) -> Series:
        """What a query gives at one moment."""
        asked = {"query": query, "time": moment}
        return [
            (each["metric"], _numbers([each["value"]]))
            for each in self._data("query", asked)["result"]
        ]

    def _data(self, what: str, asked: dict[str, object]) -> Any:
        with urlopen(f"{self.address}/api/v1/{what}?{urlencode(asked)}", timeout=30) as value:
            return json.load(value)["data"]


@contextmanager
def prometheus_server(
    folder: Path, targets: Sequence[str], rules: Sequence[Path] = (), seconds: float = 1.0
) -> Iterator[Prometheus]:
    """Run it on `folder`, fetching from each target (host:port) every so many seconds.

    Raises PrometheusAbsent.
    """
    program = shutil.which("prometheus") or shutil.which("prometheus", path=str(_TOOLS))
    if program is None:
        raise PrometheusAbsent("there is no prometheus here: `make tools` fetches it where apt is")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    interval = f"{round(seconds * 1000)}ms"
    settings = {
        "global": {"scrape_interval": interval, "evaluation_interval": interval},
        "rule_files": [str(path) for path in rules],
        "scrape_configs": [
            {"job_name": "assay", "static_configs": [{"targets": list(targets)}]},
        ],
    }
    written = folder / "prometheus.yml"  # JSON is YAML
    written.write_text(json.dumps(settings))
    wanted = [
        f"--config.file={written}",
        f"--storage.tsdb.path={folder / 'series'}",
        f"--web.listen-address={address}",
        f"--web.console.templates={folder}",
        f"--web.console.libraries={folder}",
    ]
    with (folder / "prometheus.log").open("w") as log:
        process = subprocess.Popen([program, *wanted], stdout=log, stderr=log)
    try:
        _answering(f"http://{address}", process)
        yield Prometheus(f"http://{address}")
    finally:
        process.terminate()
        process.wait(30)


def _answering(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(_READY_TRIES):
        try:
            with urlopen(f"{address}/-/ready", timeout=5):
                return
        except OSError:
            try:  # a process that ends meanwhile is seen at once
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
            break
    raise PrometheusAbsent("prometheus does not start")


def _numbers(values: Sequence[Sequence[Any]]) -> list[tuple[float, float]]:
    numbers = [(float(moment), float(value)) for moment, value in values]
    return [(moment, value) for moment, value in numbers if math.isfinite(value)]
