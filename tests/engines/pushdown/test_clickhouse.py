"""What ClickHouse alone has: its types, its logins, its settings, and how it tells a write."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from mesh.credentials import separated
from mesh.errors import AssayError
from mesh.policy import Policy
from services.executor.databases.address import address_of
from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.source import DataSource
from services.executor.engines.clickhouse.address import address
from services.executor.engines.clickhouse.connect import ClickHouseSessions
from services.executor.engines.clickhouse.errors import DRIVER_ERRORS
from services.executor.engines.clickhouse.target import TARGET
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.plan import Plan
from services.executor.pushdown.engine import PushdownEngine
from services.executor.pushdown.translate import translation
from tests.engines.pushdown.chdb_server import PASSWORD, USER
from tests.engines.pushdown.clickhouse_world import ClickHouse
from tests.engines.world import Place

_KINDS = """
CREATE TABLE kinds_there.all (
    i8 Int8, u64 UInt64, wide Int256, f Float32, n Decimal(10, 2), t String, low
    LowCardinality(Nullable(String)), short FixedString(4), pick Enum8('one' = 1), day Date,
    moment DateTime('Europe/Berlin'), fine DateTime64(9), id UUID, list Array(Int32),
    pair Tuple(a Int8, b String), yes Bool, latest SimpleAggregateFunction(max, Int64),
    state AggregateFunction(sum, Int64), `odd``name` Int8
) ENGINE = MergeTree ORDER BY i8
"""
_ROW = """
INSERT INTO kinds_there.all SELECT -1, 18446744073709551615, 5, 0.5, 1.25, 'a\\xFFb', NULL, 'ab',
'one', '2024-02-29', '2024-06-01 12:00:00', '2024-01-01 00:00:00.123456789',
'00000000-0000-0000-0000-000000000001', [1, 2], (1, 'x'), true, 7, sumState(toInt64(1)), 1
"""


def opened(url: str, folder: Path, **terms: str) -> Place:
    library = DatabaseLibrary(folder / "home", own_surroundings=True, kept_seconds=0, **terms)  # type: ignore[arg-type]
    source = library.open(DataSource(connection_string=url))
    return Place(
        PushdownEngine(TARGET, library.sessions, DRIVER_ERRORS, lambda error, _: error), [source]
    )


def rows(url: str) -> list[tuple[object, ...]]:
    """What whoever the URL names is answered."""
    parts = separated(url)
    address = address_of(parts.address, parts.secrets, own=True)
    with ClickHouseSessions().open(address, 10.0) as session:
        return session.rows("SELECT 1")


def test_types_are_read_as_documented(clickhouse: ClickHouse, tmp_path: Path) -> None:
    clickhouse.run("CREATE DATABASE kinds_there")
    clickhouse.run(_KINDS)
    clickhouse.run(_ROW)
    place = opened(clickhouse.url.replace("/shop", "/kinds_there"), tmp_path)
    (table,) = place.sources[0].tables
    assert table.rows == 1
    (row,) = place.ask('SELECT * FROM "all"').to_pylist()
    assert row == {
        "i8": -1,
        "u64": 18446744073709551615,
        "wide": "5",
        "f": 0.5,
        "n": 1.25,
        "t": "a�b",
        "low": None,
        "short": "ab",
        "pick": "one",
        "day": dt.date(2024, 2, 29),
        "moment": dt.datetime(2024, 6, 1, 10),
        "fine": dt.datetime(2024, 1, 1, 0, 0, 0, 123456),
        "id": "00000000-0000-0000-0000-000000000001",
        "list": "[1,2]",
        "pair": '{"a":1,"b":"x"}',
        "yes": True,
        "latest": 7,
    }
    left_out = [note for note in place.sources[0].notes if "left out" in note]
    assert len(left_out) == 2


def test_a_write_is_told_by_another_digest(clickhouse: ClickHouse, tmp_path: Path) -> None:
    clickhouse.run("CREATE DATABASE written")
    clickhouse.run("CREATE TABLE written.t (a Int8) ENGINE = MergeTree ORDER BY a")
    clickhouse.run("INSERT INTO written.t VALUES (1)")
    url = clickhouse.url.replace("/shop", "/written")
    first, again = (opened(url, tmp_path).sources[0].digest for _ in range(2))
    clickhouse.run("INSERT INTO written.t VALUES (2)")
    assert first == again != opened(url, tmp_path).sources[0].digest


def test_the_database_of_the_path_is_what_is_seen(clickhouse: ClickHouse, tmp_path: Path) -> None:
    clickhouse.run("CREATE DATABASE beside")
    clickhouse.run("CREATE TABLE beside.secret (a Int8) ENGINE = Memory")
    names = {table.name for table in opened(clickhouse.url, tmp_path).sources[0].tables}
    assert names == {"customers", "orders", "empty_orders", "edges", "kinds"}


def test_the_password_is_asked_for_and_never_told(clickhouse: ClickHouse) -> None:
    right = clickhouse.url.replace("//", f"//{USER}:{PASSWORD.replace('/', '%2F')}@")
    assert rows(right) == [(1,)]
    with pytest.raises(AssayError) as refusal:
        rows(right.replace("s3cret", "wr0ng"))
    assert refusal.value.reason.code == "DATABASE_LOGIN_REFUSED"
    assert "wr0ng" not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("clickhouse://127.0.0.1:1/x?sslmode=disable", "DATABASE_UNREACHABLE"),
        ("clickhouse://127.0.0.1:{port}/none_such?sslmode=disable", "SOURCE_NOT_FOUND"),
        ("clickhouse://127.0.0.1:{port}/shop", "DATABASE_UNREACHABLE"),
        ("clickhouse://127.0.0.1/x?sslmode=maybe", "SOURCE_NOT_FOUND"),
        ("clickhouse:///x", "SOURCE_NOT_FOUND"),
        ("clickhouse://127.0.0.1/x?http_proxy=evil", "SOURCE_NOT_FOUND"),
    ],
)
def test_what_cannot_be_opened_is_told(
    url: str, reason: str, clickhouse: ClickHouse, tmp_path: Path
) -> None:
    with pytest.raises(AssayError) as refusal:
        opened(url.format(port=clickhouse.port), tmp_path)
    assert refusal.value.reason.code == reason


def test_a_host_that_is_not_allowed_is_not_asked(clickhouse: ClickHouse, tmp_path: Path) -> None:
    asked = len(clickhouse.told()["log"])
    with pytest.raises(AssayError) as refusal:
        opened(clickhouse.url, tmp_path, hosts="db.example")
    assert refusal.value.reason.code == "DATABASE_HOST_REFUSED"
    assert len(clickhouse.told()["log"]) == asked


def test_strangers_name_no_files() -> None:
    url = "clickhouse://db.example/shop?sslrootcert=/etc/shadow"
    assert address(url, {}, own=True, trusted=False).shown == "shop at db.example:8443"
    with pytest.raises(AssayError):
        address(url, {}, own=False, trusted=False)


def test_nothing_is_written_past_every_wall(
    clickhouse: ClickHouse, clickhouse_places: dict[str, Place]
) -> None:
    engine, source = clickhouse_places["there"].engine, clickhouse_places["there"].sources[0]
    assert isinstance(engine, PushdownEngine)
    address = source.address  # type: ignore[attr-defined]
    with engine.sessions.open(address, 10.0) as session, pytest.raises(DRIVER_ERRORS):
        session.rows("INSERT INTO shop.orders (order_id) SELECT 999")
    rows = clickhouse_places["there"].ask("SELECT count(*) AS n FROM orders").to_pylist()
    assert rows == [{"n": 120}]


def test_a_date_that_it_would_change_is_not_sent(clickhouse_places: dict[str, Place]) -> None:
    place = clickhouse_places["there"]
    engine = place.engine
    assert isinstance(engine, PushdownEngine)
    sql = "SELECT count(*) FROM customers WHERE joined > DATE '1799-12-31'"
    plan: Plan = engine.planned(place.sources, sql, (), row_limit=10, policy=Policy())
    with pytest.raises(NotExpressible, match="1900"):
        translation(TARGET, plan, {})


def test_a_sum_beyond_64_bits_is_exact(clickhouse: ClickHouse, tmp_path: Path) -> None:
    clickhouse.run("CREATE DATABASE large")
    clickhouse.run("CREATE TABLE large.t (a Int64) ENGINE = MergeTree ORDER BY a")
    clickhouse.run("INSERT INTO large.t VALUES (9223372036854775807), (9223372036854775807)")
    place = opened(clickhouse.url.replace("/shop", "/large"), tmp_path)
    found = place.ask("SELECT sum(a) AS s, avg(a) AS m FROM t").to_pylist()
    assert found == [{"s": 18446744073709551614, "m": 9223372036854775807.0}]
    with pytest.raises(DRIVER_ERRORS):
        place.ask("SELECT a + 1 AS b FROM t")
