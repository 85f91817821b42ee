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

from mesh.merkle import (
    EMPTY_ROOT,
    ProofError,
    completed_nodes,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_count,
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
