"""A PostgreSQL database as a source, from the question to the bundle; its password nowhere."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from assay.common.v1 import data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.config import MeshSettings
from mesh.credentials import separated
from mesh.ids import new_id
from mesh.testing.postgres import PostgresAbsent, postgres_server
from tests.engines.world import run, uri_of
from tests.mesh.support import REPOSITORY, Caller, question, refusal

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


@pytest.fixture(scope="module")
def owner() -> Iterator[str]:
    """A server that asks the reader for a password; the URI of its owner."""
    try:
        with postgres_server() as url:
            uri = uri_of(url)
            run(uri, *SHOP)
            rules = _socket(uri) / "data" / "pg_hba.conf"
            rules.write_text("local all postgres trust\nlocal all all scram-sha-256\n")
            run(uri, "SELECT pg_reload_conf()")
            yield uri
    except PostgresAbsent as absent:
        pytest.skip(str(absent))


def _socket(uri: str) -> Path:
    return Path(uri.partition("host=")[2])


def reader(owner: str, password: str = PASSWORD, **changes: str) -> str:
    """The reader's URL, with the password in it."""
    user, database = changes.get("user", "reader"), changes.get("database", "postgres")
    host = changes.get("host", str(_socket(owner)))
    return f"postgresql://{user}:{quote(password, safe='')}@/{database}?host={host}"


def about(text: str, *urls: str) -> job_pb2.AnalysisRequest:
    request = question(text)
    request.data_sources.extend(data_pb2.DataSource(connection_string=url) for url in urls)
    return request


def said(job: job_pb2.Job) -> str:
    return f"{job.failure.reason} {job.failure.message}" if job.HasField("failure") else str(job)


def places_of_password(folder: Path, password: str = PASSWORD) -> list[str]:
    """Files below a folder that hold the password, plain or escaped for a URL."""
    spellings = {password.encode(), quote(password, safe="").encode(), quote(password).encode()}
    return [
        str(path)
        for path in folder.rglob("*")
        if path.is_file() and any(one in path.read_bytes() for one in spellings)
    ]


async def test_a_question_is_answered_inside_the_database(
    owner: str, ann: Caller, home: Path
) -> None:
    job = await ann.asked(about("total amount by region", reader(owner)))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, said(job)
    expected = run(
        owner,
        "SELECT region, sum(amount)::text FROM orders o JOIN customers c ON c.id = customer_id"
        " GROUP BY 1 ORDER BY 1",
    )
    answer = str(job.answer)
    assert all(region in answer for region, _ in expected)
    assert not places_of_password(home)


async def test_the_catalogue_tells_keys_comments_schemas_and_roles(owner: str, ann: Caller) -> None:
    source = data_pb2.DataSource(connection_string=owner)
    told = await ann.executor.DescribeSource(pb.DescribeSourceRequest(sources=[source]))
    tables = {table.name: table for table in told.tables}
    assert set(tables) >= {"customers", "orders", "slow", "archive_orders"}
    assert tables["customers"].comment == "who buys"
    assert list(tables["orders"].primary_key) == ["id"]
    assert tables["orders"].rows == 400
    links = {(r.from_table, r.from_column, r.to_table, r.to_column) for r in told.relationships}
    assert ("orders", "customer_id", "customers", "id") in links
    columns = {column.name: column for column in tables["customers"].columns}
    assert columns["region"].inferred_type == "dimension"
    assert set(columns["region"].sample_values) == {"North", "South"}
    assert columns["id"].cardinality == 50


async def test_values_are_found_in_the_database_and_masked_ones_are_not(
    owner: str, ann: Caller
) -> None:
    source = data_pb2.DataSource(connection_string=owner)
    wanted = pb.LookupValuesRequest(sources=[source], phrases=["south", "n7@example.org"])
    hits = (await ann.executor.LookupValues(wanted)).hits
    assert {(hit.table, hit.column, hit.value) for hit in hits} >= {
        ("customers", "region", "South"), ("customers", "email", "n7@example.org"),
    }  # fmt: skip
    wanted.policy.blocked_patterns.append(r"[a-z0-9]+@example\.org")
    hits = (await ann.executor.LookupValues(wanted)).hits
    assert not [hit for hit in hits if hit.column == "email"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"password": "wrong-W0rd"}, "DATABASE_LOGIN_REFUSED"),
        ({"user": "nobody"}, "DATABASE_LOGIN_REFUSED"),
        ({"database": "nowhere"}, "SOURCE_NOT_FOUND"),
        ({"host": "no-such-host.invalid"}, "DATABASE_UNREACHABLE"),
        ({"host": "/nowhere"}, "DATABASE_UNREACHABLE"),
    ],
)
async def test_a_database_that_cannot_be_opened_says_why(
    changes: dict[str, str], reason: str, owner: str, ann: Caller, home: Path
) -> None:
    job = await ann.asked(about("total amount by region", reader(owner, **changes)))
    assert job.failure.reason == reason, said(job)
    text = str(job)
    assert PASSWORD not in text
    assert "wrong-W0rd" not in text
    assert not places_of_password(home)
    assert not places_of_password(home, "wrong-W0rd")


async def test_an_address_that_cannot_be_taken_apart_is_refused_without_repeating_it(
    owner: str, ann: Caller, home: Path
) -> None:
    broken = "postgresql://reader:half/of@it@127.0.0.1/shop"
    error = await refusal(ann.create(about("total amount by region", broken)))
    assert error.reason.code == "INVALID_ARGUMENT"
    assert "half" not in str(error) + error.hint + str(error.fields)
    assert not places_of_password(home, "half/of")


async def test_a_table_that_may_not_be_read_is_denied_by_name(
    owner: str, mesh: MeshSettings, ann: Caller
) -> None:
    found = await execute(ann, reader(owner), "SELECT sum(amount) FROM orders")
    assert found.status == job_pb2.OBSERVATION_STATUS_SUCCESS, found.error_message
    run(owner, "REVOKE SELECT ON orders FROM reader")
    try:
        denied = await execute(ann, reader(owner), "SELECT sum(amount) FROM orders")
    finally:
        run(owner, "GRANT SELECT ON orders TO reader")
    assert denied.error_category == "policy_denied"
    assert "DATABASE_PERMISSION_DENIED" in denied.error_details_json
    assert "orders" in denied.error_message


async def test_a_server_that_ends_the_connection_mid_query_is_told_and_forgotten(
    owner: str, ann: Caller
) -> None:
    asked = asyncio.create_task(execute(ann, reader(owner), "SELECT waited FROM slow"))
    for _ in range(200):
        ended = run(
            owner,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%slow%'"
            " AND usename = 'reader' AND state = 'active'",
        )
        if ended:
            break
        await asyncio.sleep(0.05)
    found = await asyncio.wait_for(asked, 10)
    assert "DATABASE_UNREACHABLE" in found.error_details_json, found.error_message
    again = await execute(ann, reader(owner), "SELECT count(*) AS n FROM orders")
    assert again.status == job_pb2.OBSERVATION_STATUS_SUCCESS, again.error_message


async def test_another_tenant_cannot_use_a_kept_password(
    owner: str, ann: Caller, bob: Caller
) -> None:
    kept = await ann.executor.PutCredential(
        pb.PutCredentialRequest(
            address=owner.replace("postgres@", "reader@", 1),
            secrets_json=json.dumps({"password": PASSWORD}),
        )
    )
    source = data_pb2.DataSource(connection_string=kept.address)
    await ann.executor.DescribeSource(pb.DescribeSourceRequest(sources=[source]))
    error = await refusal(bob.executor.DescribeSource(pb.DescribeSourceRequest(sources=[source])))
    assert error.reason.code == "DATABASE_LOGIN_REFUSED"


async def test_a_database_and_a_file_are_asked_together(
    owner: str, ann: Caller, tmp_path: Path
) -> None:
    goals = tmp_path / "goals.csv"
    goals.write_text("region,goal\nNorth,100\nSouth,200\n")
    found = await execute(
        ann,
        reader(owner),
        "SELECT g.region, g.goal, count(*) AS n FROM goals g JOIN customers c ON c.region ="
        " g.region GROUP BY ALL ORDER BY 1",
        files=(goals,),
    )
    assert found.status == job_pb2.OBSERVATION_STATUS_SUCCESS, found.error_message
    assert found.row_count == 2


def test_the_password_is_nowhere_after_ask_show_trace_and_export(owner: str, home: Path) -> None:
    environment = {**os.environ, "ASSAY_HOME": str(home), "COLUMNS": "200"}
    printed = ""

    def assay(*arguments: str) -> str:
        nonlocal printed
        ended = subprocess.run(
            [sys.executable, "-m", "clients.python.cli.main", *arguments],
            cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        printed += ended.stdout + ended.stderr
        return ended.stdout

    assay("ask", "total amount by region", "--db", reader(owner))
    assay("ask", "total amount by region", "--db", reader(owner, "Wr0ng+" + PASSWORD))
    listing = assay("jobs")
    job = next(word for line in listing.splitlines() for word in line.split() if len(word) == 8)
    for command in ("show", "trace", "verify"):
        assay(command, job)
    assay("export", job, "--to", str(home / "bundle.zip"))
    assert "South" in printed
    assert PASSWORD not in printed
    assert quote(PASSWORD, safe="") not in printed
    assert not places_of_password(home)
    secrets = [path for path in home.rglob("vault/*") if path.is_file()]
    assert secrets
    assert {oct(path.stat().st_mode & 0o777) for path in secrets} == {"0o600"}


async def execute(
    caller: Caller, url: str, sql: str, files: tuple[Path, ...] = ()
) -> job_pb2.Observation:
    """One call of sql.run, as a planner makes it."""
    parts = separated(url)
    kept = await caller.executor.PutCredential(
        pb.PutCredentialRequest(address=parts.address, secrets_json=parts.sealed)
    )
    call = job_pb2.ToolCall(
        call_id=new_id(),
        task_id=new_id(),
        tool_name="sql.run",
        arguments_json=json.dumps({"query": sql}),
    )
    sources = [data_pb2.DataSource(file_path=str(file)) for file in files]
    sources.append(data_pb2.DataSource(connection_string=kept.address))
    wanted = pb.ExecuteRequest(call=call, request_id=new_id(), sources=sources)
    async for update in caller.executor.Execute(wanted):
        if update.WhichOneof("update") == "observation":
            return update.observation
    raise AssertionError("there was no observation")
