"""The metric of an investigation is held to the checks that statements are held to."""

from __future__ import annotations

import pytest

from services.planner.domain.checks.judging import judge
from services.planner.domain.investigation.grounding import ground_of
from services.planner.domain.investigation.metric_checked import OF_METRICS, metric_statement
from tests.unit.checks.small_data import SmallData
from tests.unit.investigation.shop import asked

_ROWS = "".join(
    f"{i},2024-0{1 + i % 3}-1{i % 9},{'North' if i % 2 else 'South'},{10 + i % 7}.5,"
    f"{'EUR' if i % 3 else 'USD'},{-999 if i % 10 == 0 else 20 + i % 5},{i % 4}\n"
    for i in range(1, 120)
)
_SALES = SmallData({"sales": "sale_id,sold_on,region,amount,currency,temp,quantity\n" + _ROWS})


@pytest.mark.parametrize(
    ("metric", "codes"),
    [
        ("sum(amount)", ["A05"]),
        ("sum(amount) / count(*)", ["A05"]),
        ("avg(temp)", ["F08"]),
        ("sum(quantity)", []),
        ("count(*)", []),
    ],
)
async def test_what_may_not_be_added_up_is_found(metric: str, codes: list[str]) -> None:
    ground = ground_of(asked(metric_sql=metric), _SALES.catalogue)
    assert ground is not None
    statement = metric_statement(ground)
    found = await judge(statement, _SALES.catalogue, _SALES.evidence, codes=OF_METRICS)

    assert [one.code for one in found.findings if one.code in codes or one.code == "A05"] == codes
    assert found.readable or not statement
