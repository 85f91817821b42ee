"""A proposal: what is wrong with it without data, which words it leaves out, what else the question
could mean, and the chart that its columns allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from services.planner.analysis.checking import with_findings
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.confidence.seen import Seen
from services.planner.domain.evidence import (
    USUAL_LIMITS,
    Outcome,
    ProbedColumn,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)
from services.planner.domain.model_use import ModelUse
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.proposals.alternatives import describe_alternatives
from services.planner.domain.proposals.charting import chart_of
from services.planner.domain.proposals.roles import with_roles
from services.planner.domain.proposals.unbound import describe_unbound, find_unread_words, unbound
from services.planner.domain.statements.proposal import AskedTest, Binding, Proposal
from tests.unit.checks.small_data import SmallData

QUESTION = "Total “freight” of Northern orders"
SQL = "SELECT sum(freight) AS total FROM orders WHERE region = 'North'"


def proposal(sql: str = SQL, **changes: Any) -> Proposal:
    values = {"proposer": "person", "interpretation": "freight of the North", "statement": sql}
    return Proposal.model_validate({**values, **changes})


def binding(words: str, fragment: str = "", **changes: Any) -> dict[str, Any]:
    return {"words": words, "fragment": fragment, "kind": "column", **changes}


@pytest.mark.parametrize(
    ("one", "wrong"),
    [
        (binding('total "FREIGHT"', "SUM ( freight )"), ""),
        (binding("northern  orders", "region='north'"), ""),
        (binding("orders", '"Orders"'), ""),
        (binding("southern", "region"), "'southern' are not in the question"),
        (binding("orders", "customers"), "'customers' is not in the statement"),
        (binding("orders"), "has no fragment"),
        (binding("orders", kind="assumption"), "has no fragment"),
        (binding("orders", kind="assumption", because="all rows are"), ""),
    ],
)
def test_a_binding_ties_words_of_the_question_to_a_part_of_the_statement(
    one: dict[str, Any], wrong: str
) -> None:
    found = proposal(bindings=[one]).problems(QUESTION)
    assert wrong in "".join(found) and bool(found) == bool(wrong)


@pytest.mark.parametrize("sql", ["", "DROP TABLE orders", f"{SQL}; {SQL}", "freight, please"])
def test_a_statement_is_one_select(sql: str) -> None:
    assert "not one SELECT" in proposal(sql).problems(QUESTION)[0]


@pytest.mark.parametrize(
    "large",
    [
        {"statement": f"SELECT {'1 + ' * 3_000} 1 FROM orders"},
        {"alternatives": [{"interpretation": "x", "statement": SQL}] * 3},
        {"bindings": [binding("orders", "orders")] * 41},
        {"bindings": [binding("orders" * 40, "orders")]},
        {"interpretation": "all of it " * 100},
    ],
)
def test_sizes_are_bounded(large: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="at most"):
        proposal(**large)


def test_words_are_bound_by_a_binding_or_by_the_statement_itself() -> None:
    question = "freight of northern orders above average, roughly"
    bound = [binding("northern", "region = 'North'"), binding("roughly", kind="assumption")]
    found = proposal(bindings=bound)

    assert unbound(question, found) == ("above", "average", "roughly")
    assert describe_unbound(question, found, taken=False) == (
        "W01: the question says 'above': the statement does nothing about it",
        "W01: the question says 'average': the statement does nothing about it",
    )
    assert find_unread_words(question, found) == (), "half of it is used"
    assert find_unread_words("gribble the flimflam orders", found) == ("gribble", "flimflam")


def test_keywords_of_sql_bind_no_words() -> None:
    assert unbound("limit by group", proposal("SELECT a FROM t GROUP BY 1 LIMIT 1")) != ()


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("First compute the mean amount. Then correlate it with the two, pls", ("mean", "amount")),
        ("Take the median amount of a planned one", ("median", "amount", "planned")),
        ("Fit the amount of the first two", ("amount", "first", "two")),
        ("amount of more than one", ("amount", "more", "one")),
    ],
)
def test_words_that_instruct_or_point_back_need_no_binding(
    question: str, left: tuple[str, ...]
) -> None:
    assert unbound(question, proposal("SELECT x FROM t")) == left


def test_what_became_a_test_or_says_how_many_digits_is_no_doubt() -> None:
    empty = [
        Binding(words=words, kind="assumption", because="as it is")
        for words in ("Round to two decimals", "correlate")
    ]
    rows = proposal("SELECT x, y FROM t").model_copy(update={"bindings": tuple(empty)})
    tested = rows.model_copy(update={"test": AskedTest(test="correlation", columns=("x", "y"))})

    assert describe_unbound("x", rows) == ("“correlate” changes nothing: as it is",)
    assert describe_unbound("x", tested) == ()


async def test_a_models_unbound_words_are_told_and_keep_it_from_being_sure() -> None:
    data = SmallData(SHOP)
    sql = "SELECT sum(freight) AS total FROM orders"
    load = Subtask(task_id="load", description="x", tool_name="sql.run", arguments={"query": sql})
    kept = proposal(sql, bindings=[binding("by us", kind="assumption", because="all are ours")])
    planning = Planning(
        draft=PlanDraft(subtasks=(load,), reasoning="", answer_task="load"),
        decided_by="m",
        model_use=ModelUse(model="m"),
        seen=Seen(proposer="model", samples=2),
        proposal=kept.model_dump(mode="json"),
    )

    whole = await with_findings(planning, "total freight", data.catalogue, data.evidence)
    part = await with_findings(planning, "gross freight by us", data.catalogue, data.evidence)

    assert "high" not in (whole.confidence, part.confidence)
    assert whole.assumptions == ("“by us” changes nothing: all are ours",)
    assert part.assumptions[1:] == (
        "W01: the question says 'gross': the statement does nothing about it",
    )
    plain = planning.model_copy(update={"proposal": proposal(sql).model_dump(mode="json")})
    plain = await with_findings(plain, "total freight", data.catalogue, data.evidence)
    assert (plain.confidence, plain.assumptions) == ("high", ())


class Told:
    """What the data says of a statement and of its alternatives."""

    def __init__(self, *outcomes: Outcome) -> None:
        self._outcomes = outcomes

    async def __call__(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> Sequence[Outcome]:
        if not self._outcomes:
            raise AssayError(SERVICE_UNAVAILABLE, "the executor is away")
        assert len(queries) == len(self._outcomes)
        return self._outcomes


def one_row(number: float) -> Outcome:
    column = ProbedColumn(name="n", empty_share=0.0, distinct_share=1.0)
    return Outcome(state=ProbeState.OK, rows=1, columns=(column,), glimpse=((number,),))


MANY = Outcome(state=ProbeState.OK, rows=900, content_digest="m", glimpse=((1,), (2,), (3,)))


@pytest.mark.parametrize(
    ("told", "differs"),
    [
        (Told(one_row(100), one_row(250)), "250 instead of 100"),
        (Told(one_row(11.9), one_row(12.4)), "12.40 instead of 11.90"),
        (Told(one_row(100), one_row(100.4)), ""),
        (Told(one_row(100), one_row(100)), ""),
        (Told(one_row(100), MANY), "900 rows instead of 1"),
        (Told(MANY, MANY.model_copy(update={"content_digest": "n"})), "other values in 900 rows"),
        (Told(MANY, MANY), ""),
        (Told(one_row(100), Outcome(state=ProbeState.FAILED)), ""),
        (Told(Outcome(state=ProbeState.CUT_OFF), one_row(1)), ""),
        (Told(), ""),
        (None, ""),
    ],
)
async def test_an_alternative_is_told_with_its_numbers_where_its_result_differs(
    told: Told | None, differs: str
) -> None:
    other = {"interpretation": "the number of orders.", "statement": "SELECT count(*) FROM orders"}
    found = await describe_alternatives(proposal(alternatives=[other]), told)

    said = f"It could also mean: the number of orders: {differs}"
    assert found == ((said,) if differs else ())


TEXT, NUMBER, DAY = "VARCHAR", "DOUBLE", "DATE"
NOTHING = Catalogue(tables=())
GROUPED = "SELECT a, b, c FROM t GROUP BY ALL"


@pytest.mark.parametrize(
    ("types", "roles", "drawn"),
    [
        ((TEXT, NUMBER), "label measure", "bar a b"),
        ((DAY, NUMBER), "date measure", "line a b"),
        (("BIGINT", NUMBER), "date measure", "bar a b"),
        ((TEXT, DAY, NUMBER), "label date measure", "multi_line b c a"),
        ((TEXT, TEXT, NUMBER), "label label measure", "grouped_bar a c b"),
        ((TEXT, TEXT, NUMBER), "label label measure+", "stacked_bar a c b"),
        ((NUMBER, NUMBER), "measure measure", "scatter a b"),
        ((NUMBER,), "measure", "histogram a"),
        (("BIGINT", NUMBER), "key measure", "bar a b"),
        ((TEXT, NUMBER), "label share", "bar a b"),
        ((TEXT, TEXT), "label label", ""),
        ((TEXT, TEXT), "label measure", ""),  # what holds no number is no measure
        ((TEXT, NUMBER), "", "bar a b"),  # nothing was said of the columns
    ],
)
def test_a_chart_follows_from_what_the_columns_are(
    types: Sequence[str], roles: str, drawn: str
) -> None:
    names = dict(zip("abc", types, strict=False))
    columns = [
        {"name": name, "role": role.strip("+"), "additive": role.endswith("+")}
        for name, role in zip("ABC", roles.split(), strict=False)
    ]
    found = with_roles(proposal(GROUPED, columns=columns), names, NOTHING)
    chart = chart_of(found, names, "how is it", "load")

    given = chart.arguments if chart is not None else {}
    shown = [given.get(key) for key in ("type", "x_col", "y_col", "series_col")]
    assert " ".join(filter(None, shown)) == drawn


def test_wide_results_and_long_names_leave_a_proposal_that_can_be_kept() -> None:
    types = {"x" * 201: NUMBER, **{f"c{n}": NUMBER for n in range(90)}}
    found = with_roles(proposal(), types, NOTHING)

    assert [column.name for column in found.columns] == [f"c{n}" for n in range(60)]
    assert Proposal.model_validate(found.model_dump(mode="json")) == found


@pytest.mark.parametrize(
    ("question", "roles", "kind"),
    [
        ("a pie chart of it", "label share", "pie"),
        ("a pie chart of it", "label measure", "bar"),
        ("it as a line chart", "label measure", "bar"),
        ("a bar chart of it", "label measure", "bar"),
    ],
)
def test_a_chart_that_is_asked_for_is_drawn_where_it_is_true(
    question: str, roles: str, kind: str
) -> None:
    columns = [{"name": n, "role": r} for n, r in zip("ab", roles.split(), strict=True)]
    types = {"a": TEXT, "b": NUMBER}
    chart = chart_of(
        with_roles(proposal(GROUPED, columns=columns), types, NOTHING), types, question, "load"
    )
    assert chart is not None
    assert chart.arguments["type"] == kind


def test_parts_of_one_are_told_in_per_cent() -> None:
    columns = [{"name": "a", "role": "label"}, {"name": "b", "role": "share"}]
    types = {"a": TEXT, "b": NUMBER}
    for sql, unit, fraction in (
        (GROUPED, "", True),
        (GROUPED, "%", False),
        ("SELECT a, 100 * x / y AS b FROM t GROUP BY ALL", "", False),
    ):
        said = [columns[0], {**columns[1], "unit": unit}]
        told = with_roles(proposal(sql, columns=said), types, NOTHING)
        chart = chart_of(told, types, "how is it", "load")
        assert chart is not None
        assert chart.arguments.get("fraction", False) is fraction


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(a) AS a FROM t",
        "SELECT a, b FROM t ORDER BY b LIMIT 1",
        "SELECT max(a) - min(a) AS a FROM (SELECT a FROM t GROUP BY 1)",
    ],
)
def test_of_one_row_there_is_no_chart(sql: str) -> None:
    types = {"a": NUMBER}
    assert chart_of(with_roles(proposal(sql), types, NOTHING), types, "how much", "load") is None


@pytest.mark.parametrize(
    ("test", "drawn"),
    [
        ({"test": "correlation", "columns": ["a", "b"]}, ("scatter", "a", "b")),
        (
            {"test": "linear_regression", "columns": ["a"], "predictors": ["b"]},
            ("scatter", "b", "a"),
        ),
        ({"test": "anova", "columns": ["a"], "by": "c"}, ("box", "c", "a")),
        ({"test": "normality", "columns": ["a"]}, None),
    ],
)
def test_a_test_is_drawn_by_its_rows(
    test: dict[str, Any], drawn: tuple[str, str, str] | None
) -> None:
    types = {"a": NUMBER, "b": NUMBER, "c": TEXT}
    chart = chart_of(proposal(GROUPED, test=test), types, "how is it", "load")
    given = chart.arguments if chart is not None else {}
    assert (tuple(given[k] for k in ("type", "x_col", "y_col")) if given else None) == drawn
