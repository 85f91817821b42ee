"""What can be answered in place of a question that is refused: the nearest readings, as questions.

A question is offered only if it was read and asked of the data, and gave the rows that are meant.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.evidence import Evidence, ProbedQuery, ProbeState
from services.planner.domain.query.intent import (
    Clarification,
    Intent,
    NotUnderstood,
    Understood,
)
from services.planner.domain.query.planning.sql import render
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.choice.candidate import Candidate

MOST_OFFERED = 3
_LOOKED_AT = 8

Read = Callable[[str], Awaitable[Understood | Clarification | NotUnderstood]]


async def nearest_questions(
    ranked: Sequence[Candidate], read: Read, evidence: Evidence, catalogue: Catalogue
) -> tuple[str, ...]:
    """Up to three questions that can be answered, the nearest first; none where there are none.

    `read` reads a question by itself.
    """
    intended: dict[str, Candidate] = {}
    for one in ranked[:_LOOKED_AT]:
        # A number is what is asked for; a list of rows that drops it is near to nothing.
        if one.outcome is not None and one.outcome.rows and one.intent.measures:
            intended.setdefault(asked_as(one.intent, catalogue), one)
    readings = {text: await read(text) for text in intended}
    queries = {
        text: render(found.intent, catalogue)
        for text, found in readings.items()
        if isinstance(found, Understood) and found.intent.gives_rows
    }
    probed = [ProbedQuery(sql=query.text, params=query.params) for query in queries.values()]
    outcomes = await evidence(probed) if probed else ()
    found: list[str] = []
    for text, outcome in zip(queries, outcomes, strict=True):
        wanted = intended[text].outcome
        same = wanted is not None and outcome.multiset_digest == wanted.multiset_digest
        if outcome.state is ProbeState.OK and same:
            found.append(text)
    return tuple(found[:MOST_OFFERED])


def asked_as(intent: Intent, catalogue: Catalogue) -> str:
    """The reading in words that can be asked: "number of orders by city, city is Berlin"."""
    plain = intent.model_copy(update={"chart": None, "chart_named": False})
    return summarise(plain, catalogue).replace(", one row each", "").replace(" · ", ", ")
