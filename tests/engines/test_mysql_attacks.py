"""What must not run does not, with the guard and without it.

Starts a MariaDB server: whether it would refuse only it can tell.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mesh.testing.mariadb import fresh_database
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.copying import Copies
from services.executor.databases.library import DatabaseLibrary
from services.executor.databases.live import only_database
from services.executor.databases.session import Interrupted
from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.engines import Engines
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.mysql.engine import MysqlEngine
from services.executor.engines.mysql.errors import DRIVER_ERRORS
from services.executor.engines.mysql.guard import checked
from services.executor.engines.workspace import WorkspacePool
from tests.engines.mysql_attacks import BOTH_WALLS, COMMENTS, GUARD_ALONE, TEXTS
from tests.engines.mysql_world import run, shop_file, write_shop
from tests.engines.test_postgres_attacks import REFUSALS
from tests.engines.world import Place
from tests.unit.executor.source_help import shared

ENDED: tuple[type[Exception], ...] = (*DRIVER_ERRORS, Interrupted)
STATE = (
    "SELECT GROUP_CONCAT(order_id, COALESCE(amount, '') ORDER BY order_id) FROM orders",
    "SELECT GROUP_CONCAT(customer_id, name ORDER BY customer_id) FROM customers",
    "SELECT GROUP_CONCAT(name, salary) FROM private.salaries",
    "SELECT GROUP_CONCAT(table_schema, table_name ORDER BY 1) FROM information_schema.tables"
    " WHERE table_schema NOT IN ('performance_schema', 'information_schema')",
    "SELECT GROUP_CONCAT(user, host ORDER BY user) FROM mysql.user",
    "SELECT GROUP_CONCAT(routine_name ORDER BY 1) FROM information_schema.routines",
    "SELECT COUNT(*) FROM information_schema.events",
    "SELECT COUNT(*) FROM information_schema.triggers WHERE trigger_schema <> 'sys'",
    "SELECT GROUP_CONCAT(variable_name, variable_value ORDER BY 1) FROM"
    " information_schema.global_variables WHERE variable_name NOT LIKE 'gtid%'",
)


@dataclass(frozen=True)
class Fortress:
    owner: str
    out: Path
    library: DatabaseLibrary
    place: Place

    def state(self) -> str:
        answers = [run(self.owner, "SET group_concat_max_len = 1000000", sql) for sql in STATE]
        return json.dumps(answers, default=str)

    def spelled(self, attack: str) -> str:
        return attack.replace("{out}", str(self.out))


@pytest.fixture(scope="module")
def fortress(mariadb: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fortress]:
    """The shop as a reader sees it, who may even write, beside what is not theirs to see."""
    folder = tmp_path_factory.mktemp("fortress")
    folder.chmod(0o777)
    shop_file(folder)
    owner = fresh_database(mariadb)
    write_shop(owner, folder / "shop.duckdb")
    name = owner.rpartition("/")[2]
    reader = f"reader_{secrets.token_hex(4)}"
    run(
        owner,
        "CREATE DATABASE IF NOT EXISTS private",
        "CREATE TABLE IF NOT EXISTS private.salaries AS SELECT 'Ada' AS name, 100 AS salary",
        "CREATE PROCEDURE wipe() DELETE FROM orders",
        "CREATE FUNCTION wipe_it() RETURNS int BEGIN DELETE FROM orders; RETURN 1; END",
        f"CREATE USER {reader} IDENTIFIED BY 'secret'",
        f"GRANT SELECT, EXECUTE ON {name}.* TO {reader}",
        f"GRANT INSERT, UPDATE, DELETE ON {name}.orders TO {reader}",
    )
    library = DatabaseLibrary(
        folder / "home", connections={"shop": owner.replace("root@", f"{reader}:secret@")}
    )
    database = library.open(DataSource(connection_string="connection://shop"))
    duck = DuckDBEngine(WorkspacePool(memory_limit="256MB"))
    engine = Engines(duck, {"mysql": MysqlEngine(library.sessions)}, Copies(library.sessions))
    yield Fortress(owner, folder / "loot", library, Place(engine, [database]))
    library.close()


@pytest.mark.parametrize("attack", BOTH_WALLS + GUARD_ALONE)
def test_no_attack_passes_the_guard(attack: str, fortress: Fortress) -> None:
    orders = "SELECT COUNT(*), SUM(amount) FROM orders"
    before = run(fortress.owner, orders)
    with pytest.raises(ToolError) as refusal:
        fortress.place.ask(fortress.spelled(attack), seconds=5)
    assert refusal.value.category in REFUSALS
    assert refusal.value.message
    assert run(fortress.owner, orders) == before
    assert not fortress.out.exists()


def test_the_database_refuses_too(fortress: Fortress) -> None:
    """The reader may even write: the read-only transaction holds."""
    before = fortress.state()
    database = only_database(fortress.place.sources)
    assert database is not None
    for attack in BOTH_WALLS:
        with (
            pytest.raises(DRIVER_ERRORS),
            fortress.library.sessions.open(database.address, 5) as session,
        ):
            session.rows(fortress.spelled(attack))
            pytest.fail(f"not refused: {attack}")
    assert fortress.state() == before
    assert not fortress.out.exists()


@pytest.mark.parametrize(("sql", "value"), COMMENTS)
def test_a_comment_is_one_to_everybody(sql: str, value: object, fortress: Fortress) -> None:
    assert fortress.place.ask(sql).to_pylist() == [{"a": value}]


def test_what_the_database_would_answer_changes_nothing(fortress: Fortress) -> None:
    before = fortress.state()
    database = only_database(fortress.place.sources)
    assert database is not None
    for attack in GUARD_ALONE:
        try:
            with fortress.library.sessions.open(database.address, 5) as session:
                session.rows(fortress.spelled(attack))
        except ENDED:
            pass
    fortress.library.sessions.close()
    assert fortress.state() == before


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_stays_a_text(text: str, fortress: Fortress) -> None:
    found = fortress.place.ask("SELECT ? AS said, ? = 'x' AS same", [text, text]).to_pylist()
    assert found == [{"said": text, "same": False}]
    none = fortress.place.ask("SELECT count(*) AS n FROM orders WHERE note LIKE ?", [f"{text}z"])
    assert none.to_pylist() == [{"n": 0}]


def test_published_injection_payloads_change_nothing(fortress: Fortress) -> None:
    before = fortress.state()
    files = sorted(shared("sql_attacks").glob("*.txt"))
    payloads = [p for file in files for p in file.read_text(errors="replace").splitlines()]
    for payload in payloads[::20]:
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


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT SLEEP(1)",
        "SELECT 1; SELECT 2",
        "SELECT 1 /*! + 1 */",
        "DELETE FROM orders",
        "SELECT LOAD_FILE('/etc/passwd')",
        "SELECT @@datadir",
        "SELECT 1 INTO OUTFILE '/tmp/x'",
        "SELECT * FROM orders FOR UPDATE",
        "SELECT BENCHMARK(1, 1)",
        "SELECT USER()",
    ],
)
def test_the_last_look_lets_nothing_else_through(statement: str) -> None:
    with pytest.raises((ToolError, NotExpressible)) as refusal:
        checked(statement)
    if isinstance(refusal.value, ToolError):
        assert refusal.value.category is ErrorCategory.POLICY_DENIED


def test_a_table_beyond_the_readers_rights_is_not_even_named(fortress: Fortress) -> None:
    assert "salaries" not in {table.name for table in fortress.place.sources[0].tables}
