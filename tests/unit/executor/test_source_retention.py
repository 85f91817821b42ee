"""What was read of sources goes when nobody used it for long, and is read again when used."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from services.executor.domain.source import DataSource
from services.executor.settings import ExecutorSettings
from services.executor.sources import library as libraries
from services.executor.sources.library import SourceLibrary
from tests.unit.executor.source_help import PROCESSES, ask

DAY = 86_400.0


def read(library: SourceLibrary, folder: Path, name: str) -> Path:
    """Where a source lies that was opened now."""
    path = folder / name
    path.write_text("region,amount\nNorth,3\nSouth,4\n" + f"{name},1\n")
    return library.open(DataSource(file_path=str(path))).database.parent


def unused_for(place: Path, days: float) -> None:
    then = time.time() - days * DAY
    os.utime(place, (then, then))


def test_what_nobody_used_goes_and_what_was_used_stays(tmp_path: Path) -> None:
    library = SourceLibrary(tmp_path, processes=PROCESSES)
    old, new = read(library, tmp_path, "old.csv"), read(library, tmp_path, "new.csv")
    unused_for(old, 30.1)
    unused_for(new, 29.9)

    assert library.sweep(30.0) == 1

    assert (old.exists(), new.exists()) == (False, True)
    assert [each.name for each in (tmp_path / "sources").iterdir()] == [new.name]
    assert library.sweep(30.0) == 0


def test_using_a_source_keeps_it_and_one_that_went_is_read_again(tmp_path: Path) -> None:
    library = SourceLibrary(tmp_path, processes=PROCESSES)
    place = read(library, tmp_path, "sales.csv")
    for again in (library, SourceLibrary(tmp_path, processes=PROCESSES)):  # known, and found
        unused_for(place, 40)
        read(again, tmp_path, "sales.csv")
        assert library.sweep(30.0) == 0

    unused_for(place, 40)
    assert library.sweep(30.0) == 1
    source = library.open(DataSource(file_path=str(tmp_path / "sales.csv")))
    assert ask(source, "SELECT count(*) AS n FROM sales").to_pylist() == [{"n": 3}]


def test_memory_holds_the_sources_opened_last_and_folders_hold_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each upload is a source: what is held of every one makes a server grow with its days."""
    monkeypatch.setattr(libraries, "_KEPT", 2, raising=False)
    library = SourceLibrary(tmp_path, processes=PROCESSES)
    places = [DataSource(file_path=str(tmp_path / f"{name}.csv")) for name in "abc"]
    for place in places:
        Path(place.file_path or "").write_text(f"region,amount\n{place.label},3\n")
    first, second, third = (library.open(place) for place in places)

    assert library.open(places[1]) is second
    assert library.open(places[2]) is third
    again = library.open(places[0])  # from its folder, where all is that was known of it
    assert again == first
    assert again is not first
    assert len(library._known) == 2
    assert not library._locks


def test_a_home_without_sources_has_none_to_forget(tmp_path: Path) -> None:
    assert SourceLibrary(tmp_path, processes=PROCESSES).sweep(30.0) == 0


def test_thirty_days_are_usual() -> None:
    assert ExecutorSettings.model_fields["executor_source_days"].default == 30.0
