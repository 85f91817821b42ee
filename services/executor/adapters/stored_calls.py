"""Records of completed calls in an object store, one object a call."""

from __future__ import annotations

from mesh.ids import is_id
from mesh.storage.objects.port import ObjectStore
from services.executor.ports import Admit


class StoredCalls:
    """The CallRecords port on an object store."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    def get(self, call_id: str) -> bytes | None:
        """The recorded observation, or None."""
        if not is_id(call_id):
            return None
        try:
            return self._objects.read(_key(call_id))
        except FileNotFoundError:
            return None

    def put(
        self,
        call_id: str,
        observation: bytes,
        admit: Admit | None = None,
    ) -> None:
        """Record an observation."""
        if admit is not None:
            admit(call_id, len(observation))
        self._objects.write(_key(call_id), observation, "executor: call-record")

    def delete(self, call_id: str) -> None:
        """Forget a call; one that is not recorded is no error."""
        self._objects.delete(_key(call_id))


def _key(call_id: str) -> str:
    return f"{call_id[:2]}/{call_id}.binpb"
