"""Many candidate queries are tried within one bound, inside the policy."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from assay.executor.v1 import executor_service_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.policy import Policy
from services.executor import contract_probing
from services.executor.databases.copying import Copies
from services.executor.databases.session import Sessions
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.duckdb.query_processes import QueryProcesses
from services.executor.engines.engines import Engines
from services.executor.engines.postgres.engine import PostgresEngine
from services.executor.probing.batch import Batch
from services.executor.probing.outcome import Candidate, Cell, Limits, QueryOutcome, State
from services.executor.sources.prepared import PreparedSource
from tests.busy import allowing
from tests.unit.executor.source_help import open_file, write_shop

TOTAL = (
    "SELECT city, sum(amount) AS total FROM orders JOIN customers USING (customer_id) GROUP BY 1"
)
NAMED = "SELECT c.city AS town, SUM(o.amount) FROM customers c, orders o WHERE"
NAMED += " c.customer_id = o.customer_id GROUP BY c.city ORDER BY 2 DESC"
ENDLESS = "SELECT sum(a.n * b.n) FROM range(10000000) AS a(n), range(10000000) AS b(n)"
HUNGRY = "SELECT list(repeat('x', 1000) || n) FROM range(100000000) AS r(n)"


class Watched(DuckDBEngine):
    """An engine in this process that tells what it was given, and when."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[Batch] = []
        self.begun = threading.Event()

    def look(self, sources: Any, batch: Batch, *rest: Any, **more: Any) -> list[QueryOutcome]:
        self.batches.append(batch)
        self.begun.set()
        return super().look(sources, batch, *rest, **more)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> PreparedSource:
    folder = tmp_path_factory.mktemp("shop")
    return open_file(folder, write_shop(folder))


@pytest.fixture(scope="module")
def apart() -> Iterator[DuckDBEngine]:
    """An engine in processes of its own."""
    engine = DuckDBEngine(processes=QueryProcesses("512MB", 2))
    yield engine
    engine.close()


def engines(local: DuckDBEngine) -> Engines:
    sessions = Sessions()
    return Engines(local, {"postgres": PostgresEngine(sessions)}, Copies(sessions))


def probed(
    source: PreparedSource,
    statements: Sequence[str | Candidate],
    *,
    local: DuckDBEngine | None = None,
    limits: Limits | None = None,
    policy: Policy | None = None,
    cancelled: threading.Event | None = None,
) -> list[QueryOutcome]:
    candidates = [Candidate(one) if isinstance(one, str) else one for one in statements]
    return engines(local or DuckDBEngine()).probe(
        [source],
        candidates,
        limits or Limits(seconds=allowing(5.0)),
        cancelled=cancelled or threading.Event(),
        policy=policy or Policy(),
    )


def states(outcomes: Sequence[QueryOutcome]) -> list[str]:
    return [str(outcome.state) for outcome in outcomes]


def test_two_ways_to_say_one_thing_agree(shop: PreparedSource) -> None:
    one, other, third = probed(shop, [TOTAL, NAMED, TOTAL + " ORDER BY 1 DESC"])

    assert one.multiset_digest == other.multiset_digest == third.multiset_digest
    assert one.ordered_digest != third.ordered_digest
    assert [column.name for column in other.columns] == ["town", "sum(o.amount)"]
    assert one.glimpse[0] == (Cell("text", "London"), Cell("number", 30.75))


def test_what_fails_says_why_and_the_others_are_told(shop: PreparedSource) -> None:
    wrong = [
        "SELECT 1; SELECT 2",
        "SELECT secret FROM customers",
        "SELECT * FROM duckdb_settings()",
        "SELECT sum(city) FROM customers",
        "SELECT FROM WHERE",
        "SELECT ? AS a",
        "SELECT name::INTEGER FROM customers",
    ]

    *failures, good = probed(shop, [*wrong, TOTAL])

    assert states(failures) == ["failed"] * len(wrong)
    assert [failure.reason for failure in failures] == [
        "SQL_REFUSED",
        "MISSING_COLUMN",
        "SQL_REFUSED",
        "TYPE_MISMATCH",
        "SQL_SYNTAX",
        "INVALID_ARGUMENTS",
        "TYPE_MISMATCH",
    ]
    assert (good.state, good.rows) == (State.OK, 2)


def test_equal_candidates_run_once(shop: PreparedSource) -> None:
    local = Watched()
    whole, number = Candidate("SELECT ? AS a", (1,)), Candidate("SELECT ? AS a", (1.0,))

    outcomes = probed(shop, [whole, TOTAL, number, whole, TOTAL], local=local)

    assert sum(len(batch.statements) for batch in local.batches) == 3
    assert outcomes[0] == outcomes[3]
    assert outcomes[1] == outcomes[4]
    assert outcomes[0].glimpse != outcomes[2].glimpse
    assert outcomes[0].multiset_digest == outcomes[2].multiset_digest


def test_what_takes_too_long_is_cut_off_and_the_others_are_told(
    shop: PreparedSource, apart: DuckDBEngine
) -> None:
    limits = Limits(seconds=allowing(10.0), each=0.2)
    for local in (DuckDBEngine(), apart):
        found = probed(shop, [TOTAL, ENDLESS, NAMED], local=local, limits=limits)

        assert states(found) == ["ok", "cut_off", "ok"]
        assert found[0].multiset_digest == found[2].multiset_digest


def test_when_time_is_over_the_rest_is_not_reached(shop: PreparedSource) -> None:
    many = [ENDLESS, *(f"{ENDLESS} WHERE {n} = {n}" for n in range(40)), TOTAL]

    found = probed(shop, many, limits=Limits(seconds=0.3, each=0.3))

    assert found[-1].state is State.NOT_REACHED
    assert set(states(found)) <= {"cut_off", "not_reached"}


def test_a_caller_who_goes_away_ends_it(shop: PreparedSource, apart: DuckDBEngine) -> None:
    cancelled, local = threading.Event(), Watched()
    limits = Limits(seconds=allowing(60.0), each=allowing(60.0))

    def go_away() -> None:
        local.begun.wait()
        cancelled.set()

    gone = threading.Thread(target=go_away)
    gone.start()

    found = probed(shop, [ENDLESS, TOTAL], local=local, limits=limits, cancelled=cancelled)

    gone.join()
    assert found[0].state is State.NOT_REACHED
    assert probed(shop, [TOTAL], local=apart, cancelled=cancelled)[0].state is State.NOT_REACHED


def test_a_query_that_takes_all_memory_costs_no_other_its_outcome(
    shop: PreparedSource, apart: DuckDBEngine
) -> None:
    limits = Limits(seconds=10.0, each=10.0)

    hungry, good = probed(shop, [HUNGRY, TOTAL], local=apart, limits=limits)

    assert (hungry.state, hungry.reason) == (State.FAILED, "RESOURCE_EXHAUSTED")
    assert good.state is State.OK


def test_rows_are_looked_at_up_to_the_limit(shop: PreparedSource) -> None:
    (first, all_) = probed(
        shop, ["SELECT * FROM orders", "SELECT * FROM orders LIMIT 3"], limits=Limits(rows=3)
    )

    assert (first.rows, first.more) == (3, True)
    assert (all_.rows, all_.more) == (3, False)
    assert first.multiset_digest == all_.multiset_digest


def test_what_the_policy_blocks_is_never_told(shop: PreparedSource, apart: DuckDBEngine) -> None:
    policy = Policy(blocked_patterns=("email",))
    queries = [
        "SELECT email FROM customers",
        "SELECT * FROM customers",
        "SELECT note FROM orders",
        "SELECT substr(note, 6, 3) AS part FROM orders",
        "SELECT max(note) FROM orders",
    ]
    for local in (DuckDBEngine(), apart):
        blocked, everything, notes, parts, most = probed(shop, queries, local=local, policy=policy)

        assert (blocked.state, blocked.reason) == (State.FAILED, "COLUMN_BLOCKED")
        assert "email" not in [column.name for column in everything.columns]
        # What stands in for an address is drawn at random: any letters may meet in it.
        told = re.sub(r"\[email [^\]]*\]", "", str([everything, notes, parts, most]))
        told = re.sub(r"[0-9a-f]{32,}", "", told)  # so may the digits of digests
        assert "example.org" not in told
        assert "ada" not in told
        assert "[email " in str(notes.glimpse)


def test_few_files_are_probed_and_many_are_not(shop: PreparedSource, tmp_path: Path) -> None:
    large = Watched()  # stands for an engine of large data: only its name is asked for
    sessions = Sessions()
    few = Engines(DuckDBEngine(), {}, Copies(sessions), large=large, large_bytes=0)

    (found,) = few.probe(
        [shop], [Candidate(TOTAL)], Limits(), cancelled=threading.Event(), policy=Policy()
    )

    assert (found.state, found.reason) == (State.NOT_PROBED, "TOO_LARGE")
    assert large.batches == []


def test_nothing_asked_is_nothing_told(shop: PreparedSource) -> None:
    assert probed(shop, []) == []


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (pb.ProbeQueriesRequest(queries=[pb.ProbeQuery(sql="SELECT 1")] * 201), "queries"),
        (pb.ProbeQueriesRequest(queries=[pb.ProbeQuery()]), "queries[0].sql"),
        (pb.ProbeQueriesRequest(queries=[pb.ProbeQuery(sql="x" * 50_001)]), "queries[0].sql"),
        (
            pb.ProbeQueriesRequest(queries=[pb.ProbeQuery(sql="x", params=[pb.Cell(day="7 May")])]),
            "queries[0].params[0]",
        ),
        (
            pb.ProbeQueriesRequest(
                queries=[pb.ProbeQuery(sql="x", params=[pb.Cell(moment="2024-01-01T00:00:00Z")])]
            ),
            "queries[0].params[0]",
        ),
        (
            pb.ProbeQueriesRequest(queries=[pb.ProbeQuery(sql="x", params=[pb.Cell()] * 1_001)]),
            "queries[0].params",
        ),
        (pb.ProbeQueriesRequest(limits=pb.ProbeLimits(rows=2_001)), "limits.rows"),
        (pb.ProbeQueriesRequest(limits=pb.ProbeLimits(rows=-1)), "limits.rows"),
        (pb.ProbeQueriesRequest(limits=pb.ProbeLimits(total=Duration(seconds=11))), "limits.total"),
        (pb.ProbeQueriesRequest(limits=pb.ProbeLimits(each=Duration())), "limits.each"),
    ],
)
def test_more_than_the_contract_allows_is_refused(
    request_: pb.ProbeQueriesRequest, field: str
) -> None:
    with pytest.raises(AssayError) as refused:
        contract_probing.candidates_from(request_.queries)
        contract_probing.limits_from(request_.limits, 60.0)

    assert refused.value.reason is INVALID_ARGUMENT
    assert set(refused.value.fields) == {field}


def test_limits_that_are_not_set_are_the_usual_ones_within_the_call() -> None:
    assert contract_probing.limits_from(pb.ProbeLimits(), 60.0) == Limits(2_000, 2.0, 0.5)
    assert contract_probing.limits_from(pb.ProbeLimits(rows=5), 1.5) == Limits(5, 1.5, 0.5)
    short = pb.ProbeLimits(total=Duration(nanos=100_000_000))
    assert contract_probing.limits_from(short, 60.0) == Limits(2_000, 0.1, 0.1)
