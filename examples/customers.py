"""The retailer's customers: who they are and how often they buy."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd

from examples import assortment, truths
from examples.randomness import Stream, draw_by_share, generator

CUSTOMERS = 1_500
FIRST_CUSTOMER_ID = 1_001

# Everybody has signed up before the months whose spend decides about the promotion begin, so that
# low prior spend never just means "joined late".
SIGNUPS = truths.Period(date(2021, 1, 1), date(2024, 6, 30))

# Gamma-distributed activity makes expected later spend close to linear in prior spend, which is
# what lets a plain linear adjustment recover the promotion's effect.
ACTIVITY_SHAPE = 1.5


def make_customers() -> pd.DataFrame:
    """One row a customer, with `activity`, the relative rate of ordering, which no file shows."""
    random = generator(Stream.CUSTOMERS)
    ids = np.arange(FIRST_CUSTOMER_ID, FIRST_CUSTOMER_ID + CUSTOMERS)
    first_names = random.choice(np.array(assortment.FIRST_NAMES), size=CUSTOMERS)
    last_names = random.choice(np.array(assortment.LAST_NAMES), size=CUSTOMERS)
    signup_days = np.sort(random.integers(0, SIGNUPS.days, size=CUSTOMERS))
    return pd.DataFrame(
        {
            "customer_id": ids,
            "name": [
                f"{first} {last}" for first, last in zip(first_names, last_names, strict=True)
            ],
            # example.com is reserved for documentation: these addresses reach nobody.
            "email": [
                f"{first}.{last}.{number}@example.com".lower()
                for first, last, number in zip(first_names, last_names, ids, strict=True)
            ],
            "segment": draw_by_share(random, assortment.SEGMENTS, CUSTOMERS),
            "region": draw_by_share(random, truths.REGION_SHARES, CUSTOMERS),
            "signup_date": np.datetime64(SIGNUPS.first) + signup_days,
            "activity": random.gamma(ACTIVITY_SHAPE, size=CUSTOMERS),
        }
    )
