"""A survey of marriages."""

from __future__ import annotations

import numpy as np
from scipy import stats

from bench.instructions.asked import Asked

QUESTIONS = [
    Asked(
        "What is the mean number of years married among women with at least one child? Give two "
        "decimals. @mean_years[value]",
        lambda d: {"mean_years": round(d[d.children >= 1].yrs_married.mean(), 2)},
    ),
    Asked(
        "Define a binary variable had_affair that is 1 if affairs > 0 and 0 otherwise. Compute the "
        "proportion of women with had_affair = 1, and compare the mean age of the two groups. "
        "@proportion[p] @mean_age_affair[a] @mean_age_no_affair[b]. Round to three decimals.",
        lambda d: {
            "proportion": round((d.affairs > 0).mean(), 3),
            "mean_age_affair": round(d[d.affairs > 0].age.mean(), 3),
            "mean_age_no_affair": round(d[~(d.affairs > 0)].age.mean(), 3),
        },
    ),
    Asked(
        "Test with a one-sample t-test whether the mean of rate_marriage differs from 4. "
        "Two-sided, alpha 0.05. Report t (3 decimals) and the decision. @t[t] "
        "@decision[reject/fail to reject]",
        lambda d: (
            lambda r: {
                "t": round(r.statistic, 3),
                "decision": "reject" if r.pvalue < 0.05 else "fail to reject",
            }
        )(stats.ttest_1samp(d.rate_marriage, 4)),
    ),
    Asked(
        "Give the 95% confidence interval of the mean age. Use Student's t distribution. "
        "@lower[low] @upper[high] rounded to two decimals.",
        lambda d: (lambda i: {"lower": round(i[0], 2), "upper": round(i[1], 2)})(
            stats.t.interval(0.95, len(d) - 1, d.age.mean(), stats.sem(d.age))
        ),
    ),
    Asked(
        "Which numeric column is most strongly correlated with affairs (largest absolute Pearson "
        "correlation)? Report the name of the column and the coefficient with three decimals. "
        "@column[name] @r[value]",
        lambda d: (lambda c: (lambda n: {"column": str(n), "r": round(c[n], 3)})(c.abs().idxmax()))(
            d.corr()["affairs"].drop("affairs")
        ),
    ),
    Asked(
        "Compare the variances of age between religious = 1 and religious = 4 with Levene's test. "
        "Are they equal at the 5% level? @equal_variances[yes/no]",
        lambda d: {
            "equal_variances": "no"
            if stats.levene(d[d.religious == 1].age, d[d.religious == 4].age).pvalue < 0.05
            else "yes"
        },
    ),
    Asked(
        "Take the square root of affairs. Then report the mean and the variance of the transformed "
        "variable to 3 decimals. @mean[m] @variance[v]",
        lambda d: (lambda x: {"mean": round(x.mean(), 3), "variance": round(x.var(), 3)})(
            np.sqrt(d.affairs)
        ),
    ),
    Asked(
        "Count the respondents for every value of occupation. Then report the most common "
        "occupation and its share of all rows in percent (one decimal). @occupation[o] @share[s]",
        lambda d: (
            lambda c: {"occupation": int(c.index[0]), "share": round(100 * c.iloc[0] / len(d), 1)}
        )(d.occupation.value_counts()),
    ),
]
