"""A mesh that is asked a few questions, and all that leaves it: what tests of its signals look at.

One mesh, one process; every part of each question holds a mark: words, cells, names, paths,
queries, connections.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from mesh.config import SERVICES, MeshSettings, load
from mesh.testing.model_server import Answered, model_server
from mesh.testing.prometheus_server import PrometheusAbsent, Series, prometheus_server
from tests.busy import allowing
from tests.deployment.asked import FOLDER, shown
from tests.mesh.otlp import Receiver, receiving
from tests.mesh.support import Caller, processes, question, refusal

MARK = "quuxley"
PATIENCE_SECONDS, STEP_SECONDS = 170, 1.0
MODEL = "openai:scripted"
SUMMARY = (analysis_pb2.DELIVERABLE_TABLES, analysis_pb2.DELIVERABLE_SUMMARY)


@dataclass
class Told:
    """All that a mesh told, and the jobs it told of."""

    receiver: Receiver
    jobs: dict[str, job_pb2.Job] = field(default_factory=dict)
    scraped: str = ""
    shown: dict[str, Series] | None = None
    """What the dashboard would show, by panel and query; None without a Prometheus."""

    alerts: Series = field(default_factory=list)
    log: str = ""

    def lines(self) -> list[dict[str, Any]]:
        found = []
        for line in self.log.splitlines():
            with suppress(json.JSONDecodeError):
                found.append(json.loads(line))
        return found

    def points(self, name: str) -> list[Any]:
        metric = self.receiver.metrics[name]
        return list(getattr(metric, metric.WhichOneof("data")).data_points)


def attributes(point: Any) -> dict[str, str]:
    return {item.key: item.value.string_value for item in point.attributes}


def value(point: Any) -> float:
    """A point's number; of a distribution, its sum."""
    if hasattr(point, "bucket_counts"):
        return float(point.sum)
    return float(point.as_int or point.as_double)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


KNOWN = f"total quantity by {MARK} region"
UNHEARD_OF = f"zorkify the {MARK} frobnicators"


def planned(query: str, words: str) -> Answered:
    """A statement to which these words of a question are bound."""
    return Answered(
        {
            "kind": "answer",
            "interpretation": f"pieces of {MARK} by region",
            "statement": query,
            "bindings": [{"words": words, "fragment": query, "kind": "metric"}],
        }
    )


async def asked(caller: Caller, folder: Path, fetched: Fetched) -> dict[str, job_pb2.Job]:
    """Questions that are answered, answered again, planned by a model, and that fail."""
    sales = folder / f"{MARK}.csv"
    rows = [f"{n},2024-01-{n % 28 + 1:02d},{MARK}{n % 3},{n % 5 + 1}" for n in range(60)]
    sales.write_text("\n".join([f"sale_id,sold_on,{MARK}_region,quantity", *rows]) + "\n")
    nowhere = question("total quantity", folder / f"no_{MARK}.csv")
    away = question("total quantity")
    away.analysis.data_sources.append(
        data_pb2.DataSource(connection_string=f"postgresql://{MARK}:{MARK}@127.0.0.1:1/{MARK}")
    )
    model = question(UNHEARD_OF, sales, deliverables=SUMMARY, timeout=PATIENCE_SECONDS)
    jobs = {"answered": await caller.asked(question(KNOWN, sales, timeout=PATIENCE_SECONDS))}
    await fetched(1)  # Prometheus counts what a series grows by, and not what it begins with
    jobs |= {
        "again": await caller.asked(question(KNOWN, sales, timeout=PATIENCE_SECONDS)),
        "by a model": await caller.asked(model),
        "no such file": await caller.asked(nowhere),
    }
    with suppress(Exception):  # whether it becomes a job is not what this is about
        jobs["away"] = await caller.asked(away)
    await refusal(caller.jobs.CreateJob(_malformed()))
    return jobs


def _malformed() -> Any:
    from assay.gateway.v1 import job_service_pb2 as jobs_pb

    return jobs_pb.CreateJobRequest(
        request_id=f"not an id: {MARK}", analysis=analysis_pb2.AnalysisRequest(intent=MARK)
    )


async def nothing_fetches(_: int) -> None:
    """There is no Prometheus to wait for."""


Fetched = Callable[[int], Awaitable[None]]
"""Waits until that many jobs that ended were fetched by whoever fetches, twice."""


@asynccontextmanager
async def watched_by_prometheus(told: Told, folder: Path, port: int) -> AsyncIterator[Fetched]:
    """Has a Prometheus fetch all the while, where there is one, and notes what it makes of it."""
    began = time.time()
    with ExitStack() as stack:
        try:
            server = prometheus_server(folder, [f"127.0.0.1:{port}"], [FOLDER / "alerts.yaml"], 0.2)
            prometheus = stack.enter_context(server)
        except PrometheusAbsent:
            yield nothing_fetches
            return

        async def fetched(ended: int) -> None:
            done = f"sum(assay_job_duration_seconds_count) == {ended}"
            for told_last in ("assay_job", "rpc_server_call"):
                series = f"{told_last}_duration_seconds_count"
                done += f" and min(count_over_time({series}[1h])) >= 2"
            async with asyncio.timeout(allowing(60)):
                while not await asyncio.to_thread(prometheus.at, done, time.time()):
                    pass

        yield fetched
        await fetched(len(told.jobs))
        ended = time.time() + STEP_SECONDS  # else the last step lies before what was fetched last
        told.shown = {
            name: await asyncio.to_thread(prometheus.over, query, began, ended)
            for name, query in shown("30s", f"{int(ended - began) + 1}s").items()
        }
        told.alerts = await asyncio.to_thread(prometheus.at, "ALERTS", time.time())


async def told_by_a_mesh(folder: Path) -> Told:
    home = folder / "home"
    home.mkdir()
    socket_path = f"unix:{home}/mesh.sock"
    addresses = {f"{name}_address": socket_path for name in SERVICES}
    settings = load(
        MeshSettings,
        home=home,
        drain_seconds=5.0,
        local_paths=True,
        listen=socket_path,
        **addresses,
    )
    port = free_port()
    async with receiving() as (receiver, endpoint), model_server() as server:
        query = f'SELECT "{MARK}_region", sum(quantity) AS pieces FROM {MARK} GROUP BY 1'
        server.will(*(planned(query, words) for words in (KNOWN, UNHEARD_OF)))
        extra = {
            "OTEL_BSP_SCHEDULE_DELAY": "50",
            "OTEL_METRIC_EXPORT_INTERVAL": "200",
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            "OTEL_EXPORTER_OTLP_INSECURE": "true",
            "OTEL_METRICS_EXPORTER": "otlp,prometheus",
            "OTEL_LOGS_EXPORTER": "otlp",
            "OTEL_EXPORTER_PROMETHEUS_HOST": "127.0.0.1",
            "OTEL_EXPORTER_PROMETHEUS_PORT": str(port),
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=tests",
            "ASSAY_EMBEDDER": "hashed",
            "ASSAY_LLM": MODEL,
            "ASSAY_LLM_BASE_URL": server.base_url,
            "ASSAY_LLM_KEY": f"sk-{MARK}",
            "ASSAY_LLM_SAMPLES": "1",
            "ASSAY_LLM_PRICES": json.dumps({MODEL: [1.0, 10.0]}),
        }
        told = Told(receiver)
        async with (
            processes(settings, [list(SERVICES)], extra),
            Caller(settings) as caller,
            watched_by_prometheus(told, folder, port) as fetched,
        ):
            told.jobs = await asked(caller, folder, fetched)
            page = await asyncio.to_thread(
                urllib.request.urlopen, f"http://127.0.0.1:{port}/metrics"
            )
            with page:
                told.scraped = page.read().decode()
        # What was still to be told was told before the process ended.
        async with asyncio.timeout(allowing(20)):
            while not {"analysis", "conclude"} <= {span.name for _, span in receiver.spans}:
                receiver.arrived.clear()
                await receiver.arrived.wait()
    told.log = (home / f"{'-'.join(SERVICES)}.log").read_text()
    return told
