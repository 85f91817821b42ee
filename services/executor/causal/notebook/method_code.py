"""Code cells that estimate, a method each, as they stand in the notebook."""

from __future__ import annotations

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
    study, e, terms = supported(study)
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
    study, score, terms = supported(study)
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
    closer = np.abs(distinct[left] - numbers) <= np.abs(distinct[right] - numbers)
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
    study, score, terms = supported(study)
    logit, treated, n = np.log(score / (1 - score)), study.t == 1, len(study.y)
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

CROSS_FITTED = '''\
def products(k):
    near = FunctionTransformer(np.clip, kw_args={"a_min": -20.0, "a_max": 20.0})
    steps = [StandardScaler(), PolynomialFeatures(2, include_bias=False), StandardScaler(), near]
    return steps if k <= 15 else steps[:1]


def boosting(kind):
    return kind(n_estimators=100, learning_rate=0.06, num_leaves=8, min_child_samples=20, n_jobs=1,
                random_state=SEED, deterministic=True, force_col_wise=True, verbose=-1)


def models_for(k, classify, boosted):
    """The models to choose among for the outcome, or (classify) for a treatment of 0 and 1."""
    if classify:
        def logit(c):
            return LogisticRegression(C=c, solver="newton-cholesky")

        models = [make_pipeline(StandardScaler(), logit(1e3))]
        models += [make_pipeline(*products(k), logit(0.1))] if k <= 15 else []
        return models + ([boosting(LGBMClassifier)] if boosted else [])
    lasso = make_pipeline(*products(k), LassoCV(cv=3, alphas=30, eps=1e-3, precompute=True))
    return [lasso] + ([boosting(LGBMRegressor)] if boosted else [])


def folds(target, classify, many, seed, unit):
    """Rows to fit on and to predict; rows of one unit are in one fold."""
    if unit is not None:
        kind = StratifiedGroupKFold if classify else GroupKFold
        kind = kind(many, shuffle=True, random_state=seed)
        return list(kind.split(target[:, None], target, unit))
    kind = StratifiedKFold if classify else KFold
    return list(kind(many, shuffle=True, random_state=seed).split(target[:, None], target))


def best(models, x, target, classify, unit):
    """The model that predicts best the rows that it has not seen, in three folds."""
    losses = []
    for model in models if len(models) > 1 else []:
        guess = np.empty(len(target))
        for fit, rest in folds(target, classify, 3, SEED, unit):
            fitted = clone(model).fit(x[fit], target[fit])
            guess[rest] = (fitted.predict_proba(x[rest])[:, 1] if classify
                           else fitted.predict(x[rest]))
        guess = guess.clip(1e-3, 1 - 1e-3) if classify else guess
        losses.append(-np.mean(np.log(np.where(target == 1, guess, 1 - guess))) if classify
                      else np.mean((target - guess) ** 2))
    return models[int(np.argmin(losses)) if losses else 0]


def cross_fitted(study, boosted):
    """The doubly robust score with models fitted on other rows (Robins, Rotnitzky & Zhao 1994;
    Chernozhukov et al. 2018), by DoubleML; a number is partialled out (Robinson 1988)."""
    if BINARY:
        study = supported(study)[0]
    y, t, x = study.y, study.t, study.x if study.x.shape[1] else np.zeros((len(study.y), 1))
    k, many = x.shape[1], 3 if len(y) < 5_000 else 2 if len(y) < 20_000 else 1
    of_outcome = np.column_stack([x, t]) if BINARY else x
    outcome_model = best(models_for(of_outcome.shape[1], False, boosted), of_outcome, y, False,
                         study.unit)
    treatment_model = best(models_for(k, BINARY, boosted), x, t, BINARY, study.unit)
    table, found, known = DoubleMLData.from_arrays(x, y, t), {}, None
    for estimand, score in (("ATE", "ATE"), ("ATT", "ATTE")) if BINARY else (("ATE", None),):
        shared = {"n_folds": 5, "n_rep": many, "draw_sample_splitting": False}
        if BINARY:
            model = DoubleMLIRM(
                table, outcome_model, treatment_model, score=score,
                normalize_ipw=estimand == "ATE",
                ps_processor_config=PSProcessorConfig(clipping_threshold=0.01), **shared)
        else:
            model = DoubleMLPLR(table, outcome_model, treatment_model, **shared)
        model.set_sample_splitting([folds(t, BINARY, 5, SEED + each, study.unit)
                                   for each in range(many)])
        model.fit(external_predictions=known)
        known = {"d": {name: each[:, :, 0] for name, each in model.predictions.items()}}
        error, df = model.se[0], np.inf
        if study.unit is not None:
            squares = []
            for split, one in enumerate(model.all_coef[0]):
                influence = model.psi[:, split, 0] / model.psi_deriv[:, split, 0].mean() / len(y)
                each, df = settled(study, influence, np.nan)
                squares.append(each**2 + (one - model.coef[0]) ** 2)
            error = np.sqrt(np.median(squares))
        found[estimand] = model.coef[0], error, df
    return found'''

FOREST = '''\
def cross_predicted(model, x, target, classify):
    """Predictions for each row by a model that has not seen it."""
    found = np.empty(len(target))
    for fit, rest in folds(target, classify, 5, SEED, None):
        fitted = clone(model).fit(x[fit], target[fit])
        found[rest] = fitted.predict_proba(x[rest])[:, 1] if classify else fitted.predict(x[rest])
    return found


def groups_of(values):
    """Which rows belong to each group of a column, by its label: quartiles of many numbers, else
    the most frequent values."""
    counts, name = values.value_counts(), values.name
    if len(counts) <= 8 or not pd.api.types.is_numeric_dtype(values):
        kept = sorted(counts.index, key=lambda each: (-counts[each], str(each)))[:8]
        return {f"{name} = {each}": (values == each).to_numpy(dtype=bool)
                for each in sorted(kept, key=str)}
    numbers = values.to_numpy(dtype=float)
    part = np.searchsorted(np.unique(np.quantile(numbers, [0.25, 0.5, 0.75])), numbers, side="left")
    return {f"{name}: {numbers[part == each].min():.4g} to {numbers[part == each].max():.4g}":
            part == each for each in np.unique(part)}


def causal_forest(study):
    """An honest forest on what models leave of outcome and treatment (Athey, Tibshirani & Wager
    2019); averages over rows are those of doubly robust scores."""
    if BINARY:
        study = supported(study)[0]
    y, t, n = study.y, study.t, len(study.y)
    x = pd.concat([study.raw, as_numbers(MODIFIERS, study.others)], axis=1)
    x = x.loc[:, ~x.columns.duplicated()].to_numpy(dtype=float)
    came = y - cross_predicted(best(models_for(x.shape[1], False, True), x, y, False, None),
                               x, y, False)
    likely = cross_predicted(best(models_for(x.shape[1], BINARY, True), x, t, BINARY, None),
                             x, t, BINARY)
    likely = likely.clip(0.01, 0.99) if BINARY else likely
    moved = t - likely
    forest = CausalForest(n_estimators=200, min_samples_leaf=5, max_samples=min(0.45, 5_000 / n),
                          honest=True, inference=True, subforest_size=4, n_jobs=1,
                          random_state=SEED).fit(x, moved[:, None], came[:, None])
    effects = np.asarray(forest.oob_predict(x)).reshape(n, -1)[:, 0]
    effects = np.where(np.isnan(effects), np.nanmean(effects), effects)
    variance = likely * (1 - likely) if BINARY else np.mean(moved**2)
    scores = effects + moved / variance * (came - effects * moved)
    parts = {"ATE": np.ones(n, dtype=bool)}
    for name in sorted(MODIFIERS):
        parts |= groups_of(study.others[name])
    found = {name: (scores[rows].mean(), scores[rows].std(ddof=1) / np.sqrt(rows.sum()), np.inf)
             for name, rows in parts.items()}
    if BINARY:
        part = (t * effects + likely * (scores - effects)) / t.mean()
        error = (part - t / t.mean() * part.mean()).std(ddof=1) / np.sqrt(n)
        found["ATT"] = part.mean(), error, np.inf
    return found'''

COMPARISON = '''\
def alike(now, then, width):
    """To six significant digits of the figure or of its interval's width, whichever is more."""
    return bool(abs(now - then) <= 1e-6 * max(abs(then), width))


rows = []
for name, *figures in EXPECTED:
    width = figures[2] - figures[1]
    for what, then, now in zip(("estimate", "lower end", "upper end"), figures,
                               seen.get(name, (np.nan,) * 3)):
        rows.append((f"{name}, {what}", then, now, alike(now, then, width)))
comparison = pd.DataFrame(rows, columns=["figure", "in the study", "here", "same"])
print(f"{comparison['same'].sum()} of {len(comparison)} figures came out the same")
comparison'''

CHART = """\
figure, axes = plt.subplots(figsize=(7, 0.7 + 0.4 * len(seen)))
for place, (name, (estimate, low, high)) in enumerate(seen.items()):
    axes.plot([low, high], [place, place], color="#5b6570")
    axes.plot([estimate], [place], "o", color="#0072B2")
axes.set_yticks(range(len(seen)), list(seen))
axes.invert_yaxis()
axes.axvline(0, color="#8a8a8a", linewidth=1)
axes.set_xlabel("effect, with its 95 % interval")
figure.tight_layout()
plt.show()"""

GROUPS = """\
figure, axes = plt.subplots(figsize=(7, 0.7 + 0.4 * len(GROUPS)))
for place, (name, estimate, low, high) in enumerate(reversed(GROUPS)):
    axes.plot([low, high], [place, place], color="#4477aa")
    axes.plot(estimate, place, "o", color="#4477aa")
axes.set_yticks(range(len(GROUPS)), [name for name, *_ in reversed(GROUPS)])
axes.axvline(0, color="grey", linewidth=0.8)
axes.set_xlabel("effect in the group, with its 95 % interval")
figure.tight_layout()
plt.show()"""
