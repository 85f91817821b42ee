"""A metric's movement to be explained, as a person gives it."""

from __future__ import annotations

from dataclasses import dataclass

from assay.common.v1.investigation_pb2 import DateRange
from mesh.errors import INVALID_DATE_RANGE, AssayError
from mesh.text.periods import days_of


@dataclass(frozen=True, slots=True)
class Movement:
    """Which metric, between which periods, on what background.

    `metric` is SQL such as sum(amount), a column, words, or a metric of the semantic model.
    `baseline` and `comparison` are texts such as "2024-01-01..2024-01-31", "2024-01" or "2024".
    `focus` says what is suspected, `time` which column tells when rows happened, `by` the columns
    to split by. With `leaf` the data are a table of leaves with what was forecast and what was
    real, in the columns `predicted` and `real` (found by their names where empty; of a ratio two
    columns, as success / total).
    """

    metric: str = ""
    baseline: str = ""
    comparison: str = ""
    context: str = ""
    focus: str = ""
    time: str = ""
    by: tuple[str, ...] = ()
    leaf: bool = False
    real: str = ""
    predicted: str = ""

    def period(self, name: str) -> DateRange | None:
        """The baseline or the comparison in the contract's words; None where it is not given.

        Raises AssayError(INVALID_DATE_RANGE).
        """
        text = getattr(self, name)
        if not text:
            return None
        try:
            first, last = days_of(text)
        except ValueError as error:
            raise AssayError(
                INVALID_DATE_RANGE,
                f"{text!r} is no {name} period: {error}",
                hint="Write 2024-01-01..2024-01-31, or a month (2024-01) or a year alone.",
                fields={f"investigation.{name}_period": "START..END, a day, a month or a year"},
            ) from error
        return DateRange(start=first.isoformat(), end=last.isoformat())
