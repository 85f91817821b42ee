"""A number that an answer cites is recorded just so, is its cell's, and printed as its cell is."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from mesh.proof.claims import ClaimRecord, cell_text, claim_record, frame_fault, unrecorded_claim
from mesh.text.spelling import POINTS

ROWS = pa.table({"country": ["USA", "Chile"], "revenue": [30.5, 20.0], "share": [0.605, 0.395]})
RECORDED: dict[str, Any] = {
    "claim_id": 3,
    "value": "20.0",
    "text": "20",
    "frame_digest": "f" * 64,
    "row": 1,
    "column": "revenue",
    "call_id": "c" * 32,
    "unit": "",
}
CLAIM = claim_record(RECORDED)
PLACE = "claim 3 (frame ffffffff, row 1, column 'revenue')"


def test_a_claim_is_read_as_it_was_recorded() -> None:
    assert ClaimRecord(**RECORDED) == CLAIM
    assert claim_record({**RECORDED, "unit": "EUR"}).unit == "EUR"
    assert CLAIM.place == PLACE


@pytest.mark.parametrize("lacking", RECORDED)
def test_a_claim_that_lacks_a_part_is_none(lacking: str) -> None:
    with pytest.raises(KeyError):
        claim_record({name: value for name, value in RECORDED.items() if name != lacking})


@pytest.mark.parametrize(
    "change", [{"value": "21.0"}, {"text": "21"}, {"row": 0}, {"column": "share"}, {"unit": "EUR"}]
)
def test_a_claim_that_the_chain_records_otherwise_is_named(change: dict[str, Any]) -> None:
    recorded = frozenset({CLAIM})
    assert unrecorded_claim([CLAIM], recorded) is None
    assert unrecorded_claim([CLAIM, replace(CLAIM, **change)], recorded) is not None
    assert unrecorded_claim([CLAIM], frozenset()) == f"{PLACE}: the chain records no such claim"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"column": "profit"}, "the frame has no such column"),
        ({"row": 2}, "the frame has 2 rows"),
        ({"row": -1}, "the frame has 2 rows"),
        ({"value": "21.0"}, "the answer says 21.0, the frame 20.0"),
        ({"value": "20"}, "the answer says 20, the frame 20.0"),
        ({"value": "21.0", "text": "21"}, "the answer says 21.0, the frame 20.0"),
        ({"row": 0}, "the answer says 20.0, the frame 30.5"),
        ({"text": "21"}, "the answer prints '21', the cell is printed '20'"),
        ({"text": "20 EUR"}, "the answer prints '20 EUR', the cell is printed '20'"),
        ({"unit": "EUR"}, "the answer prints '20', the cell is printed '20 EUR'"),
    ],
)
def test_a_claim_that_is_not_its_cell_is_named(change: dict[str, Any], fault: str) -> None:
    false = replace(CLAIM, **change)
    assert frame_fault([CLAIM], ROWS) is None
    assert frame_fault([CLAIM, false], ROWS) == f"{false.place}: {fault}"


def test_the_first_and_the_last_row_can_be_cited() -> None:
    first = replace(CLAIM, row=0, value="30.5", text="30.50")
    assert frame_fault([first, CLAIM], ROWS) is None


def test_a_claim_that_prints_its_unit_is_borne_out() -> None:
    assert frame_fault([replace(CLAIM, text="20 EUR", unit="EUR")], ROWS) is None


@pytest.mark.parametrize("text", ["60 %", "0.605 %"])
def test_a_share_may_be_printed_as_per_cent_of_the_whole_or_as_its_number(text: str) -> None:
    share = replace(CLAIM, row=0, column="share", value="0.605", text=text, unit="%")
    assert frame_fault([share], ROWS) is None
    assert frame_fault([replace(share, unit="")], ROWS) is not None
    assert "is printed '60 %'" in str(frame_fault([replace(share, text="61 %")], ROWS))


@pytest.mark.parametrize("text", ["60.5 points", "0.605 points"])
def test_a_difference_of_shares_may_be_printed_in_points(text: str) -> None:
    moved = replace(CLAIM, row=0, column="share", value="0.605", text=text, unit=POINTS)
    assert frame_fault([moved], ROWS) is None
    assert frame_fault([replace(moved, unit="")], ROWS) is not None
    fault = frame_fault([replace(moved, text="6.05 points")], ROWS)
    assert fault is not None
    assert fault.endswith("prints '6.05 points', the cell is printed '60.5 points'")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none"),
        (True, "true"),
        (False, "false"),
        (2**63, "9223372036854775808"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
        (Decimal("10.10"), "10.10"),
        (date(1997, 5, 1), "1997-05-01"),
        (datetime(1997, 5, 1, 3, 4), "1997-05-01T03:04:00"),
        ("Café", "Café"),
    ],
)
def test_a_cell_is_written_exactly(value: Any, text: str) -> None:
    assert cell_text(value) == text
