"""How far a reading is, from the process that reads to whoever waits for it."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from mesh.errors import AssayError
from services.executor.domain.source import DataSource
from services.executor.sources.disposable import telling
from services.executor.sources.disposable.pool import _answer
from services.executor.sources.disposable.telling import tell
from services.executor.sources.library import SourceLibrary
from services.executor.sources.underway import ReadingsUnderWay
from services.executor.sources.watch import ReadingWatch, watched


def test_what_a_process_tells_comes_before_what_it_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "_channels", [])
    heard: list[dict[str, Any]] = []
    ours, theirs = socket.socketpair()
    with ours, theirs:
        telling.through(theirs)
        tell({"rows": 1})
        tell({"rows": 2})
        theirs.sendall(b'{"done": 7}\n')
        later = time.monotonic() + 60
        assert _answer(ours, later, threading.Event(), heard.append) == {"done": 7}
    assert heard == [{"rows": 1}, {"rows": 2}]


def test_a_watch_counts_rows_and_bytes_over_files_and_never_back() -> None:
    watch = ReadingWatch(size=300, files=2)
    watch.begin(100)
    watch.seen(50.0)
    assert watch.to_json() == {"rows": 0, "of_rows": 0, "bytes": 0, "of_bytes": 300}, (
        "not at it yet"
    )
    with watch.copying(1_000):
        watch.seen(50.0)
        watch.seen(20.0)
        assert watch.to_json()["rows"] == 500, "a second try of the same rows tells nothing less"
        watch.seen(-1.0)
    assert watch.to_json() == {"rows": 1_000, "of_rows": 0, "bytes": 100, "of_bytes": 300}
    watch.begin(200)
    with watch.copying(4_000):
        watch.seen(25.0)
        assert watch.to_json() == {"rows": 2_000, "of_rows": 0, "bytes": 150, "of_bytes": 300}


def test_a_reading_is_told_of_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.executor.sources.watch._SECONDS", 0.001)
    enough = threading.Event()
    heard: list[dict[str, Any]] = []

    def hear(update: dict[str, Any]) -> None:
        heard.append(update)
        enough.set()

    watch = ReadingWatch(size=100)
    watch.begin(100)
    with watched(watch, lambda: 40.0, hear), watch.copying(10):
        assert enough.wait(5)
    assert heard[0]["of_bytes"] == 100
    assert heard[-1]["bytes"] == 100, "all of it"
    assert all(thread.name != "progress" for thread in threading.enumerate()), "it has ended"


def test_whoever_names_the_source_hears_how_far_it_is() -> None:
    seconds = iter((10.0, 12.5))
    under_way = ReadingsUnderWay(lambda: next(seconds))
    mine, other = DataSource(file_path="a.csv"), DataSource(file_path="b.csv")
    with under_way.reading(mine) as told:
        told({"rows": 5, "of_rows": 10, "bytes": 50, "of_bytes": 100})
        assert under_way.of([other]) == []
        (found,) = under_way.of([other, mine])
        assert (found.label, found.rows, found.of_rows, found.seconds) == ("a.csv", 5, 10, 2.5)
    assert under_way.of([mine]) == []


def test_the_library_tells_of_the_reading_it_waits_for(tmp_path: Path) -> None:
    file = tmp_path / "sales.csv"
    file.write_text("a,b\n1,2\n")
    seen: list[Any] = []

    class Processes:
        def run(self, job: dict[str, Any], **given: Any) -> dict[str, Any]:
            given["told"]({"rows": 1, "of_rows": 1, "bytes": 8, "of_bytes": 8})
            seen.extend(library.under_way.of([source]))
            return {"refused": ["SOURCE_EMPTY", "nothing", "", {}, {}]}

    library = SourceLibrary(tmp_path / "home", processes=Processes())  # type: ignore[arg-type]
    source = DataSource(file_path=str(file))
    with pytest.raises(AssayError):
        library.open(source)
    assert [(one.rows, one.of_bytes) for one in seen] == [(1, 8)]
