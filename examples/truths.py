"""What is true of the example data because it was made so.

The generator reads these values, and tests and benchmarks compare an analysis with them. Money is
in euros, shares and rates are fractions, dates are whole days with both ends included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days from `first` to `last`, both included."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """How many days, counting both ends."""
        return (self.last - self.first).days + 1


@dataclass(frozen=True, slots=True)
class DemandTruth:
    """How the number of orders a day moves when nothing special happens.

    The expected count is base * (1 + yearly_growth) ** (days since the start / 365) * month
    factor * weekday factor. Factors average 1. Prices stay the same, so revenue moves alike.
    """

    yearly_growth: float
    month_factors: Mapping[int, float]  # by month, January is 1
    weekday_factors: tuple[float, ...]  # Monday first
    daily_noise: float  # standard deviation of the logarithm of a day's expected count


@dataclass(frozen=True, slots=True)
class FaultTruth:
    """A checkout fault: one channel in one region loses orders, everything else stays as it was.

    `share_lost` is exact: of the orders that would have been placed, that share (to the nearest
    whole order) is missing.
    """

    period: Period
    region: str
    channel: str
    share_lost: float
    cause: str


@dataclass(frozen=True, slots=True)
class PromotionTruth:
    """A promotion, what it really did, and what makes a naive comparison wrong.

    The chance of receiving it depends on `confounder` alone, so adjusting for that one column
    suffices. `average_treatment_effect` is revenue per recipient in `outcome_period` that would
    not exist without the promotion; it is the same at every level of prior spend and in
    every segment, and exact to within `effect_tolerance`. `naive_difference` is the plain
    difference of mean spend between recipients and others in the data as written; `naive_bias` is
    how far that misses.
    """

    prior_period: Period
    outcome_period: Period
    treatment: str
    confounder: str
    outcome: str
    average_treatment_effect: float
    effect_tolerance: float
    naive_difference: float

    @property
    def naive_bias(self) -> float:
        """Euros by which the naive difference exceeds the true effect."""
        return self.naive_difference - self.average_treatment_effect


PERIOD = Period(date(2024, 1, 1), date(2025, 12, 31))

REGION_SHARES: Mapping[str, float] = MappingProxyType(
    {"West": 0.40, "North": 0.30, "East": 0.20, "South": 0.10}
)
CHANNEL_SHARES: Mapping[str, float] = MappingProxyType({"mobile": 0.50, "web": 0.30, "store": 0.20})

DEMAND = DemandTruth(
    yearly_growth=0.15,
    month_factors=MappingProxyType(
        {
            1: 0.80,
            2: 0.77,
            3: 0.90,
            4: 0.95,
            5: 1.00,
            6: 0.98,
            7: 0.92,
            8: 0.90,
            9: 0.98,
            10: 1.00,
            11: 1.33,
            12: 1.47,
        }
    ),
    weekday_factors=(0.95, 0.95, 0.95, 0.95, 1.00, 1.20, 1.00),
    daily_noise=0.08,
)

FAULT = FaultTruth(
    period=Period(date(2025, 3, 10), date(2025, 4, 6)),
    region="West",
    channel="mobile",
    share_lost=0.70,
    cause="a fault in the mobile checkout of the West region",
)

PROMOTION = PromotionTruth(
    prior_period=Period(date(2024, 9, 1), date(2025, 8, 31)),
    outcome_period=Period(date(2025, 9, 1), date(2025, 10, 30)),
    treatment="received_promotion",
    confounder="prior_spend",
    outcome="spend_60_days_after",
    average_treatment_effect=30.0,
    effect_tolerance=0.25,
    naive_difference=76.31,
)
