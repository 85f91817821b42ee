"""What does the mesh cost? `python -m bench.analysis`

The same three-step analysis (query, aggregate, chart) of the example retailer's orders: by a plain
script with DuckDB and matplotlib, and by the warm embedded mesh through its gateway with plan,
policy, audit, claims and artifacts. Each runs warm in a process of its own, in turns, so that a
busy machine is busy for both. Target: at most 100 ms more. Every round is a new request; "planned
afresh" forgets the recipe before each round.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.measure import (
    arguments,
    keep,
    milliseconds,
    nanoseconds,
    part,
    print_table,
    repeated,
    repeated_async,
    run,
    tell,
)

TARGET_MS = 100.0
TURNS, ROUNDS, WARM_UP = 3, 8, 4
QUESTION = "sum of quantity by region as a bar chart"
SQL = "SELECT region, sum(quantity) AS quantity FROM read_csv(?) GROUP BY region ORDER BY 2 DESC, 1"


def plain(orders: Path, folder: Path) -> list[list[object]]:
    """What an analyst's script does: read, aggregate, draw, write both files."""
    import csv

    import duckdb
    import matplotlib.pyplot as plt

    with duckdb.connect() as connection:
        rows = connection.execute(SQL, [str(orders)]).fetchall()
    with (folder / "quantity.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("region", "quantity"), *rows])
    figure, axes = plt.subplots(figsize=(8, 5), dpi=150)
    axes.bar([row[0] for row in rows], [row[1] for row in rows])
    axes.set_title("Quantity by region")
    axes.set_xlabel("region")
    axes.set_ylabel("quantity")
    figure.tight_layout()
    figure.savefig(folder / "quantity.png")
    plt.close(figure)
    return [list(row) for row in rows]


def plain_part(orders: Path, folder: Path) -> None:
    """The plain script, warm."""
    import matplotlib as mpl

    mpl.use("Agg")
    times = repeated(lambda: plain(orders, folder), ROUNDS, WARM_UP)
    tell({"times": times, "rows": plain(orders, folder)})


async def mesh_part(orders: Path, folder: Path, deliverables: str) -> dict[str, Any]:
    """The warm mesh: afresh, and with the recipe it has learned."""
    from clients.python.client import AssayClient
    from clients.python.question import Question
    from services.__main__ import embedded

    question = Question(
        QUESTION, data=(str(orders),), deliverables=tuple(deliverables.split(",")), assume=True
    )
    async with (
        embedded(folder / "home") as mesh,
        AssayClient(mesh.target, same_machine=True, local_paths=True) as assay,
    ):

        async def ask() -> None:
            async for event in assay.ask(question):
                if event.HasField("failure"):
                    raise RuntimeError(event.failure.message)

        async def forget() -> None:
            for recipe in await assay.list_recipes():
                await assay.delete_recipe(recipe.recipe_id)

        afresh = []
        for number in range(WARM_UP + ROUNDS):
            await forget()
            taken = await repeated_async(ask, 1)
            afresh += taken if number >= WARM_UP else []
        known = await repeated_async(ask, ROUNDS, WARM_UP)
        newest = (await assay.list_jobs(1))[0]
        job = await assay.get_job(newest.job_id)
        table = await assay.read_frame(job.job_id, job.answer.table)
        spans = (await assay.trace(job.job_id)).spans
        return {
            "afresh": afresh,
            "known": known,
            "rows": [list(row.values()) for row in table.to_pylist()],
            "steps": [f"{step.task_id}: {step.tool_name}" for step in job.steps],
            "recipe": job.answer.recipe,
            "own_ms": own_time(spans),
        }


def own_time(spans: Any) -> dict[str, float]:
    """Milliseconds of each kind of span without those of its children, largest first.

    Children that ran at the same time are counted together only once.
    """
    children: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for span in spans:
        children[span.parent_span_id].append(nanoseconds(span))
    own: dict[str, float] = defaultdict(float)
    for span in spans:
        began, ended = nanoseconds(span)
        covered, until = 0, began
        for start, end in sorted(children[span.span_id]):
            start, end = max(start, until), min(end, ended)
            covered += max(end - start, 0)
            until = max(until, end)
        spent = (ended - began - covered) / 1e6
        own[f"{span.service} {span.name.rpartition('.')[2]}"] += spent
    return dict(sorted(own.items(), key=lambda item: -item[1]))


def one_turn(orders: Path, folder: Path) -> tuple[Any, Any, Any]:
    """The script, the mesh with the same deliverables, and the mesh with all of them."""
    folder.mkdir()
    return (
        part("analysis", "plain", str(orders), str(folder)).report,
        part("analysis", "mesh", str(orders), str(folder / "same"), "table,chart").report,
        part("analysis", "mesh", str(orders), str(folder / "full"), "").report,
    )


def together(turns: list[dict[str, Any]], name: str) -> list[float]:
    """The times of all turns."""
    return [seconds for values in turns for seconds in values[name]]


def main() -> None:
    """Run the parts, compare what they found, and print how long each took."""
    options = arguments("analysis", __doc__).parse_args()
    if options.part == "plain":
        plain_part(Path(options.rest[0]), Path(options.rest[1]))
        return
    if options.part == "mesh":
        run(mesh_part(Path(options.rest[0]), Path(options.rest[1]), options.rest[2]))
        return
    from examples.retailer import write_retailer

    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        orders = next(p for p in write_retailer(folder / "shop") if p.name == "orders.csv")
        turns = [one_turn(orders, folder / str(number)) for number in range(TURNS)]
    script, same, full = (list(values) for values in zip(*turns, strict=True))
    if sorted(same[0]["rows"]) != sorted(script[0]["rows"]):
        raise SystemExit(f"they disagree: {script[0]['rows']} and {same[0]['rows']}")
    figures = {
        "plain script": milliseconds(together(script, "times")),
        "mesh, table and chart, planned afresh": milliseconds(together(same, "afresh")),
        "mesh, table and chart, with its recipe": milliseconds(together(same, "known")),
        "mesh, all deliverables, planned afresh": milliseconds(together(full, "afresh")),
        "mesh, all deliverables, with its recipe": milliseconds(together(full, "known")),
    }
    base = figures["plain script"]["median_ms"]
    rows = [
        (name, values["median_ms"], values["median_ms"] - base, values["median_ms"] / base)
        for name, values in figures.items()
    ]
    print_table(QUESTION, ("", "median ms", "more ms", "times"), rows)
    print(f"  target: at most {TARGET_MS:g} ms more for table and chart")
    own = list(same[-1]["own_ms"].items())[:14]
    print_table(
        "where one round of the mesh spends its time (steps run side by side)",
        ("span", "own ms"),
        own,
    )
    keep({**figures, "own_ms": same[-1]["own_ms"]}, options.json)


if __name__ == "__main__":
    main()
