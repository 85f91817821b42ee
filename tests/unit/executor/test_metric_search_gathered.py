"""Where all parts of a value moved alike, the value is told and not its parts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pytest

from services.executor.tools.metric_leaves import metric_leaves
from services.executor.tools.metric_search import metric_search
from tests.unit.executor.metric_data import key, ran, told

_SIZES = {"bitrate": 5, "cdn": 8, "device": 8, "p2p": 2}


def _failures(cause: Mapping[str, int], rise: float, spread: float, seed: int) -> pa.Table:
    """Viewers and failures by leaf, beside what was forecast. The share of failures rises inside
    the cause by about `rise`, in each leaf by another factor (log-normal with `spread`)."""
    random = np.random.default_rng(seed)
    codes = np.stack(np.meshgrid(*map(np.arange, _SIZES.values()), indexing="ij"), axis=-1)
    codes = codes.reshape(-1, len(_SIZES))
    weights = [random.normal(0, 0.7, size) for size in _SIZES.values()]
    viewers = np.exp(sum(one[codes[:, at]] for at, one in enumerate(weights)))
    viewers *= 2e6 / viewers.sum()
    usual = np.clip(0.03 * np.exp(random.normal(0, 0.3, len(codes))), 0.002, 0.5)
    inside = np.ones(len(codes), dtype=bool)
    for name, code in cause.items():
        inside &= codes[:, list(_SIZES).index(name)] == code
    now = np.where(inside, usual + rise * np.exp(random.normal(0, spread, len(codes))), usual)
    columns = {name: [f"{name}{n}" for n in codes[:, at]] for at, name in enumerate(_SIZES)}
    seen = random.poisson(viewers)
    frame = pa.table(
        {
            **columns,
            "real": random.binomial(seen, np.clip(now, 0, 1)).astype(float),
            "predicted": random.binomial(random.poisson(viewers), usual).astype(float),
            "seen": seen.astype(float),
            "expected": viewers,
        }
    )
    named = {
        "dimensions": list(_SIZES),
        "real": "real",
        "predicted": "predicted",
        "real_denominator": "seen",
        "predicted_denominator": "expected",
    }
    made = ran(metric_leaves, frame, **named).frame
    assert made is not None
    return made


@pytest.mark.parametrize("seed", range(4))
def test_parts_that_moved_by_about_the_same_are_no_exceptions(seed: int) -> None:
    found = told(ran(metric_search, _failures({"cdn": 2}, 0.15, 0.3, seed)))

    assert set(found) == {key(cdn="cdn2")}


@pytest.mark.parametrize("seed", range(4))
def test_of_two_values_the_one_that_moved_is_told(seed: int) -> None:
    found = told(ran(metric_search, _failures({"p2p": 1}, 0.15, 0.3, seed)))

    assert set(found) == {key(p2p="p2p1")}
