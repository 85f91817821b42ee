"""The executor as a process of its own, apart from the mesh that calls it: where both listen, and
what both import before one is forked from the other."""

from __future__ import annotations

import gc
import importlib
import json
import socket
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path

from mesh.arrow_alone import keep_pandas_away
from mesh.processes.beside import Beside
from mesh.processes.forking import CAN_FORK, fork

# A unix socket's path must fit into 108 bytes (unix(7)).
_LONGEST_SOCKET_PATH = 100
# What the executor imports of what the mesh does, for a first question. Of its threads, which a
# fork lacks, OpenBLAS begins its own again, and Arrow's allocator does without.
_SHARED = (
    "mesh.storage.database",
    "mesh.frames.store",
    "mesh.text.natural_orders",
    "mesh.policy",
    "mesh.transport.server",
    "mesh.text.stemming",
    "mesh.telemetry.tracing",
    "opentelemetry.sdk.resources",
    "opentelemetry.sdk.trace.export",
    "pyarrow.compute",
    "rapidfuzz.fuzz",
    "rapidfuzz.process",
    "sqlalchemy.dialects.sqlite",
    "sqlglot.dialects.duckdb",
)
_REST_SECONDS = 120.0
"""After so long without a call an executor beside a mesh is ended."""

Serving = Callable[[str, Mapping[str, str], socket.socket], None]
"""Serves the named service, with variables of its surroundings, until the other end of the socket
is gone."""


def sockets(home: Path, folder: Path) -> dict[str, str]:
    """gRPC targets in the home, or, where its path is too long for a socket, in `folder`."""
    longest = max(len(str(home / f"{name}.sock")) for name in ("mesh", "executor"))
    where = home if longest <= _LONGEST_SOCKET_PATH else folder
    for name in ("mesh", "executor"):
        (where / f"{name}.sock").unlink(missing_ok=True)
    return {name: f"unix:{where / name}.sock" for name in ("mesh", "executor")}


def executor_beside(
    targets: Mapping[str, str], soon: Collection[str], serve: Serving
) -> dict[str, Beside]:
    """The executor as a process of its own, forked where it is sure to be called."""
    surroundings = {
        **{f"ASSAY_{name.upper()}_ADDRESS": target for name, target in targets.items()},
        "ASSAY_LOCAL_PATHS": "1",
        "ASSAY_LASTING": "0",
        "ASSAY_SOON": json.dumps(sorted(soon)),
        "ASSAY_EXECUTOR_FLIGHT": "",  # who is on this machine maps a frame's file
    }
    forked = None
    if "executor" in soon and CAN_FORK:
        # Most of what it imports the mesh imports as well; what comes after both do at once.
        keep_pandas_away()
        for module in _SHARED:
            importlib.import_module(module)
        gc.freeze()
        forked = fork("executor", partial(serve, "executor", surroundings))
    return {"executor": Beside("executor", surroundings, _REST_SECONDS, forked)}
