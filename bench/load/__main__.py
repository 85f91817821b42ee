"""What a mesh takes, and what it does when it is offered more: `python -m bench.load`.

Five processes answer a mix of five small questions about a file of 20,658 rows, for four users.
First callers who wait for each answer find the capacity (answers a second). What an idle mesh takes
to accept a job is told by jobs made one after another. Then ghz sends CreateJob at a rate, whether
earlier calls were answered or not: at 0.7 of capacity; at three times capacity. Targets: at 0.7,
p99 of accepting is at most five times the idle median and fewer than 0.1 % of calls fail; at three
times capacity, goodput is at least 80 % of the peak, and whoever is refused is told
RESOURCE_EXHAUSTED and when to try again.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from pathlib import Path
from statistics import median
from typing import Any

import grpc
from grpc import aio

from bench.load.ghz import GhzAbsent, Sent, found, sent
from bench.load.world import MIX, World, world
from bench.measure import keep, print_table
from mesh.errors import QUEUE_FULL
from mesh.transport.status import from_rpc_error
from tests.mesh.support import question

STEADY, OVERLOAD = 0.7, 3.0
ALONE = 30  # jobs, one after the other
LEAST_SECONDS, MOST_SECONDS = 30.0, 150.0  # of seeking the capacity
MOST_TIMES_IDLE = 5.0
MOST_ERRORS = 0.001
LEAST_GOODPUT = 0.8
REFUSED = "ResourceExhausted"


async def refusals(mesh: World, over: asyncio.Event) -> dict[str, int]:
    """What single calls are told while more is offered than is taken, until it is over."""
    numbers = {"taken": 0, "refused": 0, "without a time": 0}
    number = 0
    while not over.is_set():
        caller = mesh.callers[number % len(mesh.callers)]
        number += 1
        try:
            await caller.create(question(MIX[0], mesh.orders))
            numbers["taken"] += 1
        except aio.AioRpcError as error:
            refusal = from_rpc_error(error)
            heard = (
                error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                and refusal.reason is QUEUE_FULL
                and bool(refusal.retry_seconds)
            )
            numbers["refused" if heard else "without a time"] += 1
        await asyncio.sleep(0.5)
    return numbers


async def offered(mesh: World, rate: float, seconds: float) -> tuple[Sent, float]:
    """What becomes of calls at a rate: how they were told, and answers a second."""
    since = time.time()
    known_sent = await sent(mesh.settings.gateway_address, mesh.bodies(), rate, seconds)
    until = time.time()
    ends = await mesh.ends(since, until)
    return known_sent, ends["JOB_STATE_COMPLETED"] / (until - since)


async def overloaded(
    mesh: World, rate: float, seconds: float
) -> tuple[Sent, float, dict[str, int]]:
    """The same, and what other callers are told meanwhile, who read what a refusal says."""
    over = asyncio.Event()
    asking = asyncio.create_task(refusals(mesh, over))
    try:
        sent_calls, goodput = await offered(mesh, rate, seconds)
    finally:
        over.set()
        numbers = await asking
    return sent_calls, goodput, numbers


def row(name: str, calls: Sent, goodput: float) -> tuple[object, ...]:
    """One line of the table."""
    refused = calls.ends.get(REFUSED, 0)
    return (
        name,
        calls.calls,
        calls.ends.get("OK", 0),
        refused,
        calls.calls - calls.ends.get("OK", 0) - refused,
        calls.quantile(0.5),
        calls.quantile(0.99),
        goodput,
    )


async def measured(seconds: float) -> dict[str, Any]:
    """All rounds on one mesh."""
    async with world() as mesh:
        capacity = await mesh.capacity(min(MOST_SECONDS, max(LEAST_SECONDS, seconds)))
        if not capacity:
            raise RuntimeError("nothing was answered: this machine is too busy to be measured")
        await mesh.settled()
        idle = await mesh.accepted_alone(ALONE)
        steady, kept_up = await offered(mesh, STEADY * capacity, seconds)
        await mesh.settled()
        # The queue fills first; what a mesh does once it is full is what is asked.
        await offered(mesh, OVERLOAD * capacity, seconds / 2)
        above, goodput, numbers = await overloaded(mesh, OVERLOAD * capacity, seconds)
    peak = max(capacity, kept_up, goodput)
    rows = [
        ("one at a time", ALONE, ALONE, 0, 0, median(idle), max(idle), ""),
        row(f"{steady.calls / seconds / capacity:.2f} of capacity", steady, kept_up),
        row(f"{above.calls / seconds / capacity:.1f} times capacity", above, goodput),
    ]
    return {
        "capacity": capacity,
        "load_average": os.getloadavg()[0],
        "rows": rows,
        "p99_times_idle_median": steady.quantile(0.99) / median(idle),
        "share_of_errors": steady.share_of_errors(),
        "goodput_of_peak": goodput / peak,
        "unheard": above.share_of_errors(REFUSED),
        "refusals": numbers,
    }


def verdicts(figures: dict[str, Any]) -> list[tuple[str, bool, str]]:
    """Each target, whether it was met, and the figure."""
    times, errors = figures["p99_times_idle_median"], figures["share_of_errors"]
    goodput, value = figures["goodput_of_peak"], figures["refusals"]
    heard = value["without a time"] == 0 and figures["unheard"] <= MOST_ERRORS
    return [
        (
            f"p99 of accepting at {STEADY:g} at most {MOST_TIMES_IDLE:g} times the idle median",
            times <= MOST_TIMES_IDLE,
            f"{times:.1f} times",
        ),
        ("fewer than 0.1 % of calls fail", errors < MOST_ERRORS, f"{errors:.2%}"),
        ("goodput at least 80 % of peak", goodput >= LEAST_GOODPUT, f"{goodput:.0%}"),
        ("everybody refused is told when to try again", heard, f"{value}"),
    ]


def main() -> None:
    """Measure, and say whether the targets were met."""
    parser = argparse.ArgumentParser("python -m bench.load", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument(
        "--seconds", type=float, default=75.0, help="of each round; 600 for the long form"
    )
    options = parser.parse_args()
    try:
        found()
    except GhzAbsent as absent:
        raise SystemExit(str(absent)) from None
    figures = asyncio.run(measured(options.seconds))
    head = ("offered", "calls", "taken", "refused", "else", "median ms", "p99 ms", "answers/s")
    title = (
        f"capacity {figures['capacity']:.2f} answers a second "
        f"(load average at the end {figures['load_average']:.1f})"
    )
    print_table(title, head, figures["rows"])
    for target, met, figure in verdicts(figures):
        print(f"  {'met' if met else 'missed'}: {target} ({figure})")
    keep(figures, options.json)


if __name__ == "__main__":
    main()
