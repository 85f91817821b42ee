"""Ordinary questions that name no test: which one answers them follows from the columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats

from tests.unit.language.statistics_help import Answer, Sheet
from tests.unit.language.statistics_people import (
    FEMALE,
    KNOWN,
    MALE,
    PEARSON,
    PEOPLE,
    PORTS,
    QUARTILES,
    SIZE,
    TABLE,
    WELCH,
    ship,
)

Take = Callable[[Answer], float]


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Sheet:
    return ship(tmp_path_factory.mktemp("statistics"))


def _number(statistic: str, about: str = "") -> Take:
    return lambda answer: answer.number(statistic, about)


_ALONE = stats.chi2_contingency(pd.crosstab(PEOPLE.Sex, PEOPLE.Survived), correction=False)
_FIRST, _THIRD = (PEOPLE.Fare[PEOPLE.Pclass == c] for c in (1, 3))
_CLASSES = stats.ttest_ind(_FIRST, _THIRD, equal_var=False)
_HELD = smf.ols("Fare ~ SibSp + Parch", PEOPLE).fit()
_INTERVAL = stats.t.interval(0.95, SIZE - 1, PEOPLE.Fare.mean(), stats.sem(PEOPLE.Fare))


@pytest.mark.parametrize(
    ("question", "take", "wanted", "charts"),
    [
        (
            "correlation between Age and Fare",
            _number("correlation"),
            PEARSON.statistic,
            ["scatter"],
        ),
        (
            "Is there a relationship between Age and Fare?",
            _number("p-value"),
            PEARSON.pvalue,
            ["scatter"],
        ),
        (
            "How closely is Age related to Fare?",
            _number("correlation low"),
            PEARSON.confidence_interval().low,
            ["scatter"],
        ),
        (
            "rank correlation of Age and Fare by Sex",
            _number("correlation", "female"),
            FEMALE[["Age", "Fare"]].corr("spearman").iloc[0, 1],
            ["scatter"],
        ),
        ("Does Fare depend on Port?", _number("F"), PORTS.statistic, ["box"]),
        ("does the average fare differ between ports", _number("p-value"), PORTS.pvalue, ["box"]),
        ("How does Sex affect Fare?", _number("t"), WELCH.statistic, ["box"]),
        (
            "Is Fare significantly higher for male than for female?",
            _number("degrees of freedom"),
            WELCH.df,
            ["box"],
        ),
        (
            "is there a difference in Fare between Pclass 1 and 3",
            _number("t"),
            _CLASSES.statistic,
            ["box"],
        ),
        ("Is Survived related to Sex?", _number("chi-square"), _ALONE.statistic, []),
        ("Are Sex and Pclass independent?", _number("p-value"), TABLE.pvalue, []),
        (
            "Is the mean fare different from 20?",
            _number("p-value"),
            stats.ttest_1samp(PEOPLE.Fare, 20).pvalue,
            [],
        ),
        (
            "effect of SibSp on Fare controlling for Parch",
            _number("coefficient", "sib sp"),
            _HELD.params["SibSp"],
            [],
        ),
        (
            "Predict Fare from Age",
            _number("coefficient", "age"),
            stats.linregress(KNOWN.Age, KNOWN.Fare).slope,
            ["scatter"],
        ),
        (
            "does Fare predict Survived",
            _number("coefficient", "fare"),
            smf.logit("Survived ~ Fare", PEOPLE).fit(disp=0).params["Fare"],
            [],
        ),
        ("95% confidence interval of the mean fare", _number("mean low"), _INTERVAL[0], []),
        (
            "outliers in Fare by Sex",
            _number("outliers", "male"),
            (MALE.Fare > np.quantile(MALE.Fare, [0.25, 0.75]) @ [-1.5, 2.5]).sum(),
            ["box"],
        ),
        (
            "outliers of Fare in 2 standard deviations",
            _number("outliers"),
            (abs(stats.zscore(PEOPLE.Fare, ddof=1)) > 2).sum(),
            [],
        ),
        ("summary statistics", _number("upper quartile", "fare"), QUARTILES[0.75], []),
        (
            "describe Fare by Port",
            _number("standard deviation", "fare (Hull)"),
            PEOPLE.Fare[PEOPLE.Port == "Hull"].std(),
            [],
        ),
        (
            "how many rows have missing values",
            _number("rows with a missing value"),
            PEOPLE.Age.isna().sum(),
            [],
        ),
        (
            "which columns correlate most with Fare",
            _number("correlation", "fare and age"),
            PEARSON.statistic,
            [],
        ),
    ],
)
async def test_an_ordinary_question_gets_the_test_that_fits_its_columns(
    sheet: Sheet, question: str, take: Take, wanted: float, charts: list[str]
) -> None:
    answer = await sheet.ask(question)
    assert take(answer) == pytest.approx(wanted, rel=1e-6)
    assert answer.charts == charts
    assert answer.plan.answer_task == "test"


async def test_a_chart_that_is_asked_for_is_the_answer(sheet: Sheet) -> None:
    answer = await sheet.ask("show the relationship between Age and Fare in a scatter chart")
    assert (answer.plan.answer_task, answer.charts) == ("load", ["scatter"])
    assert sorted(answer.rows[0]) == ["age", "fare"]


async def test_numbers_of_groups_are_compared_without_a_test(sheet: Sheet) -> None:
    answer = await sheet.ask("does the number of passengers differ between ports")
    assert answer.by() == PEOPLE.Port.value_counts().to_dict()


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("correlation coefficient between Sex and Port", "needs two columns of numbers (Sex, Port"),
        ("normality of Port", "Port holds none"),
        ("does Fare differ between cabins", 'Nothing in the data is called "cabins"'),
        ("effect of Fare on Port", "Port holds text"),
    ],
)
async def test_what_cannot_be_tested_is_refused_in_words(
    sheet: Sheet, question: str, why: str
) -> None:
    assert why in await sheet.refused(question)
