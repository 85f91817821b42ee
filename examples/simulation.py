"""The retailer's two years, played through in the order of cause and effect.

Customers exist; demand brings orders; the fault takes some away; what customers spent so far
decides who receives the promotion; the promotion adds orders; some lines come back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from examples import truths
from examples.baskets import (
    extra_units_by_segment,
    fill_baskets,
    make_categories,
    make_products,
    make_returns,
)
from examples.customers import make_customers
from examples.demand import make_orders, without_lost_orders
from examples.promotion import caused_orders, choose_recipients, spend_in
from examples.randomness import Stream, generator

FIRST_ORDER_ID = 10_001


@dataclass(frozen=True, slots=True)
class Retailer:
    """The shop's tables with the columns that README.md describes, each sorted by its key."""

    categories: pd.DataFrame
    products: pd.DataFrame
    customers: pd.DataFrame
    orders: pd.DataFrame
    order_lines: pd.DataFrame
    returns: pd.DataFrame


def simulate() -> Retailer:
    """The same retailer on every call."""
    promotion = truths.PROMOTION
    customers, products = make_customers(), make_products()
    expected = make_orders(customers)
    baskets = fill_baskets(
        generator(Stream.BASKETS), expected, products, extra_units_by_segment(expected, customers)
    )
    orders = without_lost_orders(expected)
    lines = baskets[baskets["order"].isin(orders.index)]

    customers[promotion.confounder] = spend_in(promotion.prior_period, customers, orders, lines)
    customers[promotion.treatment] = choose_recipients(customers[promotion.confounder])
    recipients = customers[customers[promotion.treatment]]
    more_orders, more_lines = caused_orders(recipients, products, first_label=len(expected))
    orders, lines = pd.concat([orders, more_orders]), pd.concat([lines, more_lines])
    customers[promotion.outcome] = spend_in(promotion.outcome_period, customers, orders, lines)

    orders, lines = _number(orders, lines)
    return Retailer(
        categories=make_categories(),
        products=products.drop(columns="demand"),
        customers=customers.drop(columns="activity"),
        orders=orders,
        order_lines=lines,
        returns=make_returns(orders, lines),
    )


def _number(orders: pd.DataFrame, lines: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ids by date. Within a day chance decides, so that an id does not betray an order's cause."""
    shuffled = orders.iloc[generator(Stream.NUMBERING).permutation(len(orders))]
    orders = shuffled.sort_values("order_date", kind="stable")
    orders.insert(0, "order_id", np.arange(FIRST_ORDER_ID, FIRST_ORDER_ID + len(orders)))
    lines = lines.assign(order_id=orders["order_id"].loc[lines["order"]].to_numpy())
    lines = lines.sort_values(["order_id", "product_id"], ignore_index=True)
    lines["order_line_id"] = np.arange(1, len(lines) + 1)
    columns = ["order_line_id", "order_id", "product_id", "quantity", "unit_price", "discount"]
    return orders.reset_index(drop=True), lines[columns]
