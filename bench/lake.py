"""How long does `assay ask` take over a partitioned folder of Parquet? `python -m bench.lake`

The quantity of each channel in one year, of data sets of 3,000,000 rows in folders
`year=…/month=…/` (36 files). Beside it a plain script: DuckDB with `hive_partitioning`, the rows
and a bar chart. A mesh serves in the background, warmed with a small data set; the first touch of
a data set reads, checks and stores it, a later one finds it. Each command is a process of its own,
in turns. Target: 1.5 times the script at first touch, 1.0 later.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from statistics import median

import duckdb

from bench.measure import arguments, child, keep, print_table

ROWS, ROUNDS = 3_000_000, 3
ASSAY = (sys.executable, "-m", "clients.python.cli.main")
TARGETS = {"first touch": 1.5, "later": 1.0}
_SCRIPT = """
import sys
import duckdb
import matplotlib as mpl
mpl.use("Agg")
from matplotlib import pyplot as plt
path, folder = sys.argv[1:]
rows = duckdb.sql(
    "SELECT channel, sum(quantity) AS quantity FROM "
    f"read_parquet('{path}/**/*.parquet', hive_partitioning=true) WHERE year = 2024 "
    "GROUP BY channel ORDER BY quantity DESC"
).fetchall()
print(rows)
figure, axes = plt.subplots()
axes.bar([row[0] for row in rows], [row[1] for row in rows])
figure.savefig(f"{folder}/chart.png")
"""


def main() -> None:
    """Measure and print."""
    options = arguments("lake", __doc__).parse_args()
    taken: dict[str, list[float]] = {"script": [], "first touch": [], "later": []}
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"ASSAY_HOME": f"{folder}/home", "ASSAY_BACKGROUND": "1"}
        try:
            asked(write(Path(folder) / "warm", 36_000, 0))
            for number in range(1, ROUNDS + 1):
                data = write(Path(folder) / f"sales_{number}", ROWS, number)
                script = child([sys.executable, "-c", _SCRIPT, str(data), folder])
                taken["script"].append(script.seconds)
                taken["first touch"].append(asked(data))
                taken["later"].append(asked(data))
        finally:
            child([*ASSAY, "down"])
    script_seconds = median(taken["script"])
    times = {what: median(found) / script_seconds for what, found in taken.items()}
    rows = [
        [what, median(found), times[what], TARGETS.get(what, "")] for what, found in taken.items()
    ]
    title = f"{ROWS:,} rows in 36 files, medians of {ROUNDS}"
    print_table(title, ["", "seconds", "times", "target"], rows)
    keep({"seconds": taken, "times": times}, options.json)


def write(place: Path, rows: int, seed: int) -> Path:
    """A data set in folders of years and months."""
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT ['shop', 'web', 'phone', 'partner'][1 + i % 4] AS channel, "
            f"1 + (i * 7 + {seed}) % 9 AS quantity, (i * 31) % 997 / 10 AS price, i AS sale_id, "
            f"2023 + i % 3 AS year, 1 + (i // 3) % 12 AS month FROM range({rows}) t(i)) TO "
            f"'{place}' (FORMAT parquet, PARTITION_BY (year, month))"
        )
    return place


def asked(data: Path) -> float:
    """Seconds that the question takes."""
    words = ["total quantity by channel in 2024", "--data", str(data), "--timeout", "180"]
    return child([*ASSAY, "ask", *words, "--deliverable", "table,chart"]).seconds


if __name__ == "__main__":
    main()
