"""Whatever is told of a frame is so, and is not so of a frame in which cells changed places."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from mesh.proof.assertions import TEXT, TITLE, Known
from mesh.proof.claims import claim_record, frame_fault
from mesh.proof.quotation import quotable
from mesh.proof.texts import text_fault
from mesh.proof.wording import PLAIN, STATING, words_of
from services.planner.domain import reporting
from services.planner.domain.analysis.narrate import Narration, Story, narrate
from services.planner.domain.query.intent import Intent, Order
from services.planner.domain.reporting.evidence import ClaimBook
from services.planner.domain.reporting.prose import Prose, Words
from services.planner.domain.reporting.stating import UnstatedError, check_stated
from tests.thorough import times
from tests.unit.planner.stories import COUNTRY, MONTH, REVENUE, story

NAMES = ["Austria", "Belgium", "Chile", "Denmark", "Egypt", "France"]
MONTHS = [date(1997, month, 1) for month in range(1, 7)]


def fault_of(told: Narration, book: ClaimBook, given_: Story, rows: pa.Table) -> str | None:
    """What a verifier finds who has these rows under the digest that was told of."""
    digest = given_.tables["load"].digest
    claims = {claim.claim_id: claim_record(claim.model_dump()) for claim in book.claims}
    words = quotable(prose.plain for prose in (told.answer, told.headline))
    known = Known(claims, {digest: rows}, words)
    return (
        frame_fault(list(claims.values()), rows)
        or text_fault(told.text, TEXT, told.assertions, known)
        or text_fault(told.title, TITLE, told.assertions, known)
    )


@st.composite
def told_frames(draw: st.DrawFn) -> tuple[Story, int]:
    """A story of one number by country or by month, and how many rows it has."""
    count = draw(st.integers(2, 6))
    cells = st.one_of(st.none(), st.integers(-5, 5).map(float), st.floats(-1e6, 1e6))
    values = draw(st.lists(cells, min_size=count, max_size=count))
    timed = draw(st.booleans())
    limit = draw(st.sampled_from([None, count]))
    order = (Order(target="measure", descending=draw(st.booleans())),)
    intent = Intent(
        base="Orders",
        measures=(REVENUE,),
        dimensions=(MONTH if timed else COUNTRY,),
        limit=None if timed else limit,
        order=() if timed or limit is None else order,
    )
    names: list[Any] = list(MONTHS[:count] if timed else NAMES[:count])
    label = "month" if timed else "ship country"
    column = pa.array(values, pa.float64())
    return story("revenue", intent, {label: names, "revenue": column}), count


@settings(max_examples=times(25, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(told_frames())
def test_what_is_told_of_a_frame_is_borne_out_by_it(given_: tuple[Story, int]) -> None:
    told, book = given_[0], ClaimBook()
    assert fault_of(narrate(told, book), book, told, told.tables["load"].rows) is None


@settings(max_examples=times(25, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(told_frames(), st.data())
def test_two_cells_that_change_places_are_found_wherever_something_is_stated_of_one(
    given_: tuple[Story, int], data: st.DataObject
) -> None:
    told, count = given_
    book = ClaimBook()
    narration = narrate(told, book)
    rows = told.tables["load"].rows
    values = rows.column("revenue").to_pylist()
    stated = sorted(
        {
            row
            for one in narration.assertions
            if one.stated.columns == ("revenue",)
            for row in one.stated.rows
        }
    )
    assume(stated)
    one = data.draw(st.sampled_from(stated))
    other = data.draw(st.integers(0, count - 1))
    assume(values[one] != values[other])
    values[one], values[other] = values[other], values[one]
    changed = rows.set_column(1, "revenue", pa.array(values, pa.float64()))
    assert fault_of(narration, book, told, changed) is not None


@pytest.mark.parametrize(
    "words",
    ["West led", "sales rose", "it is twice as much", "one was best", "half of it", "a champion"],
)
def test_words_that_state_something_cannot_be_told_without_an_assertion(words: str) -> None:
    with pytest.raises(UnstatedError, match="the text says"):
        check_stated(Prose((Words(words),)), TEXT, (), {})


def test_every_word_that_sentences_are_built_of_is_known() -> None:
    """A builder that says a new word fails here before it fails a person."""
    import ast

    folder = Path(reporting.__file__ or "").parent
    names = ["over_time", "sentences", "period_text", "cohort_text", "listings", "telling"]
    strange = set()
    for name in [*names, "test_text", "tests_found"]:
        tree = ast.parse((folder / f"{name}.py").read_text())
        for call in ast.walk(tree):
            of = getattr(call, "func", None)
            built = getattr(of, "attr", "") == "of" or getattr(of, "id", "") == "stating"
            if not isinstance(call, ast.Call) or not built:
                continue
            for part in call.args:
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    said = {word for _, _, word in words_of(part.value)}
                    strange |= said - PLAIN - STATING.keys()
    assert strange == set()
