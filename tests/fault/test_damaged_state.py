"""Every kind of file below a home, damaged in every way: the next command says which, or does not
need it. None shows a traceback or what a library said."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from clients.python.cli.main import run
from mesh.errors import INTERNAL, REASONS, ExitCode
from tests.commands import command as prepared
from tests.thorough import THOROUGH

VERIFY, ASK, TRACE = "verify", "ask", "trace"
# Each kind of file, and a command that needs it.
KINDS = {
    "artifacts/*/*/*": VERIFY,
    "audit/checkpoints/checkpoint": VERIFY,
    "audit/checkpoints/log.vkey": VERIFY,
    "audit/checkpoints/published/*": VERIFY,
    "audit/log/cache/index.sqlite": VERIFY,
    "audit/log/cache/nodes": VERIFY,
    "audit/log/entries/*.log": VERIFY,
    "audit/log/lock": VERIFY,
    "audit/signing.key": VERIFY,
    "executor/calls/*/*.binpb": VERIFY,
    "executor/executor.sqlite": VERIFY,
    "executor/frames/*/*.arrow": VERIFY,
    "executor/sources/*/*.parquet": ASK,
    "executor/sources/*/manifest.json": ASK,
    "executor/sources/*/manifest.sha256": ASK,
    "executor/sources/*/tables.duckdb": ASK,
    "executor/tickets.key": VERIFY,
    "gateway/gateway.sqlite": VERIFY,
    "memory/recipes/edge_config.json": ASK,
    "mesh.key": VERIFY,
    "mesh.lock": VERIFY,
    "planner/planner.sqlite": VERIFY,
    "traces/*.jsonl": TRACE,
}
# Measured beside an answer, where there was time; a damaged one is measured anew
# (tests/unit/executor/test_facts.py).
BESIDE = ("executor/sources/*/facts-*.json",)
# Emptied, a database is a new one and a trace has no spans: what was in them is not known any more.
FORGETS = {"executor/executor.sqlite", "planner/planner.sqlite", "traces/*.jsonl"}
LIBRARY_TEXT = re.compile(
    r"Traceback|sqlite3\.|sqlalche|malformed|\[Errno|codec can't|json\.decoder|Error:"
)


def cut_to_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flip_in_the_middle(path: Path) -> None:
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 64] = bytes(byte ^ 0xFF for byte in content[middle : middle + 64])
    path.write_bytes(content)


def make_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def make_empty(path: Path) -> None:
    os.truncate(path, 0)


@dataclass
class Home:
    """A home as one question left it."""

    folder: Path
    data: Path
    job_id: str

    def arguments(self, command: str) -> list[str]:
        if command == ASK:
            return [ASK, "total amount per region", "--data", str(self.data)]
        return [command, self.job_id]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("made")
    data = folder / "sales.csv"
    data.write_text("region,amount\nnorth,1\nsouth,2\n")
    home = Home(folder / "home", data, "")
    asked = [*home.arguments(ASK), "--home", str(home.folder)]
    # A process of its own: this one writes no traces.
    subprocess.run([*prepared("mesh"), *asked], check=True, capture_output=True)
    (trace,) = (home.folder / "artifacts" / "tables").iterdir()
    home.job_id = trace.name
    return home


@pytest.fixture(autouse=True)
def the_log_of_each_command_is_its_own() -> Iterator[None]:
    root = logging.getLogger()
    before, level, telling = list(root.handlers), root.level, logging.raiseExceptions
    yield
    root.handlers[:], logging.raiseExceptions = before, telling
    root.setLevel(level)


def test_every_kind_of_file_in_a_home_is_among_these(made: Home) -> None:
    known = {path for kind in (*KINDS, *BESIDE) for path in made.folder.glob(kind)}
    own = made.folder / "memory"  # a process beside memory reads these; jobs do without
    files = {path for path in made.folder.rglob("*") if path.is_file()}
    files.discard(made.folder / "executor" / "masking.key")  # read only where cells are masked
    files.discard(made.folder / "assay.log")  # written for people, and never read
    files.discard(made.folder / "mesh.users")  # empty: that it is held alone counts
    files.discard(made.folder / "traces" / ".swept")  # empty: its time alone counts
    assert {path for path in files - known if own not in path.parents} == set()
    assert all(any(made.folder.glob(kind)) for kind in KINDS)


@pytest.mark.parametrize("kind", ["executor/calls/*/*.binpb", "executor/sources/*/*.parquet"])
def test_flipped_bits_of_recorded_calls_and_sources_are_named_by_verify(
    made: Home, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    shutil.copytree(made.folder, home, ignore=shutil.ignore_patterns("*.mmap", "page_0.dat"))
    flip_in_the_middle(min(home.glob(kind)))
    capsys.readouterr()
    code = run([*made.arguments(VERIFY), "--home", str(home)])
    said = "".join(capsys.readouterr())
    assert code != ExitCode.ANSWERED
    assert "not as it was" in said  # the rest may be on a line of its own


DAMAGES = (cut_to_half, flip_in_the_middle, make_a_folder, make_empty)
# Of every kind of file every second damage, of the next kind the others; all where thorough.
CHOSEN = [
    (kind, damage)
    for place, kind in enumerate(KINDS)
    for number, damage in enumerate(DAMAGES)
    if THOROUGH or (place + number) % 2 == 0
]


@pytest.mark.parametrize(("kind", "damage"), CHOSEN, ids=lambda of: getattr(of, "__name__", of))
def test_a_damaged_file_is_named_or_not_needed(
    made: Home,
    kind: str,
    damage: Callable[[Path], None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home = tmp_path / "home"
    shutil.copytree(made.folder, home, ignore=shutil.ignore_patterns("*.mmap", "page_0.dat"))
    path = min(home.glob(kind))
    damage(path)
    capsys.readouterr()
    code = run([*made.arguments(KINDS[kind]), "--home", str(home)])
    said = "".join(capsys.readouterr())
    assert not LIBRARY_TEXT.search(said), said
    if code == ExitCode.ANSWERED:
        return
    together = re.sub(r"\s", "", said)
    assert any(reason in said for reason in REASONS.keys() - {INTERNAL.code}) or "WRONG" in said
    assert INTERNAL.code not in said
    if kind in FORGETS and damage is make_empty:
        return
    assert any(name in together for name in (str(path), str(path.parent), path.stem[:8])), said
