"""How long is a job without a planner? `python -m bench.resume`

A planner in a process of its own gets a job of several steps and is killed as `kill -9` does while
a step of it runs; another planner, on the same database and with the usual lease, takes over. Ten
times: seconds from the death to the first event that the other planner writes, and to the job's
end, beside the same job undisturbed. Target: resumed within 5 seconds.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from assay.common.v1 import job_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from bench.measure import arguments, keep, print_table
from examples.retailer import write_retailer
from services.executor.tools import plot_render
from tests.fault.support import RESUMED_WITHIN, USUAL, Ledger, Ward, asked, the_ward
from tests.mesh.support import for_planner

DEATHS = 10
HELD_TOOL = "plot_render"


@contextmanager
def watched_tool() -> Iterator[Ledger]:
    """A door before the tool that draws, so that every planner dies in the middle of its job."""
    ledger = Ledger()
    with patch.object(plot_render, HELD_TOOL, ledger.watch(HELD_TOOL, plot_render.plot_render)):
        yield ledger


async def undisturbed(ward: Ward, orders: Path) -> float:
    """Seconds of the job when nobody dies."""
    start = time.perf_counter()
    job = await ward.caller.asked(asked(orders))
    _require_completed(job)
    return time.perf_counter() - start


async def death(ward: Ward, orders: Path) -> dict[str, float]:
    """Kill a planner while a step of its job runs; seconds until another's event, and the end."""
    request = asked(orders)
    async with ward.victim(lease=USUAL) as (process, stub):
        with ward.ledger.holding(HELD_TOOL):
            await stub.CreateJob(for_planner(request))
            if not await asyncio.to_thread(ward.ledger.held.wait, 30):
                raise RuntimeError("the job never came to the step that draws")
            process.kill()
            killed = time.perf_counter()
            ward.ledger.door.set()
            before = await ward.events_so_far(request.request_id)
            watch = jobs_pb.WatchJobRequest(job_id=request.request_id, after_sequence=before)
            first = 0.0
            async for _ in ward.caller.jobs.WatchJob(watch):
                first = first or time.perf_counter() - killed
            ended = time.perf_counter() - killed
    _require_completed(await ward.caller.job(request.request_id))
    return {"first_event_seconds": first, "end_seconds": ended}


async def measured() -> dict[str, Any]:
    """All rounds in one mesh."""
    with tempfile.TemporaryDirectory(prefix="assay-") as name, watched_tool() as ledger:
        folder = Path(name)
        orders = next(p for p in write_retailer(folder / "shop") if p.name == "orders.csv")
        async with the_ward(folder / "home", ledger) as ward:
            await undisturbed(ward, orders)
            alone = [await undisturbed(ward, orders) for _ in range(3)]
            deaths = [await death(ward, orders) for _ in range(DEATHS)]
    return {
        "undisturbed_seconds": statistics.median(alone),
        "lease": {name.removeprefix("ASSAY_PLANNER_").lower(): v for name, v in USUAL.items()},
        "deaths": deaths,
    }


def _require_completed(job: job_pb2.Job) -> None:
    if job.state != job_pb2.JOB_STATE_COMPLETED:
        raise RuntimeError(f"the job did not complete: {job.failure.message}")


def main() -> None:
    """Kill, measure, and say whether the target was met."""
    options = arguments("resume", __doc__).parse_args()
    figures = asyncio.run(measured())
    rows = []
    for title, key in (
        ("death to the other planner's first event", "first_event_seconds"),
        ("death to the job's end", "end_seconds"),
    ):
        taken = [death[key] for death in figures["deaths"]]
        rows.append((title, min(taken), statistics.median(taken), max(taken)))
    whole = figures["undisturbed_seconds"]
    rows.append(("the whole job undisturbed", whole, whole, whole))
    print_table(f"{DEATHS} planners killed", ("seconds", "fastest", "median", "slowest"), rows)
    figures["slowest_resume_seconds"] = slowest = rows[0][3]
    figures["target_met"] = slowest <= RESUMED_WITHIN
    verdict = "met" if figures["target_met"] else "missed"
    print(f"  target: resumed within {RESUMED_WITHIN:g} s, {verdict} (slowest {slowest:.2f} s)")
    keep(figures, options.json)


if __name__ == "__main__":
    main()
