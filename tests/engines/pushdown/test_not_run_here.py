"""Trino and SQL Server, for which there is no server here: what would be sent, and to whom.

Trino is spoken to through its own client, against its REST protocol as documented, served by a few
lines; SQL Server's driver has nothing to speak to.
"""

from __future__ import annotations

import datetime as dt
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pyarrow as pa
import pytest
import sqlglot

from mesh.errors import AssayError
from mesh.policy import Policy
from mesh.tool import ToolError
from services.executor.databases.address import Address, address_of
from services.executor.databases.live import LiveColumn, LiveSource, Relation
from services.executor.databases.session import Interrupted
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.plan import Twins, planned
from services.executor.engines.sqlserver.target import TARGET as SQLSERVER
from services.executor.engines.trino.connect import TrinoSessions
from services.executor.engines.trino.errors import DRIVER_ERRORS, as_failure
from services.executor.engines.trino.target import TARGET as TRINO
from services.executor.pushdown.guard import checked
from services.executor.pushdown.relation import whole_sql
from services.executor.pushdown.target import Target
from services.executor.pushdown.translate import translation
from services.executor.sources.manifest import StoredColumn, StoredTable
from tests.engines.benign import BENIGN

_COLUMNS = {
    "orders": (
        ("order_id", "bigint"),
        ("customer_id", "bigint"),
        ("ordered_at", "timestamp(6)"),
        ("amount", "double"),
        ("price", "decimal(10,2)"),
        ("quantity", "bigint"),
        ("note", "varchar"),
    ),
    "customers": (
        ("customer_id", "bigint"),
        ("name", "varchar"),
        ("email", "varchar"),
        ("city", "varchar"),
        ("joined", "date"),
        ("vip", "boolean"),
    ),
    "empty_orders": (("order_id", "bigint"), ("amount", "double")),
}


def source(target: Target, tmp: Any) -> LiveSource:
    """The shop as its server would tell of it."""
    relations, tables = {}, []
    for name, columns in _COLUMNS.items():
        live = {
            column: LiveColumn(name=column, native=native, stored=target.stored_type(native))
            for column, native in columns
        }
        relations[name] = Relation(
            schema_name="sales", name=name, is_view=False, rows_known=False, columns=live
        )
        stored = tuple(StoredColumn(name=c, type=one.stored) for c, one in live.items())
        tables.append(StoredTable(name=name, rows=0, columns=stored))
    address = Address(target.engine.name, "1", "there", "d", (), (), ())
    return LiveSource(
        digest="d",
        label="shop",
        database=tmp,
        tables=tuple(tables),
        notes=(),
        decisions=(),
        schema_fingerprint="",
        salt="",
        address=address,
        relations=relations,
    )


def told(sql: str, tmp: Any) -> str:
    """What Trino is sent for a statement."""
    plan = planned([source(TRINO, tmp)], sql, (), policy=Policy(), row_limit=10, twins=Twins())
    return checked(TRINO, translation(TRINO, plan, {}))


def test_what_trino_is_sent_is_its_sql(tmp_path: Any) -> None:
    sent = told(
        "SELECT date_trunc('month', ordered_at) AS month, sum(price) / count(*) AS mean FROM orders"
        " WHERE amount > 1.5 AND note LIKE 'gift%' GROUP BY 1 ORDER BY mean DESC",
        tmp_path,
    )
    assert 'CAST(DATE_TRUNC(\'month\', "orders"."ordered_at") AS timestamp(6))' in sent
    assert 'FROM "sales"."orders"' in sent
    assert "DECIMAL '1.5'" in sent
    assert "is_finite" in sent
    assert "LIKE 'gift%'" in sent
    assert sent.endswith("LIMIT 11")


def test_most_honest_queries_have_words_in_trino(tmp_path: Any) -> None:
    written = []
    for sql in BENIGN[::3]:
        try:
            written.append(told(sql, tmp_path))
        except NotExpressible:
            continue
        except ToolError:  # of tables that are not in this shop
            continue
    assert len(written) >= 0.6 * len(BENIGN[::3])
    for statement in written:
        assert len(sqlglot.parse(statement, dialect=TRINO.dialect)) == 1


def test_sql_server_is_sent_no_statement_but_whole_tables(tmp_path: Any) -> None:
    shop = source(SQLSERVER, tmp_path)
    plan = planned(
        [shop], "SELECT count(*) FROM orders", (), policy=Policy(), row_limit=10, twins=Twins()
    )
    with pytest.raises(NotExpressible, match="its own dialect"):
        translation(SQLSERVER, plan, {})
    asked = SQLSERVER.limited(whole_sql(SQLSERVER, shop.relations["customers"]), 5)
    assert asked.startswith("SELECT TOP 5 * FROM (SELECT [customer_id] AS [customer_id], CAST(")
    assert asked.endswith("FROM [sales].[customers]) AS q")


@pytest.mark.parametrize(
    ("native", "stored"),
    [
        ("bit", "BOOLEAN"),
        ("int", "BIGINT"),
        ("numeric(10,2)", "DECIMAL(10,2)"),
        ("money", "DECIMAL(19,4)"),
        ("nvarchar", "VARCHAR"),
        ("datetimeoffset", "TIMESTAMP"),
        ("uniqueidentifier", "VARCHAR"),
        ("varbinary", ""),
        ("real", "DOUBLE"),
    ],
)
def test_types_of_sql_server_are_read_as_documented(native: str, stored: str) -> None:
    assert SQLSERVER.stored_type(native) == stored


# What Trino says of a query from then on that somebody has ended.
_CANCELED = {
    "message": "Query was canceled",
    "errorCode": 1,
    "errorName": "USER_CANCELED",
    "errorType": "USER_ERROR",
    "failureInfo": {"type": "x"},
}


class _Coordinator(BaseHTTPRequestHandler):
    """Trino's REST protocol: a statement is posted, its rows are fetched page by page."""

    pages: dict[str, dict[str, Any]]
    seen: list[tuple[str, str, dict[str, str]]]
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        del format, args

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.seen.append(("POST", body, dict(self.headers)))
        self._told(
            {
                "id": "q1",
                "nextUri": self._place("1"),
                "infoUri": self._place("info"),
                "stats": _STATS,
            }
        )

    def do_GET(self) -> None:
        if any(kind == "DELETE" for kind, *_ in self.seen):
            self._told({"error": _CANCELED})
            return
        page = self.pages[self.path.rpartition("/")[2]]
        more = {"nextUri": self._place(page["next"])} if page.get("next") else {}
        self._told({**{name: page[name] for name in page if name != "next"}, **more})

    def do_DELETE(self) -> None:
        self.seen.append(("DELETE", self.path, {}))
        self.send_response(204)
        self.end_headers()

    def _place(self, page: str) -> str:
        return f"http://127.0.0.1:{self._port()}/v1/statement/q1/{page}"

    def _port(self) -> int:
        assert isinstance(self.server, ThreadingHTTPServer)
        return self.server.server_port

    def _told(self, answer: dict[str, Any]) -> None:
        about = {"id": "q1", "infoUri": self._place("info"), "stats": _STATS}
        body = json.dumps({**about, **answer}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


_STATS = {
    "state": "RUNNING",
    "queued": False,
    "scheduled": True,
    "nodes": 1,
    "totalSplits": 1,
    "queuedSplits": 0,
    "runningSplits": 1,
    "completedSplits": 0,
    "cpuTimeMillis": 0,
    "wallTimeMillis": 0,
    "queuedTimeMillis": 0,
    "elapsedTimeMillis": 0,
    "processedRows": 0,
    "processedBytes": 0,
    "peakMemoryBytes": 0,
}


def _column(name: str, kind: str) -> dict[str, Any]:
    """A column as Trino describes one, with its type's numbers as arguments."""
    raw, _, numbers = kind.rstrip(")").partition("(")
    arguments = [{"kind": "LONG", "value": int(each)} for each in numbers.split(",") if each]
    return {
        "name": name,
        "type": kind,
        "typeSignature": {"rawType": raw, "arguments": arguments},
    }


@contextmanager
def coordinator(pages: dict[str, dict[str, Any]]) -> Iterator[tuple[Address, list[Any]]]:
    """A server that answers with these pages, its address, and what it is sent."""
    pytest.importorskip("trino", reason='needs the extra "trino"')
    seen: list[Any] = []
    handler = type("Handler", (_Coordinator,), {"pages": pages, "seen": seen})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        yield address_of(f"trino://ann@127.0.0.1:{port}/hive?sslmode=disable", {}, own=True), seen
        server.shutdown()


def test_rows_of_trino_arrive_in_the_types_that_were_asked_for() -> None:
    columns = [
        _column("a", "bigint"),
        _column("b", "decimal(10,2)"),
        _column("c", "varchar"),
        _column("d", "timestamp(6)"),
        _column("e", "date"),
    ]
    pages = {
        "1": {
            "columns": columns,
            "data": [[1, "1.50", "é", "2024-02-29 10:00:00.000001", "2024-02-29"]],
            "next": "2",
        },
        "2": {"columns": columns, "data": [[None] * 5]},
    }
    schema = pa.schema(
        [
            ("a", pa.decimal128(38, 0)),
            ("b", pa.float64()),
            ("c", pa.string()),
            ("d", pa.timestamp("us")),
            ("e", pa.date32()),
        ]
    )
    with coordinator(pages) as (address, seen), TrinoSessions().open(address, 10.0) as session:
        rows = session.stream("SELECT 1", schema).read_all().to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (1, 1.5, "é", dt.datetime(2024, 2, 29, 10, 0, 0, 1), dt.date(2024, 2, 29)),
        (None,) * 5,
    ]
    _, body, headers = seen[0]
    assert body == "SELECT 1"
    assert headers["X-Trino-Catalog"] == "hive"
    assert headers["X-Trino-User"] == "ann"
    assert "query_max_run_time" in headers["X-Trino-Session"]


def test_an_error_of_a_value_is_left_to_duckdb() -> None:
    error = {
        "message": "Division by zero",
        "errorCode": 8,
        "errorName": "DIVISION_BY_ZERO",
        "errorType": "USER_ERROR",
        "failureInfo": {"type": "x"},
    }
    with (
        coordinator({"1": {"error": error}}) as (address, _),
        TrinoSessions().open(address, 10.0) as session,
        pytest.raises(DRIVER_ERRORS) as raised,
    ):
        session.rows("SELECT 1 / 0")
    assert isinstance(as_failure(raised.value, address), NotExpressible)


def test_time_ends_a_statement_of_trino_there() -> None:
    pages = {"1": {"next": "1"}}  # goes on and on
    with (
        coordinator(pages) as (address, seen),
        pytest.raises(Interrupted) as stopped,
        TrinoSessions().open(address, 0.3) as session,
    ):
        session.rows("SELECT 1")
    assert stopped.value.late
    assert any(kind == "DELETE" for kind, *_ in seen)


@pytest.mark.parametrize(
    "url",
    [
        "trino://db.example",
        "trino:///hive",
        "trino://db.example/hive?http_scheme=http",
        "sqlserver://db.example",
        "mssql://db.example/d?sslmode=require",
        "snowflake://acme.snowflakecomputing.com",
        "bigquery://project",
    ],
)
def test_an_address_that_says_too_little_or_too_much_is_told(url: str) -> None:
    with pytest.raises(AssayError) as refusal:
        address_of(url, {}, own=True)
    assert refusal.value.reason.code == "SOURCE_NOT_FOUND"


def test_a_stranger_sends_no_password_in_the_open() -> None:
    with pytest.raises(AssayError):
        address_of("trino://ann@db.example/hive?sslmode=disable", {"password": "x"}, own=False)
    with pytest.raises(AssayError):
        address_of("snowflake://ann@db.example/d?sslmode=disable", {"password": "x"}, own=False)
