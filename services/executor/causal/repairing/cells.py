"""Cells that are not what they say: numbers stored as text, and signs that stand for no value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from services.executor.causal.profiling.columns import Vector
from services.executor.causal.profiling.texts import NO_VALUE, find_text_type
from services.executor.causal.repairing.proposal import Proposal
from services.executor.profiling.columns import is_numeric, plain_values
from services.executor.profiling.numbers import Numbers

_SHOWN = 5
_NINES = (9, 99, 999, 9_999, 99_999, 999_999)
_FAR = 3.0
"""Widths of the rest's range that a sign for no value lies away from it."""


def text_proposals(name: str, cells: pa.ChunkedArray) -> list[Proposal]:
    """Texts that are numbers, dates or yes and no; else texts that stand for no value."""
    values = plain_values(cells)
    if not pa.types.is_string(values.type):
        return []
    counts = pc.value_counts(values.drop_null())
    count_of = dict(
        zip(counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True)
    )
    found = find_text_type(count_of)
    if found is None:
        signs = sorted(text for text in count_of if text.strip().casefold() in NO_VALUE)
        if not signs:
            return []
        return [_sentinel(name, signs, {text: count_of[text] for text in signs})]
    shown = [*list(found.values)[:_SHOWN], *found.missing[:_SHOWN]]
    return [
        Proposal(
            name,
            "type",
            f"read_{found.kind}",
            sum(count_of.values()),
            f"{found.how}"
            + (f"; {_listed(found.missing)} stand for no value" if found.missing else ""),
            before={text: count_of[text] for text in shown},
            after={text: found.values.get(text) for text in shown},
            parameters={"missing": list(found.missing)},
        )
    ]


def sentinel_proposals(name: str, cells: pa.ChunkedArray) -> list[Proposal]:
    """Numbers that stand for no value, such as -999: made of nines, repeated, and far away."""
    values = plain_values(cells)
    if not is_numeric(values.type):
        return []
    numbers = Numbers.of(values).finite
    signs = sentinels(numbers)
    if not signs:
        return []
    return [_sentinel(name, signs, {f"{sign:g}": int((numbers == sign).sum()) for sign in signs})]


def sentinels(numbers: Vector) -> list[float]:
    """Which of the numbers stand for no value.

    A negative one where all others are none; else one that lies three ranges of the rest (its 1st
    to 99th percentile) away from it.
    """
    candidates = [sign * nines for nines in _NINES for sign in (-1.0, 1.0)]
    found: list[float] = []
    for candidate in candidates:
        count = int((numbers == candidate).sum())
        rest = numbers[~np.isin(numbers, [*found, candidate])]
        rest = rest[~np.isin(rest, candidates)] if abs(candidate) > 9 else rest
        if count < 2 or len(rest) < 10:
            continue
        low, high = (float(v) for v in np.quantile(rest, (0.01, 0.99)))
        width = max(high - low, 1.0)
        far = candidate < low - _FAR * width or candidate > high + _FAR * width
        alone = candidate < 0 <= float(rest.min())
        if (far and abs(candidate) > 9) or alone:
            found.append(candidate)
    return found


def _sentinel(name: str, signs: Sequence[Any], counts: dict[str, int]) -> Proposal:
    return Proposal(
        name,
        "missing",
        "sentinel_to_missing",
        sum(counts.values()),
        f"{_listed([str(sign) if isinstance(sign, str) else f'{sign:g}' for sign in signs])} "
        "stand for no value",
        before=counts,
        after=dict.fromkeys(counts),
        parameters={"values": list(signs)},
    )


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(f'"{text}"' for text in texts[:_SHOWN]) + (" …" if texts[_SHOWN:] else "")


def read_texts(cells: pa.ChunkedArray) -> pa.Array | None:
    """The column as numbers, dates or booleans; None where its texts are words."""
    values = plain_values(cells)
    if not pa.types.is_string(values.type):
        return None
    encoded = pc.dictionary_encode(values)
    levels = encoded.dictionary.to_pylist()
    found = find_text_type(levels)
    if found is None:
        return None
    kind = {"number": pa.float64(), "yes_no": pa.bool_(), "date": pa.date32()}[found.kind]
    read: list[Any] = [found.values.get(text) for text in levels]
    if found.kind == "number" and all(v is None or float(v) == round(float(v)) for v in read):
        kind, read = pa.int64(), [None if v is None else int(v) for v in read]
    return pa.array(read, kind).take(encoded.indices)


def without(cells: pa.ChunkedArray, signs: Sequence[Any]) -> pa.Array:
    """The column with these values missing."""
    values = plain_values(cells)
    wanted = set(signs)
    if pa.types.is_string(values.type):
        held = pc.is_in(values, value_set=pa.array([str(sign) for sign in wanted], pa.string()))
    else:
        numbers = values.cast(pa.float64(), safe=False)
        held = pc.is_in(numbers, value_set=pa.array([float(s) for s in wanted], pa.float64()))
    return pc.if_else(held, pa.scalar(None, values.type), values)
