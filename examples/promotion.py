"""Who receives the promotion, and the orders it causes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from examples import truths
from examples.baskets import fill_baskets, revenue
from examples.demand import in_period
from examples.randomness import Stream, draw_by_share, generator

# The chance of receiving it is logistic in prior spend, in standard deviations from the mean.
INTERCEPT = -1.2
SLOPE = 1.0

# Units beyond the first on a line of an order that the promotion causes. The same for every
# segment: otherwise the effect would differ by segment and, through it, by prior spend.
EXTRA_UNITS = 0.6


def spend_in(
    period: truths.Period, customers: pd.DataFrame, orders: pd.DataFrame, lines: pd.DataFrame
) -> pd.Series[float]:
    """Euros each customer spent in the period, in the customers' order, rounded to cents."""
    placed = orders[in_period(orders["order_date"], period)]
    of_period = lines[lines["order"].isin(placed.index)]
    buyer = placed["customer_id"].loc[of_period["order"]].to_numpy()
    spend = revenue(of_period).groupby(buyer).sum()
    return spend.reindex(customers["customer_id"], fill_value=0.0).round(2).reset_index(drop=True)


def choose_recipients(prior_spend: pd.Series[float]) -> pd.Series[bool]:
    """Who receives the promotion: by chance, and the likelier the more they spent before."""
    standardised = (prior_spend - prior_spend.mean()) / prior_spend.std()
    chance = 1 / (1 + np.exp(-(INTERCEPT + SLOPE * standardised.to_numpy())))
    drawn = generator(Stream.PROMOTION).random(len(prior_spend))
    return pd.Series(drawn < chance, index=prior_spend.index)


def caused_orders(
    recipients: pd.DataFrame, products: pd.DataFrame, first_label: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Orders and lines that exist only because of the promotion, labelled from `first_label`.

    Each falls to a recipient drawn evenly, so the effect does not depend on prior spend. Orders are
    added until their revenue comes closest to the stated effect times the number of recipients.
    """
    random = generator(Stream.PROMOTION_ORDERS)
    outcome = truths.PROMOTION.outcome_period
    # More than can be needed: an order brings more than a quarter of the effect on average.
    count = 4 * len(recipients)
    buyers = recipients.iloc[random.integers(0, len(recipients), size=count)]
    waited = random.integers(0, outcome.days, size=count).astype("timedelta64[D]")
    orders = pd.DataFrame(
        {
            "order_date": np.datetime64(outcome.first, "s") + waited,
            "customer_id": buyers["customer_id"].to_numpy(),
            "region": buyers["region"].to_numpy(),
            "channel": draw_by_share(random, truths.CHANNEL_SHARES, count),
        },
        index=range(first_label, first_label + count),
    )
    lines = fill_baskets(random, orders, products, np.full(count, EXTRA_UNITS))
    target = truths.PROMOTION.average_treatment_effect * len(recipients)
    total = revenue(lines).groupby(lines["order"]).sum().cumsum()
    orders = orders.loc[: (total - target).abs().idxmin()]
    return orders, lines[lines["order"].isin(orders.index)]
