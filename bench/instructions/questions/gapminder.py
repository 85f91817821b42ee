"""Countries over half a century."""

from __future__ import annotations

import numpy as np
from scipy import stats

from bench.instructions.asked import Asked

QUESTIONS = [
    Asked(
        "Using only the data of 2007, calculate the Pearson correlation between gdpPercap and "
        "lifeExp. If the p-value is smaller than 0.05, consider the correlation significant. "
        "@correlation[r] @significant[yes/no]. Round r to two decimals.",
        lambda d: (
            lambda r: {
                "correlation": round(r.statistic, 2),
                "significant": "yes" if r.pvalue < 0.05 else "no",
            }
        )((lambda k: stats.pearsonr(k.gdpPercap, k.lifeExp))(d[d.year == 2007])),
    ),
    Asked(
        "Compute total GDP as pop multiplied by gdpPercap. What is the mean total GDP of African "
        "countries in 1997? Give it as a whole number. @mean_gdp[value]",
        lambda d: (lambda k: {"mean_gdp": round((k["pop"] * k.gdpPercap).mean())})(
            d[(d.continent == "Africa") & (d.year == 1997)]
        ),
    ),
    Asked(
        "Compare life expectancy in Europe and in the Americas in 2002 by an independent-samples "
        "t-test without assuming equal variances. What is the p-value, and do the means differ at "
        "the 5% level? @p_value[p, 4 decimals] @differ[True/False]",
        lambda d: (lambda r: {"p_value": round(r.pvalue, 4), "differ": bool(r.pvalue < 0.05)})(
            (
                lambda k: stats.ttest_ind(
                    k[k.continent == "Europe"].lifeExp,
                    k[k.continent == "Americas"].lifeExp,
                    equal_var=False,
                )
            )(d[d.year == 2002])
        ),
    ),
    Asked(
        "Take the natural log of gdpPercap and fit a simple linear regression of lifeExp on it "
        "for the year 2007. Report the slope, the intercept and R-squared, each rounded to three "
        "decimals. @slope[a] @intercept[b] @r_squared[c]",
        lambda d: (
            lambda k: (
                lambda r: {
                    "slope": round(r.slope, 3),
                    "intercept": round(r.intercept, 3),
                    "r_squared": round(r.rvalue**2, 3),
                }
            )(stats.linregress(np.log(k.gdpPercap), k.lifeExp))
        )(d[d.year == 2007]),
    ),
    Asked(
        "For 1952, find the outliers of pop with the IQR rule (1.5 times the interquartile range). "
        "How many countries are outliers? @n_outliers[count]",
        lambda d: (
            lambda p: (
                lambda q1, q3: {
                    "n_outliers": int(
                        ((p < q1 - 1.5 * (q3 - q1)) | (p > q3 + 1.5 * (q3 - q1))).sum()
                    )
                }
            )(p.quantile(0.25), p.quantile(0.75))
        )(d[d.year == 1952]["pop"]),
    ),
    Asked(
        "Which continent has the largest standard deviation of life expectancy in 1977? Use the "
        "sample standard deviation. @continent[name] @std[value rounded to 2 decimals]",
        lambda d: (lambda s: {"continent": str(s.idxmax()), "std": round(s.max(), 2)})(
            d[d.year == 1977].groupby("continent").lifeExp.std()
        ),
    ),
    Asked(
        "Forecast the life expectancy of Norway for 2030 with an ARIMA model. @forecast[value]",
        lambda d: {},
    ),
    Asked(
        "Run a one-way ANOVA on lifeExp between the continents for the year 1982. Report F with "
        "two decimals and tell if the means differ significantly (p below 0.01).",
        lambda d: (
            lambda k: {
                "F": round(
                    stats.f_oneway(*(g.lifeExp for _, g in k.groupby("continent"))).statistic, 2
                )
            }
        )(d[d.year == 1982]),
        named=False,
    ),
]
