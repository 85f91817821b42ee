"""Do 95 % intervals contain the true effect 92 to 98 times of a hundred?

Each method is run over many draws of each world whose assumptions it makes. The interval of a
coverage counts how sure the figure itself is (Wilson 1927). `--repetitions` and `--rows` set the
size, `--only` takes worlds, `--methods` methods.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from bench.causal.worlds import WORLDS
from bench.measure import arguments, keep, print_table

SLOW = ("AIPW", "DML", "causal_forest")
LEAST, MOST = 0.92, 0.98


def _runs(world: str, method: str, repetitions: int, rows: int) -> dict[str, list[Any]]:
    """For each estimand and group: a tuple of estimate, low, high and truth a draw."""
    from services.executor.causal.estimation.arguments import CausalEstimateArguments
    from services.executor.causal.estimation.asking import studies_for
    from services.executor.causal.estimation.run import rows_of

    found: dict[str, list[Any]] = {"declined": []}
    for seed in range(repetitions):
        made = WORLDS[world](seed, rows)
        asked = CausalEstimateArguments(**made.study(method, seed))
        studies = studies_for(asked, made.table)
        for row in rows_of(method, studies):
            name = row["group"] or row["estimand"]
            if row["status"] != "ok":
                found["declined"] += [row["reason"]] * (row["group"] == "")
            elif name in made.effects:
                found.setdefault(name, []).append(
                    (row["estimate"], row["ci_lower"], row["ci_upper"], made.effects[name])
                )
    return found


def _figures(runs: Sequence[Any]) -> dict[str, float]:
    import numpy as np
    from statsmodels.stats.proportion import proportion_confint

    values = np.array(runs)
    hits = int(((values[:, 1] <= values[:, 3]) & (values[:, 3] <= values[:, 2])).sum())
    low, high = proportion_confint(hits, len(values), method="wilson")
    error = values[:, 0] - values[:, 3]
    return {
        "draws": len(values),
        "bias": float(error.mean()),
        "rmse": float((error**2).mean() ** 0.5),
        "coverage": hits / len(values),
        "low": float(low),
        "high": float(high),
        "width": float((values[:, 2] - values[:, 1]).mean()),
    }


def _text(value: object) -> object:
    return f"{value:.3f}" if isinstance(value, float) else value


def main() -> None:
    """Print the table, and end with 1 where a coverage is surely outside of 92 to 98 %."""
    parser = arguments("causal.coverage", __doc__)
    parser.add_argument("--repetitions", type=int, default=300)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--methods", nargs="*", default=[])
    asked = parser.parse_args()
    os.nice(5)
    values = []
    for world in asked.only or list(WORLDS):
        for method in WORLDS[world](0, 80).methods:
            if asked.methods and method not in asked.methods:
                continue
            times = max(asked.repetitions // 3, 1) if method in SLOW else asked.repetitions
            runs = _runs(world, method, times, asked.rows)
            declined = len(runs.pop("declined"))
            for name, each in sorted(runs.items()):
                values.append(
                    {
                        "world": world,
                        "method": method,
                        "effect": name,
                        "declined": declined,
                        **_figures(each),
                    }
                )
                print(values[-1], file=sys.stderr, flush=True)
    head = [
        "world",
        "method",
        "effect",
        "draws",
        "declined",
        "bias",
        "rmse",
        "coverage",
        "low",
        "high",
        "width",
    ]
    print_table(
        "Coverage of 95 % intervals", head, [[_text(row[each]) for each in head] for row in values]
    )
    keep({"coverage": values}, asked.json)
    outside = [row for row in values if row["high"] < LEAST or row["low"] > MOST]
    sys.exit(1 if outside else 0)


if __name__ == "__main__":
    main()
