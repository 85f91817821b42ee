"""Spans of time that are set against each other, and things followed from their first event on."""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from pydantic import Field as Spec

from services.planner.domain.catalogue import Frozen
from services.planner.domain.query.filters import Field
from services.planner.domain.query.kinds import Grain


class Period(Frozen):
    """The days of `dated` from `start` up to, not including, `end`, called `label`; None is open.

    Periods are no conditions: where several stand side by side, each is a column or a value of the
    answer, and a recipe must not put another span in the place of one.
    """

    label: str
    dated: Field
    start: date | None = None
    end: date | None = None


class CohortView(StrEnum):
    """What is told of things that are followed.

    retention: for each cohort and each number of units of time since, how many were active. curve:
    the same over all cohorts that were seen for so long. new: how many had their first event, by
    time. active: how many had any, by time. new_or_returning: the same, apart by whether it was
    their first time. returned: how many came back, once.
    """

    RETENTION = "retention"
    CURVE = "curve"
    NEW = "new"
    ACTIVE = "active"
    NEW_OR_RETURNING = "new_or_returning"
    RETURNED = "returned"


class Cohort(Frozen):
    """Things followed by their events: who they are, when something happened, and what is told.

    `entity` tells the things apart in the rows of the events, `dated` says when an event happened.
    A thing belongs to the unit of `grain` of its first event, or of `started`, a date in their own
    rows. `age` keeps one number of units since. For those who `returned`: of the things with
    any event (with `first`, their first one) in `earlier`, those with an event in `later`, or with
    any further one, `within` so many units of `grain` after the first; `absent` counts who did not.
    """

    view: CohortView
    entity: Field
    dated: Field
    grain: Grain
    started: Field | None = None
    age: int | None = Spec(default=None, ge=0)
    first: bool = False
    earlier: Period | None = None
    later: Period | None = None
    within: int | None = Spec(default=None, gt=0)
    absent: bool = False
