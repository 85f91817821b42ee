"""Foreign code tries to get out. Each attempt must be refused, or find nothing.

Every attempt sets `result` only when it got through: what it found must not be there.
"""

from __future__ import annotations

import os
import socket
import textwrap

import pytest

from mesh.tool import PythonRun, ToolError
from tests.sandbox.conftest import Run

REFUSED = {
    "connects to the internet": """
        import socket
        s = socket.create_connection(("1.1.1.1", 80), 2); result = "connected"
    """,
    "asks the cloud's metadata address": """
        import urllib.request
        result = urllib.request.urlopen("http://169.254.169.254/latest/", timeout=2).read()
    """,
    "resolves a name": """
        import socket
        result = str(socket.getaddrinfo("example.com", 80))
    """,
    "sends a datagram": """
        import socket
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"x", ("127.0.0.1", 53))
        result = "sent"
    """,
    "opens a raw socket": """
        import socket
        result = str(socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
    """,
    "opens a netlink socket": """
        import socket
        result = str(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
    """,
    "connects to a unix socket": """
        import socket
        s = socket.socket(socket.AF_UNIX); s.connect("/var/run/docker.sock"); result = "connected"
    """,
    "listens on an abstract socket": """
        import socket
        s = socket.socket(socket.AF_UNIX); s.bind("\\0assay-escape"); result = "bound"
    """,
    "makes a pair of sockets": """
        import socket
        result = str(socket.socketpair())
    """,
    "reads the shadow file": "result = open('/etc/shadow').read()",
    "reads the password file": "result = open('/etc/passwd').read()",
    "lists the root's home": "import os; result = os.listdir('/root')",
    "reads its own environment from proc": "result = open('/proc/self/environ').read()",
    "reads its parent's environment": "result = open(f'/proc/{EXECUTOR}/environ').read()",
    "reads the executor's memory": "result = open(f'/proc/{EXECUTOR}/mem', 'rb').read(1)",
    "lists the processes": "import os; result = [p for p in os.listdir('/proc') if p.isdigit()]",
    "reads the kernel's symbols": "result = open('/proc/kallsyms').read(100)",
    "reads a disk": "result = open('/dev/vda', 'rb').read(1)",
    "reads through a symbolic link": """
        import os, tempfile
        link = tempfile.gettempdir() + "/link"
        os.symlink("/etc/shadow", link); result = open(link).read()
    """,
    "makes a hard link to a library": """
        import os
        os.link(os.__file__, os.environ["TMPDIR"] + "/os.py"); result = "linked"
    """,
    "climbs out of its folder": "result = open('../../../../etc/hostname').read()",
    "writes among the libraries": """
        import numpy
        open(numpy.__file__, "a").write("#"); result = "written"
    """,
    "writes beside the libraries": """
        import os
        open(os.path.dirname(os.__file__) + "/evil.py", "w").write(""); result = "written"
    """,
    "writes to the temporary folder of all": "open('/tmp/evil', 'w'); result = 'written'",
    "writes to shared memory": "open('/dev/shm/evil', 'w'); result = 'written'",
    "traces its parent": "libc(libc_.ptrace(16, os.getppid(), 0, 0)); result = 'attached'",
    "traces itself": "libc(libc_.ptrace(0, 0, 0, 0)); result = 'traced'",
    "reads memory of its parent": """
        buffer = ctypes.create_string_buffer(8)
        vector = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), 8)
        libc(libc_.process_vm_readv(os.getppid(), vector, 1, vector, 1, 0)); result = "read"
    """,
    "mounts": "libc(libc_.mount(b'none', b'/tmp', b'tmpfs', 0, None)); result = 'mounted'",
    "unmounts": "libc(libc_.umount2(b'/', 2)); result = 'unmounted'",
    "changes its root": "os.chroot('.'); result = 'changed'",
    "becomes root": "os.setuid(0); result = os.getuid()",
    "makes a setuid program": """
        place = os.environ["TMPDIR"] + "/su"
        open(place, "wb").write(b"#!/bin/sh"); os.chmod(place, 0o4755); os.execv(place, ["su"])
    """,
    "nests a user namespace": "libc(libc_.unshare(0x10000000)); result = 'nested'",
    "enters another namespace": "libc(libc_.setns(0, 0)); result = 'entered'",
    "sets up io_uring": "libc(syscall(425, 8, 0)); result = 'set up'",
    "adds a key to the kernel": "libc(syscall(248, b'user', b'a', b'b', 1, -3)); result = 'added'",
    "reads a keyring": "libc(syscall(250, 0, -3, 0)); result = 'read'",
    "loads a bpf program": "libc(syscall(321, 0, 0, 0)); result = 'loaded'",
    "counts performance events": "libc(syscall(298, 0, 0, -1, -1, 0)); result = 'counting'",
    "loads a kernel": "libc(syscall(246, 0, 0, 0, 0)); result = 'loaded'",
    "loads a module": "libc(syscall(175, 0, 0, b'')); result = 'loaded'",
    "handles page faults": "libc(syscall(323, 0)); result = 'handling'",
    "runs a program from memory": """
        file = os.memfd_create("program"); os.execv(f"/proc/self/fd/{file}", ["program"])
    """,
    "runs a shell": "import subprocess; result = subprocess.check_output(['/bin/sh', '-c', 'id'])",
    "runs python anew": "os.execv(__import__('sys').executable, ['python', '-c', ''])",
    "spawns": "os.posix_spawn('/bin/true', ['true'], {}); result = 'spawned'",
    "forks": "result = os.fork()",
    "clones a process": "libc(syscall(56, 17, 0, 0, 0, 0)); result = 'cloned'",
    "starts a pool of processes": """
        from concurrent.futures import ProcessPoolExecutor
        with ProcessPoolExecutor(2) as pool: result = list(pool.map(abs, [1]))
    """,
    "signals its parent": "os.kill(os.getppid(), 9); result = 'killed'",
    "signals the executor": "os.kill(EXECUTOR, 9); result = 'killed'",
    "signals everybody": "os.kill(-1, 9); result = 'killed'",
    "signals through a file's owner": """
        import fcntl
        r, w = os.pipe(); fcntl.fcntl(r, fcntl.F_SETOWN, os.getppid()); result = "owned"
    """,
    "types into a terminal": """
        import fcntl
        fcntl.ioctl(0, 0x5412, b"x"); result = "typed"
    """,
    "maps shared memory": "libc(syscall(29, 0, 4096, 0o1600)); result = 'mapped'",
    "opens a file by its handle": "libc(syscall(304, -100, 0, 0)); result = 'opened'",
    "sets the clock": "import time; time.clock_settime(0, 0); result = 'set'",
    "raises its own limits": """
        import resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096)); result = "raised"
    """,
    "raises its priority": "os.setpriority(0, 0, -5); result = 'raised'",
    "moves to every processor": "os.sched_setaffinity(0, {0}); result = 'moved'",
    "outlives its parent": "libc(libc_.prctl(1, 0, 0, 0, 0)); result = 'free'",
    "drops its filter": "libc(libc_.prctl(22, 0, 0, 0, 0)); result = 'dropped'",
    "imports Assay": "import services.executor.app; result = 'imported'",
}

PREFACE = f"""
import ctypes, os
EXECUTOR = {os.getpid()}
libc_ = ctypes.CDLL(None, use_errno=True)
syscall = libc_.syscall
def libc(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
"""


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
