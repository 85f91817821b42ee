"""A metric by every combination of its dimensions: nothing is lost, and it always fits."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pydantic import ValidationError

from mesh.tool import ToolError, ToolResult
from services.executor.metric.arguments import CubeArguments, MarginsArguments
from services.executor.metric.buckets import buckets_of
from services.executor.tools.metric_cube import metric_cube
from services.executor.tools.metric_margins import metric_margins
from tests.engines.metric_world import MetricContext, sales
from tests.unit.executor.test_metric_margins import COLUMNS, asked_for

MANY = (
    "DATE '2024-01-01' + (hash(i) % 60)::INTEGER AS sold_on, 1 + hash(i * 3) % 9 AS amount,"
    " 'r' || hash(i * 5) % 4 AS region, 's' || hash(i * 7) % 900 AS store,"
    " 'p' || least(hash(i * 11) % 40, hash(i * 13) % 40) AS product,"
    " CASE WHEN i % 9 > 0 THEN 'c' || hash(i * 17) % 30 END AS channel"
)


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> MetricContext:
    return MetricContext(sales(tmp_path_factory.mktemp("metric"), COLUMNS))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> MetricContext:
    return MetricContext(sales(tmp_path_factory.mktemp("many"), MANY, 60_000))


def cube(context: MetricContext, **changes: Any) -> ToolResult:
    return metric_cube.run(CubeArguments(**asked_for(**changes)), context)


def frame(result: ToolResult) -> pa.Table:
    assert result.frame is not None
    return result.frame


def test_every_row_is_in_one_leaf_of_its_day(context: MetricContext) -> None:
    found = frame(cube(context, dimensions=["region", "online"], denominator="pieces"))
    names = ["region", "online", "bucket", "numerator", "denominator", "rows", "squares"]
    assert found.column_names == names
    expected: dict[Any, list[float]] = defaultdict(lambda: [0.0] * 4)
    for i in range(20_000):
        key = (f"region {i % 4}", str(i % 2 == 0).lower(), date(2024, 1, 1) + timedelta(i % 60))
        amount = (i % 97) / 4
        for place, number in enumerate((amount, 1 + i % 3, 1, amount**2)):
            expected[key][place] += number
    assert found.num_rows == len(expected)
    for row in found.to_pylist():
        sums = expected[row["region"], row["online"], row["bucket"]]
        assert [row[name] for name in names[3:]] == pytest.approx(sums)


@pytest.mark.parametrize("bucket", ["day", "week", "month"])
def test_no_bucket_is_of_two_periods(bucket: str, context: MetricContext) -> None:
    changes = {
        "bucket": bucket,
        "baseline": {"start": "2024-01-10", "end": "2024-01-27"},
        "comparison": {"start": "2024-02-03", "end": "2024-02-20"},
        "history_start": "2024-01-02",
    }
    found = frame(cube(context, **changes))
    total: dict[str, float] = defaultdict(float)
    for row in found.to_pylist():
        day = row["bucket"]
        side = "baseline" if date(2024, 1, 10) <= day <= date(2024, 1, 27) else ""
        side = side or ("comparison" if date(2024, 2, 3) <= day <= date(2024, 2, 20) else "")
        total[side] += row["numerator"]
    changes.pop("bucket")
    changes.pop("history_start")
    told = metric_margins.run(MarginsArguments(**asked_for(**changes)), context).frame
    assert told is not None
    first = told.to_pylist()[0]
    assert total["baseline"] == pytest.approx(first["baseline_numerator"])
    assert total["comparison"] == pytest.approx(first["comparison_numerator"])
    assert total[""] > 0


@pytest.mark.parametrize("kind", ["week", "month"])
def test_buckets_have_one_number_and_one_first_day(kind: Any) -> None:
    rows = CubeArguments(**asked_for(history_start="2023-11-17"))
    buckets = buckets_of(rows, kind, rows.begins)
    assert len(buckets.by_number()) == buckets.count
    assert set(buckets.by_number().values()) == set(buckets.starts())
    assert {rows.baseline.start, rows.comparison.start} <= set(buckets.starts())


@pytest.mark.parametrize("most", [200, 2_000, 20_000])
def test_it_always_fits_and_says_what_was_folded(most: int, many: MetricContext) -> None:
    names = ["region", "store", "product", "channel"]
    result = cube(many, dimensions=names, most_cells=most)
    found = frame(result)
    assert found.num_rows <= most
    assert sum(found["rows"].to_pylist()) == 60_000
    left = [name for name in names if name not in found.column_names]
    folded = [n for n in names if n not in left and "(other)" in found[n].to_pylist()]
    assert folded or left
    for name in (*folded, *left):
        assert any(note.startswith(f"{name}") for note in result.notes)


def test_more_room_keeps_more(many: MetricContext) -> None:
    names = ["region", "store", "product", "channel"]
    rows = [
        frame(cube(many, dimensions=names, most_cells=m)).num_rows for m in (500, 5_000, 50_000)
    ]
    assert rows == sorted(rows)
    assert rows[1] > 1_500
    assert rows[2] > 15_000


def test_a_small_value_that_moved_keeps_its_name(tmp_path: Path) -> None:
    moved = MANY.replace(
        "1 + hash(i * 3) % 9 AS amount",
        "CASE WHEN hash(i * 7) % 900 = 77 AND hash(i) % 60 >= 31 THEN 200 ELSE 1 + hash(i * 3) % 9"
        " END AS amount",
    )
    context = MetricContext(sales(tmp_path, moved, 60_000))
    names = ["region", "store", "product", "channel"]
    found = frame(cube(context, dimensions=names, most_cells=20_000))
    kept = set(found["store"].to_pylist())
    assert "s77" in kept
    assert len(kept) < 100


def test_margins_of_an_earlier_step_are_taken(many: MetricContext) -> None:
    names = ["store", "product"]
    alone = cube(many, dimensions=names, most_cells=3_000)
    told = metric_margins.run(MarginsArguments(**asked_for(dimensions=names)), many)
    given = MetricContext(many.place, inputs={"margins": frame(told)})
    result = cube(given, dimensions=names, most_cells=3_000)
    assert frame(result).equals(frame(alone))
    assert not any("GROUPING SETS" in sql for sql in given.asked)


def test_longer_buckets_come_before_fewer_than_a_few_values(many: MetricContext) -> None:
    result = cube(many, dimensions=["region", "product"], most_cells=200)
    assert any("by week instead of by day" in note for note in result.notes)
    assert frame(result).num_rows <= 200


def test_history_gives_way_before_values_do(many: MetricContext) -> None:
    late = {
        "baseline": {"start": "2024-02-05", "end": "2024-02-11"},
        "comparison": {"start": "2024-02-12", "end": "2024-02-18"},
        "dimensions": ["region", "product"],
        "most_cells": 4_000,
    }
    result = cube(many, history_start="2024-01-01", **late)
    alone = frame(cube(many, **late))

    begun = min(frame(result)["bucket"].to_pylist())
    assert date(2024, 1, 1) < begun < date(2024, 2, 5)
    assert any("with all since 2024-01-01" in note for note in result.notes)
    assert set(frame(result)["product"].to_pylist()) >= set(alone["product"].to_pylist())


def test_nothing_is_a_value_in_leaves_too(many: MetricContext) -> None:
    found = frame(cube(many, dimensions=["channel"]))
    assert None in found["channel"].to_pylist()


def test_the_order_of_rows_and_dimensions_changes_nothing(many: MetricContext) -> None:
    one = frame(cube(many, dimensions=["region", "product"], most_cells=1_000))
    shuffled = "SELECT * FROM sales ORDER BY hash_of LIMIT 60000".replace(
        "hash_of", "store, product"
    )
    changes = {"relation": shuffled, "dimensions": ["product", "region"], "most_cells": 1_000}
    other = frame(cube(many, **changes))
    keys = [("region", "ascending"), ("product", "ascending"), ("bucket", "ascending")]
    assert one.sort_by(keys).equals(other.select(one.column_names).sort_by(keys))


def test_a_dimension_called_as_a_column_of_the_cube_is_refused() -> None:
    with pytest.raises(ValidationError, match="call the dimension otherwise"):
        CubeArguments(**asked_for(dimensions=["Bucket"]))


def test_a_frame_that_is_no_margins_is_refused(many: MetricContext) -> None:
    given = MetricContext(many.place, inputs={"other": pa.table({"a": [1]})})
    with pytest.raises(ToolError, match=r"metric\.margins"):
        cube(given, dimensions=["region"], input="other")
    assert frame(cube(given, dimensions=["region"])).num_rows == 4 * 60
