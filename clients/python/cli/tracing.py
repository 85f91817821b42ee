"""A command's own span: the root of what a mesh does for it, wherever that mesh runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesh import context as calls

if TYPE_CHECKING:
    from assay.gateway.v1.job_service_pb2 import Span
    from clients.python.cli.connection import Place


@contextmanager
def rooted(place: Place, command: str) -> Iterator[None]:
    """The span of a command around the block, of which all that is called in it becomes a part.

    Enter it where the mesh is reached.
    """
    from mesh.telemetry.tracing import span

    with telling(place), calls.changed(service="client"), span(f"assay {command}"):
        yield


@contextmanager
def telling(place: Place) -> Iterator[None]:
    """Tell the spans of this process, unless a mesh in it does, whose they then are part of.

    They go beside the spans of the home's mesh, which removes old ones; of a server's work to a
    folder of its own in this machine's home, where `kept_here` finds them.
    """
    from mesh.homes import home_folder
    from mesh.telemetry import tracing as telemetry

    with ExitStack() as stack:
        if not telemetry.is_exporting():
            home = home_folder(place.home)
            if place.server:
                generator_context_manager = telemetry.traced(
                    _folder(home) if _made(home) else None, "client"
                )
            else:
                generator_context_manager = telemetry.traced(home / "traces", "client", swept=False)
            stack.enter_context(generator_context_manager)
        yield


def kept_here(place: Place, trace_id: str) -> list[Span]:
    """What commands of this machine kept of a server's trace; none of a home's own mesh, which
    finds them itself. Raises AssayError(STATE_DAMAGED)."""
    if not place.server:
        return []
    from mesh.homes import home_folder
    from mesh.telemetry.trace_files import read_trace

    return [_span(found) for found in read_trace(_folder(home_folder(place.home)), trace_id)]


def _folder(home: Path) -> Path:
    """Beside the traces of a mesh on this home, which has limits of its own for them."""
    return home / "traces" / "commands"


def _made(home: Path) -> bool:
    """Whether there is a home to keep something in: a server is asked without one, too."""
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return False
    return True


def _span(found: Mapping[str, Any]) -> Span:
    from assay.gateway.v1.job_service_pb2 import Span

    span = Span(
        span_id=found["span_id"],
        parent_span_id=found["parent_span_id"],
        name=found["name"],
        service=found["service"],
        attributes_json=json.dumps(found["attributes"], sort_keys=True),
        error=found["error"],
    )
    span.started_at.FromNanoseconds(found["start_unix_nano"])
    span.ended_at.FromNanoseconds(found["end_unix_nano"])
    return span
