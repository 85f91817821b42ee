"""Data too busy to be asked makes no answer surer, and is asked again with more patience."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.evidence import (
    NOT_ALL_TRIED,
    PATIENT_LIMITS,
    USUAL_LIMITS,
    Evidence,
    Outcome,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)
from services.planner.domain.query.intent import Understood
from services.planner.domain.reader.understand import understand
from tests.unit.reader.apiary import TODAY, Apiary, apiary

ASKED = "total honey by nectar"


@pytest.fixture(scope="module")
def bees(tmp_path_factory: pytest.TempPathFactory) -> Apiary:
    return apiary(tmp_path_factory.mktemp("bees"))


@dataclass
class Busy:
    """Evidence that comes too late within the usual limits; without `data` within any."""

    data: Evidence | None
    asked: list[ProbeLimits] = field(default_factory=list)

    async def __call__(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> Sequence[Outcome]:
        self.asked.append(limits)
        if self.data is not None and limits == PATIENT_LIMITS:
            return await self.data(queries, limits)
        return [Outcome(state=ProbeState.CUT_OFF) for _ in queries]


async def read(bees: Apiary, evidence: Evidence) -> Understood:
    found = await understand(ASKED, bees.catalogue, bees.lookup, today=TODAY, evidence=evidence)
    assert isinstance(found, Understood)
    return found


async def test_what_came_too_late_is_asked_for_once_more(bees: Apiary) -> None:
    busy = Busy(bees.evidence)
    found = await read(bees, busy)
    at_once = await read(bees, bees.evidence)
    assert busy.asked == [USUAL_LIMITS, PATIENT_LIMITS]
    assert (found.intent, found.confidence) == (at_once.intent, at_once.confidence)


@dataclass
class Slow:
    """Evidence of which the likeliest come too late within the usual limits, or within any."""

    data: Evidence
    ever: bool
    asked: list[int] = field(default_factory=list)

    async def __call__(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> Sequence[Outcome]:
        self.asked.append(len(queries))
        told = list(await self.data(queries, limits))
        if not self.ever or limits == USUAL_LIMITS:
            told[:2] = [Outcome(state=ProbeState.NOT_REACHED)] * len(told[:2])
        return told


async def test_the_likeliest_that_came_too_late_are_asked_for_once_more(bees: Apiary) -> None:
    slow = Slow(bees.evidence, ever=True)
    found = await read(bees, slow)
    at_once = await read(bees, bees.evidence)
    assert slow.asked[1:] == [2]
    assert found == at_once


async def test_what_another_moment_might_read_otherwise_says_so(bees: Apiary) -> None:
    found = await read(bees, Slow(bees.evidence, ever=False))
    assert NOT_ALL_TRIED in found.assumptions


async def test_what_was_never_compared_is_not_told_as_sure(bees: Apiary) -> None:
    found = await read(bees, Busy(None))
    assert found.confidence < thresholds.SURE
    assert any("could be tried" in note for note in found.assumptions)
