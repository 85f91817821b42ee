"""Statistics of the columns of databases, whatever they come from."""

from __future__ import annotations

from collections.abc import Mapping

from mesh.policy import Policy
from services.executor.sources.manifest import ColumnStatistics


def unknown(rows: int) -> ColumnStatistics:
    """Of a column that nothing is known of but how many rows there may be."""
    return ColumnStatistics(
        nulls=0, distinct=rows, minimum=None, maximum=None, samples=(), exact=False
    )


def without_values(known: ColumnStatistics) -> ColumnStatistics:
    """The statistics without any value of the column."""
    return known.model_copy(update={"minimum": None, "maximum": None, "samples": ()})


def within_policy(
    statistics: Mapping[str, ColumnStatistics], policy: Policy
) -> dict[str, ColumnStatistics]:
    """The statistics without values that a blocked pattern matches."""

    def clean(text: str | None) -> str | None:
        return None if text is None or policy.match(text) else text

    return {
        name: known.model_copy(
            update={
                "minimum": clean(known.minimum),
                "maximum": clean(known.maximum),
                "samples": tuple(text for text in known.samples if clean(text) is not None),
            }
        )
        for name, known in statistics.items()
    }
