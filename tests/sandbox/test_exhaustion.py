"""Foreign code tries to use up the machine. Each attempt ends at its limit; the next run works."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import psutil
import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.sandbox.runner import PythonSandbox
from tests.busy import allowing
from tests.sandbox.conftest import LIMITS, Run

BOMBS = {
    "a memory bomb": "x = []\nwhile True: x.append(bytearray(1 << 20))",
    "one great allocation": "x = bytearray(1 << 40)",
    "a table beyond memory": "result = pd.DataFrame(np.zeros((1 << 20, 1 << 12)))",
    "a disk bomb": """
import os
for number in range(10_000):
    open(os.environ["TMPDIR"] + f"/{number}", "wb").write(bytes(1 << 20))
""",
    "one great file": """
import os
with open(os.environ["TMPDIR"] + "/big", "wb") as file:
    while True: file.write(bytes(1 << 20))
""",
    "too many small files": """
import os
for number in range(100_000): open(os.environ["TMPDIR"] + f"/{number}", "w").close()
""",
    "too many open files": "files = []\nwhile True: files.append(open('/dev/null'))",
    "too many pipes": "import os\npipes = []\nwhile True: pipes.append(os.pipe())",
    "a fork bomb": "import os\nwhile True: os.fork()",
    "a thread bomb": """
import threading
stop = threading.Event()
while True: threading.Thread(target=stop.wait, daemon=True).start()
""",
    "shared memory of no file": """
import os
while True: os.write(os.memfd_create("x"), bytes(1 << 20))
""",
    "endless recursion": "def f(): return f()\nf()",
    "a huge result": "result = pd.DataFrame({'x': np.zeros(6_000_000)})",
    "a reply written past its end": """
import os
while True: os.write(3, bytes(1 << 20))
""",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_ends_at_its_limit_and_the_next_run_works(bomb: str, run: Run) -> None:
    with pytest.raises(ToolError) as ended:
        run(BOMBS[bomb])

    assert ended.value.category in (
        ErrorCategory.RESOURCE_EXHAUSTED,
        ErrorCategory.INVALID_ARGUMENTS,
    )
    assert run("result = 1").frame is not None


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import signal\nfor n in range(1, 65):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"
        "while True: pass",
        "import time\nwhile True:\n    try: time.sleep(60)\n    except BaseException: pass",
        "import re; re.match(r'(a+)+$', 'a' * 60 + 'b')",
        "x = 10 ** 10 ** 10",
        "import threading\nthreading.Thread(target=threading.Event().wait).start()\nwhile 1: pass",
    ],
    ids=["loop", "ignores signals", "sleeps", "regular expression", "great number", "thread"],
)
def test_what_does_not_end_is_ended(code: str, run: Run) -> None:
    run("result = 1")
    started = time.monotonic()
    with pytest.raises(ToolError) as ended:
        run(code, seconds=1)

    assert ended.value.category in (
        ErrorCategory.RESOURCE_EXHAUSTED,
        ErrorCategory.INVALID_ARGUMENTS,  # where there are no threads
    )
    assert time.monotonic() - started < allowing(10)


def test_a_thread_left_running_does_not_hold_the_result_up(run: Run) -> None:
    run("result = 1", seconds=60)  # it has started
    code = "try:\n    import threading; threading.Thread(target=threading.Event().wait).start()\n"
    given = run(code + "except RuntimeError: pass\nresult = 1", seconds=10)

    assert given.frame is not None


def test_of_a_flood_of_output_the_first_part_is_kept(run: Run) -> None:
    given = run("for _ in range(200_000): print('x' * 100)\nresult = 1")

    assert len(given.printed) < LIMITS.printed_bytes + 100
    assert given.printed.endswith("left out")


def test_cancelling_ends_a_run_within_two_seconds(sandbox: PythonSandbox) -> None:
    sandbox.run("result = 1", {}, 60, threading.Event())
    cancelled = threading.Event()
    timer = threading.Timer(0.3, cancelled.set)
    timer.start()
    started = time.monotonic()
    with pytest.raises(ToolError) as ended:
        sandbox.run("while True: pass", {}, 20, cancelled)

    assert ended.value.category is ErrorCategory.CANCELLED
    assert time.monotonic() - started < allowing(2.3)


@pytest.fixture
def memory_before() -> Iterator[int]:
    yield psutil.Process().memory_info().rss


def test_bombs_do_not_grow_the_executor(run: Run, memory_before: int) -> None:
    for bomb in ("a memory bomb", "a huge result", "a reply written past its end"):
        with pytest.raises(ToolError):
            run(BOMBS[bomb])

    assert psutil.Process().memory_info().rss - memory_before < 100 << 20
