"""Personal digits in a database are masked where they are, and over copies.

Needs a server of PostgreSQL, which the fixtures of this folder share.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from mesh.policy import Policy
from mesh.recognising.numbers import luhn
from mesh.testing.postgres import fresh_database
from services.executor.databases.copying import Copies
from services.executor.databases.library import DatabaseLibrary
from services.executor.databases.values import DatabaseValues
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.engine import ENGINE_KEY
from services.executor.engines.engines import Engines
from services.executor.engines.postgres.engine import PostgresEngine
from services.executor.engines.workspace import WorkspacePool
from services.executor.sources.describe import Describer
from services.executor.sources.lookup import ValueLookup
from tests.engines.world import Place, open_database, run, uri_of

RANDOM = random.Random(3)
ROWS = 40
BLOCKED = Policy(blocked_patterns=("credit_card", "ssn"))


def card() -> int:
    first = f"5{RANDOM.randrange(10**14):014d}"
    return next(int(f"{first}{last}") for last in range(10) if luhn(f"{first}{last}"))


PANS = [card() for _ in range(ROWS)]
PEOPLE = [
    10**6 * RANDOM.randrange(1, 666)
    + 10**4 * RANDOM.randrange(1, 100)
    + RANDOM.randrange(1, 10_000)
    for _ in range(ROWS)
]
SECRETS = {str(number) for number in [*PANS, *PEOPLE]}
KINDS = ("pan", "pan_float", "pan_wide", "pan_plain", "pan_text", "person", "person_text")


@pytest.fixture(scope="module", params=["analysed", "never analysed"])
def place(
    request: pytest.FixtureRequest, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[DatabaseLibrary, Place]]:
    uri = uri_of(fresh_database(server))
    rows = ", ".join(
        f"({p}, {p}, {p}, {p}, '{p}', {s}, '{s:09d}', {4 * 10**15 + 7 * n}, {n}.5)"
        for n, (p, s) in enumerate(zip(PANS, PEOPLE, strict=True))
    )
    run(
        uri,
        "CREATE TABLE payments (pan bigint, pan_float float8, pan_wide numeric(20,0),"
        " pan_plain numeric, pan_text text, person integer, person_text text,"
        " order_no bigint, amount numeric(10,2))",
        f"INSERT INTO payments VALUES {rows}",
        *(["ANALYZE"] if request.param == "analysed" else []),
    )
    library, source = open_database(uri, tmp_path_factory.mktemp("digits"))
    engine = PostgresEngine(library.sessions)
    engines = Engines(DuckDBEngine(), {"postgres": engine}, Copies(library.sessions))
    yield library, Place(engines, [source])
    library.close()


@pytest.mark.parametrize("wanted", ["postgres", "duckdb"])
def test_digits_of_a_database_are_masked(
    wanted: str, place: tuple[DatabaseLibrary, Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    if wanted == "duckdb":
        monkeypatch.setattr("services.executor.databases.masking.MOST_TEXTS", 0)
    found = place[1].ask("SELECT * FROM payments ORDER BY amount", policy=BLOCKED)
    assert found.schema.metadata[ENGINE_KEY] == wanted.encode()
    rows = found.to_pylist()
    for name in KINDS:
        kind = "credit_card" if name.startswith("pan") else "ssn"
        assert all(re.fullmatch(rf"\[{kind} [a-z]{{13}}\]", row[name]) for row in rows), name
    assert all(len({row[n] for n in KINDS if n.startswith("pan")}) == 1 for row in rows)
    assert all(row["person"] == row["person_text"] for row in rows)
    assert [row["order_no"] for row in rows] == [4 * 10**15 + 7 * n for n in range(ROWS)]


def test_groups_and_amounts_stay_right(place: tuple[DatabaseLibrary, Place]) -> None:
    sql = "SELECT pan, sum(amount) AS total FROM payments GROUP BY pan"
    found = place[1].ask(sql, policy=BLOCKED)
    assert found.schema.metadata[ENGINE_KEY] == b"postgres"
    assert found.num_rows == ROWS
    assert sum(map(float, found["total"].to_pylist())) == sum(n + 0.5 for n in range(ROWS))
    plain = place[1].ask("SELECT max(pan) AS pan FROM payments").to_pylist()
    assert plain == [{"pan": max(PANS)}]


def test_nothing_that_describes_them_tells_them(place: tuple[DatabaseLibrary, Place]) -> None:
    library, one = place
    pool = WorkspacePool()
    described = Describer(pool).describe(one.sources, BLOCKED)
    told = described.model_dump_json()
    assert not [secret for secret in SECRETS if secret in told]
    kinds = {column.name: column.data_type.value for column in described.tables[0].columns}
    assert {kinds[name] for name in KINDS} == {"string"}
    assert kinds["order_no"] == "integer"
    lookup = ValueLookup(pool, DatabaseValues(library.sessions))
    assert not lookup.lookup(one.sources, [str(PANS[0]), f"{PEOPLE[0]:09d}"], BLOCKED)
