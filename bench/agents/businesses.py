"""Twelve businesses, each with a question that a plain query answers wrongly, and the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

Tables = Mapping[str, pd.DataFrame]
SEED = 20


@dataclass(frozen=True)
class Claim:
    """What is asked for: `what` says it to the agent, `truth` is a number, a text, a boolean, or
    None where the data cannot tell. A number is right within `within`, in its own unit."""

    name: str
    what: str
    truth: Any
    within: float = 0.0

    def holds(self, value: Any) -> bool:
        """Whether a value is right."""
        if self.truth is None or value is None:
            return value is self.truth
        if isinstance(self.truth, bool | str):
            return str(value).strip().casefold() == str(self.truth).casefold()
        try:
            return abs(float(value) - float(self.truth)) <= self.within
        except (TypeError, ValueError):
            return False


@dataclass(frozen=True)
class World:
    """A business: what is asked, its data, and what is true of them."""

    name: str
    task: str
    build: Callable[[np.random.Generator], tuple[Tables, list[Claim]]]

    def tables(self) -> Tables:
        """Its data, the same each time."""
        return self.build(np.random.default_rng(SEED))[0]

    def claims(self) -> list[Claim]:
        """What is asked for, with the truth."""
        return self.build(np.random.default_rng(SEED))[1]


def _days(rng: np.random.Generator, n: int, first: str, last: str) -> pd.Series[Any]:
    span = (pd.Timestamp(last) - pd.Timestamp(first)).days + 1
    return pd.Series(pd.Timestamp(first) + pd.to_timedelta(rng.integers(0, span, n), unit="D"))


def _confounded(rng: np.random.Generator) -> tuple[Tables, list[Claim]]:
    """Large customers buy the plan, and stay: the plan itself does nothing."""
    size = rng.lognormal(3, 1, 4_000)
    plan = rng.random(4_000) < 1 / (1 + np.exp(-(np.log(size) - 3) * 1.6))
    left = rng.random(4_000) < np.clip(0.42 - 0.11 * (np.log(size) - 3), 0.02, 0.9)
    customers = pd.DataFrame(
        {
            "customer": range(1, 4_001),
            "employees": np.ceil(size).astype(int),
            "premium_support": plan.astype(int),
            "left_within_year": left.astype(int),
        }
    )
    what = "percentage points that premium support itself adds to the share that leaves"
    return {"customers": customers}, [Claim("effect_pp", what, 0.0, 4.5)]


def _lifetimes(rng: np.random.Generator) -> tuple[Tables, list[Claim]]:
    """Most customers have not left yet: those who have are the ones who left early."""
    begun = _days(rng, 3_000, "2023-01-01", "2024-12-31")
    lasted = rng.exponential(500 / np.log(2), 3_000)
    ended = begun + pd.to_timedelta(np.ceil(lasted), unit="D")
    ended = ended.where(ended <= pd.Timestamp("2024-12-31"))
    frame = pd.DataFrame({"customer": range(1, 3_001), "joined": begun, "cancelled": ended})
    what = "median days that a customer stays, of those who joined in 2023 and 2024"
    return {"subscriptions": frame}, [Claim("median_days", what, 500.0, 60.0)]


def _repeated(rng: np.random.Generator) -> tuple[Tables, list[Claim]]:
    """Freight stands on each order, and lines are joined to it."""
    orders = pd.DataFrame(
        {
            "order_id": range(1, 801),
            "placed_on": _days(rng, 800, "2024-01-01", "2024-12-31"),
            "country": rng.choice(["France", "Germany", "Spain"], 800),
            "freight": np.round(rng.gamma(2, 9, 800), 2),
        }
    )
    lines = pd.DataFrame({"order_id": np.repeat(orders["order_id"], rng.integers(1, 7, 800))})
    lines["amount"] = np.round(rng.gamma(3, 20, len(lines)), 2)
    lines["line_id"] = range(1, len(lines) + 1)
    ratio = orders["freight"].sum() / lines["amount"].sum() * 100
    what = "freight of 2024 as a percentage of the amounts of 2024"
    return {"orders": orders, "lines": lines}, [Claim("freight_percent", what, ratio, 0.1)]


def _no_fall(rng: np.random.Generator) -> tuple[Tables, list[Claim]]:
    """The question takes a fall for granted that there was not: March is longer, and better."""
    days = pd.date_range("2024-01-01", "2024-03-31")
    level = np.where(days.month == 3, 1_090, 1_000)
    sales = pd.DataFrame({"day": days, "revenue": np.round(rng.normal(level, 40), 2)})
    means = {month: sales.loc[days.month == month, "revenue"].mean() for month in (2, 3)}
    change = (means[3] / means[2] - 1) * 100
    what = "percentage by which revenue per day changed from February to March, below 0 for a fall"
    return {"sales": sales}, [Claim("change_per_day_percent", what, change, 0.5)]


def _unfinished(rng: np.random.Generator) -> tuple[Tables, list[Claim]]:
    """The last month in the data has nine days."""
    days = pd.date_range("2023-01-01", "2024-06-09")
    sales = pd.DataFrame({"day": days, "orders": rng.poisson(40 * 1.0004 ** np.arange(len(days)))})
    may = days.month == 5
    before, after = (sales.loc[may & (days.year == year), "orders"].sum() for year in (2023, 2024))
    change = (after / before - 1) * 100
    what = "percentage by which orders of the latest month that is whole differ from a year before"
    return {"orders": sales}, [Claim("growth_percent", what, change, 0.1)]


def _no_overlap(rng: np.random.Generator) -> tuple[Tables, list[Claim]]:
    """Each campaign ran in one region alone: nothing tells them from the regions."""
    region = rng.choice(["North", "South"], 2_000)
    shops = pd.DataFrame({"shop": range(1, 2_001), "region": region})
    shops["campaign"] = np.where(region == "North", "A", "B")
    shops["sales"] = np.round(rng.normal(np.where(region == "North", 520, 480), 60), 2)
    what = "how much more sales campaign A itself causes than campaign B, per shop"
    return {"shops": shops}, [Claim("effect_of_a", what, None)]


def _marked(rng: np.random.Generator) -> tuple[Tables, list[Claim]]:
    """-999 stands for an amount that is not known, and two currencies share a column."""
    invoices = pd.DataFrame(
        {
            "invoice": range(1, 1_501),
            "issued": _days(rng, 1_500, "2024-01-01", "2024-12-31"),
            "currency": rng.choice(["EUR", "USD"], 1_500, p=[0.8, 0.2]),
            "amount": np.round(rng.gamma(4, 50, 1_500), 2),
        }
    )
    invoices.loc[rng.choice(1_500, 90, replace=False), "amount"] = -999
    known = invoices[(invoices["amount"] >= 0) & (invoices["currency"] == "EUR")]
    what = "mean amount in EUR of an invoice in EUR whose amount is known"
    return {"invoices": invoices}, [Claim("mean_eur", what, known["amount"].mean(), 0.01)]


def _many_segments(rng: np.random.Generator) -> tuple[Tables, list[Claim]]:
    """Forty segments, and no page is better in any: some look so."""
    visits = pd.DataFrame({"visitor": range(1, 24_001)})
    visits["segment"] = rng.choice([f"segment {n:02}" for n in range(1, 41)], 24_000)
    visits["page"] = rng.choice(["old", "new"], 24_000)
    visits["bought"] = (rng.random(24_000) < 0.1).astype(int)
    what = 'the segment in which the new page truly sells better, "none" where it is in none'
    return {"visits": visits}, [Claim("segment", what, "none")]


def _alike(rng: np.random.Generator) -> tuple[Tables, list[Claim]]:
    """Twelve clinics a group, whose patients are alike: no difference between treatments."""
    clinic = np.repeat(np.arange(1, 25), 60)
    own = rng.normal(0, 6, 25)
    own[13:] += 3.0 - own[13:].mean() + own[1:13].mean()
    frame = pd.DataFrame({"patient": range(1, len(clinic) + 1), "clinic": clinic})
    frame["method"] = np.where(clinic <= 12, "usual", "new")
    frame["days_in_bed"] = np.round(20 + own[clinic] + rng.normal(0, 4, len(clinic)), 1)
    what = "whether the methods differ in days in bed at the level of 5 % (true or false)"
    return {"patients": frame}, [Claim("significant", what, False)]


def _two_dates(rng: np.random.Generator) -> tuple[Tables, list[Claim]]:
    """Orders count when they are placed; many are shipped the month after, some never."""
    placed = _days(rng, 2_400, "2024-01-01", "2024-06-30")
    shipped = placed + pd.to_timedelta(rng.integers(3, 40, 2_400), unit="D")
    orders = pd.DataFrame({"order_id": range(1, 2_401), "placed": placed, "shipped": shipped})
    orders.loc[rng.random(2_400) < 0.05, "shipped"] = pd.NaT
    orders["amount"] = np.round(rng.gamma(3, 30, 2_400), 2)
    march = orders[orders["placed"].dt.month == 3]
    what = "amount of all orders placed in March 2024, shipped or not"
    return {"orders": orders}, [Claim("march_amount", what, march["amount"].sum(), 0.01)]


def _orphans(rng: np.random.Generator) -> tuple[Tables, list[Claim]]:
    """Some lines name products that the catalogue does not have."""
    products = pd.DataFrame({"product": range(1, 61)})
    products["category"] = rng.choice(["tools", "paint", "garden"], 60)
    lines = pd.DataFrame({"line": range(1, 3_001), "product": rng.integers(1, 66, 3_000)})
    lines["amount"] = np.round(rng.gamma(3, 12, 3_000), 2)
    joined = lines.merge(products, on="product", how="left")
    paint = joined.loc[joined["category"] == "paint", "amount"].sum()
    share = paint / lines["amount"].sum() * 100
    lost = joined.loc[joined["category"].isna(), "amount"].sum() / lines["amount"].sum() * 100
    return {"products": products, "lines": lines}, [
        Claim("paint_percent", "paint as a percentage of the amount of all lines", share, 0.05),
        Claim("unknown_percent", "percentage of all amounts in no known category", lost, 0.05),
    ]


def _no_rule(rng: np.random.Generator) -> tuple[Tables, list[Claim]]:
    """A rule that fits the past by its own making: on later days it picks nothing out."""
    days = _days(rng, 3_000, "2023-01-01", "2024-12-31")
    frame = pd.DataFrame({"loan": range(1, 3_001), "granted": days})
    frame["late_payments"] = rng.poisson(1.2, 3_000)
    frame["flagged"] = ((frame["late_payments"] >= 3) | (rng.random(3_000) < 0.05)).astype(int)
    frame["defaulted"] = (rng.random(3_000) < 0.12).astype(int)
    what = "whether flagged loans default more often than others (true or false)"
    return {"loans": frame}, [Claim("rule_works", what, False)]


WORLDS = (
    World("confounded", "Does premium support keep customers from leaving?", _confounded),
    World("lifetimes", "How long do customers stay? The data end on 31 December 2024.", _lifetimes),
    World("repeated", "How much of what is sold goes into freight?", _repeated),
    World("no_fall", "Why did revenue fall from February to March 2024?", _no_fall),
    World("unfinished", "How do orders grow?", _unfinished),
    World(
        "no_overlap", "Which of the two campaigns causes more sales, and by how much?", _no_overlap
    ),
    World("marked", "What is the mean invoice in euros?", _marked),
    World("many_segments", "In which segment should the new page be shown?", _many_segments),
    World("alike", "Does the new method shorten the stay?", _alike),
    World("two_dates", "What did we sell in March 2024?", _two_dates),
    World("orphans", "What share of our sales is paint?", _orphans),
    World("no_rule", "Does the flag pick out loans that default?", _no_rule),
)
