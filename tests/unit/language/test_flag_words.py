"""Those of whom a column says yes, and other words that say which rows or which column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.unit.language.statistics_help import Sheet
from tests.unit.language.statistics_people import FEMALE, MALE, PEOPLE, ship

SIZE = 240
_RANDOM = np.random.default_rng(5)
COVER = pd.DataFrame(
    {
        "policy": np.arange(1, SIZE + 1),
        "age": _RANDOM.integers(18, 65, SIZE),
        "sex": _RANDOM.choice(["female", "male"], SIZE),
        "smoker": _RANDOM.choice(["yes", "no"], SIZE, p=[0.3, 0.7]),
        "region": _RANDOM.choice(["north", "south", "west"], SIZE),
        "children": _RANDOM.integers(0, 5, SIZE),
        "charges": _RANDOM.lognormal(9, 0.4, SIZE).round(2),
    }
)
COVER.loc[COVER.smoker == "yes", "charges"] += 9000
SMOKERS, OTHERS = COVER[COVER.smoker == "yes"], COVER[COVER.smoker == "no"]
ALIVE, DEAD = PEOPLE[PEOPLE.Survived == 1], PEOPLE[PEOPLE.Survived == 0]


@pytest.fixture(scope="module")
def ships(tmp_path_factory: pytest.TempPathFactory) -> Sheet:
    return ship(tmp_path_factory.mktemp("people"))


@pytest.fixture(scope="module")
def cover(tmp_path_factory: pytest.TempPathFactory) -> Sheet:
    folder = tmp_path_factory.mktemp("cover")
    COVER.to_csv(folder / "insurance.csv", index=False)
    return Sheet(folder / "insurance.csv", folder)


@pytest.mark.parametrize(
    "question",
    [
        "Perform a two-sample t-test between the ages of survivors and non-survivors",
        "Do a t-test comparing the Age of passengers who survived and those who did not survive.",
        "Is the mean Age of survivors and non-survivors different? Use a t-test.",
    ],
)
async def test_those_who_did_and_those_who_did_not_are_two_groups(
    ships: Sheet, question: str
) -> None:
    wanted = stats.ttest_ind(DEAD.Age.dropna(), ALIVE.Age.dropna(), equal_var=False)
    assert (await ships.ask(question)).number("t") == pytest.approx(wanted.statistic)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is the mean fare of survivors?", ALIVE.Fare.mean()),
        ("Calculate the median age of the survivors.", ALIVE.Age.median()),
        ("What is the mean fare paid by the passengers?", PEOPLE.Fare.mean()),
        ("How many passengers have more than 2 siblings (SibSp)?", (PEOPLE.SibSp > 2).sum()),
        ("What is the mean fare where Survived = 1?", ALIVE.Fare.mean()),
    ],
)
async def test_the_rows_and_the_column_are_those_that_the_words_say(
    ships: Sheet, question: str, wanted: float
) -> None:
    assert (await ships.ask(question)).only == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How many smokers are there?", len(SMOKERS)),
        ("What is the average age of smokers?", SMOKERS.age.mean()),
    ],
)
async def test_a_text_says_yes_too(cover: Sheet, question: str, wanted: float) -> None:
    assert (await cover.ask(question)).only == pytest.approx(wanted)


async def test_a_share_is_of_the_rows_before_the_verb(cover: Sheet) -> None:
    question = "What proportion of people with more than 2 children are smokers?"
    share = (COVER[COVER.children > 2].smoker == "yes").mean()
    assert next(iter((await cover.ask(question)).rows[0].values())) == pytest.approx(share)


async def test_a_share_of_them_is_split_by_what_is_named(cover: Sheet) -> None:
    answer = await cover.ask("Which region has the highest proportion of smokers?")
    shares = COVER.groupby("region").smoker.apply(lambda said: (said == "yes").mean())
    assert list(answer.rows[0].values())[:2] == [shares.idxmax(), pytest.approx(shares.max())]


async def test_among_them_narrows_the_rows_that_are_tested(cover: Sheet) -> None:
    answer = await cover.ask("What is the correlation between age and charges among smokers?")
    assert answer.number("correlation") == pytest.approx(SMOKERS.age.corr(SMOKERS.charges))


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between the mean charges of female and male?",
        "What is the difference in mean charges between female and male?",
    ],
)
async def test_a_difference_of_means_is_that_of_the_groups(cover: Sheet, question: str) -> None:
    means = COVER.groupby("sex").charges.mean()
    answer = await cover.ask(question)
    assert answer.number("difference of means") == pytest.approx(means["female"] - means["male"])


async def test_a_column_that_a_test_would_take_no_notice_of_is_asked_about(cover: Sheet) -> None:
    said = await cover.refused("Perform an ANOVA of charges by region, smoker and sex")
    assert "could not be told" in said


@pytest.mark.parametrize(
    "question",
    [
        "Which region has the most survivors and what is the readmission rate by region?",
        "What is the average charge per child (charges / children) for each region?",
    ],
)
async def test_words_that_nothing_explains_are_not_left_out(cover: Sheet, question: str) -> None:
    assert await cover.refused(question)


async def test_a_threshold_at_the_end_of_a_sentence_counts(ships: Sheet) -> None:
    answer = await ships.ask("Count the values of Fare with an absolute z-score above 2.")
    far = ((PEOPLE.Fare - PEOPLE.Fare.mean()) / PEOPLE.Fare.std()).abs() > 2
    assert answer.number("outliers") == far.sum()


async def test_a_name_in_brackets_after_the_word_for_it_is_the_split(ships: Sheet) -> None:
    answer = await ships.ask(
        "For each passenger class (Pclass), calculate the correlation between SibSp and Fare"
    )
    first = PEOPLE[PEOPLE.Pclass == 1]
    assert answer.number("correlation", "pclass 1") == pytest.approx(first.SibSp.corr(first.Fare))


async def test_separately_says_nothing_but_that_there_is_a_split(ships: Sheet) -> None:
    answer = await ships.ask("Correlation coefficient of SibSp and Fare separately for each Sex")
    for name, rows in (("female", FEMALE), ("male", MALE)):
        assert answer.number("correlation", name) == pytest.approx(rows.SibSp.corr(rows.Fare))


async def test_population_of_a_deviation_is_no_column(tmp_path: Path) -> None:
    homes: dict[str, Any] = {"Population": [10, 20, 60, 30], "HouseAge": [4, 8, 1, 3]}
    pd.DataFrame(homes).to_csv(tmp_path / "homes.csv", index=False)
    answer = await Sheet(tmp_path / "homes.csv", tmp_path).ask(
        "Calculate the mean and population standard deviation (ddof=0) of the HouseAge column."
    )
    assert answer.number("standard deviation") == pytest.approx(np.std(homes["HouseAge"]))


async def test_a_column_named_like_its_file_is_the_column_where_it_is_averaged(
    tmp_path: Path,
) -> None:
    pay: dict[str, Any] = {
        "wage": [9.0, 7.0, 6.0, 5.0, 4.0, 1.0],
        "gender": ["male", "male", "male", "female", "female", "female"],
    }
    pd.DataFrame(pay).to_csv(tmp_path / "wages.csv", index=False)
    answer = await Sheet(tmp_path / "wages.csv", tmp_path).ask(
        "Perform a t-test of the mean wage of males and females"
    )
    assert abs(answer.number("difference of means")) == pytest.approx(4.0)


async def test_days_on_which_something_holds_are_rows(tmp_path: Path) -> None:
    days = pd.date_range("2024-01-01", periods=4).strftime("%Y-%m-%d")
    prices = {"Date": days, "Open": [1, 5, 3, 4], "Close": [2, 4, 5, 9], "Volume": [10, 20, 40, 70]}
    pd.DataFrame(prices).to_csv(tmp_path / "stock.csv", index=False)
    sheet = Sheet(tmp_path / "stock.csv", tmp_path)
    answer = await sheet.ask("Calculate the mean Volume on days when Close is greater than Open.")
    assert answer.only == pytest.approx(40.0)
