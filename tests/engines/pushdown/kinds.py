"""The engines that the suite runs over, where their servers can be had here."""

from __future__ import annotations

ENGINES = ("clickhouse", "snowflake", "bigquery")
LEAST_PUSHED_DOWN = {"clickhouse": 0.7, "snowflake": 0.6, "bigquery": 0.5}
# What an emulator does otherwise than what it stands for: fakesnow forgets formats of times, adds
# whole numbers as floating point, and gives the sum of nothing a type of its own.
DIFFERS: dict[str, tuple[str, ...]] = {
    "clickhouse": (),
    "snowflake": ("strftime", "sum(w)"),
    "bigquery": (),
}
