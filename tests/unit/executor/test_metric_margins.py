"""What each value of each dimension adds to a metric: exact, whatever the values are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from mesh.tool import ErrorCategory, ToolError
from services.executor.metric.arguments import MarginsArguments
from services.executor.tools.metric_margins import metric_margins
from tests.engines.metric_world import MetricContext, sales

JANUARY = {"start": "2024-01-01", "end": "2024-01-31"}
FEBRUARY = {"start": "2024-02-01", "end": "2024-02-29"}
COLUMNS = (
    "DATE '2024-01-01' + (i % 60)::INTEGER AS sold_on, (i % 97) / 4.0 AS amount,"
    " 1 + i % 3 AS pieces, 'region ' || (i % 4) AS region, i % 2 = 0 AS online,"
    ' CASE WHEN i % 5 > 0 THEN i % 5 END AS "grade ""A""", i AS number,'
    " TIMESTAMP '2024-01-01 23:30:00' + INTERVAL (i % 60) DAY AS moment,"
    " strftime(DATE '2024-01-01' + (i % 60)::INTEGER, '%Y-%m-%d') AS text_day"
)


def asked_for(**changes: Any) -> dict[str, Any]:
    return {
        "relation": "SELECT * FROM sales",
        "time": "sold_on",
        "numerator": "amount",
        "dimensions": ["region"],
        "baseline": JANUARY,
        "comparison": FEBRUARY,
        **changes,
    }


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> MetricContext:
    return MetricContext(sales(tmp_path_factory.mktemp("metric"), COLUMNS))


def margins(context: MetricContext, **changes: Any) -> list[dict[str, Any]]:
    result = metric_margins.run(MarginsArguments(**asked_for(**changes)), context)
    assert result.frame is not None
    rows: list[dict[str, Any]] = result.frame.to_pylist()
    return rows


def refused(context: MetricContext, **changes: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        margins(context, **changes)
    return caught.value


def in_python(
    region: Callable[[int], Any], value: Any, days: range, of: Callable[[int], float]
) -> float:
    return sum(of(i) for i in range(20_000) if i % 60 in days and region(i) == value)


def test_each_value_adds_up_in_both_periods(context: MetricContext) -> None:
    rows = margins(context, denominator="pieces")
    assert [row["dimension"] for row in rows] == ["", *["region"] * 4]
    assert rows[0]["value"] is None
    for row in rows[1:]:
        here = int(row["value"].removeprefix("region "))
        for side, days in (("baseline", range(31)), ("comparison", range(31, 60))):
            sums = {
                "numerator": lambda i: (i % 97) / 4,
                "denominator": lambda i: 1 + i % 3,
                "rows": lambda i: 1,
                "squares": lambda i: ((i % 97) / 4) ** 2,
            }
            for what, of in sums.items():
                expected = in_python(lambda i: i % 4, here, days, of)
                assert row[f"{side}_{what}"] == pytest.approx(expected)


def test_every_dimension_adds_up_to_the_total(context: MetricContext) -> None:
    names = ["region", "online", 'grade "A"', "number", "text_day"]
    rows = margins(context, dimensions=names, most_values=50)
    total = rows[0]
    for name in names:
        for side in ("baseline", "comparison"):
            for what in ("numerator", "rows", "squares"):
                added = sum(r[f"{side}_{what}"] for r in rows if r["dimension"] == name)
                assert added == pytest.approx(total[f"{side}_{what}"])


def test_nothing_is_a_value_of_its_own(context: MetricContext) -> None:
    rows = margins(context, dimensions=['grade "A"', "online"])
    assert {r["value"] for r in rows if r["dimension"] == 'grade "A"'} == {None, "1", "2", "3", "4"}
    assert {r["value"] for r in rows if r["dimension"] == "online"} == {"true", "false"}


def test_very_many_values_are_folded_and_it_is_told(context: MetricContext) -> None:
    arguments = MarginsArguments(**asked_for(dimensions=["number"], most_values=5))
    result = metric_margins.run(arguments, context)
    assert result.frame is not None
    rows = result.frame.to_pylist()
    assert rows[-1]["value"] == "(other)"
    assert rows[-1]["folded"]
    kept = len(rows) - 2
    assert 5 <= kept <= 10
    assert rows[-1]["values"] == 20_000 - kept
    assert any("number: " in note and "(other)" in note for note in result.notes)


@pytest.mark.parametrize("time", ["moment", "text_day"])
def test_times_and_texts_are_days_too(time: str, context: MetricContext) -> None:
    assert margins(context, time=time) == margins(context)


def test_days_of_both_periods_count_in_both(context: MetricContext) -> None:
    arguments = MarginsArguments(
        **asked_for(comparison={"start": "2024-01-31", "end": "2024-02-02"})
    )
    result = metric_margins.run(arguments, context)
    assert result.frame is not None
    alone = margins(context, baseline={"start": "2024-01-31", "end": "2024-02-02"})[0]
    assert result.frame.to_pylist()[0]["comparison_rows"] == alone["baseline_rows"]
    assert any("overlap" in note for note in result.notes)


def test_a_period_without_rows_is_named_with_the_days_there_are(context: MetricContext) -> None:
    error = refused(context, comparison={"start": "2025-01-01", "end": "2025-01-31"})
    assert error.category is ErrorCategory.INVALID_ARGUMENTS
    assert "comparison" in error.message
    assert "baseline" not in error.message
    assert "from 2024-01-01 to 2024-02-29" in error.message
    assert error.details["periods"] == ["comparison"]
    assert error.details["last_day"] == "2024-02-29"


def test_what_is_no_number_adds_nothing_and_is_counted(context: MetricContext) -> None:
    relation = "SELECT *, CASE WHEN i % 10 = 0 THEN NULL WHEN i % 10 = 1 THEN amount / 0 ELSE 1 END"
    relation = f"{relation.replace('i %', 'number %')} AS broken FROM sales"
    arguments = MarginsArguments(**asked_for(relation=relation, numerator="broken"))
    result = metric_margins.run(arguments, context)
    assert result.frame is not None
    total = result.frame.to_pylist()[0]
    january = [i for i in range(20_000) if i % 60 < 31]
    assert total["baseline_rows"] == len(january)
    assert total["baseline_numerator"] == sum(i % 10 > 1 for i in january)
    assert any("no finite number" in note for note in result.notes)


def test_a_metric_without_any_number_is_refused(context: MetricContext) -> None:
    relation = "SELECT *, NULL::DOUBLE AS broken FROM sales"
    error = refused(context, relation=relation, numerator="broken")
    assert error.category is ErrorCategory.INVALID_ARGUMENTS
    assert "finite number" in error.message


@pytest.mark.parametrize(
    ("changes", "category", "said"),
    [
        ({"numerator": "amuont"}, ErrorCategory.MISSING_COLUMN, "amount"),
        ({"dimensions": ["regoin"]}, ErrorCategory.MISSING_COLUMN, "region"),
        ({"numerator": "region"}, ErrorCategory.TYPE_MISMATCH, "numbers"),
        ({"time": "number"}, ErrorCategory.TYPE_MISMATCH, "dates"),
        ({"relation": "SELECT amuont FROM sales"}, ErrorCategory.MISSING_COLUMN, "amount"),
        ({"relation": "SELECT * FROM salse"}, ErrorCategory.MISSING_COLUMN, "sales"),
        ({"relation": "DROP TABLE sales"}, ErrorCategory.POLICY_DENIED, ""),
        ({"relation": "SELECT * FROM sales) SELECT (1"}, ErrorCategory.POLICY_DENIED, ""),
    ],
)
def test_what_is_wrong_is_named(
    changes: dict[str, Any], category: ErrorCategory, said: str, context: MetricContext
) -> None:
    error = refused(context, **changes)
    assert error.category in (category, ErrorCategory.SQL_SYNTAX)
    assert said in error.message + error.hint


def test_a_period_ends_after_it_starts() -> None:
    with pytest.raises(ValidationError, match="before it starts"):
        MarginsArguments(**asked_for(baseline={"start": "2024-02-01", "end": "2024-01-01"}))


def test_parameters_of_the_relation_come_first(context: MetricContext) -> None:
    relation = "SELECT * FROM sales WHERE region = ? -- a comment"
    rows = margins(context, relation=relation, params=["region 2"])
    assert [row["value"] for row in rows] == [None, "region 2"]
