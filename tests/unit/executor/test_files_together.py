"""Single files that are told to be one table are that, as those of a folder are."""

from __future__ import annotations

from pathlib import Path

import pytest

from mesh.errors import SOURCE_NOT_FOUND, AssayError
from services.executor.domain.description import DataType
from services.executor.domain.source import DataSource, ReaderOptions, Repair
from services.executor.doubts.one_form import of_one_form
from services.executor.doubts.seen import SeenColumn, SeenTable
from services.executor.sources.library import SourceLibrary
from services.executor.sources.together import together
from tests.unit.executor.source_help import PROCESSES, ask

ASKED = [
    ReaderOptions(one_table=True),
    ReaderOptions(repairs=(Repair(kind="one-table", value="yes"),)),
]


def files(folder: Path, *names: str) -> list[str]:
    for number, name in enumerate(names, 1):
        (folder / name).write_text(f"product,n\na,{number}\nb,{10 * number}\n")
    return [str(folder / name) for name in names]


@pytest.mark.parametrize("options", ASKED)
def test_they_are_read_as_one_source_of_one_table(tmp_path: Path, options: ReaderOptions) -> None:
    paths = files(tmp_path, "oslo.csv", "bergen.csv", "odd.csv")
    database = DataSource(connection_string="sqlite:///shop.sqlite", options=options)
    apart = DataSource(file_path=paths[2])
    named = [DataSource(file_path=path, options=options) for path in paths[:2]]
    one, *others = together([named[0], database, apart, named[1]])
    assert others == [database, apart] and one.label == "oslo.csv and bergen.csv"

    library = SourceLibrary(tmp_path / "home", processes=PROCESSES)
    source = library.open(one)
    (table,) = source.tables
    assert (table.name, table.rows) == ("all_rows", 4)
    sums = ask(source, "SELECT source_file, sum(n) AS n FROM all_rows GROUP BY 1 ORDER BY 1")
    assert [tuple(row.values()) for row in sums.to_pylist()] == [("bergen", 22), ("oslo", 11)]

    Path(paths[1]).write_text("product,n\na,7\n")
    assert library.open(one).digest != source.digest
    Path(paths[1]).unlink()
    with pytest.raises(AssayError, match="bergen") as caught:
        library.open(one)
    assert caught.value.reason is SOURCE_NOT_FOUND


def test_files_of_periods_are_called_what_they_have_in_common(tmp_path: Path) -> None:
    paths = files(tmp_path, "sales_2025_01.csv", "sales_2025_02.csv")
    (one,) = together([DataSource(file_path=path, options=ASKED[0]) for path in paths])
    source = SourceLibrary(tmp_path / "home", processes=PROCESSES).open(one)
    assert [table.name for table in source.tables] == ["sales"]


def test_what_nobody_asked_for_stays_apart(tmp_path: Path) -> None:
    paths = files(tmp_path, "a.csv", "b.csv")
    otherwise = ASKED[0].model_copy(update={"delimiter": ","})
    for options in (
        [ReaderOptions()] * 2,
        [ASKED[0], ReaderOptions()],
        [ASKED[0], otherwise],
        [ASKED[0].model_copy(update={"raw": True})] * 2,
    ):
        sources = [
            DataSource(file_path=path, options=each)
            for path, each in zip(paths, options, strict=True)
        ]
        assert together(sources) == sources
    folder = DataSource(file_path=str(tmp_path), options=ASKED[0])
    file = DataSource(file_path=paths[0], options=ASKED[0])
    assert together([folder, file, file]) == [folder, file]  # no row counts twice


def test_a_doubt_of_tables_of_one_form_offers_all_of_them() -> None:
    column = SeenColumn("n", DataType.INTEGER)
    found = list(of_one_form([SeenTable(name, 5, (column,)) for name in ("oslo", "bergen")]))
    assert [doubt.repairs for doubt in found] == [ASKED[1].repairs] * 2
    assert "--read one-table=yes" in found[0].changes
