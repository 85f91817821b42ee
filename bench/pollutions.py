"""Are files read that are not quite CSV? `python -m bench.pollutions`

The kinds of pollution of Pollock (Vitagliano, Hameed, Jiang, Reisener, Wu and Naumann: "Pollock: a
data loading benchmark", VLDB 2023) are made here by code, in 97 files of one table of 84 rows and
eight columns, with commas, quotes and apostrophes in its texts. Right is a file of which every row
that can be read is read as it was meant, under its names; the one row that was spoilt may be read
as meant, or be kept aside and told. The executor's reader, DuckDB's `read_csv` and pandas read
each; of these two a row that is gone counts as kept aside.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import duckdb

from bench.measure import arguments, keep, print_table
from mesh.errors import AssayError
from services.executor.domain.source import DataSource
from services.executor.sources.library import SourceLibrary
from services.executor.sources.processes import reader_processes

HEADS = ("id", "sold_on", "product", "price", "quantity", "kind", "description", "new")
_AT = (1, 2, 50, 84)
"""The rows that are spoilt, from 1; the last is the last of the file."""
Rows = list[list[str]]


@dataclass(frozen=True)
class File:
    """A polluted file: what is right of it, and the row that was spoilt, from 1.

    `rows` is None where there is nothing to read; `heads` is None where names are not judged.
    """

    group: str
    name: str
    content: bytes
    rows: Rows | None
    heads: tuple[str, ...] | None = HEADS
    spoilt: int = 0
    file_name: str = "source.csv"


@dataclass(frozen=True)
class Seen:
    """What a reader makes of a file: names and rows, of its first table; None where it refuses."""

    heads: tuple[str, ...] = ()
    rows: list[tuple[Any, ...]] | None = None
    is_reported: bool = True
    more: list[str] = field(default_factory=list)


def table(rows: int = 84) -> Rows:
    """The rows of the clean table."""
    dice = Random(7)
    kinds = ("Men's Boots", "Rod, 9' 6\"", "Towel", 'Table, Round 48"', "Kids' Hat")
    texts = (
        "Light, warm and quick to dry.",
        'The original, made since 1912; with a 10" sole',
        "It won't chip, peel or crack",
        "Plain",
    )
    return [
        [
            str(n),
            f"{date(2018, 1, 28) + timedelta(n):%d/%m/%Y}",
            f"RI-{dice.randint(1000, 9999)}",
            f"{dice.randint(90, 9999) / 100:.2f}",
            str(dice.randint(0, 30)),
            kinds[n % 5],
            f"{texts[n % 4]} {n}",
            str(n % 2),
        ]
        for n in range(1, rows + 1)
    ]


def text(
    rows: Sequence[Sequence[str]],
    sep: str = ",",
    quote: str = '"',
    end: str = "\r\n",
    *,
    every: bool = False,
    escape: str = "",
) -> str:
    """Records as they are written; `sep` may be of several characters."""
    return "".join(sep.join(cell(c, sep, quote, every, escape) for c in row) + end for row in rows)


def cell(value: str, sep: str, quote: str, every: bool, escape: str) -> str:
    """One cell, in quotes where it needs them."""
    if not every and not any(mark in value for mark in (sep, quote, "\n", sep[0])):
        return value
    return f"{quote}{value.replace(quote, (escape or quote) + quote)}{quote}"


def files() -> list[File]:
    """The polluted files."""
    return [*_of_files(), *_of_tables(), *_of_marks(), *_of_rows(), *_of_heads()]


def _file(group: str, name: str, content: str | bytes, rows: Rows | None, **more: Any) -> File:
    written = content.encode() if isinstance(content, str) else content
    return File(group, name, written, rows, **more)


def _of_files() -> Iterator[File]:
    rows, group = table(), "file"
    plain = text([HEADS, *rows])
    yield _file(group, "as it is", plain, rows)
    yield _file(group, "nothing in it", "", None)
    yield _file(group, "no line end at the end", plain.rstrip(), rows)
    yield _file(group, "two line ends at the end", plain + "\r\n", rows)
    yield _file(group, "headings alone", text([HEADS]), None)
    yield _file(group, "one row", text([HEADS, rows[0]]), rows[:1])
    yield _file(group, "a name of one sign", plain, rows, file_name="$.csv")
    for encoding in ("utf-8-sig", "utf-16", "latin-1", "cp1252"):
        accents = [[*r[:5], f"Größe {r[5]}", *r[6:]] for r in rows]
        yield _file(group, encoding, text([HEADS, *accents]).encode(encoding), accents)
    yield _file(
        group,
        "one column",
        text([["id"], *([r[0]] for r in rows)]),
        [[r[0]] for r in rows],
        heads=("id",),
    )
    wide = [*HEADS, *(f"col{n}" for n in range(200))]
    wider = [[*r, *(str(n) for n in range(200))] for r in rows]
    yield _file(group, "208 columns", text([wide, *wider]), wider, heads=tuple(wide))
    yield _file(group, "7,000 rows", text([HEADS, *table(7_000)]), table(7_000))


def _of_tables() -> Iterator[File]:
    rows, group = table(), "table"
    plain = text([HEADS, *rows])
    yield _file(group, "no headings", text(rows), rows, heads=None)
    upper = ["", "", "Item", "", "", "Said", "", ""]
    yield _file(group, "headings in two lines", text([upper, HEADS, *rows]), rows, heads=None)
    yield _file(group, "headings twice", text([HEADS, HEADS, *rows]), rows)
    yield _file(group, "headings three times", text([HEADS, HEADS, HEADS, *rows]), rows)
    for lines in (1, 3):
        for padded in (True, False):
            for blank in (True, False):
                empty = [""] * 7 if padded else []
                sentence = text([[f"A note of line {n}", *empty] for n in range(lines)])
                gap = text([["", *empty]]) if blank else ""
                how = f"{lines} {'padded' if padded else 'bare'}{', an empty line' * blank}"
                yield _file(group, f"lines before: {how}", sentence + gap + plain, rows)
                yield _file(group, f"lines after: {how}", plain + gap + sentence, rows)
    for width in (4, 8, 11):
        second = [[f"{w}{n}" for w in "abcdefghijk"[:width]] for n in range(6)]
        yield _file(group, f"another table of {width} columns", plain + "\r\n" + text(second), rows)


def _of_marks() -> Iterator[File]:
    rows, group = table(), "marks"
    every = [HEADS, *rows]
    for sep in (";", "\t", "|", " ", ":", ", ", "^", "~"):
        yield _file(group, f"between cells {sep!r}", text(every, sep), rows)
    yield _file(group, "apostrophes for quotes", text(every, quote="'"), rows)
    yield _file(group, "all quoted", text(every, every=True), rows)
    yield _file(group, "all quoted with apostrophes", text(every, quote="'", every=True), rows)
    yield _file(group, "backslashes before quotes", text(every, escape="\\"), rows)
    for end in ("\n", "\r"):
        yield _file(group, f"lines end with {end!r}", text(every, end=end), rows)
    mixed = [text([row], end="\n" if n in _AT else "\r\n") for n, row in enumerate(every)]
    yield _file(group, "lines end in two ways", "".join(mixed), rows)


def _of_rows() -> Iterator[File]:
    rows = table()

    def spoilt(name: str, at: int, line: str) -> File:
        lines = [text([HEADS]), *(text([row]) for row in rows)]
        lines[at] = line
        return _file("rows", f"{name} in row {at}", "".join(lines), rows, spoilt=at)

    for at in _AT:
        row = rows[at - 1]
        cells = [cell(c, ",", '"', every=False, escape="") for c in row]
        line, opened = ",".join(cells), '"' + row[6].replace('"', "")
        less = ",".join([*cells[:2], cells[2] + cells[3], *cells[4:]])
        shut = ",".join([*cells[:6], opened, cells[7]])
        yield spoilt("a comma less", at, f"{less}\r\n")
        yield spoilt("a comma less at the end", at, ",".join(cells[:-1]) + "\r\n")
        yield spoilt("a comma more", at, f",{line}\r\n")
        yield spoilt("a comma more at the end", at, f"{line},\r\n")
        yield spoilt("a quote more in the first cell", at, f'"{line}\r\n')
        yield spoilt("a quote more in a text", at, f"{shut}\r\n")
        yield spoilt("spaces for commas", at, text([row], " "))
        yield spoilt("semicolons for commas", at, text([row], ";"))
        yield spoilt("backslashes before quotes", at, text([row], every=True, escape="\\"))
        yield spoilt("apostrophes for quotes", at, text([row], quote="'", every=True))


def _of_heads() -> Iterator[File]:
    rows, group = table(), "names"
    for name, heads in (
        ("one is empty", ("", *HEADS[1:])),
        ("two are equal", (*HEADS[:3], "sold_on", *HEADS[4:])),
        ("signs", ("HEAD/%R", *HEADS[1:])),
        ("a very long one", ("HEADER" * 2_000, *HEADS[1:])),
        ("fewer than columns", HEADS[:-1]),
    ):
        yield _file(group, name, text([heads, *rows]), rows, heads=None)


def right(file: File, seen: Seen) -> bool:
    """Whether what a reader makes of a file is right."""
    if file.rows is None or seen.rows is None:
        return file.rows is None and seen.rows is None
    if file.heads is not None and seen.heads[: len(file.heads)] != file.heads:
        return False
    found = [_plain(row, len(file.rows[0])) for row in seen.rows]
    intended = [_plain(row, len(row)) for row in file.rows]
    if found == intended:
        return True
    without = intended[: file.spoilt - 1] + intended[file.spoilt :]
    return bool(file.spoilt) and found == without and seen.is_reported


def _plain(row: Sequence[Any], width: int) -> tuple[str, ...]:
    return tuple(map(_cell, row[:width]))


def _cell(value: Any) -> str:
    """A cell as text: numbers and flags by their value, days as they are told."""
    if isinstance(value, bool):
        return str(int(value))
    if hasattr(value, "strftime"):
        return str(value)[:10]
    sentence = " ".join(str(value).split())
    try:
        return f"{float(sentence):g}"
    except ValueError:
        day = sentence.split("/")
        return "-".join(reversed(day)) if len(day) == 3 and len(sentence) == 10 else sentence


def _by_executor(library: SourceLibrary, path: Path) -> Seen:
    source = library.open(DataSource(file_path=str(path)))
    first = max(source.tables, key=lambda one: one.rows)
    with duckdb.connect() as connection:
        read = connection.execute(f"SELECT * FROM read_parquet('{source.file(first)}')")
        heads = tuple(column[0] for column in read.description or ())
        rows = read.fetchall()
    texts = [*source.notes, *(doubt.said for doubt in source.doubts)]
    return Seen(heads, rows, is_reported=bool(texts), more=texts)


def _by_duckdb(path: Path) -> Seen:
    with duckdb.connect() as connection:
        read = connection.execute("SELECT * FROM read_csv(?)", [str(path)])
        return Seen(tuple(column[0] for column in read.description or ()), read.fetchall())


def _by_pandas(path: Path) -> Seen:
    import pandas

    frame = pandas.read_csv(path, sep=None, engine="python", on_bad_lines="skip")
    return Seen(tuple(map(str, frame.columns)), list(frame.itertuples(index=False, name=None)))


def _seen(read: Callable[[Path], Seen], path: Path) -> Seen:
    try:
        return read(path)
    except (duckdb.Error, AssayError, ValueError, csv.Error, OSError) as error:
        return Seen(more=[str(error)])


def compared(below: Path) -> Iterator[tuple[File, Path, list[tuple[bool, Seen]]]]:
    """Each file, where it lies, and whether the executor, DuckDB and pandas read it right."""
    library = SourceLibrary(below / "home", processes=reader_processes())
    readers = (lambda path: _by_executor(library, path), _by_duckdb, _by_pandas)
    for number, file in enumerate(files()):
        path = below / str(number) / file.file_name
        path.parent.mkdir()
        path.write_bytes(file.content)
        seen = [_seen(read, path) for read in readers]
        yield file, path, [(right(file, one), one) for one in seen]
    library.close()


def main() -> None:
    """Print how many files each reads right, and which the executor does not."""
    options = arguments("pollutions", __doc__).parse_args()
    groups: dict[str, list[int]] = {}
    wrong: list[tuple[File, Seen]] = []
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        for file, _, verdicts in compared(Path(name)):
            counts = groups.setdefault(file.group, [0, 0, 0, 0])
            for place, good in enumerate((True, *(one for one, _ in verdicts))):
                counts[place] += good
            if not verdicts[0][0]:
                wrong.append((file, verdicts[0][1]))
    total = [sum(column) for column in zip(*groups.values(), strict=True)]
    print_table(
        "polluted files read right",
        ("of", "files", "executor", "DuckDB's read_csv", "pandas, sep=None"),
        [(group, *counts) for group, counts in groups.items()] + [("together", *total)],
    )
    for file, seen in wrong:
        rows = "refused" if seen.rows is None else f"{len(seen.rows):,} rows"
        print(f"  not right: {file.group}, {file.name}: {rows}; {'; '.join(seen.more)[:200]}")
    keep({"by_group": groups, "total": total}, options.json)


if __name__ == "__main__":
    main()
