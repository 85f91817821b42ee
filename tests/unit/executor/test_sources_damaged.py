"""Lines that would take others with them: each row that a text holds is read, or counted aside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mesh.errors import SOURCE_NOT_READABLE, AssayError
from services.executor.domain.source import DataSource
from services.executor.sources.library import SourceLibrary
from services.executor.sources.prepared import PreparedSource
from services.executor.sources.processes import reader_processes
from tests.unit.executor.source_help import ask

ROWS = 3_000


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> SourceLibrary:
    return SourceLibrary(tmp_path_factory.mktemp("home"), processes=reader_processes("512MB"))


def lines(**replaced: bytes) -> list[bytes]:
    """A table of numbered rows; `row_5=` stands in place of the row of number 5."""
    rows = [b"%d,name %d,%d.5" % (i, i, i) for i in range(ROWS)]
    for name, content in replaced.items():
        rows[int(name.removeprefix("row_"))] = content
    return [b"id,name,price", *rows]


def opened(library: SourceLibrary, path: Path, rows: list[bytes]) -> PreparedSource:
    path.write_bytes(b"\n".join(rows) + b"\n")
    return library.open(DataSource(file_path=str(path)))


@pytest.mark.parametrize(
    ("rows", "kept", "aside"),
    [
        (lambda: lines(row_1000=b'1000,"name 1000,1000.5'), ROWS - 1, ["1,002"]),
        (lambda: lines(row_2999=b'2999,"name'), ROWS - 1, ["3,001"]),
        (
            lambda: lines(row_1000=b'1000,"name 1000,1000.5', row_2000=b'1,"a,6'),
            ROWS - 2,
            ["1,002", "2,002"],
        ),
        # The quote closes far below, in a cell in which it stands for itself.
        (
            lambda: lines(row_1000=b'1000,"name 1000,1000.5', row_2000=b'2000,pipe 5",2000.5'),
            ROWS - 1,
            ["1,002"],
        ),
        # Cells of several lines are no damage, and stay.
        (lambda: lines(row_7=b'7,"one\ntwo\nthree, four\nfive",7.5'), ROWS, []),
        (lambda: lines(row_7=b'7,"say ""yes""\nor ""no""",7.5'), ROWS, []),
        (lambda: lines(row_7=b"7," + b"x" * (5 << 20) + b",7.5"), ROWS - 1, ["9"]),
        (lambda: lines(row_7=b"," * (9 << 20)), ROWS - 1, ["9"]),
    ],
)
def test_a_line_at_fault_takes_no_other_with_it(
    library: SourceLibrary,
    tmp_path: Path,
    rows: Callable[[], list[bytes]],
    kept: int,
    aside: list[str],
) -> None:
    source = opened(library, tmp_path / "sales.csv", rows())
    assert source.rows == kept
    told = " ".join(source.notes)
    for line in aside:
        assert f"line {line} (" in told
    assert ("aside" in told) == bool(aside)
    assert ask(source, "SELECT max(id) AS id FROM sales WHERE id < 2998")["id"].to_pylist() == [
        2997
    ]


@pytest.mark.parametrize("content", [b"x" * (6 << 20), b"\xff" * (5 << 20), b"," * (6 << 20)])
def test_a_text_without_lines_is_told_to_be_no_table(
    library: SourceLibrary, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "noise.csv"
    path.write_bytes(content)
    with pytest.raises(AssayError) as caught:
        library.open(DataSource(file_path=str(path)))
    assert caught.value.reason is SOURCE_NOT_READABLE
    assert "bytes" in caught.value.message


def test_what_begins_as_utf16_and_goes_on_otherwise_is_told_as_that(
    library: SourceLibrary, tmp_path: Path
) -> None:
    path = tmp_path / "mixed.csv"
    path.write_bytes(
        "name,n\n".encode("utf-16") + "".join(f"Zürich,{number}\n" for number in range(40)).encode()
    )
    with pytest.raises(AssayError, match="begins as UTF-16 and goes on in another") as refused:
        library.open(DataSource(file_path=str(path)))
    assert refused.value.reason is SOURCE_NOT_READABLE and "UTF-8" in refused.value.remedy


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_letters_with_the_byte_of_a_line_end_are_letters(
    library: SourceLibrary, tmp_path: Path, codec: str
) -> None:
    path = tmp_path / f"{codec}.csv"
    path.write_bytes(("name,n\n" + "".join(f"Ċa,{n}\n" for n in range(40))).encode(codec))
    prepared = library.open(DataSource(file_path=str(path)))
    told = ask(prepared, f'SELECT DISTINCT name FROM "{prepared.tables[0].name}"')
    assert told.to_pydict() == {"name": ["Ċa"]}
