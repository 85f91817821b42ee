"""Code cells of methods that learn models on other rows, as they stand in the notebook."""

from __future__ import annotations

from services.executor.causal.estimation.nuisance import ROWS_TO_SUM_ONCE

CROSS_FITTED = (
    f"""\
SUMMED_FROM = {ROWS_TO_SUM_ONCE:_}  # rows from which a lasso is given the sums of products
"""
    + '''

def products(k):
    near = FunctionTransformer(np.clip, kw_args={"a_min": -20.0, "a_max": 20.0})
    steps = [StandardScaler(), PolynomialFeatures(2, include_bias=False), StandardScaler(), near]
    return steps if k <= 15 else steps[:1]


def boosting(kind):
    return kind(n_estimators=100, learning_rate=0.06, num_leaves=8, min_child_samples=20, n_jobs=1,
                random_state=SEED, deterministic=True, force_col_wise=True, verbose=-1)


def models_for(x, classify, boosted):
    """The models to choose among for the outcome, or (classify) for a treatment of 0 and 1."""
    n, k = x.shape
    if classify:
        def logit(c):
            return LogisticRegression(C=c, solver="newton-cholesky")

        models = [make_pipeline(StandardScaler(), logit(1e3))]
        models += [make_pipeline(*products(k), logit(0.1))] if k <= 15 else []
        return models + ([boosting(LGBMClassifier)] if boosted else [])
    lasso = LassoCV(cv=3, alphas=30, eps=1e-3, precompute=n >= SUMMED_FROM)
    return [make_pipeline(*products(k), lasso)] + ([boosting(LGBMRegressor)] if boosted else [])


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
        study, _, _, (low, high) = supported(study)
    y, t, x = study.y, study.t, study.x if study.x.shape[1] else np.zeros((len(study.y), 1))
    many = 3 if len(y) < 5_000 else 2 if len(y) < 20_000 else 1
    of_outcome = np.column_stack([x, t]) if BINARY else x
    outcome_model = best(models_for(of_outcome, False, boosted), of_outcome, y, False, study.unit)
    treatment_model = best(models_for(x, BINARY, boosted), x, t, BINARY, study.unit)
    table, found, known = DoubleMLData.from_arrays(x, y, t), {}, None
    for estimand, score in (("ATE", "ATE"), ("ATT", "ATTE")) if BINARY else (("ATE", None),):
        shared = {"n_folds": 5, "n_rep": many, "draw_sample_splitting": False}
        if BINARY:
            model = DoubleMLIRM(
                table, outcome_model, treatment_model, score=score,
                normalize_ipw=estimand == "ATE",
                ps_processor_config=PSProcessorConfig(clipping_threshold=min(low, 1 - high)),
                **shared)
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
)

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
        study, _, _, ends = supported(study)
    y, t, n = study.y, study.t, len(study.y)
    x = pd.concat([study.raw, as_numbers(MODIFIERS, study.others)], axis=1)
    x = x.loc[:, ~x.columns.duplicated()].to_numpy(dtype=float)
    came = y - cross_predicted(best(models_for(x, False, True), x, y, False, None), x, y, False)
    likely = cross_predicted(best(models_for(x, BINARY, True), x, t, BINARY, None), x, t, BINARY)
    likely = likely.clip(*ends) if BINARY else likely
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
