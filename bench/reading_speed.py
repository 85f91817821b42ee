"""How long a question over 20 tables with 300 columns is read, stage by stage, the data apart.

Run `python -m bench.reading_speed`. Forty questions are asked of a catalogue that is only told
(`bench/support_trade.py`); queries are rendered and none is run: each is told to have given other
rows, so that all candidates are ranked. Of every question the median of its rounds counts; told are
the median and the 95th percentile over the questions, in milliseconds of CPU.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from bench.measure import keep, print_table
from bench.support_trade import QUESTIONS, TradeValues, trade_catalogue
from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.evidence import (
    USUAL_LIMITS,
    Outcome,
    ProbedColumn,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)
from services.planner.domain.lexicon.tokens import tokenise
from services.planner.domain.reader import read
from services.planner.domain.reader.asked_of_data import with_evidence
from services.planner.domain.reader.choice import confidence
from services.planner.domain.reader.choice.model import learnt

_TODAY = date(2025, 1, 1)
_TARGET_MS = 100.0
_CANDIDATES, _LOOKED_AT = 60, 180
_STAGES = (
    "words",
    "links",
    "local models",
    "sketches",
    "drafts",
    "features",
    "rendering",
    "ranking",
)


class Stages:
    """CPU milliseconds of each stage of one reading."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.process_time()

    def end(self, stage: str) -> None:
        """The work since the last end belongs to that stage."""
        now = time.process_time()
        self.seconds[stage] = (now - self._since) * 1e3
        self._since = time.process_time()


async def every_one_ran(
    queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
) -> Sequence[Outcome]:
    """Rows that differ for every query: what running them takes is not measured here."""
    column = ProbedColumn(name="told", empty_share=0.0, distinct_share=1.0)
    return [
        Outcome(
            state=ProbeState.OK,
            rows=5,
            multiset_digest=str(number),
            ordered_digest=str(number),
            columns=(column,),
            glimpse=((1.0,),),
            distinct_share=1.0,
        )
        for number in range(len(queries))
    ]


async def read_by_stages(question: str, catalogue: Catalogue, lookup: ValueLookup) -> Stages:
    """One question from its words to the ranked candidates, as the reader goes about it."""
    model, stages = learnt(), Stages()
    tokenise(question)
    stages.end("words")
    scene = await read.scene_of(question, catalogue, lookup, today=_TODAY)
    stages.end("links")  # which begin with the words once more
    weighed = read.weighed_of(read.local_of(scene), model)
    stages.end("local models")
    roles, chosen = read.assignments(weighed)
    stages.end("sketches")
    likely = read.likeliest(weighed, roles, chosen, _LOOKED_AT)
    stages.end("drafts")
    pruned = read.pruned(weighed, likely, model)
    stages.end("features")
    candidates = read.with_queries(weighed, pruned, _CANDIDATES)
    stages.end("rendering")
    kept = await with_evidence(candidates, weighed, every_one_ran)
    ranked = read.ranked(kept, weighed, model)
    if ranked:
        seen = confidence.of_candidates(ranked, charted=scene.charted)
        model.calibration.confidence(seen)
    stages.end("ranking")
    return stages


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    at = statistics.quantiles(values, n=20, method="inclusive")
    return {"median_ms": round(statistics.median(values), 1), "p95_ms": round(at[-1], 1)}


async def run(rounds: int) -> dict[str, Any]:
    """Every question, every stage."""
    catalogue = trade_catalogue()
    lookup = TradeValues(catalogue)
    first = Stages()
    await read_by_stages(QUESTIONS[0], catalogue, lookup)
    first.end("the first question of all")
    stages: dict[str, list[float]] = {name: [] for name in (*_STAGES, "all")}
    by_question: dict[str, float] = {}
    for question in QUESTIONS:
        once: dict[str, list[float]] = {name: [] for name in stages}
        for _ in range(rounds):
            numbers = (await read_by_stages(question, catalogue, lookup)).seconds
            numbers |= {"all": sum(numbers.values())}
            for name, value in numbers.items():
                once[name].append(value)
        for name, values in once.items():
            stages[name].append(statistics.median(values))
        by_question[question] = round(stages["all"][-1], 1)
    return {
        "tables": len(catalogue.tables),
        "columns": sum(len(t.columns) for t in catalogue.tables),
        "questions": len(QUESTIONS),
        "target_ms": _TARGET_MS,
        **first.seconds,
        "stages": {name: spread(values) for name, values in stages.items()},
        "met": statistics.median(stages["all"]) < _TARGET_MS,
        "under the target": sum(ms < _TARGET_MS for ms in stages["all"]),
        "by question": by_question,
    }


def main() -> None:
    """Reads the options, measures, prints and writes."""
    parser = argparse.ArgumentParser("python -m bench.reading_speed", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    options = parser.parse_args()
    figures = asyncio.run(run(options.rounds))
    rows = [
        (name, value["median_ms"], value["p95_ms"]) for name, value in figures["stages"].items()
    ]
    print_table("milliseconds of CPU a question", ("stage", "median", "95 %"), rows)
    slowest = sorted(figures["by question"].items(), key=lambda one: -one[1])[:5]
    print_table("the slowest", ("question", "ms"), slowest)
    print(
        f"{figures['under the target']} of {figures['questions']} questions under "
        f"{_TARGET_MS:g} ms; median {'under' if figures['met'] else 'over'} it"
    )
    keep(figures, options.json)


if __name__ == "__main__":
    main()
