"""Generated data on which a causal job should conclude what is true, or nothing: each draw has
coefficients of its own, so that nothing can be tuned to one of them.

`effects` are the true effects by estimand. `condition` says whether what an answer is told under
("if nothing unseen links both among rows alike in these columns, and these came first") is true of
the world: where it is not, no data can show it, and an approval is wrong for a reason that was
said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from services.planner.domain.causal.knowledge import Knowledge

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Random = np.random.Generator


@dataclass(frozen=True)
class Trap:
    """Data of `t` on `y` with what a user would say of them."""

    table: pa.Table
    effects: Mapping[str, float]
    known: Knowledge = field(default_factory=Knowledge)
    condition: bool = True


def with_order(trap: Trap) -> Trap:
    """The same, of which people say that all other columns came before the treatment, and the
    outcome after it; as it is where they said of time, or of a design, what there is to say."""
    known = trap.known
    if known.tiers or known.unit or known.running:
        return trap
    first = tuple(n for n in trap.table.column_names if n not in ("t", "y", *known.instruments))
    tiers = (first, ("t",), ("y",))
    return replace(trap, known=known.model_copy(update={"tiers": tiers}))


def _chance(random: Random, index: Numbers) -> Numbers:
    return (random.random(len(index)) < 1 / (1 + np.exp(-index))).astype(float)


def _signed(random: Random, low: float, high: float, size: int = 1) -> Numbers:
    return np.asarray(random.uniform(low, high, size) * random.choice([-1.0, 1.0], size))


def _named(x: Numbers) -> dict[str, Numbers]:
    return {f"x{i:02d}": x[:, i] for i in range(x.shape[1])}


def _trap(
    columns: dict[str, Any], effect: float, known: Knowledge | None = None, **more: Any
) -> Trap:
    return Trap(pa.table(columns), {"ATE": effect, "ATT": effect}, known or Knowledge(), **more)


def linear(random: Random, rows: int) -> Trap:
    """Three numbers and a category confound."""
    x, place = random.normal(size=(rows, 3)), random.integers(0, 3, rows)
    moved = np.array([0.0, 0.5, -0.5])[place]
    t = _chance(random, x @ _signed(random, 0.3, 0.8, 3) + moved)
    effect = float(_signed(random, 0.3, 1.0)[0])
    y = effect * t + x @ _signed(random, 0.3, 1.0, 3) + moved + random.normal(size=rows)
    return _trap({**_named(x), "place": np.array(["n", "s", "w"])[place], "t": t, "y": y}, effect)


def nonlinear(random: Random, rows: int) -> Trap:
    """Treatment and outcome bend in what confounds them, each in its own way."""
    x = random.normal(size=(rows, 3))
    a, b, c = _signed(random, 0.4, 0.8, 3)
    t = _chance(random, a * np.sin(2 * x[:, 0]) + b * (x[:, 1] ** 2 - 1) + c * x[:, 2])
    effect = float(_signed(random, 0.3, 1.0)[0])
    y = effect * t + np.exp(x[:, 0] / 2) + x[:, 1] ** 2 + x[:, 0] * x[:, 2]
    return _trap({**_named(x), "t": t, "y": y + random.normal(size=rows)}, effect)


def confounded(random: Random, rows: int) -> Trap:
    """The plain comparison has the other sign."""
    x = random.normal(size=(rows, 2))
    t = _chance(random, 1.2 * x[:, 0] + 0.5 * x[:, 1])
    effect = -float(random.uniform(0.5, 1.0))
    y = effect * t + 1.8 * x[:, 0] + 0.5 * x[:, 1] + random.normal(size=rows)
    return _trap({**_named(x), "t": t, "y": y}, effect)


def _moved_by(random: Random, rows: int, strength: float) -> Trap:
    x, z, hidden = random.normal(size=(3, rows))
    t = strength * z + 0.5 * x + hidden + random.normal(size=rows)
    effect = float(_signed(random, 0.5, 1.0)[0])
    y = effect * t + x + float(_signed(random, 1.0, 2.0)[0]) * hidden + random.normal(size=rows)
    return Trap(
        pa.table({"x": x, "z": z, "t": t, "y": y}),
        {"LATE": effect},
        Knowledge(instruments=("z",)),
        condition=False,
    )


def instrument(random: Random, rows: int) -> Trap:
    """A hidden cause of both, and an instrument that people name."""
    return _moved_by(random, rows, 0.7)


def weak_instrument(random: Random, rows: int) -> Trap:
    """As `instrument`, with an F of about 3."""
    return _moved_by(random, rows, 2.0 / rows**0.5)


def unnamed_instrument(random: Random, rows: int) -> Trap:
    """As `instrument`, of which nobody says what z is."""
    return Trap(**{**vars(_moved_by(random, rows, 0.7)), "known": Knowledge()})


def _at_a_cutoff(random: Random, rows: int, low: float, high: float) -> Trap:
    score = random.normal(50, 12, rows)
    above = score >= 50
    t = (random.random(rows) < np.where(above, high, low)).astype(float)
    effect = float(_signed(random, 1.0, 2.0)[0])
    side = (score - 50) / 12
    y = effect * t + 1.5 * side + 0.4 * side**2 * np.where(above, 1, -1)
    table = pa.table(
        {
            "age": random.normal(40, 9, rows),
            "score": score,
            "t": t,
            "y": y + random.normal(size=rows) * 0.7,
        }
    )
    return Trap(table, {"LATE": effect}, Knowledge(running="score", cutoff=50.0))


def discontinuity(random: Random, rows: int) -> Trap:
    """A score of 50 decides."""
    return _at_a_cutoff(random, rows, 0.0, 1.0)


def fuzzy_discontinuity(random: Random, rows: int) -> Trap:
    """A score of 50 makes it likelier."""
    return _at_a_cutoff(random, rows, 0.15, 0.8)


def _panel(random: Random, rows: int, cohorts: tuple[int, ...], tilt: float) -> Trap:
    units, times = rows // 10, np.arange(10)
    first = random.choice([*cohorts, 99], units)
    since = times[None, :] - first[:, None]
    size = dict(zip(cohorts, _signed(random, 0.5, 1.5, len(cohorts)), strict=True))
    base = np.array([size.get(g, 0.0) for g in first])[:, None]
    effect = np.where(since >= 0, base * (1 + 0.2 * since), 0.0)
    treated = (first < 99)[:, None]
    y = random.normal(size=(units, 1)) + treated + 0.2 * times + tilt * times * treated + effect
    y = y + random.normal(size=(units, 10)) * 0.6
    known = Knowledge(unit="shop", time="week")
    # As Callaway & Sant'Anna average: over group and time, by the size of the group.
    shares = np.array([sum(first == g) for g in cohorts], dtype=float)
    cells = [base_size * (1 + 0.2 * np.arange(10 - g)) for g, base_size in size.items()]
    weights = shares * [len(c) for c in cells]
    truth = float((weights * [c.mean() for c in cells]).sum() / weights.sum())
    table = pa.table(
        {
            "shop": np.repeat(np.arange(units), 10),
            "week": np.tile(times, units),
            "t": (since >= 0).astype(float).ravel(),
            "y": y.ravel(),
        }
    )
    return Trap(table, {"ATT": truth}, known)


def panel(random: Random, rows: int) -> Trap:
    """Shops over ten weeks, some treated from the sixth."""
    return _panel(random, rows, (5,), 0.0)


def staggered(random: Random, rows: int) -> Trap:
    """As `panel`, adopted at three times, with effects of each cohort's own size and sign."""
    return _panel(random, rows, (3, 5, 7), 0.0)


def tilted_panel(random: Random, rows: int) -> Trap:
    """As `panel`, with treated shops that rise faster all along: nothing to conclude."""
    return _panel(random, rows, (5,), 0.25)


def no_effect(random: Random, rows: int) -> Trap:
    """As `linear`, and nothing comes of it."""
    x = random.normal(size=(rows, 3))
    t = _chance(random, x @ _signed(random, 0.4, 0.9, 3))
    y = x @ _signed(random, 0.5, 1.5, 3) + random.normal(size=rows)
    return _trap({**_named(x), "t": t, "y": y}, 0.0)


def no_overlap(random: Random, rows: int) -> Trap:
    """Who is treated is all but decided; the outcome bends there."""
    x = random.normal(size=(rows, 2))
    t = _chance(random, 9 * x[:, 0])
    return _trap({**_named(x), "t": t, "y": 0.5 * t + x[:, 0] ** 2 + random.normal(size=rows)}, 0.5)


def hidden_confounder(random: Random, rows: int) -> Trap:
    """What moves both is not in the data."""
    x, hidden = random.normal(size=(rows, 2)), random.normal(size=rows)
    t = _chance(random, 0.7 * x[:, 0] + hidden)
    y = 0.5 * t + x[:, 0] + 0.5 * x[:, 1] + 1.2 * hidden + random.normal(size=rows)
    return _trap({**_named(x), "t": t, "y": y}, 0.5, condition=False)


def _with_later(random: Random, rows: int, kind: str, is_mentioned: bool) -> Trap:
    x = random.normal(size=(rows, 2))
    t = _chance(random, 0.7 * x[:, 0] - 0.5 * x[:, 1])
    noise = random.normal(size=(2, rows))
    if kind == "mediator":
        visits = 1.2 * t + 0.4 * x[:, 0] + noise[0]
        y, effect = 0.5 * t + 0.8 * visits + x[:, 0] + noise[1], 0.5 + 0.8 * 1.2
    else:
        y, effect = 0.7 * t + x[:, 0] + noise[1], 0.7
        visits = 0.8 * t + 0.8 * y + noise[0]
    known = Knowledge(tiers=(("x00", "x01"), ("t",), ("visits",), ("y",)))
    if kind == "collider":
        known = Knowledge(tiers=(("x00", "x01"), ("t",), ("y",), ("visits",)))
    return _trap(
        {**_named(x), "visits": visits, "t": t, "y": y},
        effect,
        known if is_mentioned else Knowledge(),
        condition=is_mentioned,
    )


def mediator(random: Random, rows: int) -> Trap:
    """A column lies between treatment and outcome, and people say so."""
    return _with_later(random, rows, "mediator", is_mentioned=True)


def build_undated_mediator(random: Random, rows: int) -> Trap:
    """As `mediator`, of which nobody says when it came."""
    return _with_later(random, rows, "mediator", is_mentioned=False)


def collider(random: Random, rows: int) -> Trap:
    """Treatment and outcome both move a column, and people say so."""
    return _with_later(random, rows, "collider", is_mentioned=True)


def build_undated_collider(random: Random, rows: int) -> Trap:
    """As `collider`, of which nobody says when it came."""
    return _with_later(random, rows, "collider", is_mentioned=False)


def m_bias(random: Random, rows: int) -> Trap:
    """A column from before the treatment that two hidden causes move, one of each of the pair."""
    u, v = random.normal(size=(2, rows))
    x = random.normal(size=rows)
    m = 1.2 * u + 1.2 * v + 0.5 * random.normal(size=rows)
    t = _chance(random, 1.2 * u + 0.5 * x)
    y = 0.5 * t + 1.5 * v + 0.7 * x + random.normal(size=rows)
    known = Knowledge(tiers=(("x", "m"), ("t",), ("y",)))
    return _trap({"x": x, "m": m, "t": t, "y": y}, 0.5, known, condition=False)


def sign_change(random: Random, rows: int) -> Trap:
    """The effect is of the other sign for half of the rows."""
    x, kind = random.normal(size=(rows, 3)), random.random(rows) < 0.5
    t = _chance(random, 0.6 * x[:, 0] - 0.4 * x[:, 1])
    y = np.where(kind, 1.2, -0.6) * t + x @ [1.0, 0.5, 0.3] + random.normal(size=rows)
    columns = {**_named(x), "kind": np.where(kind, "new", "old"), "t": t, "y": y}
    return _trap(columns, 0.3)


def mismeasured(random: Random, rows: int) -> Trap:
    """One treatment in ten is written down wrongly."""
    x = random.normal(size=(rows, 2))
    t = _chance(random, 0.6 * x[:, 0])
    y = 1.0 * t + x[:, 0] + 0.5 * x[:, 1] + random.normal(size=rows)
    seen = np.where(random.random(rows) < 0.1, 1 - t, t)
    return _trap({**_named(x), "t": seen, "y": y}, 1.0, condition=False)


def heavy_tailed(random: Random, rows: int) -> Trap:
    """Amounts as of money: most small, few very large, all scaled by the treatment."""
    x = random.normal(size=(rows, 2))
    t = _chance(random, 0.7 * x[:, 0])
    rise = float(random.uniform(0.1, 0.4))
    y = np.exp(0.5 * x[:, 0] + 0.3 * x[:, 1] + rise * t + 1.3 * random.normal(size=rows))
    usual = float(np.exp((0.5**2 + 0.3**2 + 1.3**2) / 2))
    return Trap(pa.table({**_named(x), "t": t, "y": y}), {"ATE": usual * float(np.exp(rise) - 1)})


def many_columns(random: Random, rows: int) -> Trap:
    """Thirty columns of which three matter."""
    x = random.normal(size=(rows, 30))
    t = _chance(random, x[:, :3] @ _signed(random, 0.5, 0.8, 3))
    effect = float(_signed(random, 0.5, 1.0)[0])
    y = effect * t + x[:, :3] @ _signed(random, 0.7, 1.2, 3) + random.normal(size=rows)
    return _trap({**_named(x), "t": t, "y": y}, effect)


def many_weak(random: Random, rows: int) -> Trap:
    """Sixteen columns that each confound a little: what is left out adds up."""
    x = random.normal(size=(rows, 16))
    t = _chance(random, x @ random.uniform(0.1, 0.3, 16))
    y = 0.5 * t + x @ random.uniform(0.1, 0.3, 16) + random.normal(size=rows)
    return _trap({**_named(x), "t": t, "y": y}, 0.5)


def wide(random: Random, rows: int) -> Trap:
    """Twice as many columns as rows, five of which confound."""
    rows = min(rows, 120)
    x = random.normal(size=(rows, 2 * rows))
    t = _chance(random, x[:, :5] @ random.uniform(0.3, 0.6, 5))
    y = 0.5 * t + x[:, :5] @ random.uniform(0.4, 0.8, 5) + random.normal(size=rows)
    return _trap({**_named(x), "t": t, "y": y}, 0.5)


def counts(random: Random, rows: int) -> Trap:
    """Visits, counted (Poisson)."""
    x = random.normal(size=(rows, 2))
    t = _chance(random, 0.7 * x[:, 0])
    rise = float(_signed(random, 0.2, 0.5)[0])
    y = random.poisson(np.exp(0.5 + 0.4 * x[:, 0] + 0.2 * x[:, 1] + rise * t))
    usual = float(np.exp(0.5 + (0.4**2 + 0.2**2) / 2))
    table = pa.table({**_named(x), "t": t, "y": y})
    return Trap(table, {"ATE": usual * float(np.exp(rise) - 1)})


def rare(random: Random, rows: int) -> Trap:
    """One row in a hundred has the outcome, three in a hundred of the treated."""
    x = random.uniform(-1, 1, size=(rows, 2))
    t = _chance(random, x[:, 0])
    y = (random.random(rows) < 0.01 + 0.02 * t + 0.008 * x[:, 0]).astype(int)
    return _trap({**_named(x), "t": t, "y": np.where(y == 1, "yes", "no")}, 0.02)


def shared_rows(random: Random, rows: int) -> Trap:
    """Ten rows of a school, which is treated as a whole and shares an error; nobody says so."""
    schools = rows // 10
    level, rank = random.normal(size=(2, schools))
    t = _chance(random, 0.5 * rank)
    which = np.repeat(np.arange(schools) + 100, 10)
    x = np.repeat(rank, 10) + random.normal(size=len(which))
    y = 0.3 * np.repeat(t, 10) + 0.5 * np.repeat(rank, 10) + np.repeat(level, 10)
    columns = {
        "school_id": which,
        "rank": np.repeat(rank, 10),
        "x": x,
        "t": np.repeat(t, 10),
        "y": y + random.normal(size=len(which)),
    }
    return _trap(columns, 0.3)


TRAPS: dict[str, Callable[[Random, int], Trap]] = {
    made.__name__.replace("_", " "): made
    for made in (
        linear,
        nonlinear,
        confounded,
        instrument,
        unnamed_instrument,
        weak_instrument,
        discontinuity,
        fuzzy_discontinuity,
        panel,
        staggered,
        tilted_panel,
        no_effect,
        no_overlap,
        hidden_confounder,
        mediator,
        build_undated_mediator,
        collider,
        build_undated_collider,
        m_bias,
        sign_change,
        mismeasured,
        heavy_tailed,
        many_columns,
        many_weak,
        wide,
        counts,
        rare,
        shared_rows,
    )
}
