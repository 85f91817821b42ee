"""Which characters separate, quote and escape, judged like CleverCSV: by how even the rows come
out and how many of their cells look like something (van den Burg et al., 2019).
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mesh.errors import SOURCE_NOT_READABLE, AssayError
from services.executor.domain.source import ReaderOptions
from services.executor.sources.delimited.plain import looks_like_value

if TYPE_CHECKING:
    import _csv

_DELIMITERS = (",", "\t", ";", "|", ":", "~", "^", "\x1f")
_QUOTES = ('"', "'")
_LINES = 300
_LONGEST_KNOWN = 200
_KNOWN = re.compile(
    r"\s*(?:[^\d\W][\w .'/()&+%@#,!?°²³€$£-]*|[-+(]?[\d., ']*\d[\d., ']*\)?\s*(?:%|\w{1,4}|[€$£])?"
    r"|[€$£]\s*[\d.,' ]+|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?|\d\d?:\d\d(:\d\d)?"
    r"|[-?.*—–]{0,3}|https?://\S+|[#<(\\][\w/ .]+[>)]?!?)\s*"
)
_PLAIN_TEXT = 0.16
_FEWEST_BY_BLANKS, _EVEN_BY_BLANKS = 3, 0.9
# A delimiter that words and times contain must do better than one that they do not.
_HANDICAP = {":": 0.6, "~": 0.95, "^": 0.95}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The separators of a file; `escape` is the quote itself where quotes are doubled, `blanks`
    says that blanks stand between delimiters and quotes, as in `1, "a, b"`."""

    delimiter: str
    quote: str = '"'
    escape: str = '"'
    blanks: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A record of the sample, and the number of the line it begins on, from 1."""

    line: int
    cells: tuple[str, ...]


def find_dialect(sample: str, options: ReaderOptions) -> Dialect:
    """The dialect under which the sample looks most like a table; options stand as given."""
    lines = [line for line in sample.splitlines()[: 3 * _LINES] if line.strip()][:_LINES]
    body = [line for line in lines if not line.startswith("#")] or lines
    text = "\n".join(body)
    delimiters = (options.delimiter,) if options.delimiter else _DELIMITERS
    quotes = (options.quote,) if options.quote is not None else _QUOTES
    candidates = [
        Dialect(delimiter, quote, _escape(text, quote, options))
        for delimiter in delimiters
        if delimiter in text or options.delimiter
        # One column of times has colons in every line but that of its name.
        if delimiter in "".join(body[:1]) or delimiter not in _HANDICAP or options.delimiter
        for quote in quotes
        if quote == quotes[0] or quote in text
    ]
    candidates += [
        replace(one, blanks=True)
        for one in candidates
        if one.quote and one.escape == one.quote and f"{one.delimiter} {one.quote}" in text
    ]
    best = max(candidates, key=lambda one: _score(body, one), default=None)
    if best is None or (not options.delimiter and _is_one_column(body, best)):
        by_blanks = Dialect(" ", quotes[0], _escape(text, quotes[0], options))
        if not options.delimiter and _holds_values(body, by_blanks):
            return by_blanks
        delimiter = options.delimiter or _absent_from(sample)
        return Dialect(delimiter, quotes[0], _escape(text, quotes[0], options))
    return best


def _holds_values(lines: list[str], dialect: Dialect) -> bool:
    """Whether lines come out even, and at least half of their cells are numbers or dates: words
    with blanks between them are texts."""
    try:
        rows = [row for row in reader_of([line + "\n" for line in lines], dialect) if row]
    except csv.Error:
        return False
    width, count = Counter(len(row) for row in rows).most_common(1)[0] if rows else (1, 0)
    if width < _FEWEST_BY_BLANKS or len(rows) <= width or count < _EVEN_BY_BLANKS * len(rows):
        return False
    cells = [cell for row in rows[1:] if len(row) == width for cell in row]
    return sum(map(looks_like_value, cells)) >= len(cells) / 2


def _is_one_column(lines: list[str], best: Dialect) -> bool:
    """Whether the text has one column: its name has no delimiter in it, and lines come out in
    several widths, as sentences do."""
    if best.delimiter in lines[0]:
        return False
    return _score(lines, best) < _PLAIN_TEXT


def _absent_from(text: str) -> str:
    """A delimiter for a text of one column."""
    return next((one for one in (",", *_DELIMITERS, "\x1e") if one not in text), "\x1e")


def records(sample: str, dialect: Dialect, label: str) -> Iterator[Row]:
    """The sample's records that are not blank. Raises AssayError(SOURCE_NOT_READABLE)."""
    # Only \n and \r end lines here; str.splitlines knows eight more.
    reader = reader_of(io.StringIO(sample, newline=""), dialect)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield Row(line, tuple(cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise AssayError(
            SOURCE_NOT_READABLE, f"{label}, line {reader.line_num:,}: {error}."
        ) from None


def reader_of(lines: Iterable[str], dialect: Dialect) -> _csv.Reader:
    """A reader of records in the dialect."""
    doubled = dialect.escape in ("", dialect.quote)
    return csv.reader(
        lines,
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        doublequote=doubled,
        escapechar=None if doubled else dialect.escape,
        skipinitialspace=dialect.blanks,
    )


def _escape(text: str, quote: str, options: ReaderOptions) -> str:
    if options.escape is not None:
        return options.escape
    if not quote:
        return ""
    mark = re.escape(quote)
    backslashed = re.search(rf"\\{mark}[^,;\t|\n]", text)
    doubled = re.search(rf"(?<![\\,;\t|\n]){mark}{mark}(?![,;\t|\n]|$)", text)
    return "\\" if backslashed and not doubled else quote


def _looks_known(cell: str) -> bool:
    # No value is that long, and the pattern's time grows with the square of a cell's length.
    return len(cell) <= _LONGEST_KNOWN and _KNOWN.fullmatch(cell) is not None


def _score(lines: list[str], dialect: Dialect) -> float:
    try:
        rows = [row for row in reader_of([line + "\n" for line in lines], dialect) if row]
    except csv.Error:
        return 0.0
    width, count = Counter(len(row) for row in rows).most_common(1)[0] if rows else (1, 0)
    if width < 2:
        return 0.0
    even = [row for row in rows if len(row) == width]
    cells = [cell for row in even for cell in row]
    known = sum(map(_looks_known, cells)) / len(cells)
    quoted = 0.02 if dialect.quote == '"' else 0.0
    share = (count / len(rows)) ** 2  # lines that do not fit are what other dialects are told by
    handicap = _HANDICAP.get(dialect.delimiter, 1.0)
    return share * known * handicap * (width - 1) / width + quoted
