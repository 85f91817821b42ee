"""Penguins of three species."""

from __future__ import annotations

import numpy as np
from scipy import stats

from bench.instructions.asked import Asked

QUESTIONS = [
    Asked(
        "Is there a correlation between flipper_length_mm and body_mass_g? Use Pearson's r; "
        "consider it significant if p < 0.05. Report r rounded to two decimals and whether the "
        "relationship is significant. @r[r_value] @relationship[significant/not significant]",
        lambda d: (
            lambda r: {
                "r": round(r.statistic, 2),
                "relationship": "significant" if r.pvalue < 0.05 else "not significant",
            }
        )(
            (lambda k: stats.pearsonr(k.flipper_length_mm, k.body_mass_g))(
                d.dropna(subset=["flipper_length_mm", "body_mass_g"])
            )
        ),
    ),
    Asked(
        "Perform a one-way ANOVA of bill_length_mm across the three species. Exclude rows with "
        "missing bill lengths. What are the F statistic (rounded to 2 decimals) and is the null "
        "hypothesis rejected at alpha = 0.05? @f_statistic[F] @reject_null[True/False]",
        lambda d: (
            lambda r: {"f_statistic": round(r.statistic, 2), "reject_null": bool(r.pvalue < 0.05)}
        )(stats.f_oneway(*(g.bill_length_mm.dropna() for _, g in d.groupby("species")))),
    ),
    Asked(
        "What are the skewness and the excess kurtosis of body mass? Leave out missing values. "
        "Round both to three decimals. @skewness[s] @kurtosis[k]",
        lambda d: {
            "skewness": round(d.body_mass_g.skew(), 3),
            "kurtosis": round(d.body_mass_g.kurt(), 3),
        },
    ),
    Asked(
        "How many outliers are there in body_mass_g for Chinstrap penguins? Use the IQR method "
        "with a factor of 1.5. @outlier_count[n] where n is an integer.",
        lambda d: (
            lambda m: (
                lambda q1, q3: {
                    "outlier_count": int(
                        ((m < q1 - 1.5 * (q3 - q1)) | (m > q3 + 1.5 * (q3 - q1))).sum()
                    )
                }
            )(m.quantile(0.25), m.quantile(0.75))
        )(d[d.species == "Chinstrap"].body_mass_g.dropna()),
    ),
    Asked(
        "Add a column bill_ratio, the bill length divided by the bill depth. Which species has "
        "the highest mean bill_ratio, and how large is that mean? Round the mean to two decimals. "
        "@species[name] @mean_ratio[value]",
        lambda d: (lambda m: {"species": str(m.idxmax()), "mean_ratio": round(m.max(), 2)})(
            (d.bill_length_mm / d.bill_depth_mm).groupby(d.species).mean()
        ),
    ),
    Asked(
        "Standardise body_mass_g with z-scores (sample standard deviation). How many penguins "
        "have a z-score above 2? @count[n]",
        lambda d: {
            "count": int((((d.body_mass_g - d.body_mass_g.mean()) / d.body_mass_g.std()) > 2).sum())
        },
    ),
    Asked(
        "Compare the body mass of Adelie and Gentoo penguins with a Mann-Whitney U test. Ignore "
        "missing values. Report the U statistic and the p-value in a sentence.",
        lambda d: (lambda r: {"U": float(r.statistic)})(
            stats.mannwhitneyu(
                d[d.species == "Adelie"].body_mass_g.dropna(),
                d[d.species == "Gentoo"].body_mass_g.dropna(),
            )
        ),
        named=False,
    ),
    Asked(
        "Drop all rows with any missing value. For the male penguins that are left, compute the "
        "median flipper length and the interquartile range of the bill depth. Give one decimal. "
        "@median_flipper[m] @iqr_depth[i]",
        lambda d: (
            lambda k: {
                "median_flipper": round(float(np.median(k.flipper_length_mm)), 1),
                "iqr_depth": round(
                    k.bill_depth_mm.quantile(0.75) - k.bill_depth_mm.quantile(0.25), 1
                ),
            }
        )(d.dropna()[lambda k: k.sex == "male"]),
    ),
]
