"""A call that names what is a tenant's, and what another tenant gets for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from google.protobuf.message import Message

from tests.mesh.owned import Owned

NOT_FOUND, NOTHING, OPEN = "NOT_FOUND", "nothing", "open"


@dataclass(frozen=True)
class Case:
    """A call that names what is ann's, and what bob gets: NOT_FOUND, or nothing of ann's.

    OPEN is for what holds nothing of a tenant's.
    """

    make: Callable[[Owned], list[Message]]
    expected: str = NOT_FOUND
    recorded: str = ""
    """The kind of thing under which the refusal is recorded, if it must be."""


def one(make: Callable[[Owned], Message], expected: str = NOT_FOUND, recorded: str = "") -> Case:
    return Case(lambda owned: [make(owned)], expected, recorded)
