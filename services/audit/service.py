"""The audit service, put together."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import AsyncExitStack
from typing import Any

from grpc import aio

from assay.audit.v1 import audit_service_pb2, audit_service_pb2_grpc
from mesh.config import MeshSettings, load
from mesh.context import current
from mesh.errors import AssayError
from mesh.telemetry.instruments import AUDIT_ENTRIES, AUDIT_LAG
from mesh.telemetry.metrics import observe
from mesh.transport.dial import Dial
from mesh.transport.trespass import Record, Trespasses
from services.audit.adapters.checkpoints import CheckpointFolder
from services.audit.adapters.key_file import load_or_make_key
from services.audit.adapters.segment_log import SegmentLog
from services.audit.app import Audit
from services.audit.rpc import AuditServicer
from services.audit.settings import AuditSettings

log = logging.getLogger("assay.audit")


class AuditService:
    """The log of every job, behind audit.v1.

    Publishes a checkpoint at an interval when the log has grown, whenever one is asked for, and
    when it stops: a job's end is nothing the log knows of.
    """

    name = "audit"
    contracts = (audit_service_pb2.DESCRIPTOR.services_by_name["AuditService"].full_name,)

    def __init__(self, settings: MeshSettings, dial: Dial) -> None:
        self._settings = load(AuditSettings, **settings.model_dump())
        self._stack = AsyncExitStack()
        self._publishing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> AuditService:
        """Recover the log; never below what was published."""
        settings = self._settings
        key = await asyncio.to_thread(
            load_or_make_key, settings.folder("audit") / "signing.key", settings.audit_origin
        )
        checkpoints = await asyncio.to_thread(
            CheckpointFolder, settings.checkpoint_folder(), key.verifier
        )
        published = await asyncio.to_thread(checkpoints.published)
        entries = await SegmentLog.open(
            settings.log_folder(), published, segment_bytes=settings.audit_segment_bytes
        )
        self._stack.push_async_callback(entries.close)
        trespasses = Trespasses(self._record, self.name)
        self._stack.push_async_callback(trespasses.settled)
        self._audit = audit = Audit(
            entries, checkpoints, key, covered=published.size, noticed=trespasses.noticed
        )
        self._stack.callback(observe(AUDIT_ENTRIES, self.name, lambda: [(audit.lag[0], {})]))
        self._stack.callback(observe(AUDIT_LAG, self.name, lambda: [(audit.lag[1], {})]))
        self._stack.push_async_callback(self._publish)
        return self

    def register(self, server: aio.Server) -> None:
        """Serve audit.v1."""
        audit_service_pb2_grpc.add_AuditServiceServicer_to_server(
            AuditServicer(self._audit, self._settings.log_folder()), server
        )

    async def started(self) -> None:
        """Begin to publish at the interval."""
        self._publishing = asyncio.create_task(self._publish_regularly(), name="audit-publish")

    async def drain(self) -> None:
        """Stop publishing at the interval; an append that was accepted is finished by the log."""
        if self._publishing is not None:
            self._publishing.cancel()
            await asyncio.wait([self._publishing])

    async def __aexit__(self, *exception: Any) -> bool | None:
        """Publish what was not yet, and close the log."""
        await self.drain()
        return await self._stack.__aexit__(*exception)

    async def _record(self, record: Record) -> None:
        """Log a trespass, as the tenant who committed it."""
        await self._audit.append(
            tenant=current().tenant,
            request_id=record.request_id,
            event_type=record.event_type,
            event_data=json.loads(record.event_data_json),
            actor=record.actor,
            entry_id=record.entry_id,
        )

    async def _publish_regularly(self) -> None:
        while True:
            await asyncio.sleep(self._settings.audit_checkpoint_seconds)
            await self._publish()

    async def _publish(self) -> None:
        """A checkpoint, if the log has grown. A log that cannot be published goes on: what asks
        for a checkpoint is told why there is none."""
        try:
            await self._audit.checkpoint()
        except AssayError as error:
            log.error("no checkpoint was published: %s", error)
