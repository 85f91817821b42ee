"""Merkle tree hashing and proofs of RFC 6962, with the verification algorithms of RFC 9162.

Everything here is pure arithmetic over hashes: no I/O, no state. A tree is given as a
`NodeReader`, which returns the hash of a *complete* subtree by level and index: level 0 holds the
leaf hashes, and node `index` of `level` covers the leaves `index << level` up to, but not
including, `(index + 1) << level`. How the nodes are kept is the reader's own business;
`node_position` offers an append-only layout for those who keep them in one file.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Sequence

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()
"""Root of a tree with no leaves (RFC 9162, section 2.1.1)."""

NodeReader = Callable[[int, int], bytes]
"""Returns the hash of the complete subtree at (level, index)."""


class ProofError(ValueError):
    """A proof does not prove what it claims; the message says at which step it fails."""


def leaf_hash(data: bytes) -> bytes:
    """SHA-256 of 0x00 and the leaf's bytes (RFC 9162, section 2.1.1)."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256 of 0x01 and both children (RFC 9162, section 2.1.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def node_position(level: int, index: int) -> int:
    """Place of a complete subtree in an append-only list of all of them, counted from 0.

    Each leaf is followed by every subtree that it completes, lowest first. The list only ever
    grows at its end, so it can be kept in one file.
    """
    last_leaf = ((index + 1) << level) - 1
    return node_count(last_leaf) + level


def node_count(size: int) -> int:
    """How many complete subtrees, leaves included, a tree of `size` leaves has."""
    return 2 * size - size.bit_count()


def completed_nodes(leaf: bytes, index: int, node: NodeReader) -> list[bytes]:
    """The hashes that leaf `index` appends to the list of `node_position`.

    `leaf` is its leaf hash; `node` must know the tree of the `index` leaves before it.
    """
    hashes = [leaf]
    level = 0
    while (index >> level) & 1:
        hashes.append(node_hash(node(level, (index >> level) - 1), hashes[-1]))
        level += 1
    return hashes


def tree_root(size: int, node: NodeReader) -> bytes:
    """Root of the first `size` leaves (RFC 9162, section 2.1.1)."""
    return _range_hash(0, size, node) if size else EMPTY_ROOT


class RootBuilder:
    """Root over leaves that come one after another, in memory logarithmic in their number."""

    def __init__(self) -> None:
        self._peaks: list[tuple[int, bytes]] = []

    def add(self, leaf: bytes) -> None:
        """Take the next leaf hash."""
        level, current = 0, leaf
        while self._peaks and self._peaks[-1][0] == level:
            current = node_hash(self._peaks.pop()[1], current)
            level += 1
        self._peaks.append((level, current))

    def root(self) -> bytes:
        """Root of the leaves so far (RFC 9162, section 2.1.1)."""
        if not self._peaks:
            return EMPTY_ROOT
        root = self._peaks[-1][1]
        for _, peak in reversed(self._peaks[:-1]):
            root = node_hash(peak, root)
        return root


def root_of(leaf_hashes: Iterable[bytes]) -> bytes:
    """Root over leaf hashes, in order."""
    builder = RootBuilder()
    for leaf in leaf_hashes:
        builder.add(leaf)
    return builder.root()


def inclusion_proof(index: int, size: int, node: NodeReader) -> list[bytes]:
    """Audit path of leaf `index` in the tree of `size` leaves (RFC 9162, section 2.1.3.1).

    Raises ProofError when there is no such leaf.
    """
    if not 0 <= index < size:
        raise ProofError(f"a tree of {size} leaves has no leaf {index}")
    path: list[bytes] = []
    begin, end = 0, size
    while end - begin > 1:
        middle = begin + _split(end - begin)
        if index < middle:
            path.append(_range_hash(middle, end, node))
            end = middle
        else:
            path.append(_range_hash(begin, middle, node))
            begin = middle
    path.reverse()
    return path


def consistency_proof(old_size: int, new_size: int, node: NodeReader) -> list[bytes]:
    """Proof that the first `old_size` leaves begin the larger tree (RFC 9162, section 2.1.4.1).

    Raises ProofError unless 0 <= old_size <= new_size. A tree begins itself and an empty tree
    begins every tree: both have the empty proof, and the latter has nothing to verify.
    """
    if not 0 <= old_size <= new_size:
        raise ProofError(f"a tree of {old_size} leaves cannot begin one of {new_size}")
    if old_size in (0, new_size):
        return []
    path: list[bytes] = []
    begin, end = 0, new_size
    old_root_known = True
    while end > old_size:
        middle = begin + _split(end - begin)
        if old_size <= middle:
            path.append(_range_hash(middle, end, node))
            end = middle
        else:
            path.append(_range_hash(begin, middle, node))
            begin = middle
            old_root_known = False
    if not old_root_known:
        path.append(_range_hash(begin, end, node))
    path.reverse()
    return path


def verify_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> None:
    """Check that the leaf with hash `leaf` is number `index` of the tree with `root`.

    RFC 9162, section 2.1.3.2. Raises ProofError when it is not.
    """
    if not 0 <= index < size:
        raise ProofError(f"a tree of {size} leaves has no leaf {index}")
    _require_hashes([leaf, root, *proof])
    position, last, current = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            raise ProofError("the proof is longer than the tree is high")
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
    _require_equal(current, root, "root")


def verify_consistency(
    old_size: int, new_size: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes
) -> None:
    """Check that the tree with `old_root` begins the tree with `new_root`.

    RFC 9162, section 2.1.4.2. Raises ProofError when it does not, and for an empty old tree, which
    begins every tree and so proves nothing.
    """
    if not old_size:
        raise ProofError("an empty tree begins every tree: there is nothing to verify")
    verify_subtree_consistency(0, old_size, new_size, proof, old_root, new_root)


def verify_subtree_inclusion(
    leaf: bytes, index: int, start: int, end: int, proof: Sequence[bytes], root: bytes
) -> None:
    """Check that leaf `index` of the log is in the subtree of leaves `start` to `end` - 1.

    draft-ietf-plants-merkle-tree-certs, section 4.3. Raises ProofError when it is not.
    """
    _require_subtree(start, end)
    verify_inclusion(leaf, index - start, end - start, proof, root)


def verify_subtree_consistency(
    start: int, end: int, size: int, proof: Sequence[bytes], subtree_root: bytes, root: bytes
) -> None:
    """Check that the leaves `start` to `end` - 1 of the tree with `root` have `subtree_root`.

    draft-ietf-plants-merkle-tree-certs, section 4.4; with `start` 0 it is the algorithm of
    RFC 9162, section 2.1.4.2. Raises ProofError when they do not.
    """
    _require_subtree(start, end)
    if end > size:
        raise ProofError(f"leaves up to {end} are not in a tree of {size}")
    _require_hashes(proof)
    if start == end:
        if proof:
            raise ProofError("nothing was to be proven, yet the proof is not empty")
        _require_equal(subtree_root, EMPTY_ROOT, "smaller root")
        return
    first, position, last = start, end - 1, size - 1
    while first != position and (position == last or position & 1):
        first, position, last = first >> 1, position >> 1, last >> 1
    path = list(proof)
    if first == position:
        path.insert(0, subtree_root)
    if not path:
        raise ProofError("the proof is empty")
    small = large = path[0]
    for sibling in path[1:]:
        if last == 0:
            raise ProofError("the proof is longer than the tree is high")
        if position & 1 or position == last:
            if first < position:
                small = node_hash(sibling, small)
            large = node_hash(sibling, large)
            while position and not position & 1:
                first, position, last = first >> 1, position >> 1, last >> 1
        else:
            large = node_hash(large, sibling)
        first, position, last = first >> 1, position >> 1, last >> 1
    if last:
        raise ProofError("the proof ends below the root")
    _require_equal(small, subtree_root, "smaller root")
    _require_equal(large, root, "larger root")


def _require_subtree(start: int, end: int) -> None:
    """A subtree begins at a multiple of the power of two that holds it (same draft, 4.1)."""
    span = 1 << (end - start - 1).bit_length() if end > start else 1
    if not 0 <= start <= end or start % span:
        raise ProofError(f"the leaves {start} to {end} are not a subtree")


def _split(size: int) -> int:
    """Largest power of two smaller than `size` (the k of RFC 9162, section 2.1.1)."""
    return 1 << ((size - 1).bit_length() - 1)


def _range_hash(begin: int, end: int, node: NodeReader) -> bytes:
    """Hash of the leaves `begin` to `end`, where `begin` is aligned as in the RFC's recursion."""
    size = end - begin
    if size & (size - 1) == 0:
        level = size.bit_length() - 1
        return node(level, begin >> level)
    middle = begin + _split(size)
    return node_hash(_range_hash(begin, middle, node), _range_hash(middle, end, node))


def _require_hashes(hashes: Iterable[bytes]) -> None:
    for value in hashes:
        if len(value) != HASH_BYTES:
            raise ProofError(f"a hash has {len(value)} bytes instead of {HASH_BYTES}")


def _require_equal(computed: bytes, claimed: bytes, name: str) -> None:
    if not hmac.compare_digest(computed, claimed):
        raise ProofError(f"the {name} is {claimed.hex()}, the proof leads to {computed.hex()}")
