"""What statistical tests found, cited in texts: their rows are figures, and name no things."""

from __future__ import annotations

from typing import Any

import pytest

from mesh.prose.checking import check_text
from mesh.prose.frames import Frame

FOUND: dict[str, list[Any]] = {
    "statistic": ["median days", "half have ended after 502 days", "still there", "p-value"],
    "about": [None, "two-sided", None, "(missing)"],
    "value": [502.0, 502.0, 1871.0, 0.21],
}
LIFE = Frame("f2", list(FOUND), FOUND, tested=True)


@pytest.mark.parametrize(
    "text",
    [
        "Customers stay {502|f2.value[median days]} days; {1,871|f2.value[still there]} go on.",
        "The p-value of the two-sided test is {0.21|f2.value[p-value]}.",
    ],
)
def test_names_of_figures_are_words_like_any_other(text: str) -> None:
    assert check_text(text, {"f2": LIFE}).failures == ()


def test_a_wrong_figure_is_told_all_the_same() -> None:
    [failure] = check_text("It was {0.12|f2.value[p-value]}.", {"f2": LIFE}).failures
    assert failure.code.name == "NUMBER_WRONG"


def test_what_is_named_wrongly_is_told_with_names_that_there_are() -> None:
    [failure] = check_text("It was {1.09|f2.value[lift]}.", {"f2": LIFE}).failures
    assert failure.found.startswith("no row of f2 is lift; statistic is median days, ")
