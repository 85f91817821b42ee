"""What a sample of a delimited file tells: delimiter, header, missing-value marks, text columns."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building, unique_names

_SAMPLE_BYTES = 1 << 20
_SAMPLE_ROWS = 2_000
_DELIMITERS = (",", "\t", ";", "|")
_MISSING = frozenset(
    {"NA", "N/A", "n/a", "na", "NULL", "null", "NaN", "nan", "None", "\\N", "#N/A", "-", "--", "?"}
)
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_MOMENT = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d{1,2}:\d{2}.*)?")
_LEADING_ZERO = re.compile(r"0\d+")
_BEYOND_64_BITS = re.compile(r"[-+]?\d{19,}")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a delimited file is to be read; `skip` is 1 where the header is to be passed over.

    `missing` are the texts that stand for no value; `as_text` the columns whose digits are names
    rather than amounts (leading zeros, more than 64 bits).
    """

    delimiter: str
    header: bool
    skip: int
    columns: tuple[str, ...]
    missing: tuple[str, ...]
    as_text: tuple[str, ...]


def read_dialect(path: Path, options: ReaderOptions, building: Building) -> Dialect:
    """The dialect of a UTF-8 file, from its first megabyte; decisions are noted in `building`.

    Raises AssayError: SOURCE_EMPTY with no line of text, SOURCE_NOT_READABLE where quoting breaks.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        sample = file.read(_SAMPLE_BYTES)
        if file.read(1):
            sample = sample[: sample.rfind("\n") + 1] or sample
    delimiter = options.delimiter or _delimiter(sample)
    rows = _rows(sample, delimiter, building.label)
    if not rows:
        raise AssayError(SOURCE_EMPTY, f"{building.label} holds no columns.")
    header = _is_header(rows) if options.header is None else options.header
    first, body = (rows[0], rows[1:]) if header else ([""] * len(rows[0]), rows)
    if not header:
        building.note("the first line holds data, not names; columns are called column_1, …")
    widths = Counter(len(row) for row in body)
    skip = 0
    if header and widths[len(first) + 1] > len(body) / 2:
        first = ["row", *first]
        skip = 1
        building.note('the header is one name short; the first column is called "row"')
    columns = unique_names(first, building.note if header else lambda _: None)
    cells = {
        name: {row[i].strip() for row in body if len(row) == len(columns)} - {""}
        for i, name in enumerate(columns)
    }
    missing = sorted({mark for values in cells.values() for mark in _missing_marks(values)})
    if missing:
        building.note("read as missing: " + ", ".join(f'"{mark}"' for mark in missing))
    as_text = tuple(name for name, values in cells.items() if _digits_are_names(values))
    return Dialect(delimiter, header, skip, tuple(columns), ("", *missing), as_text)


def _delimiter(sample: str) -> str:
    """The candidate that splits most lines into the same number of fields, more than one."""

    def evenness(candidate: str) -> tuple[float, int]:
        rows = [row for row in csv.reader(sample.splitlines()[:200], delimiter=candidate) if row]
        width, lines = Counter(len(row) for row in rows).most_common(1)[0] if rows else (1, 0)
        return (lines / len(rows) if width > 1 else 0.0, width)

    try:
        best = max(_DELIMITERS, key=evenness)
    except csv.Error:
        return ","
    return best if evenness(best)[0] > 0 else ","


def _rows(sample: str, delimiter: str, label: str) -> list[list[str]]:
    rows: list[list[str]] = []
    reader = csv.reader(sample.splitlines(keepends=True), delimiter=delimiter)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(row)
            if len(rows) > _SAMPLE_ROWS:
                break
    except csv.Error as error:
        raise AssayError(
            SOURCE_NOT_READABLE, f"{label}, line {reader.line_num:,}: {error}."
        ) from None
    return rows


def _is_header(rows: list[list[str]]) -> bool:
    """Names are not numbers or dates, except years beside at least one word."""
    first = [cell.strip() for cell in rows[0]]
    values = [cell for cell in first if _NUMBER.fullmatch(cell) or _MOMENT.fullmatch(cell)]
    if not values:
        return True
    words = [cell for cell in first if cell and cell not in values]
    years = all(re.fullmatch(r"(19|20)\d\d", cell) for cell in values)
    return bool(words) and years and len(set(values)) == len(values) > 1


def _missing_marks(values: set[str]) -> set[str]:
    """The marks that stand among values which are otherwise all numbers or all dates."""
    marks = values & _MISSING
    rest = values - marks
    if not marks or not rest:
        return set()
    numeric = all(_NUMBER.fullmatch(value) for value in rest)
    return marks if numeric or all(_MOMENT.fullmatch(value) for value in rest) else set()


def _digits_are_names(values: set[str]) -> bool:
    rest = values - _MISSING
    if not rest or not all(_NUMBER.fullmatch(value) for value in rest):
        return False
    whole = all(value.lstrip("+-").isdigit() for value in rest)
    return whole and any(
        _LEADING_ZERO.fullmatch(value)
        or (_BEYOND_64_BITS.fullmatch(value) and not -(2**63) <= int(value) < 2**63)
        for value in rest
    )
