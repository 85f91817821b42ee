"""Foreign code tries to get out. Each attempt must be refused, or find nothing."""

from __future__ import annotations

import os
import socket
import textwrap

import pytest

from mesh.tool import PythonRun, ToolError
from tests.sandbox.conftest import Run
from tests.sandbox.escapes import PREFACE, REFUSED


@pytest.mark.parametrize("attempt", REFUSED)
def test_an_attempt_to_get_out_is_refused(attempt: str, run: Run) -> None:
    given: PythonRun | None = None
    with pytest.raises(ToolError) as refused:
        given = run(PREFACE + textwrap.dedent(REFUSED[attempt]))

    assert given is None
    assert refused.value.details.get("error") in {
        "PermissionError",
        "FileNotFoundError",
        "OSError",
        "URLError",
        "gaierror",
        "ImportError",
        "ModuleNotFoundError",
        "ValueError",  # raising a hard limit
    }, refused.value


def test_its_environment_holds_nothing_of_the_executors(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_SECRET", "hunter2")

    given = run("import os; result = {'names': ' '.join(sorted(os.environ))}")

    assert given.frame is not None
    names = given.frame["names"][0].as_py().split()
    assert not [n for n in names if "ASSAY" in n or "KEY" in n or "TOKEN" in n or n == "PATH"]


def test_it_holds_no_file_but_its_own(run: Run) -> None:
    code = """
import os
found = []
for number in range(200):
    try:
        found.append((number, os.fstat(number).st_mode & 0o170000))
    except OSError:
        pass
result = [{"number": n, "socket": mode == 0o140000} for n, mode in found]
"""
    given = run(code)

    assert given.frame is not None
    assert not any(given.frame["socket"].to_pylist())
    assert given.frame["number"].to_pylist() == [0, 1, 2, 3]


def test_it_cannot_reach_a_server_of_this_machine(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(ToolError, match="PermissionError"):
            run(f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)")


def test_it_is_another_user_with_no_rights(run: Run, way: str) -> None:
    if os.geteuid() != 0 and way == "landlock":
        pytest.skip("only root can change its user without namespaces")

    given = run("import os; result = {'user': os.getuid(), 'group': os.getgid()}")

    assert given.frame is not None
    (row,) = given.frame.to_pylist()
    if os.geteuid() != 0:
        assert row == {"user": 65534, "group": 65534}  # in a user namespace of its own
    else:
        assert row["user"] == row["group"] >= 0x40000000


def test_what_one_run_left_behind_the_next_does_not_find(run: Run, way: str) -> None:
    leave = "import builtins, pandas, os\nbuiltins.left = pandas.left = 1\n"
    if way == "bubblewrap":
        leave += "open(os.environ['TMPDIR'] + '/left', 'w').write('here')\n"
    run(leave + "result = 1")

    given = run(
        "import builtins, os, pandas\n"
        "result = {'names': hasattr(builtins, 'left') or hasattr(pandas, 'left'),\n"
        "          'file': os.path.exists(os.environ['TMPDIR'] + '/left')}"
    )

    assert given.frame is not None
    assert given.frame.to_pylist() == [{"names": False, "file": False}]


OTHER_NUMBERS = {
    "x32": "ctypes.CDLL(None).syscall(0x40000000 + 41, 2, 1, 0); result = 'called'",
    "32 bits": """
import mmap
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes.fromhex("b814000000cd80c3"))  # getpid of i386
result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
""",
}


@pytest.mark.parametrize("numbers", OTHER_NUMBERS)
def test_a_call_by_the_numbers_of_another_architecture_ends_it(numbers: str, run: Run) -> None:
    """The list of system calls is of one architecture; in others the numbers mean other things."""
    with pytest.raises(ToolError, match=r"ended its interpreter \(signal (31|11)\)"):
        run("import ctypes\n" + OTHER_NUMBERS[numbers])


def test_it_cannot_change_the_frames_it_was_given(run: Run) -> None:
    attempts = ("os.write(5, b'x' * 4096)", "os.ftruncate(5, 0)", "mmap.mmap(5, 8)[0:1] = b'x'")
    for attempt in attempts:
        with pytest.raises(ToolError, match="PermissionError"):
            run(f"import mmap, os\n{attempt}\nresult = 'changed'", sales={"n": [1, 2]})


def test_it_yields_to_everybody_else(run: Run) -> None:
    given = run("import os; result = os.getpriority(os.PRIO_PROCESS, 0)")

    assert given.frame is not None
    assert given.frame.to_pylist() == [{"value": 15}]
