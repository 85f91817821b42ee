"""The engines that the suite runs over, where their servers can be had here."""

from __future__ import annotations

ENGINES = ("clickhouse",)
LEAST_PUSHED_DOWN = {"clickhouse": 0.7}
