"""Statistics as people set them as tasks: with methods by name, steps before, and instructions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from tests.unit.language.statistics_help import Sheet
from tests.unit.language.statistics_people import FAMILY, PEOPLE, ship

AGED = PEOPLE.dropna(subset=["Age"])


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Sheet:
    return ship(tmp_path_factory.mktemp("asked"))


def _held_out(seed: int | None, share: float) -> dict[str, float]:
    """What a regression of Fare on SibSp and Parch gives for rows that it has not seen."""
    size = len(PEOPLE)
    count = int(np.ceil(share * size))
    places = np.arange(size) if seed is None else np.random.RandomState(seed).permutation(size)
    test, train = (places[-count:], places[:-count]) if seed is None else np.split(places, [count])
    x = sm.add_constant(PEOPLE[["SibSp", "Parch"]])
    fit: Any = sm.OLS(PEOPLE.Fare.iloc[train], x.iloc[train]).fit()
    actual = PEOPLE.Fare.iloc[test]
    errors = actual - fit.predict(x.iloc[test])
    return {
        "mean squared error": float((errors**2).mean()),
        "root mean squared error": float(np.sqrt((errors**2).mean())),
        "mean absolute error": float(errors.abs().mean()),
        "R squared": 1 - float((errors**2).sum() / ((actual - actual.mean()) ** 2).sum()),
    }


@pytest.mark.parametrize(
    ("how", "seed", "share"),
    [
        ("Split the data 80% train and 20% test with random_state=42", 42, 0.2),
        (
            "Split the dataset into training and testing sets in a 70:30 ratio, random seed 7",
            7,
            0.3,
        ),
        ("Use a train/test split with test_size=0.25 and random_state 3", 3, 0.25),
        ("Use the first 80% of the rows for training and the rest for testing", None, 0.2),
    ],
)
async def test_a_model_is_tested_on_the_rows_held_out(
    sheet: Sheet, how: str, seed: int | None, share: float
) -> None:
    answer = await sheet.ask(
        f"Train a linear regression model to predict Fare from SibSp and Parch. {how} and report "
        "the RMSE and R squared on the test set. Round to two decimals."
    )
    for statistic, wanted in _held_out(seed, share).items():
        assert answer.number(statistic) == pytest.approx(wanted, rel=1e-9)


async def test_a_seed_that_is_not_told_is_said_to_be_taken(sheet: Sheet) -> None:
    answer = await sheet.ask("Train a linear regression of Fare on SibSp, split 80/20, give RMSE")
    assert any("seed 42, as none is told" in text for text in answer.assumptions)


@pytest.mark.parametrize(
    "question",
    [
        "Train a logistic regression to predict Survived from Fare, split 80/20. Accuracy?",
        "Train a linear regression of Fare on SibSp with a train-test split and give the RMSE",
        "Train a random forest to predict Fare and report its error",
        "Cluster the rows by k-means on Age and Fare. What are the centroids?",
        "Perform a two-way ANOVA of Fare by Sex and Port",
        "What is the partial correlation of Age and Fare?",
        "Interpolate the missing values in Age linearly and report the mean",
        "How many missing values has Age, and what is the mean after filling them?",
        "What is the skewness of Fare before and after a log transformation?",
        "What is the mean of the daily returns of Fare?",
    ],
)
async def test_a_method_that_is_not_offered_has_no_other_in_its_place(
    sheet: Sheet, question: str
) -> None:
    assert await sheet.refused(question)


LOGS, SHIFTED = np.log(PEOPLE.Fare), np.log1p(PEOPLE.Fare)
SCALED = (PEOPLE.Age - PEOPLE.Age.min()) / (PEOPLE.Age.max() - PEOPLE.Age.min())
FARES = (PEOPLE.Fare - PEOPLE.Fare.mean()) / PEOPLE.Fare.std()
HIGH = FARES > 1


@pytest.mark.parametrize(
    ("question", "statistic", "wanted"),
    [
        ("Does Fare follow a normal distribution by the D'Agostino and Pearson test?", "statistic",
         stats.normaltest(PEOPLE.Fare)[0]),
        ("Use the Kolmogorov-Smirnov test to check whether Fare is normally distributed",
         "statistic", stats.kstest(FARES, "norm")[0]),
        ("Is 'Fare' normally distributed? If p < 0.05 report 'not normal'.", "statistic",
         stats.shapiro(PEOPLE.Fare)[0]),
        ("Use Levene's test for equality of variances of Fare between female and male", "p-value",
         stats.levene(*(rows.Fare for _, rows in PEOPLE.groupby("Sex")))[1]),
        ("What is the covariance between SibSp and Fare?", "covariance",
         PEOPLE.SibSp.cov(PEOPLE.Fare)),
        ("Compute Cramer's V between Sex and Survived", "corrected chi-square",
         stats.chi2_contingency(pd.crosstab(PEOPLE.Sex, PEOPLE.Survived))[0]),
        ("Log-transform Fare and calculate the Pearson correlation between it and SibSp",
         "correlation", LOGS.corr(PEOPLE.SibSp)),
        ("Apply the natural logarithm to Fare and fit a linear regression on SibSp", "R squared",
         LOGS.corr(PEOPLE.SibSp) ** 2),
        ("Is there a significant difference in Fare between female and male? "
         "Apply a log transformation to Fare first.", "t",
         stats.ttest_ind(*(np.log(rows.Fare) for _, rows in PEOPLE.groupby("Sex")),
                         equal_var=False)[0]),
        ("Create a new feature 'FamilySize' which represents the total number of family members "
         "(SibSp and Parch) for each passenger. What is its Pearson correlation with Fare?",
         "correlation", FAMILY.corr(PEOPLE.Fare)),
    ],
)  # fmt: skip
async def test_a_test_is_the_one_that_is_named(
    sheet: Sheet, question: str, statistic: str, wanted: float
) -> None:
    assert (await sheet.ask(question)).number(statistic) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Calculate the mean of Fare using pandas, rounding off to two decimal places.",
         PEOPLE.Fare.mean()),
        ("Calculate the mean of Fare. Ignore missing values. Round to two decimals.",
         PEOPLE.Fare.mean()),
        ("Apply the log(x+1) transformation to Fare and calculate the mean of the transformed "
         "column", SHIFTED.mean()),
        ("Scale the 'Age' column with min-max normalization and report the mean of the scaled ages",
         SCALED.mean()),
        ("Normalize Fare with the z-score and report how many values exceed 1", HIGH.sum()),
        ("Impute the missing values in Age with the mean and calculate the standard deviation of "
         "the imputed Age column", PEOPLE.Age.fillna(PEOPLE.Age.mean()).std()),
        ("Compute the fare per head as Fare / (SibSp + Parch + 1) and report its median",
         (PEOPLE.Fare / FAMILY).median()),
    ],
)  # fmt: skip
async def test_a_column_is_changed_as_it_is_said(
    sheet: Sheet, question: str, wanted: float
) -> None:
    assert (await sheet.ask(question)).only == pytest.approx(wanted)


@pytest.mark.parametrize(
    "question",
    [
        "Group ages in bins 0-18, 19-60, over 60 and count the passengers in each group",
        "Create an 'AgeGroup' column: 'Child' (0-18), 'Adult' (19-60), 'Elderly' (over 60). "
        "How many passengers are in each AgeGroup?",
        "Categorize Age into 'Child' (0-18), 'Adult' (19-60), 'Elderly' (over 60). "
        "Count the passengers of each Age category.",
    ],
)
async def test_ranges_are_named_by_the_column_or_its_plural(sheet: Sheet, question: str) -> None:
    cut = pd.cut(AGED.Age, [0, 18.999, 60, 200])
    found = (await sheet.ask(question)).by()
    assert sorted(v for k, v in found.items() if k) == sorted(cut.value_counts().tolist())


async def test_a_column_of_which_the_name_has_brackets_is_filled(tmp_path: Path) -> None:
    winds = pd.Series([1.0, 2.0, None, 9.0], name="Wind Speed (km/h)")
    winds.to_frame().assign(day=[1, 2, 3, 4]).to_csv(tmp_path / "winds.csv", index=False)
    answer = await Sheet(tmp_path / "winds.csv", tmp_path).ask(
        "Fill the missing values of 'Wind Speed (km/h)' with the mean and compute the median"
    )
    assert answer.only == pytest.approx(3.0)
