"""What the rules cost that rule readings out: which right readings each of them takes away.

`python -m bench.rules --limit 250` reads questions of the sets with no rule at work and judges the
candidates. A question whose right readings are all ruled out is lost to the rules; it counts for
those of the right reading that fewest rule out. A rule that takes many right readings and few wrong
ones is too wide. Held-out databases are counted and not shown.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.reading.judging import Judgement
from bench.reading.sets import Item, data_folder, load, sample
from bench.reading.truths import truths
from bench.support_catalogue import kept_sources
from bench.training.__main__ import few_phrasings
from bench.training.probing import LocalProbe
from bench.training.stages import Work, by_database, judge, spread
from services.planner.domain.reader import read
from services.planner.domain.reader.asked_of_data import with_evidence
from services.planner.domain.reader.chart import fitting
from services.planner.domain.reader.chart.every_rule import EVERY_RULE
from services.planner.domain.reader.choice.model import learnt

_MOST, _SHOWN = 60, 4


@dataclass(frozen=True)
class Tried:
    """One question: what rules out each of its right readings, and how often each a wrong one."""

    item: Item
    right: tuple[tuple[str, ...], ...]
    wrong: Counter[str]


def tried(work: Work) -> list[Tried]:
    """The candidates of questions over one database, with the rules that would rule them out."""
    setattr(fitting, "is_ruled_out", lambda *_: False)  # noqa: B010, in a process of its own
    return asyncio.run(_tried(work.paths, work.items))


async def _tried(paths: tuple[Path, ...], items: Sequence[Item]) -> list[Tried]:
    model = learnt()
    catalogue, lookup, workspace = kept_sources().open_together(paths)
    probe = LocalProbe(workspace)
    found: list[Tried] = []
    for item in items:
        scene = await read.scene_of(item.question, catalogue, lookup, today=item.today)
        weighed = read.weighed_of(read.local_of(scene), model)
        candidates = read.composed(weighed, model, most=_MOST)
        await with_evidence(candidates, weighed, probe)
        truth = truths(item)
        right: list[tuple[str, ...]] = []
        wrong: Counter[str] = Counter()
        for one, rows in zip(candidates, probe.rows, strict=True):
            names = [r.__name__ for r in EVERY_RULE if r(one.draft.sketch, weighed.requirements)]
            if judge(one, rows, truth) is Judgement.RIGHT:
                right.append(tuple(names))
            else:
                wrong.update(names)
        found.append(Tried(item, tuple(right), wrong))
    return found


def main() -> None:
    """Reads the options, tries, prints each rule with what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="dev,train,queries,everyday")
    parser.add_argument("--limit", type=int, help="at most so many questions of each set")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    items = load(options.sets.split(","), data_folder(), print)
    items = sample(few_phrasings([item for item in items if not item.after]), options.limit)
    found = spread(by_database(items, lambda _: None), tried, options.processes)
    known = [one for one in found if one.right]
    lost = [one for one in known if all(one.right)]
    print(f"{len(known)} of {len(found)} have a right reading; rules take it from {len(lost)}")
    taken: dict[str, list[Item]] = defaultdict(list)
    for one in lost:
        for name in min(one.right, key=len):
            taken[name].append(one.item)
    wrong = sum((one.wrong for one in found), Counter[str]())
    for name, items_lost in sorted(taken.items(), key=lambda pair: -len(pair[1])):
        print(f"{name:28} takes right ones from {len(items_lost):3}, wrong readings {wrong[name]}")
        for item in [i for i in items_lost if not i.held_out][:_SHOWN]:
            print(f"    {item.set}  {item.question}")


if __name__ == "__main__":
    main()
