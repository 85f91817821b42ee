"""What is left of an Assay that is asked five times too much? `python -m bench.overload`

A mesh in this process answers the same question about a small file for two users. First as many
callers as it has slots ask one question after another: what it answers then is its capacity. Then
questions come evenly at one and at five times that rate, a caller who is refused asks no more, and
everybody who was taken waits for the end. Told are answers a second (goodput) beside the capacity,
how long answers took, and who was refused or left without a word. Target: at five times capacity
goodput is at least 80 % of peak, and nobody waits unheard.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import grpc

from assay.common.v1 import job_pb2
from bench.measure import arguments, keep, print_table
from examples.retailer import write_retailer
from mesh.errors import QUEUE_FULL
from mesh.testing.mesh import running_mesh
from mesh.transport.status import from_rpc_error
from services.__main__ import factories
from services.planner.settings import PlannerSettings
from tests.mesh.support import Caller, question

SECONDS = 8.0
TIMES = (1, 5)
TARGET = 0.8


class Tally:
    """What became of the questions of one round, and when the answers came."""

    def __init__(self) -> None:
        self.ends: Counter[str] = Counter()
        self.waits: list[float] = []
        self.answered_at: list[float] = []

    async def ask(self, caller: Caller, orders: Path) -> None:
        """Ask once, and wait for what comes."""
        start = time.perf_counter()
        try:
            job = await caller.asked(question("total net_amount by region", orders, timeout=60))
        except grpc.RpcError as error:
            failure = from_rpc_error(error)
            heard = failure.reason is QUEUE_FULL and failure.retry_seconds is not None
            self.ends["refused" if heard else f"unheard: {failure.reason.code}"] += 1
            return
        if job.state == job_pb2.JOB_STATE_COMPLETED:
            self.answered_at.append(time.perf_counter())
            self.waits.append(self.answered_at[-1] - start)
        self.ends[job.failure.reason or "answered"] += 1

    def goodput(self, start: float) -> float:
        """Answers a second, from the start to the last of them."""
        if not self.answered_at:
            return 0.0
        return len(self.answered_at) / (max(self.answered_at) - start)


async def capacity(callers: list[Caller], orders: Path) -> float:
    """Answers a second when as many ask as are worked on."""
    tally, start = Tally(), time.perf_counter()

    async def one_after_another(number: int) -> None:
        while time.perf_counter() < start + SECONDS:
            await tally.ask(callers[number % len(callers)], orders)

    slots = PlannerSettings().planner_jobs_at_once
    await asyncio.gather(*(one_after_another(number) for number in range(slots)))
    return tally.goodput(start)


async def offered(callers: list[Caller], orders: Path, rate: float) -> dict[str, Any]:
    """What becomes of questions that come at a rate."""
    tally, start, asking = Tally(), time.perf_counter(), []
    for number in range(int(rate * SECONDS)):
        await asyncio.sleep(start + number / rate - time.perf_counter())
        asking.append(asyncio.create_task(tally.ask(callers[number % len(callers)], orders)))
    await asyncio.gather(*asking)
    return {
        "offered": len(asking),
        "ends": dict(tally.ends),
        "goodput": tally.goodput(start),
        "median_seconds": statistics.median(tally.waits or [0.0]),
        "slowest_seconds": max(tally.waits, default=0.0),
    }


async def measured() -> dict[str, Any]:
    """All rounds in one mesh."""
    with tempfile.TemporaryDirectory(prefix="assay-") as name:
        folder = Path(name)
        orders = next(p for p in write_retailer(folder / "shop") if p.name == "orders.csv")
        async with (
            running_mesh(folder / "home", factories) as settings,
            Caller(settings, "ann") as ann,
            Caller(settings, "bob") as bob,
        ):
            callers = [ann, bob]
            warm = Tally()
            await warm.ask(ann, orders)
            if not warm.answered_at:
                raise RuntimeError(f"the question was not answered: {dict(warm.ends)}")
            peak = await capacity(callers, orders)
            rounds = {times: await offered(callers, orders, times * peak) for times in TIMES}
    return {"capacity": peak, "rounds": rounds}


def main() -> None:
    """Offer, measure, and say whether the target was met."""
    options = arguments("overload", __doc__).parse_args()
    os.environ.setdefault("ASSAY_EMBEDDER", "hashed")
    figures = asyncio.run(measured())
    rows = [
        (
            f"{times} times",
            value["offered"],
            value["ends"].get("answered", 0),
            value["ends"].get("refused", 0),
            value["offered"] - value["ends"].get("answered", 0) - value["ends"].get("refused", 0),
            value["goodput"],
            value["goodput"] / figures["capacity"],
            value["median_seconds"],
            value["slowest_seconds"],
        )
        for times, value in figures["rounds"].items()
    ]
    head = (
        "offered",
        "jobs",
        "answered",
        "refused",
        "else",
        "a second",
        "of peak",
        "median s",
        "slowest s",
    )
    print_table(f"capacity {figures['capacity']:.2f} answers a second", head, rows)
    peak = max(figures["capacity"], *(value["goodput"] for value in figures["rounds"].values()))
    figures["of_peak"] = ratio = figures["rounds"][max(TIMES)]["goodput"] / peak
    figures["target_met"] = ratio >= TARGET and not rows[-1][4]
    verdict = "met" if figures["target_met"] else "missed"
    print(f"  target: {TARGET:.0%} of peak and nobody unheard, {verdict} ({ratio:.0%})")
    print(f"  ends: {figures['rounds'][max(TIMES)]['ends']}")
    keep(figures, options.json)


if __name__ == "__main__":
    main()
