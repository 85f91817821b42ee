"""Digests of rows that agree where people would say that the rows do.

Set-based: each column becomes an array of 64-bit codes, equal for values that count as equal, and
each row one code of those. Numbers, whatever their type, count to 6 significant digits; a moment at
midnight is its day; null and the empty text are one. The codes are the same in every process.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from services.executor.engines.arrow_types import TIMESTAMP

Codes = np.ndarray[Any, np.dtype[np.uint64]]
Numbers = np.ndarray[Any, np.dtype[np.float64]]

_DIGITS = 6
_DAY_MICROSECONDS = 86_400_000_000
_NUMBER, _TEXT, _DAY, _MOMENT, _ODD, _EMPTY = (
    np.uint64(place * 0x9E37_79B9_7F4A_7C15 % 2**64) for place in range(1, 7)
)
_STEP = np.uint64(0x0000_0100_0000_01B3)
_FIRST, _SECOND = np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB)


def column_codes(column: pa.ChunkedArray) -> Codes:
    """A code for each value of a column in one of the result types (`arrow_types.friendly`)."""
    values = column.combine_chunks()
    if values.type == pa.string():
        return _texts(values)
    kind = values.type
    if kind == pa.date32():
        codes = _mixed(_whole(values.cast(pa.int32())) ^ _DAY)
    elif kind == TIMESTAMP:
        codes = _moments(_whole(values.cast(pa.int64())))
    else:
        codes = _numbers(_floating(values))
    if values.null_count:
        codes[pc.is_null(values).to_numpy(zero_copy_only=False)] = _EMPTY
    return codes


def row_codes(columns: list[Codes], rows: int) -> Codes:
    """A code for each row: of its values in the order of the columns."""
    codes: Codes = np.full(rows, np.uint64(len(columns)), dtype=np.uint64)
    for column in columns:
        codes = _mixed(codes * _STEP + column)
    return codes


def multiset_digest(codes: Codes) -> str:
    """SHA-256 of the rows in any order."""
    return ordered_digest(np.sort(codes))


def content_digest(columns: list[Codes], rows: int) -> str:
    """SHA-256 of the rows in any order, with their columns in any order."""
    sorted_columns = sorted(columns, key=multiset_digest)
    return multiset_digest(row_codes(sorted_columns, rows))


def ordered_digest(codes: Codes) -> str:
    """SHA-256 of the rows in their order."""
    return hashlib.sha256(codes.astype("<u8").tobytes()).hexdigest()


def empty(codes: Codes) -> int:
    """How many are null or an empty text."""
    return int(np.count_nonzero(codes == _EMPTY))


def distinct_share(codes: Codes) -> float:
    """Different values for each one; 0 where there are none."""
    return len(np.unique(codes)) / len(codes) if len(codes) else 0.0


def _mixed(codes: Codes) -> Codes:
    """Every bit of a code in every bit of another (splitmix64)."""
    codes = (codes ^ (codes >> np.uint64(30))) * _FIRST
    codes = (codes ^ (codes >> np.uint64(27))) * _SECOND
    return codes ^ (codes >> np.uint64(31))


def _whole(values: pa.Array) -> Codes:
    whole = _without_nulls(values).to_numpy(zero_copy_only=False).astype(np.int64)
    codes: Codes = whole.view(np.uint64)
    return codes


def _moments(microseconds: Codes) -> Codes:
    """A moment at midnight has the code of its day."""
    signed = microseconds.view(np.int64)
    days, rest = np.divmod(signed, _DAY_MICROSECONDS)
    of_days = _mixed(days.astype(np.int64).view(np.uint64) ^ _DAY)
    codes: Codes = np.where(rest == 0, of_days, _mixed(microseconds ^ _MOMENT))
    return codes


def _floating(values: pa.Array) -> Numbers:
    if values.type == pa.bool_():
        values = values.cast(pa.int8())
    numbers: Numbers = _without_nulls(values).to_numpy(zero_copy_only=False).astype(np.float64)
    return numbers


def _without_nulls(values: pa.Array) -> pa.Array:
    """With any number in their place."""
    return values.fill_null(0) if values.null_count else values


def _numbers(values: Numbers) -> Codes:
    """By sign, exponent and the first digits.

    Half a unit less a millionth rounds up: sums that differ in their last bits alone do not fall
    on two sides of a half, where 123,456.5 is far more frequent than 123,456.499999.
    """
    odd = ~np.isfinite(values)
    magnitudes = np.abs(np.where(odd, 0.0, values))
    zero = magnitudes == 0
    exponents = np.floor(np.log10(np.where(zero, 1.0, magnitudes)))
    mantissas = np.floor(_scaled(magnitudes, exponents) + 0.500_001)
    over = mantissas >= 10**_DIGITS
    mantissas = np.where(over, np.floor(mantissas / 10 + 0.500_001), mantissas)
    exponents = np.where(over, exponents + 1, exponents)
    signed = np.where(zero, 0.0, np.copysign(mantissas, values)).astype(np.int64)
    whole = signed * 1_000 + np.where(zero, 0.0, exponents).astype(np.int64)
    codes = _mixed(whole.view(np.uint64) ^ _NUMBER)
    if odd.any():
        signs = np.where(np.isnan(values), 2.0, np.sign(values))[odd]
        codes[odd] = _mixed(signs.astype(np.int64).view(np.uint64) ^ _ODD)
    return codes


def _scaled(magnitudes: Numbers, exponents: Numbers) -> Numbers:
    """With all the digits that count before the point; in two steps, as 10^-320 is no float."""
    by = (_DIGITS - 1) - exponents
    half = np.trunc(by / 2)
    scaled: Numbers = magnitudes * np.power(10.0, half) * np.power(10.0, by - half)
    return scaled


def _texts(values: pa.Array) -> Codes:
    """By hash, once for each text."""
    coded = values.dictionary_encode()
    texts = coded.dictionary.to_pylist()
    known = b"".join(
        hashlib.blake2b(text.encode(), digest_size=8).digest() if text else bytes(8)
        for text in texts
    )
    of_texts = np.frombuffer(known, dtype="<u8").astype(np.uint64) ^ _TEXT
    of_texts = np.append(of_texts, _EMPTY)
    of_texts[[place for place, text in enumerate(texts) if not text]] = _EMPTY
    places = coded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)
    codes: Codes = of_texts[places]
    return codes
