"""The stages of learning: what is seen of each question, and which of its candidates are right."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from bench.reading.gold import gold_parts
from bench.reading.judging import Judgement, Truth, judged
from bench.reading.protocol import Drawn, Rows
from bench.reading.sets import Item
from bench.reading.truths import truths
from bench.support_catalogue import kept_sources
from bench.training.labels import condition_labels, role_labels, shape_labels
from bench.training.probing import LocalProbe
from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.charts.choosing import layout
from services.planner.domain.reader import read
from services.planner.domain.reader.asked_of_data import with_evidence
from services.planner.domain.reader.choice.alike import no_rival
from services.planner.domain.reader.choice.candidate import Candidate
from services.planner.domain.reader.choice.model import ReaderModel

_Result = TypeVar("_Result")


@dataclass
class Seen:
    """The features of one question's parts, with what they were meant as."""

    item: str
    database: str
    mentions: list[dict[str, float]]
    conditions: list[dict[str, float]]
    wording: dict[str, float]
    roles: list[str] = field(default_factory=list[str])
    intended: list[str] = field(default_factory=list[str])
    shape: dict[str, str] = field(default_factory=dict[str, str])


@dataclass
class Tried:
    """The features of one question's candidates in their order, and how right each is.

    `same` is for each the first that has its answer, with columns more or fewer at most.
    """

    item: str
    charted: bool
    features: list[dict[str, float]]
    right: list[float]
    judged: list[str]
    sql: list[str]
    same: list[int]
    seconds: float = 0.0

    def is_fair(self, at: int) -> bool:
        """Whether people would call a candidate right: a column more does no harm."""
        return self.judged[at] in (Judgement.RIGHT, Judgement.EXTRA)


@dataclass(frozen=True)
class Work:
    """Questions over one database, with the model that reads them (None to only look)."""

    paths: tuple[Path, ...]
    items: Sequence[Item]
    model: ReaderModel | None = None


def spread(
    work: Iterable[Work], do: Callable[[Work], list[_Result]], processes: int = 2
) -> list[_Result]:
    """What `do` tells of all work, in any order."""
    found: list[_Result] = []
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        for done in as_completed([pool.submit(do, one) for one in work]):
            found += done.result()
    return found


def side_by_side(
    do: Callable[[Any], _Result], parts: Sequence[Any], processes: int = 2
) -> list[_Result]:
    """What `do` makes of each part, in their order."""
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        return list(pool.map(do, parts))


def by_database(items: Sequence[Item], model: Callable[[Item], ReaderModel | None]) -> list[Work]:
    """The items by database, the largest first; the model is that of a database's fold."""
    groups: dict[tuple[Path, ...], list[Item]] = defaultdict(list)
    for item in items:
        groups[item.paths].append(item)
    work = [Work(paths, group, model(group[0])) for paths, group in groups.items()]
    return sorted(work, key=lambda w: -len(w.items))


def look(work: Work) -> list[Seen]:
    """The local features and labels of questions over one database."""
    catalogue, lookup, _ = kept_sources().open_together(work.paths)
    found: list[Seen] = []

    async def all_of_them() -> None:
        for item in work.items:
            scene = await read.scene_of(item.question, catalogue, lookup, today=item.today)
            local = read.local_of(scene)
            seen = Seen(
                item.id, item.database, list(local.mentions), list(local.conditions), local.wording
            )
            gold = gold_parts(item.sql, catalogue, item.dialect)
            if gold is not None:
                seen.roles = [str(role) for role in role_labels(scene, gold)]
                seen.intended = condition_labels(local.proposals, gold)
                seen.shape = shape_labels(gold)
            found.append(seen)

    asyncio.run(all_of_them())
    return found


def attempt(work: Work) -> list[Tried]:
    """The candidates of questions over one database, run and judged."""
    assert work.model is not None
    model = work.model
    catalogue, lookup, workspace = kept_sources().open_together(work.paths)
    probe = LocalProbe(workspace)
    right: dict[str, list[Truth]] = {}
    found: list[Tried] = []

    async def all_of_them() -> None:
        for item in work.items:
            if item.gold not in right:
                right[item.gold] = truths(item)
            found.append(await _tried(item, catalogue, lookup, probe, model, right[item.gold]))

    asyncio.run(all_of_them())
    return found


async def _tried(
    item: Item,
    catalogue: Catalogue,
    lookup: ValueLookup,
    probe: LocalProbe,
    model: ReaderModel,
    right: Sequence[Truth],
) -> Tried:
    began = time.perf_counter()
    scene = await read.scene_of(item.question, catalogue, lookup, today=item.today)
    weighed = read.weighed_of(read.local_of(scene), model)
    candidates = read.composed(weighed, model)
    kept = await with_evidence(candidates, weighed, probe)
    seconds = time.perf_counter() - began
    rows = {id(c): r for c, r in zip(candidates, probe.rows, strict=True)}
    judgements = [judge(c, rows[id(c)], right) for c in kept]
    return Tried(
        item=item.id,
        charted=scene.charted,
        features=[c.features for c in kept],
        right=[float(j is Judgement.RIGHT) for j in judgements],
        judged=[str(j) for j in judgements],
        sql=[c.query.text if c.query else "" for c in kept],
        same=_first_alike(kept),
        seconds=seconds,
    )


def _first_alike(candidates: Sequence[Candidate]) -> list[int]:
    """The place of the first candidate that each is no rival of; its own where it is the first."""
    firsts: list[int] = []
    found: list[int] = []
    for at, one in enumerate(candidates):
        first = next((k for k in firsts if no_rival(one, candidates[k])), at)
        if first == at:
            firsts.append(at)
        found.append(first)
    return found


def judge(
    one: Candidate, rows: tuple[list[str], list[tuple[Any, ...]]] | None, right: Sequence[Truth]
) -> Judgement:
    """How right a candidate's rows are."""
    if rows is None:
        return Judgement.WRONG
    place = layout(one.intent)
    drawn = Drawn("", place.x, place.y, place.series) if place is not None else None
    return judged(Rows(rows[0], rows[1], chart=drawn), right, drawn)
