"""Inclusion of many entries in one tree, where what their proofs share is hashed once."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from mesh.proof.merkle import HASH_BYTES, ProofError, node_hash


class Tree:
    """The tree of `size` leaves with this root, and the nodes that were found to lead to it.

    Neighbours' proofs are the same from their common node on. A proof that comes to a node where an
    earlier, valid one has been, with the same hashes still to go, leads to the same root.
    """

    def __init__(self, size: int, root: bytes) -> None:
        self._size = size
        self._root = root
        self._valid: dict[tuple[int, int], tuple[bytes, Sequence[bytes]]] = {}

    def check(self, leaf: bytes, index: int, proof: Sequence[bytes]) -> None:
        """Check that the leaf with hash `leaf` is number `index`, as RFC 9162, 2.1.3.2 does.

        Raises mesh.proof.merkle.ProofError when it is not.
        """
        if not 0 <= index < self._size:
            raise ProofError(f"a tree of {self._size} leaves has no leaf {index}")
        position, last, current = index, self._size - 1, leaf
        passed: dict[tuple[int, int], tuple[bytes, Sequence[bytes]]] = {}
        for number, sibling in enumerate(proof):
            if last == 0:
                raise ProofError("the proof is longer than the tree is high")
            if len(sibling) != HASH_BYTES:
                raise ProofError(f"a hash has {len(sibling)} bytes instead of {HASH_BYTES}")
            here = (current, proof[number:])
            if self._valid.get((position, last)) == here:
                self._valid |= passed
                return
            passed[position, last] = here
            if position & 1 or position == last:
                current = node_hash(sibling, current)
                while position and not position & 1:
                    position >>= 1
                    last >>= 1
            else:
                current = node_hash(current, sibling)
            position >>= 1
            last >>= 1
        if last:
            raise ProofError("the proof ends below the root")
        if not hmac.compare_digest(current, self._root):
            raise ProofError(f"it leads to root {current.hex()}, the tree has {self._root.hex()}")
        self._valid |= passed
