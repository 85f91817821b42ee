"""Cars of the seventies and what they use."""

from __future__ import annotations

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats

from bench.instructions.asked import Asked


def _split_scores(d: pd.DataFrame) -> dict[str, float]:
    order = np.random.RandomState(42).permutation(len(d))
    held = int(np.ceil(0.2 * len(d)))
    test, train = d.iloc[order[:held]], d.iloc[order[held:]]
    columns = ["weight", "horsepower"]
    fit = np.linalg.lstsq(
        np.column_stack([np.ones(len(train)), train[columns]]), train.mpg, rcond=None
    )[0]
    seen = np.column_stack([np.ones(len(test)), test[columns]]) @ fit
    gone = float(((test.mpg - seen) ** 2).sum())
    return {
        "r2": round(1 - gone / float(((test.mpg - test.mpg.mean()) ** 2).sum()), 3),
        "rmse": round(float(np.sqrt(gone / len(test))), 3),
    }


QUESTIONS = [
    Asked(
        "Build a linear regression that predicts mpg from weight and horsepower. Split the data "
        "80/20 into training and test set with random_state 42. Evaluate on the test set with R² "
        "and RMSE, rounded to 3 decimals. @r2[value] @rmse[value]",
        _split_scores,
    ),
    Asked(
        "Test whether acceleration follows a normal distribution. Use the Shapiro-Wilk test with "
        "a significance level of 0.05: if the p-value is below 0.05, the data is not normal. "
        "@p_value[p] @is_normal[yes/no]; the p-value to four decimals.",
        lambda d: (
            lambda r: {
                "p_value": round(r.pvalue, 4),
                "is_normal": "no" if r.pvalue < 0.05 else "yes",
            }
        )(stats.shapiro(d.acceleration)),
    ),
    Asked(
        "Calculate the mean horsepower for each number of cylinders. Which has the highest mean? "
        "@cylinders[c] @mean_horsepower[h] where h has two decimal places.",
        lambda d: (lambda m: {"cylinders": int(m.idxmax()), "mean_horsepower": round(m.max(), 2)})(
            d.groupby("cylinders").horsepower.mean()
        ),
    ),
    Asked(
        "Make a new feature power_to_weight = horsepower / weight. Find the Pearson correlation of "
        "power_to_weight with acceleration and the p-value. Say 'strong' if the absolute "
        "correlation is above 0.7, otherwise 'weak'. @r[coefficient with 2 decimals] "
        "@strength[strong/weak]",
        lambda d: (lambda r: {"r": round(r, 2), "strength": "strong" if abs(r) > 0.7 else "weak"})(
            float((d.horsepower / d.weight).corr(d.acceleration))
        ),
    ),
    Asked(
        "Divide the cars into quartiles by weight. What is the average mpg in the lowest and in "
        "the highest quartile of weight? Two decimals each. @lowest_quartile[a] "
        "@highest_quartile[b]",
        lambda d: (
            lambda q: {
                "lowest_quartile": round(d[q == 0].mpg.mean(), 2),
                "highest_quartile": round(d[q == 3].mpg.mean(), 2),
            }
        )(pd.qcut(d.weight, 4, labels=False)),
    ),
    Asked(
        "Fit an ordinary least squares model of mpg on displacement, weight and acceleration. "
        "Give the adjusted R-squared and the coefficient of weight (4 decimals). "
        "@adj_r_squared[a] @coef_weight[b]",
        lambda d: (
            lambda f: {
                "adj_r_squared": round(f.rsquared_adj, 4),
                "coef_weight": round(f.params.weight, 4),
            }
        )(sm.OLS(d.mpg, sm.add_constant(d[["displacement", "weight", "acceleration"]])).fit()),
    ),
    Asked(
        "For cars from model years 75 to 80 (inclusive), find the 90th percentile of mpg and the "
        "number of cars at or above it. @p90[value] @count[n]",
        lambda d: (
            lambda k: (lambda p: {"p90": round(p, 2), "count": int((k.mpg >= p).sum())})(
                float(k.mpg.quantile(0.9))
            )
        )(d[d.modelyear.between(75, 80)]),
    ),
]
