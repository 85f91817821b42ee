"""Whether what is stored here of a job is still as it was written.

Frames, files and uploads are told by their digests wherever they are read. Records of calls, and
what was read of a source, are not read again by whoever verifies, and are looked at here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from services.executor import call_record
from services.executor.ports import CallRecords
from services.executor.sources.stored import fits_seal, stored_as_written


def damages(
    records: CallRecords,
    sources: Path,
    call_ids: Iterable[str],
    digests: Iterable[str],
    seals: Mapping[str, str],
) -> Iterator[str]:
    """What is not as it was, in words, each with its name. Blocks: every byte is read.

    `sources` is the folder of sources that were read, `seals` what the job's chain says of calls
    and sources, where it does: digests that lie beside what they are of can be changed with it.
    What is not here is no damage: it may have been let go, or be another executor's.
    """
    for call_id in call_ids:
        record = records.get(call_id)
        if record is not None and not call_record.is_whole(record):
            yield f"call {call_id[:8]}: its record is not as it was written"
        elif record is not None and seals.get(call_id, "") not in ("", call_record.seal_of(record)):
            yield f"call {call_id[:8]}: its record is another than the chain says"
    for digest in digests:
        if not stored_as_written(sources, digest):
            yield f"source {digest[:8]}: what was read of it is not as it was written"
        elif not _fits(sources, digest, seals.get(digest, "")):
            yield f"source {digest[:8]}: what was read of it is another than the chain says"


def _fits(sources: Path, digest: str, seal: str) -> bool:
    if not seal:
        return True
    import duckdb

    try:
        return fits_seal(sources, digest, seal)
    except duckdb.Error:
        return False
