"""System calls that Python has no function for.

Numbers above 400 are the same on every architecture; the others go through libc.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
from collections.abc import Sequence

CLONE_NEWNS = 0x00020000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_REC, MS_PRIVATE = 0x4000, 0x40000

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_PR_SET_SECCOMP, _FILTER, _INSTRUCTION_BYTES = 22, 2, 8
_CAPABILITY_VERSION = 0x20080522

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_LANDLOCK_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR, _WRITE_FILE = 1 << 2, 1 << 3, 1 << 1
_DEVICE_IOCTL = 1 << 15
_MAKE_NODES = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11

# Every right over files that each version of landlock knows, by version.
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_ANY_TCP, _ABSTRACT_SOCKETS_AND_SIGNALS = 3, 3

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def new_mount_namespace() -> None:
    """Leave the mounts of whoever started this process. Raises OSError."""
    _checked(_libc.unshare(CLONE_NEWNS), "unshare")
    flags = ctypes.c_ulong(MS_REC | MS_PRIVATE)
    _checked(_libc.mount(b"none", b"/", None, flags, None), "make mounts private")


def mount_scratch(path: str, size: int, files: int, owner: int) -> None:
    """An empty folder in memory of at most `size` bytes and `files` files. Raises OSError."""
    flags = ctypes.c_ulong(MS_NOSUID | MS_NODEV | MS_NOEXEC)
    options = f"size={size},nr_inodes={files},mode=0700,uid={owner},gid={owner}".encode()
    _checked(_libc.mount(b"tmpfs", path.encode(), b"tmpfs", flags, options), "mount scratch")


def die_with(parent: int) -> None:
    """Have this process killed when its parent dies; at once if it has died already."""
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0), "prctl PDEATHSIG")
    if os.getppid() != parent:
        os._exit(1)


def no_new_privileges() -> None:
    """Nothing this process runs gains rights, and nobody of its user may look into it."""
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl NO_NEW_PRIVS")
    _checked(_libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "prctl DUMPABLE")


def load_filter(program: bytes) -> None:
    """Allow from now on the system calls that the program allows; nothing takes it back."""

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))

    loaded = Program(len(program) // _INSTRUCTION_BYTES, program)
    _checked(_libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(loaded), 0, 0), "prctl SECCOMP")


def drop_capabilities() -> None:
    """Give up every capability for good."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    _checked(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def landlock_version() -> int:
    """The version of landlock that the kernel offers; 0 where it offers none."""
    return max(0, int(_libc.syscall(_LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION)))


def file_rules(readable: Sequence[str], devices: Sequence[str], scratch: str | None) -> int:
    """Rules that allow to open only these paths, and files of one's own in `scratch`.

    Where landlock knows them, TCP, abstract sockets and signals to others end as well.
    Raises OSError.
    """
    version = landlock_version()
    if version == 0:
        raise OSError("the kernel offers no landlock")
    rights = _FILE_RIGHTS[max(known for known in _FILE_RIGHTS if known <= version)]
    attributes = (ctypes.c_uint64 * 3)(
        rights,
        _ANY_TCP if version >= 4 else 0,
        _ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0,
    )
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = _checked(_libc.syscall(_LANDLOCK_CREATE, attributes, size, 0), "landlock")
    for path in readable:
        _allow(rules, path, _READ_FILE | _READ_DIR)
    for path in devices:
        _allow(rules, path, _READ_FILE | _WRITE_FILE)
    if scratch is not None:
        _allow(rules, scratch, rights & ~_DEVICE_IOCTL & ~_MAKE_NODES & ~1)
    return rules


def restrict_files(rules: int) -> None:
    """Be bound by the rules from now on. Raises OSError."""
    _checked(_libc.syscall(_LANDLOCK_RESTRICT, rules, 0), "landlock")
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    if not os.path.isdir(path):  # noqa: PTH112 - inside, fewer modules are less to trust
        rights &= ~_READ_DIR

    class PathBeneath(ctypes.Structure):
        _pack_ = 1
        _fields_ = (("rights", ctypes.c_uint64), ("parent", ctypes.c_int32))

    rule = PathBeneath(rights, beneath)
    added = _libc.syscall(_LANDLOCK_ADD, rules, _PATH_BENEATH, ctypes.byref(rule), 0)
    os.close(beneath)
    _checked(added, f"landlock {path}")


def address_space() -> int:
    """Bytes of address space this process uses, found without /proc.

    An allocation fails exactly where the limit is below what is used and what is asked for.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    low, high = 0, 1 << 46
    while high - low > 1 << 20:
        middle = (low + high) // 2
        resource.setrlimit(resource.RLIMIT_AS, (middle, hard))
        try:
            mmap.mmap(-1, mmap.PAGESIZE).close()
        except OSError:
            low = middle
        else:
            high = middle
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    return high
