"""A real disk of a few megabytes, which a test fills and frees."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass
class SmallDisk:
    """A mounted file system."""

    folder: Path

    def fill(self, leave: int = 0) -> None:
        """Leave no more than so many bytes, in whole pages."""
        with (self.folder / "ballast").open("ab", buffering=0) as ballast:
            try:
                while self.left() > leave:
                    ballast.write(bytes(4096))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def free(self) -> None:
        """Make room again."""
        (self.folder / "ballast").unlink()

    def left(self) -> int:
        """Free bytes."""
        statvfs_result = os.statvfs(self.folder)
        return statvfs_result.f_bavail * statvfs_result.f_frsize


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[SmallDisk]:
    """A disk mounted at `folder`; skips the test where this user may not mount one."""
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a small disk")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
