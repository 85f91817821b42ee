"""Crime in the states of the USA."""

from __future__ import annotations

import pandas as pd
from scipy import stats

from bench.instructions.asked import Asked

QUESTIONS = [
    Asked(
        "Calculate the mean, median and standard deviation of the violent crime rate. Round each "
        "to one decimal. @mean[a] @median[b] @std[c]",
        lambda d: {
            "mean": round(d.violent.mean(), 1),
            "median": round(d.violent.median(), 1),
            "std": round(d.violent.std(), 1),
        },
    ),
    Asked(
        "Check with the Shapiro-Wilk test whether murder is normally distributed (alpha = 0.05). "
        "Report the test statistic with 3 decimals, and 'normal' or 'not normal'. "
        "@statistic[w] @distribution[normal/not normal]",
        lambda d: (
            lambda r: {
                "statistic": round(r.statistic, 3),
                "distribution": "not normal" if r.pvalue < 0.05 else "normal",
            }
        )(stats.shapiro(d.murder)),
    ),
    Asked(
        "Exclude the District of Columbia. What is the correlation coefficient between poverty and "
        "murder (Pearson)? @r[value] rounded to three decimals.",
        lambda d: (lambda k: {"r": round(k.poverty.corr(k.murder), 3)})(
            d[d.state != "District of Columbia"]
        ),
    ),
    Asked(
        "Split the states into two groups at the median of urban: 'high' for values above the "
        "median and 'low' otherwise. Compare the mean violent crime of the two groups. "
        "@mean_high[a] @mean_low[b] with two decimals.",
        lambda d: (
            lambda m: {
                "mean_high": round(d[d.urban > m].violent.mean(), 2),
                "mean_low": round(d[d.urban <= m].violent.mean(), 2),
            }
        )(d.urban.median()),
    ),
    Asked(
        "Perform a multiple linear regression with murder as the target and poverty, single and "
        "hs_grad as predictors. What share of the variance is explained (R²)? @r2[value] to four "
        "decimals.",
        lambda d: (lambda f: {"r2": round(f.rsquared, 4)})(
            __import__("statsmodels.api", fromlist=["api"])
            .OLS(
                d.murder,
                __import__("statsmodels.api", fromlist=["api"]).add_constant(
                    d[["poverty", "single", "hs_grad"]]
                ),
            )
            .fit()
        ),
    ),
    Asked(
        "Identify states whose poverty z-score exceeds 2 in absolute value. How many are there? "
        "@count[n]",
        lambda d: {
            "count": int((((d.poverty - d.poverty.mean()) / d.poverty.std()).abs() > 2).sum())
        },
    ),
    Asked(
        "Bin hs_grad into 3 equal-width intervals. How many states fall into each one? "
        "@low[n] @middle[n] @high[n]",
        lambda d: (lambda c: {"low": int(c[0]), "middle": int(c[1]), "high": int(c[2])})(
            pd.cut(d.hs_grad, 3, labels=False).value_counts()
        ),
    ),
    Asked(
        "Which state has the highest murder rate and which the lowest? @highest[state] "
        "@lowest[state]",
        lambda d: {
            "highest": str(d.state[d.murder.idxmax()]),
            "lowest": str(d.state[d.murder.idxmin()]),
        },
    ),
]
