"""How statistical tests are told: the conclusion, its numbers with their ends, what is assumed."""

from __future__ import annotations

from typing import Any

import pytest

from services.planner.domain.analysis.narrate import Story, narrate
from services.planner.domain.query.intent import Field, Intent, Statistic
from services.planner.domain.reporting.evidence import ClaimBook
from services.planner.domain.reporting.grid import grid_of
from tests.unit.planner.stories import raw, story

Row = tuple[str, str, float | None, str | None]
LINKED: list[Row] = [
    ("", "rows used", 830, None),
    ("", "test", None, "Pearson correlation"),
    (
        "",
        "conclusion",
        None,
        "freight rises with weight, which is a long name for a column of kilograms",
    ),
    ("", "correlation", 0.871, None),
    ("", "correlation low", 0.843, None),
    ("", "correlation high", 0.895, None),
    ("", "p-value", 0.0, "below 1e-300, two-sided"),
    ("", "degrees of freedom", 828, None),
    ("", "assumes", None, "a straight line"),
    ("", "confidence", 0.95, None),
]
DESCRIBED: list[Row] = [
    ("freight", "mean", 78.2442, None),
    ("freight", "standard deviation", 116.78, "divided by n - 1"),
    ("freight", "skewness", 3.06, "adjusted Fisher-Pearson"),
    ("weight", "mean", 2.0, None),
]
MODELLED: list[Row] = [
    ("", "test", None, "linear regression"),
    ("", "conclusion", None, "freight rises with weight"),
    ("", "R squared", 0.759, None),
    ("intercept", "coefficient", 3.0, None),
    ("weight", "coefficient", 49.69, None),
    ("weight", "coefficient low", 46.7, None),
    ("weight", "coefficient high", 52.67, None),
    ("weight", "p-value", 0.004, "4.00e-03"),
    ("", "confidence", 0.9, None),
]
MISSING: list[Row] = [
    ("", "conclusion", None, "ShipRegion misses the most values"),
    ("ShipRegion", "missing", 507, None),
    ("ShippedDate", "missing", 21, None),
    ("OrderID", "missing", 0, None),
    ("", "missing in all columns", 528, None),
    ("", "rows with a missing value", 520, None),
    ("", "rows", 830, None),
]


def frame(rows: list[Row]) -> dict[str, Any]:
    names = ("about", "statistic", "value", "text")
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def asked(statistic: Statistic, rows: list[Row]) -> Story:
    return story("a test", Intent(base="Orders", statistic=statistic), frame(rows))


@pytest.mark.parametrize(
    ("statistic", "rows", "told"),
    [
        (
            Statistic(test="correlation"),
            LINKED,
            "Freight rises with weight, which is a long name for a column of kilograms. Pearson "
            "correlation: correlation is 0.871 (95 % interval 0.843 to 0.895), p-value is below "
            "1e-300, degrees of freedom are 828. It assumes: a straight line.",
        ),
        (
            Statistic(test="describe"),
            DESCRIBED,
            "Freight: mean 78.24, standard deviation 116.78 (divided by n - 1). Weight: mean 2.",
        ),
        (
            Statistic(test="describe", asked=("skewness",)),
            DESCRIBED,
            "Freight: skewness 3.06 (adjusted Fisher-Pearson).",
        ),
        (
            Statistic(test="linear_regression"),
            MODELLED,
            "Freight rises with weight. Linear regression: coefficient of weight is 49.69 "
            "(90 % interval 46.70 to 52.67, p-value 0.004), R squared is 0.759.",
        ),
        (
            Statistic(test="missing"),
            MISSING,
            "528 values are missing, in 520 of 830 rows: 507 of ShipRegion, 21 of ShippedDate.",
        ),
    ],
)
def test_a_test_is_told_by_its_conclusion_and_numbers(
    statistic: Statistic, rows: list[Row], told: str
) -> None:
    assert narrate(asked(statistic, rows), ClaimBook()).text == told


def test_a_test_beside_rows_is_told_before_them() -> None:
    statistic = Statistic(test="correlation", beside=True)
    intent = Intent(base="Orders", measures=(raw("freight"), raw("weight")), statistic=statistic)
    rows = {"freight": [2.5, 263.5], "weight": [1.0, 125.0]}
    narration = narrate(story("scatter", intent, rows, test=frame(LINKED)), ClaimBook())
    assert narration.title.startswith("Freight rises with weight")
    assert narration.text.endswith(
        "Freight ranges from 2.50 to 263.50 and weight ranges from 1 to 125."
    )


@pytest.mark.parametrize("question, told", [
    ("does weight affect freight?", True),
    ("what is the relation between weight and freight?", True),
    ("the effect of weight on freight", True),
    ("correlation of weight and freight", False),
])  # fmt: skip
def test_what_was_asked_of_causes_and_answered_by_an_association_says_so(
    question: str, told: bool
) -> None:
    freight, weight = Field(table="Orders", column="Freight"), Field(table="Orders", column="Wt")
    for statistic in (
        Statistic(test="linear_regression", columns=(freight,), predictors=(weight,)),
        Statistic(test="anova", columns=(freight,), by=weight),
        Statistic(test="correlation", columns=(weight, freight)),
    ):
        asked_of = story(question, Intent(base="Orders", statistic=statistic), frame(LINKED))
        assert narrate(asked_of, ClaimBook()).caveats == (
            "This tells an association: whether Freight goes with Wt, not what Wt does to it. "
            "That, or that these data cannot tell it, is for assay causal --data northwind.sqlite "
            "--table Orders --treatment Wt --outcome Freight",
        ) * told  # fmt: skip


def test_what_is_measured_is_told_with_its_unit() -> None:
    rows: list[Row] = [
        ("", "test", None, "Welch's t-test"),
        ("", "conclusion", None, "body mass g is higher for male"),
        ("", "difference of means", -683.41, "female less male"),
        ("", "difference of means low", -840.58, None),
        ("", "difference of means high", -526.25, None),
        ("", "t", -8.55, None),
        ("", "confidence", 0.95, None),
    ]
    intent = Intent(
        base="Orders", statistic=Statistic(test="t_test"), measures=(raw("body mass g"),)
    )
    assert narrate(story("a test", intent, frame(rows)), ClaimBook()).text == (
        "Body mass is higher for male. Welch's t-test: difference of means, female less male,"
        " is -683.41 g (95 % interval -840.58 g to -526.25 g), t is -8.55."
    )


COMPARED: list[Row] = [
    ("", "test", None, "one-way analysis of variance"),
    ("", "conclusion", None, "weight differs by shipper"),
    ("", "F", 343.63, None),
    ("", "pairs", None, "Games-Howell test: each differs from every other"),
    ("Alfa less Beta", "difference of means", 12.5, None),
    ("Alfa less Beta", "difference of means low", 10.0, None),
    ("Alfa less Beta", "difference of means high", 15.0, None),
    ("Alfa less Beta", "adjusted p-value", 0.004, "4.00e-03"),
    ("", "confidence", 0.95, None),
]


def test_groups_that_are_compared_have_their_difference_and_its_interval() -> None:
    statistic = Statistic(test="anova")
    told = narrate(asked(statistic, COMPARED), ClaimBook()).text
    assert "each differs from every other: difference of means of Alfa less Beta is 12.5" in told
    assert "(95 % interval 10 to 15, adjusted p-value 0.004)" in told


def test_numbers_of_a_test_have_each_their_own_precision() -> None:
    intent = Intent(base="Orders", statistic=Statistic(test="anova"))
    columns = {"group": ["Alfa", "Beta"], "n": [151.0, 68.0], "mean": [3700.66, 3733.09]}
    answer = story("a test", intent, columns).answer
    assert answer is not None
    assert grid_of(answer, intent, 2).rows == (
        ("Alfa", "151", "3,700.66"),
        ("Beta", "68", "3,733.09"),
    )
