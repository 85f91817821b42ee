"""What a doubt is of is told where it is read: in the report, and beneath the chart."""

from __future__ import annotations

import pytest

from mesh.remarks import in_doubt
from services.planner.analysis.checking import with_findings
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.analysis.settled import Settled
from services.planner.domain.confidence.seen import Seen
from services.planner.domain.plan import PlanDraft, Subtask
from tests.unit.checks.small_data import SmallData

SHOP = {
    "orders": "order_id,region,freight\n1,North,10.5\n2,South,4.5\n3,North,2.0",
    "lines": "line_id,order_id,quantity\n1,1,3\n2,1,2\n3,2,1\n4,3,1\n5,3,4",
}
OVER_LINES = (
    "SELECT o.region, sum(o.freight) AS freight FROM orders o "
    "JOIN lines l ON l.order_id = o.order_id GROUP BY 1"
)
PLAIN = "SELECT region, sum(freight) AS freight FROM orders GROUP BY 1"


@pytest.mark.parametrize(
    ("remark", "of"),
    [
        ("A05: amounts in 2 currencies are added", "something in the data is in doubt"),
        ("J01: each order counts once for every line", "what the statement does is in doubt"),
        ("W01: the question says 'net': nothing does", "not every word of the question was read"),
        ("left out as not understood: net", "not every word of the question was read"),
        ("A09: 3 rows at most are behind a number", "it rests on few rows"),
    ],
)
def test_every_doubt_says_what_it_is_of(remark: str, of: str) -> None:
    assert in_doubt(["The chart shows 10 of 12.", remark, remark]) == (of,)


def test_where_only_the_reading_is_in_doubt_nothing_else_is() -> None:
    assert in_doubt(["this reading is likely, not sure: another would be more usual"]) == ()


def planned(sql: str, **drawn: str) -> Planning:
    load = Subtask(task_id="load", description="x", tool_name="sql.run", arguments={"query": sql})
    shown = {"input": "load", "type": "bar", "x_col": "region", "y_col": "freight", **drawn}
    chart = Subtask(
        task_id="chart",
        description="x",
        tool_name="plot.render",
        arguments=shown,
        dependencies=("load",),
    )
    draft = PlanDraft(subtasks=(load, chart), reasoning="", answer_task="load")
    return Planning(draft=draft, decided_by="rules")


async def test_a_chart_says_what_is_doubted_of_its_numbers_and_nothing_that_was_before() -> None:
    data = SmallData(SHOP)
    found = await with_findings(planned(OVER_LINES), "freight", data.catalogue, data.evidence)
    assert found.draft is not None
    doubted = found.draft.subtasks[1].arguments["doubted"]
    assert f"J01: {doubted.rstrip('…')}" in found.assumptions[0]

    plain = planned(PLAIN, doubted="what was doubted of an earlier answer")
    found = await with_findings(plain, "freight", data.catalogue, data.evidence)
    assert found.draft is not None
    assert "doubted" not in found.draft.subtasks[1].arguments


async def test_rows_that_a_mean_leaves_out_are_told_and_leave_it_as_sure() -> None:
    data = SmallData({"boats": "name,harbour,fare\na,North,10\nb,North,\nc,South,20\nd,South,22"})
    sql = "SELECT harbour, avg(fare) AS fare FROM boats GROUP BY 1"
    found = await with_findings(planned(sql), "average fare", data.catalogue, data.evidence)
    assert any(text.startswith("1 of 4 rows has no fare") for text in found.assumptions)
    assert in_doubt(found.assumptions) == ()

    whole = sql.replace("avg(fare)", "count(*)")
    found = await with_findings(planned(whole), "boats", data.catalogue, data.evidence)
    assert not found.assumptions


async def test_of_several_remembered_results_none_has_to_do_all_that_was_said() -> None:
    def asks(task: str, query: str) -> Subtask:
        arguments = {"query": query}
        return Subtask(task_id=task, description=task, tool_name="sql.run", arguments=arguments)

    data = SmallData(SHOP)
    load = asks("load", "SELECT sum(freight) AS freight FROM orders")
    for tasks, doubted in (((load,), True), ((load, asks("further_1", PLAIN)), False)):
        draft = PlanDraft(subtasks=tasks, reasoning="", answer_task="load")
        kept = Planning(draft=draft, decided_by="rules", seen=Seen(proposer="model"))
        found = await with_findings(
            kept, "freight in all and by region", data.catalogue, data.evidence
        )
        assert any("'region'" in told for told in found.assumptions) is doubted


async def test_a_corrected_answer_is_held_to_the_correction_and_not_to_what_it_took_back() -> None:
    data = SmallData(SHOP)
    seen = Seen(corrected=True, level="high")
    by_order = "SELECT order_id, sum(freight) AS freight FROM orders GROUP BY 1"
    for words, doubted in (("no, by order id", False), ("no, of more than 7 by order id", True)):
        corrected = planned(by_order).model_copy(
            update={"seen": seen, "settled": Settled(corrections=("only 2025", words))}
        )
        found = await with_findings(corrected, "freight by region", data.catalogue, data.evidence)
        assert not any("'region'" in told for told in found.assumptions)
        assert any(" 7" in told for told in found.assumptions) is doubted
        assert found.seen.unread == 0
