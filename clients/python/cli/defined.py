"""Definitions on the terminal: what they say, what data tells of them, how they stand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from assay.gateway.v1.definition_service_pb2 import DecideDefinitionResponse, Definition
from clients.python.cli.screen import Screen
from clients.python.cli.words import moment, short_id
from clients.python.definitions import STATES
from clients.python.known_sources import place_of

if TYPE_CHECKING:
    from clients.python.client import AssayClient

_COLOURS = {"pending": "yellow", "approved": "green", "rejected": "red", "retired": "dim"}


async def whole_definition_id(client: AssayClient, text: str) -> str:
    """The id of the definition that a person means. Raises AssayError as `naming.whole_id`."""
    from clients.python.cli.naming import whole_by

    async def beginning(start: str) -> list[str]:
        ids = [one.definition_id for one in await client.definitions.all()]
        return [one for one in ids if one.startswith(start)]

    return await whole_by("definition", "`assay define list` lists them.", text, beginning)


def show_definitions(screen: Screen, found: Sequence[Definition]) -> None:
    """Print a line for each."""
    if not found:
        screen.show("no definitions yet: assay define propose --help")
        return
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for heading in ("definition", "stands", "by", "of", "says"):
        grid.add_column(heading, overflow="fold" if heading == "says" else "ellipsis")
    for one in found:
        state = STATES[one.state]
        grid.add_row(
            short_id(one.definition_id),
            Text(state, _COLOURS[state]),
            Text(one.decided_by or one.proposed_by),
            Text(_places(one)),
            Text(", ".join(one.subjects)),
        )
    screen.show(grid)


def show_definition(screen: Screen, one: Definition) -> None:
    """Print all of one."""
    if screen.as_json:
        screen.object(definition_object(one))
        return
    state = STATES[one.state]
    screen.row("definition", short_id(one.definition_id))
    screen.row("stands", Text(_standing(one), _COLOURS[state]))
    screen.line("of", _places(one))
    for number, line in enumerate(one.model.strip().splitlines()):
        screen.row("says" if not number else "", Text(line))
    proposed = f"{one.proposed_by}, {moment(one.proposed_at.ToDatetime(UTC))}"
    screen.row("proposed", proposed)
    if one.evidence:
        screen.row("because", Text(one.evidence))
    for number, fact in enumerate(one.facts):
        screen.row("measured" if not number else "", Text(fact))
    for number, effect in enumerate(one.effects):
        where = effect.frame or short_id(effect.job_id)
        screen.row("changes" if not number else "", Text(f"{where}: {effect.change}"))


def show_decided(screen: Screen, answer: DecideDefinitionResponse) -> None:
    """Print what was decided, and what that retired."""
    one = answer.definition
    if screen.as_json:
        retired = [definition_object(each) for each in answer.retired]
        screen.object(definition_object(one) | {"also_retired": retired})
        return
    state = STATES[one.state]
    said = f"{short_id(one.definition_id)}: {', '.join(one.subjects)}"
    screen.row(state, Text(said, _COLOURS[state]))
    for each in answer.retired:
        screen.row("retired", f"{short_id(each.definition_id)}, which said the same things")


def definition_object(one: Definition) -> dict[str, Any]:
    """A definition for machines."""
    return {
        "definition": one.definition_id,
        "state": STATES[one.state],
        "subjects": list(one.subjects),
        "model": one.model,
        "sources": [place_of(source) for source in one.sources],
        "evidence": one.evidence,
        "measured": list(one.facts),
        "changes": [
            {"job": each.job_id, "frame": each.frame, "change": each.change} for each in one.effects
        ],
        "proposed_by": one.proposed_by,
        "proposed_at": one.proposed_at.ToJsonString(),
        "decided_by": one.decided_by,
        "decided_at": one.decided_at.ToJsonString() if one.HasField("decided_at") else None,
        "reason": one.reason,
        "version": one.version,
    }


def _standing(one: Definition) -> str:
    state = STATES[one.state]
    if not one.HasField("decided_at"):
        return f"{state}: it changes nothing until a person approves it"
    by = f"{state} by {one.decided_by}, {moment(one.decided_at.ToDatetime(UTC))}"
    version = f", version {one.version}" if one.version else ""
    return by + version + (f": {one.reason}" if one.reason else "")


def _places(one: Definition) -> str:
    names = [source.name or place_of(source) for source in one.sources]
    return ", ".join(name or "a source on the server" for name in names)
