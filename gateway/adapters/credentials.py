"""Takes the secrets out of addresses before anything stores them; the executor keeps them."""

from __future__ import annotations

from collections.abc import Iterable

from assay.common.v1 import data_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from mesh.credentials import is_remote, separated
from mesh.transport.patience import patient


class ExecutorCredentials:
    """The executor's vault; implements `gateway.ports.Credentials`."""

    def __init__(self, executor: executor_service_pb2_grpc.ExecutorServiceStub) -> None:
        self._executor = executor

    async def deposit(self, sources: Iterable[data_pb2.DataSource], *, stranger: bool) -> None:
        """Replace each address that holds secrets by one with a reference to them.

        `stranger` says that the caller may not name files of the executor's machine. Of a stranger
        addresses on the web get a reference too: by it the executor knows whose they are.
        """
        for source in sources:
            if "://" not in source.connection_string:
                continue
            parts = separated(source.connection_string)
            if parts.secrets or (stranger and is_remote(parts.address)):
                wanted = executor_pb.PutCredentialRequest(
                    address=parts.address, secrets_json=parts.sealed, stranger=stranger
                )
                kept = await patient("executor", self._executor.PutCredential, wanted)
                source.connection_string = kept.address
