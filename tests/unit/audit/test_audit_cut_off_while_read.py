"""A segment that somebody cuts off while it is scanned is damage, not the end of the process."""

from __future__ import annotations

import os
from pathlib import Path

from services.audit.adapters.records import encode_record
from services.audit.adapters.segments import FIRST_RECORD, Segments

LEAF = b"x" * 100_000


def test_what_was_there_when_the_scan_began_is_scanned(tmp_path: Path) -> None:
    segments = Segments(tmp_path)
    for leaf in range(4):
        segments.append(encode_record("ann", LEAF, leaf), leaf)
    scanning = segments.scan(0, FIRST_RECORD)
    assert next(scanning)[0] == 0
    os.truncate(next(tmp_path.glob("*.log")), FIRST_RECORD)
    assert [leaf for leaf, _, _ in scanning] == [1, 2, 3]
    segments.close()
