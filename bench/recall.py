"""How often the right answer is among the candidates, and what stands in its way where it is not.

`python -m bench.recall --set everyday` asks the open databases of a set and prints each question of
which no candidate is right, with the SQL meant, what of it was linked to nothing, and the first few
candidates; then the shares by database and by tag. Databases that are held out are shown as figures
alone (`--holdout`). The model that is shipped orders the candidates.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.reading.gold import gold_parts
from bench.reading.judging import Judgement
from bench.reading.sets import SETS, data_folder, load, sample
from bench.reading.truths import truths
from bench.support_catalogue import kept_sources
from bench.training.probing import LocalProbe
from bench.training.stages import Work, by_database, judge, spread
from services.planner.domain.reader import read
from services.planner.domain.reader.asked_of_data import with_evidence
from services.planner.domain.reader.choice.model import ReaderModel, learnt

_SHOWN = 4


@dataclass(frozen=True)
class Recalled:
    """What came of one question: the rank of the first right candidate from 0, None without one.

    `extra` is that of the first one that is right beside more columns; `unlinked` are columns of
    the SQL meant that no word names and no condition speaks of; `tried` is how many there were.
    """

    id: str
    database: str
    question: str
    tags: tuple[str, ...]
    sql: str
    rank: int | None
    extra: int | None
    tried: int
    unlinked: tuple[str, ...]
    first: tuple[str, ...]
    seconds: float


def recalled(work: Work) -> list[Recalled]:
    """The candidates of questions over one database, judged."""
    assert work.model is not None
    return asyncio.run(_recalled(work, work.model))


async def _recalled(work: Work, model: ReaderModel) -> list[Recalled]:
    catalogue, lookup, workspace = kept_sources().open_together(work.paths)
    probe = LocalProbe(workspace)
    found: list[Recalled] = []
    for item in work.items:
        began = time.perf_counter()
        scene = await read.scene_of(item.question, catalogue, lookup, today=item.today)
        local = read.local_of(scene)
        weighed = read.weighed_of(local, model)
        candidates = read.composed(weighed, model)
        seconds = time.perf_counter() - began
        kept = await with_evidence(candidates, weighed, probe)
        rows = {id(c): r for c, r in zip(candidates, probe.rows, strict=True)}
        right = truths(item)
        ranked = read.ranked(kept, weighed, model)
        judgements = [judge(c, rows[id(c)], right) for c in ranked]
        gold = gold_parts(item.sql, catalogue, item.dialect)
        linked = {m.place for m in scene.mentions}
        linked |= {p.place for p in local.proposals if p.place is not None}
        names = {(p.table.name, p.column.name) for p in linked}
        intended = gold.roles if gold is not None else ()
        found.append(
            Recalled(
                item.id,
                item.database,
                item.question,
                item.tags,
                item.sql,
                _first(judgements, Judgement.RIGHT),
                _first(judgements, Judgement.EXTRA),
                len(ranked),
                tuple(sorted(".".join(c) for c in intended if tuple(c) not in names)),
                tuple(c.query.text for c in ranked[:_SHOWN] if c.query),
                seconds,
            )
        )
    return found


def _first(judgements: Sequence[Judgement], wanted: Judgement) -> int | None:
    return next((rank for rank, one in enumerate(judgements) if one is wanted), None)


def main() -> None:
    """Asks, prints and keeps what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=SETS, default="everyday")
    parser.add_argument("--database", action="append", help="only this one; may be repeated")
    parser.add_argument("--limit", type=int, help="so many questions")
    parser.add_argument("--holdout", action="store_true", help="figures of what is held out")
    parser.add_argument("--quiet", action="store_true", help="figures alone")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--json", type=Path, help="keep every outcome of open databases here")
    namespace = parser.parse_args()
    items = [
        item
        for item in load([namespace.set], data_folder(), print)
        if item.held_out == namespace.holdout
        and not item.after
        and item.expect == "answer"
        and (not namespace.database or item.database in namespace.database)
    ]
    model = learnt()
    work = by_database(sample(items, namespace.limit), lambda _: model)
    found = sorted(spread(work, recalled, namespace.processes), key=lambda r: r.id)
    if not namespace.holdout:
        if namespace.json is not None:
            namespace.json.write_text(json.dumps([asdict(one) for one in found], indent=1))
        if not namespace.quiet:
            _print_missing(found)
    _print_figures(found)


def _print_missing(found: Iterable[Recalled]) -> None:
    for one in found:
        if one.rank is not None:
            continue
        print(f"\n{one.id} [{' '.join(one.tags)}] {one.question}\n  meant  {one.sql}")
        if one.unlinked:
            print(f"  unlinked  {', '.join(one.unlinked)}")
        if one.extra is not None:
            print(f"  right with more columns at {one.extra}")
        for text in one.first:
            print(f"  {text}")


def _print_figures(found: Sequence[Recalled]) -> None:
    print(f"\nall: {_figures(found)}; composing {_seconds(found):.0f} ms")
    for name, by in (("database", lambda r: [r.database]), ("tag", lambda r: r.tags)):
        groups: dict[str, list[Recalled]] = defaultdict(list)
        for one in found:
            for key in by(one):
                groups[key].append(one)
        for key, group in sorted(groups.items()):
            print(f"  {name} {key:14} {_figures(group)}")


def _figures(found: Sequence[Recalled]) -> str:
    def within(most: int) -> str:
        held = sum(one.rank is not None and one.rank < most for one in found)
        return f"{held / max(1, len(found)):.1%}"

    return f"{len(found)} questions, any {within(1_000)}, five {within(5)}, first {within(1)}"


def _seconds(found: Sequence[Recalled]) -> float:
    return 1000 * sum(one.seconds for one in found) / max(1, len(found))


if __name__ == "__main__":
    main()
