"""Code cells of methods that fit on the rows they estimate on, as they stand in the notebook."""

from __future__ import annotations

from services.executor.causal.estimation.matching import ROUNDING

LEAST_SQUARES = '''\
def least_squares(terms, y):
    """Coefficients, their covariance that holds under unequal variances (HC3, MacKinnon & White
    1985), and how each row moves them; a row that a coefficient fits alone counts with its residual
    of zero."""
    inverse = np.linalg.pinv(terms.T @ terms, rcond=1e-10, hermitian=True)
    coefficients = inverse @ (terms.T @ y)
    leverage = np.einsum("ij,jk,ik->i", terms, inverse, terms, optimize=True)
    off = (y - terms @ coefficients) / np.maximum(1 - leverage, 1e-6)
    scores = terms * off[:, None]
    return coefficients, inverse @ (scores.T @ scores) @ inverse, scores @ inverse'''

TIES = (
    f"""\
ROUNDING = {ROUNDING}  # what numbers differ by where sums were added up in another order
"""
    + '''

def tied(numbers):
    """The numbers, of which those are equal that only rounding tells apart: rows that are alike in
    all columns are equally likely to be treated."""
    order = np.argsort(numbers, kind="stable")
    along = numbers[order]
    begins = np.concatenate([[True], np.diff(along) > ROUNDING])
    found = np.empty(len(numbers))
    found[order] = along[begins][np.cumsum(begins) - 1]
    return found'''
)

OLS = '''\
def ols(study):
    """Least squares with errors that hold under unequal variances (HC3). For two groups the
    treatment's products with the covariates let the effect vary with them (Lin 2013)."""
    if BINARY:
        study = supported(study)[0]
    n, k = study.x.shape
    terms = np.column_stack([np.ones(n), study.t, study.x])
    smaller = min(counted(study, study.t == each) for each in (0, 1))
    products = BINARY and k > 0 and smaller >= 5 * (k + 1)
    if products:
        terms = np.column_stack([terms, study.t[:, None] * study.x])
    effect, covariance, moved = least_squares(terms, study.y)
    found, df = {}, n - terms.shape[1]
    for estimand, rows in (("ATE", np.ones(n, dtype=bool)), ("ATT", study.t == 1)):
        contrast, variance, influence = np.zeros(terms.shape[1]), 0.0, np.zeros(n)
        contrast[1] = 1
        if products:
            contrast[-k:] = study.x[rows].mean(axis=0)
            effects = study.x[rows] @ effect[-k:]
            variance = effects.var() / rows.sum()
            influence[rows] = (effects - effects.mean()) / rows.sum()
        variance += contrast @ covariance @ contrast
        influence += moved @ contrast
        found[estimand] = contrast @ effect, *settled(study, influence, np.sqrt(variance), df)
    return found if BINARY and (products or k == 0) else {"ATE": found["ATE"]}'''

IPW = '''\
def ipw(study):
    """Means weighted by one over the probability of the treatment that a row had (Hajek 1971);
    errors count in that the probability is estimated (Lunceford & Davidian 2004)."""
    study, e, terms, _ = supported(study)
    n, p = terms.shape
    found = {}
    for estimand in ("ATE", "ATT"):
        ones = study.t / e if estimand == "ATE" else study.t
        zeros = (1 - study.t) / (1 - e) * (1 if estimand == "ATE" else e)
        high, low = np.average(study.y, weights=ones), np.average(study.y, weights=zeros)
        first = ones * (study.y - high) / ones.mean()
        second = zeros * (study.y - low) / zeros.mean()
        slope = -(first * (1 - e) + second * e) if estimand == "ATE" else -second
        information = (terms * (e * (1 - e))[:, None]).T @ terms / n
        scores = (study.t - e)[:, None] * terms
        change = np.linalg.pinv(information, hermitian=True) @ (slope[:, None] * terms).mean(axis=0)
        influence = (first - second + scores @ change) / np.sqrt(n * max(n - p, 1))
        found[estimand] = high - low, *settled(study, influence, np.sqrt((influence**2).sum()))
    return found'''

STRATIFICATION = '''\
def within(y, t, terms, smaller):
    """The effect in a stratum with its variance, and how each row moves it, over all rows and over
    the treated; products let it vary within the stratum (Lin 2013)."""
    terms = terms - terms.mean(axis=0)
    p = terms.shape[1]
    used = np.column_stack([t, np.ones(len(t)), terms])
    products = smaller >= 5 * (p + 1)
    if products:
        used = np.column_stack([used, t[:, None] * terms])
    effect, covariance, moved = least_squares(used, y)
    found = []
    for over in (np.zeros(p), terms[t == 1].mean(axis=0)):
        contrast = np.zeros(used.shape[1])
        contrast[0] = 1
        if products:
            contrast[len(contrast) - p :] = over
        found.append((contrast @ effect, contrast @ covariance @ contrast, moved @ contrast))
    return found


def stratification(study):
    """A regression within each fifth of the propensity (Rosenbaum & Rubin 1984), averaged by how
    many rows (ATE) or treated rows (ATT) each fifth holds."""
    study, score, terms, _ = supported(study)
    score = tied(score)
    fifth = np.searchsorted(np.quantile(score, [0.2, 0.4, 0.6, 0.8]), score, side="left")
    parts = []
    for each in np.unique(fifth):
        rows = fifth == each
        smaller = min(counted(study, rows & (study.t == each)) for each in (0, 1))
        if smaller >= 10:
            few = smaller < 2 * terms.shape[1]
            beside = np.log(score / (1 - score))[rows, None] if few else terms[rows, 1:]
            parts.append((rows, within(study.y[rows], study.t[rows], beside, smaller)))
    found = {}
    for place, estimand in enumerate(("ATE", "ATT")):
        counts = np.ones(len(study.y)) if estimand == "ATE" else study.t
        sizes = np.array([counts[rows].sum() for rows, _ in parts])
        effects, variances, moved = zip(*(each[place] for _, each in parts))
        effects, variances, shares = np.array(effects), np.array(variances), sizes / sizes.sum()
        mean, influence = shares @ effects, np.zeros(len(study.y))
        between = (shares @ (effects - mean) ** 2 - shares @ variances) / sizes.sum()
        for (rows, _), share, effect, each in zip(parts, shares, effects, moved):
            influence[rows] = share * each + counts[rows] * (effect - mean) / sizes.sum()
        error = np.sqrt(shares**2 @ variances + max(between, 0.0))
        found[estimand] = mean, *settled(study, influence, error)
    return found'''

PSM = '''\
def nearest(numbers, others):
    """For each number its nearest among the others: where they begin in order, and how many tie."""
    order = np.argsort(others, kind="stable")
    distinct, first, count = np.unique(others[order], return_index=True, return_counts=True)
    right = np.searchsorted(distinct, numbers).clip(0, len(distinct) - 1)
    left = (right - 1).clip(0)
    closer = np.abs(distinct[left] - numbers) <= np.abs(distinct[right] - numbers) + ROUNDING
    place = np.where(closer, left, right)
    return order, first[place], count[place]


def neighbour_variance(numbers, values):
    """A value's variance from the two next to it in order (Abadie & Imbens 2006)."""
    order = np.argsort(numbers, kind="stable")
    along = values[order]
    padded = np.concatenate([[along[2]], along, [along[-3]]])
    found = np.empty(len(values))
    found[order] = 2 / 3 * (along - (padded[:-2] + padded[2:]) / 2) ** 2
    return found


def psm(study):
    """The nearest neighbour on the logit of the propensity, with replacement; what a match leaves
    is corrected by a regression in each group (Abadie & Imbens 2006, 2011)."""
    study, score, terms, _ = supported(study)
    logit, treated, n = tied(np.log(score / (1 - score))), study.t == 1, len(study.y)
    expected = []
    for arm in (treated, ~treated):
        used = terms if counted(study, arm) >= 5 * terms.shape[1] else terms[:, :1]
        expected.append(used @ least_squares(used[arm], study.y[arm])[0])
    left = study.y - np.where(treated, *expected)
    effects, variance, uses, squares = (np.zeros(n) for _ in range(4))
    for arm, sign in ((treated, 1), (~treated, -1)):
        variance[arm] = neighbour_variance(logit[arm], left[arm])
        order, first, count = nearest(logit[arm], logit[~arm])
        total = np.concatenate([[0.0], np.cumsum(left[~arm][order])])
        matched = (total[first + count] - total[first]) / count
        effects[arm] = (expected[0] - expected[1])[arm] + sign * (left[arm] - matched)
        for power, into in ((1, uses), (2, squares)):
            steps, ordered = np.zeros(len(order) + 1), np.empty(len(order))
            np.add.at(steps, first, 1 / count.astype(float) ** power)
            np.add.at(steps, first + count, -1 / count.astype(float) ** power)
            ordered[order] = np.cumsum(steps[:-1])
            into[~arm] = ordered
    found = {}
    for estimand, rows in (("ATE", np.ones(n, dtype=bool)), ("ATT", treated)):
        mean = effects[rows].mean()
        spread = ((effects[rows] - mean) ** 2).sum()
        noise = (((uses**2 + 2 * uses - squares) * variance).sum() if estimand == "ATE"
                 else ((uses**2 - squares) * variance)[~treated].sum())
        error = np.sqrt(max(spread + noise, spread / 2)) / rows.sum()
        weights = 1 + uses if estimand == "ATE" else np.where(treated, 1.0, uses)
        influence = np.where(rows, expected[0] - expected[1] - mean, 0.0)
        influence += np.where(treated, weights, -weights) * left
        error, df = settled(study, influence / rows.sum(), error, spent=2 * terms.shape[1])
        found[estimand] = mean, error, df
    return found'''
