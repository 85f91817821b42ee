"""Instructions as analysts write them, held against plain pandas and scipy."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from bench.instructions.asking import Opened, carried_out, opened_tables, planned
from bench.support_catalogue import Sources
from services.planner.domain.reader.instructions.read import is_instructions

RNG = np.random.default_rng(3)
PLOTS = 260


def plots() -> pd.DataFrame:
    """Plots of a field trial: some yields were not weighed, a few are far off."""
    soil = RNG.choice(["clay", "loam", "sand"], PLOTS)
    rain = RNG.normal(540, 60, PLOTS).round(1)
    weight = 2.1 + 0.004 * rain + 0.5 * (soil == "loam") + RNG.normal(0, 0.4, PLOTS)
    weight[:4] = [14.5, 15.2, 0.02, 13.9]
    frame = pd.DataFrame(
        {
            "plot_id": np.arange(1, PLOTS + 1),
            "soil": soil,
            "irrigated": RNG.choice(["yes", "no"], PLOTS, p=[0.4, 0.6]),
            "rain_mm": rain,
            "seed_rate": RNG.integers(80, 200, PLOTS),
            "crop_yield": np.where(RNG.random(PLOTS) < 0.08, np.nan, weight.round(3)),
            "season": RNG.choice([2021, 2022, 2023], PLOTS),
        }
    )
    frame.loc[5:9, "seed_rate"] = 80
    return frame


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> tuple[Opened, pd.DataFrame]:
    folder: Path = tmp_path_factory.mktemp("field")
    frame = plots()
    frame.to_csv(folder / "plots.csv", index=False)
    return opened_tables(Sources(folder / "home"), folder / "plots.csv"), frame


@dataclass(frozen=True)
class Told:
    """The figures of an answer: by name, or in their order where the question names none."""

    named: dict[str, str]
    texts: list[str]
    labels: list[str]


async def told(question: str, opened: Opened) -> Told:
    planning = await planned(question, opened)
    assert planning.draft is not None, planning.failure
    rows = carried_out(planning.draft, opened).to_pylist()
    found = [re.fullmatch(r"@(\w+)\[(.*)\]", row["asked"]) for row in rows]
    named = {match.group(1): match.group(2) for match in found if match is not None}
    return Told(named, [row["text"] for row in rows], [row["statistic"] for row in rows])


async def refused(question: str, opened: Opened) -> str:
    planning = await planned(question, opened)
    assert planning.draft is None, planning.understood
    assert planning.failure is not None
    return planning.failure.message


Truth = Callable[[pd.DataFrame], dict[str, str]]


def without_outliers(values: pd.Series[float]) -> pd.Series[float]:
    low, high = values.quantile(0.25), values.quantile(0.75)
    return values[values.between(low - 1.5 * (high - low), high + 1.5 * (high - low))]


def mean_by_half(d: pd.DataFrame) -> dict[str, str]:
    above = d.rain_mm > d.rain_mm.median()
    return {
        "mean_wet": f"{d[above].crop_yield.mean():.3f}",
        "mean_dry": f"{d[~above].crop_yield.mean():.3f}",
    }


def levels(d: pd.DataFrame) -> dict[str, str]:
    found = stats.f_oneway(*(g.crop_yield.dropna() for _, g in d.groupby("soil")))
    rejected = "True" if found.pvalue < 0.01 else "False"
    return {"f": f"{found.statistic:.2f}", "reject_null": rejected}


def fitted(d: pd.DataFrame) -> dict[str, str]:
    kept = d.dropna(subset=["crop_yield"])
    fit = sm.OLS(kept.crop_yield, sm.add_constant(kept[["rain_mm", "seed_rate"]])).fit()
    return {"adj_r2": f"{fit.rsquared_adj:.4f}", "coef_rain": f"{fit.params.rain_mm:.5f}"}


def wet_less_dry(d: pd.DataFrame) -> dict[str, str]:
    yes, no = (d[d.irrigated == v].crop_yield.dropna() for v in ("yes", "no"))
    found = stats.ttest_ind(yes, no, equal_var=False)
    verdict = "significant" if found.pvalue < 0.05 else "not significant"
    return {"t": f"{found.statistic:.3f}", "conclusion": verdict}


STORIES: list[tuple[str, Truth]] = [
    (
        "Calculate the mean crop yield of the plots on loam. Use only rows where rain_mm > 500. "
        "Round to two decimals. Format: @mean_yield[value]",
        lambda d: {
            "mean_yield": f"{d[(d.soil == 'loam') & (d.rain_mm > 500)].crop_yield.mean():.2f}"
        },
    ),
    (
        "Fill the missing values of crop_yield with its median. After that, what are the mean and "
        "the sample standard deviation of crop_yield? Three decimals. @mean[a] @sd[b]",
        lambda d: (lambda y: {"mean": f"{y.mean():.3f}", "sd": f"{y.std():.3f}"})(
            d.crop_yield.fillna(d.crop_yield.median())
        ),
    ),
    (
        "Create a new feature water_per_seed = rain_mm / seed_rate. Which soil has the highest "
        "mean water_per_seed? @soil[name] @mean[value rounded to 3 decimals]",
        lambda d: (lambda m: {"soil": str(m.idxmax()), "mean": f"{m.max():.3f}"})(
            (d.rain_mm / d.seed_rate).groupby(d.soil).mean()
        ),
    ),
    (
        "Perform a Shapiro-Wilk test on crop_yield after removing outliers by the 1.5 IQR rule. "
        "Report the statistic to four decimals: @w[statistic]",
        lambda d: {"w": f"{stats.shapiro(without_outliers(d.crop_yield.dropna()))[0]:.4f}"},
    ),
    (
        "How many outliers does crop_yield have by the z-score method with a threshold of 3? "
        "Remove them and give the mean of the remaining values with 3 decimals. "
        "@outliers[n] @mean_without[m]",
        lambda d: (
            lambda y, z: {
                "outliers": f"{(z.abs() > 3).sum()}",
                "mean_without": f"{y[z.abs() <= 3].mean():.3f}",
            }
        )(
            d.crop_yield.dropna(),
            (lambda y: (y - y.mean()) / y.std())(d.crop_yield.dropna()),
        ),
    ),
    (
        "Run a one-way ANOVA of crop_yield across the three soils at alpha = 0.01. "
        "@f[F statistic with 2 decimals] @reject_null[True/False]",
        levels,
    ),
    (
        "Split the plots into two groups at the median of rain_mm: 'wet' for values above the "
        "median and 'dry' otherwise. Compare the mean crop_yield of the two groups, to three "
        "decimals. @mean_wet[a] @mean_dry[b]",
        mean_by_half,
    ),
    (
        "Fit an ordinary least squares model of crop_yield on rain_mm and seed_rate. Report the "
        "adjusted R-squared (4 decimals) and the coefficient of rain (5 decimals). "
        "@adj_r2[a] @coef_rain[b]",
        fitted,
    ),
    (
        "Compare crop_yield of irrigated = yes and irrigated = no by Welch's t-test at the 5% "
        "level. @t[3 decimals] @conclusion[significant/not significant]",
        wet_less_dry,
    ),
    (
        "What percentage of the plots has a seed rate above 150? One decimal. @pct[value]",
        lambda d: {"pct": f"{100 * (d.seed_rate > 150).mean():.1f}"},
    ),
    (
        "Compute the Spearman correlation between rain_mm and seed_rate for the seasons 2022 to "
        "2023. If the p-value is below 0.05 answer 'linked', else 'not linked'. "
        "@rho[3 decimals] @verdict[text]",
        lambda d: (
            lambda r: {
                "rho": f"{r.statistic:.3f}",
                "verdict": "linked" if r.pvalue < 0.05 else "not linked",
            }
        )((lambda k: stats.spearmanr(k.rain_mm, k.seed_rate))(d[d.season >= 2022])),
    ),
    (
        "For plots on sand, find the 90th percentile of rain_mm and the number of plots above it. "
        "@p90[2 decimals] @count[n]",
        lambda d: (
            lambda r: {
                "p90": f"{r.quantile(0.9):.2f}",
                "count": f"{(r > r.quantile(0.9)).sum()}",
            }
        )(d[d.soil == "sand"].rain_mm),
    ),
]


@pytest.mark.parametrize(("question", "truth"), STORIES, ids=range(len(STORIES)))
async def test_instructions_are_carried_out_step_by_step(
    question: str, truth: Truth, field: tuple[Opened, pd.DataFrame]
) -> None:
    opened, frame = field
    assert (await told(question, opened)).named == truth(frame)


async def test_a_condition_is_of_the_figure_that_it_stands_with(
    field: tuple[Opened, pd.DataFrame],
) -> None:
    opened, frame = field
    found = await told(
        "Calculate the median of rain_mm and the number of plots with rain_mm above 600. "
        "@median_rain[one decimal] @count[n]",
        opened,
    )
    wet = frame.rain_mm > 600
    assert found.named == {"median_rain": f"{frame.rain_mm.median():.1f}", "count": f"{wet.sum()}"}


async def test_what_is_asked_for_without_a_name_is_told_beside_the_names(
    field: tuple[Opened, pd.DataFrame],
) -> None:
    opened, frame = field
    found = await told(
        "How many plots are on clay? What is the mean of rain_mm? @mean[2 decimals]", opened
    )
    assert found.named == {"mean": f"{frame.rain_mm.mean():.2f}"}
    assert f"{(frame.soil == 'clay').sum()}" in found.texts


async def test_a_number_is_taken_in_the_unit_of_its_column(
    field: tuple[Opened, pd.DataFrame],
) -> None:
    opened, frame = field
    found = await told(
        "What is the mean seed rate of plots with rain over 60 cm? @mean[1 decimal]", opened
    )
    assert found.named == {"mean": f"{frame[frame.rain_mm > 600].seed_rate.mean():.1f}"}


async def test_the_first_three_quarters_of_a_seeded_split_are_those_of_scikit_learn(
    field: tuple[Opened, pd.DataFrame],
) -> None:
    opened, frame = field
    found = await told(
        "Fill missing crop_yield with its mean. Then build a linear regression that predicts "
        "crop_yield from rain_mm. Split the data 75/25 with random_state 7 and report the RMSE on "
        "the test set with 4 decimals. @rmse[value]",
        opened,
    )
    filled = frame.crop_yield.fillna(frame.crop_yield.mean()).to_numpy()
    order = np.random.RandomState(7).permutation(PLOTS)
    test, train = order[:65], order[65:]
    slope, intercept = np.polyfit(frame.rain_mm.to_numpy()[train], filled[train], 1)
    gone = filled[test] - (intercept + slope * frame.rain_mm.to_numpy()[test])
    assert found.named == {"rmse": f"{np.sqrt((gone**2).mean()):.4f}"}


async def test_figures_without_names_are_told_in_words(
    field: tuple[Opened, pd.DataFrame],
) -> None:
    opened, frame = field
    question = "Compute the median of rain_mm for each soil. Round to one decimal. Skip missing."
    found = await told(question.replace(" Skip missing.", ""), opened)
    wanted = frame.groupby("soil").rain_mm.median()
    assert found.texts == [f"{value:.1f}" for value in wanted]
    assert found.labels[0] == "median of rain_mm where soil is clay"


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Train a random forest on rain_mm to predict crop_yield. @r2[value]", "random forest"),
        ("Compute the mean and the geometric mean of rain_mm. @mean[a] @gm[b]", "geometric mean"),
        ("Fill missing crop_yield with the mean of each soil. What is its mean? @mean[x]", "group"),
        (
            "Calculate the mean rain_mm of plots that lie near a river. Drop those who flooded. "
            "@mean[x]",
            "flooded",
        ),
        ("Compute the mean of rain_mm. @mean[x] @longest_drought[days]", "@longest_drought"),
        (
            "Calculate the mean rain_mm of loam and the median seed_rate of clay. "
            "@mean_rain[a] @median_seed[b]",
            "@mean_rain",
        ),
        (
            "Calculate the mean rain_mm of plots on loam and the p-value of a t-test of crop_yield "
            "by irrigated. @mean[a] @p[b]",
            "not clear",
        ),
        ("What is the mean rain_mm of the top 7 plots? @mean[x]", "top"),
    ],
)
async def test_what_is_out_of_reach_is_said_by_name_and_nothing_is_half_answered(
    question: str, named: str, field: tuple[Opened, pd.DataFrame]
) -> None:
    opened, _ = field
    assert named in (await refused(question, opened)).lower()


def test_everyday_questions_are_left_to_other_readers() -> None:
    assert not is_instructions("average yield by soil")
    assert not is_instructions("How many plots had no rain? And in 2022?")
    assert is_instructions("Compute the mean of x. @mean[value]")
    assert is_instructions("Is a linked to b? Use Spearman's rho at a significance level of 0.01.")
