"""Doubts about data, and repairs, for people and for machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.common.v1.data_pb2 import Doubt, Use
from assay.common.v1.look_pb2 import Look
from clients.python.cli.screen import Parts, Screen
from clients.python.cli.words import count, listed
from mesh.repairs import option_of

_MOST = 12


def show_doubts(screen: Screen, seen: Look) -> None:
    """Print what to doubt, the gravest first, with what would mend it, and what was mended."""
    left = [doubt for doubt in seen.doubts if not doubt.repaired]
    made = [doubt for doubt in seen.doubts if doubt.repaired]
    several = len(seen.tables) > 1
    if left:
        texts = _describe_distinct(left[:_MOST], several=several)
        if len(left) > _MOST:
            texts.append(f"… {count(len(left) - _MOST, 'more doubt')}, all with --json")
        screen.row("doubts", Parts(texts), "")
    if any(doubt.repairs for doubt in left):
        screen.row("", "with --repair, what can be repaired is offered", "dim")
    if made:
        screen.row("repaired", Parts(_describe_distinct(made[:_MOST], several=several)), "")
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


def _describe_distinct(doubts: Sequence[Doubt], *, several: bool) -> list[str]:
    """What doubts say, each once: with its tables where there are several, unless it names
    them."""
    tables: dict[tuple[str, str], list[str]] = {}
    for doubt in doubts:
        changes = "" if doubt.repaired else doubt.changes
        tables.setdefault((_describe_doubt(doubt), changes), []).append(doubt.table)
    return [
        (f"{listed(of)}: " if several and not all(one in text for one in of[:2]) else "")
        + (f"{text} ({more})" if more else text)
        for (text, more), of in tables.items()
    ]


def _describe_doubt(doubt: Doubt) -> str:
    """What was seen, and as what it was repaired."""
    if not doubt.repaired or not doubt.repairs:
        return doubt.said
    first = doubt.repairs[0]
    return f"{doubt.said}: {option_of(first.kind, first.column, first.value)}"
