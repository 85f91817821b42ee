"""What a user would write instead of a small `assay investigate`: how much each value, and each
pair of values, of all dimensions moved: `python -P plain_investigation.py duckdb|pandas FILE`.

It looks at no chance, no day, no third dimension, and proves nothing.
"""

from __future__ import annotations

import sys
from itertools import combinations

BASELINE, COMPARISON = ("2023-01-16", "2023-01-29"), ("2023-01-30", "2023-02-12")
METRIC, DAY = "numerator", "day"
_MOST = 10


def by_duckdb(path: str) -> list[tuple[float, str]]:
    """Sums of both periods for every value and pair of values, by DuckDB."""
    import duckdb

    found: list[tuple[float, str]] = []
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE facts AS SELECT * FROM read_csv(?)", [path])
        columns = [row[0] for row in connection.execute("DESCRIBE facts").fetchall()]
        inside = " - ".join(
            f"coalesce(sum({METRIC}) FILTER ({DAY} BETWEEN '{first}' AND '{last}'), 0)"
            for first, last in (COMPARISON, BASELINE)
        )
        for names in _groups(columns):
            listed = ", ".join(names)
            rows = connection.execute(f"SELECT {inside}, {listed} FROM facts GROUP BY {listed}")
            found += [(float(change), str(values)) for change, *values in rows.fetchall()]
    return found


def by_pandas(path: str) -> list[tuple[float, str]]:
    """The same by pandas."""
    import pandas as pd

    facts = pd.read_csv(path, parse_dates=[DAY])
    signs = facts[DAY].between(*COMPARISON).astype(int) - facts[DAY].between(*BASELINE).astype(int)
    facts["change"] = facts[METRIC].fillna(0) * signs
    found: list[tuple[float, str]] = []
    for names in _groups([name for name in facts.columns if name != "change"]):
        sums = facts.groupby(list(names))["change"].sum()
        found += [(float(change), str(value)) for value, change in sums.items()]
    return found


def _groups(columns: list[str]) -> list[tuple[str, ...]]:
    dimensions = [name for name in columns if name not in (DAY, METRIC)]
    return [*((name,) for name in dimensions), *combinations(dimensions, 2)]


if __name__ == "__main__":
    way, file = sys.argv[1:]
    changes = by_duckdb(file) if way == "duckdb" else by_pandas(file)
    for size, segment in sorted(changes, key=lambda one: -abs(one[0]))[:_MOST]:
        print(f"{size:14,.2f}  {segment}")
