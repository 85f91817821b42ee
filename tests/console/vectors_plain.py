"""Vectors of JSON's spellings and of proofs in trees, right and wrong."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from clients.python.verification import layout
from mesh.canonical import canonical_json
from mesh.proof.chain import chain_json
from mesh.proof.merkle import (
    ProofError,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    root_of,
    verify_consistency,
    verify_inclusion,
)


# JSON: texts that are read, and how they are written again.
def json_vectors() -> dict[str, Any]:
    chance = random.Random(3)
    floats = [0.0, -0.0, 0.1, 1e-4, 9.999e-5, 1e-5, 1e15, 1e16, 1.5e16, 123456789012345680.0, 1e22]
    floats += [5e-324, 1.7976931348623157e308, 1 / 3, 100.0, 1e21, 12345.678, 2.5, 1e-7]
    floats += [chance.uniform(-1, 1) * 10.0 ** chance.randrange(-30, 30) for _ in range(400)]
    values: list[Any] = [
        *floats,
        0,
        -1,
        2**53 + 1,
        10**40,
        None,
        True,
        [],
        {},
        [[]],
        {"b": 1, "a": [1, 1.0, {"z": None}], "": 'é\u2028\x7f\x00"\\/\n'},
        {"\U0001f600": 1, "\uffff": 2, "\ue000": 3, "a\U0001f600": 4, "a\uffff": 5},
        "𝄞 and \u2014",
    ]
    return {
        "values": [
            {
                "text": json.dumps(value, ensure_ascii=chance.random() < 0.5),
                "chain": chain_json(value),
                "canonical": canonical_json(value).decode(),
                "document": layout.document(value).decode(),
                "line": layout.line(value).decode(),
            }
            for value in values
        ],
        "refused": [
            *("", "{", "[1,]", "01", "1.", ".5", "+1", "NaN", "Infinity", "1e999", "'a'", '"\t"'),
            *(
                '"\\x"',
                '"\\u12"',
                "tru",
                "[1] 2",
                '{"a" 1}',
                "\ufeff1",
                "[" * 100_000,
                "1_0",
                "0x1",
            ),
        ],
    }


# Trees of every small size, and proofs in which something is other than it was.
def merkle_vectors() -> list[dict[str, Any]]:
    chance = random.Random(5)
    leaves = [leaf_hash(bytes([number])) for number in range(40)]

    def node(level: int, place: int) -> bytes:
        return root_of(leaves[place << level : (place + 1) << level])

    found = []
    for size in [1, 2, 3, 4, 5, 7, 8, 13, 31, 32, 33, 40]:
        root = root_of(leaves[:size])
        for index in {0, size - 1, size // 2, chance.randrange(size)}:
            found.append(
                ("inclusion", leaves[index], index, size, inclusion_proof(index, size, node), root)
            )
        for old in {1, size, (size + 1) // 2, chance.randrange(size) + 1}:
            proof = consistency_proof(old, size, node)
            found.append(("consistency", root_of(leaves[:old]), old, size, proof, root))
    return [_judged(*vector) for whole in found for vector in _tampered(whole, chance)]


def _tampered(vector: Any, chance: random.Random) -> Iterator[Any]:
    kind, first, index, size, proof, root = vector
    yield vector
    yield kind, _flipped(first, chance), index, size, proof, root
    yield kind, first, index, size, proof, _flipped(root, chance)
    yield kind, first, index + 1, size, proof, root
    yield kind, first, index - 1, size, proof, root
    yield kind, first, index, size + 1, proof, root
    yield kind, first, index, size, [*proof, root], root
    yield kind, first, index, size, [root, *proof], root
    if proof:
        place = chance.randrange(len(proof))
        changed = [_flipped(one, chance) if at == place else one for at, one in enumerate(proof)]
        yield kind, first, index, size, changed, root
        yield kind, first, index, size, proof[:-1], root
        yield kind, first, index, size, proof[1:], root
        yield kind, first, index, size, [proof[0][:-1], *proof[1:]], root
    if len(proof) > 1:
        yield kind, first, index, size, proof[::-1], root


def _judged(kind: str, first: bytes, index: int, size: int, proof: list[bytes], root: bytes) -> Any:
    try:
        if kind == "inclusion":
            verify_inclusion(first, index, size, proof, root)
        else:
            verify_consistency(index, size, proof, first, root)
        why = None
    except ProofError as error:
        why = str(error)
    return {
        "kind": kind,
        "first": first.hex(),
        "index": str(index),
        "size": str(size),
        "proof": [one.hex() for one in proof],
        "root": root.hex(),
        "wrong": why,
    }


def _flipped(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)
