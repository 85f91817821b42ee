"""What a check has to work with, and how it says what it found."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from clients.python.verification import layout
from clients.python.verification.bundle import Bundle
from mesh.checkpoint import VerifierKey
from mesh.cosignature import WitnessKey
from mesh.recorded import Recorded


class Fault(Exception):  # not an error of the program: what a check is there to find
    """The first thing that is off."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: what was checked, or the first thing that is off."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Trust:
    """Keys from a place that the reader trusts; without them, the bundle's own are believed."""

    log_key: VerifierKey | None = None
    witness_keys: tuple[WitnessKey, ...] = ()
    bundle_from: str = "bundle"
    """Who is believed where no key is given: a bundle as it was handed over, or a mesh."""


@dataclass(slots=True)
class Reading:
    """A bundle and what was established of it so far."""

    bundle: Bundle
    trust: Trust
    job_id: str = ""
    leaves: list[bytes] = field(default_factory=list)
    recorded: Recorded = field(default_factory=Recorded)
    job: dict[str, Any] = field(default_factory=dict)
    frames: set[str] = field(default_factory=set)
    """Digests that were found to be those of their rows."""
    _listed: dict[str, Any] | None = None

    @property
    def listed(self) -> dict[str, Any]:
        """SHA-256 and size of every member as the manifest has them. Raises Fault."""
        if self._listed is None:
            listed = json_object(self.bundle, layout.MANIFEST).get("members")
            if not isinstance(listed, dict):
                raise Fault(f"{layout.MANIFEST} lists no members")
            self._listed = listed
        return self._listed


def json_lines(bundle: Bundle, name: str) -> list[Any]:
    """A member's lines. Raises Fault or BundleError, as all that follow."""
    lines = bundle.text(name).split("\n")
    if lines.pop():
        raise Fault(f"{name} does not end with a line feed")
    return [_parsed(name, line) for line in lines]


def json_object(bundle: Bundle, name: str) -> dict[str, Any]:
    """A member that is a JSON object."""
    value = _parsed(name, bundle.text(name))
    if not isinstance(value, dict):
        raise Fault(f"{name} is not an object")
    return value


def json_array(bundle: Bundle, name: str) -> Sequence[Any]:
    """A member that is a JSON array."""
    value = _parsed(name, bundle.text(name))
    if not isinstance(value, list):
        raise Fault(f"{name} is not an array")
    return value


def _parsed(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Fault(f"{name} is not JSON: {error}") from error


def member(place: Callable[[str], str], name: str) -> str:
    """The member at a place that the bundle itself names."""
    try:
        return place(name)
    except ValueError as error:
        raise Fault(str(error)) from error


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
