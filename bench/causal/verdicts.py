"""Does a causal job conclude what is true, or nothing? `python -m bench.causal.verdicts`

All agents run over draws of the worlds in `bench/causal/traps.py`, without charts and notebook; in
every second draw people say what came first. Counted are approvals whose interval holds the true
effect, approvals whose interval does not (and of these, those under a condition that the world does
not meet, as the answer says), and what was left open or rejected. An interval of 95 % misses one
time in twenty: `z` tells by how many of its standard errors the worst one missed. `--draws`,
`--rows` and `--only` set the size.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from contextlib import nullcontext
from typing import Any

import numpy as np

from bench.causal.library_time import LibraryTime
from bench.causal.pipeline import Context, Pipeline
from bench.causal.traps import TRAPS, with_order
from bench.measure import arguments, keep, print_table
from services.planner.domain.causal.agent import Brief
from services.planner.domain.causal.effects import calibration_of, spoken_for

SECONDS = 200.0
"""Of a job; a twentieth is given to planted effects, a quarter to discovery."""


def judged(world: str, seed: int, rows: int) -> dict[str, Any]:
    """One job: its verdict, and whether what it concludes holds the true effect."""
    trap = TRAPS[world](np.random.default_rng([seed, zlib.crc32(world.encode()), rows]), rows)
    if seed % 2 and not world.endswith("untold"):
        trap = with_order(trap)
    without = frozenset({"draw", "notebook"})
    pipeline = Pipeline(Context(trap.table, SECONDS), without, LibraryTime())
    brief = Brief(relation="SELECT * FROM shop", knowledge=trap.known, seconds=SECONDS)
    state = pipeline.run(brief, "t", "y")
    newest = state.newest_critique
    values: dict[str, Any] = {
        "world": world,
        "seed": seed,
        "rows": rows,
        "condition": trap.condition,
        "verdict": newest.decision.value if newest else "none",
        "why": newest.reasoning[:300] if newest else "",
        "scores": dict(newest.scores) if newest else {},
    }
    effects = state.get_effects_for_pair(*state.get_primary_pair())
    chosen = spoken_for(effects, calibration_of(pipeline.seen))
    if chosen is not None:
        truth = trap.effects.get(chosen.estimand, next(iter(trap.effects.values())))
        values |= {
            "method": chosen.method,
            "estimand": chosen.estimand,
            "truth": truth,
            "estimate": chosen.estimate,
            "low": chosen.ci_lower,
            "high": chosen.ci_upper,
            "holds": chosen.ci_lower <= truth <= chosen.ci_upper,
            "z": abs(chosen.estimate - truth) / max(chosen.std_error, 1e-12),
            "adjusted": (state.confounder_discovery or {}).get("adjustment", []),
        }
    return values


def summed(found: list[dict[str, Any]]) -> dict[str, Any]:
    """The draws of one world and size in a line."""
    approved = [one for one in found if one["verdict"] == "APPROVE"]
    wrong = [one for one in approved if not one["holds"]]
    return {
        "world": found[0]["world"],
        "rows": found[0]["rows"],
        "draws": len(found),
        "approved, true": len(approved) - len(wrong),
        "approved, false": sum(one["condition"] for one in wrong),
        "false as was said": sum(not one["condition"] for one in wrong),
        "open": sum(one["verdict"] == "ITERATE" for one in found),
        "rejected": sum(one["verdict"] == "REJECT" for one in found),
        "worst z": round(max((one["z"] for one in wrong), default=0.0), 1),
    }


def main() -> None:
    """Print the table."""
    parser = arguments("causal.verdicts", __doc__)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the first draw's seed")
    parser.add_argument("--rows", type=int, nargs="*", default=[500, 3000])
    parser.add_argument("--only", nargs="*", default=[])
    asked = parser.parse_args()
    os.nice(5)
    lines, all_found = [], []
    with nullcontext():
        for rows in asked.rows:
            for world in asked.only or list(TRAPS):
                found = []
                for seed in range(asked.first, asked.first + asked.draws):
                    found.append(judged(world, seed, rows))
                    print(json.dumps(found[-1], default=str), file=sys.stderr, flush=True)
                lines.append(summed(found))
                all_found += found
    print_table(
        "Verdicts on worlds whose effects are known",
        list(lines[0]),
        [list(line.values()) for line in lines],
    )
    keep({"verdicts": lines, "draws": all_found}, asked.json)


if __name__ == "__main__":
    main()
