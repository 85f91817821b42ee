"""How often a cause is told where there is none: `python -m bench.root_cause.false_causes`.

Every case is a business of `customers` in which nothing happened, or all moved alike.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

from bench.root_cause.assay import ALPHA, searched
from bench.root_cause.customers import ALIKE, HABITS, METRICS, business
from bench.root_cause.scoring import wilson


def measured(habits: list[str], seeds: range) -> Iterator[dict[str, Any]]:
    """A record of each case: what it was, and the segments that were told with their p-values."""
    for seed, habit, metric, alike in product(seeds, habits, METRICS, ALIKE):
        if alike == "points" and metric != "ratio":
            continue
        case, _ = business(habit, metric, alike, seed)
        start = time.perf_counter()
        values = [
            (row["kind"], row["segment"], row["p_corrected"])
            for row in searched(case).to_pylist()
            if row["kind"] not in ("total", "alike") and (row["p_corrected"] or 1) <= ALPHA
        ]
        yield {
            "habit": habit,
            "metric": metric,
            "alike": alike,
            "seed": seed,
            "history": case.level,
            "rows": case.rows.num_rows,
            "told": values,
            "seconds": round(time.perf_counter() - start, 3),
        }


def printed(records: list[dict[str, Any]]) -> str:
    """Tables of false causes as Markdown, with Wilson's 95 % intervals."""
    lines = [f"All: {_share(records)}", ""]
    for title in ("habit", "metric", "alike", "history"):
        lines += [f"| {title} | cases with a false cause |", "|---|---|"]
        lines += [f"| {name} | {_share(own)} |" for name, own in _parts(records, title)]
        lines += [""]
    kinds: dict[str, int] = {}
    for record in records:
        for kind in {value[0] for value in record["told"]}:
            kinds[kind] = kinds.get(kind, 0) + 1
    lines.append(f"Told: {', '.join(f'{kind} in {n}' for kind, n in sorted(kinds.items()))}")
    return "\n".join(lines)


def _share(records: list[dict[str, Any]]) -> str:
    hits, count = sum(bool(record["told"]) for record in records), len(records)
    low, high = wilson(hits, count)
    return f"{hits} of {count}, {hits / max(count, 1):.1%} ({low:.1%}–{high:.1%})"


def _parts(records: list[dict[str, Any]], key: str) -> list[tuple[str, list[dict[str, Any]]]]:
    of: Callable[[dict[str, Any]], str] = lambda record: str(record[key])  # noqa: E731
    names = list(dict.fromkeys(of(record) for record in records))
    return [(name, [r for r in records if of(r) == name]) for name in names]


def main() -> None:
    """Measure what was asked for and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:10", help="from:to, without the last")
    parser.add_argument("--habits", default=";".join(HABITS), help="separated by ;")
    parser.add_argument("--out", type=Path, help="where records are written, a line each")
    chosen = parser.parse_args()
    first, last = (int(part) for part in chosen.seeds.split(":"))
    records = []
    for record in measured(chosen.habits.split(";"), range(first, last)):
        records.append(record)
        if chosen.out:
            with chosen.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
    print(printed(records))


if __name__ == "__main__":
    main()
