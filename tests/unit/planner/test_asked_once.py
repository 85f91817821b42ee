"""What the data said of a statement is not asked again on the way to one decision."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.asked_once import AskedOnce
from services.planner.domain.evidence import Outcome, ProbedQuery, ProbeLimits, ProbeState

FEW, MANY = ProbeLimits(rows=3), ProbeLimits(rows=2_000)


class Data:
    """Data that say which of their rows they were asked for, and what they were asked."""

    def __init__(self, state: ProbeState = ProbeState.OK) -> None:
        self.state = state
        self.asked: list[tuple[str, int]] = []

    async def __call__(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits = MANY
    ) -> Sequence[Outcome]:
        self.asked += [(query.sql, limits.rows) for query in queries]
        return [Outcome(state=self.state, reason=f"{q.sql}{q.params}") for q in queries]


def q(sql: str, *params: int) -> ProbedQuery:
    return ProbedQuery(sql=sql, params=params)


async def test_each_statement_is_asked_once_and_answered_in_its_place() -> None:
    data = Data()
    evidence = AskedOnce(data, MANY)

    await evidence([q("a"), q("b")])
    told = await evidence([q("b"), q("c"), q("a"), q("c")])

    assert [one.reason for one in told] == ["b()", "c()", "a()", "c()"]
    assert data.asked == [("a", 2_000), ("b", 2_000), ("c", 2_000)]


async def test_other_parameters_and_other_rows_are_another_question() -> None:
    data = Data()
    evidence = AskedOnce(data, MANY)

    told = await evidence([q("a", 1), q("a", 2)])
    await evidence([q("a", 1)], FEW)

    assert [one.reason for one in told] == ["a(1,)", "a(2,)"]
    assert data.asked == [("a", 2_000), ("a", 2_000), ("a", 3)]


async def test_what_did_not_run_may_run_another_time() -> None:
    data = Data(ProbeState.CUT_OFF)
    evidence = AskedOnce(data, MANY)

    await evidence([q("a")])
    data.state = ProbeState.OK
    (told,) = await evidence([q("a")])

    assert told.state is ProbeState.OK
