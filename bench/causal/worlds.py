"""Generated data whose causal graph and effects are known.

Every world is a function of a seed and a number of rows. Truths are those of the population behind
the rows, so that an interval is held against what it claims to contain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

Numbers = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class World:
    """Data of `treatment` on `outcome`; `edges` is the graph, hidden variables named with `_`.

    `effects` are the true effects by estimand ("ATE", "ATT", "LATE") and by group label.
    `arguments` are what the world's methods need beside the study (instruments, running, …).
    `methods` are those whose assumptions hold here, so that their intervals have to cover.
    """

    name: str
    table: pa.Table
    adjustment: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    effects: Mapping[str, float]
    methods: tuple[str, ...]
    modifiers: tuple[str, ...] = ()
    treatment: str = "t"
    outcome: str = "y"
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def study(self, method: str, seed: int = 0) -> dict[str, Any]:
        """The arguments of causal.estimate, with the data as the step `data`."""
        return {
            "input": "data",
            "treatment": self.treatment,
            "outcome": self.outcome,
            "adjustment": self.adjustment,
            "modifiers": self.modifiers,
            "seed": seed,
            "method": method,
            **self.arguments,
        }


ADJUSTING = ("OLS", "IPW", "AIPW", "PSM", "stratification", "DML", "causal_forest")
FLEXIBLE = ("AIPW", "DML", "causal_forest")


def _logistic(index: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-index)))


def _three(random: np.random.Generator, rows: int) -> dict[str, Numbers]:
    return {name: random.normal(size=rows) for name in ("a", "b", "c")}


def _drawn(random: np.random.Generator, chance: Numbers) -> Numbers:
    return (random.random(len(chance)) < chance).astype(np.float64)


CONFOUNDED = (("a", "t"), ("a", "y"), ("b", "t"), ("b", "y"), ("c", "y"), ("t", "y"))


def linear(seed: int, rows: int, effect: float = 1.0) -> World:
    """Everything linear, effects the same for all."""
    random = np.random.default_rng(seed)
    x = _three(random, rows)
    t = _drawn(random, _logistic(0.8 * x["a"] - 0.5 * x["b"]))
    y = effect * t + x["a"] + 0.5 * x["b"] + 0.5 * x["c"] + random.normal(size=rows)
    effects = {"ATE": effect, "ATT": effect}
    return World(
        "linear", pa.table({**x, "t": t, "y": y}), ("a", "b", "c"), CONFOUNDED, effects, ADJUSTING
    )


def no_effect(seed: int, rows: int) -> World:
    """As `linear`, and the treatment does nothing."""
    made = linear(seed + 10**5, rows, 0.0)
    return World("no effect", made.table, made.adjustment, CONFOUNDED[:-1], made.effects, ADJUSTING)


@lru_cache(maxsize=1)
def _mean_of_treated() -> float:
    """The mean of a among the treated of `heterogeneous`, integrated over a grid of a and b."""
    grid = np.linspace(-6, 6, 601)
    a, b = np.meshgrid(grid, grid)
    weight = np.exp(-(a**2 + b**2) / 2) * _logistic(0.7 * a - 0.3 * b)
    return float((weight * a).sum() / weight.sum())


def heterogeneous(seed: int, rows: int) -> World:
    """The effect is 1 + a, and 1 more in segment s; treatment is likelier where it is large."""
    random = np.random.default_rng(seed)
    x = _three(random, rows)
    s = random.random(rows) < 0.5
    t = _drawn(random, _logistic(0.7 * x["a"] - 0.3 * x["b"]))
    y = (0.5 + x["a"] + s) * t + x["a"] + 0.5 * x["b"] + 0.5 * x["c"] + random.normal(size=rows)
    table = pa.table({**x, "s": np.where(s, "high", "low"), "t": t, "y": y})
    effects = {"ATE": 1.0, "ATT": 1.0 + _mean_of_treated(), "s = high": 1.5, "s = low": 0.5}
    return World(
        "heterogeneous",
        table,
        ("a", "b", "c", "s"),
        (*CONFOUNDED, ("s", "y")),
        effects,
        ADJUSTING,
        modifiers=("s",),
    )


def nonlinear(seed: int, rows: int) -> World:
    """Outcome and treatment both bend in a, and b acts through a product with it."""
    random = np.random.default_rng(seed)
    x = _three(random, rows)
    t = _drawn(random, _logistic(0.6 * x["a"] ** 2 - 0.6 + 0.4 * x["b"]))
    y = t + x["a"] ** 2 + 0.7 * x["a"] * x["b"] + x["b"] + random.normal(size=rows)
    effects = {"ATE": 1.0, "ATT": 1.0}
    return World(
        "nonlinear", pa.table({**x, "t": t, "y": y}), ("a", "b", "c"), CONFOUNDED, effects, FLEXIBLE
    )


def dose(seed: int, rows: int) -> World:
    """A numeric treatment whose every unit adds 0.5."""
    random = np.random.default_rng(seed)
    x = _three(random, rows)
    t = 0.8 * x["a"] - 0.4 * x["b"] + random.normal(size=rows)
    y = 0.5 * t + x["a"] + 0.5 * x["b"] + random.normal(size=rows) * (1 + 0.3 * np.abs(x["a"]))
    return World(
        "dose",
        pa.table({**x, "t": t, "y": y}),
        ("a", "b", "c"),
        CONFOUNDED,
        {"ATE": 0.5},
        ("OLS", "DML", "causal_forest"),
    )


def heavy_tailed(seed: int, rows: int) -> World:
    """As `linear`, with noise of Student's t on three degrees of freedom."""
    random = np.random.default_rng(seed)
    x = _three(random, rows)
    t = _drawn(random, _logistic(0.8 * x["a"] - 0.5 * x["b"]))
    y = t + x["a"] + 0.5 * x["b"] + random.standard_t(3, rows)
    effects = {"ATE": 1.0, "ATT": 1.0}
    return World(
        "heavy-tailed",
        pa.table({**x, "t": t, "y": y}),
        ("a", "b", "c"),
        CONFOUNDED,
        effects,
        ADJUSTING,
    )


def binary_outcome(seed: int, rows: int) -> World:
    """The outcome is yes or no, ten points likelier with treatment."""
    random = np.random.default_rng(seed)
    x = {name: random.uniform(-1, 1, rows) for name in ("a", "b", "c")}
    t = _drawn(random, _logistic(x["a"] - 0.7 * x["b"]))
    y = _drawn(random, 0.4 + 0.1 * t + 0.2 * x["a"] + 0.1 * x["b"])
    effects = {"ATE": 0.1, "ATT": 0.1}
    table = pa.table({**x, "t": t, "y": np.where(y == 1, "yes", "no")})
    return World("binary outcome", table, ("a", "b", "c"), CONFOUNDED, effects, ADJUSTING)


def instrument(seed: int, rows: int, strength: float = 0.6) -> World:
    """A hidden cause of both; z moves the treatment and nothing else."""
    random = np.random.default_rng(seed)
    a, z, hidden = random.normal(size=(3, rows))
    t = strength * z + 0.5 * a + hidden + random.normal(size=rows)
    y = 0.8 * t + a + 1.5 * hidden + random.normal(size=rows)
    edges = (("z", "t"), ("a", "t"), ("a", "y"), ("_u", "t"), ("_u", "y"), ("t", "y"))
    return World(
        "instrument",
        pa.table({"a": a, "z": z, "t": t, "y": y}),
        ("a",),
        edges,
        {"LATE": 0.8},
        ("IV",),
        arguments={"instruments": ("z",)},
    )


def two_instruments(seed: int, rows: int) -> World:
    """As `instrument`, with two of them, errors of unequal size and a binary treatment."""
    random = np.random.default_rng(seed)
    a, z, w, hidden = random.normal(size=(4, rows))
    t = (0.7 * z + 0.5 * w + 0.4 * a + hidden + random.normal(size=rows) > 0).astype(float)
    y = 0.8 * t + a + hidden + random.normal(size=rows) * (0.5 + 0.5 * np.abs(z))
    edges = (("z", "t"), ("w", "t"), ("a", "t"), ("a", "y"), ("_u", "t"), ("_u", "y"), ("t", "y"))
    return World(
        "two instruments",
        pa.table({"a": a, "z": z, "w": w, "t": t, "y": y}),
        ("a",),
        edges,
        {"LATE": 0.8},
        ("IV",),
        arguments={"instruments": ("z", "w")},
    )


def discontinuity(seed: int, rows: int, fuzzy: bool = False) -> World:
    """Treated from a score of 0 on (fuzzy: likelier); the outcome bends in the score (the fifth
    degree polynomials of Lee's data in Calonico, Cattaneo & Titiunik 2014)."""
    random = np.random.default_rng(seed)
    score = 2 * random.beta(2, 4, rows) - 1
    side = score >= 0
    t = _drawn(random, np.where(side, 0.85, 0.15)) if fuzzy else side.astype(float)
    powers = score[:, None] ** np.arange(6)
    rises = powers @ [0.48, 1.27, 7.18, 20.21, 21.54, 7.33]
    falls = powers @ [0.48, 0.84, -3.00, 7.99, -9.01, 3.56]
    y = np.where(side, falls, rises) + 0.3 * t + 0.1295 * random.normal(size=rows)
    a = score + random.normal(size=rows)
    name = "discontinuity (fuzzy)" if fuzzy else "discontinuity"
    edges = (("score", "t"), ("score", "y"), ("score", "a"), ("t", "y"))
    return World(
        name,
        pa.table({"score": score, "a": a, "t": t, "y": y}),
        ("a",),
        edges,
        {"LATE": 0.3},
        ("RDD",),
        arguments={"running": "score", "cutoff": 0.0},
    )


def fuzzy_discontinuity(seed: int, rows: int) -> World:
    """`discontinuity` where the side of the cutoff makes treatment likelier only."""
    return discontinuity(seed, rows, fuzzy=True)


def panel(seed: int, rows: int, bent: float = 0.0) -> World:
    """Units over eight years, treated from the fourth, the sixth or never; the effect starts at 1
    and grows by 0.5 a year, errors of a unit hang together, `bent` tilts the treated's trend."""
    random = np.random.default_rng(seed)
    units = rows // 8
    first = random.choice([4, 6, 99], units, p=[0.3, 0.3, 0.4])
    year = np.tile(np.arange(1, 9), (units, 1))
    level = random.normal(size=(units, 1)) + 0.5 * (first < 99)[:, None]
    noise = (
        np.cumsum(random.normal(size=(units, 8)), axis=1) * 0.3
        + random.normal(size=(units, 8)) * 0.5
    )
    since = year - first[:, None]
    effect = np.where(since >= 0, 1.0 + 0.5 * since, 0.0)
    y = level + 0.3 * year + bent * year * (first < 99)[:, None] + effect + noise
    # Averaged over group and time by size: five cells of the first, three of the second group.
    cells = [1.0 + 0.5 * k for k in range(5)], [1.0 + 0.5 * k for k in range(3)]
    truth = sum(map(sum, cells)) / 8
    table = pa.table(
        {
            "unit": np.repeat([f"u{n}" for n in range(units)], 8),
            "year": year.ravel(),
            "t": (since >= 0).astype(float).ravel(),
            "y": y.ravel(),
        }
    )
    edges = (("_unit", "t"), ("_unit", "y"), ("year", "y"), ("year", "t"), ("t", "y"))
    return World(
        "panel",
        table,
        (),
        edges,
        {"ATT": truth},
        ("DiD",),
        arguments={"unit": "unit", "time": "year"},
    )


def bent_panel(seed: int, rows: int) -> World:
    """`panel` with treated units that rise faster all along: not to be estimated."""
    made = panel(seed, rows, bent=0.4)
    return World(
        "bent panel", made.table, (), made.edges, made.effects, (), arguments=made.arguments
    )


def no_overlap(seed: int, rows: int) -> World:
    """Who is treated is all but decided by a: not to be estimated."""
    random = np.random.default_rng(seed)
    x = _three(random, rows)
    t = _drawn(random, _logistic(8 * x["a"]))
    y = t + x["a"] + random.normal(size=rows)
    return World(
        "no overlap", pa.table({**x, "t": t, "y": y}), ("a", "b", "c"), CONFOUNDED, {"ATE": 1.0}, ()
    )


def hidden_confounder(seed: int, rows: int) -> World:
    """What moves treatment and outcome is not in the data: every adjusting method is biased."""
    random = np.random.default_rng(seed)
    x = _three(random, rows)
    hidden = random.normal(size=rows)
    t = _drawn(random, _logistic(0.8 * x["a"] + hidden))
    y = t + x["a"] + 1.5 * hidden + random.normal(size=rows)
    edges = (*CONFOUNDED, ("_u", "t"), ("_u", "y"))
    return World(
        "hidden confounder",
        pa.table({**x, "t": t, "y": y}),
        ("a", "b", "c"),
        edges,
        {"ATE": 1.0},
        (),
    )


def collider_trap(seed: int, rows: int) -> World:
    """As `linear`, with a column `trap` that treatment and outcome both cause: right without it in
    the adjustment, biased with it."""
    made = linear(seed, rows)
    random = np.random.default_rng(seed + 10**6)
    both = made.table["t"].to_numpy() + made.table["y"].to_numpy()
    table = made.table.append_column("trap", pa.array(both + 3 * random.normal(size=rows)))
    edges = (*CONFOUNDED, ("t", "trap"), ("y", "trap"))
    return World("collider trap", table, made.adjustment, edges, made.effects, ADJUSTING)


Maker = Callable[[int, int], World]
WORLDS: dict[str, Maker] = {
    "linear": linear,
    "no effect": no_effect,
    "heterogeneous": heterogeneous,
    "nonlinear": nonlinear,
    "dose": dose,
    "heavy-tailed": heavy_tailed,
    "binary outcome": binary_outcome,
    "instrument": instrument,
    "two instruments": two_instruments,
    "discontinuity": discontinuity,
    "discontinuity (fuzzy)": fuzzy_discontinuity,
    "panel": panel,
    "bent panel": bent_panel,
    "no overlap": no_overlap,
    "hidden confounder": hidden_confounder,
    "collider trap": collider_trap,
}
