"""What foreign code must not be able to do. Each attempt either raises or gets through.

It runs inside a sandbox as any foreign code does, its outcome in `result`. `EXECUTOR` is set before
it: the process that asked.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

EXECUTOR = globals().get("EXECUTOR", os.getppid())


def open_a_socket() -> None:
    """Whatever comes after it needs one."""
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()


def open_a_unix_socket() -> None:
    """The way to services of the same machine."""
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).close()


def read_the_password_file() -> None:
    """Any file of the machine that is none of Python's."""
    Path("/etc/passwd").read_bytes()


def read_its_environment() -> None:
    """Where a process's secrets are."""
    Path("/proc/self/environ").read_bytes()


def read_the_environment_of_the_executor() -> None:
    """Where the executor's secrets are."""
    Path(f"/proc/{EXECUTOR}/environ").read_bytes()


def start_a_process() -> None:
    """A copy of itself."""
    if os.fork() == 0:
        os._exit(0)


def run_a_program() -> None:
    """Anything else than this interpreter."""
    subprocess.run(["/bin/true"], check=True)


def signal_the_executor() -> None:
    """Signal 0 hurts nobody, and is allowed where others are."""
    os.kill(EXECUTOR, 0)


def signal_its_parent() -> None:
    """The same for the process that started it."""
    os.kill(os.getppid(), 0)


def become_another_user() -> None:
    """Root, if it can."""
    os.setuid(0)


def trace_its_parent() -> None:
    """Reading memory begins with this."""
    _libc(lambda libc: libc.ptrace(16, os.getppid(), 0, 0))


def mount_a_file_system() -> None:
    """Needs rights that must be gone."""
    _libc(lambda libc: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))


def enter_a_user_namespace() -> None:
    """Where it would have such rights again."""
    _libc(lambda libc: libc.unshare(0x10000000))


def write_among_the_libraries() -> None:
    """What others import."""
    place = Path(os.__file__).parent / "assay-was-here"
    place.write_bytes(b"")
    place.unlink()


def write_outside_its_scratch_space() -> None:
    """Where others look."""
    place = Path("/tmp/assay-was-here")
    place.write_bytes(b"")
    place.unlink()


def change_the_mode_of_a_library() -> None:
    """Files of its own user's, where it has the executor's."""
    place = Path(os.__file__)
    place.chmod(place.stat().st_mode & 0o777)


def raise_its_memory_limit() -> None:
    """A limit that can be raised is none."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or hard == resource.RLIM_INFINITY:
        return
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard + 4096))


def see_an_environment() -> None:
    """It must hold what the sandbox set, and nothing that was inherited."""
    known = {"HOME", "TMPDIR", "LANG", "TZ", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PWD"}
    prefixes = ("MPL", "OPENBLAS_", "OMP_", "ARROW_", "KMP_")
    if all(name in known or name.startswith(prefixes) for name in os.environ):
        raise PermissionError


def outlive_its_time() -> None:
    """Without a limit on CPU time only the clock would end it."""
    if resource.getrlimit(resource.RLIMIT_CPU)[1] != resource.RLIM_INFINITY:
        raise PermissionError
    signal.getsignal(signal.SIGXCPU)


def _libc(call: Callable[[ctypes.CDLL], int]) -> None:
    if call(ctypes.CDLL(None, use_errno=True)) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def _succeeds(attempt: Callable[[], None]) -> bool:
    try:
        attempt()
    except (OSError, ValueError):
        return False
    return True


ATTEMPTS = [
    open_a_socket,
    open_a_unix_socket,
    read_the_password_file,
    read_its_environment,
    read_the_environment_of_the_executor,
    start_a_process,
    run_a_program,
    signal_the_executor,
    signal_its_parent,
    become_another_user,
    trace_its_parent,
    mount_a_file_system,
    enter_a_user_namespace,
    write_among_the_libraries,
    write_outside_its_scratch_space,
    change_the_mode_of_a_library,
    raise_its_memory_limit,
    see_an_environment,
    outlive_its_time,
]

if __name__ == "__main__":
    result = [
        {"attempt": attempt.__name__.replace("_", " "), "succeeded": _succeeds(attempt)}
        for attempt in ATTEMPTS
    ]
