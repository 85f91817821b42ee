"""Says of a result that it was found in a sample."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import chosen


def tell(outcome: Outcome, frame: pa.Table, total: str) -> None:
    """Adds how many rows there are, and a caveat where the test saw fewer.

    Raises ToolError(MISSING_COLUMN) where the frame does not say.
    """
    chosen(frame, [total])
    rows = int(pc.max(frame[total]).as_py() or 0)
    if rows > frame.num_rows:
        outcome.add("rows in all", rows)
        outcome.caveats.append(
            f"Found in an even sample of {frame.num_rows:,} of {rows:,} rows; counts are of the "
            "sample."
        )
