"""Is the dialect of a delimited file found? `python -m bench.csv_dialects [--data FOLDER]`

The CSV files of a folder (`../shared/data/csv` where it is there) are rewritten in the ways that
programs and people write them, so that what a reader must find is known: other delimiters, quotes,
words before the table, totals after it, remarks, no names. The executor's reader and DuckDB's
`sniff_csv` tell each what they see; right is who has the delimiter, the names and the number of
rows.
"""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import duckdb

from bench.measure import REPOSITORY, arguments, keep, print_table
from mesh.errors import AssayError
from services.executor.domain.source import DataSource
from services.executor.sources.library import SourceLibrary
from services.executor.sources.processes import reader_processes

_ROWS = 200
_FOLDER = REPOSITORY.parent / "shared" / "data" / "csv"
Rows = list[list[str]]
_Reader = Callable[[Path], tuple[str, bool, int]]


@dataclass(frozen=True)
class Writing:
    """A way to write a table, and what a reader must find in it."""

    name: str
    write: Callable[[Rows], str]
    delimiter: str = ","
    named: bool = True


def _text(rows: Rows, delimiter: str = ",", *, all_quoted: bool = False) -> str:
    target = io.StringIO()
    csv.writer(
        target,
        delimiter=delimiter,
        quoting=csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL,
        lineterminator="\n",
    ).writerows(rows)
    return target.getvalue()


def _decimal_commas(rows: Rows) -> str:
    return _text([rows[0], *([_comma(cell) for cell in row] for row in rows[1:])], ";")


def _comma(cell: str) -> str:
    return cell.replace(".", ",") if cell.replace(".", "", 1).lstrip("-").isdigit() else cell


def _padded(rows: Rows) -> str:
    return _text([[f" {cell} " if "," not in cell else cell for cell in row] for row in rows])


def _total(rows: Rows) -> Rows:
    return [["Total", *("1" for _ in rows[0][1:])]]


WRITINGS = (
    Writing("as it is", _text),
    Writing("semicolons", lambda rows: _text(rows, ";"), ";"),
    Writing("semicolons, decimal commas", _decimal_commas, ";"),
    Writing("tabs", lambda rows: _text(rows, "\t"), "\t"),
    Writing("pipes", lambda rows: _text(rows, "|"), "|"),
    Writing("all quoted", lambda rows: _text(rows, all_quoted=True)),
    Writing("blanks around cells", _padded),
    Writing("CRLF", lambda rows: _text(rows).replace("\n", "\r\n")),
    Writing("three lines before it", lambda rows: f"Report\nMade in 2024\n\n{_text(rows)}"),
    Writing("remarks before it", lambda rows: f"# made by a program\n# version 2\n{_text(rows)}"),
    Writing("a line of totals after it", lambda rows: _text(rows + _total(rows))),
    Writing("a remark after it", lambda rows: f"{_text(rows)}\nSource: the ministry\n"),
    Writing("no names", lambda rows: _text(rows[1:]), named=False),
)


def _by_duckdb(path: Path) -> tuple[str, bool, int]:
    """Delimiter, whether there are names, and rows, as DuckDB alone reads the file."""
    found = duckdb.execute("SELECT Delimiter, HasHeader FROM sniff_csv(?)", [str(path)]).fetchone()
    rows = duckdb.execute("SELECT count(*) FROM read_csv(?)", [str(path)]).fetchone()
    delimiter, named = found or ("", False)
    return str(delimiter), bool(named), int(rows[0]) if rows else 0


def _by_executor(library: SourceLibrary, path: Path) -> tuple[str, bool, int]:
    """The same, as the executor reads it."""
    source = library.open(DataSource(file_path=str(path)))
    found = {decision.subject: decision.value for decision in source.decisions}
    delimiter = "\t" if found["delimiter"] == "tab" else found["delimiter"]
    return delimiter, found["header"] == "true", source.rows


def _seen(read: _Reader, path: Path) -> tuple[str, bool, int]:
    try:
        return read(path)
    except (duckdb.Error, AssayError):
        return "", False, 0


def compared(files: Sequence[Path], folder: Path) -> list[tuple[str, int, int, int]]:
    """For each way to write: the files, and how many the executor and DuckDB have right."""
    library = SourceLibrary(folder / "home", processes=reader_processes())
    readers: tuple[_Reader, ...] = (partial(_by_executor, library), _by_duckdb)
    found = []
    for writing in WRITINGS:
        right = [0 for _ in readers]
        for file in files:
            with file.open(encoding="utf-8", newline="") as text:
                rows = list(islice(csv.reader(text), _ROWS + 1))
            path = folder / file.name
            path.write_text(writing.write(rows), encoding="utf-8", newline="")
            truth = (writing.delimiter, writing.named, len(rows) - 1)
            for position, read in enumerate(readers):
                right[position] += _seen(read, path) == truth
        found.append((writing.name, len(files), right[0], right[1]))
    library.close()
    return found


def main() -> None:
    """Print how many files each has right, by how they were written."""
    parser = arguments("csv_dialects", __doc__)
    parser.add_argument("--data", type=Path, default=_FOLDER, metavar="FOLDER")
    options = parser.parse_args()
    files = sorted(options.data.glob("*.csv"))
    if not files:
        raise SystemExit(f"there are no CSV files in {options.data}; name a folder with --data")
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        found = compared(files, Path(name))
    total = [sum(numbers) for numbers in zip(*(row[1:] for row in found), strict=True)]
    print_table(
        f"{len(files)} files of at most {_ROWS} rows, each written in {len(WRITINGS)} ways",
        ("written", "files", "executor right", "DuckDB's sniff_csv right"),
        [*found, ("together", *total)],
    )
    keep({"by_writing": found, "total": total}, options.json)


if __name__ == "__main__":
    main()
