"""A chain is what seed 000 says it is, and shows the first entry that was touched."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mesh.proof.chain import (
    GENESIS_HASH,
    AuditEntry,
    EventType,
    chain_json,
    entry_fault,
    entry_hash,
    event_json,
    export_jsonl,
    format_timestamp,
    leaf_bytes,
    parse_leaf,
    read_leaf,
    verify_chain,
)

REQUEST = "0123456789abcdef0123456789abcdef"
TIME = "2026-11-21T10:30:00.000000Z"


SPECIFICATION = """\
def verify_audit_chain(log_path):
    with open(log_path, "r") as f:
        entries = [json.loads(line) for line in f]
    
    for i, entry in enumerate(entries):
        # Check sequence
        if entry["sequence_number"] != i + 1:
            return False
        
        # Check parent hash
        expected_parent = entries[i-1]["hash"] if i > 0 else "0" * 64
        if entry["parent_hash"] != expected_parent:
            return False
        
        # Check hash computation
        payload = f"{entry['parent_hash']}{entry['timestamp']}{entry['event_type']}{json.dumps(entry['event_data'], sort_keys=True)}"
        computed_hash = hashlib.sha256(payload.encode()).hexdigest()
        if computed_hash != entry["hash"]:
            return False
    
    return True
"""  # noqa: E501 - word for word as the specification has it
_namespace: dict[str, Any] = {"json": json, "hashlib": hashlib}
exec(SPECIFICATION, _namespace)
verify_audit_chain: Callable[[Path], bool] = _namespace["verify_audit_chain"]


def chain_of(*events: dict[str, Any]) -> list[AuditEntry]:
    entries: list[AuditEntry] = []
    parent_hash = GENESIS_HASH
    for number, event in enumerate(events, start=1):
        digest = entry_hash(parent_hash, TIME, EventType.TOOL_CALLED, event_json(event))
        entries.append(
            AuditEntry(
                entry_id=f"{number:032x}",
                request_id=REQUEST,
                sequence_number=number,
                parent_hash=parent_hash,
                timestamp=TIME,
                event_type=EventType.TOOL_CALLED,
                event_data=event,
                actor="actor",
                hash=digest,
            )
        )
        parent_hash = digest
    return entries


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
events = st.dictionaries(st.text(), json_values, max_size=4)


@given(st.lists(events, max_size=5))
def test_the_export_satisfies_the_specifications_own_verifier(
    tmp_path_factory: pytest.TempPathFactory, data: list[dict[str, Any]]
) -> None:
    path = tmp_path_factory.mktemp("export") / "chain.jsonl"
    entries = chain_of(*data)
    path.write_text(export_jsonl(entries))
    assert verify_audit_chain(path)
    assert verify_chain(entries) is None


def test_the_specifications_verifier_rejects_what_ours_rejects(tmp_path: Path) -> None:
    entries = chain_of({"step": 1}, {"step": 2}, {"step": 3})
    path = tmp_path / "chain.jsonl"
    path.write_text(export_jsonl(entries).replace('"step": 2', '"step": 9'))
    assert not verify_audit_chain(path)
    touched = [parse_leaf(line.encode()) for line in path.read_text().splitlines()]
    fault = verify_chain(touched)
    assert fault is not None
    assert fault.sequence_number == 2
    assert "its content gives" in fault.why


@given(events)
def test_an_entry_survives_its_own_leaf(data: dict[str, Any]) -> None:
    [entry] = chain_of(data)
    assert parse_leaf(leaf_bytes(entry)) == entry
    assert export_jsonl([entry]).encode() == leaf_bytes(entry) + b"\n"


def test_a_missing_a_moved_and_a_foreign_entry_are_each_named() -> None:
    entries = chain_of({"n": 1}, {"n": 2}, {"n": 3})
    missing = verify_chain([entries[0], entries[2]])
    moved = verify_chain([entries[1], entries[0]])
    foreign = verify_chain([entries[0], entries[1].model_copy(update={"request_id": "f" * 32})])
    assert str(missing) == "entry 2: it says it is entry 3"
    assert str(moved) == "entry 1: it says it is entry 2"
    assert foreign is not None
    assert foreign.sequence_number == 2


@pytest.mark.parametrize(
    "data",
    [
        {"x": math.nan},
        {"x": math.inf},
        {1: "a"},
        {"x": (1, 2)},
        {"x": {None: 1}},
        {"x": {1, 2}},
        {"x": datetime(2026, 1, 1, tzinfo=UTC)},
        {"x": "\ud83d\ude00"},
        ["not", "an", "object"],
    ],
)
def test_data_that_would_change_on_its_way_through_json_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match="event data"):
        event_json(data)


def test_endless_nesting_is_refused_and_not_a_crash() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(ValueError, match="event data"):
        event_json({"x": nested})


def test_large_integers_stay_exact() -> None:
    [entry] = chain_of({"rows": 2**60 + 1})
    assert parse_leaf(leaf_bytes(entry)).event_data == {"rows": 2**60 + 1}


def test_an_entry_keeps_its_own_copy_of_the_data() -> None:
    data = {"columns": ["a"]}
    [entry] = chain_of(data)
    data["columns"].append("b")
    assert entry.event_data == {"columns": ["a"]}


def test_a_leaf_in_another_spelling_is_not_the_entry() -> None:
    [entry] = chain_of({"n": 1})
    with pytest.raises(ValueError, match="canonical"):
        parse_leaf(leaf_bytes(entry).replace(b": ", b":"))
    with pytest.raises(ValueError, match="event data"):
        parse_leaf(leaf_bytes(entry).replace(b'{"n": 1}', b'{"n": 1e999}'))


@pytest.mark.parametrize("time", ["2026-11-21T10:30:00", "2026-11-21T10:30:00+01:00", "soon Z"])
def test_a_time_that_is_not_utc_is_refused(time: str) -> None:
    fields = chain_of({})[0].model_dump() | {"timestamp": time}
    with pytest.raises(ValidationError):
        AuditEntry.model_validate(fields)


def test_times_are_written_in_utc() -> None:
    moment = datetime(2026, 11, 21, 12, 30, tzinfo=timezone(timedelta(hours=2)))
    assert format_timestamp(moment) == "2026-11-21T10:30:00.000000Z"


def test_the_hashed_text_is_the_one_the_specification_dumps() -> None:
    data = {"b": [1, 2.5, None], "a": "ü"}
    assert chain_json(data) == json.dumps(data, sort_keys=True)


def test_an_entry_that_continues_another_chain_is_named() -> None:
    """Its own hash is right, over the parent that it claims."""
    first, second = chain_of({"n": 1}, {"n": 2})
    digest = entry_hash("e" * 64, TIME, second.event_type, event_json(second.event_data))
    forged = second.model_copy(update={"parent_hash": "e" * 64, "hash": digest})
    fault = verify_chain([first, forged])
    assert str(fault).startswith(f"entry 2: its parent hash is {'e' * 64}")


@pytest.mark.parametrize(
    "change",
    [
        {"entry_id": "A" * 32},
        {"request_id": "0" * 31},
        {"sequence_number": 0},
        {"sequence_number": "1"},
        {"parent_hash": "0" * 63},
        {"event_type": "something_else"},
        {"event_data": {"n": math.nan}},
        {"actor": "The Planner"},
        {"hash": "g" * 64},
        {"note": "one field more"},
    ],
)
def test_what_is_no_entry_is_neither_made_nor_read(change: dict[str, Any]) -> None:
    [entry] = chain_of({"n": 1})
    fields = {**entry.model_dump(mode="json"), **change}
    with pytest.raises(ValueError):
        AuditEntry(**fields)
    with pytest.raises(ValueError):
        parse_leaf(json.dumps(fields, sort_keys=True).encode())


def test_an_entry_cannot_be_changed() -> None:
    [entry] = chain_of({"n": 1})
    with pytest.raises(ValidationError):
        entry.actor = "another"


def test_a_leaf_that_is_nested_endlessly_is_refused() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_leaf(b'{"event_data": ' + b"[" * 100_000)


def test_the_text_of_the_data_that_was_read_is_what_the_hash_is_held_against() -> None:
    [entry] = chain_of({"b": [1, 2], "a": "é"})
    read, data = read_leaf(leaf_bytes(entry))
    assert (read, data) == (entry, event_json(entry.event_data))
    assert entry_fault(entry, 1, GENESIS_HASH, REQUEST, data) is None
    other = entry_fault(entry, 1, GENESIS_HASH, REQUEST, '{"a": "another"}')
    assert "its content gives" in str(other)
