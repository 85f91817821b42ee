"""Airlines and their accidents in two spans of fifteen years."""

from __future__ import annotations

from scipy import stats

from bench.instructions.asked import Asked

QUESTIONS = [
    Asked(
        "Create a column total_fatalities by adding fatalities_85_99 and fatalities_00_14. Which "
        "airline has the most, and how many? @airline[name] @total[number]",
        lambda d: (lambda t: {"airline": str(d.airline[t.idxmax()]), "total": int(t.max())})(
            d.fatalities_85_99 + d.fatalities_00_14
        ),
    ),
    Asked(
        "Use a paired t-test to compare incidents_85_99 with incidents_00_14. Report the t "
        "statistic and the p-value, both rounded to three decimals. @t[t] @p[p]",
        lambda d: (lambda r: {"t": round(r.statistic, 3), "p": round(r.pvalue, 3)})(
            stats.ttest_rel(d.incidents_85_99, d.incidents_00_14)
        ),
    ),
    Asked(
        "Remove the airlines whose avail_seat_km_per_week is an outlier by the 1.5 × IQR rule. "
        "How many airlines remain, and what is their mean number of incidents in 1985-99 "
        "(incidents_85_99)? Round the mean to two decimals. @remaining[n] @mean_incidents[m]",
        lambda d: (
            lambda q1, q3: (
                lambda k: {
                    "remaining": len(k),
                    "mean_incidents": round(k.incidents_85_99.mean(), 2),
                }
            )(d[d.avail_seat_km_per_week.between(q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1))])
        )(d.avail_seat_km_per_week.quantile(0.25), d.avail_seat_km_per_week.quantile(0.75)),
    ),
    Asked(
        "How many airlines had no fatal accidents from 2000 to 2014? And what share of all "
        "airlines is that? Answer with @count[n] and @percentage[p], the percentage rounded to "
        "one decimal place.",
        lambda d: {
            "count": int((d.fatal_accidents_00_14 == 0).sum()),
            "percentage": round(100 * (d.fatal_accidents_00_14 == 0).mean(), 1),
        },
    ),
    Asked(
        "Calculate Kendall's tau between incidents_85_99 and incidents_00_14. If the p-value is "
        "less than 0.05, answer 'related', else 'not related'. @tau[3 decimals] @answer[text]",
        lambda d: (
            lambda r: {
                "tau": round(r.statistic, 3),
                "answer": "related" if r.pvalue < 0.05 else "not related",
            }
        )(stats.kendalltau(d.incidents_85_99, d.incidents_00_14)),
    ),
    Asked(
        "Compute the population standard deviation (ddof = 0) and the sample standard deviation of "
        "fatalities_00_14. Two decimals. @population_sd[a] @sample_sd[b]",
        lambda d: {
            "population_sd": round(d.fatalities_00_14.std(ddof=0), 2),
            "sample_sd": round(d.fatalities_00_14.std(), 2),
        },
    ),
]
