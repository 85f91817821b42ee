"""Cases by kind and seed: the same seed gives the same data, byte for byte."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from bench.root_cause.cases import Case, Metric, Span
from bench.root_cause.causes import KINDS
from bench.root_cause.changing import Rows, applied, came_otherwise, of_causes
from bench.root_cause.leafing import forecast_leaves
from bench.root_cause.planting import NoPlaceError, segment_of, text_of
from bench.root_cause.world import World, draw_amounts, draw_codes, draw_days, world_of

FIRST_DAY = date(2023, 1, 2)
_TRIES = 50


def make(kind: str, seed: int, rows: int | None = None) -> Case:
    """The case of a kind and a seed, of about so many rows (else of a size drawn at random).

    A business in which no segment can carry the cause is drawn anew. Raises ValueError where none
    of fifty can, which means too few rows for that kind.
    """
    planner, metrics = KINDS[kind]
    random = np.random.default_rng([zlib.crc32(kind.encode()), seed])
    for _ in range(_TRIES):
        metric: Metric = metrics[int(random.integers(len(metrics)))]
        world = world_of(random, metric, rows)
        before = _drawn(world, random)
        try:
            plan = planner(world, before, random)
        except NoPlaceError:
            continue
        after = applied(world, before, plan, random)
        foreseen = before if plan.foreseen else before.taken(~of_causes(before, plan))
        again = applied(world, came_otherwise(world, before, random), plan, random)
        leaves = forecast_leaves(world, foreseen, again, random)
        start = FIRST_DAY + timedelta(world.history)
        middle = start + timedelta(world.length)
        return Case(
            name=f"{kind} {seed}",
            kind=kind,
            metric=metric,
            noise=world.noise,
            level=world.level,
            seed=seed,
            dimensions=tuple(one.name for one in world.dimensions),
            determines=world.determines,
            history_start=FIRST_DAY,
            baseline=Span(start, middle - timedelta(1)),
            comparison=Span(middle, middle + timedelta(world.length - 1)),
            rows=_table(world, after, random),
            leaves=leaves,
            truth=tuple(segment_of(one.place) for one in plan.planted),
            strength=min((one.strength for one in plan.planted), default=0.0),
        )
    raise ValueError(f"{kind} {seed}: no business of {rows} rows can carry it")


def cases(kinds: Sequence[str], seeds: range, rows: int | None = None) -> Iterator[Case]:
    """A case of each kind for each seed."""
    for seed in seeds:
        for kind in kinds:
            yield make(kind, seed, rows)


def _drawn(world: World, random: np.random.Generator) -> Rows:
    day, codes = draw_codes(world, draw_days(world, random), random)
    numerator, denominator = draw_amounts(world, codes, random)
    return Rows(day, codes, numerator, denominator)


def _table(world: World, rows: Rows, random: np.random.Generator) -> pa.Table:
    """The rows in no order, as a person would have them in a file."""
    mixed = random.permutation(len(rows.day))
    first = (FIRST_DAY - date(1970, 1, 1)).days
    columns: dict[str, pa.Array] = {
        "day": pa.array((rows.day[mixed] + first).astype(np.int32), pa.int32()).cast(pa.date32())
    }
    for one in world.dimensions:
        texts = pa.array([text_of(one.name, code) for code in range(len(one.weights))])
        columns[one.name] = texts.take(pa.array(rows.codes[one.name][mixed]))
    columns["numerator"] = pa.array(rows.numerator[mixed], from_pandas=True)
    if rows.denominator is not None:
        columns["denominator"] = pa.array(rows.denominator[mixed])
    return pa.table(columns)
