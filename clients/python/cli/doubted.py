"""Doubts about data, and repairs, for people and for machines."""

from __future__ import annotations

from typing import Any

from assay.common.v1.data_pb2 import Doubt, Use
from assay.common.v1.look_pb2 import Look
from clients.python.cli.screen import Parts, Screen
from clients.python.cli.words import count
from mesh.repairs import option_of

_MOST = 12


def show_doubts(screen: Screen, seen: Look) -> None:
    """Print what to doubt, the gravest first, with what would mend it, and what was mended."""
    left = [doubt for doubt in seen.doubts if not doubt.repaired]
    made = [doubt for doubt in seen.doubts if doubt.repaired]
    several = len(seen.tables) > 1
    if left:
        told = [_told(doubt, several=several) for doubt in left[:_MOST]]
        if len(left) > _MOST:
            told.append(f"… {count(len(left) - _MOST, 'more doubt')}, all with --json")
        screen.row("doubts", Parts(told), "")
    if any(doubt.repairs for doubt in left):
        screen.row("", "with --repair, what can be repaired is offered", "dim")
    if made:
        told = [_told(doubt, several=several) for doubt in made[:_MOST]]
        screen.row("repaired", Parts(told), "")
        screen.row("", "--repair keeps what is right of it, --raw reads without any repair", "dim")


def doubt_object(doubt: Doubt) -> dict[str, Any]:
    """A doubt for machines."""
    return {
        "code": doubt.code,
        "source": doubt.source_name or None,
        "table": doubt.table,
        "column": doubt.column or None,
        "rows": doubt.rows or None,
        "share": round(doubt.share, 6),
        "examples": list(doubt.examples),
        "said": doubt.said,
        "changes": doubt.changes or None,
        "repairs": [option_of(one.kind, one.column, one.value) for one in doubt.repairs],
        "repaired": doubt.repaired,
        "uses": [Use.Name(use).removeprefix("USE_").lower() for use in doubt.uses],
        "weight": round(doubt.weight, 3),
    }


def _told(doubt: Doubt, *, several: bool) -> str:
    said = f"{doubt.table}: {doubt.said}" if several else doubt.said
    return f"{said} ({doubt.changes})" if doubt.changes and not doubt.repaired else said
