"""Code cells that read the data and make studies of it, as they stand in the notebook."""

from __future__ import annotations

from services.executor.causal.estimation.support import HEAVIEST, TRIM

DATA = """\
content = Path("data.parquet").read_bytes()
if hashlib.sha256(content).hexdigest() != DATA_SHA256:
    raise SystemExit("data.parquet is not the file that this notebook was made with")
data = pd.read_parquet("data.parquet")
print(f"{len(data):,} rows, {data.shape[1]} columns")
data.describe().T"""

COVARIATES = '''\
def as_numbers(names, data):
    """Numbers as they are; text as a column of 0 and 1 for each value but the most frequent.
    Values of fewer than 20 rows count as one value together."""
    columns = {}
    for name in sorted(names):
        values = data[name]
        if pd.api.types.is_numeric_dtype(values):
            columns[name] = values.astype(float).replace([np.inf, -np.inf], np.nan)
            continue
        counts = values.value_counts()
        levels = sorted(counts.index, key=lambda level: (-counts[level], level))
        kept = [level for level in levels if counts[level] >= 20][:25]
        for level in kept[1:]:
            columns[f"{name}={level}"] = (values == level).astype(float).mask(values.isna())
        if len(kept) < len(levels):
            other = ~values.isin(kept)
            columns[f"{name}=(other)"] = other.astype(float).mask(values.isna())
    return pd.DataFrame(columns, index=data.index)


def without_combinations(columns):
    """Leave out constants and columns that others give already."""
    varies = columns.std(ddof=0) > 1e-12 * columns.abs().max().clip(lower=1e-300)
    columns = columns.loc[:, varies]
    left = np.atleast_2d(np.corrcoef(columns.to_numpy(), rowvar=False)) if varies.any() else []
    kept = []
    for place, name in enumerate(columns.columns):
        if left[place, place] >= 1e-9:
            kept.append(name)
            left = left - np.outer(left[:, place], left[place]) / left[place, place]
    return columns[kept]


class Study(NamedTuple):
    """Complete rows: outcome y, treatment t, and covariates x in standard deviations; raw are the
    covariates as they are, others columns that the effect may vary with, and unit tells which rows
    belong together (None where every row stands for itself)."""

    y: np.ndarray
    t: np.ndarray
    x: np.ndarray
    raw: pd.DataFrame
    others: pd.DataFrame
    unit: np.ndarray | None

    def of(self, kept):
        unit = None if self.unit is None else self.unit[kept]
        return Study(self.y[kept], self.t[kept], scaled(self.x[kept]), self.raw[kept],
                     self.others[kept], unit)


def scaled(x):
    spread = x.std(axis=0)
    return (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def units():
    """The number of each row's unit; a row of which none is known is a unit of its own. None where
    every row is."""
    number = pd.factorize(data[UNIT], sort=True)[0]
    alone = number < 0
    number[alone] = number.max() + 1 + np.arange(alone.sum())
    draws = data["_imputation"].nunique() if "_imputation" in data else 1
    return number if len(np.unique(number)) * draws < len(data) else None


def studies_of(names, others=()):
    """A study of the complete rows; one for each imputation where values were imputed."""
    x, others = as_numbers(names, data), data[list(others)]
    complete = outcome.notna() & treatment.notna() & x.notna().all(axis=1)
    complete &= others.notna().all(axis=1)
    if not complete.any():
        raise ValueError("no row has all that is adjusted for")
    x = without_combinations(x[complete])
    y, t = outcome[complete].to_numpy(), treatment[complete].to_numpy()
    draw = data["_imputation"][complete].to_numpy() if "_imputation" in data else np.zeros(len(y))
    unit = None if UNIT is None else units()
    unit = None if unit is None else unit[complete]
    whole = Study(y, t, x.to_numpy(), x, others[complete], unit)
    return [whole.of(draw == k) for k in np.unique(draw)]


studies = studies_of(ADJUSTMENT)
print(f"{len(studies)} data set(s) of {len(studies[0].y):,} complete rows, "
      f"{studies[0].x.shape[1]} columns adjusted for")'''

UNITS = '''\
def counted(study, rows):
    """How many rows; of how many units where rows belong together."""
    return rows.sum() if study.unit is None else len(np.unique(study.unit[rows]))


def settled(study, influence, error, df=np.inf, spent=1):
    """The error, and the degrees of freedom behind it. Where rows belong to units, what each row
    moves the estimate by is summed by unit (Liang & Zeger 1986)."""
    if study.unit is None:
        return error, df
    _, first, unit = np.unique(study.unit, return_index=True, return_inverse=True)
    sums = np.bincount(unit, weights=influence)
    smaller = len(sums)
    if BINARY and (study.t == study.t[first][unit]).all():
        smaller = min(counted(study, study.t == each) for each in (0, 1))
    error = np.sqrt(len(sums) / max(len(sums) - spent, 1) * (sums**2).sum())
    return error, max(smaller - 1, 1)'''

POOLING = '''\
seen = {}


def pooled(found):
    """One estimate of several imputations' (Rubin 1987), with the degrees of freedom of
    Barnard & Rubin (1999)."""
    estimates, errors = (np.array([each[k] for each in found]) for k in (0, 1))
    df, m = min(each[2] for each in found), len(found)
    within, between = (errors**2).mean(), estimates.var(ddof=1) if m > 1 else 0.0
    total = within + (1 + 1 / m) * between
    share = (1 + 1 / m) * between / total if total > 0 else 0.0
    if share >= 1e-9:  # less is the rounding of estimates that are all the same
        old = (m - 1) / share**2
        observed = (df + 1) / (df + 3) * df * (1 - share) if np.isfinite(df) else np.inf
        df = old if np.isinf(df) else old * observed / (old + observed)
    return estimates.mean(), np.sqrt(total), df


def estimated(method, function, studies):
    """Run a method on every study, pool, and keep each estimate with its 95 % interval."""
    found = [function(study) for study in studies]
    for estimand in [name for name in found[0] if all(name in each for each in found)]:
        estimate, error, df = pooled([each[estimand] for each in found])
        half = (stats.norm if np.isinf(df) else stats.t(df)).ppf(0.975) * error
        ends = estimate - half, estimate + half
        if len(found) == 1:
            ends = found[0][estimand][3:] or ends  # where a method has an interval of its own
        seen[f"{method} {estimand}"] = estimate, *ends
        print(f"{method} {estimand}: {estimate:.6g} ({ends[0]:.6g} to {ends[1]:.6g})")'''

OVERLAP = (
    f"""\
TRIM = {TRIM}  # the least chance of either treatment that rows of both groups can be compared at
HEAVIEST = {HEAVIEST}  # how often as much as the mean row of a rare group a row may weigh
"""
    + '''

def logistic(terms, t):
    if terms.shape[1] == 1:
        return np.full(len(t), t.mean())
    model = LogisticRegression(C=1e4, solver="newton-cholesky", tol=1e-8, max_iter=200)
    return model.fit(terms[:, 1:], t).predict_proba(terms[:, 1:])[:, 1]


def apart(values, t, weights):
    """How many standard deviations the weighted groups differ, column by column."""
    one, zero = t == 1, t == 0
    gap = (np.average(values[one], axis=0, weights=weights[one])
           - np.average(values[zero], axis=0, weights=weights[zero]))
    spread = np.sqrt((values[one].var(axis=0) + values[zero].var(axis=0)) / 2)
    return np.abs(gap) / np.where(spread > 1e-12, spread, 1.0)


def propensity(study):
    """How likely each row is treated; squares and products enter where groups stay unlike."""
    linear = np.column_stack([np.ones(len(study.y)), study.x])
    score, k = logistic(linear, study.t), study.x.shape[1]
    extra = [study.x[:, a] * study.x[:, b] for a in range(k) for b in range(a, k)
             if (a == b and len(np.unique(study.x[:, a])) > 2) or (a != b and k <= 15)]
    extra = np.column_stack([e for e in extra if e.std() > 1e-8] or [np.ones((len(study.y), 0))])
    room = len(study.y) // 50
    if extra.shape[1] == 0 or room == 0:
        return score, linear
    extra = scaled(extra)
    weights = np.where(study.t == 1, 1 / score.clip(1e-6), 1 / (1 - score).clip(1e-6))
    unlike = apart(extra, study.t, weights)
    worst = np.argsort(-unlike, kind="stable")[:room]
    chosen = np.sort(worst[unlike[worst] > 0.1])
    terms = np.column_stack([linear, extra[:, chosen]])
    return (logistic(terms, study.t), terms) if len(chosen) else (score, linear)


def bounds(t):
    """Between which chances of treatment rows are compared (after Crump et al. 2009): where a group
    is rare, chances are small for all rows, and it is a row's weight that must not be large."""
    share = t.mean()
    return min(TRIM, share / HEAVIEST), 1 - min(TRIM, (1 - share) / HEAVIEST)


def limits(t):
    """What a chance counts as at least and at most where a model tells it."""
    low, high = bounds(t)
    return low / 2, (1 + high) / 2


def supported(study):
    """The rows with a propensity within bounds, it fitted again, and the limits of chances."""
    score, terms = propensity(study)
    low, high = bounds(study.t)
    kept, ends = (score >= low) & (score <= high), limits(study.t)
    if kept.all():
        return study, score, terms, ends
    study = study.of(kept)
    score, terms = propensity(study)
    return study, score.clip(*ends), terms, ends'''
)

OVERLAP_SHOWN = """\
score, treated = propensity(studies[0])[0], studies[0].t == 1
low, high = bounds(studies[0].t)
beyond = ((score < low) | (score > high)).mean()
print(f"{beyond:.1%} of the rows lie beyond {low:.3g} to {high:.3g}.")
pd.DataFrame({"treated": pd.Series(score[treated]).describe(),
              "untreated": pd.Series(score[~treated]).describe()})"""
