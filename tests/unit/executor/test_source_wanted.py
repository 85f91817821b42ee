"""A file that is too wide to be read whole is read for the columns that its request may use."""

from __future__ import annotations

from pathlib import Path

import pytest

from mesh.errors import RESOURCE_EXHAUSTED, AssayError
from services.executor.domain.source import DataSource, ReaderOptions
from services.executor.sources.content import ContentDigests, parts_of, source_digest
from services.executor.sources.library import SourceLibrary
from services.executor.sources.limits import ReadingLimits
from tests.unit.executor.source_help import PROCESSES

WIDE, MOST = 60, 6


@pytest.fixture
def library(tmp_path: Path) -> SourceLibrary:
    return SourceLibrary(tmp_path / "home", processes=PROCESSES, limits=ReadingLimits(columns=MOST))


def wide(folder: Path, columns: int = WIDE) -> Path:
    path = folder / "wide.csv"
    lines = [",".join(f"c{at}" for at in range(columns))]
    lines += [",".join(str(row * at) for at in range(columns)) for row in range(5)]
    path.write_text("\n".join(lines) + "\n")
    return path


def source(path: Path, *wanted: str) -> DataSource:
    return DataSource(file_path=str(path), wanted=wanted)


@pytest.mark.parametrize("named", ["c3", "C3", "wide.c3"])
def test_the_columns_that_are_wanted_are_read(
    tmp_path: Path, library: SourceLibrary, named: str
) -> None:
    prepared = library.open(source(wide(tmp_path), named, "c59", "elsewhere.c4"))
    (table,) = prepared.tables
    assert [(c.name, c.type) for c in table.columns] == [("c3", "BIGINT"), ("c59", "BIGINT")]
    assert table.rows == 5 and table.statistics["c59"].maximum == "236"
    assert "has 60 columns; 2 that may be used are read" in prepared.notes[0]
    assert library.known(source(wide(tmp_path), named, "c59", "elsewhere.c4"))


@pytest.mark.parametrize("wanted", [(), ("none of them",), tuple(f"c{at}" for at in range(9))])
def test_it_is_refused_where_none_or_too_many_are_wanted(
    tmp_path: Path, library: SourceLibrary, wanted: tuple[str, ...]
) -> None:
    with pytest.raises(AssayError) as refused:
        library.open(source(wide(tmp_path), *wanted))
    assert refused.value.reason is RESOURCE_EXHAUSTED
    assert "--allow-column" in refused.value.remedy
    assert refused.value.metadata == {"limit": "ASSAY_EXECUTOR_COLUMNS"}


def test_there_is_an_end_to_how_wide_it_may_be(tmp_path: Path, library: SourceLibrary) -> None:
    with pytest.raises(AssayError, match="151 columns"):
        library.open(source(wide(tmp_path, 25 * MOST + 1), "c3"))


def test_what_can_be_read_whole_is_read_once_whatever_is_wanted(
    tmp_path: Path, library: SourceLibrary
) -> None:
    path = wide(tmp_path, MOST)
    whole = library.open(source(path))
    some = library.open(source(path, "c1"))
    assert some.digest == whole.digest and len(some.tables[0].columns) == MOST


def test_the_digest_of_what_is_read_whole_has_nothing_of_it(tmp_path: Path) -> None:
    """What was read by earlier versions is found again."""
    one = source(wide(tmp_path))
    parts, digests = parts_of(Path(one.place), one), ContentDigests()
    some = one.model_copy(update={"options": ReaderOptions(only=("c1",))})
    assert source_digest(parts, source(Path(one.place), "c1"), digests) == source_digest(
        parts, one, digests
    )
    assert source_digest(parts, some, digests) != source_digest(parts, one, digests)
