"""What must hold of an answer before it is told, when its plan was remembered."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from services.planner.domain.analysis.afterwards import broken
from services.planner.domain.query.intent import Intent
from tests.unit.planner.test_generalise import SALES, planning

_RANGED = SALES.model_copy(
    update={
        "tables": (
            SALES.tables[0].model_copy(
                update={
                    "columns": tuple(
                        c.model_copy(update={"minimum": "1", "maximum": "9"})
                        if c.name == "amount"
                        else c
                        for c in SALES.tables[0].columns
                    )
                }
            ),
        )
    }
)


async def found(question: str, **columns: list[Any]) -> str:
    intent = Intent.model_validate((await planning(question)).intent)
    named = {name.replace("_", " "): values for name, values in columns.items()}
    return broken(intent, pa.table(named), _RANGED)


@pytest.mark.parametrize(
    ("question", "columns", "why"),
    [
        ("average amount by state", {"state": ["Texas", None], "average_amount": [2.5, 9.0]}, ""),
        (
            "average amount by state",
            {"state": ["Texas"], "amount": [2.5]},
            "the answer has no column average amount",
        ),
        (
            "average amount by state",
            {"state": ["Texas", "Texas"], "average_amount": [2.0, 3.0]},
            "the answer has a group of state twice",
        ),
        (
            "average amount by state",
            {"state": ["Texas"], "average_amount": [12.5]},
            "average amount goes up to 12.5, where 9 is the most there can be",
        ),
        (
            "total amount in Texas",
            {"total_amount": [10.0, 20.0]},
            "the answer has 2 rows instead of one",
        ),
        ("total amount in Texas", {"total_amount": [1e9]}, ""),
        (
            "number of sales by state",
            {"state": ["Texas"], "number_of_sales": [-1]},
            "number of sales goes down to -1, where 0 is the least there can be",
        ),
        (
            "what share of total amount is each state",
            {"state": ["Texas"], "share_of_total_amount": [1.5], "total_amount": [3.0]},
            "share of total amount goes up to 1.5, where 1 is the most there can be",
        ),
        ("average amount by state", {"state": [], "average_amount": []}, ""),
    ],
)
async def test_an_answer_that_cannot_be_is_told_apart(
    question: str, columns: dict[str, list[Any]], why: str
) -> None:
    assert await found(question, **columns) == why
