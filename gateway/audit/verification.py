"""Verifying a job: reads each record and each content once and makes the checks in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from itertools import groupby

from gateway.domain.verification import (
    ArtifactRecord,
    ChainReading,
    Check,
    artifact_fault,
    check_chain,
    check_tree,
    claimed_size,
    not_covered,
)
from gateway.ports import Evidence
from mesh.errors import AssayError, Kind
from mesh.proof.claims import ClaimRecord, frame_fault, unrecorded_claim

# A peer that says a content or proof is gone or damaged has found something. Whatever else it says
# (it is away, time ran out) tells nothing about the content: then the verification fails as a call.
_FINDINGS = frozenset({Kind.NOT_FOUND, Kind.WRONG_USE, Kind.DATA, Kind.UNREADABLE, Kind.INTEGRITY})


class Verification:
    """Makes the checks on a job's records."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    async def checks(
        self, job_id: str, artifacts: Sequence[ArtifactRecord], claims: Sequence[ClaimRecord]
    ) -> list[Check]:
        """What was found, in the order of checking; the first that fails is the last."""
        found: list[Check] = []
        async for check in self._in_order(job_id, artifacts, claims):
            found.append(check)
            if not check.ok:
                break
        return found

    async def _in_order(
        self, job_id: str, artifacts: Sequence[ArtifactRecord], claims: Sequence[ClaimRecord]
    ) -> AsyncIterator[Check]:
        reading = await self._read_chain(job_id)
        yield check_chain(reading)
        yield await self._tree(reading)
        yield await self._artifacts(artifacts, reading)
        yield await self._claims(claims, reading)
        if reading.read_frames:
            yield await self._frames(reading)

    async def _read_chain(self, job_id: str) -> ChainReading:
        reading = ChainReading(job_id)
        try:
            async for entry in self._evidence.entries(job_id):
                reading.add(entry)
                if reading.fault:
                    break
        except ValueError as error:
            reading.fault = f"entry {reading.count + 1}: {error}"
        return reading

    async def _tree(self, reading: ChainReading) -> Check:
        if reading.last is None:
            raise ValueError("a chain without entries has no place in the tree")
        root = await self._evidence.signed_root(reading.last.leaf_index + 1)
        try:
            proof = await self._evidence.inclusion(reading.last.leaf_index, claimed_size(root))
        except AssayError as error:
            return Check("tree", False, _found(f"entry {reading.count}", error))
        return check_tree(reading.last, proof, root)

    async def _artifacts(self, artifacts: Sequence[ArtifactRecord], reading: ChainReading) -> Check:
        for artifact in artifacts:
            try:
                actual = await self._evidence.artifact_digest(artifact.content_ref)
            except AssayError as error:
                return Check("artifacts", False, _found(artifact.content_ref, error))
            fault = artifact_fault(artifact, actual, reading.artifact_hashes)
            if fault:
                return Check("artifacts", False, fault)
        sources = list(dict.fromkeys(reading.source_digests))
        damages = await self._evidence.damaged_records(reading.call_ids, sources, reading.seals)
        if damages:
            return Check("artifacts", False, damages[0])
        count = len(artifacts)
        detail = "1 file matches its hash" if count == 1 else f"{count:,} files match their hashes"
        return Check("artifacts", True, detail + not_covered(reading))

    async def _claims(self, claims: Sequence[ClaimRecord], reading: ChainReading) -> Check:
        fault = unrecorded_claim(claims, reading.claims)
        if fault:
            return Check("claims", False, fault)
        by_frame = groupby(sorted(claims, key=_frame), key=_frame)
        for digest, cited in by_frame:
            try:
                rows, actual = await self._evidence.frame(digest)
            except AssayError as error:
                return Check("claims", False, _found(f"frame {digest[:8]}", error))
            fault = await asyncio.to_thread(frame_fault, list(cited), rows)
            if actual != digest:
                fault = f"frame {digest[:8]}: its rows have digest {actual[:12]}…"
            if fault:
                return Check("claims", False, fault)
        count = len(claims)
        numbers = "1 number" if count == 1 else f"{count:,} numbers"
        return Check("claims", True, f"{numbers} found in the frames they cite")

    async def _frames(self, reading: ChainReading) -> Check:
        """Whether the chains of the jobs whose tables it reads hold, and made these tables."""
        waiting, seen = list(reading.read_frames.items()), set[str]()
        while waiting:
            digest, job_id = waiting.pop()
            if job_id in seen:
                continue
            seen.add(job_id)
            earlier = await self._read_chain(job_id)
            for check in (check_chain(earlier), await self._place(earlier)):
                if not check.ok:
                    return Check("lineage", False, f"job {job_id[:8]}: {check.detail}")
            if digest not in earlier.frames:
                return Check("lineage", False, f"job {job_id[:8]} made no table {digest[:12]}…")
            waiting += earlier.read_frames.items()
        jobs = "1 earlier job" if len(seen) == 1 else f"{len(seen):,} earlier jobs"
        return Check("lineage", True, f"tables of {jobs} whose records hold, back to their sources")

    async def _place(self, reading: ChainReading) -> Check:
        """The place of a chain in the tree, of one that is there."""
        if reading.last is None:
            return check_chain(reading)
        return await self._tree(reading)


def _frame(claim: ClaimRecord) -> str:
    return claim.frame_digest


def _found(what: str, error: AssayError) -> str:
    if error.reason.kind not in _FINDINGS:
        raise error
    if error.reason.kind is Kind.UNREADABLE:
        return f"{what}: it is damaged, and cannot be read as what it was stored as"
    return f"{what}: {error.message}"
