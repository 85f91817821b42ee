"""Proofs that share hashes are believed exactly when each would be on its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.python.verification.inclusion import Tree
from mesh.proof.merkle import ProofError, inclusion_proof, leaf_hash, root_of, verify_inclusion

CHANGES = ["none", "none", "leaf", "byte", "drop", "repeat", "other", "short"]


def proofs_of(leaves: list[bytes]) -> list[tuple[bytes, ...]]:
    def node(level: int, place: int) -> bytes:
        return root_of(leaves[place << level : (place + 1) << level])

    return [tuple(inclusion_proof(i, len(leaves), node)) for i in range(len(leaves))]


def alone(leaves: list[bytes], leaf: bytes, index: int, proof: tuple[bytes, ...]) -> bool:
    try:
        verify_inclusion(leaf, index, len(leaves), proof, root_of(leaves))
    except ProofError:
        return False
    return True


def together(tree: Tree, leaf: bytes, index: int, proof: tuple[bytes, ...]) -> bool:
    try:
        tree.check(leaf, index, proof)
    except ProofError:
        return False
    return True


@given(size=st.integers(1, 40), data=st.data())
def test_a_proof_holds_together_with_others_exactly_when_it_holds_alone(
    size: int, data: st.DataObject
) -> None:
    leaves = [leaf_hash(bytes([number])) for number in range(size)]
    tree, proofs = Tree(size, root_of(leaves)), proofs_of(leaves)
    for _ in range(12):
        index = data.draw(st.integers(0, size - 1))
        proof = list(proofs[index])
        change = data.draw(st.sampled_from(CHANGES))
        place = data.draw(st.integers(0, max(0, len(proof) - 1)))
        if proof and change == "byte":
            proof[place] = bytes([proof[place][0] ^ 1]) + proof[place][1:]
        elif proof and change == "drop":
            del proof[place]
        elif proof and change == "short":
            proof[place] = proof[place][:-1]
        elif proof and change == "repeat":
            proof.insert(place, proof[place])
        elif change == "other":
            index = data.draw(st.integers(-1, size))
        leaf = leaves[place] if change == "leaf" else leaves[index % size]
        given_proof = tuple(proof)
        held = together(tree, leaf, index, given_proof)
        assert held == alone(leaves, leaf, index, given_proof)


def test_every_entry_of_a_tree_is_in_it() -> None:
    for size in range(1, 70):
        leaves = [leaf_hash(bytes([number])) for number in range(size)]
        tree = Tree(size, root_of(leaves))
        for index, proof in enumerate(proofs_of(leaves)):
            tree.check(leaves[index], index, proof)


def test_a_proof_to_another_root_names_both() -> None:
    leaves = [leaf_hash(bytes([number])) for number in range(5)]
    tree = Tree(5, root_of(leaves[::-1]))
    with pytest.raises(ProofError, match=root_of(leaves[::-1]).hex()):
        tree.check(leaves[0], 0, proofs_of(leaves)[0])
