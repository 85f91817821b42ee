"""Traces are kept as long as the settings say, and as many bytes of them, and no longer."""

from __future__ import annotations

import os
from pathlib import Path

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from mesh.telemetry.trace_files import DAY_SECONDS, file_exporter, remove_beyond, remove_old

NOW = 2_000_000_000.0


def trace(folder: Path, number: int, days_old: float) -> Path:
    path = folder / f"{number:032x}.jsonl"
    path.write_text("{}\n")
    os.utime(path, (NOW - days_old * DAY_SECONDS,) * 2)
    return path


def test_old_traces_go_once_a_day_and_nothing_else_does(tmp_path: Path) -> None:
    old, young = trace(tmp_path, 1, 31), trace(tmp_path, 2, 29)
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    os.utime(other, (0, 0))
    assert remove_old(tmp_path, 30, NOW) == 1
    assert not old.exists()
    assert young.exists()
    assert other.exists()

    late = trace(tmp_path, 3, 31)
    os.utime(tmp_path / ".swept", (NOW, NOW))
    assert remove_old(tmp_path, 30, NOW + DAY_SECONDS / 2) == 0
    assert remove_old(tmp_path, 30, NOW + DAY_SECONDS) == 1
    assert not late.exists()


def test_beyond_so_many_bytes_the_oldest_traces_go_first(tmp_path: Path) -> None:
    middle, oldest, newest = (trace(tmp_path, n, days) for n, days in enumerate((2, 3, 1)))
    other = tmp_path / "notes.txt"
    other.write_text("mine" * 100)
    size = newest.stat().st_size
    assert remove_beyond(tmp_path, 3 * size) == 0
    assert remove_beyond(tmp_path, 2 * size) == 1
    assert not oldest.exists()
    assert remove_beyond(tmp_path, 2 * size - 1) == 1
    assert not middle.exists()
    assert newest.exists()
    assert other.exists()


def told(folder: Path, spans: int, keep_bytes: int) -> list[int]:
    """How many bytes of traces there were after each of so many requests."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(file_exporter(folder, keep_bytes=keep_bytes)))
    tracer = provider.get_tracer("test")
    sizes = []
    for _ in range(spans):
        with tracer.start_as_current_span("ask"):
            pass
        sizes.append(sum(path.stat().st_size for path in folder.glob("*.jsonl")))
    provider.shutdown()
    return sizes


def test_a_process_that_is_asked_on_and_on_leaves_no_more_than_that(tmp_path: Path) -> None:
    most = 20_000
    sizes = told(tmp_path / "some", 200, most)
    assert max(sizes) <= most
    assert sizes[-1] > most / 2, "no more go than have to"
    assert sizes[-1] < sum(told(tmp_path / "all", 200, 0)[-1:]), "0 is no limit"


def test_what_is_too_much_already_goes_when_a_process_begins(tmp_path: Path) -> None:
    old = trace(tmp_path, 1, 1)
    old.write_text("x" * 5_000)
    told(tmp_path, 1, 4_000)
    assert not old.exists()
