"""Files that break off, are damaged, or bite their reader: failure case 11."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from mesh.errors import (
    CANCELLED,
    SOURCE_NOT_READABLE,
    AssayError,
)
from services.executor.domain.source import DataSource
from services.executor.sources.disposable.pool import Crashed, DisposableProcesses, Stopped
from services.executor.sources.disposable.protocol import Limits
from services.executor.sources.library import SourceLibrary
from tests.busy import allowing
from tests.security.file_help import (
    MAKERS,
    csv_text,
    opened,
    settle,
)
from tests.thorough import times


@pytest.mark.parametrize("name", MAKERS)
def test_sound_files_are_read(library: SourceLibrary, tmp_path: Path, name: str) -> None:
    assert settle(library, tmp_path / name, MAKERS[name]()) == "read"


@pytest.mark.parametrize("name", MAKERS)
def test_files_that_break_off_anywhere_end_in_an_answer(
    library: SourceLibrary, tmp_path: Path, name: str
) -> None:
    content = MAKERS[name]()
    chance = random.Random(f"truncated {name}")
    cuts = {1, 4, 8, 12, len(content) - 1, len(content) - 4, len(content) - 8}
    cuts |= {chance.randrange(1, len(content)) for _ in range(times(3, 9))}
    for cut in sorted(cuts):
        settle(library, tmp_path / name, content[:cut])
    assert settle(library, tmp_path / name, content) == "read"


@pytest.mark.parametrize("name", MAKERS)
def test_files_with_changed_bytes_end_in_an_answer(
    library: SourceLibrary, tmp_path: Path, name: str
) -> None:
    content = MAKERS[name]()
    chance = random.Random(f"mutated {name}")
    for _ in range(int(os.environ.get("ASSAY_MUTATIONS", times(8, 25)))):
        changed = bytearray(content)
        for _ in range(chance.choice((1, 2, 8, 64))):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        settle(library, tmp_path / name, bytes(changed))
    assert settle(library, tmp_path / name, content) == "read"


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("t.parquet", "cut", "t.parquet breaks off: a Parquet file ends with its footer"),
        ("t.parquet", "headless", "t.parquet is not Parquet: it does not begin as one"),
        ("t.arrow", "cut", "t.arrow is no sound Arrow file: it breaks off"),
        ("t.arrow", "headless", "t.arrow is not Arrow IPC: it does not begin as one"),
        ("t.xlsx", "cut", "t.xlsx breaks off: a workbook ends with a directory of its parts"),
        ("t.xlsx", "headless", "t.xlsx is not a spreadsheet: it does not begin as one"),
        ("t.sqlite", "cut", "t.sqlite breaks off: it has"),
        ("t.sqlite", "headless", "t.sqlite is not a SQLite database: it does not begin as one"),
        ("t.json", "cut", "t.json is not well-formed JSON: line 1, column"),
        ("t.csv.gz", "cut", "t.csv.gz is damaged or breaks off; it unpacks to"),
        ("t.csv.gz", "headless", "t.csv.gz is named .gz, but does not begin as such a file does"),
        ("t.csv.gz", "text", "t.csv.gz is named .gz, but its content is plain text"),
    ],
)
def test_a_broken_file_is_told_for_what_it_is_with_where_and_what_to_do(
    library: SourceLibrary, tmp_path: Path, name: str, change: str, told: str
) -> None:
    content = MAKERS[name]()
    broken = {"cut": content[:-3], "headless": bytes(64) + content[64:], "text": csv_text()}
    with pytest.raises(AssayError) as caught:
        opened(library, tmp_path / name, broken[change])
    assert caught.value.reason is SOURCE_NOT_READABLE
    assert caught.value.message.startswith(told)
    assert caught.value.hint


@pytest.mark.usefixtures("from_nothing")
def test_a_reader_that_crashes_is_an_answer_and_the_next_one_works() -> None:
    pool = DisposableProcesses(f"{__name__}:crash", Limits(2 << 30, 1 << 20, 60))
    try:
        with pytest.raises(Crashed) as caught:
            pool.run({"how": "signal"}, seconds=20, cancelled=threading.Event())
        assert caught.value.code == -signal.SIGSEGV
        with pytest.raises(Crashed):
            pool.run({"how": "exit"}, seconds=20, cancelled=threading.Event())
        with pytest.raises(RuntimeError, match="MemoryError"):
            pool.run({"how": "memory"}, seconds=20, cancelled=threading.Event())
        assert pool.run({"how": ""}, seconds=20, cancelled=threading.Event()) == {"fine": True}
    finally:
        pool.close()


@pytest.mark.usefixtures("from_nothing")
def test_a_reader_that_hangs_is_killed_in_time_and_when_cancelled() -> None:
    pool = DisposableProcesses(f"{__name__}:crash", Limits(2 << 30, 1 << 20, 60))
    cancelled = threading.Event()
    try:
        with pytest.raises(Stopped) as late:
            pool.run({"how": "hang"}, seconds=1, cancelled=threading.Event())
        assert late.value.late
        threading.Timer(0.2, cancelled.set).start()
        with pytest.raises(Stopped) as stopped:
            pool.run({"how": "hang"}, seconds=60, cancelled=cancelled)
        assert not stopped.value.late
    finally:
        pool.close()


def test_no_reader_outlives_a_service_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import threading\n"
        "from services.executor.sources.disposable.pool import DisposableProcesses\n"
        "from services.executor.sources.disposable.protocol import Limits\n"
        f"pool = DisposableProcesses({__name__ + ':crash'!r}, Limits(2 << 30, 1 << 20, 60))\n"
        f"job = {{'how': 'hang', 'sign': {str(tmp_path / 'sign')!r}}}\n"
        "pool.run(job, seconds=60, cancelled=threading.Event())\n"
    )
    service = subprocess.Popen(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    until = time.monotonic() + allowing(20)
    while not (tmp_path / "sign").exists() or not (tmp_path / "sign").read_text():
        assert time.monotonic() < until
        time.sleep(0.01)
    reader = int((tmp_path / "sign").read_text())
    service.kill()
    service.wait()
    until = time.monotonic() + allowing(5)
    while Path(f"/proc/{reader}").exists():
        assert time.monotonic() < until, "the reader is still there after 5 s"
        time.sleep(0.01)


@pytest.mark.usefixtures("from_nothing")
def test_no_reader_outlives_the_process_that_forked_it(tmp_path: Path) -> None:
    pool = DisposableProcesses(f"{__name__}:crash", Limits(2 << 30, 1 << 20, 60))
    sign = tmp_path / "sign"
    ends: list[BaseException] = []

    def reading() -> None:
        try:
            job = {"how": "hang", "sign": str(sign)}
            pool.run(job, seconds=60, cancelled=threading.Event())
        except Crashed as crashed:
            ends.append(crashed)

    caller = threading.Thread(target=reading)
    caller.start()
    try:
        until = time.monotonic() + allowing(20)
        while not sign.exists() or not sign.read_text():
            assert time.monotonic() < until
            time.sleep(0.01)
        reader = int(sign.read_text())
        server = Path(f"/proc/{reader}/stat").read_text().rpartition(")")[2].split()[1]
        os.kill(int(server), signal.SIGKILL)
        caller.join(allowing(10))
        assert ends, "whoever waits for it is told"
        until = time.monotonic() + allowing(5)
        while Path(f"/proc/{reader}").exists():
            assert time.monotonic() < until, "the reader is still there after 5 s"
            time.sleep(0.01)
    finally:
        pool.close()


def crash(job: dict[str, str]) -> dict[str, bool]:
    """Work that goes wrong as told."""
    if job["how"] == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    if job["how"] == "exit":
        os._exit(3)
    if job["how"] == "memory":
        bytearray(8 << 30)
    if job["how"] == "hang":
        if "sign" in job:
            Path(job["sign"]).write_text(str(os.getpid()))
        threading.Event().wait()
    return {"fine": True}


def test_a_cancelled_reading_leaves_nothing(library: SourceLibrary, tmp_path: Path) -> None:
    cancelled = threading.Event()
    cancelled.set()
    (tmp_path / "t.csv").write_bytes(csv_text())
    with pytest.raises(AssayError) as caught:
        library.open(DataSource(file_path=str(tmp_path / "t.csv")), cancelled)
    assert caught.value.reason is CANCELLED
    assert not list((tmp_path / "home" / "sources").glob("*"))
