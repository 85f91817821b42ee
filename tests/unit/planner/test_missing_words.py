"""Which words of a question nothing was found for, by the data and by the decision."""

from __future__ import annotations

import pytest

from mesh.remarks import NOT_USED
from services.planner.domain.analysis.missing import MOST_WORDS, missing_words
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.catalogue import Alias, Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.failure import Failure
from services.planner.domain.plan import PlanDraft

REFUSED = Planning(failure=Failure(reason="NOTHING_UNDERSTOOD", message="not known"))
DRAFT = PlanDraft(subtasks=(), reasoning="", answer_task="load")


def column(name: str, **changed: object) -> Column:
    plain = Column(name=name, data_type=DataType.STRING, role=ColumnRole.DIMENSION)
    return plain.model_copy(update=changed)


SALES = Catalogue(
    fingerprint="f" * 64,
    tables=(
        Table(
            name="sales",
            source_name="sales.csv",
            rows=3,
            columns=(
                column("region", samples=("North", "South")),
                column("unit_price", synonyms=("cost",)),
                column("city", aliases=(Alias(said="NYC", value="New York"),)),
                column("margin", guess="revenue less cost", formula="1"),
            ),
        ),
    ),
)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("churn rate by loyalty tier", ("churn", "rate", "loyalty", "tier")),
        ("what is the weather in Narnia?", ("weather", "narnia")),
        ("average margin by region", ("margin",)),
        ("total cost in North by regions", ()),
        ("how many sales were there in March 2024, at least 5?", ()),
        ("prices in NYC", ()),
        ("sales sales churn churn", ("churn",)),
        ("Wie hoch ist der Umsatz je Kunde und Monat?", ()),
        ("", ()),
    ],
)
def test_of_a_refused_question_words_that_the_data_does_not_name(
    question: str, missing: tuple[str, ...]
) -> None:
    assert missing_words(question, REFUSED, SALES) == missing


def test_of_an_answer_the_words_that_its_reading_leaves_out_unless_it_is_sure() -> None:
    left_out = Planning(draft=DRAFT, confidence="low", assumptions=(f'{NOT_USED}"Rep", "tier"',))
    assert missing_words("price by rep and tier", left_out, SALES) == ("rep", "tier")
    sure = left_out.model_copy(update={"confidence": "high"})
    assert missing_words("price by rep and tier", sure, SALES) == ()


def test_of_a_question_about_something_else_no_more_than_some() -> None:
    words = " ".join(f"frobnicate{'abcdefghijklmnopqrstuvwxyz'[n]}" for n in range(26))
    assert len(missing_words(words, REFUSED, SALES)) == MOST_WORDS
