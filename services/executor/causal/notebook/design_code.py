"""Code cells of designs that adjusting does not serve: instruments, cutoffs and units over time."""

from __future__ import annotations

IV = '''\
def beyond(controls, values):
    """What values have beyond the controls."""
    return values - controls @ np.linalg.lstsq(controls, values, rcond=None)[0]


def summed(scores, unit):
    """Rows, or their sums over units where rows belong together."""
    if unit is None:
        return scores
    _, number = np.unique(unit, return_inverse=True)
    sums = np.zeros((number.max() + 1, scores.shape[1]))
    np.add.at(sums, number, scores)
    return sums


def anderson_rubin(y, t, z, value, error, unit):
    """The effects that the robust test of Anderson & Rubin (1949) does not refuse at 5 %, which
    hold however strong the instrument is; None where they have no end."""
    def statistic(effect):
        moments = summed(z * (y - effect * t)[:, None], unit)
        total = moments.sum(axis=0)
        centred = moments - total / len(moments)
        return total @ np.linalg.pinv(centred.T @ centred, hermitian=True) @ total

    limit, ends = stats.chi2.ppf(0.95, z.shape[1]), []
    for sign in (-1, 1):
        far = [k for k in (2, 3, 5, 8, 15, 50) if statistic(value + sign * k * error) > limit]
        if statistic(value) >= limit or not far:
            return None
        ends.append(optimize.brentq(lambda each: statistic(each) - limit, value,
                                    value + sign * far[0] * error))
    return ends


def iv(study):
    """Two-stage least squares with robust errors (Imbens & Angrist 1994), by linearmodels; with one
    instrument the interval is that of Anderson & Rubin."""
    controls = np.column_stack([np.ones(len(study.y)), study.x])
    z = without_combinations(as_numbers(INSTRUMENTS, study.others)).to_numpy(dtype=float)
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    z = z[:, beyond(controls, z).std(axis=0) > 1e-6]
    clustered = {} if study.unit is None else {"clusters": study.unit}
    fit = IV2SLS(study.y, controls, study.t, z).fit(
        cov_type="clustered" if clustered else "robust", **clustered)
    value, error = fit.params["endog"], fit.std_errors["endog"]
    y, t, z = (beyond(controls, each) for each in (study.y, study.t, z))
    ends = anderson_rubin(y, t, z, value, error, study.unit) if z.shape[1] == 1 else None
    return {"LATE": (value, error, np.inf, *(ends or ()))}'''

RDD = '''\
def polynomial(x, values, degree, width):
    """A polynomial at the cutoff by least squares with a triangular kernel, and residuals over one
    less their leverage (HC3)."""
    weights = (1 - np.abs(x) / width).clip(0) / width
    powers = x[:, None] ** np.arange(degree + 1)
    size = np.array([width**k for k in range(degree + 1)])
    inverse = np.linalg.pinv((powers / size * weights[:, None]).T @ (powers / size), hermitian=True)
    inverse = inverse / np.outer(size, size)
    slopes = inverse @ ((powers * weights[:, None]).T @ values)
    leverage = np.einsum("ij,jk,ik->i", powers, inverse, powers, optimize=True) * weights
    left = (values - powers @ slopes) / np.maximum(1 - leverage, 0.05)[:, None]
    return powers, weights, inverse, slopes, left


def at_cutoff(x, values, width):
    """The local linear limit less the bias that a quadratic sees, with its covariance (Calonico,
    Cattaneo & Titiunik 2014)."""
    line, curve = polynomial(x, values, 1, width), polynomial(x, values, 2, width)
    plain = line[0] * line[1][:, None] @ line[2][0]
    share = plain - plain @ x**2 * (curve[0] * curve[1][:, None] @ curve[2][2])
    scores = share[:, None] * curve[4]
    return share @ values, scores.T @ scores


def constants(x, values, degree, derivative, narrow, wide, regularised):
    """Variance and bias of a derivative at the cutoff, and how unsure the bias is."""
    powers, weights, inverse, _, left = polynomial(x, values, degree, narrow)
    scores = powers * (weights[:, None] * left[:, :1])
    variance = (inverse @ (scores.T @ scores) @ inverse)[derivative, derivative]
    moment = (powers * weights[:, None]).T @ (x / narrow) ** (degree + 1)
    constant = narrow**derivative * (inverse @ moment)[derivative]
    powers, weights, inverse, slopes, left = polynomial(x, values, degree + 1, wide)
    scores = powers * (weights[:, None] * left[:, :1])
    unsure = (inverse @ (scores.T @ scores) @ inverse)[-1, -1]
    order = degree + 1 - derivative
    return ((2 * derivative + 1) * narrow ** (2 * derivative + 1) * variance,
            np.sqrt(2 * order) * constant * slopes[degree + 1, 0],
            regularised * 2 * order * 3 * constant**2 * unsure)


def bandwidth(sides):
    """The width that makes the mean squared error of the jump least (Calonico, Cattaneo & Titiunik
    2014; Imbens & Kalyanaraman 2012), with ten values of each side at least."""
    x = np.concatenate([side[0] for side in sides])
    ends = [np.unique(np.abs(side[0])) for side in sides]
    enough = max(end[min(10, len(end)) - 1] * (1 + 1e-8) for end in ends)
    low, high = np.quantile(x, [0.25, 0.75])
    scale = min(x.std(ddof=1), (high - low) / 1.349) or x.std()
    reach = np.abs(x).max()

    def balanced(found, degree):
        variance = found[0][0] + found[1][0]
        bias = (found[1][1] - found[0][1]) ** 2 + found[0][2] + found[1][2]
        best = (variance / bias) ** (1 / (2 * degree + 3)) if bias > 0 else reach
        return max(min(best, reach), enough)

    first = max(min(2.576 * scale * len(x) ** -0.2, reach), enough)
    wide = [np.abs(side[0]).max() * (1 + 1e-8) for side in sides]
    third = balanced([constants(*s, 3, 3, first, w, 0.0) for s, w in zip(sides, wide)], 3)
    pilot = balanced([constants(*s, 2, 2, first, third, 1.0) for s in sides], 2)
    return balanced([constants(*s, 1, 0, first, pilot, 1.0) for s in sides], 1)


def rdd(study):
    """The jump of the outcome at the cutoff; over that of the treatment where it is not certain
    there (fuzzy)."""
    x = study.others[RUNNING].to_numpy(dtype=float) - CUTOFF
    values = np.column_stack([study.y, study.t])
    sharp = BINARY and ((x >= 0) == (study.t == 1)).mean() >= 0.999
    sides = [(x[part], values[part]) for part in (x < 0, x >= 0)]
    width = bandwidth(sides)
    (low, noise), (high, more) = (at_cutoff(*side, width) for side in sides)
    jump, covariance = high - low, noise + more
    if sharp:
        return {"LATE": (jump[0], np.sqrt(covariance[0, 0]), np.inf)}
    ratio = jump[0] / jump[1]
    slope = np.array([1.0, -ratio]) / jump[1]
    return {"LATE": (ratio, np.sqrt(slope @ covariance @ slope), np.inf)}'''

DID = '''\
def doubly_robust(x, change, treated, control):
    """The effect on the treated of a change, and how each unit moves it (Sant'Anna & Zhao 2020).
    With fewer than five units a term nothing is adjusted for; fewer than five treated are taken to
    vary as the others do."""
    used, few = treated | control, min(treated.sum(), control.sum())
    terms = np.column_stack([np.ones(len(change)), np.nan_to_num(x)])
    if few < 5 * terms.shape[1]:
        terms = terms[:, :1]
    score = np.full(len(change), treated[used].mean())
    if terms.shape[1] > 1:
        model = LogisticRegression(C=1e4, solver="newton-cholesky", max_iter=200)
        model.fit(terms[used, 1:], treated[used])
        score = model.predict_proba(terms[:, 1:])[:, 1].clip(0.001, 0.99)
    on, off = treated.astype(float), control * score / (1 - score)
    inverse = np.linalg.pinv((terms * control[:, None]).T @ terms, hermitian=True)
    left = change - terms @ (inverse @ (terms.T @ (control * change)))
    first, second = on @ left / on.sum(), off @ left / off.sum()
    own = left - first
    if on.sum() < 5:
        own = np.full(len(change), np.sqrt(off @ (left - second) ** 2 / off.sum()))
    moved = on * own / on.sum() - off * (left - second) / off.sum()
    by_outcome = (control * left)[:, None] * terms @ inverse @ (
        terms.T @ on / on.sum() - terms.T @ off / off.sum())
    information = (terms * (used * score * (1 - score))[:, None]).T @ terms
    by_score = ((used * (on - score))[:, None] * terms
                @ np.linalg.pinv(information, hermitian=True)
                @ (terms.T @ (off * (left - second)) / off.sum()))
    small = np.sqrt(1 / max(1 - 1 / few, 0.5))
    return first - second, (moved - by_outcome - by_score) * small


def did(study):
    """The effect on the treated, from the effects on units first treated at each time against units
    that are not treated yet (Callaway & Sant'Anna 2021); errors count units."""
    unit, (time, times) = pd.factorize(study.others[UNIT], sort=True)[0], pd.factorize(
        study.others[TIME], sort=True)
    shape = unit.max() + 1, len(times)
    y, t, x = (np.full(size, np.nan) for size in (shape, shape, (*shape, study.x.shape[1])))
    y[unit, time], t[unit, time], x[unit, time] = study.y, study.t, study.x
    on, never = np.nan_to_num(t) == 1, 10**6
    first = np.where(on.any(axis=1), on.argmax(axis=1), never)
    y, x, first = y[first > 0], x[first > 0], first[first > 0]
    began = sorted({each for each in first if each < never})
    cells = []
    for group in began:
        for at in range(group, len(times)):
            there = ~np.isnan(y[:, at]) & ~np.isnan(y[:, group - 1])
            treated, control = (first == group) & there, (first > at) & (first != group) & there
            if treated.any() and control.sum() >= 2:
                change = np.where(there, y[:, at] - y[:, group - 1], 0.0)
                cells.append((group, *doubly_robust(x[:, group - 1], change, treated, control)))
    sizes = np.array([(first == group).sum() for group, *_ in cells], dtype=float)
    shares, effects = sizes / sizes.sum(), np.array([effect for _, effect, _ in cells])
    mean = shares @ effects
    moved = sum(share * each for share, (*_, each) in zip(shares, cells))
    groups = np.array([group for group, *_ in cells])
    drawn = np.array([(effects - mean)[groups == each].sum() for each in first]) / sizes.sum()
    error = np.sqrt(((moved + drawn - drawn.mean()) ** 2).sum())
    smaller = min((first < never).sum(), (first > began[0]).sum())
    return {"ATT": (mean, error, max(smaller - 1, 1))}'''
