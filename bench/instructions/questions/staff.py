"""People of a firm."""

from __future__ import annotations

import pandas as pd
from scipy import stats

from bench.instructions.asked import Asked

QUESTIONS = [
    Asked(
        "What is the average annual salary of employees in Engineering with more than five years "
        "at the company? Round to two decimal places. @avg_salary[value]",
        lambda d: {
            "avg_salary": round(
                d[(d.department == "Engineering") & (d.years_at_company > 5)].annual_salary.mean(),
                2,
            )
        },
    ),
    Asked(
        "Replace missing performance ratings by the mean rating. Then calculate the correlation "
        "between performance_rating and annual_salary using Spearman's method. "
        "@spearman[rho] with 3 decimals.",
        lambda d: {
            "spearman": round(
                stats.spearmanr(
                    d.performance_rating.fillna(d.performance_rating.mean()), d.annual_salary
                ).statistic,
                3,
            )
        },
    ),
    Asked(
        "Is there a relationship between department and remote work? Do a chi-squared test of "
        "independence with alpha = 0.05. @p_value[p to four decimals] @related[True or False]",
        lambda d: (lambda r: {"p_value": round(r.pvalue, 4), "related": bool(r.pvalue < 0.05)})(
            stats.chi2_contingency(pd.crosstab(d.department, d.remote))
        ),
    ),
    Asked(
        "Create total_pay as the sum of annual_salary and bonus. Compute the median total_pay for "
        "women (F) and men (M) separately, and the absolute difference. @median_f[a] @median_m[b] "
        "@difference[c]",
        lambda d: (
            lambda t: {
                "median_f": float(t[d.gender == "F"].median()),
                "median_m": float(t[d.gender == "M"].median()),
                "difference": float(abs(t[d.gender == "F"].median() - t[d.gender == "M"].median())),
            }
        )(d.annual_salary + d.bonus),
    ),
    Asked(
        "How many missing values does performance_rating have, and what percentage of the rows is "
        "that? @missing[n] @percent[p], where p is rounded to 2 decimals.",
        lambda d: {
            "missing": int(d.performance_rating.isna().sum()),
            "percent": round(100 * d.performance_rating.isna().mean(), 2),
        },
    ),
    Asked(
        "Remove rows with commute_km above the 95th percentile. What are the mean and the skewness "
        "of commute_km then? Two decimals. @mean[m] @skew[s]",
        lambda d: (lambda k: {"mean": round(k.mean(), 2), "skew": round(k.skew(), 2)})(
            d.commute_km[d.commute_km <= d.commute_km.quantile(0.95)]
        ),
    ),
    Asked(
        "Test at the 5% level whether the salaries of remote and non-remote employees differ. Use "
        "Student's t-test assuming equal variances. Report the p-value (4 decimals) and 'yes' or "
        "'no'. @p[p] @differ[yes/no]",
        lambda d: (
            lambda r: {"p": round(r.pvalue, 4), "differ": "yes" if r.pvalue < 0.05 else "no"}
        )(stats.ttest_ind(d[d.remote == "Yes"].annual_salary, d[d.remote == "No"].annual_salary)),
    ),
    Asked(
        "Which department has the highest mean bonus? Restrict the analysis to employees with a "
        "performance rating of at least 3. @department[name] @mean_bonus[value, one decimal]",
        lambda d: (lambda m: {"department": str(m.idxmax()), "mean_bonus": round(m.max(), 1)})(
            d[d.performance_rating >= 3].groupby("department").bonus.mean()
        ),
    ),
]
