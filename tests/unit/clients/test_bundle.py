"""An exported job is checked with nothing but itself, and no byte of it can be changed unseen."""

from __future__ import annotations

import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from assay.common.v1 import job_pb2
from clients.python.cli.verifying import checked
from clients.python.verification import layout
from clients.python.verification.reading import Finding, Trust
from mesh.digest import file_digest
from mesh.errors import INVALID_ARGUMENT, VERIFICATION_FAILED, AssayError
from mesh.proof.chain import parse_leaf
from mesh.proof.checkpoint import SigningKey
from mesh.proof.cosignature import WitnessSigningKey
from tests.unit.clients.bundles import (
    CHECKS,
    exported,
    left_in,
    unpacked,
    wrong,
)
from tests.unit.clients.proven import (
    LOG_KEY,
    WITNESS_KEY,
    proven_gateway,
)


def test_an_untouched_bundle_passes_every_check(bundle: Path) -> None:
    found = checked(bundle, Trust())
    assert [(finding.name, finding.ok) for finding in found] == [(name, True) for name in CHECKS]
    assert [finding.detail for finding in found[:5]] == [
        "11 entries, unbroken",
        "included in checkpoint 14, signed by assay-1 (key from the bundle)",
        "2 files match their hashes",
        "2 numbers found in the frames they cite",
        "3 steps and 3 calls agree with the chain",
    ]


async def test_the_same_job_gives_the_same_bytes(bundle: Path, tmp_path: Path) -> None:
    again = await exported(proven_gateway(), tmp_path, "again.zip")
    assert file_digest(again) == file_digest(bundle)


async def test_a_bundle_may_be_a_folder(tmp_path: Path, bundle: Path) -> None:
    folder = await exported(proven_gateway(), tmp_path, "folder")
    assert all(finding.ok for finding in checked(folder, Trust()))
    assert all(finding.ok for finding in checked(unpacked(bundle), Trust()))


def test_the_exported_entries_satisfy_the_specifications_own_verifier(bundle: Path) -> None:
    from tests.unit.mesh.test_chain import verify_audit_chain

    assert verify_audit_chain(unpacked(bundle) / layout.ENTRIES)


async def test_nothing_half_written_stays_when_an_export_fails(tmp_path: Path) -> None:
    gateway = proven_gateway()
    gateway.contents = dict.fromkeys(gateway.contents, b"something else")
    with pytest.raises(AssayError) as refused:
        await exported(gateway, tmp_path)
    assert refused.value.reason is VERIFICATION_FAILED
    assert left_in(tmp_path) == []


async def test_an_export_does_not_take_the_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    with pytest.raises(AssayError, match="already") as refused:
        await exported(proven_gateway(), tmp_path, "job")
    assert refused.value.reason is INVALID_ARGUMENT


def test_a_changed_byte_in_any_member_is_found_and_named(bundle: Path) -> None:
    folder = unpacked(bundle)
    chance = random.Random(1997)
    names = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    assert len(names) == 13
    for path in names:
        content = path.read_bytes()
        places = {0, len(content) - 1, *(chance.randrange(len(content)) for _ in range(12))}
        for place in places:
            changed = bytearray(content)
            changed[place] ^= 1 << chance.randrange(8)
            path.write_bytes(bytes(changed))
            found = wrong(folder)
            assert named(found, path.relative_to(folder).as_posix()), (path.name, place, found)
        path.write_bytes(content)
    assert all(finding.ok for finding in checked(folder, Trust()))


def named(found: Finding, member: str) -> bool:
    """Whether a finding names the member, or the entry or claim or proof in it."""
    places = {
        layout.ENTRIES: ("entry ", layout.ENTRIES),
        layout.PROOFS: ("entry ", layout.PROOFS),
        layout.CHECKPOINT: ("checkpoint", "entry 1: its proof"),
        layout.CLAIMS: ("claim ", layout.CLAIMS),
        # A changed list of hashes and a changed content look the same.
        layout.MANIFEST: (layout.MANIFEST,),
    }
    wanted = places.get(member, (member.removeprefix("artifacts/"),))
    # The job names the files of the answer, so a changed name there is a file that is not recorded.
    if member == layout.JOB:
        wanted = (layout.JOB, "charts/", "reports/", "the chain does not record it", "place in a")
    return any(text in found.detail for text in wanted)


def test_a_changed_byte_anywhere_in_the_archive_is_found(bundle: Path) -> None:
    content = bundle.read_bytes()
    chance = random.Random(7)
    places = [chance.randrange(len(content)) for _ in range(250)]
    end = content.index(b"PK\x01\x02")  # the archive's own directory
    places += range(0, 60)
    places += [chance.randrange(end, len(content)) for _ in range(150)]
    places += range(len(content) - 22, len(content))
    for place in places:
        changed = bytearray(content)
        changed[place] ^= 1 << chance.randrange(8)
        bundle.write_bytes(bytes(changed))
        wrong(bundle)


@pytest.mark.parametrize("cut", [1, 22, 100, 5_000])
def test_an_archive_that_was_cut_off_or_added_to_is_found(bundle: Path, cut: int) -> None:
    content = bundle.read_bytes()
    bundle.write_bytes(content[:-cut])
    wrong(bundle)
    bundle.write_bytes(content + bytes(cut))
    wrong(bundle)


def test_a_flipped_bit_in_an_entry_is_named_by_its_sequence_number(bundle: Path) -> None:
    folder = unpacked(bundle)
    lines = (folder / layout.ENTRIES).read_bytes().split(b"\n")
    lines[4] = lines[4].replace(b'"load"', b'"lobd"') or lines[4]
    lines[4] = bytes([*lines[4][:60], lines[4][60] ^ 1, *lines[4][61:]])
    (folder / layout.ENTRIES).write_bytes(b"\n".join(lines))
    found = wrong(folder)
    assert found.name == "chain"
    assert found.detail.startswith("entry 5: ")


def test_a_bundle_forged_as_a_whole_does_not_hold_under_the_logs_own_key(
    bundle: Path,
) -> None:
    stranger = SigningKey.generate("assay-1")
    assert checked(bundle, Trust(log_key=LOG_KEY.verifier))[-1].ok
    found = wrong(bundle, Trust(log_key=stranger.verifier))
    assert (found.name, found.detail[:41]) == ("tree", "checkpoint: the note is not signed by ass")


async def test_a_witness_that_is_asked_for_must_have_cosigned(bundle: Path, tmp_path: Path) -> None:
    asked = Trust(LOG_KEY.verifier, (WITNESS_KEY.verifier,))
    found = wrong(bundle, asked)
    assert found.detail == "checkpoint 14: it is not cosigned by w1"

    cosigned = await exported(proven_gateway([WITNESS_KEY]), tmp_path, "cosigned.zip")
    assert checked(cosigned, asked)[1].detail == (
        "included in checkpoint 14, signed by assay-1, witnessed by w1"
    )
    assert checked(cosigned, Trust())[1].detail.endswith("by w1 (keys from the bundle)")
    other = WitnessSigningKey("w1", bytes(range(5, 37)))
    assert "not cosigned by w1" in wrong(cosigned, Trust(None, (other.verifier,))).detail


async def test_a_job_without_an_answer_is_exported_as_far_as_it_came(tmp_path: Path) -> None:
    gateway = proven_gateway()
    gateway.chain, gateway.proofs = gateway.chain[:1], gateway.proofs[:2]
    assert gateway.told is not None
    for name in ("answer", "plan"):
        gateway.told.ClearField(name)
    gateway.told.understood = ""
    gateway.told.state = job_pb2.JOB_STATE_PLANNING
    path = await exported(gateway, tmp_path)
    assert all(finding.ok for finding in checked(path, Trust()))
    assert layout.PLAN not in zipfile.ZipFile(path).namelist()


async def test_a_job_cannot_be_told_to_have_ended_before_its_chain_says_so(tmp_path: Path) -> None:
    gateway = proven_gateway()
    gateway.chain, gateway.proofs = gateway.chain[:1], gateway.proofs[:2]
    assert gateway.told is not None
    for name in ("answer", "plan"):
        gateway.told.ClearField(name)
    gateway.told.understood = ""
    found = wrong(await exported(gateway, tmp_path))
    assert found.detail == "job.json: its state is completed, the chain has no end of it"


async def test_entries_that_came_after_the_export_began_are_left_out(tmp_path: Path) -> None:
    gateway = proven_gateway()
    late = parse_leaf(gateway.chain[-1].rstrip(b"\n")).sequence_number + 1
    part = type(gateway.proofs[-1])()
    part.proof.sequence_number = late
    gateway.proofs.append(part)
    assert all(finding.ok for finding in checked(await exported(gateway, tmp_path), Trust()))


def test_checking_a_bundle_needs_no_service_and_no_grpc(bundle: Path) -> None:
    code = (
        "import sys\n"
        "for name in ('grpc', 'services', 'gateway', 'assay', 'duckdb', 'sqlalchemy'):\n"
        "    sys.modules[name] = None\n"
        "from clients.python.cli.main import run\n"
        f"sys.exit(run(['verify', {str(bundle)!r}]))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count(" ok") == len(CHECKS)


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive", bytes(100)])
def test_what_is_no_bundle_is_told_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "job.zip"
    path.write_bytes(content)
    found = wrong(path)
    assert found.name == "bundle"
    assert "job.zip cannot be read as a zip archive" in found.detail
