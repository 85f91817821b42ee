"""What a column of an answer is, whoever proposed the answer."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from services.planner.domain.catalogue import Frozen

LONGEST_NAME = 200
Role = Literal["key", "label", "measure", "share", "date", "rank"]
"""What a column of a result is: it tells rows apart, names them, is a number of each, a part of a
whole, a time, or a place in an order."""

ColumnGrain = Literal["", "year", "quarter", "month", "week", "day", "month_of_year", "hour"]
"""What a time is told by: of a moment all before it is meant; months of a year and hours of a day
are numbers."""


class ResultColumn(Frozen):
    """A column of the result. `additive` says whether values of several rows may be summed, `grain`
    by what a time is told, and `fraction` that one means all of it, which is told in per cent."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    role: Role
    unit: str = Field(default="", max_length=40)
    additive: bool = False
    grain: ColumnGrain = ""
    fraction: bool = False
