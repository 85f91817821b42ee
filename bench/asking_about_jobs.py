"""How many questions about finished jobs are answered rightly? `python -m bench.asking_about_jobs`

An analysis, an investigation and a causal study are made of data with planted truths; then the
thirty questions of `bench/support_questions_about_jobs.py` are asked of them over gRPC. Told are
those that are right, wrong, and not told, where saying so may be right.
"""

from __future__ import annotations

import asyncio
import math
import random
import tempfile
from pathlib import Path

from bench.measure import arguments, keep, print_table
from bench.support_questions_about_jobs import QUESTIONS, Asked
from clients.python.client import AssayClient
from clients.python.movement import Movement
from clients.python.question import Question
from clients.python.study import Study
from examples.pages import write_spring
from mesh.testing.mesh import running_mesh
from services.__main__ import factories


def main() -> None:
    """Make the jobs, ask, count."""
    options = arguments("asking_about_jobs", __doc__).parse_args()
    rows = asyncio.run(_asked())
    counted = {kind: [0, 0, 0, 0] for kind in ("analysis", "investigation", "causal")}
    for kind, place, words, text in rows:
        counted[kind][place] += 1
        if place in (1, 2):
            print(f"{kind}: {words}\n    {text}")
    head = ["kind", "right", "wrong", "not told", "rightly not told"]
    print_table("questions about finished jobs", head, [[k, *n] for k, n in counted.items()])
    keep({kind: dict(zip(head[1:], n, strict=True)) for kind, n in counted.items()}, options.json)


async def _asked() -> list[tuple[str, int, str, str]]:
    with tempfile.TemporaryDirectory(prefix="assay-") as name:
        folder = Path(name)
        orders, promotion = str(write_spring(folder / "orders.csv")), str(write_promotion(folder))
        wanted = {
            "analysis": Question("revenue by region", data=(orders,)),
            "investigation": Question(
                data=(orders,),
                movement=Movement(metric="sum(revenue)", baseline="2025-03", comparison="2025-04"),
            ),
            "causal": Question(
                data=(promotion,),
                study=Study(treatment="received_promotion", outcome="spend_after"),
            ),
        }
        async with (
            running_mesh(folder / "home", factories) as settings,
            AssayClient(settings.address("gateway"), local_paths=True) as client,
        ):
            jobs = {}
            for kind, question in wanted.items():
                job = await client.submit(await client.request(question))
                async for _ in client.watch(job.job_id):
                    pass
                jobs[kind] = job.job_id
            return [await _judged(client, jobs[asked.kind], asked) for asked in QUESTIONS]


async def _judged(client: AssayClient, job_id: str, asked: Asked) -> tuple[str, int, str, str]:
    value = await client.ask_about(asked.words, job_id=job_id)
    if value.HasField("failure"):
        return asked.kind, 2 if asked.holds else 3, asked.words, value.answer
    right = bool(asked.holds) and all(text in value.answer for text in asked.holds)
    return asked.kind, 0 if right else 1, asked.words, value.answer


def write_promotion(folder: Path) -> Path:
    """A promotion for those who spent much, which adds 33."""
    chance = random.Random(3)
    lines = ["customer,prior_spend,received_promotion,age,spend_after"]
    for number in range(600):
        prior, age = chance.gauss(100, 25), chance.randint(18, 80)
        treated = int(chance.random() < 1 / (1 + math.exp(-(prior - 100) / 25)))
        after = 20 + 0.9 * prior + 33 * treated + chance.gauss(0, 15)
        lines.append(f"{number},{prior:.2f},{treated},{age},{after:.2f}")
    path = folder / "promotion.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


if __name__ == "__main__":
    main()
