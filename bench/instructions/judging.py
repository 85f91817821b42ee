"""Whether the figures told are those that are right."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa

from bench.instructions.asked import Value

_FEW_MORE = 6


def judged(answer: pa.Table, truth: dict[str, Value], *, named: bool) -> bool:
    """Whether an answer has every figure of the truth, under its name where it was given one.

    Where names were given nothing else has one; otherwise a few figures more do no harm. An
    answer where none is right is wrong.
    """
    if not truth:
        return False
    if not named:
        return _among(answer, truth)
    if "about" not in answer.column_names or "exact" not in answer.column_names:
        return False
    rows = {row["about"]: row for row in answer.to_pylist() if row["about"]}
    if set(rows) != set(truth):
        return False
    return all(_same(rows[name], value) for name, value in truth.items())


def _same(row: dict[str, Any], value: Value) -> bool:
    text = str(row["text"])
    if isinstance(value, bool | str):
        return text.casefold() == str(value).casefold()
    if isinstance(value, list):
        return False
    try:
        return near(float(text), float(value))
    except ValueError:
        return False


def near(number: float, value: float) -> bool:
    """Equal to the last decimal that the truth is told with."""
    text = f"{value:.10f}".rstrip("0")
    places = len(text.partition(".")[2])
    return math.isclose(number, value, rel_tol=1e-9, abs_tol=0.5000001 * 10**-places)


def _among(answer: pa.Table, truth: dict[str, Value]) -> bool:
    columns = answer.column_names
    cells = [cell for row in answer.to_pylist() for cell in row.values()]
    numbers = [float(c) for c in cells if isinstance(c, int | float) and not isinstance(c, bool)]
    texts = [str(c).casefold() for c in cells if isinstance(c, str)]
    if "exact" in columns and answer.num_rows > len(truth) + _FEW_MORE:
        return False
    for value in truth.values():
        wanted = value if isinstance(value, list) else [value]
        for one in wanted:
            if isinstance(one, str):
                if one.casefold() not in texts:
                    return False
            elif not any(near(number, float(one)) for number in numbers):
                return False
    return True
