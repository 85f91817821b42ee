"""A PostgreSQL database that asks its reader for a password, and how questions name it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.credentials import separated
from mesh.ids import new_id
from mesh.testing.postgres import postgres_server
from tests.engines.world import run, uri_of
from tests.mesh.support import Caller, question

PASSWORD = "Kr0kodil&%/t-r3n"
SHOP = (
    "CREATE TABLE customers (id integer PRIMARY KEY, name text, email text, region text)",
    "CREATE TABLE orders (id integer PRIMARY KEY, customer_id integer REFERENCES customers,"
    " ordered_at timestamptz, amount numeric(10,2))",
    "COMMENT ON TABLE customers IS 'who buys'",
    "CREATE TABLE forbidden (id integer, secret_plan text)",
    "CREATE VIEW slow AS SELECT id, pg_sleep(30)::text AS waited FROM orders",
    "CREATE SCHEMA archive",
    "CREATE TABLE archive.orders AS SELECT 1 AS id, 'old' AS state",
    "INSERT INTO customers SELECT i, 'Name ' || i, 'n' || i || '@example.org',"
    " (array['North', 'South'])[1 + i % 2] FROM generate_series(1, 50) i",
    "INSERT INTO orders SELECT i, 1 + i % 50, timestamptz '2024-01-01 00:00:00+00' + i * interval"
    " '9 hours', i * 1.25 FROM generate_series(1, 400) i",
    "ANALYZE",
    "CREATE ROLE reader LOGIN PASSWORD '" + PASSWORD.replace("'", "''") + "'",
    "GRANT USAGE ON SCHEMA archive TO reader",
    "GRANT SELECT ON customers, orders, slow, archive.orders TO reader",
)


@contextmanager
def shop_owner(port: int = 0) -> Iterator[str]:
    """A server with the shop; the URI of its owner. Raises PostgresAbsent.

    With a `port` it listens on 127.0.0.1 too.
    """
    with postgres_server(port) as url:
        uri = uri_of(url)
        run(uri, *SHOP)
        rules = _socket(uri) / "data" / "pg_hba.conf"
        ways = ("local all postgres trust", "local all all scram-sha-256")
        rules.write_text("\n".join((*ways, "host all all 127.0.0.1/32 scram-sha-256\n")))
        run(uri, "SELECT pg_reload_conf()")
        yield uri


def _socket(uri: str) -> Path:
    return Path(uri.partition("host=")[2].partition("&")[0])


def reader(owner: str, password: str = PASSWORD, **changes: str) -> str:
    """The reader's URL, with the password in it."""
    user, database = changes.get("user", "reader"), changes.get("database", "postgres")
    host = changes.get("host", str(_socket(owner)))
    return f"postgresql://{user}:{quote(password, safe='')}@/{database}?host={host}"


def about(text: str, *urls: str) -> jobs_pb.CreateJobRequest:
    request = question(text, timeout=150)
    request.analysis.data_sources.extend(data_pb2.DataSource(connection_string=url) for url in urls)
    return request


def said(job: job_pb2.Job) -> str:
    return f"{job.failure.reason} {job.failure.message}" if job.HasField("failure") else str(job)


async def execute(
    caller: Caller, url: str, sql: str, files: tuple[Path, ...] = ()
) -> analysis_pb2.Observation:
    """One call of sql.run, as a planner makes it."""
    parts = separated(url)
    kept = await caller.executor.PutCredential(
        pb.PutCredentialRequest(address=parts.address, secrets_json=parts.sealed)
    )
    call = analysis_pb2.ToolCall(
        call_id=new_id(),
        task_id=new_id(),
        tool_name="sql.run",
        arguments_json=json.dumps({"query": sql}),
        attempt_number=1,
    )
    sources = [pb.Source(file_path=str(file)) for file in files]
    sources.append(pb.Source(connection_string=kept.address))
    wanted = pb.ExecuteRequest(call=call, request_id=new_id(), sources=sources)
    async for update in caller.executor.Execute(wanted):
        if update.WhichOneof("update") == "observation":
            return update.observation
    raise AssertionError("there was no observation")
