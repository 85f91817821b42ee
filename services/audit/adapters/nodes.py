"""The Merkle tree's complete subtrees in one flat file: a cache that the log can rebuild.

64 bytes a leaf on disk, nothing in memory. A proof reads a few dozen hashes by their position,
whatever the size of the log.
"""

from __future__ import annotations

import os
from pathlib import Path

from mesh.proof.merkle import HASH_BYTES, node_count, node_hash, node_position


class NodeFile:
    """Hashes in the order of `mesh.proof.merkle.node_position`. One thread adds; any may read."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def node(self, level: int, index: int) -> bytes:
        """Hash of a complete subtree; a `mesh.proof.merkle.NodeReader`."""
        return os.pread(self._descriptor, HASH_BYTES, node_position(level, index) * HASH_BYTES)

    def add(self, leaf_hashes: list[bytes], first_leaf: int) -> None:
        """Write the leaves and every subtree they complete."""
        peaks = [
            self.node(level, (first_leaf >> level) - 1)
            for level in reversed(range(first_leaf.bit_length()))
            if first_leaf >> level & 1
        ]
        added: list[bytes] = []
        for leaf_index, leaf in enumerate(leaf_hashes, start=first_leaf):
            current = leaf
            added.append(current)
            while leaf_index & 1:
                current = node_hash(peaks.pop(), current)
                added.append(current)
                leaf_index >>= 1
            peaks.append(current)
        os.pwrite(self._descriptor, b"".join(added), node_count(first_leaf) * HASH_BYTES)

    def covers(self, size: int) -> bool:
        """Whether the file is long enough for a tree of `size` leaves."""
        return os.fstat(self._descriptor).st_size >= node_count(size) * HASH_BYTES

    def sync(self) -> None:
        """Make what was added durable."""
        os.fdatasync(self._descriptor)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)
