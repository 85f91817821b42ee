"""What a user would write instead of `assay ask`: `python plain_question.py FILE FOLDER`.

The quantity of each channel of a CSV file, as a table and as a bar chart.
"""

from __future__ import annotations

import sys

import duckdb
import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt  # after the choice of a backend


def main(path: str, folder: str) -> None:
    """Read, group, print, write `result.csv` and `chart.png`."""
    with duckdb.connect() as connection:
        found = connection.execute(
            "SELECT channel, sum(quantity) AS quantity FROM read_csv(?) GROUP BY channel "
            "ORDER BY quantity DESC",
            [path],
        )
        rows = found.fetchall()
        connection.execute("CREATE TABLE result (channel VARCHAR, quantity BIGINT)")
        connection.executemany("INSERT INTO result VALUES (?, ?)", rows)
        connection.execute(f"COPY result TO '{folder}/result.csv' (HEADER)")
    for channel, quantity in rows:
        print(channel, quantity)
    figure, axes = plt.subplots()
    axes.bar([row[0] for row in rows], [row[1] for row in rows])
    axes.set_title("Total quantity by channel")
    axes.set_ylabel("quantity")
    figure.savefig(f"{folder}/chart.png")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
