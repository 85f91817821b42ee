"""Orders as trend, season and chance bring them, and the checkout fault that takes some away."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from examples import truths
from examples.randomness import Stream, generator

ORDERS_PER_DAY = 12.0  # on an average day at the very start, before growth

# Regions and channels keep their exact shares in every run of this many orders, about a week's.
BLOCK = 100


def make_orders(customers: pd.DataFrame) -> pd.DataFrame:
    """Every order that would be placed if nothing special happened, by date."""
    random = generator(Stream.DEMAND)
    dates = np.repeat(_days(), _orders_a_day(random))
    cells = _cells(random, len(dates))
    orders = pd.DataFrame(
        {
            "order_date": dates,
            "customer_id": 0,
            "region": [region for region, _ in cells],
            "channel": [channel for _, channel in cells],
        }
    )
    for region in truths.REGION_SHARES:
        rows = orders["region"] == region
        orders.loc[rows, "customer_id"] = _choose_customers(
            random, customers[customers["region"] == region], orders.loc[rows, "order_date"]
        )
    return orders


def without_lost_orders(orders: pd.DataFrame) -> pd.DataFrame:
    """The orders that remain when the checkout fault has taken its share."""
    fault = truths.FAULT
    hit = (
        in_period(orders["order_date"], fault.period)
        & (orders["region"] == fault.region)
        & (orders["channel"] == fault.channel)
    )
    candidates = orders.index[hit].to_numpy()
    lost = generator(Stream.FAULT).choice(
        candidates, size=round(fault.share_lost * len(candidates)), replace=False
    )
    return orders[~orders.index.isin(lost)]


def in_period(dates: pd.Series[pd.Timestamp], period: truths.Period) -> pd.Series[bool]:
    """Which of the dates lie in the period, its two ends included."""
    return dates.between(pd.Timestamp(period.first), pd.Timestamp(period.last))


def _days() -> NDArray[np.datetime64]:
    return np.datetime64(truths.PERIOD.first, "s") + np.arange(truths.PERIOD.days).astype(
        "timedelta64[D]"
    )


def _orders_a_day(random: np.random.Generator) -> NDArray[np.int64]:
    """Whole orders for each day whose running total follows the expected one.

    Rounding the running total instead of each day keeps chance from hiding the stated season and
    growth: the only noise is `daily_noise`.
    """
    demand = truths.DEMAND
    calendar = pd.DatetimeIndex(_days())
    growth = (1 + demand.yearly_growth) ** (np.arange(len(calendar)) / 365)
    season = np.array([demand.month_factors[month] for month in calendar.month])
    weekday = np.array(demand.weekday_factors)[calendar.day_of_week]
    noise = np.exp(random.normal(0.0, demand.daily_noise, size=len(calendar)))
    expected = ORDERS_PER_DAY * growth * season * weekday * noise
    counts: NDArray[np.int64] = np.diff(np.rint(np.cumsum(expected)), prepend=0).astype(np.int64)
    return counts


def _cells(random: np.random.Generator, count: int) -> list[tuple[str, str]]:
    """A region and channel for each order, every block a shuffle of the same composition."""
    block = [
        (region, channel)
        for region, region_share in truths.REGION_SHARES.items()
        for channel, channel_share in truths.CHANNEL_SHARES.items()
        for _ in range(round(BLOCK * region_share * channel_share))
    ]
    blocks = -(-count // len(block))
    positions = np.concatenate([random.permutation(len(block)) for _ in range(blocks)])
    return [block[position] for position in positions[:count]]


def _choose_customers(
    random: np.random.Generator, customers: pd.DataFrame, dates: pd.Series[pd.Timestamp]
) -> NDArray[np.int64]:
    """A customer for each date, among those signed up by then, in proportion to activity."""
    # Customers come sorted by sign-up date, so those eligible on a day are the first so many.
    eligible = np.searchsorted(customers["signup_date"].to_numpy(), dates.to_numpy(), side="right")
    activity = np.cumsum(customers["activity"].to_numpy())
    drawn = random.random(len(dates)) * activity[eligible - 1]
    ids: NDArray[np.int64] = customers["customer_id"].to_numpy()
    chosen: NDArray[np.int64] = ids[np.searchsorted(activity, drawn, side="right")]
    return chosen
