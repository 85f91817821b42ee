"""Words for how often something is told, and the unit of time that each stands for."""

from __future__ import annotations

PACES = {
    "yearly": "year",
    "annually": "year",
    "annual": "year",
    "quarterly": "quarter",
    "monthly": "month",
    "weekly": "week",
    "daily": "day",
    "hourly": "hour",
}
