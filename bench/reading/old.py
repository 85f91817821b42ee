"""Today's reader, `understand(...)`, as the bench asks it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from bench.reading.plans import carried_out, drawn
from bench.reading.protocol import Answered, Opened, Outcome, Word
from services.planner.domain.language.understand import understand
from services.planner.domain.query.intent import Clarification, NotUnderstood

_SURE, _FAIRLY_SURE = 0.75, 0.5  # as the planner's reasoner maps them to "high" and "medium"


class OldReader:
    """Asks without assuming; where that asks back, the rows are those of what it would assume.

    It keeps no candidates, and knows nothing of the questions before.
    """

    async def ask(self, question: str, database: Opened, after: Sequence[str] = ()) -> Answered:
        """What the planner's rules would say."""
        outcome: Outcome = "answered"
        catalogue, lookup, today = database.catalogue, database.lookup, database.today
        read = await understand(question, catalogue, lookup, today=today)
        began = time.perf_counter()
        options: tuple[str, ...] = ()
        if isinstance(read, Clarification):
            outcome, options = "asked", read.options
            read = await understand(question, catalogue, lookup, today=today, assume=True)
        if isinstance(read, Clarification):
            return Answered("asked", said=read.question)
        if isinstance(read, NotUnderstood):
            refused: Outcome = "asked" if outcome == "asked" else "refused"
            return Answered(refused, said=read.message)
        done = carried_out(read, database)
        return Answered(
            outcome,
            rows=done.rows,
            chart=drawn(read.intent),
            confidence=read.confidence,
            word=_word(read.confidence),
            doubts=read.assumptions,
            candidates=(done.rows,),
            sql=done.sql,
            said=done.failed or "; ".join(options) or read.summary,
            executing_seconds=time.perf_counter() - began,
        )


def reader() -> OldReader:
    """The reader under its name for the command."""
    return OldReader()


def _word(confidence: float) -> Word:
    if confidence >= _SURE:
        return "sure"
    return "likely" if confidence >= _FAIRLY_SURE else "doubtful"
