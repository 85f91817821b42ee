"""`python -m services.audit.fsck FOLDER`: check an audit log from its raw entries alone.

Trusts neither the index nor the cached tree nor the writer: it reads the segment files, rebuilds
every chain and the Merkle root, compares it with every checkpoint that was published if it is
given them, and names the first entry that is wrong. It changes nothing and needs no lock; on a log
in use, the batch being written may show as a torn tail. Memory grows with the number of chains and
of checkpoints, not entries.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mesh.errors import ExitCode
from mesh.proof.chain import GENESIS_HASH, AuditEntry, entry_fault, parse_leaf
from mesh.proof.checkpoint import Checkpoint, CheckpointError, VerifierKey, verify_checkpoint
from mesh.proof.merkle import RootBuilder, leaf_hash
from mesh.text.harmless import harmless
from services.audit.adapters.checkpoints import NOTE_NAME, VERIFIER_NAME, published_notes
from services.audit.adapters.records import MARKER, RecordError, decode_record, was_durable
from services.audit.adapters.segments import FIRST_RECORD, segment_paths

_PLACE = re.compile(rb'"request_id": "([0-9a-f]{32})", "sequence_number": (\d{1,18})')


@dataclass(frozen=True, slots=True)
class Fault:
    """The first thing that is wrong, with its place as far as it can be told."""

    why: str
    leaf_index: int | None = None
    request_id: str | None = None
    sequence_number: int | None = None

    def __str__(self) -> str:
        place = "" if self.leaf_index is None else f"leaf {self.leaf_index}: "
        if self.sequence_number:
            place += f"entry {self.sequence_number} of request {self.request_id}: "
        return place + self.why


@dataclass(frozen=True, slots=True)
class Report:
    """What the entries add up to; `torn_bytes` were never acknowledged and do not count."""

    entries: int
    chains: int
    root: bytes
    torn_bytes: int
    fault: Fault | None


@dataclass(slots=True)
class _DamageError(Exception):
    leaf_index: int
    why: str
    data: bytes
    offset: int
    torn: bool = False


class _Checker:
    def __init__(self, checkpoints: Iterable[Checkpoint]) -> None:
        self.published = {checkpoint.size: checkpoint for checkpoint in checkpoints}
        self.published_size = max(self.published, default=0)
        self.tree = RootBuilder()
        self.heads: dict[str, tuple[int, str]] = {}
        self.entries = 0

    def check(self, leaf: bytes) -> Fault | None:
        """Check the next leaf, and the tree so far when it has the checkpoint's size."""
        try:
            entry = parse_leaf(leaf)
        except ValueError as error:
            return Fault(f"not an entry: {error}", self.entries)
        sequence, parent_hash = self.heads.get(entry.request_id, (0, GENESIS_HASH))
        why = entry_fault(entry, sequence + 1, parent_hash, entry.request_id)
        if why:
            return Fault(why, self.entries, entry.request_id, sequence + 1)
        self.heads[entry.request_id] = (entry.sequence_number, entry.hash)
        self.tree.add(leaf_hash(leaf))
        self.entries += 1
        return self._against_checkpoint()

    def finish(self) -> Fault | None:
        """Check that nothing is missing at the end."""
        if self.published_size > self.entries:
            return Fault(
                f"the checkpoint says {self.published_size:,} entries, the log holds "
                f"{self.entries:,}: its tail was deleted",
                self.entries,
            )
        return None

    def locate(self, damage: _DamageError) -> Fault:
        """Name the chain and sequence number of a damaged record.

        A later entry of its chain shows the gap; without one, what is left of the record may say.
        """
        heads = {request: sequence for request, (sequence, _) in self.heads.items()}
        for entry in _sound_entries(damage.data, damage.offset):
            expected = heads.get(entry.request_id, 0) + 1
            if entry.sequence_number > expected:
                return Fault(damage.why, damage.leaf_index, entry.request_id, expected)
            heads[entry.request_id] = entry.sequence_number
        end = damage.data.find(MARKER, damage.offset + 1)
        remains = damage.data[damage.offset : end if end > 0 else None]
        found = _PLACE.search(remains)
        if found:
            request_id, sequence = found[1].decode(), int(found[2])
            if sequence == self.heads.get(request_id, (0, ""))[0] + 1:
                return Fault(damage.why, damage.leaf_index, request_id, sequence)
        return Fault(damage.why, damage.leaf_index)

    def _against_checkpoint(self) -> Fault | None:
        published = self.published.get(self.entries)
        if not published or published.root == self.tree.root():
            return None
        return Fault(
            f"the first {published.size:,} entries have the root {self.tree.root().hex()}, the "
            f"checkpoint says {published.root.hex()}: some entry among them was replaced",
        )


def check_log(
    folder: Path, checkpoint: Checkpoint | None = None, earlier: Iterable[Checkpoint] = ()
) -> Report:
    """Check every entry under a log's folder, against its newest checkpoint and `earlier` ones.

    Raises OSError when it cannot be read.
    """
    checker = _Checker([*earlier, *([checkpoint] if checkpoint else [])])
    fault: Fault | None = None
    torn_bytes = 0
    try:
        for leaf in _leaves(folder / "entries"):
            fault = fault or checker.check(leaf)
    except _DamageError as damage:
        if damage.torn and checker.published_size <= checker.entries:
            torn_bytes = len(damage.data) - damage.offset
        else:
            fault = fault or checker.locate(damage)
    fault = fault or checker.finish()
    return Report(checker.entries, len(checker.heads), checker.tree.root(), torn_bytes, fault)


def read_checkpoint(folder: Path, key: str = "") -> Checkpoint | None:
    """The checkpoint published in a folder, or None before the first.

    `key` is the log's encoded verifier key; without it the folder's own is trusted. Raises
    CheckpointError when the signature does not hold, OSError when the folder cannot be read.
    """
    if not (folder / NOTE_NAME).exists():
        return None
    verifier = VerifierKey.parse(key or (folder / VERIFIER_NAME).read_text(encoding="utf-8"))
    return verify_checkpoint((folder / NOTE_NAME).read_text(encoding="utf-8"), verifier)


def read_published(folder: Path, key: str = "") -> list[Checkpoint]:
    """Every checkpoint that was published in a folder, smallest first; raises as the above."""
    notes = published_notes(folder)
    if not notes:
        return []
    verifier = VerifierKey.parse(key or (folder / VERIFIER_NAME).read_text(encoding="utf-8"))
    return [verify_checkpoint(note.read_text(encoding="utf-8"), verifier) for note in notes]


def _leaves(folder: Path) -> Iterator[bytes]:
    """Every leaf in order. Raises _DamageError at the first record that is not whole."""
    leaf_index = 0
    paths = segment_paths(folder)
    for path in paths:
        data = path.read_bytes()
        if int(path.stem) != leaf_index:
            raise _DamageError(leaf_index, f"missing before {path.name}", data, FIRST_RECORD)
        offset = FIRST_RECORD
        while offset < len(data):
            try:
                record = decode_record(data, offset)
            except RecordError as error:
                torn = path == paths[-1] and not was_durable(data, offset, leaf_index)
                raise _DamageError(leaf_index, f"damaged: {error}", data, offset, torn) from error
            yield record.leaf
            offset, leaf_index = record.end, leaf_index + 1


def _sound_entries(data: bytes, offset: int) -> Iterator[AuditEntry]:
    """Entries after a damaged place that are whole again."""
    place = data.find(MARKER, offset + 1)
    while place >= 0:
        with suppress(ValueError):  # raised inside the damage
            yield parse_leaf(decode_record(data, place).leaf)
        place = data.find(MARKER, place + 1)


def main(arguments: list[str] | None = None) -> int:
    """Print the report; returns 0 when all holds, 5 when something does not, 2 on wrong use."""
    parser = argparse.ArgumentParser(
        "python -m services.audit.fsck",
        description="Check an audit log from its raw entries alone and name the first bad one.",
    )
    parser.add_argument("folder", type=Path, help="the log's folder, which holds entries/")
    parser.add_argument("--checkpoints", type=Path, help="the folder of the published checkpoint")
    parser.add_argument("--key", default="", help="the log's verifier key, from a trusted place")
    options = parser.parse_args(arguments)
    if not (options.folder / "entries").is_dir():
        print(harmless(f"error   there is no audit log in {options.folder}"), file=sys.stderr)
        return ExitCode.WRONG_USE
    try:
        place = options.checkpoints
        published = read_checkpoint(place, options.key) if place else None
        earlier = read_published(place, options.key) if place else []
        report = check_log(options.folder, published, earlier)
    except CheckpointError as error:
        print(harmless(f"checkpoint   {error}"))
        return ExitCode.VERIFICATION_FAILED
    print(f"entries      {report.entries:,} in {report.chains:,} chains")
    print(f"root         {report.root.hex()}")
    if report.torn_bytes:
        print(f"torn tail    {report.torn_bytes:,} bytes that were never acknowledged")
    if report.fault:
        print(harmless(f"first bad    {report.fault}"))
        return ExitCode.VERIFICATION_FAILED
    if published:
        origin = harmless(published.origin)
        print(f"checkpoint   {published.size:,} entries of {origin}, signed: ok")
    if earlier:
        print(f"published    {len(earlier):,} checkpoints, each with the root of its entries: ok")
    return ExitCode.ANSWERED


if __name__ == "__main__":
    sys.exit(main())
