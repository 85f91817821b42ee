"""Services of one process reach one another where it listens."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.config import MeshSettings


def together(settings: MeshSettings, names: Sequence[str], listen: str) -> MeshSettings:
    """The settings of services that one process serves: they reach one another where it listens,
    unless an address of theirs is given."""
    if len(names) == 1:
        return settings
    host, _, port = listen.rpartition(":")
    everywhere = host in ("0.0.0.0", "[::]")
    place = f"127.0.0.1:{port}" if everywhere else listen
    fields = {f"{name}_address" for name in names} - settings.model_fields_set
    return settings.model_copy(update=dict.fromkeys(fields, place))
