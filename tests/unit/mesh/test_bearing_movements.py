"""What is told of a movement or an effect is borne out by the rows of its frame, or refused."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from mesh.proof.assertions import Stated
from tests.unit.mesh.told import HERE, Piece, fault, named, number, quoted

Parts = list[str | Piece]

WHOLE = pa.table(
    {
        "statistic": [
            "baseline",
            "comparison",
            "difference",
            "p_value",
            "same_weekdays_difference",
        ],
        "value": [30.0, 20.0, -10.0, 0.01, -4.0],
        "text": ["forecast", "", "", "", ""],
    }
)
SEARCH = pa.table(
    {
        "kind": ["segment", "usual"],
        "segment": ['{"region": "South"}', '{"region": "North"}'],
        "baseline": [30.0, 8.0],
        "comparison": [20.0, 6.0],
        "year_baseline": [28.0, 9.0],
        "year_comparison": [21.0, 7.0],
        "effect": [-10.0, -2.0],
        "p_corrected": [0.01, 0.6],
        "p_at_most": [False, False],
    }
)
CHECKED = pa.table({"severity": ["fault", "doubt"]})
EFFECTS = pa.table(
    {
        "estimate": [2.0, 0.5],
        "ci_lower": [1.0, -1.0],
        "ci_upper": [3.0, 2.0],
        "status": ["ok", "ok"],
        "reason": ["", ""],
    }
)


def where(region: str) -> Parts:
    return [quoted("region"), " ", quoted(region)]


def values(*told: str | int) -> Parts:
    """Words, and numbers of the column `value` by their rows."""
    return [part if isinstance(part, str) else number(part, "value") for part in told]


def ends(row: int, before: str = "baseline", after: str = "comparison") -> Parts:
    return [" from ", number(row, before), " to ", number(row, after)]


def estimate(row: int) -> Parts:
    return [number(row, "estimate"), " (", number(row, "ci_lower"), number(row, "ci_upper"), ")"]


TOLD: dict[str, tuple[pa.Table, tuple[int, ...], Parts, Parts, str]] = {
    "moved": (
        WHOLE,
        (0, 1),
        values("fell from ", 0, " to ", 1),
        values("rose from ", 0, " to ", 1),
        "the change is -10",
    ),
    "off_forecast": (
        WHOLE,
        (0, 1),
        values("is below its forecast ", 0, ", actual ", 1),
        values("is above its forecast ", 0, ", actual ", 1),
        "the change is -10",
    ),
    "usual": (
        WHOLE,
        (3,),
        values("So large a change is unusual, with a probability of ", 3),
        values("Such a change is usual, with a probability of ", 3),
        "its probability is 0.01",
    ),
    "weekdays": (
        WHOLE,
        (4,),
        values("the change is ", 4),
        values("the change is ", 2),
        "it is told by other numbers",
    ),
    "contradicted": (
        WHOLE,
        (2,),
        ["It did not rise: "],
        ["It did not fall: "],
        "the change is -10",
    ),
    "explained": (
        SEARCH,
        (0,),
        ["Most likely: ", *where("South"), " which fell", *ends(0)],
        ["Most likely: ", *where("North"), " which fell", *ends(0)],
        'its segment is {"region": "South"}',
    ),
    "habit": (
        SEARCH,
        (1,),
        [*where("North"), " fell", *ends(1)],
        [*where("North"), " rose", *ends(1)],
        "the change is -2",
    ),
    "last_year": (
        SEARCH,
        (0,),
        [*where("South"), *ends(0, "year_baseline", "year_comparison")],
        [*where("South"), *ends(0)],
        "it is about the year before alone",
    ),
    "at_fault": (CHECKED, (0,), ["The data are at fault"], [], ""),
    "in_doubt": (CHECKED, (1,), ["The data are in doubt"], [], ""),
    "effect": (
        EFFECTS,
        (0,),
        ["It raises them by ", *estimate(0)],
        ["It lowers them by ", *estimate(0)],
        "its interval is 1 to 3",
    ),
    "estimate": (
        EFFECTS,
        (1,),
        ["Plain comparison: ", *estimate(1)],
        ["Plain comparison: ", number(1, "ci_upper")],
        "its numbers are told for one another",
    ),
}


@pytest.mark.parametrize("kind", TOLD)
def test_what_is_told_is_what_its_rows_say(kind: str) -> None:
    here, rows, true, false, why = TOLD[kind]
    stated = Stated(kind, HERE, rows)
    assert fault(stated, *true, here=here) is None
    assert not false or fault(stated, *false, here=here) == why
    assert fault(replace(stated, rows=()), *true, here=here) == "it names no cells"


def test_data_in_doubt_are_not_at_fault_nor_the_other_way_round() -> None:
    assert fault(Stated("at_fault", HERE, (1,)), "at fault", here=CHECKED) == (
        "its severity is 'doubt'"
    )
    assert fault(Stated("in_doubt", HERE, (0,)), "in doubt", here=CHECKED) == (
        "its severity is 'fault'"
    )


@pytest.mark.parametrize("kind", TOLD)
def test_only_what_is_stated_of_columns_is_held_to_the_columns_it_names(kind: str) -> None:
    """Statements of rows say nothing of a column: names in their words are the data's own."""
    here, rows, true, _, _ = TOLD[kind]
    stated = Stated(kind, HERE, rows)
    assert fault(stated, *true, " of ", named("fare"), here=here) is None
    of_fare = replace(stated, columns=("fare",))
    assert fault(of_fare, *true, " of ", named("fare"), here=here) is None
    assert fault(of_fare, *true, " of ", named("age"), here=here) == "it is about fare, not 'age'"


def test_that_nothing_stands_out_is_stated_of_a_whole_search_and_of_no_row() -> None:
    words = "No segment stands out of chance."
    stated = Stated("none_stands_out", HERE)
    assert fault(stated, words, here=SEARCH[1:]) is None
    assert fault(stated, words, here=SEARCH[:0]) is None
    assert fault(stated, words, here=SEARCH) == "row 0 does"
    assert fault(replace(stated, rows=(1,)), words, here=SEARCH) == "row 0 does"
