"""The rows of a search as a frame, and in words how they were found."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from services.executor.metric.finding import Outcome
from services.executor.metric.segments import ALWAYS, LEAST_ROWS, Segments
from services.executor.metric.spans import Frame

SCHEMA = pa.schema(
    [
        ("rank", pa.int64()),
        ("kind", pa.string()),
        ("segment", pa.string()),
        ("depth", pa.int64()),
        ("baseline", pa.float64()),
        ("comparison", pa.float64()),
        ("expected", pa.float64()),
        ("effect", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("share", pa.float64()),
        ("p_value", pa.float64()),
        ("p_corrected", pa.float64()),
        ("p_at_most", pa.bool_()),
        ("gain", pa.float64()),
        ("onset", pa.string()),
        ("reversal", pa.bool_()),
        ("onset_first", pa.string()),
        ("onset_last", pa.string()),
        ("year_baseline", pa.float64()),
        ("year_comparison", pa.float64()),
        ("searched_depth", pa.int64()),
        ("searched_dimensions", pa.string()),
        ("left_out", pa.int64()),
    ]
)


def search_notes(frame: Frame, segments: Segments, outcome: Outcome, pairs: int = 0) -> list[str]:
    """What was looked at, and what the null was made of."""
    looked = f"{len(segments):,} segments of {_combinations(segments)} were looked at."
    times = f"The null is the largest of all in each of {len(outcome.null)}"
    notes = list(frame.notes)
    if outcome.test is None:
        how = "draws of noise of the leaves' own shape"
        days = not isinstance(frame.times[0], str)
        how += ": the buckets are too few to tell chance by." if days else "."
        notes.append(f"{looked} {times} {how}")
    else:
        kept = ", weekdays apart" if frame.strata.any() else ""
        notes.append(f"{looked} {times} relabellings of the buckets of both periods{kept}.")
        if outcome.test.memory is not None:
            typical = float(np.median(outcome.test.memory))
            notes.append(
                f"Buckets resemble those before them (autocorrelation {typical:.2f}): this is "
                "allowed for."
            )
    if pairs:
        notes.append(
            f"What a segment moved by in {pairs} earlier {'pair' if pairs == 1 else 'pairs'} of "
            "periods is usual for it: it has to move by more."
        )
    return notes + left_out_notes(segments)


def _combinations(segments: Segments) -> str:
    """Which combinations of dimensions were searched."""
    names = segments.cube.dimensions
    if len(names) == 1:
        return f"one dimension ({names[0]})"
    reached = max(segments.reached, 1)
    depth = "any number" if reached >= len(names) else f"up to {reached}"
    text = f"{depth} of {len(names)} dimensions ({', '.join(names)})"
    if segments.cube.leaf_form or reached <= ALWAYS:
        return text
    return f"{text}, those of more than {ALWAYS} where they have {LEAST_ROWS} rows,"


def extent_of(segments: Segments) -> dict[str, int | str]:
    """What was searched, for the row of the total: the most dimensions of a segment, of which (a
    JSON array), and how many of the smallest segments were left out."""
    return {
        "searched_depth": segments.reached,
        "searched_dimensions": json.dumps(segments.cube.dimensions, ensure_ascii=False),
        "left_out": segments.left_out,
    }


def left_out_notes(segments: Segments) -> list[str]:
    """What the search did not look at, if anything."""
    notes: list[str] = []
    if segments.left_out:
        notes.append(
            f"The smallest {segments.left_out:,} segments, each at most "
            f"{_percent(segments.too_small)} of the whole, were left out, and all inside them."
        )
    if segments.stopped:
        notes.append(
            f"Combinations of more than {segments.reached} of the {len(segments.cube.dimensions)} "
            "dimensions were not searched: they are too many. Name fewer dimensions to search "
            "deeper."
        )
    return notes


def _percent(share: float) -> str:
    """A small share in words: two digits."""
    return f"{float(f'{100 * share:.2g}'):g} %"


def table_of(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as a frame; numbers that are not finite are missing."""
    cleaned = [
        {
            name: None if isinstance(value, float) and not np.isfinite(value) else value
            for name, value in row.items()
        }
        for row in rows
    ]
    return pa.Table.from_pylist(cleaned, schema=schema)
