"""Published pages, for people and for machines."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from rich.table import Table
from rich.text import Text

from assay.gateway.v1.publication_service_pb2 import Publication
from clients.python.cli.screen import Screen
from clients.python.cli.words import count, moment, short_id
from mesh.errors import PAGE_REVOKED, AssayError
from mesh.text.harmless import harmless_line


def pages_table(found: Sequence[Publication]) -> Table:
    """A row for each page."""
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for heading in ("page", "published", "by", "frames", "state"):
        grid.add_column(heading, no_wrap=True)
    grid.add_column("title", no_wrap=True, overflow="ellipsis")
    for one in found:
        grid.add_row(
            short_id(one.publication_id),
            _when(one),
            Text(one.published_by),
            ", ".join(each.name for each in one.frames),
            "revoked" if one.HasField("revocation") else "stands",
            Text(harmless_line(one.title)),
        )
    return grid


def show_page(screen: Screen, one: Publication) -> None:
    """Print what is known of a page that stands."""
    screen.row("page", Text(f"{short_id(one.publication_id)} · {_title(one)}"))
    screen.row("published", Text(f"{_when(one)} by {one.published_by}"))
    for each in one.frames:
        screen.line(each.name, f"job {short_id(each.job_id)}")
        if each.accepted:
            screen.row("accepted", Text(f"{each.name}: {each.accepted}"), "yellow")
    if not one.frames:
        screen.row("frames", "it cites none")


def show_revocation(screen: Screen, one: Publication) -> None:
    """Print that a page was taken back."""
    screen.row("revoked", Text(f"{short_id(one.publication_id)} · {_title(one)}"))
    screen.row("", Text(_revocation(one)))


def revoked(one: Publication) -> AssayError:
    """Why a page is not given out any more."""
    return AssayError(
        PAGE_REVOKED,
        f"page {short_id(one.publication_id)}, {_title(one)}, was revoked {_revocation(one)}",
    )


def page_object(one: Publication) -> dict[str, Any]:
    """A page for machines."""
    ended = one.revocation if one.HasField("revocation") else None
    return {
        "publication_id": one.publication_id,
        "title": one.title,
        "published_at": one.published_at.ToJsonString(),
        "published_by": one.published_by,
        "session_id": one.session_id or None,
        "frames": [
            {"name": each.name, "job": each.job_id, "accepted": each.accepted or None}
            for each in one.frames
        ],
        "page_sha256": one.page_sha256,
        "text_sha256": one.text_sha256,
        "page_bytes": one.page_bytes,
        "revoked": None
        if ended is None
        else {
            "at": ended.revoked_at.ToJsonString(),
            "by": ended.revoked_by or None,
            "reason": ended.reason,
        },
    }


def _when(one: Publication) -> str:
    return moment(one.published_at.ToDatetime(UTC))


def _title(one: Publication) -> str:
    return f"“{harmless_line(one.title)}”" if one.title else count(len(one.frames), "frame")


def _revocation(one: Publication) -> str:
    ended = one.revocation
    who = f"by {ended.revoked_by}" if ended.revoked_by else "by the mesh"
    return f"{moment(ended.revoked_at.ToDatetime(UTC))} {who}: {harmless_line(ended.reason)}"
