"""Definitions of what data means: proposed by anybody, in force once a person approved them."""

from __future__ import annotations

from collections.abc import Sequence

from assay.common.v1.data_pb2 import DataSource, Policy
from assay.gateway.v1 import definition_service_pb2 as pb
from assay.gateway.v1 import definition_service_pb2_grpc
from clients.python.calls import answered
from mesh.ids import new_id

STATES = {
    pb.DEFINITION_STATE_PENDING: "pending",
    pb.DEFINITION_STATE_APPROVED: "approved",
    pb.DEFINITION_STATE_REJECTED: "rejected",
    pb.DEFINITION_STATE_RETIRED: "retired",
}
_NUMBERS = {word: number for number, word in STATES.items()}


class Definitions:
    """DefinitionService as methods; every one raises AssayError."""

    def __init__(self, stub: definition_service_pb2_grpc.DefinitionServiceStub) -> None:
        self._stub = stub

    async def propose(
        self,
        sources: Sequence[DataSource],
        model: str,
        evidence: str = "",
        session: str = "",
        policy: Policy | None = None,
    ) -> pb.Definition:
        """Propose a part of a semantic model (YAML) of sources; it changes nothing yet.

        It is measured within a `policy`. With a whole id of a `session`, what it would change in
        its jobs is told. Raises AssayError: SEMANTIC_MODEL_INVALID where it does not fit its
        sources, INVALID_ARGUMENT.
        """
        request = pb.ProposeDefinitionRequest(
            request_id=new_id(),
            sources=sources,
            model=model,
            evidence=evidence,
            session_id=session,
            policy=policy,
        )
        return (await answered(self._stub.ProposeDefinition(request))).definition

    async def get(self, definition_id: str) -> pb.Definition:
        """One, by its whole id. Raises AssayError(NOT_FOUND)."""
        request = pb.GetDefinitionRequest(definition_id=definition_id)
        return (await answered(self._stub.GetDefinition(request))).definition

    async def all(self, state: str = "") -> list[pb.Definition]:
        """All, or those in a state (a word of STATES), the newest first."""
        found: list[pb.Definition] = []
        token = ""
        while True:
            request = pb.ListDefinitionsRequest(
                state=_NUMBERS.get(state, pb.DEFINITION_STATE_UNSPECIFIED), page_token=token
            )
            page = await answered(self._stub.ListDefinitions(request))
            found += page.definitions
            token = page.next_page_token
            if not token:
                return found

    async def decide(
        self, definition_id: str, state: str, reason: str = ""
    ) -> pb.DecideDefinitionResponse:
        """Put one into a state: approved, rejected or retired, and say why.

        Raises AssayError: NOT_FOUND, DEFINITION_DECIDED, INVALID_ARGUMENT, ROLE_MISSING.
        """
        request = pb.DecideDefinitionRequest(
            definition_id=definition_id, state=_NUMBERS[state], reason=reason
        )
        return await answered(self._stub.DecideDefinition(request))
