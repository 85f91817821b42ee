"""Columns that a cast can read, told from a sample; the cast is strict and fails aloud."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from services.executor.sources.offsets import without_offset
from services.executor.sources.sql import literal, quoted

_MOSTLY = 0.7
"""Of different cells, how many must be digits for a few words beside them to change nothing."""
_MOST_DIGITS = 38  # of DECIMAL, the widest exact type
WHOLE = rf"0|-?[1-9]\d{{0,{_MOST_DIGITS - 1}}}"
_SIGNED = re.compile(rf"[-+]?(0|[1-9]\d{{0,{_MOST_DIGITS - 1}}})")
DECIMAL = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
_DAY = r"\d{4}-\d{2}-\d{2}"
_MOMENT = _DAY + r"[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[-+]\d{2}(:?\d{2})?)?"
_FLAGS = ("true", "false", "True", "False", "TRUE", "FALSE")
_VALUE = re.compile(
    rf"{DECIMAL}|\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}([ T]\d{{1,2}}:\d{{2}}.*)?"
    r"|[€$£]\s?[-\d.,]+|[-+]?\d{1,3}([., ']\d{3})*([.,]\d+)?\s?[%€$£]?"
)
MISSING_EVERYWHERE = frozenset(
    {
        "NA",
        "N/A",
        "n/a",
        "na",
        "NULL",
        "null",
        "Null",
        "NaN",
        "nan",
        "None",
        "\\N",
        "#N/A",
        "<NA>",
        "(null)",
        "#NULL!",
        "#DIV/0!",
        "#VALUE!",
        "#REF!",
        "n.a.",
        "N.A.",
    }
)
MISSING_AMONG_VALUES = frozenset(
    {
        "-",
        "--",
        "---",
        "?",
        ".",
        "..",
        "...",
        "*",
        "—",
        "–",
        "nil",
        "missing",
        "Missing",
        "unknown",
        "Unknown",
        "not available",
        "k.A.",
        "k. A.",
        "TBD",
        "tbd",
        "0000-00-00",
        "0000-00-00 00:00:00",
        "00.00.0000",
        "00/00/0000",
    }
)
MISSING = MISSING_EVERYWHERE | MISSING_AMONG_VALUES


class Plain(StrEnum):
    """What a cast makes of a column."""

    TEXT = "text"
    WHOLE = "whole"
    WIDE = "whole, beyond 64 bits"
    DECIMAL = "decimal"
    FLAG = "flag"
    DAY = "day"
    MOMENT = "moment"
    SECONDS = "seconds since 1970"
    MILLISECONDS = "milliseconds since 1970"


_WHOLE_TYPES = {Plain.WHOLE: "BIGINT", Plain.WIDE: f"DECIMAL({_MOST_DIGITS},0)"}
# Moments from 2001 to 2100, by what makes microseconds of them.
_EPOCHS = {Plain.SECONDS: 1_000_000, Plain.MILLISECONDS: 1_000}
_EARLIEST, _LATEST = 978_307_200_000_000, 4_102_444_800_000_000


_TESTS = (
    (Plain.WHOLE, re.compile(WHOLE)),
    (Plain.DECIMAL, re.compile(DECIMAL)),
    (Plain.FLAG, re.compile("|".join(_FLAGS))),
    (Plain.DAY, re.compile(_DAY)),
    (Plain.MOMENT, re.compile(_MOMENT)),
)
_LEADING_ZERO = re.compile(r"[-+]?0\d+")


def plain_kind(values: Iterable[str]) -> Plain | None:
    """The kind that all values of a sample have; None without values or a common kind."""
    given = set(values)
    if not given:
        return None
    for kind, test in _TESTS:
        if all(test.fullmatch(value) for value in given):
            wide = kind is Plain.WHOLE and not all(-(2**63) <= int(v) < 2**63 for v in given)
            return Plain.WIDE if wide else kind
    return None


def all_are(kind: Plain, values: Iterable[str]) -> bool:
    """Whether all values have the form of a kind."""
    test = dict(_TESTS).get(kind)
    return test is not None and all(test.fullmatch(value) for value in values)


def holds_codes(values: Iterable[str]) -> str:
    """Why digits are names, if they are: leading zeros, or more of them than numbers have; a few
    words beside them, such as Total, change nothing."""
    every = list(values)
    given = [value for value in every if any(map(str.isdigit, value))]
    if not given or not all(value.lstrip("+-").isdecimal() for value in given):
        return ""
    if any(map(_LEADING_ZERO.fullmatch, given)) and len(given) >= _MOSTLY * len(every):
        return "codes of digits"
    if len(given) < len(every):
        return ""
    too_long = any(len(value.lstrip("+-")) > _MOST_DIGITS for value in given)
    return f"whole numbers of more than {_MOST_DIGITS} digits" if too_long else ""


def epoch_kind(values: Iterable[str]) -> Plain | None:
    """The unit in which whole numbers would all be moments between 2001 and 2100, if any."""
    numbers = [int(value) for value in values]
    for kind, factor in _EPOCHS.items():
        if numbers and all(_EARLIEST <= number * factor < _LATEST for number in numbers):
            return kind
    return None


def signed(values: Iterable[str]) -> bool:
    """Whether all are whole numbers, some with a sign that casts would lose: +5 or -0."""
    given = set(values)
    return all(map(_SIGNED.fullmatch, given)) and not all(re.fullmatch(WHOLE, v) for v in given)


def looks_like_value(text: str) -> bool:
    """Whether a text is a number, an amount or a date rather than a name."""
    return _VALUE.fullmatch(text) is not None


def strict_cast(kind: Plain, column: str, *, as_written: bool = False) -> str:
    """SQL that reads the column, and fails on a cell that the kind does not describe; `as_written`
    reads moments by the clock of each cell's own offset."""
    name = quoted(column)
    if kind is Plain.TEXT:
        return name
    if kind in _WHOLE_TYPES:
        # Writing the number again costs a quarter of what a regular expression does.
        stored = _WHOLE_TYPES[kind]
        number = f"{name}::{stored}"
        return (
            f"CASE WHEN {number}::VARCHAR <> {name} THEN error('unfit')::{stored} ELSE {number} END"
        )
    if kind in _EPOCHS:
        moment = f"make_timestamp({name}::BIGINT * {_EPOCHS[kind]})"
        fails = f"NOT {fits(kind, name)}"
        return f"CASE WHEN {fails} THEN error('unfit')::TIMESTAMP ELSE {moment} END"
    if kind is Plain.DECIMAL:
        # The cast itself refuses all but the underscores that programmers write into numbers.
        return (
            f"CASE WHEN contains({name}, '_') THEN error('unfit')::DOUBLE ELSE {name}::DOUBLE END"
        )
    if kind is Plain.FLAG:
        fails = f"NOT {fits(kind, name)}"
        return f"CASE WHEN {fails} THEN error('unfit')::BOOLEAN ELSE {name}::BOOLEAN END"
    if kind is Plain.DAY:
        return f"CASE WHEN length({name}) <> 10 THEN error('unfit')::DATE ELSE {name}::DATE END"
    if kind is Plain.MOMENT:
        zoned = f"{without_offset(name)}::TIMESTAMP" if as_written else _in_utc(name)
        return f"CASE WHEN {_zoneless(name)} THEN {name}::TIMESTAMP ELSE {zoned} END"
    raise AssertionError(f"{kind} has no cast")


def fits(kind: Plain, name: str) -> str:
    """SQL: whether a text, given as SQL, is of the kind; null for null."""
    if kind in _WHOLE_TYPES:
        number = f"try_cast({name} AS {_WHOLE_TYPES[kind]})"
        return f"({name} IS NULL OR coalesce({number}::VARCHAR = {name}, false))"
    if kind in _EPOCHS:
        factor, number = _EPOCHS[kind], f"try_cast({name} AS BIGINT)"
        within = f"{number} BETWEEN {_EARLIEST // factor} AND {_LATEST // factor}"
        return f"({fits(Plain.WHOLE, name)} AND ({name} IS NULL OR {within}))"
    if kind is Plain.MOMENT:
        return f"(try_cast({name} AS TIMESTAMPTZ) IS NOT NULL OR {name} IS NULL)"
    if kind is Plain.DAY:
        return f"(length({name}) = 10 AND try_cast({name} AS DATE) IS NOT NULL)"
    if kind is Plain.FLAG:
        return f"({name} IN ({', '.join(map(literal, _FLAGS))}))"
    return f"regexp_full_match({name}, {literal(DECIMAL)})"


def _zoneless(name: str) -> str:
    """SQL: whether a moment is written like 2024-12-31 23:59:59, which is read twice as fast."""
    return f"length({name}) = 19 AND substring({name}, 17, 1) = ':'"


def _in_utc(name: str) -> str:
    return f"({name}::TIMESTAMPTZ AT TIME ZONE 'UTC')"
