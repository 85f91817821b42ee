"""causal.load reads all rows, or a random sample of them that is the same every time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mesh.tool import ErrorCategory, ToolError, ToolResult
from services.executor.tools.causal_load import LoadArguments, causal_load
from tests.engines.metric_world import MetricContext, table_of
from tests.engines.world import Place

ROWS = 40_000


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Place:
    columns = "i, i % 7 AS weekday, (hash(i) % 1000) / 10.0 AS amount, 'g' || i % 2 AS part"
    folder = tmp_path_factory.mktemp("load")
    return table_of(folder, f"SELECT {columns} FROM range({ROWS}) AS numbers(i)")


def loaded(place: Place, relation: str = "SELECT * FROM sales", **arguments: Any) -> ToolResult:
    return causal_load.run(LoadArguments(relation=relation, **arguments), MetricContext(place))


def test_few_rows_come_whole_in_the_order_of_their_source(sales: Place) -> None:
    frame = loaded(sales).frame
    assert frame is not None
    assert frame["_row"].to_pylist() == list(range(ROWS)) == frame["i"].to_pylist()


def test_of_many_rows_an_even_sample_is_taken_and_said(sales: Place) -> None:
    result = loaded(sales, rows=2_000)
    assert result.frame is not None
    count = result.frame.num_rows
    assert count == 2_000
    assert f"{count:,} of 40,000 rows" in result.notes[0]
    assert f"{np.sqrt(1 / count - 1 / ROWS):.2g} standard deviations" in result.notes[0]
    weekdays = np.bincount(result.frame["weekday"].to_numpy())
    assert np.abs(weekdays / count - 1 / 7).max() < 0.03
    middle = result.frame["i"].to_numpy().mean()
    assert abs(middle - ROWS / 2) < 4 * ROWS / np.sqrt(12 * count)


@pytest.mark.parametrize("rows", [50, 51, 99, 500, 7_777, 39_999])
def test_a_sample_has_as_many_rows_as_asked(sales: Place, rows: int) -> None:
    frame = loaded(sales, rows=rows, seed=rows).frame
    assert frame is not None
    assert frame.num_rows == rows


def test_a_sample_is_the_same_however_rows_are_stored(sales: Place) -> None:
    once = loaded(sales, rows=500)
    upside_down = loaded(sales, "SELECT * FROM sales ORDER BY amount DESC", rows=500)
    turned = loaded(sales, "SELECT part, amount, weekday, i FROM sales", rows=500)
    other = loaded(sales, rows=500, seed=1)
    assert once.frame is not None
    assert once.frame.equals(upside_down.frame)
    assert turned.frame is not None
    assert once.frame.equals(turned.frame.select(once.frame.column_names))
    assert not once.frame.equals(other.frame)


def test_rows_with_equal_values_are_sampled_as_often_as_they_occur(sales: Place) -> None:
    frame = loaded(sales, "SELECT part, i % 10 = 0 AS tenth FROM sales", rows=1_000).frame
    assert frame is not None
    assert abs(np.mean(frame["tenth"].to_pylist()) - 0.1) < 0.03


def test_nothing_to_read_is_said(sales: Place) -> None:
    with pytest.raises(ToolError, match="no rows") as caught:
        loaded(sales, "SELECT * FROM sales WHERE i < 0")
    assert caught.value.details["reason"] == "NO_ROWS"


def test_a_column_by_a_name_of_ours_is_refused(sales: Place) -> None:
    with pytest.raises(ToolError, match="_row") as caught:
        loaded(sales, "SELECT i AS _row FROM sales")
    assert caught.value.category is ErrorCategory.INVALID_ARGUMENTS


def test_an_unknown_table_is_told_as_the_engine_tells_it(tmp_path: Path, sales: Place) -> None:
    with pytest.raises(ToolError) as caught:
        loaded(sales, "SELECT * FROM sails")
    assert caught.value.category is ErrorCategory.MISSING_COLUMN


def test_neighbours_in_a_sample_are_no_more_alike_than_in_the_data(tmp_path: Path) -> None:
    """Each row's nearest of the other group by `age` tells the effect of 6, whatever the order."""
    drawn = "floor(hash(i, 1) % 60000 / 10) AS age, (hash(i, 2) % 6000) / 6000.0 AS chance"
    place = table_of(
        tmp_path,
        "SELECT age, chance < 0.2 + age / 10000 AS treated,"
        " 6 * (chance < 0.2 + age / 10000)::INT + noise AS spend FROM (SELECT "
        f"{drawn}, (hash(i, 3) % 1000) / 25.0 AS noise FROM range(600000) AS numbers(i))",
    )
    frame = loaded(place, rows=12_000).frame
    assert frame is not None
    age, treated, spend = (frame[name].to_numpy() for name in ("age", "treated", "spend"))
    ages = np.unique(age)
    both = [one for one in ages if len(set(treated[age == one])) == 2]
    effects = np.array(
        [
            spend[(age == one) & treated].mean() - spend[(age == one) & ~treated].mean()
            for one in both
        ]
    )
    assert abs(effects.mean() - 6) < 4 * effects.std() / np.sqrt(len(effects))
