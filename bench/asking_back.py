"""Whether asking back pays: `python -m bench.asking_back --set everyday --limit 200`.

Of each question that the ranker would ask back about: how often its first reading is right, and how
often one of those offered. ASSAY_READER_FOLDS names models that have not seen the databases.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.reading.judging import Judgement, judged
from bench.reading.plans import carried_out, drawn
from bench.reading.protocol import Opened
from bench.reading.reader import FoldedReader
from bench.reading.running import BoundedRun
from bench.reading.sets import SETS, Item, data_folder, load, sample
from bench.reading.truths import truths
from bench.support_catalogue import Sources, kept_sources
from bench.training.probing import LocalProbe
from services.planner.domain.reader import read
from services.planner.domain.reader.asking import asked_back
from services.planner.domain.reader.choice.candidate import Candidate
from services.planner.domain.reader.chosen import Choice
from services.planner.domain.reader.understand import choose
from services.planner.domain.reader.unread import unread_words

_RIGHT = (Judgement.RIGHT, Judgement.EXTRA)


@dataclass(frozen=True)
class Offered:
    """Which of the readings offered were right, in their order; none where nothing was asked."""

    right: tuple[bool, ...]
    should_ask: bool


async def offered(item: Item, database: Opened, reader: FoldedReader, probe: LocalProbe) -> Offered:
    """What would be asked back about one question."""
    catalogue, lookup = database.catalogue, database.lookup
    model = reader.model(database.name)
    scene = await read.scene_of(item.question, catalogue, lookup, today=item.today)
    choice = await choose(read.weighed_of(read.local_of(scene), model), probe, model)
    asked = choice and asked_back(
        choice.weighed,
        choice.ranked,
        choice.confidence,
        catalogue,
        lambda one: _unread(choice, one),
    )
    if not asked:
        return Offered((), item.expect == "ask")
    known = truths(item) if item.sql or item.rows is not None else []
    found = [
        judged(carried_out(reading, database).rows, known, drawn(reading.intent)) in _RIGHT
        for reading in asked.readings
    ]
    return Offered(tuple(found), item.expect == "ask")


def _unread(choice: Choice, one: Candidate) -> Sequence[str]:
    return unread_words(choice.weighed.scene, one)


async def _all(items: Sequence[Item], reader: FoldedReader, sources: Sources) -> list[Offered]:
    groups: dict[tuple[Path, ...], list[Item]] = defaultdict(list)
    for item in items:
        groups[item.paths].append(item)
    found: list[Offered] = []
    for paths, group in groups.items():
        catalogue, lookup, workspace = sources.open_together(paths)
        run, first = BoundedRun(workspace), group[0]
        database = Opened(first.database, paths, catalogue, lookup, run, first.today)
        for item in group:
            found.append(await offered(item, database, reader, LocalProbe(workspace)))
    return found


def main() -> None:
    """Asks, and prints a line for each set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", choices=SETS, help="may be repeated; else all")
    parser.add_argument("--limit", type=int, help="at most so many questions of each set")
    chosen = parser.parse_args()
    folder = os.environ.get("ASSAY_READER_FOLDS")
    reader = FoldedReader(Path(folder) if folder else None)
    for name in chosen.set or SETS:
        items = sample(
            load([name], data_folder(), lambda text: print(text, file=sys.stderr)), chosen.limit
        )
        offereds = asyncio.run(_all([i for i in items if not i.after], reader, kept_sources()))
        asked = [one for one in offereds if one.right]
        first = sum(one.right[0] for one in asked)
        some = sum(any(one.right) or one.should_ask for one in asked)
        print(
            f"{name}: asked {len(asked)} of {len(offereds)}; right first {first}, among all {some}"
        )


if __name__ == "__main__":
    main()
