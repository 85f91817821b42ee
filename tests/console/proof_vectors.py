"""Vectors for the checks that the console makes in the browser: what this project's own code says of each.

`python -m tests.console.proof_vectors FOLDER` writes them; clients/console/tests/proof.test.ts reads them.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import json
import math
import random
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from clients.python.cli.verifying import checked
from clients.python.verification import layout
from clients.python.verification.reading import Trust
from mesh.canonical import canonical_json
from mesh.digest import frame_digest
from mesh.frames.encoding import write_plainly
from mesh.proof.chain import chain_json
from mesh.proof.checkpoint import SigningKey
from mesh.proof.claims import cell_text
from mesh.proof.cosignature import WitnessSigningKey
from mesh.proof.merkle import (
    ProofError,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    root_of,
    verify_consistency,
    verify_inclusion,
)
from mesh.text.spelling import POINTS, shown, spellings
from tests.unit.clients import test_bundle_bytes as spoilt
from tests.unit.clients import test_bundle_forged as forged
from tests.unit.clients import test_bundle_spelling as spelt
from tests.unit.clients import test_recorder_lies as lying
from tests.unit.clients.bundles import exported, resealed, rewrite, unpacked
from tests.unit.clients.lies import Recorder, bundle_of
from tests.unit.clients.proven import LOG_KEY, TOTAL, WITNESS_KEY, proven_gateway

FLIPS = 24
Change = Callable[[Path], Any]


def write(folder: Path) -> None:
    """Write all vectors into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    values = {"json": _json_vectors(), "merkle": _merkle_vectors()}
    values["cells"] = _cell_vectors(folder)
    values["frames"] = _frame_vectors(folder)
    values["bundles"] = asyncio.run(_bundle_vectors(folder))
    for name, vectors in values.items():
        (folder / f"{name}.json").write_text(json.dumps(vectors), encoding="utf-8")


# JSON: texts that are read, and how they are written again.
def _json_vectors() -> dict[str, Any]:
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
        {"b": 1, "a": [1, 1.0, {"z": None}], "": "é\u2028\x7f\x00\"\\/\n"},
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
        "refused": ["", "{", "[1,]", "01", "1.", ".5", "+1", "NaN", "Infinity", "1e999", "'a'", '"\t"']
        + ['"\\x"', '"\\u12"', "tru", "[1] 2", '{"a" 1}', "\ufeff1", "[" * 100_000, "1_0", "0x1"],
    }


# Trees of every small size, and proofs in which something is other than it was.
def _merkle_vectors() -> list[dict[str, Any]]:
    chance = random.Random(5)
    leaves = [leaf_hash(bytes([number])) for number in range(40)]

    def node(level: int, place: int) -> bytes:
        return root_of(leaves[place << level : (place + 1) << level])

    found = []
    for size in [1, 2, 3, 4, 5, 7, 8, 13, 31, 32, 33, 40]:
        root = root_of(leaves[:size])
        for index in {0, size - 1, size // 2, chance.randrange(size)}:
            found.append(("inclusion", leaves[index], index, size, inclusion_proof(index, size, node), root))
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


# Cells, and how they are written and printed.
def _cell_vectors(folder: Path) -> list[dict[str, Any]]:
    chance = random.Random(7)
    floats = [0.0, -0.0, 0.125, 0.375, 2.5, 1.125, 1.135, 10000.5, 99999.5, 0.3125, 0.1875, 0.9996]
    floats += [0.09994, 0.09996, 9.9996e-5, 1e-5, 1.5e-7, 123.0, 1e15, 1e16, 5e11 + 0.5, math.nan]
    floats += [math.inf, -math.inf, 407.99999999999994, 0.095, 0.0095, 12.345, 0.995, 0.105, 1e300]
    floats += [chance.uniform(-1, 1) * 10.0 ** chance.randrange(-12, 17) for _ in range(400)]
    floats += [chance.randrange(-4000, 4000) / 16 for _ in range(100)]
    decimals = [Decimal(chance.randrange(-(10**9), 10**9)).scaleb(-4) for _ in range(60)]
    decimals += [Decimal("0.0000"), Decimal("12.0000"), Decimal("-0.0001"), None]
    days = [dt.date(1997, 5, 1), dt.date(1970, 1, 1), dt.date(1, 1, 1), dt.date(9999, 12, 31), None]
    moments = [dt.datetime(1997, 5, 1), dt.datetime(1997, 5, 1, 13, 7, 9, 250), None]
    moments += [dt.datetime(1969, 12, 31, 23, 59, 59, 999_999), dt.datetime(2024, 2, 29, 0, 0, 0, 5)]
    columns: list[tuple[str, pa.Array]] = [
        ("float", pa.array(floats)),
        ("float32", pa.array(floats[:40], pa.float32())),
        ("int", pa.array([0, -1, 1_000, -1_234_567, 2**62, 12, 7, None], pa.int64())),
        ("uint", pa.array([2**64 - 1, 5], pa.uint64())),
        ("small", pa.array([-128, 127], pa.int8())),
        ("decimal", pa.array(decimals, pa.decimal128(20, 4))),
        ("fine", pa.array([Decimal("0E-10"), Decimal("1E-10"), Decimal("3")], pa.decimal128(38, 10))),
        ("wide", pa.array([Decimal("12.50"), Decimal("-7")], pa.decimal256(50, 2))),
        ("bool", pa.array([True, False, None])),
        ("text", pa.array(["", "a", "São  Paulo\n x", "1997-05-01", "1997-02-30", "x" * 70, None, "ß"])),
        ("large", pa.array(["ä", "𝄞b"], pa.large_string())),
        ("coded", pa.array(["b", "a", None, "b"]).dictionary_encode()),
        ("day", pa.array(days)),
        ("moment", pa.array(moments, pa.timestamp("us"))),
        ("second", pa.array([dt.datetime(2001, 2, 3, 4, 5, 6)], pa.timestamp("s"))),
        ("zoned", pa.array([dt.datetime(2001, 2, 3, 4, 5, 6)], pa.timestamp("ms", "UTC"))),
    ]
    return [_cells(folder, name, array) for name, array in columns]


def _cells(folder: Path, name: str, array: pa.Array) -> dict[str, Any]:
    table = pa.table({name: array})
    (folder / f"cells-{name}.arrows").write_bytes(_stream(table))
    rows = []
    for value in table.column(0).to_pylist():
        number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
        texts = [shown(value), shown(value, unit="EUR")]
        if number:
            texts += [shown(value, percent=True), shown(value, percent=True, unit=POINTS)]
        rows.append({"text": cell_text(value), "shown": texts, "called": sorted(spellings(value))})
    return {"name": name, "rows": rows}


# Frames of every type and layout, and their digests.
def _frame_vectors(folder: Path) -> list[dict[str, Any]]:
    tables = dict(_tables())
    found = []
    for name, table in tables.items():
        written = [_stream(table)]
        plain = io.BytesIO()
        write_plainly(table, plain)
        written.append(plain.getvalue())
        for way, content in enumerate(written):
            file = f"frame-{name}-{way}.arrows"
            (folder / file).write_bytes(content)
            found.append({"file": file, "digest": frame_digest(table), "rows": table.num_rows})
    return found


def _tables() -> Iterable[tuple[str, pa.Table]]:
    chance = random.Random(11)

    def some(values: list[Any]) -> list[Any]:
        return [value if chance.random() < 0.8 else None for value in values * 5]

    numbers = [1, 2, 3, -4, 5, 100, 0]
    for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64()):
        yield str(kind), pa.table({"n": pa.array(some(numbers), kind)})
    for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
        yield str(kind), pa.table({"n": pa.array(some([1, 2, 250]), kind)})
    half = pa.array(some([1.0, 2.5, math.nan]), pa.float32()).cast(pa.float16())
    yield "half", pa.table({"n": half})
    yield "nan", pa.table({"n": [math.nan, -math.nan, None, 0.0, -0.0, math.inf]})
    yield "null", pa.table({"n": pa.nulls(4)})
    yield "bool", pa.table({"b": some([True, False, True])})
    yield "text", pa.table({"a": some(["x", "", "äö", "𝄞"]), "größe": some(list("bcde"))})
    yield "large", pa.table({"a": pa.array(some(["x", "yy"]), pa.large_string())})
    yield "binary", pa.table({"a": pa.array(some([b"x", b"\xff\x00"]), pa.binary())})
    yield "sized", pa.table({"a": pa.array(some([b"xy", b"\xff\x00"]), pa.binary(2))})
    yield "decimal", pa.table({"d": pa.array(some([Decimal("1.25"), Decimal("-3")]), pa.decimal128(9, 2))})
    yield "decimal256", pa.table({"d": pa.array(some([Decimal("1.25")]), pa.decimal256(60, 2))})
    days = some([dt.date(1997, 5, 1), dt.date(1960, 1, 2)])
    yield "days", pa.table({"a": pa.array(days, pa.date32()), "b": pa.array(days, pa.date64())})
    stamps = some([dt.datetime(1997, 5, 1, 3), dt.datetime(1960, 1, 2)])
    for unit in ("s", "ms", "us", "ns"):
        zoned = pa.array(stamps, pa.timestamp(unit, "Europe/Berlin"))
        spans = pa.array(some([5, 6]), pa.int64()).cast(pa.duration(unit))
        yield f"stamps-{unit}", pa.table({"a": pa.array(stamps, pa.timestamp(unit)), "b": zoned})
        yield f"spans-{unit}", pa.table({"a": spans})
    times = some([dt.time(3, 4, 5)])
    yield "times", pa.table({"a": pa.array(times, pa.time32("s")), "b": pa.array(times, pa.time64("us"))})
    lists = some([[1, 2], [], [None, 3]])
    yield "lists", pa.table({"a": lists, "b": pa.array(lists, pa.large_list(pa.int64()))})
    yield "pairs", pa.table({"a": pa.array(some([[1, 2], [3, None]]), pa.list_(pa.int64(), 2))})
    yield "structs", pa.table({"a": some([{"x": 1, "y": "b"}, {"x": None, "y": "c"}])})
    yield "deep", pa.table({"a": some([[{"x": [1]}], [], [{"x": None}, {"x": [2, 3]}]])})
    maps = pa.map_(pa.string(), pa.int32())
    yield "maps", pa.table({"a": pa.array(some([[("k", 1)], [], [("l", None), ("m", 2)]]), maps)})
    yield "coded", pa.table({"a": pa.array(some(["x", "y"])).dictionary_encode()})
    yield "none", pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())})
    yield "nothing", pa.table({})
    parts = pa.table({"n": some(numbers), "t": some(list("abcdefg"))})
    yield "parts", pa.concat_tables([parts.slice(0, 3), parts.slice(3, 9), parts.slice(12)])
    many = pa.table({"n": [None if n % 7 == 0 else n for n in range(70_000)]})
    yield "many", many


def _stream(table: pa.Table) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


# Bundles: whole ones, and every kind of change.
@dataclass
class _Bundles:
    folder: Path
    told: list[dict[str, Any]] = field(default_factory=list)

    def add(self, name: str, path: Path, trust: Trust | None = None, *, encoding: bool = False) -> None:
        """Keep a bundle with what `assay verify` finds. `encoding` is what browsers do not see."""
        place = self.folder / f"bundle-{len(self.told)}.zip"
        if path.is_dir():
            _packed(path, place)
        else:
            shutil.copyfile(path, place)
        trust = trust or Trust()
        found = checked(place, trust)
        self.told.append(
            {
                "name": name,
                "file": place.name,
                "log_key": trust.log_key.encode() if trust.log_key else "",
                "witness_keys": [key.encode() for key in trust.witness_keys],
                "encoding": encoding,
                "checks": [[one.name, one.ok, one.detail] for one in found],
            }
        )

    def changed(self, name: str, base: Path, change: Change, *, seal: bool = True, **more: Any) -> None:
        """Keep a bundle with one change."""
        with tempfile.TemporaryDirectory() as place:
            copy = Path(shutil.copyfile(base, Path(place) / "job.zip"))
            folder = unpacked(copy)
            change(folder)
            self.add(name, resealed(folder) if seal else folder, **more)


def _packed(folder: Path, place: Path) -> None:
    files = sorted((p.relative_to(folder).as_posix(), p.read_bytes()) for p in folder.rglob("*") if p.is_file())
    with place.open("wb") as file:
        layout.write_archive(file, ((name, len(content), [content]) for name, content in files))


def _cases(test: Any) -> list[Any]:
    """What a test of Python's checks is parametrized with."""
    return list(test.pytestmark[0].args[1])


async def _bundle_vectors(folder: Path) -> list[dict[str, Any]]:
    kept = _Bundles(folder)
    with tempfile.TemporaryDirectory() as place:
        base = await exported(proven_gateway(), Path(place), "job.zip")
        cosigned = await exported(proven_gateway([WITNESS_KEY]), Path(place), "cosigned.zip")
        _whole(kept, base, cosigned)
        _forged(kept, base)
        _spelt(kept, base)
        _spoilt(kept, cosigned)
        _archives(kept, base)
        await _lies(kept, Path(place))
    return kept.told


def _whole(kept: _Bundles, base: Path, cosigned: Path) -> None:
    stranger = SigningKey("assay-1", bytes(range(3, 35))).verifier
    other = WitnessSigningKey("w1", bytes(range(5, 37))).verifier
    own = LOG_KEY.verifier
    kept.add("untouched", base)
    kept.add("untouched, key given", base, Trust(own))
    kept.add("cosigned", cosigned)
    kept.add("cosigned, keys given", cosigned, Trust(own, (WITNESS_KEY.verifier,)))
    kept.add("another log's key given", base, Trust(stranger))
    kept.add("a witness asked for that has not cosigned", base, Trust(own, (WITNESS_KEY.verifier,)))
    kept.add("another witness asked for", cosigned, Trust(None, (other,)))


def _forged(kept: _Bundles, base: Path) -> None:
    test = forged.test_a_forger_who_reseals_the_bundle_is_found_where_he_changed_it
    for forge in _cases(test):
        kept.changed(forge.__name__, base, forge)
    kept.changed("slip_in_a_member", base, forged.slip_in_a_member, seal=False)
    for name, value in forged.ANSWER_FIELDS.items():
        kept.changed(f"answer's {name}", base, _answer(name, value))
    for name, value in forged.JOB_FIELDS.items():
        kept.changed(f"job's {name}", base, _updated(layout.JOB, {name: value}))
    for change in _cases(forged.test_nothing_of_the_plan_can_be_changed):
        kept.changed(f"plan's {change}", base, _updated(layout.PLAN, change))
    for change in _cases(forged.test_nothing_of_what_was_proposed_can_be_changed):
        kept.changed("proposal", base, _proposed(change))


def _updated(member: str, change: dict[str, Any]) -> Change:
    return lambda folder: rewrite(folder / member, lambda value: value.update(change))


def _answer(name: str, value: Any) -> Change:
    return lambda folder: rewrite(folder / layout.JOB, lambda job: job["answer"].update({name: value}))


def _proposed(change: Callable[[Any], Any]) -> Change:
    return lambda folder: rewrite(folder / layout.PLAN, lambda plan: change(plan["proposal"]))


def _spelt(kept: _Bundles, base: Path) -> None:
    for name, plain, other in _cases(spelt.test_a_number_in_another_spelling_is_refused):
        kept.changed(f"{name}: {other!r}", base, _replaced(name, plain, other))
    for plain, other in _cases(spelt.test_a_proof_in_another_spelling_is_refused):
        kept.changed(f"proofs: {other!r}", base, _replaced(layout.PROOFS, plain, other))
    for change in _cases(spelt.test_signatures_and_keys_that_are_not_the_logs_are_refused):
        kept.changed(change.__name__, base, change, trust=Trust(LOG_KEY.verifier))
    for encode in _cases(spelt.test_a_frame_in_another_encoding_is_refused_and_named):
        member = spelt.FRAME_MEMBER
        kept.changed(encode.__name__, base, _framed(member, encode(TOTAL)), encoding=True)


def _replaced(name: str, plain: bytes, other: bytes) -> Change:
    def change(folder: Path) -> None:
        (folder / name).write_bytes((folder / name).read_bytes().replace(plain, other, 1))

    return change


def _framed(member: str, content: bytes) -> Change:
    return lambda folder: (folder / member).write_bytes(content)


def _spoilt(kept: _Bundles, cosigned: Path) -> None:
    for spoil, _ in _cases(spoilt.test_members_of_a_strange_shape_are_a_finding_and_no_crash):
        kept.changed(spoil.__name__, cosigned, spoil, seal=False)
    chance = random.Random(4)
    with zipfile.ZipFile(cosigned) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, content in members.items():
        places = {0, len(content) - 1, *chance.choices(range(len(content)), k=FLIPS)}
        for place in sorted(places):
            changed = bytearray(content)
            changed[place] ^= 1 << chance.randrange(8)
            write = _framed(name, bytes(changed))
            kept.changed(f"{name}, byte {place}", cosigned, write, seal=False)
        for what, other in {"less": content[:-1], "more": content + b"\n", "empty": b""}.items():
            kept.changed(f"{name}, {what}", cosigned, _framed(name, other), seal=False)
        kept.changed(f"{name}, gone", cosigned, _gone(name), seal=False)


def _gone(name: str) -> Change:
    return lambda folder: (folder / name).unlink()


def _archives(kept: _Bundles, base: Path) -> None:
    content = base.read_bytes()
    chance = random.Random(7)
    end = content.index(b"PK\x01\x02")
    places = {*range(0, 60), *range(len(content) - 22, len(content))}
    places |= {chance.randrange(len(content)) for _ in range(60)}
    places |= {chance.randrange(end, len(content)) for _ in range(80)}
    changes = {f"archive, byte {place}": _at(content, place, chance) for place in sorted(places)}
    for cut in (1, 22, 100, 5_000):
        changes[f"archive, {cut} less"] = content[:-cut]
        changes[f"archive, {cut} more"] = content + bytes(cut)
    for change in _cases(spelt.test_an_archive_with_anything_else_in_it_is_refused):
        changes[f"archive, {change.__name__}"] = change(content)
    with tempfile.TemporaryDirectory() as place:
        for name, changed in changes.items():
            path = Path(place) / "job.zip"
            path.write_bytes(changed)
            kept.add(name, path)


def _at(content: bytes, place: int, chance: random.Random) -> bytes:
    changed = bytearray(content)
    changed[place] ^= 1 << chance.randrange(8)
    return bytes(changed)


async def _lies(kept: _Bundles, folder: Path) -> None:
    told = {
        lying.countries: _cases(lying.test_a_lie_about_an_order_is_refused_and_its_sentence_named),
        lying.months: _cases(lying.test_a_lie_about_a_direction_is_refused),
        lying.quarters: _cases(lying.test_a_lie_about_a_course_is_refused),
    }
    for story, lies in told.items():
        for lie in (None, *lies):
            path = await bundle_of(Recorder(story(), lie), folder)
            name = f"{story.__name__}: {lie.__name__ if lie else 'the truth'}"
            kept.add(name, path, Trust(LOG_KEY.verifier))
            path.unlink()



if __name__ == "__main__":
    write(Path(sys.argv[1]))
