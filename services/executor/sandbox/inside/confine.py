"""Make the calling process one that may do nothing but compute."""

from __future__ import annotations

import base64
import os
import resource
from collections.abc import Sequence
from dataclasses import dataclass

from services.executor.sandbox.inside import kernel

DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


@dataclass(frozen=True)
class Surroundings:
    """What isolation this sandbox was started with; fixed for its life.

    `namespaces`: mounts may be made here, for scratch space of each run's own.
    `user`: the user a run changes to; None where this process may not change its user.
    `readable`: what may be opened, besides devices and scratch space.
    `scratch`: where each run's own folder is mounted; None where it cannot have one.
    `threads`: most threads of a run; 0 where they could not be counted by user.
    `filter`: the program that decides about system calls, in base64.
    """

    namespaces: bool
    user: int | None
    readable: Sequence[str]
    scratch: str | None
    threads: int
    filter: str


@dataclass(frozen=True)
class Bounds:
    """What one run may use at most: bytes, and seconds of CPU."""

    memory: int
    cpu_seconds: int
    scratch_bytes: int
    file_bytes: int


def confine(around: Surroundings, bounds: Bounds, used: int, parent: int, *, foreign: bool) -> None:
    """Give up, for good, all that foreign code shall not have. Raises OSError.

    `foreign` code gets scratch space; what only reads needs none. Both yield to everybody else.
    `used` is the address space in use before. The order matters: each step needs what a later one
    gives up.
    """
    os.setsid()
    os.umask(0o077)
    scratch = around.scratch if foreign else None
    if around.namespaces and scratch is not None:
        kernel.new_mount_namespace()
        owner = os.getuid() if around.user is None else around.user
        kernel.mount_scratch(scratch, bounds.scratch_bytes, 1000, owner)
        os.chdir(scratch)
    os.setpriority(os.PRIO_PROCESS, 0, 15)
    rules = _file_rules(around.readable, scratch, needed=not around.namespaces)
    _limit(bounds, used, around.threads)
    if around.user is not None:
        os.setgroups([])
        os.setresgid(around.user, around.user, around.user)
        os.setresuid(around.user, around.user, around.user)
    kernel.drop_capabilities()
    kernel.no_new_privileges()
    kernel.die_with(parent)
    if rules is not None:
        kernel.restrict_files(rules)
    kernel.load_filter(base64.b64decode(around.filter))


def _file_rules(readable: Sequence[str], scratch: str | None, *, needed: bool) -> int | None:
    """Landlock's rules, made while the paths can still be reached; beside namespaces a second wall.

    Raises OSError where they are `needed`, being the only one, and the kernel has none.
    """
    if kernel.landlock_version() > 0:
        present = [device for device in DEVICES if os.access(device, os.F_OK)]
        return kernel.file_rules(readable, present, scratch)
    if needed:
        raise OSError("without namespaces the kernel must offer landlock")
    return None


def _limit(bounds: Bounds, used: int, threads: int) -> None:
    limits = {
        resource.RLIMIT_AS: used + bounds.memory,
        resource.RLIMIT_CPU: bounds.cpu_seconds,
        resource.RLIMIT_FSIZE: bounds.file_bytes,
        resource.RLIMIT_NOFILE: 128,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_STACK: 8 << 20,
    }
    if threads:
        limits[resource.RLIMIT_NPROC] = threads
    for which, value in limits.items():
        _, hard = resource.getrlimit(which)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (value, value))
