"""Passengers of a ship."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from bench.instructions.asked import Asked

QUESTIONS = [
    Asked(
        "Calculate the mean age of the passengers who survived. Use only rows where Fare > 0. "
        "Round to two decimals. Format: @mean_age[value]",
        lambda d: {"mean_age": round(d[(d.Survived == 1) & (d.Fare > 0)].Age.mean(), 2)},
    ),
    Asked(
        "Create a new feature called FamilySize as SibSp + Parch + 1. Then calculate the Pearson "
        "correlation coefficient between FamilySize and Fare. Do not perform any further cleaning. "
        '@correlation_coefficient[r_value] where "r_value" is rounded to three decimal places.',
        lambda d: {
            "correlation_coefficient": round(stats.pearsonr(d.SibSp + d.Parch + 1, d.Fare)[0], 3)
        },
    ),
    Asked(
        "Check if there is a significant difference in age between male and female passengers. "
        "Use an independent two-sample t-test and ignore rows with missing ages. The significance "
        'level (alpha) is 0.05. @is_significantly_different[answer], where "answer" is a boolean '
        "(True or False). @p_value[p] rounded to four decimal places.",
        lambda d: (
            lambda p: {"is_significantly_different": bool(p < 0.05), "p_value": round(p, 4)}
        )(
            stats.ttest_ind(
                d[d.Sex == "male"].Age.dropna(), d[d.Sex == "female"].Age.dropna(), equal_var=False
            ).pvalue
        ),
    ),
    Asked(
        "Fill the missing values of the Age column with its median. After that, what are the mean "
        "and the standard deviation of Age? Report both rounded to 2 decimal places as "
        "@age_mean[x] and @age_std[y].",
        lambda d: (lambda a: {"age_mean": round(a.mean(), 2), "age_std": round(a.std(), 2)})(
            d.Age.fillna(d.Age.median())
        ),
    ),
    Asked(
        "Group the passengers into age groups: Child (0-12), Teenager (13-19), Adult (20-59) and "
        "Elderly (60 and above). Ignore passengers without an age. Compute the mean fare of each "
        "group, rounded to 2 decimals. @mean_fare_child[a] @mean_fare_teenager[b] "
        "@mean_fare_adult[c] @mean_fare_elderly[d]",
        lambda d: {
            "mean_fare_child": round(d[(d.Age >= 0) & (d.Age < 13)].Fare.mean(), 2),
            "mean_fare_teenager": round(d[(d.Age >= 13) & (d.Age < 20)].Fare.mean(), 2),
            "mean_fare_adult": round(d[(d.Age >= 20) & (d.Age < 60)].Fare.mean(), 2),
            "mean_fare_elderly": round(d[d.Age >= 60].Fare.mean(), 2),
        },
    ),
    Asked(
        "Perform a Shapiro-Wilk test on the log-transformed Fare after leaving out the passengers "
        "who paid nothing and removing outliers of Fare by the 1.5 IQR rule. Give W and the "
        "p-value to four decimals: @w[..] @p[..]",
        lambda d: (
            lambda f: (
                lambda q1, q3: (lambda s: {"w": round(s.statistic, 4), "p": round(s.pvalue, 4)})(
                    stats.shapiro(
                        np.log(f[(f >= q1 - 1.5 * (q3 - q1)) & (f <= q3 + 1.5 * (q3 - q1))])
                    )
                )
            )(f.quantile(0.25), f.quantile(0.75))
        )(d[d.Fare > 0].Fare),
    ),
    Asked(
        "Which three columns have the most missing values? List them in descending order together "
        "with the number of missing values.",
        lambda d: {
            "order": list(d.isna().sum().sort_values(ascending=False).index[:3]),
            "first": int(d.Cabin.isna().sum()),
            "second": int(d.Age.isna().sum()),
            "third": int(d.Embarked.isna().sum()),
        },
        named=False,
    ),
    Asked(
        "Train a random forest classifier to predict Survived from Pclass, Sex and Age with 100 "
        "trees. Report the accuracy on a 20% test set. @accuracy[value]",
        lambda d: {},
    ),
    Asked(
        "Is the survival of passengers associated with their class? Perform a chi-square test of "
        "independence between Survived and Pclass. Report the chi-square statistic (2 decimals), "
        "the degrees of freedom and whether the association is significant at the 0.01 level "
        "('yes' or 'no'). @chi2[stat] @dof[df] @significant[answer]",
        lambda d: (
            lambda r: {
                "chi2": round(r.statistic, 2),
                "dof": int(r.dof),
                "significant": "yes" if r.pvalue < 0.01 else "no",
            }
        )(stats.chi2_contingency(pd.crosstab(d.Survived, d.Pclass), correction=False)),
    ),
]
