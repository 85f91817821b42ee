"""What a process that is used once does with foreign Arrow bytes: read, validate, write anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from mesh.errors import RESOURCE_EXHAUSTED, SOURCE_NOT_READABLE, AssayError
from mesh.frames import codec, soundness
from mesh.frames.rewriting import write_batches
from mesh.frames.stored import slices
from services.executor.sources.disposable.protocol import Limits
from services.executor.sources.disposable.refusals import refusal

WORK = "services.executor.frame_keeping:run"
UNPACKED_BYTES = 16 << 30
# No table of real data shrinks more than some hundred times; small ones may.
_MOST_EXPANSION = 200
_SMALL_ENOUGH = 64 << 20
LIMITS = Limits(memory_bytes=8 << 30, file_bytes=UNPACKED_BYTES, cpu_seconds=600)


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Write what the Arrow file `file` holds to `clean`, or say why not; `name` is for people."""
    try:
        with pa.OSFile(job["file"]) as source, Path(job["clean"]).open("xb") as clean:
            most = min(UNPACKED_BYTES, max(_SMALL_ENOUGH, source.size() * _MOST_EXPANSION))

            def batches() -> Iterator[pa.RecordBatch]:
                source.seek(0)
                for batch in _sound(codec.open_any(source), job["name"]):
                    yield batch
                    if clean.tell() > most:
                        raise AssayError(
                            RESOURCE_EXHAUSTED,
                            f"{job['name']} unpacks to more than {most:,} bytes",
                        )

            schema = codec.open_any(source).schema
            soundness.check_schema(schema)
            write_batches(schema, batches, clean)
    except AssayError as error:
        return refusal(error)
    except (pa.ArrowException, OSError):
        broken = AssayError(SOURCE_NOT_READABLE, f"{job['name']} is no sound Arrow stream")
        return refusal(broken)
    return {}


def _sound(
    reader: pa.ipc.RecordBatchFileReader | pa.ipc.RecordBatchStreamReader, name: str
) -> Iterator[pa.RecordBatch]:
    """All batches, each validated in full. Raises AssayError naming the batch that is damaged."""
    for number, batch in enumerate(_batches(reader), start=1):
        try:
            soundness.check(batch)
        except pa.ArrowException as error:
            raise AssayError(
                SOURCE_NOT_READABLE, f"{name} is damaged in batch {number:,}"
            ) from error
        if batch.num_rows:
            yield from slices(batch, batch.get_total_buffer_size(), batch.num_rows)


def _batches(
    reader: pa.ipc.RecordBatchFileReader | pa.ipc.RecordBatchStreamReader,
) -> Iterator[pa.RecordBatch]:
    if isinstance(reader, pa.ipc.RecordBatchFileReader):
        yield from map(reader.get_batch, range(reader.num_record_batches))
    else:
        yield from reader
