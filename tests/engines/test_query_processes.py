"""Processes that run queries: what a query leaves behind, and what ends them."""

from __future__ import annotations

import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import psutil
import pytest

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.duckdb import query_child
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.duckdb.query_process import HEADER, QUERY, Sources, _answered
from services.executor.engines.duckdb.query_processes import QueryProcesses
from services.executor.engines.workspace import WorkspacePool
from services.executor.probing.batch import Batch
from services.executor.sources.prepared import PreparedSource
from tests.busy import allowing
from tests.engines.spark_world import shop_without_server
from tests.engines.world import Place

pytestmark = pytest.mark.usefixtures("from_nothing")

ENDLESS = "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r"
GREEDY = "SELECT i, repeat('x', 100000) AS x FROM range(100000) t(i)"
HARMLESS = "SELECT round(2.5) AS r, (SELECT count(*) FROM orders) AS n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> PreparedSource:
    return shop_without_server(tmp_path_factory.mktemp("shop"))


@dataclass
class Alone(Place):
    """An engine with one process, which has answered a query; `others` belong to other tests."""

    others: frozenset[int]

    def answers(self) -> bool:
        return bool(self.ask(HARMLESS).to_pylist() == [{"r": 3.0, "n": 120}])

    def process(self) -> psutil.Process:
        (found,) = (one for one in psutil.Process().children() if one.pid not in self.others)
        return found


@pytest.fixture
def place(shop: PreparedSource) -> Iterator[Alone]:
    others = frozenset(child.pid for child in psutil.Process().children())
    place = Alone(DuckDBEngine(processes=QueryProcesses("128MB", 1)), [shop], others)
    assert place.answers()
    yield place
    place.engine.close()  # type: ignore[attr-defined]


def test_a_process_whose_memory_a_query_used_up_is_not_asked_again(place: Alone) -> None:
    first = place.process().pid
    with pytest.raises(ToolError) as greedy:
        place.ask(GREEDY, row_limit=200_000)
    assert greedy.value.details["limit"] == "memory"
    # What the failed query leaves of the address space would not do for others.
    assert place.answers()
    assert place.process().pid != first


def test_a_process_keeps_what_it_opened_as_long_as_there_is_room(place: Alone) -> None:
    first = place.process().pid
    with pytest.raises(ToolError, match="there is no column"):
        place.ask("SELECT nothing FROM orders")
    with pytest.raises(ToolError, match=r"stopped after 0\.2 s"):
        place.ask(ENDLESS, seconds=0.2)
    assert place.answers()
    assert place.process().pid == first


def test_a_process_knows_the_sources_that_it_was_told_last(
    place: Alone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever brings a source of their own makes it grow no more than the last few did."""
    monkeypatch.setattr(query_child, "_MOST_KEYS", 3, raising=False)
    (child,) = place.engine._processes._idle  # type: ignore[attr-defined]
    first = place.process().pid
    policies = [Policy(allowed_columns=("order_id", name)) for name in ("amount", "price", "note")]
    for policy in (*policies, Policy(), *policies):  # each with the same sources is one more
        assert place.ask("SELECT count(*) AS n FROM orders", policy=policy).num_rows == 1
        assert len(child.keys) <= 3
    assert place.process().pid == first


def test_a_process_forgets_what_it_is_told_to(shop: PreparedSource) -> None:
    known: dict[str, Sources] = {"old": ([shop], Policy()), "kept": ([shop], Policy())}
    request = {
        "key": "new",
        "sources": [shop],
        "policy": Policy(),
        "forget": ["old"],
        "parallel": False,
        "batch": Batch((HARMLESS,), 10, allowing(60.0), time.monotonic() + allowing(60.0)),
    }
    answer, _ = _answered(request, WorkspacePool(), known, threading.Event())
    assert [each["state"] for each in answer["looked"]] == ["ok"]
    assert list(known) == ["kept", "new"]


def test_a_process_that_was_ended_while_it_waited_fails_no_query(place: Alone) -> None:
    waiting = place.process()
    waiting.kill()
    waiting.wait()
    assert place.answers()


def test_a_process_ends_when_its_owner_dies_with_an_answer_unread() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        module, number = "services.executor.engines.duckdb.query_process", theirs.fileno()
        command = [sys.executable, "-m", module, str(number), "512MB", str(4 << 30)]
        process = subprocess.Popen(command, pass_fds=[number])
    body = pickle.dumps({"key": "of no source"})
    ours.sendall(HEADER.pack(QUERY, len(body)) + body)
    answered, _, _ = select.select([ours], [], [], allowing(60))
    ours.close()
    try:
        assert answered
        assert process.wait(allowing(10)) == 0
    finally:
        process.kill()


@pytest.mark.parametrize(
    ("ended_by", "category", "told"),
    [
        (signal.SIGKILL, ErrorCategory.RESOURCE_EXHAUSTED, "took all memory"),
        (signal.SIGABRT, ErrorCategory.RESOURCE_EXHAUSTED, "took all memory"),
        (signal.SIGSEGV, ErrorCategory.INTERNAL, "crashed"),
    ],
)
def test_an_ended_process_says_what_ended_it(
    ended_by: signal.Signals, category: ErrorCategory, told: str, place: Alone
) -> None:
    killer = threading.Timer(0.2, os.kill, (place.process().pid, ended_by))
    killer.start()
    with pytest.raises(ToolError, match=told) as failure:
        place.ask(ENDLESS, seconds=10.0)
    killer.join()
    assert failure.value.category is category
    assert place.answers()
