"""Hourly weather at three airports."""

from __future__ import annotations

from scipy import stats

from bench.instructions.asked import Asked

QUESTIONS = [
    Asked(
        "Calculate the average wind speed at JFK in July. Exclude missing readings. Round to one "
        "decimal place. @avg_wind_speed[value]",
        lambda d: {
            "avg_wind_speed": round(d[(d.origin == "JFK") & (d.month == 7)].wind_speed.mean(), 1)
        },
    ),
    Asked(
        "Which columns have missing values, and how many does each have? Which column has the "
        "highest number of missing values? @column[name] @missing[count]",
        lambda d: (lambda m: {"column": str(m.idxmax()), "missing": int(m.max())})(d.isna().sum()),
    ),
    Asked(
        "Compute the Pearson correlation between temp and dewp separately for each origin. Drop "
        "rows where either is missing. Report the coefficients rounded to two decimals. "
        "@corr_EWR[a] @corr_JFK[b] @corr_LGA[c]",
        lambda d: {f"corr_{o}": round(g.temp.corr(g.dewp), 2) for o, g in d.groupby("origin")},
    ),
    Asked(
        "Perform a Kruskal-Wallis test to compare humid between the three origins. Use alpha = "
        "0.01. @H[statistic rounded to 2 decimals] @significant[yes/no]",
        lambda d: (
            lambda r: {
                "H": round(r.statistic, 2),
                "significant": "yes" if r.pvalue < 0.01 else "no",
            }
        )(stats.kruskal(*(g.humid.dropna() for _, g in d.groupby("origin")))),
    ),
    Asked(
        "Normalise temp with min-max scaling to the range from 0 to 1. What are the mean and the "
        "median of the scaled temperature? Round to 4 decimals. @mean_scaled[m] @median_scaled[k]",
        lambda d: (
            lambda s: {"mean_scaled": round(s.mean(), 4), "median_scaled": round(s.median(), 4)}
        )((d.temp - d.temp.min()) / (d.temp.max() - d.temp.min())),
    ),
    Asked(
        "Calculate the range and the coefficient of variation (standard deviation divided by the "
        "mean) of visib. Give the coefficient as a number with three decimals. @range[r] @cv[c]",
        lambda d: {
            "range": float(d.visib.max() - d.visib.min()),
            "cv": round(d.visib.std() / d.visib.mean(), 3),
        },
    ),
    Asked(
        "What is the difference between the mean humidity in January and the mean humidity in "
        "June? Subtract June from January. @difference[value] with two decimals.",
        lambda d: {
            "difference": round(d[d.month == 1].humid.mean() - d[d.month == 6].humid.mean(), 2)
        },
    ),
]
