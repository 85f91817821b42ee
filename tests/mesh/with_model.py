"""A mesh that asks a language model, whose answers a test has written."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.common.v1 import analysis_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from mesh.testing.mesh import running_mesh
from mesh.testing.model_server import Answered, ModelServer, model_server
from services.__main__ import factories
from tests.mesh.support import Caller

MODEL = "openai:scripted"
UNHEARD_OF = "zorkify the frobnicators"
PARTLY = "total quantity by region flimflam"
BY_REGION = 'SELECT "region", sum("quantity") AS "pieces" FROM "sales" GROUP BY 1 ORDER BY 2 DESC'
SUMMARY = (analysis_pb2.DELIVERABLE_TABLES, analysis_pb2.DELIVERABLE_SUMMARY)


@dataclass
class Ours:
    """A mesh, somebody who asks it, and the model that it asks."""

    caller: Caller
    model: ModelServer
    home: Path

    async def entries(self, job_id: str) -> list[Any]:
        listing = records_pb.ListEntriesRequest(job_id=job_id)
        return list((await self.caller.records.ListEntries(listing)).entries)

    async def calls(self, job_id: str) -> list[tuple[str, dict[str, Any]]]:
        """Tools that were called, with their arguments, as the audit log has them."""
        entries = await self.entries(job_id)
        called = [json.loads(e.event_data_json) for e in entries if e.event_type == "tool_called"]
        return [(call["tool_name"], call["arguments"]) for call in called]


@asynccontextmanager
async def mesh_with_model(home: Path, **settings: str) -> AsyncIterator[Ours]:
    """The mesh in this process, configured by environment as in production."""
    async with model_server() as model:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ASSAY_LLM", MODEL)
            patch.setenv("ASSAY_LLM_BASE_URL", model.base_url)
            patch.setenv("ASSAY_LLM_KEY", "sk-of-the-tests")
            patch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
            patch.setenv("ASSAY_LLM_SAMPLES", "1")  # what is asked twice has tests of its own
            for name, value in settings.items():
                patch.setenv(name, value)
            async with running_mesh(home, factories) as mesh, Caller(mesh, "ann") as caller:
                yield Ours(caller, model, home)


def plan(query: str = BY_REGION, words: str = UNHEARD_OF, **changes: Any) -> Answered:
    """An answer with one statement, to which `words` of the question are bound."""
    return Answered(
        {
            "kind": "answer",
            "interpretation": "pieces = sum of quantity by region",
            "statement": query,
            "bindings": [{"words": words, "fragment": query[:200], "kind": "metric"}],
            "columns": [
                {"name": "region", "role": "label"},
                {"name": "pieces", "role": "measure", "additive": True},
            ],
            **changes,
        }
    )
