"""What does checking a proof cost? `python -m bench.verify`

Jobs of 100 steps run through the embedded mesh and are exported: one with an answer of five rows,
others with answers of 100,000 and 200,000 rows, as a frame and as a CSV file. Then the checks of
`assay verify BUNDLE` run in this process, in turns with nothing but SHA-256 over every byte of the
same file. Target: at most twice the cost of hashing. Beside it stands a floor that any reader in
Python pays whatever it checks: the JSON of entries and proofs parsed once.
"""

from __future__ import annotations

import asyncio
import csv
import json
import random
import statistics
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.measure import arguments, keep, print_table

TARGET = 2.0
STEPS = 100
MOST_ROWS = 200_000
ROUNDS, WARM_UP = 25, 3
# Rows of the answer and further columns of the source.
SIZES = {"5 rows": (0, 0), "100,000 rows": (100_000, 0), "200,000 wide rows": (200_000, 12)}
QUESTION = "sum of quantity by region as a bar chart"
REGIONS = ("North", "East", "South", "West", "Centre")


def write_sales(path: Path, rows: int, further: int) -> Path:
    """A table of sales with `further` columns of measurements, the same on every run."""
    chance = random.Random(1997)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        measurements = [f"measurement_{number}" for number in range(further)]
        writer.writerow(["sale", "day", "region", "customer", "quantity", "price", *measurements])
        for number in range(1, rows + 1):
            day = f"2025-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
            customer = f"customer {chance.randint(1, 9_000):05}"
            price = f"{chance.uniform(1, 900):.2f}"
            row = [number, day, chance.choice(REGIONS), customer, chance.randint(1, 40), price]
            writer.writerow([*row, *(round(chance.gauss(0, 50), 6) for _ in range(further))])
    return path


def reasoner_of_many_steps(answer_of_all_rows: bool) -> Callable[[], Any]:
    """The built-in reasoner, whose plans are drawn out to 100 steps by further queries."""
    from services.planner.adapters.reasoner_rules import RulesReasoner
    from services.planner.domain.plan import PlanDraft, Subtask

    class ManySteps(RulesReasoner):
        async def plan(self, given: Any) -> Any:
            planning = await super().plan(given)
            assert planning.draft is not None, planning
            source = given.catalogue.tables[0].name
            tasks = [self._small(task) for task in planning.draft.subtasks]
            answer = planning.draft.answer_task
            if answer_of_all_rows:
                tasks = [self._answering(task, answer) for task in tasks]
                tasks.append(self._query("everything", f'SELECT * FROM "{source}"'))
                answer = "everything"
            for number in range(STEPS - len(tasks)):
                tasks.append(self._further(number, source))
            draft = PlanDraft(
                subtasks=tuple(tasks), reasoning=planning.draft.reasoning, answer_task=answer
            )
            return planning.model_copy(update={"draft": draft})

        @staticmethod
        def _small(task: Subtask) -> Subtask:
            return task.model_copy(update={"estimated_cost_seconds": 0.01})

        @staticmethod
        def _answering(task: Subtask, answer: str) -> Subtask:
            if task.tool_name != "table.write":
                return task
            changed = {**task.arguments, "input": "everything"}
            return task.model_copy(update={"arguments": changed, "dependencies": ("everything",)})

        @staticmethod
        def _query(task_id: str, query: str) -> Subtask:
            return Subtask(
                task_id=task_id,
                description=f"ask for {task_id.replace('_', ' ')}",
                tool_name="sql.run",
                arguments={"query": query},
                invariants=("every row of the source counts once",),
                estimated_cost_seconds=0.01,
            )

        def _further(self, number: int, source: str) -> Subtask:
            threshold = 1 + number % 39
            if number % 10 == 0:
                return self._query(
                    f"rows_{number}", f'SELECT * FROM "{source}" WHERE quantity <> {threshold}'
                )
            return self._query(
                f"part_{number}",
                f"SELECT region, sum(quantity) AS quantity, avg(price) AS price "
                f'FROM "{source}" WHERE quantity >= {threshold} AND price < {900 - number} '
                f"GROUP BY region ORDER BY quantity DESC, region",
            )

    return ManySteps


async def bundle_of(sales: Path, home: Path, place: Path, answer_of_all_rows: bool) -> Path:
    """Run the job in an embedded mesh and export it."""
    from clients.python.client import AssayClient
    from clients.python.question import Question
    from services.__main__ import embedded

    question = Question(QUESTION, data=(str(sales),), row_limit=MOST_ROWS, assume=True)
    reasoner = reasoner_of_many_steps(answer_of_all_rows)
    with patch("services.planner.service.RulesReasoner", reasoner):
        async with (
            embedded(home) as mesh,
            AssayClient(mesh.target, same_machine=True, local_paths=True) as assay,
        ):
            async for event in assay.ask(question):
                if event.HasField("failure"):
                    raise RuntimeError(event.failure.message)
            job = await assay.get_job((await assay.list_jobs(1))[0].job_id)
            if len(job.steps) != STEPS:
                raise RuntimeError(f"the job has {len(job.steps)} steps")
            return await assay.export(job, place)


def floor(path: Path) -> None:
    """Parse entries and proofs, and nothing else."""
    with zipfile.ZipFile(path) as archive:
        for name in ("entries.jsonl", "proofs.jsonl"):
            for text in archive.read(name).splitlines():
                json.loads(text)


def compared(path: Path) -> dict[str, Any]:
    """Median milliseconds of each way to go through a bundle, taken in turns."""
    from clients.python.cli.verifying import checked
    from clients.python.verification.reading import Trust
    from mesh.digest import file_digest

    found = checked(path, Trust())
    if not all(finding.ok for finding in found):
        raise RuntimeError(f"the bundle does not verify: {found[-1]}")
    ways: dict[str, Callable[[], object]] = {
        "hash": lambda: file_digest(path),
        "verify": lambda: checked(path, Trust()),
        "floor": lambda: floor(path),
    }
    wall: dict[str, list[float]] = {name: [] for name in ways}
    processor: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(WARM_UP + ROUNDS):
        for name, way in ways.items():
            start, start_processor = time.perf_counter(), time.process_time()
            way()
            if number >= WARM_UP:
                wall[name].append(time.perf_counter() - start)
                processor[name].append(time.process_time() - start_processor)
    values = {name: median_ms(times) for name, times in wall.items()}
    values |= {f"{name}_processor": median_ms(times) for name, times in processor.items()}
    times_hash = round(values["verify"] / values["hash"], 2)
    return {
        "bytes": path.stat().st_size,
        "checks": [f"{finding.name}: {finding.detail}" for finding in found],
        "median_ms": values,
        "times_hashing": times_hash,
        "times_hashing_processor": round(values["verify_processor"] / values["hash_processor"], 2),
        "target_met": times_hash <= TARGET,
    }


def median_ms(times: Sequence[float]) -> float:
    """Seconds as milliseconds."""
    return round(statistics.median(times) * 1e3, 3)


def main() -> None:
    """Make the bundles, check them, and say at which sizes the target was met."""
    options = arguments("verify", __doc__).parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        for number, (title, (rows, further)) in enumerate(SIZES.items()):
            folder = Path(name) / str(number)
            folder.mkdir()
            sales = write_sales(folder / "sales.csv", rows or 100_000, further)
            bundle = asyncio.run(
                bundle_of(sales, folder / "home", folder / "job.zip", answer_of_all_rows=rows > 0)
            )
            figures[title] = compared(bundle)
    print_table(
        f"checking the bundle of a job with {STEPS} steps, medians of {ROUNDS}",
        ("answer", "MB", "hash ms", "verify ms", "times", "processor times", "floor ms", "target"),
        [
            (
                title,
                value["bytes"] / 1e6,
                value["median_ms"]["hash"],
                value["median_ms"]["verify"],
                value["times_hashing"],
                value["times_hashing_processor"],
                value["median_ms"]["floor"],
                "met" if value["target_met"] else "missed",
            )
            for title, value in figures.items()
        ],
    )
    print(f"  target: at most {TARGET:g} times the time of SHA-256 over the file")
    keep(figures, options.json)


if __name__ == "__main__":
    main()
