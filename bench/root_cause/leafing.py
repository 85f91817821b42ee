"""Leaves out of rows: sums by combination of values, in periods or beside what would have been."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bench.root_cause.cases import Case, Leaves, Numbers, Span, Whole
from bench.root_cause.changing import Rows
from bench.root_cause.measures import elements_of
from bench.root_cause.planting import Mask, text_of
from bench.root_cause.world import World

_FORECAST_SPREADS = (0.02, 0.05, 0.15)
"""How far a forecast of a leaf is off, as the spread of its logarithm, by level of noise; the
literature's (Squeeze B0 to B4) reach from 0.8 to 12.8 %."""


def forecast_leaves(world: World, before: Rows, after: Rows, random: np.random.Generator) -> Leaves:
    """The comparison period as it is (`after`) beside a forecast (`before`), which is a little off
    in each leaf besides."""
    late = world.days - world.length
    one, other = before.taken(before.day >= late), after.taken(after.day >= late)
    names = tuple(one.name for one in world.dimensions)
    codes = np.stack(
        [np.concatenate([one.codes[name], other.codes[name]]) for name in names], axis=1
    )
    texts = tuple(
        tuple(text_of(each.name, code) for code in range(len(each.weights)))
        for each in world.dimensions
    )
    numerator = np.concatenate([one.numerator, other.numerator])
    denominator = None
    if one.denominator is not None and other.denominator is not None:
        denominator = np.concatenate([one.denominator, other.denominator])
    is_real = np.repeat([False, True], [len(one.day), len(other.day)])
    leaves = summed(names, texts, codes, is_real, numerator, denominator)
    spread = _FORECAST_SPREADS[world.level]
    off = np.exp(random.normal(0, spread, len(leaves.codes)))
    return Leaves(
        names,
        texts,
        leaves.codes,
        leaves.predicted * off,
        leaves.real,
        leaves.predicted_denominator,
        leaves.real_denominator,
    )


def summed(
    names: tuple[str, ...],
    texts: tuple[tuple[str, ...], ...],
    codes: Whole,
    is_real: Mask,
    numerator: Numbers,
    denominator: Numbers | None,
) -> Leaves:
    """Leaves of rows, each of which is expected or real. A missing numerator adds nothing."""
    leaves, at = elements_of(codes, range(len(names)))

    def total(amounts: Numbers, which: Mask) -> Numbers:
        return np.bincount(at[which], np.nan_to_num(amounts[which]), len(leaves)).astype(float)

    return Leaves(
        names,
        texts,
        leaves,
        total(numerator, ~is_real),
        total(numerator, is_real),
        None if denominator is None else total(denominator, ~is_real),
        None if denominator is None else total(denominator, is_real),
    )


def leaves_for(case: Case) -> Leaves:
    """What a method of the literature takes: the forecast, or of rows the two periods' sums."""
    if case.form == "leaves":
        return case.leaves
    table = case.rows

    def between(span: Span) -> Mask:
        low = pc.greater_equal(table.column("day"), pa.scalar(span.start, pa.date32()))
        high = pc.less_equal(table.column("day"), pa.scalar(span.end, pa.date32()))
        return np.asarray(pc.and_(low, high).to_numpy(zero_copy_only=False), dtype=bool)

    real = between(case.comparison)
    kept = real | between(case.baseline)
    coded = [table.column(name).combine_chunks().dictionary_encode() for name in case.dimensions]
    codes = np.stack([each.indices.to_numpy() for each in coded], axis=1).astype(np.int64)
    texts = tuple(tuple(each.dictionary.to_pylist()) for each in coded)
    numerator = table.column("numerator").to_numpy().astype(float)
    denominator = table.column("denominator").to_numpy() if case.ratio else None
    return summed(
        case.dimensions,
        texts,
        codes[kept],
        real[kept],
        numerator[kept],
        None if denominator is None else denominator[kept],
    )
