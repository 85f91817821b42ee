"""What policy hides stays hidden behind a Flight SQL server, and what is sent there only reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.engine import ENGINE_KEY
from services.executor.engines.flightsql.engine import FlightEngine
from services.executor.engines.flightsql.session import FlightSession
from services.executor.engines.flightsql.translate import checked
from tests.engines.flight_server import DuckDBFlightServer, flight_server
from tests.engines.flight_world import opened
from tests.engines.world import Place
from tests.unit.executor.sql_attacks import BOTH_WALLS, GUARD_ALONE

pytestmark = pytest.mark.usefixtures("flightsql")
EMAIL = Policy(blocked_patterns=("email",))
NAMES = Policy(blocked_patterns=("ada|blaise|carl|élodie|zoë|ödön",))
MASKED = (
    "SELECT note, count(*) AS n FROM orders GROUP BY note ORDER BY n, note",
    "SELECT upper(note) AS u, left(note, 8) AS l FROM orders ORDER BY order_id",
    "SELECT string_agg(note, ',' ORDER BY order_id) AS notes FROM orders",
    "SELECT max(note) AS a, min(note) AS z FROM orders WHERE note LIKE '%ada@%'",
    "SELECT regexp_extract(note, '[a-z]+@[a-z]+') AS m FROM orders ORDER BY order_id",
    "SELECT count(DISTINCT note) AS notes, count(*) AS rows FROM orders",
    "WITH orders AS (SELECT note FROM orders) SELECT count(DISTINCT note) AS n FROM orders",
)


@pytest.mark.parametrize("sql", MASKED)
@pytest.mark.parametrize("engine", ["flightsql", "copies"])
def test_a_blocked_cell_is_masked_before_any_function_sees_it(
    sql: str, engine: str, flight_places: dict[str, Place]
) -> None:
    found = flight_places[engine].ask(sql, policy=EMAIL)
    cells = str(found.to_pydict()).lower()
    assert "ada" not in cells
    assert "example" not in cells
    assert found.num_rows == flight_places["duckdb"].ask(sql, policy=EMAIL).num_rows


@pytest.mark.parametrize("engine", ["flightsql", "copies"])
def test_masked_groups_stay_apart(engine: str, flight_places: dict[str, Place]) -> None:
    sql = (
        "SELECT name AS who, count(*) AS n, sum(quantity) AS q FROM orders JOIN customers"
        " USING (customer_id) GROUP BY ALL"
    )
    plain = flight_places["duckdb"].ask(sql).to_pylist()
    masked = flight_places[engine].ask(sql, policy=NAMES).to_pylist()
    assert all(row["who"].startswith("[blocked ") for row in masked)
    assert len({row["who"] for row in masked}) == len(plain)
    assert sorted((r["n"], r["q"]) for r in masked) == sorted((r["n"], r["q"]) for r in plain)


def test_what_is_told_by_its_pseudonym_can_be_asked_for(flight_places: dict[str, Place]) -> None:
    place = flight_places["flightsql"]
    sql = "SELECT note, count(*) AS n FROM orders GROUP BY note HAVING note LIKE '%_'"
    told = place.ask(sql, policy=EMAIL).to_pylist()
    ((masked, rows),) = [(r["note"], r["n"]) for r in told if r["note"].startswith("[email ")]
    asked = "SELECT count(*) AS n FROM orders WHERE note = ?"
    assert place.ask(asked, [masked], policy=EMAIL).to_pylist() == [{"n": rows}]


def test_a_blocked_column_does_not_exist(flight_places: dict[str, Place]) -> None:
    with pytest.raises(ToolError) as refusal:
        flight_places["flightsql"].ask("SELECT email FROM customers", policy=EMAIL)
    assert refusal.value.details["reason"] == "COLUMN_BLOCKED"


def test_digits_that_policy_blocks_are_pseudonyms_there(tmp_path: Path) -> None:
    cards = [int(f"{n}{luhn_digit(str(n))}") for n in range(411111111111000, 411111111111200)]
    blocked = Policy(blocked_patterns=("credit_card",))
    sql = "SELECT card FROM payments ORDER BY id"
    with flight_server(tmp_path / "payments.duckdb") as server:
        server.database.execute("CREATE TABLE payments (id INTEGER, card BIGINT)")
        server.database.executemany("INSERT INTO payments VALUES (?, ?)", list(enumerate(cards)))
        place = opened(server, tmp_path)
        assert place.ask(sql).column(0).to_pylist() == cards
        cells = place.ask(sql, policy=blocked).column(0).to_pylist()
    assert len(set(cells)) == len(cards)
    assert all(str(cell).startswith("[credit_card ") for cell in cells)


def test_many_texts_to_judge_are_judged_over_a_copy(
    flight_places: dict[str, Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.executor.databases.masking.MOST_TEXTS", 0)
    found = flight_places["chosen"].ask("SELECT note FROM orders", policy=EMAIL)
    assert found.schema.metadata[ENGINE_KEY] == b"duckdb"
    assert "ada" not in str(found.to_pydict())


def test_no_attack_reaches_the_server(
    flight_places: dict[str, Place], flight_shop: DuckDBFlightServer
) -> None:
    sent = len(flight_shop.statements)
    for attack in BOTH_WALLS + GUARD_ALONE:
        with pytest.raises(ToolError):
            flight_places["flightsql"].ask(attack.replace("{out}", "/tmp/x"))
    assert len(flight_shop.statements) == sent


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM (SELECT 1) AS q; DROP TABLE orders; SELECT * FROM (SELECT 1) AS q",
        "DELETE FROM orders",
        "COPY orders TO '/tmp/loot'",
        "WITH a AS (SELECT 1) SELECT 1; DROP TABLE orders",
        "SET threads = 1",
    ],
)
def test_what_is_not_one_select_is_not_sent(statement: str) -> None:
    with pytest.raises(ToolError) as refusal:
        checked(statement)
    assert refusal.value.category is ErrorCategory.POLICY_DENIED


def test_what_is_written_past_every_wall_is_rolled_back(
    flight_shop: DuckDBFlightServer, flight_places: dict[str, Place]
) -> None:
    engine = flight_places["flightsql"].engine
    assert isinstance(engine, FlightEngine)
    address = flight_places["flightsql"].sources[0].address  # type: ignore[attr-defined]
    with engine.sessions.open(address, 10.0) as session:
        assert isinstance(session, FlightSession)
        session.stream("DELETE FROM orders").read_all()
    rows = flight_places["flightsql"].ask("SELECT count(*) AS n FROM orders").to_pylist()
    assert rows == [{"n": 120}]
    assert "COMMIT" in flight_shop.ended  # of the empty transaction that begins at the end


def luhn_digit(digits: str) -> int:
    """What makes them a number that a card may have."""
    doubled = (int(d) * (2 - place % 2) for place, d in enumerate(reversed(digits)))
    return -sum(number // 10 + number % 10 for number in doubled) % 10
