"""The mesh in the background, as people meet it: started by the first command, found by others.

Each test starts processes, since their beginnings and ends are what is asked about; all are light,
and those that one mesh can serve share it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from clients.python.background.using import USERS
from clients.python.owning import LOCK
from mesh.testing.small_disk import small_disk
from tests.busy import allowing
from tests.serving import COMMAND, Ran

Command = Callable[..., Ran]


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Command]:
    """Runs `assay` with a home of its own whose mesh serves in the background; none is left."""
    home = tmp_path / "home"

    def run(*arguments: object, **surroundings: str) -> Ran:
        done = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=allowing(120),
            check=False,
            env={**os.environ, "ASSAY_HOME": str(home), "ASSAY_BACKGROUND": "1", **surroundings},
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    yield run
    run("down")
    assert left_of(home) == []


def left_of(home: Path) -> list[psutil.Process]:
    """What serves a home, with all that it started."""
    return [
        process
        for process in psutil.process_iter(["environ"])
        if (process.info["environ"] or {}).get("ASSAY_HOME") == str(home)
    ]


def mesh(at: Command, **surroundings: str) -> dict[str, Any]:
    """The mesh that serves, as `assay status` tells it."""
    found: dict[str, Any] = at("status", "--json", **surroundings).json["mesh"]
    return found


def ended(pid: int) -> bool:
    try:
        psutil.Process(pid).wait(allowing(30))
    except psutil.NoSuchProcess:
        return True
    return not psutil.pid_exists(pid)


def test_the_first_command_starts_it_and_later_ones_find_it(at: Command, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("region,amount\nnorth,1\nsouth,2\n")
    assert at("status").out.startswith("mesh        none runs\n")

    asked = at("ask", "total amount by region", "--data", tmp_path / "sales.csv", "--json")
    assert asked.json["table"]["records"] == [
        {"region": "south", "total amount": 2},
        {"region": "north", "total amount": 1},
    ]
    first = mesh(at)
    assert first["kind"] == "background" and first["answers"] and first["fits"]
    listed = at("jobs", "--json").json["jobs"]
    assert [job["job"] for job in listed] == [asked.json["job"]]
    assert mesh(at)["pid"] == first["pid"]
    assert "ends after 15 min" in at("status").out

    stopped = at("down")
    assert stopped.code == 0 and stopped.out.startswith(f"stopped     pid {first['pid']}")
    assert ended(first["pid"])
    assert at("down").out.startswith("mesh        none runs")


def test_commands_at_the_same_moment_start_one(at: Command) -> None:
    with ThreadPoolExecutor(4) as several:
        ran = list(several.map(lambda _: at("jobs", "--json"), range(4)))
    assert [each.code for each in ran] == [0, 0, 0, 0]
    assert len(psutil.Process(mesh(at)["pid"]).children()) == 0  # nothing was asked that needs one
    assert len(left_of(Path(at("status", "--json").json["home"]))) == 1


def test_it_ends_by_itself_when_nobody_has_used_it_for_a_while(at: Command) -> None:
    shortly = {"ASSAY_IDLE_MINUTES": "0.01"}
    assert at("jobs", **shortly).code == 0
    found = mesh(at, **shortly)
    assert found is None or ended(found["pid"])
    assert at("status", "--json").json["mesh"] is None


def test_it_stays_while_a_conversation_is_open(at: Command, tmp_path: Path) -> None:
    shortly = {"ASSAY_IDLE_MINUTES": "0.01"}
    (tmp_path / "sales.csv").write_text("region,amount\nnorth,1\nsouth,2\n")
    talking = subprocess.Popen(
        [*COMMAND, "chat", "--data", str(tmp_path / "sales.csv")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            **shortly,
            "ASSAY_HOME": str(tmp_path / "home"),
            "ASSAY_BACKGROUND": "1",
        },
    )
    assert talking.stdin is not None and talking.stdout is not None
    talking.stdin.write("total amount by region\n")
    talking.stdin.flush()
    assert any("proof" in line for line in talking.stdout)
    pid = mesh(at, **shortly)["pid"]
    with pytest.raises(psutil.TimeoutExpired):
        psutil.Process(pid).wait(2)  # longer than it would stay without users
    said, _ = talking.communicate("only north\n", timeout=allowing(60))
    assert "north" in said and talking.returncode == 0
    assert ended(pid)


def test_other_settings_are_another_mesh(at: Command) -> None:
    assert at("jobs").code == 0
    first = mesh(at)["pid"]
    assert not mesh(at, ASSAY_TRACE_DAYS="3")["fits"]
    assert at("jobs", ASSAY_TRACE_DAYS="3").code == 0
    assert ended(first)
    assert mesh(at, ASSAY_TRACE_DAYS="3")["fits"]


def test_a_server_takes_its_place(at: Command, tmp_path: Path) -> None:
    assert at("jobs").code == 0
    first = mesh(at)["pid"]
    command = [
        *COMMAND,
        "up",
        "--console",
        "",
        "--home",
        str(tmp_path / "home"),
        "--listen",
        "127.0.0.1:0",
    ]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("listening")
        assert ended(first)
        assert at("jobs").code == 0
        assert mesh(at)["kind"] == "up"
        assert at("down").code == 0
        assert server.wait(allowing(30)) == 0


def test_one_that_was_killed_leaves_nothing_and_the_next_command_starts_another(
    at: Command, tmp_path: Path
) -> None:
    (tmp_path / "sales.csv").write_text("region,amount\nnorth,1\nsouth,2\n")
    assert at("ask", "total amount by region", "--data", tmp_path / "sales.csv").code == 0
    home = tmp_path / "home"
    family = left_of(home)
    assert len(family) > 2  # the executor has a process of its own, with its own
    os.kill(mesh(at)["pid"], signal.SIGKILL)
    _, alive = psutil.wait_procs(family, allowing(30))
    assert alive == []
    assert at("status", "--json").json["mesh"] is None
    assert len(at("jobs", "--json").json["jobs"]) == 1


def test_a_question_under_way_is_answered_though_the_mesh_is_killed(
    at: Command, tmp_path: Path
) -> None:
    (tmp_path / "sales.csv").write_text("region,amount\nnorth,1\nsouth,2\n")
    assert at("jobs").code == 0
    first = mesh(at)["pid"]
    question = ["ask", "total amount by region", "--data", str(tmp_path / "sales.csv")]
    asking = subprocess.Popen(
        [*COMMAND, *question, "--timeout", "150"],
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "ASSAY_HOME": str(tmp_path / "home"),
            "ASSAY_BACKGROUND": "1",
            "PYTHONUNBUFFERED": "1",
        },
    )
    assert asking.stdout is not None
    assert asking.stdout.readline().startswith("understood")
    os.kill(first, signal.SIGKILL)
    said, _ = asking.communicate(timeout=allowing(240))
    assert asking.returncode == 0 and "south" in said and "chain and tree valid" in said
    assert mesh(at)["pid"] != first


def test_an_executor_that_was_killed_is_started_again(at: Command, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("region,amount\nnorth,1\nsouth,2\n")
    asking = ("ask", "total amount by region", "--data", tmp_path / "sales.csv", "--json")
    assert at(*asking).code == 0
    found = mesh(at)["pid"]
    executor = next(
        child for child in psutil.Process(found).children() if child.name() == "assay-executor"
    )
    held = {Path(entry.path).name for entry in executor.open_files()}
    assert held & {LOCK, USERS} == set(), "it would keep the home from a next mesh"
    executor.kill()
    assert at(*asking).code == 0
    assert mesh(at)["pid"] == found


def test_what_keeps_it_from_starting_is_told_by_the_command(at: Command) -> None:
    ran = at("jobs", ASSAY_TRACE_DAYS="-3")
    assert ran.code == 2
    assert "ASSAY_TRACE_DAYS: must be greater than 0" in " ".join(ran.err.split())
    assert at("jobs", ASSAY_IDLE_MINUTES="soon").code == 2
    assert at("jobs", ASSAY_BACKGROUND="perhaps").code == 2


def test_on_a_full_disk_the_command_says_so(at: Command, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 1 << 20) as disk:
        disk.fill()
        ran = at("jobs", "--home", disk.folder)
    assert ran.code == 4
    assert "DISK_FULL" in ran.err and "Traceback" not in ran.err


def test_without_it_a_command_leaves_nothing_running(at: Command, tmp_path: Path) -> None:
    assert at("jobs", ASSAY_BACKGROUND="0").code == 0
    assert left_of(tmp_path / "home") == []
    assert json.loads(at("status", "--json").out)["mesh"] is None
