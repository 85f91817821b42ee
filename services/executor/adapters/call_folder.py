"""Records of completed calls in a local folder, one file a call."""

from __future__ import annotations

from pathlib import Path

from mesh.files import write_durably
from mesh.ids import is_id


class CallFolder:
    """The CallRecords port on a disk."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def _path(self, call_id: str) -> Path:
        return self._root / call_id[:2] / f"{call_id}.binpb"

    def get(self, call_id: str) -> bytes | None:
        """The recorded observation, or None."""
        if not is_id(call_id):
            return None
        path = self._path(call_id)
        return path.read_bytes() if path.exists() else None

    def put(self, call_id: str, observation: bytes) -> None:
        """Record an observation."""
        write_durably(self._path(call_id), observation)
