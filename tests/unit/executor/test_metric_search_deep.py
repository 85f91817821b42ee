"""Segments of any number of dimensions are searched, and what is left out is too small or told."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from services.executor.metric import segments
from services.executor.metric.cube import Cube, Whole
from services.executor.metric.segments import Segments, segments_of
from services.executor.tools.metric_leaves import metric_leaves
from services.executor.tools.metric_search import metric_search
from tests.unit.executor.metric_data import ran, rows_of, told

_NAMES = "abcde"


def _grid(sizes: Sequence[int]) -> Whole:
    codes = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1)
    return codes.reshape(-1, len(sizes)).astype(np.int64)


def _forecast(sizes: Sequence[int], causes: Sequence[dict[str, int]]) -> pa.Table:
    """Leaves that came as forecast, but for the causes, which fell by half."""
    random, codes = np.random.default_rng(1), _grid(sizes)
    predicted = random.lognormal(4, 0.5, len(codes))
    real = predicted * (1 + random.normal(0, 0.03, len(codes)))
    for cause in causes:
        places = [_NAMES.index(name) for name in cause]
        real[(codes[:, places] == list(cause.values())).all(axis=1)] *= 0.5
    columns = {
        name: [f"{name}{n}" for n in codes[:, at]] for at, name in enumerate(_NAMES[: len(sizes)])
    }
    frame = pa.table({**columns, "real": real, "predicted": predicted})
    named = {"dimensions": list(columns), "real": "real", "predicted": "predicted"}
    made = ran(metric_leaves, frame, **named).frame
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("sizes", "cause"),
    [
        ((6, 7, 5, 8), {"a": 2, "b": 3, "c": 1, "d": 4}),
        ((4, 5, 4, 3, 4), dict.fromkeys("abcde", 1)),
    ],
)
def test_a_cause_of_every_dimension_at_once_is_found_alone(
    sizes: Sequence[int], cause: dict[str, int]
) -> None:
    result = ran(metric_search, _forecast(sizes, [cause]))

    [row] = told(result).values()
    assert row["depth"] == len(sizes)
    total = rows_of(result)[-1]
    assert total["searched_depth"] == len(sizes)
    assert json.loads(total["searched_dimensions"]) == list(_NAMES[: len(sizes)])
    assert total["left_out"] == 0


def _cube(codes: Whole) -> Cube:
    values = tuple(tuple(f"v{n:02}" for n in range(size)) for size in codes.max(axis=0) + 1)
    nothing = np.zeros((len(codes), 2))
    names = tuple(f"d{place}" for place in range(codes.shape[1]))
    return Cube(names, codes, values, ("predicted", "real"), nothing, None, nothing)


def _named(found: Segments) -> set[tuple[tuple[str, str | None], ...]]:
    return {tuple(found.named(at).items()) for at in range(len(found))}


def test_what_is_not_kept_is_the_smallest_of_all() -> None:
    random = np.random.default_rng(0)
    codes = np.unique((random.exponential(0.3, (900, 5)) * 6).astype(np.int64) % 6, axis=0)
    weight = random.lognormal(0, 1, len(codes))

    every = segments_of(_cube(codes), weight)
    few = segments_of(_cube(codes), weight, None, 300)

    size = every.members @ weight
    largest = np.argsort(-size, kind="stable")[:300]
    assert _named(few) == {tuple(every.named(int(at)).items()) for at in largest}
    assert few.too_small == pytest.approx(size[largest].min() / weight.sum())
    assert len(every) == len({tuple(every.leaves(at)) for at in range(len(every))})


def test_depths_that_cost_too_much_are_not_searched_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(segments, "MOST_MEMBERSHIPS", 10_000)

    result = ran(metric_search, _forecast((6, 7, 5, 8), []))

    assert rows_of(result)[-1]["searched_depth"] == 3
    assert any("more than 3 of the 4 dimensions were not searched" in n for n in result.notes)
