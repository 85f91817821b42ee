"""Films, what they cost and earned, and whether women talk in them."""

from __future__ import annotations

import numpy as np
from scipy import stats

from bench.instructions.asked import Asked

QUESTIONS = [
    Asked(
        "Calculate the mean and standard deviation of the budget of films released since 2000. "
        "Round to the nearest whole number. @mean_budget[m] @std_budget[s]",
        lambda d: (lambda b: {"mean_budget": round(b.mean()), "std_budget": round(b.std())})(
            d[d.year >= 2000].budget
        ),
    ),
    Asked(
        "Create a column profit defined as domgross_2013 - budget_2013. Drop rows where profit is "
        "missing. What is the median profit of the films with binary equal to PASS and of those "
        "with FAIL? @median_pass[a] @median_fail[b], both as whole numbers.",
        lambda d: (
            lambda p: {
                "median_pass": round(p[d.binary == "PASS"].median()),
                "median_fail": round(p[d.binary == "FAIL"].median()),
            }
        )(d.domgross_2013 - d.budget_2013),
    ),
    Asked(
        "Is there a statistically significant difference in budget_2013 between films that PASS "
        "and films that FAIL (column binary)? Run Welch's t-test at a significance level of 0.05. "
        "@t_statistic[t] @p_value[p] @conclusion[significant/not significant]. Round t to 2 and p "
        "to 4 decimal places; t is for PASS minus FAIL.",
        lambda d: (
            lambda r: {
                "t_statistic": round(r.statistic, 2),
                "p_value": round(r.pvalue, 4),
                "conclusion": "significant" if r.pvalue < 0.05 else "not significant",
            }
        )(
            stats.ttest_ind(
                d[d.binary == "PASS"].budget_2013,
                d[d.binary == "FAIL"].budget_2013,
                equal_var=False,
            )
        ),
    ),
    Asked(
        "What percentage of the films of each decade_code passes the test, that is, has binary = "
        "'PASS'? Only look at decade codes 1, 2 and 3. One decimal. @pct_1[x] @pct_2[y] @pct_3[z]",
        lambda d: {
            f"pct_{k}": round(100 * (d[d.decade_code == k].binary == "PASS").mean(), 1)
            for k in (1, 2, 3)
        },
    ),
    Asked(
        "Fit a linear regression with domgross as the dependent variable and budget as the "
        "independent variable. Skip rows with missing values. Report the slope (3 decimals) and "
        "R-squared (3 decimals). @slope[b] @r_squared[r2]",
        lambda d: (
            lambda k: (lambda r: {"slope": round(r.slope, 3), "r_squared": round(r.rvalue**2, 3)})(
                stats.linregress(k.budget, k.domgross)
            )
        )(d.dropna(subset=["domgross", "budget"])),
    ),
    Asked(
        "Using the Z-score method with a threshold of 3, identify the outliers in intgross. How "
        "many are there? Remove them and give the mean of the remaining values, rounded to two "
        "decimals. @outliers[n] @mean_without_outliers[m]",
        lambda d: (
            lambda x: (
                lambda z: {
                    "outliers": int((z.abs() > 3).sum()),
                    "mean_without_outliers": round(x[z.abs() <= 3].mean(), 2),
                }
            )((x - x.mean()) / x.std())
        )(d.intgross.dropna()),
    ),
    Asked(
        "Use k-means with four clusters on budget and domgross. How many films are in the largest "
        "cluster? @largest[n]",
        lambda d: {},
    ),
    Asked(
        "Compute Spearman's rank correlation between budget and intgross for films made between "
        "1990 and 1999 inclusive. Give rho and the p-value. rho should have 3 decimals.",
        lambda d: (lambda k: {"rho": round(stats.spearmanr(k.budget, k.intgross).statistic, 3)})(
            d[d.year.between(1990, 1999)].dropna(subset=["budget", "intgross"])
        ),
        named=False,
    ),
    Asked(
        "Take the natural logarithm of budget. What are the mean and the skewness of the "
        "log-transformed budget? Three decimals. @mean_log[m] @skew_log[s]",
        lambda d: (lambda x: {"mean_log": round(x.mean(), 3), "skew_log": round(x.skew(), 3)})(
            np.log(d.budget)
        ),
    ),
]
