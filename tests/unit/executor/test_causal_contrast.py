"""One value of a treatment against another: which rows are looked at."""

from __future__ import annotations

import pyarrow as pa
import pytest

from mesh.tool import ToolError
from services.executor.causal.contrast import contrasted

PLANS = pa.table({"plan": ["free", "pro", "basic", None, "pro", "free"], "n": range(6)})


def test_only_rows_of_both_values_are_kept_and_the_others_are_counted() -> None:
    few, notes = contrasted(PLANS, "plan", "pro", "free")

    assert few.column("n").to_pylist() == [0, 1, 4, 5]
    assert notes == ["2 rows of other values of plan are not looked at here."]


def test_numbers_are_held_against_each_other_as_they_are_written() -> None:
    few, _ = contrasted(pa.table({"dose": [0, 1, 2, 1]}), "dose", "2", "0")

    assert few.column("dose").to_pylist() == [0, 2]


def test_all_rows_are_kept_where_no_reference_is_named() -> None:
    assert contrasted(PLANS, "plan", "pro", None) == (PLANS, [])


@pytest.mark.parametrize(
    ("treated", "reference"), [("gold", "free"), ("pro", "gold"), (None, "free")]
)
def test_a_value_that_is_not_there_and_one_against_itself_are_refused(
    treated: str | None, reference: str
) -> None:
    with pytest.raises(ToolError):
        contrasted(PLANS, "plan", treated, reference)
