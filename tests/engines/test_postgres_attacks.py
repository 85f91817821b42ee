"""The walls around SQL on PostgreSQL: guard, translation, and a reader's read-only transaction."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from adbc_driver_manager import dbapi as adbc

from mesh.testing.postgres import fresh_database
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.copying import Copies
from services.executor.databases.library import DatabaseLibrary
from services.executor.databases.live import only_database
from services.executor.databases.session import Interrupted
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.engines import Engines
from services.executor.engines.guard import guard
from services.executor.engines.postgres.engine import PostgresEngine
from services.executor.engines.workspace import WorkspacePool
from tests.engines.postgres_attacks import BOTH_WALLS, GUARD_ALONE
from tests.engines.world import Place, open_database, run, uri_of, write_shop
from tests.unit.executor.source_help import shared

REFUSALS = {
    ErrorCategory.POLICY_DENIED,
    ErrorCategory.MISSING_COLUMN,
    ErrorCategory.SQL_SYNTAX,
    ErrorCategory.TYPE_MISMATCH,
}
STATE = (
    "SELECT json_agg(o ORDER BY order_id)::text FROM public.orders o",
    "SELECT json_agg(c ORDER BY customer_id)::text FROM public.customers c",
    "SELECT json_agg(s)::text FROM private.salaries s",
    "SELECT string_agg(n.nspname || '.' || relname || relkind::text || coalesce(relacl::text, ''),"
    " ',' ORDER BY n.nspname, relname) FROM pg_class c JOIN pg_namespace n ON n.oid ="
    " relnamespace WHERE nspname NOT LIKE 'pg_t%'",
    "SELECT string_agg(rolname || rolsuper || coalesce(rolconfig::text, ''), ',' ORDER BY rolname)"
    " FROM pg_roles",
    "SELECT string_agg(name || '=' || setting, ',' ORDER BY name) FROM pg_settings",
    "SELECT string_agg(proname, ',' ORDER BY proname) FROM pg_proc WHERE oid > 16384",
    "SELECT coalesce(json_agg(d)::text, '') FROM pg_db_role_setting d",
    "SELECT count(*)::text FROM pg_largeobject_metadata",
    "SELECT last_value || is_called::text FROM public.numbers",
    "SELECT count(*)::text FROM pg_extension",
    "SELECT count(*)::text FROM pg_locks WHERE locktype = 'advisory'",
)


@dataclass(frozen=True)
class Fortress:
    owner: str
    out: Path
    library: DatabaseLibrary
    place: Place

    def state(self) -> str:
        terms = ", ".join(f"({question})" for question in STATE)
        return json.dumps(run(self.owner, f"SELECT {terms}"))

    def spelled(self, attack: str) -> str:
        return attack.replace("{out}", str(self.out))


@pytest.fixture(scope="module")
def fortress(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fortress]:
    """The shop as a reader sees it, beside a table that is not the reader's business."""
    folder = tmp_path_factory.mktemp("fortress")
    folder.chmod(0o777)
    owner = uri_of(fresh_database(server))
    role = f"reader_{secrets.token_hex(4)}"
    write_shop(owner)
    run(
        owner,
        f"CREATE ROLE {role} LOGIN",
        "CREATE SEQUENCE public.numbers",
        "CREATE SCHEMA private",
        "CREATE TABLE private.salaries AS SELECT 'Ada' AS name, 100 AS salary",
        "CREATE MATERIALIZED VIEW public.sums AS SELECT sum(amount) FROM public.orders",
        "CREATE PROCEDURE public.wipe() LANGUAGE sql AS 'DELETE FROM public.orders'",
        "CREATE FUNCTION public.wipe_it() RETURNS int LANGUAGE sql AS"
        " 'DELETE FROM public.orders RETURNING 1'",
        f"GRANT SELECT ON public.orders, public.customers, public.empty_orders TO {role}",
        f"GRANT INSERT, UPDATE, DELETE, TRUNCATE ON public.orders TO {role}",
        f"GRANT USAGE ON SEQUENCE public.numbers TO {role}",
    )
    reader = owner.replace("postgres@", f"{role}@", 1)
    library, database = open_database(reader, folder / "home")
    duck = DuckDBEngine(WorkspacePool(memory_limit="256MB"))
    engine = Engines(duck, {"postgres": PostgresEngine(library.sessions)}, Copies(library.sessions))
    yield Fortress(owner, folder / "loot", library, Place(engine, [database]))
    library.close()


@pytest.mark.parametrize("attack", BOTH_WALLS + GUARD_ALONE)
def test_no_attack_passes_the_guard(attack: str, fortress: Fortress) -> None:
    before = fortress.state()
    with pytest.raises(ToolError) as refusal:
        fortress.place.ask(fortress.spelled(attack), seconds=5)
    assert refusal.value.category in REFUSALS
    assert refusal.value.message
    assert fortress.state() == before
    assert not fortress.out.exists()


@pytest.mark.parametrize("attack", BOTH_WALLS)
def test_the_database_refuses_too(attack: str, fortress: Fortress) -> None:
    """The reader may even write: the read-only transaction holds."""
    before = fortress.state()
    database = only_database(fortress.place.sources)
    assert database is not None
    with (
        pytest.raises(adbc.Error),
        fortress.library.sessions.open(database.address, 5) as session,
    ):
        session.rows(fortress.spelled(attack))
        # Where switching read-only off is not refused, writing must be.
        session.rows("DELETE FROM public.orders")
    assert fortress.state() == before
    assert not fortress.out.exists()


@pytest.mark.parametrize("attack", GUARD_ALONE)
def test_what_the_database_would_answer_changes_nothing(attack: str, fortress: Fortress) -> None:
    before = fortress.state()
    database = only_database(fortress.place.sources)
    assert database is not None
    try:
        with fortress.library.sessions.open(database.address, 5) as session:
            session.rows(fortress.spelled(attack))
    except (adbc.Error, Interrupted):
        pass
    fortress.library.sessions.close()
    assert fortress.state() == before


def test_published_injection_payloads_change_nothing(fortress: Fortress) -> None:
    before = fortress.state()
    files = sorted(shared("sql_attacks").glob("*.txt"))
    payloads = [p for file in files for p in file.read_text(errors="replace").splitlines()]
    for payload in payloads:
        for statement in (
            payload,
            f"SELECT name FROM customers WHERE name = '{payload}'",
            f"SELECT name FROM customers WHERE customer_id = {payload}",
        ):
            try:
                found = fortress.place.ask(statement, seconds=2)
            except ToolError as refusal:
                assert refusal.category is not ErrorCategory.INTERNAL, statement
            else:
                assert "100" not in str(found.to_pydict()), statement
    assert fortress.state() == before


def test_a_table_beyond_the_readers_rights_is_not_even_named(fortress: Fortress) -> None:
    assert "salaries" not in {table.name for table in fortress.place.sources[0].tables}
    with pytest.raises(ToolError):
        guard("SELECT * FROM salaries", [])
