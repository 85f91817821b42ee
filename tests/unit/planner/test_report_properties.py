"""Whatever an answer holds, it is told, and its numbers have an origin."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.planner.domain.analysis.report import render_html, render_markdown
from services.planner.domain.query.intent import Intent, Order
from services.planner.domain.reporting.prose import Cited, Label, Quoted, Words
from tests.thorough import times
from tests.unit.planner.stories import (
    CATEGORY,
    COUNTRY,
    MONTH,
    ORDERS,
    REVENUE,
    YEAR,
    raw,
    report,
    story,
)

_TEXTS = st.one_of(st.none(), st.text(max_size=80), st.sampled_from(["42", "|", "<b>", "", "a\nb"]))
_TIMES = st.one_of(st.none(), st.dates(date(1990, 1, 1), date(2030, 1, 1)))
_MOMENTS = st.one_of(st.none(), st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1)))
_FLOATS = st.one_of(st.none(), st.floats(), st.sampled_from([0.0, 1.0, 1e-9, 123456.789]))
_INTS = st.one_of(st.none(), st.integers(-(2**53), 2**53))
_COLUMNS: dict[str, tuple[st.SearchStrategy[Any], pa.DataType]] = {
    "ship country": (_TEXTS, pa.string()),
    "category": (_TEXTS, pa.string()),
    "month": (_TIMES, pa.date32()),
    "sold at": (_MOMENTS, pa.timestamp("us")),
    "year": (st.one_of(st.none(), st.integers(1990, 2030)), pa.int64()),
    "open": (st.one_of(st.none(), st.booleans()), pa.bool_()),
    "revenue": (_FLOATS, pa.float64()),
    "number of orders": (_INTS, pa.int64()),
    "unit price 2": (_FLOATS, pa.float64()),
    "shop id": (_INTS, pa.int64()),
}


@st.composite
def frames(draw: st.DrawFn) -> dict[str, pa.Array]:
    names = draw(st.lists(st.sampled_from(sorted(_COLUMNS)), min_size=1, max_size=4, unique=True))
    rows = draw(st.integers(0, 6))
    return {
        name: pa.array(
            draw(st.lists(_COLUMNS[name][0], min_size=rows, max_size=rows)), _COLUMNS[name][1]
        )
        for name in names
    }


@st.composite
def intents(draw: st.DrawFn) -> Intent | None:
    if draw(st.booleans()):
        return None
    dimensions = draw(st.lists(st.sampled_from([COUNTRY, CATEGORY, MONTH, YEAR]), max_size=2))
    measures = draw(st.lists(st.sampled_from([REVENUE, ORDERS, raw("unit price 2")]), max_size=2))
    descending = draw(st.booleans())
    return Intent(
        base="Orders",
        measures=tuple(measures),
        dimensions=tuple(dimensions),
        limit=draw(st.sampled_from([None, 1, 3])),
        order=(Order(target="measure", descending=descending),) if draw(st.booleans()) else (),
    )


@settings(
    max_examples=times(25, 150),
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(answer=frames(), leaders=frames(), intent=intents())
def test_every_answer_is_told_and_every_number_has_an_origin(
    answer: dict[str, pa.Array], leaders: dict[str, pa.Array], intent: Intent | None
) -> None:
    told = story("orders of 1997", intent, answer, leaders=leaders)
    given_report = report(told)
    assert render_markdown(given_report).startswith("# ")
    assert render_html(given_report).startswith("<!doctype html>")
    narration = given_report.narration
    assert narration.title and narration.text
    claims = {claim.claim_id: claim for claim in given_report.book.claims}
    for piece in (*narration.headline.pieces, *narration.answer.pieces):
        match piece:
            case Cited(text, claim_id):
                assert claims[claim_id].text == text
            case Label(_, digest, row, column):
                table = next(t for t in told.tables.values() if t.digest == digest)
                assert table.has(column) and row < table.rows.num_rows
            case Words(text):
                assert not any(character.isnumeric() for character in text)
            case Quoted():
                given_report.ledger.check(piece)
