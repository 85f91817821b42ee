"""Archives that are not as Assay writes them are refused, whatever they hold."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from clients.python.verification import layout
from tests.unit.clients.bundles import wrong


def archive_of(members: list[tuple[str, bytes]], compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive as Assay writes it, but for what `members` holds."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members:
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.create_system, member.external_attr = 3, 0o100644 << 16
            member.compress_type = compression
            archive.writestr(member, content)
    return file.getvalue()


def members_of(path: Path) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def test_an_archive_made_again_of_the_same_members_is_the_same(cosigned: Path) -> None:
    assert archive_of(members_of(cosigned)) == cosigned.read_bytes()


def test_members_in_another_order_are_found(cosigned: Path) -> None:
    cosigned.write_bytes(archive_of(members_of(cosigned)[::-1]))
    assert "the archive differs" in wrong(cosigned).detail


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_named(cosigned: Path) -> None:
    members = members_of(cosigned)
    cosigned.write_bytes(archive_of([*members, (layout.JOB, b"{}")]))
    assert wrong(cosigned).detail == f"{layout.JOB} is in cosigned.zip twice"


def test_compressed_members_are_refused_before_they_are_unpacked(cosigned: Path) -> None:
    cosigned.write_bytes(archive_of(members_of(cosigned), zipfile.ZIP_DEFLATED))
    assert "is compressed, which Assay's bundles never are" in wrong(cosigned).detail


@pytest.mark.parametrize(
    "name", ["../outside.txt", "/outside.txt", "artifacts/../../outside.txt", "C:\\outside.txt"]
)
def test_names_that_lead_out_of_the_bundle_are_named_and_nothing_is_written(
    cosigned: Path, name: str
) -> None:
    before = sorted(cosigned.parent.rglob("*"))
    cosigned.write_bytes(archive_of(sorted([*members_of(cosigned), (name, b"trust me")])))
    assert name in wrong(cosigned).detail
    assert sorted(cosigned.parent.rglob("*")) == before


def test_members_that_lie_over_one_another_are_refused(cosigned: Path) -> None:
    """As in a zip bomb that needs no compression: many names for the same bytes."""
    big = 1 << 20
    plain = archive_of([("a", bytes(big))])
    start = plain.index(b"PK\x01\x02")
    end = plain.index(b"PK\x05\x06")
    record = plain[start:end]
    directory = b"".join(record[:-1] + bytes([letter]) for letter in b"abcdefgh")
    tail = bytearray(plain[end:])
    for place in (8, 10):
        tail[place : place + 2] = (8).to_bytes(2, "little")
    tail[12:16] = len(directory).to_bytes(4, "little")
    cosigned.write_bytes(plain[:start] + directory + bytes(tail))
    assert wrong(cosigned).detail == "the members of cosigned.zip lie over one another"


def test_a_zip_bomb_is_refused_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(layout.ENTRIES, "w", force_zip64=True) as member,
    ):
        for _ in range(512):
            member.write(bytes(1 << 20))
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from clients.python.cli.verifying import checked\n"
        "from clients.python.verification import agreement  # imported before memory is read\n"
        "from clients.python.verification.reading import Trust\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "[found] = checked(Path(sys.argv[1]), Trust())\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, found.detail)"
    )
    command = [sys.executable, "-c", code, str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    grown, _, detail = ran.stdout.partition(" ")
    assert "is compressed" in detail
    assert int(grown) * 1024 < 32 << 20
