"""What is in an order, what it costs, and what comes back."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from examples import assortment, truths
from examples.randomness import Stream, draw_by_share, generator

EXTRA_LINES = 1.05  # expected lines beyond an order's first, before the same product is merged
MOST_LINES = 5
RETURN_RATE = 0.05
RETURN_DAYS = (3, 30)  # earliest and latest day of a return after the order


def make_categories() -> pd.DataFrame:
    """The categories, numbered from 1."""
    return pd.DataFrame(
        {
            "category_id": range(1, len(assortment.PRODUCTS) + 1),
            "category_name": list(assortment.PRODUCTS),
        }
    )


def make_products() -> pd.DataFrame:
    """The products, with `demand`, each one's share of order lines, which no file shows."""
    rows = []
    for category_id, (category, products) in enumerate(assortment.PRODUCTS.items(), start=1):
        # Within a category the first product sells about three times as often as the last.
        weights = np.linspace(3.0, 1.0, num=len(products))
        for rank, (name, price) in enumerate(products):
            demand = assortment.CATEGORY_DEMAND[category] * weights[rank] / weights.sum()
            rows.append((100 * category_id + rank + 1, name, category_id, price, demand))
    columns = ["product_id", "product_name", "category_id", "list_price", "demand"]
    return pd.DataFrame(rows, columns=columns)


def fill_baskets(
    random: np.random.Generator,
    orders: pd.DataFrame,
    products: pd.DataFrame,
    extra_units: NDArray[np.float64],
) -> pd.DataFrame:
    """The lines of each order; `order` is the order's index label in `orders`.

    `extra_units` says for each order how many units beyond the first to expect on a line.
    """
    line_counts = np.minimum(1 + random.poisson(EXTRA_LINES, size=len(orders)), MOST_LINES)
    order = np.repeat(orders.index.to_numpy(), line_counts)
    product = random.choice(len(products), size=len(order), p=products["demand"].to_numpy())
    lines = pd.DataFrame(
        {
            "order": order,
            "product_id": products["product_id"].to_numpy()[product],
            "quantity": 1 + random.poisson(np.repeat(extra_units, line_counts)),
            "unit_price": products["list_price"].to_numpy()[product],
            "discount": draw_by_share(random, assortment.DISCOUNTS, len(order)),
        }
    )
    return lines.drop_duplicates(["order", "product_id"], ignore_index=True)


def extra_units_by_segment(orders: pd.DataFrame, customers: pd.DataFrame) -> NDArray[np.float64]:
    """For each order, what its customer's segment tends to buy beyond one unit a line."""
    segments = customers.set_index("customer_id")["segment"].loc[orders["customer_id"]]
    return np.array([assortment.EXTRA_UNITS[segment] for segment in segments])


def revenue(lines: pd.DataFrame) -> pd.Series[float]:
    """Euros of each line after discount."""
    return lines["quantity"] * lines["unit_price"] * (1 - lines["discount"])


def make_returns(orders: pd.DataFrame, order_lines: pd.DataFrame) -> pd.DataFrame:
    """Returned lines, at most one return a line; what would come back later is not known yet."""
    random = generator(Stream.RETURNS)
    returned = order_lines[random.random(len(order_lines)) < RETURN_RATE]
    earliest, latest = RETURN_DAYS
    waited = random.integers(earliest, latest + 1, size=len(returned))
    ordered = orders.set_index("order_id")["order_date"].loc[returned["order_id"]]
    returns = pd.DataFrame(
        {
            "order_line_id": returned["order_line_id"].to_numpy(),
            "return_date": ordered.to_numpy() + waited.astype("timedelta64[D]"),
            "quantity": random.integers(1, returned["quantity"].to_numpy() + 1),
            "reason": draw_by_share(random, assortment.RETURN_REASONS, len(returned)),
        }
    )
    returns = returns[returns["return_date"] <= pd.Timestamp(truths.PERIOD.last)]
    returns = returns.sort_values(["return_date", "order_line_id"], ignore_index=True)
    returns.insert(0, "return_id", range(1, len(returns) + 1))
    return returns
