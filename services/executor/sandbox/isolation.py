"""The two ways to keep foreign code in: how a sandbox is started in each."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from services.executor.sandbox.limits import SandboxLimits
from services.executor.sandbox.syscalls import filter_program

LIBRARIES = ("matplotlib", "numpy", "pandas", "PIL", "pyarrow", "pyseccomp", "scipy", "statsmodels")

_PROJECT = Path(__file__).resolve().parents[3]
_INSIDE = Path(__file__).resolve().parent / "inside"
_SCRATCH = "/scratch"
_SYSTEM = ("/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/lib", "/lib64")
_LOADER = "/etc/ld.so.cache"
_CHANGE_USER = (5, 6, 7)  # CAP_KILL, CAP_SETGID, CAP_SETUID of linux/capability.h
_FIRST_USER = 0x40000000
_USERS_PER_PROCESS = 64
_numbers = itertools.count()

_ENVIRONMENT = {
    "HOME": _SCRATCH,
    "TMPDIR": _SCRATCH,
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "MPLBACKEND": "agg",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
}

# Matplotlib will not be imported without a folder that it can write to. It gets one for that long.
_START = """
import json, os, sys, tempfile
sys.path[:0] = json.loads(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    os.environ["MPLCONFIGDIR"] = folder
    from services.executor.sandbox.inside.zygote import main
del os.environ["MPLCONFIGDIR"]
main(int(sys.argv[2]), json.loads(sys.argv[3]))
"""


@dataclass(frozen=True)
class Launch:
    """A command that starts a sandbox, and the environment it gets."""

    command: tuple[str, ...]
    environment: dict[str, str]


class CannotIsolate(Exception):
    """This way of isolation is not to be had here; says why."""


def may_change_user() -> bool:
    """Whether processes of this one can become another user and be ended all the same.

    Being root is not enough: a container's root is often left without any right.
    """
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("CapEff:"):
            held = int(line.split()[1], 16)
            return all(held >> right & 1 for right in _CHANGE_USER)
    return False


def missing_libraries() -> list[str]:
    """Libraries that `python.run` promises and that are not installed."""
    return [name for name in LIBRARIES if importlib.util.find_spec(name) is None]


def bubblewrap(control: int, limits: SandboxLimits) -> Launch:
    """Namespaces of its own: no network, its own processes, only read-only libraries as files.

    With root's rights runs change to a user that nobody else is; else a user namespace makes them
    nobody.
    Raises CannotIsolate where bubblewrap is not installed.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise CannotIsolate("bubblewrap is not installed")
    sites = _sites()
    readable = _readable(sites)
    command = [program, "--die-with-parent", "--unshare-pid", "--unshare-net", "--unshare-ipc"]
    command += ["--unshare-uts", "--unshare-cgroup-try", "--new-session", "--hostname", "sandbox"]
    capabilities = ["CAP_SYS_ADMIN"]
    user = None
    if may_change_user():
        user = _next_user()
        capabilities += ["CAP_SETUID", "CAP_SETGID", "CAP_KILL", "CAP_SYS_RESOURCE"]
    else:
        command += ["--unshare-user", "--uid", "65534", "--gid", "65534"]
    command += ["--cap-drop", "ALL"]
    command += [word for name in capabilities for word in ("--cap-add", name)]
    command += ["--clearenv"]
    for name, value in _ENVIRONMENT.items():
        command += ["--setenv", name, value]
    code = "/assay/services/executor/sandbox/inside"
    command += ["--tmpfs", "/tmp", "--tmpfs", _SCRATCH]
    for folder in _parents([*readable, code]):  # else bubblewrap makes them for its user alone
        command += ["--perms", "0755", "--dir", folder]
    for device in ("null", "zero", "random", "urandom"):
        command += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    for path in readable:
        if Path(path).is_symlink() and path in _SYSTEM:
            command += ["--symlink", str(Path(path).readlink()), path]
        else:
            command += ["--ro-bind", path, path]
    command += ["--ro-bind", str(_INSIDE), code, "--chdir", "/"]
    command += ["--remount-ro", "/tmp", "--remount-ro", "/", "--"]
    around = {
        "namespaces": True,
        "user": user,
        "readable": [*readable, "/assay"],
        "scratch": _SCRATCH,
        "threads": limits.threads,
        "filter": filter_program(threads=True, files=True),
    }
    return Launch((*command, *_python(["/assay", *sites], control, around)), {})


def landlock(control: int, limits: SandboxLimits) -> Launch:
    """No namespaces: landlock and seccomp alone, for places that allow nothing else.

    Runs have no folder of their own. Where this process may not change its user they keep it, and
    have no threads because nobody could count them.
    """
    sites = _sites()
    user = _next_user() if may_change_user() else None
    around = {
        "namespaces": False,
        "user": user,
        "readable": [*_readable(sites), str(_INSIDE)],
        "scratch": None,
        "threads": limits.threads if user is not None else 0,
        "filter": filter_program(threads=user is not None, files=False),
    }
    return Launch(_python([str(_PROJECT), *sites], control, around), _ENVIRONMENT)


WAYS = {"bubblewrap": bubblewrap, "landlock": landlock}


def _python(paths: list[str], control: int, around: Mapping[str, object]) -> tuple[str, ...]:
    given = (json.dumps(paths), str(control), json.dumps(around))
    return (os.path.realpath(sys.executable), "-s", "-S", "-P", "-B", "-c", _START, *given)


def _sites() -> list[str]:
    """Folders that the libraries were installed into, in the order in which Python looks."""
    places = [importlib.util.find_spec(name) for name in LIBRARIES]
    origins = {Path(place.origin) for place in places if place is not None and place.origin}
    folders = {
        str(origin.parent.parent if origin.name == "__init__.py" else origin.parent)
        for origin in origins
    }
    return sorted(folders, key=lambda folder: sys.path.index(folder) if folder in sys.path else -1)


def _readable(sites: list[str]) -> list[str]:
    """What a Python needs to read, parents before what they hold."""
    base = Path(sys.base_prefix)
    wanted = [*_SYSTEM, _LOADER, os.path.realpath(sys.executable), str(base / "lib"), *sites]
    present = sorted({path for path in wanted if Path(path).exists()})
    return [path for path in present if not any(_within(path, other) for other in present)]


def _parents(paths: list[str]) -> list[str]:
    """The folders that lead to the paths, outermost first."""
    return sorted({str(parent) for path in paths for parent in Path(path).parents} - {"/"})


def _within(path: str, other: str) -> bool:
    return path != other and Path(path).is_relative_to(other)


def _next_user() -> int:
    """A user id that no other sandbox of this machine has, so that limits by user are its own."""
    number = next(_numbers) % _USERS_PER_PROCESS
    return _FIRST_USER + os.getpid() * _USERS_PER_PROCESS + number
