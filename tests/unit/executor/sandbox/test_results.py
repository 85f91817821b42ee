from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from services.executor.sandbox.inside.results import UnusableResult, table_of

DAY = pd.Timestamp("2024-01-01")

USABLE: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "a number": (3, [{"value": 3}]),
    "a number of numpy": (np.float64(1.5), [{"value": 1.5}]),
    "a text": ("yes", [{"value": "yes"}]),
    "a dict of numbers": ({"a": 1, "b": 2.5}, [{"a": 1, "b": 2.5}]),
    "a dict of columns": ({"a": [1, 2]}, [{"a": 1}, {"a": 2}]),
    "a list of numbers": ([1, 2], [{"value": 1}, {"value": 2}]),
    "a list of rows": ([{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 2}]),
    "an array": (np.array([1, 2]), [{"value": 1}, {"value": 2}]),
    "a frame": (pd.DataFrame({"a": [1]}), [{"a": 1}]),
    "a filtered frame": (pd.DataFrame({"a": [1, 2]}).loc[[1]], [{"a": 2}]),
    "an Arrow table": (pa.table({"a": [1]}), [{"a": 1}]),
    "a series": (pd.Series([1], name="n"), [{"n": 1}]),
    "a grouped series": (
        pd.DataFrame({"k": ["a", "b"], "v": [1, 2]}).groupby("k").v.sum(),
        [{"k": "a", "v": 1}, {"k": "b", "v": 2}],
    ),
    "a series by name": (pd.Series({"slope": 2.0}), [{"index": "slope", "value": 2.0}]),
    "columns of two levels": (
        pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("v", "min"), ("v", "max")])),
        [{"v_min": 1, "v_max": 2}],
    ),
    "columns of one name": (pd.DataFrame([[1, 2]], columns=["a", "a"]), [{"a": 1, "a_2": 2}]),
    "columns that are numbers": (pd.DataFrame([[1, 2]]), [{"0": 1, "1": 2}]),
    "categories": (pd.Series(["x", "y"], dtype="category"), [{"value": "x"}, {"value": "y"}]),
    "periods": (pd.Series(pd.period_range("2024-01", periods=1, freq="M")), [{"value": "2024-01"}]),
    "dates": (pd.Series([DAY]), [{"value": DAY}]),
    "missing values": (pd.Series([1.0, np.nan]), [{"value": 1.0}, {"value": None}]),
    "no rows": (pd.DataFrame({"a": []}), []),
}


@pytest.mark.parametrize("what", USABLE)
def test_a_result_becomes_a_table(what: str) -> None:
    result, rows = USABLE[what]

    table, notes = table_of(result)

    assert table.to_pylist() == rows
    assert notes == []


def test_values_of_several_kinds_become_texts_and_that_is_said() -> None:
    table, notes = table_of(pd.DataFrame({"mixed": [1, "a", None]}))

    assert table.to_pylist() == [{"mixed": "1"}, {"mixed": "a"}, {"mixed": None}]
    assert notes == ["column 'mixed' held values of several kinds and is given as text"]


@pytest.mark.parametrize("result", [object(), {}, {"a": [1], "b": [1, 2]}, np.zeros((1, 1, 1))])
def test_what_is_no_table_is_refused(result: Any) -> None:
    with pytest.raises(UnusableResult):
        table_of(result)
