"""The two walls around SQL: the guard, and the locked database behind it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
from sqlglot import exp

from mesh.digest import file_digest
from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.allowed import FUNCTIONS, GRAMMAR, SHAPES
from services.executor.engines.duckdb.run import run_locked
from services.executor.engines.guard import guard
from services.executor.engines.known import KnownTable
from services.executor.engines.workspace import Workspace
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_file, shared, write_shop
from tests.unit.executor.sql_attacks import BOTH_WALLS, GUARD_ALONE
from tests.unit.executor.sql_benign import BENIGN

REFUSALS = {
    ErrorCategory.POLICY_DENIED,
    ErrorCategory.MISSING_COLUMN,
    ErrorCategory.SQL_SYNTAX,
}


@dataclass(frozen=True)
class Fortress:
    source: Path
    out: Path
    prepared: PreparedSource
    workspace: Workspace

    def spelled(self, attack: str) -> str:
        return attack.format(out=self.out, source=self.source)

    def digests(self) -> tuple[str, str]:
        return file_digest(self.source), file_digest(self.prepared.database)


@pytest.fixture(scope="module")
def fortress(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fortress]:
    folder = tmp_path_factory.mktemp("fortress")
    source = write_shop(folder)
    prepared = open_file(folder, source)
    workspace = Workspace([prepared], Policy(), memory_limit="512MB")
    yield Fortress(source, folder / "loot", prepared, workspace)


@pytest.mark.parametrize("attack", BOTH_WALLS + GUARD_ALONE)
def test_the_guard_refuses(attack: str, fortress: Fortress) -> None:
    tables = [table.known for table in fortress.workspace.tables]
    with pytest.raises(ToolError) as refusal:
        guard(fortress.spelled(attack), tables)
    assert refusal.value.category in REFUSALS
    assert refusal.value.message


@pytest.mark.parametrize("attack", BOTH_WALLS)
def test_the_database_refuses_too_and_nothing_changes(attack: str, fortress: Fortress) -> None:
    before = fortress.digests()
    with pytest.raises((ToolError, duckdb.Error)):
        run_locked(
            fortress.workspace, fortress.spelled(attack), [], 1_000, 1 << 30, 5.0, threading.Event()
        )
    assert fortress.digests() == before
    assert not fortress.out.exists()


@pytest.mark.parametrize("attack", GUARD_ALONE)
def test_what_the_database_would_answer_changes_nothing(attack: str, fortress: Fortress) -> None:
    before = fortress.digests()
    try:
        run_locked(
            fortress.workspace,
            fortress.spelled(attack),
            [],
            10_000,
            1 << 30,
            5.0,
            threading.Event(),
        )
    except (ToolError, duckdb.Error) as refusal:
        assert str(refusal)
    assert fortress.digests() == before


def test_after_all_attacks_the_shop_still_answers(fortress: Fortress) -> None:
    assert ask(fortress.prepared, "SELECT sum(amount) AS s FROM orders").to_pylist() == [
        {"s": 90.75}
    ]


@pytest.mark.parametrize("query", BENIGN)
def test_an_honest_query_passes_and_runs(query: str, fortress: Fortress) -> None:
    assert ask(fortress.prepared, query).num_columns >= 1


def test_comments_never_reach_the_database() -> None:
    sql = guard("SELECT a /* ; DROP TABLE t */ FROM t -- and more", [KnownTable("t", ("a",))])
    assert sql == "SELECT a FROM t"


def test_an_unknown_table_is_answered_with_the_nearest_names() -> None:
    with pytest.raises(ToolError) as refusal:
        guard("SELECT * FROM ordrs", [KnownTable("orders", ()), KnownTable("people", ())])
    assert refusal.value.category is ErrorCategory.MISSING_COLUMN
    assert refusal.value.details["candidates"][0] == "orders"


def test_a_syntax_error_says_where() -> None:
    with pytest.raises(ToolError) as refusal:
        guard("SELECT a FROM t WHERE (", [KnownTable("t", ("a",))])
    assert refusal.value.category is ErrorCategory.SQL_SYNTAX
    assert "line 1" in refusal.value.message


def test_a_statement_of_endless_depth_is_refused() -> None:
    with pytest.raises(ToolError):
        guard("SELECT " + "(" * 5_000 + "1" + ")" * 5_000, [])


def test_rows_come_in_one_order_whatever_the_query_leaves_open() -> None:
    table = [KnownTable("t", ("a", "b"))]
    assert guard("SELECT a, b FROM t", table, 5) == "SELECT a, b FROM t LIMIT 6"
    assert guard("SELECT a, b FROM t ORDER BY b", table) == "SELECT a, b FROM t ORDER BY b, 1"
    assert guard("SELECT a, sum(b) FROM t GROUP BY a", table).endswith("ORDER BY ALL")
    assert guard("SELECT DISTINCT a FROM t LIMIT 3", table).endswith("FROM t LIMIT 3")


def test_the_allow_list_names_only_what_exists() -> None:
    rows = duckdb.sql("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
    of_the_grammar = {
        "coalesce",
        "grouping",
        "grouping_id",
        "ifnull",
        "nullif",
        "row",
        "try",
        "percentile_cont",
        "percentile_disc",
    }
    assert {name for (name,) in rows} | of_the_grammar >= FUNCTIONS
    assert all(hasattr(exp, name) for name in SHAPES | GRAMMAR)


def test_published_injection_payloads_change_nothing(fortress: Fortress) -> None:
    before = fortress.digests()
    for file in sorted(shared("sql_attacks").glob("*.txt")):
        for payload in file.read_text(errors="replace").splitlines():
            for statement in (payload, f"SELECT * FROM orders WHERE note = '{payload}"):
                try:
                    ask(fortress.prepared, statement, seconds=2.0)
                except ToolError as refusal:
                    assert refusal.category is not ErrorCategory.INTERNAL, statement
    assert fortress.digests() == before
