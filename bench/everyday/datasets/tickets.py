"""Support tickets with three moments each; one priority is spelt in two ways."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, holes

_AGENTS = ["Priya", "Marcus", "Sofie", "Liam", "Noor", "Tadeo"]
_HOURS = {"low": 60.0, "medium": 34.0, "high": 14.0, "High": 14.0, "urgent": 6.0}


def _make(random: Random) -> Tables:
    count = 1_500
    minute = random.choice(366 * 24 * 60, count, replace=False)
    opened = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(np.sort(minute), unit="min"))
    priority = random.choice(list(_HOURS), count, p=[0.3, 0.4, 0.19, 0.02, 0.09])
    agent = random.choice(_AGENTS, count, p=[0.24, 0.2, 0.19, 0.15, 0.13, 0.09])
    slow = np.array([1 + 0.12 * _AGENTS.index(name) for name in agent])
    reply = random.gamma(1.5, 55, count) * slow
    spent = (
        reply
        + random.exponential(1, count) * np.array([_HOURS[name] for name in priority]) * 60 * slow
    )
    first = opened + pd.to_timedelta(np.round(reply), unit="min")
    closed = opened + pd.to_timedelta(np.round(spent), unit="min")
    status = random.choice(["closed", "open", "pending"], count, p=[0.88, 0.07, 0.05])
    late = closed > pd.Timestamp("2024-12-31 23:59")
    status = np.where(late & (status == "closed"), "open", status)
    happy = np.clip(np.round(4.6 - slow * 0.5 + random.normal(0, 0.9, count)), 1, 5).astype(int)
    return {
        "tickets": pd.DataFrame(
            {
                "ticket_id": [f"T-{number:05d}" for number in range(1, count + 1)],
                "opened_at": opened,
                "first_reply_at": first.where(first <= pd.Timestamp("2024-12-31 23:59")),
                "closed_at": closed.where(pd.Series(status == "closed")),
                "status": status,
                "priority": priority,
                "channel": random.choice(
                    ["email", "chat", "phone", "web form"], count, p=[0.45, 0.25, 0.2, 0.1]
                ),
                "agent": agent,
                "customer_tier": random.choice(
                    ["free", "pro", "enterprise"], count, p=[0.5, 0.35, 0.15]
                ),
                "satisfaction": holes(random, happy, 0.45),
                "reopened": (random.random(count) < 0.08).astype(int),
            }
        )
    }


DATASET = Dataset("tickets", _make)
