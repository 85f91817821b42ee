"""What a check has to work with, and how it says what it found."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from clients.python.verification import layout
from clients.python.verification.bundle import Bundle
from mesh.proof.checkpoint import VerifierKey
from mesh.proof.cosignature import WitnessKey
from mesh.proof.recorded import Recorded


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
    frames: dict[str, pa.Table] = field(default_factory=dict)
    """Rows by digest, once both that and their encoding were found to be right."""
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
    """A member's lines, each in its one spelling. Raises Fault or BundleError, as do the next."""
    lines = bundle.read(name).split(b"\n")
    if lines.pop():
        raise Fault(f"{name} does not end with a line feed")
    return [
        _parsed(f"{name}: line {number}", line + b"\n", layout.line)
        for number, line in enumerate(lines, start=1)
    ]


def json_object(bundle: Bundle, name: str) -> dict[str, Any]:
    """A member that is a JSON object in its one spelling."""
    value = _parsed(name, bundle.read(name), layout.document)
    if not isinstance(value, dict):
        raise Fault(f"{name} is not an object")
    return value


def json_array(bundle: Bundle, name: str) -> Sequence[Any]:
    """A member that is a JSON array in its one spelling."""
    value = _parsed(name, bundle.read(name), layout.document)
    if not isinstance(value, list):
        raise Fault(f"{name} is not an array")
    return value


def _parsed(what: str, content: bytes, spelled: Callable[[Any], bytes]) -> Any:
    """What the bytes say, if written again it gives the same bytes.

    Reading alone keeps the last of two equal keys, and so would pass a forged first one.
    """
    try:
        value = json.loads(content.decode())
        same = spelled(value) == content
    except (ValueError, RecursionError) as error:
        raise Fault(f"{what} is not JSON: {str(error)[:200]}") from error
    if not same:
        why = _repeated(content) or "other bytes say the same"
        raise Fault(f"{what} is not in its one spelling: {why}")
    return value


def _repeated(content: bytes) -> str:
    """Which key stands twice in one object of a JSON text, in words; empty where none does."""
    found: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in items]
        found.extend(key for key in keys if keys.count(key) > 1)
        return dict(items)

    json.loads(content, object_pairs_hook=pairs)
    return f"the key {found[0][:60]!r} is there twice" if found else ""


def check_written(bundle: Bundle, name: str, value: Any) -> None:
    """A member is this value to the byte: `1`, `1.0` and `true` are equal once they are read."""
    if bundle.read(name) != layout.document(value):
        raise Fault(f"{name} is not written as the chain records it")


def member(place: Callable[[str], str], name: str) -> str:
    """The member at a place that the bundle itself names."""
    try:
        return place(name)
    except ValueError as error:
        raise Fault(str(error)) from error


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
