"""How often an interval holds the true effect: `python -m bench.root_cause.coverage`.

Cubes of a small business with known means, in which a segment's rows, amounts or rates change by a
factor; its true effect is what that changes on average. Nothing is shared with the other worlds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from bench.root_cause.cases import Metric, Numbers
from bench.root_cause.customers import METRICS
from bench.root_cause.scoring import wilson
from mesh.testing.tool_context import FakeToolContext

NOISES = ("poisson", "spread", "shocks", "memory")
"""Rows by themselves; leaves that differ by the day; values that do; values with a memory."""
LENGTHS = ((10, 10), (14, 14), (28, 28), (28, 14), (60, 60))
SIZES = (4, 5, 3)
FIRST = date(2023, 3, 6)
_A_DAY = 600.0
_WEIGHT = 0.6  # of the logarithm of an amount


def planted(
    metric: Metric, noise: str, lengths: tuple[int, int], seed: int, external: bool
) -> tuple[pa.Table, dict[str, dict[str, str]], dict[str, str], float]:
    """A cube, its periods, the segment that moved, and its true effect."""
    random = np.random.default_rng([seed, len(noise), *lengths, METRICS.index(metric), external])
    days = sum(lengths)
    codes = np.stack(np.meshgrid(*map(np.arange, SIZES), indexing="ij"), -1).reshape(-1, 3)
    size = random.lognormal(0, 0.7, len(codes))
    week = random.uniform(0.5, 1.5, 7)[np.arange(days) % 7]
    mean = _A_DAY * np.outer(size / size.sum(), week / week.mean())
    late = np.arange(days) >= lengths[0]
    names = sorted(random.choice(3, int(random.integers(1, 3)), replace=False).tolist())
    pick = codes[int(random.integers(len(codes)))]
    own = (codes[:, names] == pick[names]).all(axis=1)
    factor = float(random.uniform(0.2, 0.6) if random.random() < 0.5 else random.uniform(1.5, 1.9))
    every = float(random.uniform(0.7, 1.3)) if external else 1.0
    rate = random.uniform(0.1, 0.35, len(codes)) if metric == "ratio" else np.ones(len(codes))
    value = random.uniform(5, 20, len(codes)) if metric in ("sum", "average") else rate
    wander = _wander(noise, random, codes, days)
    change = np.where(late, every, 1.0)[None, :] * np.where(own[:, None] & late, factor, 1.0)
    plain = value[:, None] * mean[:, late] * every
    truth = float(plain[own].sum() * (factor - 1))
    if metric in ("count", "sum"):
        rows = random.poisson(mean * wander * change)
        top = rows.astype(float) if metric == "count" else _amounts(random, rows, value)
        base = None
    else:
        rows = random.poisson(mean)
        base = rows.astype(float)
        chance = value[:, None] * wander * change
        if metric == "ratio":
            top = random.binomial(rows, np.minimum(chance, 0.98)).astype(float)
        else:
            top = _amounts(random, rows, value) * wander * change
        truth /= float(mean[:, late].sum())
    segment = {f"d{place}": f"v{pick[place]}" for place in names}
    middle = FIRST + timedelta(lengths[0])
    periods = {
        "baseline": {"start": str(FIRST), "end": str(middle - timedelta(1))},
        "comparison": {"start": str(middle), "end": str(FIRST + timedelta(days - 1))},
    }
    return _table(codes, rows, top, base), periods, segment, truth


def _wander(noise: str, random: np.random.Generator, codes: np.ndarray, days: int) -> Numbers:
    """Factors with mean one of each leaf and day."""
    if noise == "poisson":
        return np.ones((len(codes), days))
    if noise == "spread":
        return random.gamma(5, 1 / 5, (len(codes), days))
    out = np.ones((len(codes), days))
    for place, count in enumerate(SIZES):
        shock = random.normal(0, 1, (count, days))
        if noise == "memory":
            for day in range(1, days):
                shock[:, day] = 0.5 * shock[:, day - 1] + np.sqrt(0.75) * shock[:, day]
        out *= np.exp(0.12 * shock - 0.12**2 / 2)[codes[:, place]]
    return out


def _amounts(random: np.random.Generator, rows: np.ndarray, value: Numbers) -> Numbers:
    """Sums of so many log-normal amounts."""
    flat = random.lognormal(-(_WEIGHT**2) / 2, _WEIGHT, int(rows.sum()))
    at = np.repeat(np.arange(rows.size), rows.ravel())
    return np.bincount(at, flat, rows.size).reshape(rows.shape) * value[:, None]


def _table(codes: np.ndarray, rows: np.ndarray, top: Numbers, base: Numbers | None) -> pa.Table:
    days = rows.shape[1]
    at = np.repeat(np.arange(len(codes)), days)
    first = (FIRST - date(1970, 1, 1)).days
    columns: dict[str, Any] = {
        f"d{place}": [f"v{code}" for code in codes[at, place]] for place in range(3)
    }
    each = np.tile(np.arange(days) + first, len(codes)).astype(np.int32)
    columns["bucket"] = pa.array(each).cast(pa.date32())
    columns |= {"numerator": top.ravel(), "rows": rows.ravel()}
    if base is not None:
        columns["denominator"] = base.ravel()
    return pa.table(columns)


def measured(seeds: range) -> Iterator[dict[str, Any]]:
    """A record of each cube: whether the segment was told, and whether its interval holds."""
    from services.executor.tools.metric_search import metric_search

    for seed, metric, noise, lengths in product(seeds, METRICS, NOISES, LENGTHS):
        for external in (False, True):
            table, periods, segment, truth = planted(metric, noise, lengths, seed, external)
            arguments = metric_search.arguments.model_validate({**periods, "input": "cube"})
            found = metric_search.run(arguments, FakeToolContext({"cube": table})).frame
            assert found is not None
            record = {
                "metric": metric,
                "noise": noise,
                "days": f"{lengths[0]}, {lengths[1]}",
                "all moved": external,
                "told": False,
            }
            for row in found.to_pylist():
                is_mentioned = (
                    row["kind"] not in ("alike", "total", "mix") and row["p_corrected"] <= 0.05
                )
                if is_mentioned and json.loads(row["segment"]) == segment:
                    half = (row["high"] - row["low"]) / 2
                    record |= {
                        "told": True,
                        "held": row["low"] <= truth <= row["high"],
                        "off": (row["effect"] - truth) / half,
                    }
            yield record


def printed(records: list[dict[str, Any]]) -> str:
    """Coverage by what a cube was, with Wilson's intervals, of the segments that were told."""
    values = [record for record in records if record["told"]]
    lines = [f"Told: {len(values)} of {len(records)}. Held: {_share(values)}", ""]
    for title in ("metric", "noise", "days", "all moved"):
        lines += [f"| {title} | interval holds | mean error, in half widths |", "|---|---|---|"]
        for name in dict.fromkeys(record[title] for record in values):
            own = [record for record in values if record[title] == name]
            mean = sum(record["off"] for record in own) / len(own)
            lines.append(f"| {name} | {_share(own)} | {mean:+.2f} |")
        lines.append("")
    return "\n".join(lines)


def _share(records: list[dict[str, Any]]) -> str:
    hits, count = sum(record["held"] for record in records), len(records)
    low, high = wilson(hits, count)
    return f"{hits / max(count, 1):.1%} ({low:.1%}–{high:.1%} of {count})"


def main() -> None:
    """Measure what was asked for and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:5", help="from:to, without the last")
    first, last = (int(part) for part in parser.parse_args().seeds.split(":"))
    print(printed(list(measured(range(first, last)))))


if __name__ == "__main__":
    main()
