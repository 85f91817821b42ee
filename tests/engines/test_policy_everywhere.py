"""The policy of a request holds in every engine, and so does what an operator forces."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest

from mesh.errors import AssayError
from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.copying import Copies
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.engine import ENGINE_KEY
from services.executor.engines.engines import Engines
from services.executor.engines.postgres.engine import PostgresEngine
from tests.engines.world import Place

EMAIL = Policy(blocked_patterns=("email",))
ENGINES = ["duckdb", "postgres", "copies", "mysql", "mysql_copies"]
_OF_MYSQL = {"mysql": "mysql", "mysql_copies": "copies"}


class Everywhere(dict[str, Place]):
    """The places, with those of a server that is started for whoever asks of it alone."""

    def __init__(self, places: dict[str, Place], request: pytest.FixtureRequest) -> None:
        super().__init__(places)
        self._request = request

    def __missing__(self, engine: str) -> Place:
        found: dict[str, Place] = self._request.getfixturevalue("mysql_places")
        return found[_OF_MYSQL[engine]]


@pytest.fixture
def places(places: dict[str, Place], request: pytest.FixtureRequest) -> dict[str, Place]:
    """Of all engines, by name."""
    return Everywhere(places, request)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_blocked_column_does_not_exist(engine: str, places: dict[str, Place]) -> None:
    with pytest.raises(ToolError) as refusal:
        places[engine].ask("SELECT email FROM customers", policy=EMAIL)
    assert refusal.value.details["reason"] == "COLUMN_BLOCKED"
    assert "email" not in places[engine].ask("SELECT * FROM customers", policy=EMAIL).column_names


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT note, count(*) FROM orders GROUP BY note",
        "SELECT upper(note), left(note, 8) FROM orders",
        "SELECT string_agg(note, ',' ORDER BY order_id) FROM orders",
        "SELECT max(note), min(note) FROM orders WHERE note LIKE '%ada@%'",
        "SELECT regexp_extract(note, '[a-z]+@[a-z]+') FROM orders",
        "SELECT replace(note, '@', ' at ') FROM orders",
    ],
)
def test_a_blocked_cell_is_masked_before_any_function_sees_it(
    sql: str, engine: str, places: dict[str, Place]
) -> None:
    cells = str(places[engine].ask(sql, policy=EMAIL).to_pydict()).lower()
    assert "ada" not in cells
    assert "example" not in cells


@pytest.mark.parametrize("engine", ENGINES)
def test_masked_cells_still_join_and_count_alike(engine: str, places: dict[str, Place]) -> None:
    sql = "SELECT count(DISTINCT note) AS notes, count(*) AS rows FROM orders"
    assert (
        places[engine].ask(sql, policy=EMAIL).to_pylist() == places["duckdb"].ask(sql).to_pylist()
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_masked_groups_stay_apart(engine: str, places: dict[str, Place]) -> None:
    """Each customer's name is blocked, and each keeps the orders that are theirs."""
    sql = (
        "SELECT {} AS who, count(*) AS n, sum(quantity) AS q FROM orders JOIN customers"
        " USING (customer_id) GROUP BY ALL"
    )
    policy = Policy(blocked_patterns=("ada|blaise|carl|élodie|zoë|ödön",))
    plain = places["duckdb"].ask(sql.format("name")).to_pylist()
    for expression in ("name", "upper(name)", "trim(name)"):
        masked = places[engine].ask(sql.format(expression), policy=policy).to_pylist()
        assert all(re.fullmatch(r"\[blocked [a-z]{13}\]", row["who"]) for row in masked)
        assert len({row["who"] for row in masked}) == len(plain)
        assert sorted((r["n"], r["q"]) for r in masked) == sorted((r["n"], r["q"]) for r in plain)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_part_of_a_pseudonym_is_shown_as_such(engine: str, places: dict[str, Place]) -> None:
    sql = "SELECT left(note, 5) AS l, reverse(note) AS r FROM orders WHERE note LIKE '%_' AND note"
    sql += " NOT ILIKE 'gift%' AND note NOT LIKE 'ÄÖ%'"
    found = places[engine].ask(sql, policy=EMAIL)
    assert set(found["l"].to_pylist()) == set(found["r"].to_pylist()) == {"[blocked]"}


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_told_by_its_pseudonym_can_be_asked_for(
    engine: str, places: dict[str, Place]
) -> None:
    sql = "SELECT note, count(*) AS n FROM orders GROUP BY note HAVING note LIKE '%_'"
    told = places[engine].ask(sql, policy=EMAIL).to_pylist()
    ((masked, rows),) = [(r["note"], r["n"]) for r in told if r["note"].startswith("[email ")]
    asked = "SELECT count(*) AS n FROM orders WHERE note = ?"
    assert places[engine].ask(asked, [masked], policy=EMAIL).to_pylist() == [{"n": rows}]
    again = places[engine].ask(sql, policy=EMAIL).to_pylist()
    assert again == told


def test_many_texts_to_judge_are_judged_over_a_copy(
    places: dict[str, Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.executor.databases.masking.MOST_TEXTS", 0)
    found = places["chosen"].ask("SELECT note FROM orders", policy=EMAIL)
    assert found.schema.metadata[ENGINE_KEY] == b"duckdb"
    assert "ada" not in str(found.to_pydict())
    numbers = places["chosen"].ask("SELECT sum(quantity) FROM orders", policy=EMAIL)
    assert numbers.schema.metadata[ENGINE_KEY] == b"postgres"


def test_a_pattern_that_the_database_reads_otherwise_is_masked_over_a_copy(
    places: dict[str, Place],
) -> None:
    policy = Policy(blocked_patterns=(r"(?i)\bada\b.*?org",))
    found = places["chosen"].ask("SELECT note FROM orders", policy=policy)
    assert found.schema.metadata[ENGINE_KEY] == b"duckdb"
    assert "ada" not in str(found.to_pydict())


@pytest.mark.parametrize("engine", ENGINES)
def test_letters_beyond_ascii_are_blocked_in_any_case(
    engine: str, places: dict[str, Place]
) -> None:
    policy = Policy(blocked_patterns=("ÖDÖN", r"é\w+", r"\bzo."))
    names = places[engine].ask("SELECT name FROM customers ORDER BY customer_id", policy=policy)
    shown = [name for name in names["name"].to_pylist() if "[blocked" not in name]
    assert shown == ["Ada", "Blaise", "carl"]


def test_the_engine_is_named_with_the_result(places: dict[str, Place]) -> None:
    pushed = places["chosen"].ask("SELECT count(*) FROM orders")
    copied = places["chosen"].ask("SELECT entropy(quantity) FROM orders")
    assert pushed.schema.metadata[ENGINE_KEY] == b"postgres"
    assert copied.schema.metadata[ENGINE_KEY] == b"duckdb"


def test_a_forced_engine_that_cannot_serve_is_refused(places: dict[str, Place]) -> None:
    duck, postgres = places["duckdb"].engine, places["postgres"].engine
    assert isinstance(duck, DuckDBEngine)
    assert isinstance(postgres, PostgresEngine)
    forced = Engines(duck, {"postgres": postgres}, Copies(postgres.sessions), forced="postgres")
    with pytest.raises(AssayError, match="needs a database"):
        Place(forced, places["duckdb"].sources).ask("SELECT 1 AS one FROM orders")
    without = Engines(duck, {"postgres": postgres}, Copies(postgres.sessions), forced="spark")
    for place in ("duckdb", "postgres"):
        with pytest.raises(AssayError, match="no server of it is named"):
            Place(without, places[place].sources).ask("SELECT 1 AS one FROM orders")
    with pytest.raises(AssayError, match="no words for"):
        Place(forced, places["postgres"].sources).ask("SELECT entropy(quantity) FROM orders")


def test_a_request_may_name_its_engine(places: dict[str, Place]) -> None:
    chosen, database = places["chosen"].engine, places["postgres"].sources
    assert isinstance(chosen, Engines)
    terms: dict[str, Any] = {
        "row_limit": 10,
        "seconds": 30.0,
        "cancelled": threading.Event(),
        "policy": Policy(),
    }
    for name in ("duckdb", "postgres"):
        rows = chosen.query(database, "SELECT count(*) AS n FROM orders", **terms, wanted=name)
        assert rows.schema.metadata[ENGINE_KEY] == name.encode()
        assert rows.to_pylist() == [{"n": 120}]
    with pytest.raises(AssayError, match="no server of it is named"):
        chosen.query(database, "SELECT 1 AS one FROM orders", **terms, wanted="spark")
    copies = places["copies"].engine
    assert isinstance(copies, Engines)
    with pytest.raises(AssayError, match="every query by duckdb, not by postgres"):
        copies.query(database, "SELECT 1 AS one FROM orders", **terms, wanted="postgres")


def test_more_than_the_cap_is_not_copied(places: dict[str, Place]) -> None:
    duck, postgres = places["duckdb"].engine, places["postgres"].engine
    assert isinstance(duck, DuckDBEngine)
    assert isinstance(postgres, PostgresEngine)
    few = Engines(
        duck, {"postgres": postgres}, Copies(postgres.sessions, row_limit=100), forced="duckdb"
    )
    with pytest.raises(ToolError) as refusal:
        Place(few, places["postgres"].sources).ask("SELECT * FROM orders")
    assert refusal.value.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert "ASSAY_EXECUTOR_COPY_ROWS" in refusal.value.hint


def test_a_file_and_a_database_are_asked_together(places: dict[str, Place]) -> None:
    both = [*places["duckdb"].sources, *places["postgres"].sources]
    found = Place(places["chosen"].engine, both).ask(
        "SELECT count(*) AS n FROM orders o JOIN orders_2 p ON p.order_id = o.order_id"
    )
    assert found.to_pylist() == [{"n": 120}]
