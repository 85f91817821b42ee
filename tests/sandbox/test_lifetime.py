"""Sandboxes end with the executor, are tested before use, and are replaced when lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.sandbox import selftest
from services.executor.sandbox.isolation import WAYS, CannotIsolate, Launch
from services.executor.sandbox.limits import SandboxLimits
from services.executor.sandbox.pool import SandboxPool
from services.executor.sandbox.runner import PythonSandbox
from services.executor.sandbox.slot import Slot
from tests.sandbox.conftest import LIMITS, sandbox_of

EXECUTOR = """
import sys, threading
from services.executor.sandbox.runner import PythonSandbox
from tests.sandbox.conftest import sandbox_of
sandbox = sandbox_of(sys.argv[1])
sandbox.run("result = 1", {}, 60, threading.Event())
print("ready", flush=True)
sandbox.run("while True: pass", {}, 60, threading.Event())
"""


@pytest.mark.parametrize("way", WAYS)
def test_a_killed_executor_leaves_no_sandbox_behind(way: str) -> None:
    sandbox_of(way).close()
    executor = subprocess.Popen(
        [sys.executable, "-c", EXECUTOR, way], stdout=subprocess.PIPE, text=True
    )
    assert executor.stdout is not None
    assert executor.stdout.readline() == "ready\n"
    family = busy(psutil.Process(executor.pid))

    os.kill(executor.pid, signal.SIGKILL)
    executor.wait()
    executor.stdout.close()

    _, alive = psutil.wait_procs(family, timeout=5)
    assert [p for p in alive if p.status() != psutil.STATUS_ZOMBIE] == []


def busy(executor: psutil.Process) -> list[psutil.Process]:
    """The executor's descendants, once the run itself is among them."""
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        family = executor.children(recursive=True)
        if any(child.cpu_percent(0.1) > 20 for child in family[1:]):
            return family
    raise AssertionError("the run did not begin")


def test_closing_ends_every_sandbox() -> None:
    sandbox = sandbox_of("landlock")
    before = set(psutil.Process().children(recursive=True))
    sandbox.run("result = 1", {}, 60, threading.Event())
    started = set(psutil.Process().children(recursive=True)) - before
    assert started

    sandbox.close()

    _, alive = psutil.wait_procs(list(started), timeout=5)
    assert alive == []


def test_a_sandbox_that_was_killed_is_replaced() -> None:
    sandbox = sandbox_of("landlock")
    before = set(psutil.Process().children(recursive=True))
    sandbox.run("result = 1", {}, 60, threading.Event())
    (zygote,) = set(psutil.Process().children()) - before
    zygote.kill()

    with pytest.raises(ToolError) as lost:
        sandbox.run("result = 1", {}, 60, threading.Event())
    assert lost.value.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert sandbox.run("result = 1", {}, 60, threading.Event()).frame is not None
    sandbox.close()


def test_two_runs_at_once_have_a_sandbox_each_and_a_third_waits() -> None:
    sandbox = sandbox_of("landlock", size=2)
    answers: list[object] = []

    def run() -> None:
        code = "import time; time.sleep(0.2); result = 1"
        answers.append(sandbox.run(code, {}, 60, threading.Event()).frame)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sandbox.close()

    assert len(answers) == 3
    assert None not in answers


def nowhere(control: int, limits: SandboxLimits) -> Launch:
    raise CannotIsolate("it is not installed")


def unprotected(control: int, limits: SandboxLimits) -> Launch:
    """As landlock does it, with a filter of system calls that allows everything."""
    launch = WAYS["landlock"](control, limits)
    allow_all = "BgAAAAAA/38="
    *words, around = launch.command
    start = around.index('"filter": "') + len('"filter": "')
    end = around.index('"', start)
    return Launch((*words, around[:start] + allow_all + around[end:]), launch.environment)


def refusal(**ways: object) -> ToolError:
    sandbox = sandbox_of("landlock")
    sandbox.pool = SandboxPool(LIMITS, selftest.breaches, 1, ways)  # type: ignore[arg-type]
    with pytest.raises(ToolError) as refused:
        sandbox.run("result = 1", {}, 60, threading.Event())
    sandbox.close()
    return refused.value


def test_where_nothing_isolates_no_code_is_run() -> None:
    error = refusal(bubblewrap=nowhere)

    assert error.details["reason"] == "SANDBOX_UNAVAILABLE"
    assert "bubblewrap: it is not installed" in error.message
    assert "landlock" in error.hint


def test_a_sandbox_with_a_hole_is_found_out_and_not_used() -> None:
    error = refusal(leaky=unprotected)

    assert error.details["reason"] == "SANDBOX_UNAVAILABLE"
    assert "it can open a socket" in error.message
    assert "it can start a process" in error.message


def test_the_next_way_is_tried_where_the_first_does_not_hold() -> None:
    sandbox = sandbox_of("landlock")
    sandbox.pool = SandboxPool(
        LIMITS, selftest.breaches, 1, {"leaky": unprotected, "landlock": WAYS["landlock"]}
    )

    assert sandbox.run("result = 1", {}, 60, threading.Event()).frame is not None
    assert sandbox.pool.isolation == "landlock"
    sandbox.close()


def test_a_test_that_gives_no_answer_is_no_pass() -> None:
    def silent(slot: Slot, limits: SandboxLimits) -> list[str]:
        return ["the self-test gave no answer"]

    sandbox: PythonSandbox = sandbox_of("landlock")
    sandbox.pool = SandboxPool(LIMITS, silent, 1, {"landlock": WAYS["landlock"]})

    with pytest.raises(ToolError, match="gave no answer"):
        sandbox.run("result = 1", {}, 60, threading.Event())
    sandbox.close()
