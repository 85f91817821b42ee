"""The audit service, put together."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from grpc import aio

from assay.audit.v1 import audit_service_pb2, audit_service_pb2_grpc
from mesh.config import MeshSettings
from mesh.dial import Dial
from services.audit.adapters.checkpoints import CheckpointFolder
from services.audit.adapters.key_file import load_or_make_key
from services.audit.adapters.segment_log import SegmentLog
from services.audit.app import Audit
from services.audit.rpc import AuditServicer
from services.audit.settings import AuditSettings


class AuditService:
    """The log of every job, behind audit.v1."""

    name = "audit"
    contracts = (audit_service_pb2.DESCRIPTOR.services_by_name["AuditService"].full_name,)

    def __init__(self, settings: MeshSettings, dial: Dial) -> None:
        self._settings = AuditSettings.model_validate(settings.model_dump())
        self._stack = AsyncExitStack()

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
        log = await SegmentLog.open(settings.log_folder(), published)
        self._stack.push_async_callback(log.close)
        self._audit = Audit(log, checkpoints, key)
        return self

    def register(self, server: aio.Server) -> None:
        """Serve audit.v1."""
        audit_service_pb2_grpc.add_AuditServiceServicer_to_server(
            AuditServicer(self._audit), server
        )

    async def started(self) -> None:
        """Nothing runs in the background."""

    async def drain(self) -> None:
        """Nothing to stop: an append that was accepted is finished by the log."""

    async def __aexit__(self, *exception: Any) -> bool | None:
        """Close the log."""
        return await self._stack.__aexit__(*exception)
