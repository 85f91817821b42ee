"""No byte of a bundle changes, and no member, without being found and named."""

from __future__ import annotations

import json
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clients.python.cli.verifying import checked
from clients.python.verification import bundle as bundles
from clients.python.verification import layout
from clients.python.verification.reading import Trust
from tests.unit.clients.bundles import resealed, rewrite, unpacked, wrong
from tests.unit.clients.test_bundle import named

FLIPS = 40
# What every format of a member is made of; one of each that a member has is changed.
CLASSES: dict[str, Callable[[int], bool]] = {
    "digit": lambda byte: chr(byte).isdigit(),
    "letter": lambda byte: byte < 128 and chr(byte).isalpha(),
    "mark": lambda byte: 32 < byte < 127 and not chr(byte).isalnum(),
    "space": lambda byte: byte == 32,
    "line feed": lambda byte: byte == 10,
    "zero": lambda byte: byte == 0,
    "control": lambda byte: 0 < byte < 32 and byte != 10,
    "high": lambda byte: byte >= 127,
}


def files_in(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def test_the_bundle_that_is_changed_here_has_every_member_there_can_be(cosigned: Path) -> None:
    names = set(zipfile.ZipFile(cosigned).namelist())
    constants = {value for name, value in vars(layout).items() if name.isupper()}
    assert {name for name in constants if isinstance(name, str)} - names == {
        layout.FORMAT,
        layout.ARTIFACTS,
        layout.FRAMES,
    }


def test_a_byte_of_every_class_in_every_member_is_found_and_named(cosigned: Path) -> None:
    folder = unpacked(cosigned)
    chance = random.Random(4)
    for path in files_in(folder):
        content = path.read_bytes()
        places = {0, len(content) - 1, *chance.choices(range(len(content)), k=FLIPS)}
        for belongs in CLASSES.values():
            having = [place for place, byte in enumerate(content) if belongs(byte)]
            places |= set(chance.choices(having, k=2)) if having else set()
        for place in sorted(places):
            changed = bytearray(content)
            changed[place] ^= 1 << chance.randrange(8)
            path.write_bytes(bytes(changed))
            found = wrong(folder)
            member = path.relative_to(folder).as_posix()
            assert named(found, member), (member, place, content[place], found)
        path.write_bytes(content)
    assert all(finding.ok for finding in checked(folder, Trust()))


@pytest.mark.parametrize("change", ["a byte less", "a byte more", "empty"])
def test_a_member_of_another_length_is_found_and_named(cosigned: Path, change: str) -> None:
    folder = unpacked(cosigned)
    for path in files_in(folder):
        content = path.read_bytes()
        changed = {"a byte less": content[:-1], "a byte more": content + b"\n", "empty": b""}
        path.write_bytes(changed[change])
        found = wrong(folder)
        assert named(found, path.relative_to(folder).as_posix()), (path.name, found)
        path.write_bytes(content)


def test_a_missing_member_is_found_and_named(cosigned: Path) -> None:
    folder = unpacked(cosigned)
    for path in files_in(folder):
        content = path.read_bytes()
        path.unlink()
        found = wrong(folder)
        assert named(found, path.relative_to(folder).as_posix()), (path.name, found)
        path.write_bytes(content)


def test_a_renamed_member_is_found(cosigned: Path) -> None:
    folder = unpacked(cosigned)
    for path in files_in(folder):
        renamed = path.rename(path.with_name(f"{path.name}.old"))
        wrong(folder)
        renamed.rename(path)


ADDED = ["notes.txt", "artifacts/charts/more.png", "frames/notes.txt", "proofs.jsonl.old"]


@pytest.mark.parametrize("name", ADDED)
def test_an_added_member_is_found_even_when_the_manifest_lists_it(
    cosigned: Path, name: str
) -> None:
    folder = unpacked(cosigned)
    (folder / name).write_text("trust me")
    found = wrong(folder)
    assert name in found.detail
    found = wrong(resealed(folder))
    assert name in found.detail


def test_a_proof_under_another_entrys_number_is_found(cosigned: Path) -> None:
    folder = unpacked(cosigned)
    path = folder / layout.PROOFS
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    lines[3]["sequence_number"] = 9
    path.write_bytes(b"".join(map(layout.line, lines)))
    assert wrong(resealed(folder)).detail.startswith("entry 4: its proof does not hold")


def test_a_damaged_proof_is_told_in_words_of_ours(cosigned: Path) -> None:
    folder = unpacked(cosigned)
    path = folder / layout.PROOFS
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    lines[3]["hashes"][0] = "?" + lines[3]["hashes"][0][1:]
    path.write_bytes(b"".join(map(layout.line, lines)))
    found = wrong(resealed(folder))
    assert found.detail.startswith("entry 4: its proof does not hold")
    assert "hexadecimal" in found.detail
    assert "fromhex" not in found.detail


def test_a_proof_is_checked_where_it_differs_from_its_neighbours(cosigned: Path) -> None:
    """Neighbours share the upper hashes of their proofs: each is held against the root."""
    folder = unpacked(cosigned)
    path = folder / layout.PROOFS
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for number, line in enumerate(lines):
        for place in range(len(line["hashes"])):
            changed = json.loads(json.dumps(lines))
            digest = changed[number]["hashes"][place]
            changed[number]["hashes"][place] = f"{int(digest[0], 16) ^ 1:x}{digest[1:]}"
            path.write_bytes(b"".join(map(layout.line, changed)))
            found = wrong(folder)
            assert found.detail.startswith(f"entry {number + 1}: its proof does not hold")


@pytest.mark.parametrize("kind", ["link", "linked folder", "pipe"])
def test_a_folder_holds_files_and_folders_only(cosigned: Path, kind: str) -> None:
    folder = unpacked(cosigned)
    place = folder / "more"
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(folder / (layout.JOB if kind == "link" else "frames"))
    assert wrong(folder).detail.startswith("more is neither a file nor a folder")


def nest(folder: Path) -> None:
    (folder / layout.CLAIMS).write_bytes(b"[" * 200_000)


def nest_an_entry(folder: Path) -> None:
    path = folder / layout.ENTRIES
    deep = b'{"event_data": ' + b'{"a":' * 200_000 + b"1" + b"}" * 200_001
    path.write_bytes(deep + b"\n" + path.read_bytes())


def claim_infinity(folder: Path) -> None:
    path = folder / layout.CLAIMS
    path.write_bytes(path.read_bytes().replace(b'"row": 0', b'"row": 1e999', 1))


def prove_infinity(folder: Path) -> None:
    path = folder / layout.PROOFS
    path.write_bytes(path.read_bytes().replace(b'"leaf_index":1,', b'"leaf_index":1e999,', 1))


def answer_a_list(folder: Path) -> None:
    rewrite(folder / layout.JOB, lambda job: job.update(answer=["artifacts"]))


def answer_numbers(folder: Path) -> None:
    rewrite(folder / layout.JOB, lambda job: job["answer"].update(artifacts=[1, 2]))


def plan_nothing(folder: Path) -> None:
    rewrite(folder / layout.PLAN, lambda plan: plan.update(subtasks=None))


def plan_words(folder: Path) -> None:
    rewrite(folder / layout.PLAN, lambda plan: plan.update(subtasks=["load"]))


def list_nothing(folder: Path) -> None:
    def change(manifest: Any) -> None:
        manifest["members"] = {name: None for name in manifest["members"]}

    rewrite(folder / layout.MANIFEST, change)


@pytest.mark.parametrize(
    ("spoil", "member"),
    [
        (nest, layout.CLAIMS),
        (nest_an_entry, "entry 1"),
        (claim_infinity, layout.CLAIMS),
        (prove_infinity, "proofs.jsonl: line 1 is not in its one spelling"),
        (answer_a_list, layout.JOB),
        (answer_numbers, layout.JOB),
        (plan_nothing, layout.PLAN),
        (plan_words, layout.PLAN),
        (list_nothing, layout.MANIFEST),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_members_of_a_strange_shape_are_a_finding_and_no_crash(
    cosigned: Path, spoil: Callable[[Path], None], member: str
) -> None:
    folder = unpacked(cosigned)
    spoil(folder)
    assert member in wrong(folder).detail


def test_hashing_on_another_processor_finds_the_same(
    cosigned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundles, "_SMALL_BYTES", 0)
    plain = [finding.detail for finding in checked(cosigned, Trust())]
    monkeypatch.setattr(bundles, "_SMALL_BYTES", 1 << 40)
    assert [finding.detail for finding in checked(cosigned, Trust())] == plain
    monkeypatch.setattr(bundles, "_SMALL_BYTES", 0)
    content = cosigned.read_bytes()
    for place in random.Random(8).choices(range(len(content)), k=60):
        cosigned.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        wrong(cosigned)
