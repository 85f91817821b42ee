"""How fast is a file uploaded? `python -m bench.uploads`

Files are streamed to a mesh in a process of its own, in pieces of half a megabyte: a CSV file, and
Parquet of the same rows. Beside it a bare grpc.aio server, in a process of its own too, takes the
same pieces, hashes them with SHA-256 and writes them to a file. In turns; each upload is new
content of the same size. An upload answers once the file's type, header and rows have been looked
at, the whole read once, and it is stored: what that takes is in its time. The same content sent
again has been looked at, so that this is the way of the bytes alone. Target: 0.7 of the bare rate.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from assay.common.v1 import data_pb2
from assay.gateway.v1 import file_service_pb2 as pb
from assay.gateway.v1 import file_service_pb2_grpc as pb_grpc
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from bench.measure import arguments, keep, print_table
from bench.support_served import serve, served_mesh, served_part
from mesh.ids import new_id
from tests.mesh.support import Caller

ROWS, ROUNDS, PIECE_BYTES = 600_000, 3, 1 << 19
TARGET = 0.7
AGAIN = "assay, again"
"""Content that is there already: the way of the bytes alone."""


async def bare_part(socket: str) -> None:
    """Serve what is compared with."""
    target = Path(socket).with_name("bare.bin")

    class Bare(pb_grpc.FileServiceServicer):
        async def UploadFile(  # noqa: N802 # the contract's name
            self, request_iterator: AsyncIterator[pb.UploadFileRequest], context: Any
        ) -> pb.UploadFileResponse:
            digest = hashlib.sha256()
            with target.open("wb") as file:
                async for request in request_iterator:
                    digest.update(request.chunk.data)
                    file.write(request.chunk.data)
            return pb.UploadFileResponse(file=pb.File(content_hash=digest.hexdigest()))

    bare: Any = Bare()  # type: ignore[abstract]  # one method is asked
    await serve(socket, lambda server: pb_grpc.add_FileServiceServicer_to_server(bare, server))


def contents(seed: int) -> dict[str, bytes]:
    """A table as files of two kinds."""
    random = np.random.default_rng(seed)
    table = pa.table(
        {
            "order": np.arange(ROWS),
            "day": pa.array(random.integers(18_000, 20_000, ROWS), pa.int32()).cast(pa.date32()),
            "amount": random.random(ROWS).round(6) * 1_000,
            "region": pa.array(["north", "south", "east", "west"]).take(
                pa.array(random.integers(0, 4, ROWS))
            ),
        }
    )
    csv, parquet = io.BytesIO(), io.BytesIO()
    pa_csv.write_csv(table, csv)
    pq.write_table(table, parquet)
    return {"orders.csv": csv.getvalue(), "orders.parquet": parquet.getvalue()}


def requests(session: str, name: str, content: bytes) -> Iterator[pb.UploadFileRequest]:
    """An upload's messages."""
    yield pb.UploadFileRequest(head=pb.UploadFileHead(session_id=session, name=name))
    for start in range(0, len(content), PIECE_BYTES):
        piece = data_pb2.FileChunk(data=content[start : start + PIECE_BYTES])
        yield pb.UploadFileRequest(chunk=piece)


async def uploaded(stub: Any, session: str, name: str, content: bytes) -> float:
    """Megabytes a second of one upload."""
    began = time.perf_counter()
    answer = await stub.UploadFile(requests(session, name, content))
    seconds = time.perf_counter() - began
    if answer.file.content_hash != hashlib.sha256(content).hexdigest():
        raise RuntimeError(f"{name} did not arrive as it was sent")
    return len(content) / seconds / 1e6


async def compared(folder: Path) -> dict[str, dict[str, float]]:
    """Megabytes a second: by file, bare and of the mesh."""
    taken: dict[str, dict[str, list[float]]] = {}
    async with (
        served_mesh(folder / "home") as (settings, _),
        served_part("uploads", "bare", folder / "bare.sock") as (bare, _),
        Caller(settings, "ann") as caller,
    ):
        wanted = sessions_pb.CreateSessionRequest(request_id=new_id())
        session = (await caller.sessions.CreateSession(wanted)).session.session_id
        ways = {"bare": pb_grpc.FileServiceStub(bare), "assay": caller.files}
        for number in range(ROUNDS + 1):
            for name, content in contents(number).items():
                for way, stub in [*ways.items(), (AGAIN, caller.files)]:
                    rate = await uploaded(stub, session, name, content)
                    if number:
                        taken.setdefault(name, {}).setdefault(way, []).append(rate)
    return {
        name: {way: median(rates) for way, rates in values.items()}
        for name, values in taken.items()
    }


def main() -> None:
    """Print the comparison."""
    options = arguments("uploads", __doc__).parse_args()
    if options.part == "bare":
        asyncio.run(bare_part(options.rest[0]))
        return
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        seen = asyncio.run(compared(Path(folder)))
    rows = []
    for name, found in seen.items():
        bare = found["bare"]
        for way, rate in found.items():
            met = "met" if rate / bare >= TARGET else "missed"
            rows.append((f"{name}, {way}", rate, rate / bare, met))
    print_table("uploads", ["file", "MB/s", "of bare", f"target {TARGET}"], rows)
    keep(seen, options.json)


if __name__ == "__main__":
    main()
