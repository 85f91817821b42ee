"""The tree agrees with the standard's vectors, with itself, and with nothing that was altered."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.proof.merkle import (
    EMPTY_ROOT,
    ProofError,
    RootBuilder,
    completed_nodes,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_count,
    node_hash,
    node_position,
    root_of,
    tree_root,
    verify_consistency,
    verify_inclusion,
    verify_subtree_consistency,
    verify_subtree_inclusion,
)

VECTORS = Path(__file__).parents[4] / "shared" / "data" / "merkle"
Vector = dict[str, Any]


def decode(text: str | None) -> bytes:
    return base64.b64decode(text or "")


def check_inclusion(vector: Vector) -> None:
    leaf, root = decode(vector["leafHash"]), decode(vector["root"])
    proof = [decode(node) for node in vector["proof"] or []]
    verify_inclusion(leaf, vector["leafIdx"], vector["treeSize"], proof, root)


def check_consistency(vector: Vector) -> None:
    roots = decode(vector["root1"]), decode(vector["root2"])
    proof = [decode(node) for node in vector["proof"] or []]
    verify_consistency(vector["size1"], vector["size2"], proof, *roots)


def check_subtree_inclusion(vector: Vector) -> None:
    leaf, root = decode(vector["leafHash"]), decode(vector["root"])
    proof = [decode(node) for node in vector["proof"] or []]
    verify_subtree_inclusion(leaf, vector["leafIdx"], vector["start"], vector["end"], proof, root)


def check_subtree_consistency(vector: Vector) -> None:
    roots = decode(vector["root1"]), decode(vector["root2"])
    proof = [decode(node) for node in vector["proof"] or []]
    verify_subtree_consistency(vector["start"], vector["end"], vector["size"], proof, *roots)


@pytest.mark.parametrize(
    ("folder", "check"),
    [
        ("inclusion", check_inclusion),
        ("consistency", check_consistency),
        ("subtreeinclusion", check_subtree_inclusion),
        ("subtreeconsistency", check_subtree_consistency),
    ],
)
def test_every_published_vector_holds_or_fails_as_it_says(
    folder: str, check: Callable[[Vector], None]
) -> None:
    paths = sorted((VECTORS / folder).rglob("*.json"))
    if not paths:
        pytest.skip(f"the vectors {VECTORS / folder} are not on this machine")
    for path in paths:
        vector = json.loads(path.read_text())
        try:
            check(vector)
            failed = False
        except ProofError:
            failed = True
        assert failed == vector["wantErr"], path


class Tree:
    """The nodes of a tree in memory, with its root by the definition of RFC 9162, 2.1.1."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self.hashes = [leaf_hash(leaf) for leaf in leaves]
        self.nodes: list[bytes] = []
        for index, leaf in enumerate(self.hashes):
            self.nodes += completed_nodes(leaf, index, self.node)

    def node(self, level: int, index: int) -> bytes:
        return self.nodes[node_position(level, index)]


def defined_root(leaves: Sequence[bytes]) -> bytes:
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    children = defined_root(leaves[:split]) + defined_root(leaves[split:])
    return hashlib.sha256(b"\x01" + children).digest()


leaves_of_a_log = st.lists(st.binary(max_size=4), min_size=1, max_size=70)


def test_a_tree_without_leaves_has_the_hash_of_nothing() -> None:
    assert root_of([]) == tree_root(0, Tree([]).node) == EMPTY_ROOT == hashlib.sha256().digest()


@given(leaves_of_a_log)
def test_roots_follow_the_definition_at_every_size(leaves: list[bytes]) -> None:
    tree = Tree(leaves)
    for size in range(len(leaves) + 1):
        expected = defined_root(leaves[:size])
        assert root_of(tree.hashes[:size]) == tree_root(size, tree.node) == expected
    assert len(tree.nodes) == node_count(len(leaves))


@given(leaves_of_a_log, st.data())
def test_every_leaf_is_proven_and_no_other_leaf_passes_for_it(
    leaves: list[bytes], data: st.DataObject
) -> None:
    tree, size = Tree(leaves), len(leaves)
    index = data.draw(st.integers(0, size - 1))
    proof, root = inclusion_proof(index, size, tree.node), tree_root(size, tree.node)
    verify_inclusion(tree.hashes[index], index, size, proof, root)
    with pytest.raises(ProofError):
        verify_inclusion(leaf_hash(b"never logged"), index, size, proof, root)


@given(leaves_of_a_log, st.data())
def test_every_earlier_size_is_proven_to_begin_the_log(
    leaves: list[bytes], data: st.DataObject
) -> None:
    tree, size = Tree(leaves), len(leaves)
    old_size = data.draw(st.integers(1, size))
    proof = consistency_proof(old_size, size, tree.node)
    roots = tree_root(old_size, tree.node), tree_root(size, tree.node)
    verify_consistency(old_size, size, proof, *roots)
    with pytest.raises(ProofError):
        verify_consistency(old_size, size, proof, leaf_hash(b"another past"), roots[1])


@given(st.integers(2, 70), st.data())
def test_one_flipped_bit_anywhere_in_a_proof_breaks_it(size: int, data: st.DataObject) -> None:
    tree = Tree([bytes((index,)) for index in range(size)])
    index = data.draw(st.integers(0, size - 1))
    proof = inclusion_proof(index, size, tree.node)
    place = data.draw(st.integers(0, len(proof) - 1))
    bit = data.draw(st.integers(0, 255))
    flipped = int.from_bytes(proof[place], "big") ^ (1 << bit)
    proof[place] = flipped.to_bytes(32, "big")
    with pytest.raises(ProofError):
        verify_inclusion(tree.hashes[index], index, size, proof, tree_root(size, tree.node))


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_a_leaf_that_is_not_there_has_no_proof(index: int, size: int) -> None:
    with pytest.raises(ProofError):
        inclusion_proof(index, size, Tree([b"a", b"b", b"c"]).node)


def test_a_log_cannot_be_proven_to_have_shrunk() -> None:
    with pytest.raises(ProofError):
        consistency_proof(3, 2, Tree([b"a", b"b", b"c"]).node)


LEAVES = [bytes((index,)) for index in range(18)]
LOG = Tree(LEAVES)


def subtree_proof(start: int, end: int, leaves: Sequence[bytes], whole: bool = True) -> list[bytes]:
    """SUBTREE_SUBPROOF of the same draft, by its definition; `whole`: its root is known."""
    if (start, end) == (0, len(leaves)):
        return [] if whole else [defined_root(leaves)]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    left, right = leaves[:split], leaves[split:]
    if end <= split:
        return [*subtree_proof(start, end, left, whole), defined_root(right)]
    if split <= start:
        return [*subtree_proof(start - split, end - split, right, whole), defined_root(left)]
    return [*subtree_proof(0, end - split, right, False), defined_root(left)]


def is_subtree(start: int, end: int) -> bool:
    """Whether leaves are within one aligned power of two that begins where they do."""
    return any(start % (1 << n) == 0 and end - start <= 1 << n for n in range(6))


SUBTREES = [
    (start, end, size)
    for size in range(1, len(LEAVES) + 1)
    for end in range(1, size + 1)
    for start in range(end)
    if is_subtree(start, end)
]


def refuses(message: str) -> pytest.RaisesExc[ProofError]:
    return pytest.raises(ProofError, match=message)


def test_every_subtree_of_every_small_log_is_proven_and_nothing_near_it() -> None:
    other = leaf_hash(b"never logged")
    for start, end, size in SUBTREES:
        proof = subtree_proof(start, end, LEAVES[:size])
        part, root = defined_root(LEAVES[start:end]), defined_root(LEAVES[:size])
        verify_subtree_consistency(start, end, size, proof, part, root)
        if start == 0 and end < size:
            assert consistency_proof(end, size, LOG.node) == proof
        with refuses("larger root"):
            verify_subtree_consistency(start, end, size, proof, part, other)
        with pytest.raises(ProofError):
            verify_subtree_consistency(start, end, size, proof, other, root)
        with refuses("longer than the tree is high"):
            verify_subtree_consistency(start, end, size, [*proof, other], part, root)
        for place in range(len(proof)):
            with pytest.raises(ProofError):
                forged = [*proof[:place], other, *proof[place + 1 :]]
                verify_subtree_consistency(start, end, size, forged, part, root)
        if proof:
            with refuses("ends below the root|the proof is empty"):
                verify_subtree_consistency(start, end, size, proof[:-1], part, root)


@pytest.mark.parametrize(
    ("start", "end", "size"), [(16, 29, 30), (32, 57, 58), (32, 61, 62), (48, 61, 62)]
)
def test_a_subtree_that_ends_beside_the_end_of_a_larger_log_is_proven(
    start: int, end: int, size: int
) -> None:
    leaves = [bytes((index,)) for index in range(size)]
    part, root = defined_root(leaves[start:end]), defined_root(leaves)
    verify_subtree_consistency(start, end, size, subtree_proof(start, end, leaves), part, root)


def test_every_leaf_of_every_small_log_is_proven_with_a_proof_of_its_length() -> None:
    for size in range(1, len(LEAVES) + 1):
        root = defined_root(LEAVES[:size])
        for index in range(size):
            proof, leaf = inclusion_proof(index, size, LOG.node), LOG.hashes[index]
            verify_inclusion(leaf, index, size, proof, root)
            verify_subtree_inclusion(leaf, index + 32, 32, 32 + size, proof, root)
            with refuses("longer than the tree is high"):
                verify_inclusion(leaf, index, size, [*proof, leaf], root)
            if proof:
                with refuses("ends below the root"):
                    verify_inclusion(leaf, index, size, proof[:-1], root)


def test_what_is_no_subtree_is_not_looked_at() -> None:
    root = defined_root(LEAVES[:8])
    for start, end in ((1, 3), (2, 5), (6, 9), (-2, 0), (3, 2), (-1, 0)):
        with refuses(f"the leaves {start} to {end} are not a subtree"):
            verify_subtree_consistency(start, end, 16, [], root, root)
        with refuses(f"the leaves {start} to {end} are not a subtree"):
            verify_subtree_inclusion(root, start, start, end, [], root)
    with refuses("leaves up to 9 are not in a tree of 8"):
        verify_subtree_consistency(0, 9, 8, [], root, root)


def test_nothing_is_proven_of_no_leaves_by_nothing() -> None:
    root = defined_root(LEAVES[:8])
    verify_subtree_consistency(4, 4, 8, [], EMPTY_ROOT, root)
    verify_subtree_consistency(3, 3, 8, [], EMPTY_ROOT, root)
    with refuses("nothing was to be proven, yet the proof is not empty"):
        verify_subtree_consistency(4, 4, 8, [root], EMPTY_ROOT, root)
    with refuses("the smaller root is"):
        verify_subtree_consistency(4, 4, 8, [], root, root)
    with refuses("there is nothing to verify"):
        verify_consistency(0, 8, [], EMPTY_ROOT, root)


@pytest.mark.parametrize("length", [31, 33])
def test_what_is_no_hash_is_refused_as_such(length: int) -> None:
    root, short = defined_root(LEAVES[:2]), b"x" * length
    leaf, sibling = LOG.hashes[:2]
    wrong = f"a hash has {length} bytes instead of 32"
    for false in ((short, [sibling], root), (leaf, [short], root), (leaf, [sibling], short)):
        with refuses(wrong):
            verify_inclusion(false[0], 0, 2, false[1], false[2])
    with refuses(wrong):
        verify_consistency(1, 2, [short], leaf, root)


def test_a_log_begins_itself_and_every_log_begins_with_nothing() -> None:
    for size in range(len(LEAVES)):
        assert consistency_proof(0, size, LOG.node) == []
        assert consistency_proof(size, size, LOG.node) == []
    for false in ((-1, 3), (4, 3)):
        with refuses("cannot begin one of 3"):
            consistency_proof(*false, LOG.node)


def test_a_root_is_built_from_no_more_than_the_peaks_of_the_tree() -> None:
    """In memory logarithmic in the leaves, as it says."""
    builder = RootBuilder()
    for size, leaf in enumerate(LOG.hashes, start=1):
        builder.add(leaf)
        assert len(builder._peaks) == size.bit_count()
        assert builder.root() == defined_root(LEAVES[:size])


def test_the_root_is_read_from_no_more_nodes_than_it_needs() -> None:
    asked: list[tuple[int, int]] = []

    def node(level: int, index: int) -> bytes:
        asked.append((level, index))
        return LOG.node(level, index)

    assert tree_root(11, node) == defined_root(LEAVES[:11])
    assert asked == [(3, 0), (1, 4), (0, 10)]


@pytest.mark.parametrize("index", [-1, 3, 4])
def test_no_proof_verifies_a_leaf_that_the_tree_has_no_place_for(index: int) -> None:
    leaf = leaf_hash(b"alone")

    with refuses(f"a tree of 3 leaves has no leaf {index}"):
        verify_inclusion(leaf, index, 3, [], leaf)


def test_the_place_after_the_last_is_no_leaf_though_its_hashes_would_fit() -> None:
    leaf = leaf_hash(b"alone")

    verify_inclusion(leaf, 0, 1, [], leaf)
    with refuses("a tree of 1 leaves has no leaf 1"):
        verify_inclusion(leaf, 1, 1, [], leaf)


def test_a_leaf_of_a_subtree_is_checked_against_its_root() -> None:
    leaves = [leaf_hash(bytes([n])) for n in range(2)]
    root = node_hash(*leaves)

    verify_subtree_inclusion(leaves[1], 3, 2, 4, [leaves[0]], root)
    with refuses("root"):
        verify_subtree_inclusion(leaves[0], 3, 2, 4, [leaves[0]], root)


def test_a_subtree_within_a_larger_tree_is_not_proven_by_nothing() -> None:
    root = leaf_hash(b"root")

    with refuses("the proof is empty"):
        verify_subtree_consistency(0, 3, 4, [], root, root)
