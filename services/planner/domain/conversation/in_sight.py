"""What is in sight after an answer, as far as a question why can go on from it."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.conversation import causing, moving
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.query.intent import Grain, Intent

NO_NUMBER = "what was asked before shows no single number whose movement could be explained"
NO_COLUMN = "what was asked before shows no number that is one column of the data"


@dataclass(frozen=True)
class TimeSplit:
    """Periods that an answer's rows are of: the columns of its table that hold them and their
    number."""

    grain: Grain
    time: str
    number: str


@dataclass(frozen=True)
class InSight:
    """The number that an answer shows.

    `metric` is SQL over the tables with its conditions but those of time, empty where `no_metric`
    says why; `column` the table and column that it is of, where it is of one, else `no_column` says
    why not. `periods` are those of a condition on time, which `time` is the column of, and the ones
    before; `split` is set where the answer has a number for each period.
    """

    metric: str = ""
    no_metric: str = NO_NUMBER
    column: tuple[str, str] | None = None
    no_column: str = NO_COLUMN
    time: str = ""
    periods: tuple[DateRange, DateRange] | None = None
    split: TimeSplit | None = None


def of_intent(intent: Intent, catalogue: Catalogue) -> InSight:
    """What a reading of the rules shows."""
    shown = [measure.label for measure in intent.measures if measure.shown]
    found = moving.time_split(intent)
    split = None
    if found is not None and found[1].grain and shown:
        split = TimeSplit(found[1].grain, found[1].label, shown[0])
    return InSight(
        metric=moving.metric_in_sight(intent, catalogue),
        column=causing.table_of_number(intent),
        periods=moving.periods_of_filter(intent, catalogue),
        split=split,
    )
