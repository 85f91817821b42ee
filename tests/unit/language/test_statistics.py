"""Questions for statistics about one table, asked in several ways, against scipy and pandas."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.unit.language.statistics_help import Answer, Sheet
from tests.unit.language.statistics_people import (
    FAMILY,
    FEMALE,
    KNOWN,
    MALE,
    PEARSON,
    PEOPLE,
    PORTS,
    REACH,
    SIZE,
    TABLE,
    TWO,
    USUAL,
    WELCH,
    ship,
)


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Sheet:
    return ship(tmp_path_factory.mktemp("statistics"))


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Calculate the mean of Fare for rows where Age > 30", PEOPLE[PEOPLE.Age > 30].Fare.mean()),
        (
            "What is the mean fare of passengers in Pclass 3?",
            PEOPLE[PEOPLE.Pclass == 3].Fare.mean(),
        ),
        ("Find the median of the 'Fare' column", PEOPLE.Fare.median()),
        ("Calculate the standard deviation of Fare", PEOPLE.Fare.std()),
        ("How many passengers have a missing Age?", PEOPLE.Age.isna().sum()),
        ("Create a new column FamilySize = SibSp + Parch + 1 and compute its mean", FAMILY.mean()),
        (
            "Create a feature called 'FamilySize' by summing the 'SibSp' and 'Parch' columns. "
            "What is the mean FamilySize where Survived = 1?",
            (FAMILY - 1)[PEOPLE.Survived == 1].mean(),
        ),
        (
            "Add a column FarePerPerson = Fare / (SibSp + Parch + 1). What is its median?",
            (PEOPLE.Fare / FAMILY).median(),
        ),
        (
            "Apply a log transformation to the Fare column and calculate the mean",
            np.log(PEOPLE.Fare).mean(),
        ),
        (
            "Fill missing values in Age with the median and compute the mean age",
            PEOPLE.Age.fillna(PEOPLE.Age.median()).mean(),
        ),
        (
            "Create a new column IsAlone that is 1 if SibSp + Parch equals 0 and 0 otherwise. "
            "What is the mean of IsAlone?",
            (FAMILY == 1).mean(),
        ),
        (
            "After removing outliers from Fare using the IQR method, what is the mean fare?",
            USUAL.Fare.mean(),
        ),
        ("Drop rows with missing values and calculate the mean fare", KNOWN.Fare.mean()),
    ],
)
async def test_one_number_is_the_one_that_pandas_gives(
    sheet: Sheet, question: str, wanted: float
) -> None:
    assert (await sheet.ask(question)).only == pytest.approx(wanted)


async def test_what_a_verb_tells_of_the_whole_is_the_part(sheet: Sheet) -> None:
    [row] = (await sheet.ask("What percentage of female passengers survived?")).rows
    share, part, whole = row.values()
    assert share == pytest.approx(FEMALE.Survived.mean())
    assert (part, whole) == (FEMALE.Survived.sum(), len(FEMALE))


@pytest.mark.parametrize(
    "question",
    [
        "Bin age into <18, 18-60, >60 and compare the mean fare",
        "What is the mean fare for each age group (<18, 18-60, >60)?",
        "Categorize the passengers into age groups: 'Child' (<18), 'Adult' (18-60), "
        "'Elderly' (>60), and calculate the mean fare for each group.",
    ],
)
async def test_ranges_are_those_that_the_question_states(sheet: Sheet, question: str) -> None:
    cut = pd.cut(PEOPLE.Age, [0, 17.999, 60, 200], labels=["young", "middle", "old"])
    wanted = PEOPLE.Fare.groupby(cut, observed=True).mean()
    found = (await sheet.ask(question)).by()
    names = ["Child", "Adult", "Elderly"] if "Child" in question else ["<18", "18-60", ">60"]
    assert [found[name] for name in names] == pytest.approx(wanted.tolist())
    assert found[None] == pytest.approx(PEOPLE.Fare[PEOPLE.Age.isna()].mean())


Take = Callable[[Answer], float]


def _number(statistic: str, about: str = "") -> Take:
    return lambda answer: answer.number(statistic, about)


@pytest.mark.parametrize(
    ("question", "take", "wanted"),
    [
        ("What is the skewness of Fare?", _number("skewness"), PEOPLE.Fare.skew()),
        ("standard deviation of Fare with ddof = 0", _number("standard deviation"),
         PEOPLE.Fare.std(ddof=0)),
        ("What is the variance of Fare for Sex female?", _number("variance"), FEMALE.Fare.var()),
        ("What is the interquartile range of Fare?", _number("interquartile range"), REACH / 1.5),
        ("Calculate the kurtosis of Fare for each Sex", _number("kurtosis", "fare (male)"),
         MALE.Fare.kurt()),
        ("Is there a significant correlation between Age and Fare at alpha 0.01?",
         _number("p-value"), PEARSON.pvalue),
        ("Calculate the Pearson correlation coefficient (r) between 'Age' and 'Fare'.",
         _number("correlation"), PEARSON.statistic),
        ("Calculate the correlation matrix of SibSp, Parch and Fare",
         _number("correlation", "sib sp and fare"), PEOPLE.SibSp.corr(PEOPLE.Fare)),
        ("Which variable has the strongest correlation with Fare?",
         _number("correlation", "fare and age"), PEARSON.statistic),
        ("Is there a significant difference in Fare between female and male?",
         _number("t"), WELCH.statistic),
        ("Use a t-test on Fare by Sex", _number("p-value"), WELCH.pvalue),
        ("Is there a significant difference in Fare between Cork and Hull?",
         _number("p-value"), TWO.pvalue),
        ("Perform a one-way ANOVA of Fare by Port", _number("F"), PORTS.statistic),
        ("Use chi-square to test whether Sex and Pclass are independent",
         _number("chi-square"), TABLE.statistic),
        ("Is Fare normally distributed?", _number("statistic"), stats.shapiro(PEOPLE.Fare)[0]),
        ("Is the mean fare different from 20? Use a one-sample t-test.", _number("t"),
         stats.ttest_1samp(PEOPLE.Fare, 20).statistic),
        ("Fit a linear regression predicting Fare from SibSp", _number("R squared"),
         PEOPLE.Fare.corr(PEOPLE.SibSp) ** 2),
        ("How many outliers are there in Fare by the IQR rule?", _number("outliers"),
         SIZE - len(USUAL)),
        ("How many missing Age values are there?", _number("missing"), PEOPLE.Age.isna().sum()),
        ("Compute FamilySize = SibSp + Parch + 1. Is there a significant difference in FamilySize "
         "between male and female?", _number("difference of means"),
         FAMILY[FEMALE.index].mean() - FAMILY[MALE.index].mean()),
        ("Apply a log transformation to Fare and calculate its correlation with SibSp",
         _number("correlation"), np.log(PEOPLE.Fare).corr(PEOPLE.SibSp)),
    ],
)  # fmt: skip
async def test_a_test_gives_what_scipy_gives(
    sheet: Sheet, question: str, take: Take, wanted: float
) -> None:
    assert take(await sheet.ask(question)) == pytest.approx(wanted, rel=1e-9)


async def test_every_statistic_that_is_listed_is_given(sheet: Sheet) -> None:
    answer = await sheet.ask("What are the mean, median, and standard deviation of 'Fare'?")
    [row] = answer.rows
    wanted = [PEOPLE.Fare.mean(), PEOPLE.Fare.median(), PEOPLE.Fare.std()]
    assert list(row.values()) == pytest.approx(wanted)
    assert "deviations are those of a sample, divided by n - 1" in answer.assumptions


async def test_the_level_of_significance_decides_the_conclusion(sheet: Sheet) -> None:
    level = float(WELCH.pvalue)
    assert 0.001 < level < 0.4
    for alpha, clear in ((level * 1.1, True), (level * 0.9, False)):
        answer = await sheet.ask(
            f"Is there a significant difference in Fare between female and male at alpha {alpha}"
        )
        assert ("does not clearly differ" in answer.text("conclusion")) is not clear


async def test_a_table_beyond_the_row_limit_is_sampled_and_its_gaps_are_counted(
    sheet: Sheet,
) -> None:
    answer = await sheet.ask("correlation coefficient between SibSp and Fare", row_limit=200)
    assert 150 < answer.number("rows used") <= 200
    assert answer.number("rows in all") == SIZE
    assert any("sample of" in note for note in answer.notes)
    again = await sheet.ask("correlation coefficient between SibSp and Fare", row_limit=200)
    assert again.rows == answer.rows
    gaps = await sheet.ask("How many missing values are in each column?", row_limit=200)
    assert gaps.number("missing", "age") == PEOPLE.Age.isna().sum()
    assert "age misses the most values" in gaps.text("conclusion")


async def test_a_year_narrows_the_rows_that_are_tested(tmp_path: Path) -> None:
    years: dict[str, Any] = {
        "year": [2006] * 5 + [2007] * 5,
        "wealth": [1, 2, 3, 4, 5, 1, 2, 3, 4, 6],
        "life": [5, 4, 3, 2, 1, 1, 2, 3, 4, 7],
    }
    pd.DataFrame(years).to_csv(tmp_path / "world.csv", index=False)
    answer = await Sheet(tmp_path / "world.csv", tmp_path).ask(
        "What is the Pearson correlation between wealth and life in 2007?"
    )
    assert answer.number("rows used") == 5
    assert answer.number("correlation") > 0.9
