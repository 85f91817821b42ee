"""A process that runs queries: `python -m services.executor.engines.duckdb.query_process FD …`.

It keeps locked workspaces open between queries and runs one query at a time. Its address space is
limited, so a query that takes all memory ends this process and no other; an answer says `spent`
when little of that space is left. When the service that owns it goes away its socket closes, and
it ends.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import resource
import socket
import struct
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from mesh.arrow_alone import keep_pandas_away
from mesh.errors import AssayError
from mesh.policy import Policy
from mesh.telemetry.tracebacks import places
from mesh.tool import ToolError
from services.executor.engines.duckdb.errors import as_tool_error
from services.executor.engines.duckdb.run import run_locked
from services.executor.engines.workspace import Workspace, WorkspacePool
from services.executor.probing.batch import looked
from services.executor.sources.disposable.refusals import refusal
from services.executor.sources.prepared import PreparedSource

HEADER = struct.Struct("!cQ")
QUERY, CANCEL, ANSWER = b"q", b"c", b"a"

# Of the address space; an idle process uses less than half of the smallest there is.
_SPENT = 0.75

Sources = tuple[list[PreparedSource], Policy]


def main(descriptor: int, memory_limit: str, address_space: int) -> None:
    """Answer queries until the socket closes."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    keep_pandas_away()
    channel = socket.socket(fileno=descriptor)
    queries: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    cancelled = threading.Event()
    reader = threading.Thread(target=_read, args=(channel, queries, cancelled), daemon=True)
    reader.start()
    pool = WorkspacePool(memory_limit=memory_limit)
    known: dict[str, Sources] = {}
    while True:
        request = pickle.loads(queries.get())
        answer, result = _answered(request, pool, known, cancelled)
        # Before the answer: what is cancelled from now on is the next query.
        cancelled.clear()
        if _address_space() > address_space * _SPENT:
            answer["spent"] = True
        _send(channel, answer, result)


def _read(
    channel: socket.socket, queries: queue.SimpleQueue[bytes], cancelled: threading.Event
) -> None:
    try:
        with channel.makefile("rb") as stream:
            while len(header := stream.read(HEADER.size)) == HEADER.size:
                kind, length = HEADER.unpack(header)
                if kind == CANCEL:
                    cancelled.set()
                else:
                    queries.put(stream.read(length))
    finally:  # an owner that was killed before it read an answer leaves a connection reset
        os._exit(0)


def _answered(
    request: dict[str, Any],
    pool: WorkspacePool,
    known: dict[str, Sources],
    cancelled: threading.Event,
) -> tuple[dict[str, Any], int | None]:
    """What came of a query: JSON, and a file with its rows."""
    try:
        key = request["key"]
        if "sources" in request:
            for forgotten in request["forget"]:
                known.pop(forgotten, None)
            known[key] = (request["sources"], request["policy"])
        workspace = pool.get(*known[key], request["parallel"])
        if "batch" in request:
            found = looked(workspace, request["batch"], known[key][1], cancelled)
            return {"looked": [outcome.to_json() for outcome in found]}, None
        table = _run(request, workspace, cancelled)
        return {}, _file_of(table)
    except ToolError as error:
        values = [error.category.value, error.message, error.hint, error.details]
        return {"failed": values}, None
    except AssayError as error:
        return refusal(error), None
    except MemoryError:
        return {"failed": _no_memory()}, None
    except Exception as error:
        return {"unexpected": places(error)}, None


def _run(request: dict[str, Any], workspace: Workspace, cancelled: threading.Event) -> pa.Table:
    statement = request["statement"]
    try:
        return run_locked(
            workspace,
            statement,
            request["parameters"],
            request["row_limit"],
            request["byte_limit"],
            request["seconds"],
            cancelled,
            begun=request["begun"],
        )
    except duckdb.Error as error:
        tables = [table.known for table in workspace.tables]
        used = [table for table in tables if table.name.casefold() in statement.casefold()]
        raise as_tool_error(error, statement, used or tables) from None


def _no_memory() -> list[Any]:
    return [
        "resource_exhausted",
        "the query needs more memory than is allowed.",
        "Filter or aggregate before joining.",
        {"limit": "memory"},
    ]


def _address_space() -> int:
    """Bytes of address space this process uses; 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


def _file_of(table: pa.Table) -> int:
    """A file without a name that holds the rows as an Arrow stream."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("assay-rows")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    with (
        os.fdopen(descriptor, "wb", closefd=False) as sink,
        pa.ipc.new_stream(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    return descriptor


def _send(channel: socket.socket, answer: dict[str, Any], result: int | None) -> None:
    body = json.dumps(answer, default=str).encode()
    header = HEADER.pack(ANSWER, len(body))
    if result is None:
        channel.sendall(header + body)
        return
    socket.send_fds(channel, [header], [result])
    channel.sendall(body)
    os.close(result)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
