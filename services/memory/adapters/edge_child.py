"""The process that holds the vectors: `python -m services.memory.adapters.edge_child FD`.

It answers one call after the other, as JSON, until whoever started it goes away; then it closes
what it has open. A full disk may kill it in the middle: nobody else dies of that.
"""

from __future__ import annotations

import json
import resource
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from mesh.errors import AssayError
from services.memory.adapters.edge_collection import Collection


def main(descriptor: int) -> None:
    """Answer calls until the connection closes."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    channel = Connection(descriptor)
    opened: dict[str, Collection] = {}
    try:
        while True:
            channel.send_bytes(_answered(json.loads(channel.recv_bytes()), opened))
    except (EOFError, ConnectionError):
        for collection in opened.values():
            collection.close()


def _answered(request: dict[str, Any], opened: dict[str, Collection]) -> bytes:
    try:
        folder = request["folder"]
        if folder not in opened:
            opened[folder] = Collection(Path(folder), request["dimension"], request["keywords"])
        answer = {"value": getattr(opened[folder], request["method"])(*request["arguments"])}
    except AssayError as error:
        texts = [error.reason.code, error.message, error.hint, dict(error.metadata)]
        answer = {"refused": texts}
    except Exception as error:  # qdrant_edge raises nothing narrower
        answer = {"failed": f"{type(error).__name__}: {error}"}
    return json.dumps(answer).encode()


if __name__ == "__main__":
    main(int(sys.argv[1]))
