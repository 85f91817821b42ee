"""What does the console cost over plain gRPC, and how soon is its page there?

`python -m bench.console [--times 300]`

The same list of jobs is asked of one warm mesh over gRPC, and over HTTP by Connect with messages in
protobuf and in JSON, by turns; told are medians and their ratio to gRPC's. Then Chromium opens the
start page five times without a cache: when it was painted, when it could be used, and the bytes of
scripts and styles that came for it, compressed.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2

from assay.gateway.v1 import job_service_pb2 as jobs_pb
from bench.measure import REPOSITORY, arguments, keep, print_table
from bench.support_served import served_mesh
from clients.python.consoles import start_link
from tests.mesh.support import Caller

PATH = "/assay.gateway.v1.JobService/ListJobs"
WARM_UP = 20


async def by_turns(
    ways: dict[str, Callable[[], Awaitable[Any]]], times: int
) -> dict[str, list[float]]:
    """Seconds of each round of each way, one after the other, so that a busy moment meets all."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for round_ in range(-WARM_UP, times):
        for name, call in ways.items():
            start = time.perf_counter()
            await call()
            if round_ >= 0:
                taken[name].append(time.perf_counter() - start)
    return taken


def page(start: str) -> dict[str, float]:
    """When the start page was painted and usable, in milliseconds, and how much came for it."""
    told = {"start": start, "chromium": shutil.which("chromium"), "folder": ""}
    done = subprocess.run(
        ["node", str(REPOSITORY / "tests" / "console" / "walks" / "speed.mjs")],
        env={**os.environ, "WALK": json.dumps(told)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _link(home: Path) -> str:
    """The start link, which is there some time after the services serve."""
    while not (start := start_link(home)):
        time.sleep(0.1)
    return start


async def measured(home: Path, times: int) -> dict[str, Any]:
    """Milliseconds by way, and the page's."""
    async with served_mesh(home, {"ASSAY_WEB": "127.0.0.1:0"}) as (settings, _):
        start = await asyncio.to_thread(_link, home)
        url = start.partition("/start")[0]
        async with (
            Caller(settings, "local") as caller,
            httpx2.AsyncClient(base_url=url, headers={"origin": url}) as web,
        ):
            await web.get(start)
            request = jobs_pb.ListJobsRequest(page_size=20)
            proto = {"content-type": "application/proto"}
            ways: dict[str, Callable[[], Awaitable[Any]]] = {
                "gRPC": lambda: caller.jobs.ListJobs(request),
                "Connect, protobuf": lambda: web.post(
                    PATH, content=request.SerializeToString(), headers=proto
                ),
                "Connect, JSON": lambda: web.post(PATH, json={"pageSize": 20}),
            }
            taken = await by_turns(ways, times)
        shown = await asyncio.to_thread(page, start)
    medians = {name: statistics.median(one) * 1e3 for name, one in taken.items()}
    return {"calls": medians, "page": shown}


def main(argv: list[str] | None = None) -> None:
    """Measure, and tell."""
    parser = arguments("console", __doc__)
    parser.add_argument("--times", type=int, default=300)
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True) as folder:
        found = asyncio.run(measured(Path(folder) / "home", given.times))
    plain = found["calls"]["gRPC"]
    rows = [[name, round(ms, 1), round(ms / plain, 1)] for name, ms in found["calls"].items()]
    print_table("a list of jobs", ("", "median ms", "times gRPC"), rows)
    shown = found["page"]
    print(
        f"start page: painted {shown['painted']:.0f} ms, usable {shown['usable']:.0f} ms, "
        f"{shown['bytes'] / 1000:.0f} KB of scripts and styles"
    )
    keep(found, given.json)


if __name__ == "__main__":
    main(sys.argv[1:])
