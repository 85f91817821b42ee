"""Each way of saying something passes where it is so, and fails where one thing is untrue."""

from __future__ import annotations

from datetime import date

import pytest

from mesh.prose.checking import check_text
from mesh.prose.frames import Frame
from mesh.prose.numbers import parse_shown

SITES = Frame(
    "f1",
    ("site", "year", "visits", "wait", "share", "change"),
    {
        "site": ["Oslo", "Rome", "Bern", "Oslo", "Rome", "Bern"],
        "year": [2023, 2023, 2023, 2024, 2024, 2024],
        "visits": [120, 60, 90, 150, 80, 40],
        "wait": [30, 12, 20, 26, 14, 22],
        "share": [0.44, 0.22, 0.34, 0.63, 0.25, 0.12],
        "change": [1.5, -0.5, 0.25, 2.5, 1.0, -3.0],
    },
)
MONTHS = Frame(
    "f2",
    ("month", "visits"),
    {
        "month": [date(2023 + month // 12, month % 12 + 1, 1) for month in range(9, 15)],
        "visits": [40, 50, 45, 48, 52, 61],
    },
)
HOUSES = Frame(
    "f3",
    ("house", "beds", "wait"),
    {"house": ["Oslo", "Rome", "Bern", "Kiel"], "beds": [400, 90, 200, 300], "wait": [9, 7, 8, 6]},
)
FRAMES = {frame.name: frame for frame in (SITES, MONTHS, HOUSES)}
O23, O24 = "f1.visits[Oslo, 2023]", "f1.visits[Oslo, 2024]"
R24, B24 = "f1.visits[Rome, 2024]", "f1.visits[Bern, 2024]"
B23 = "f1.visits[Bern, 2023]"


def fails(text: str) -> list[tuple[str, str]]:
    return [(one.code.value, one.claimed) for one in check_text(text, FRAMES).failures]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        # comparisons by other words, and by the rows that are named about them
        (
            f"Oslo beat Rome in 2024, {{150|{O24}}} to {{80|{R24}}}.",
            f"Oslo trailed Rome in 2024, {{150|{O24}}} to {{80|{R24}}}.",
        ),
        (
            f"In 2024 Oslo led Rome by {{70|{O24} - {R24}}}.",
            f"In 2024 Rome led Oslo by {{70|{O24} - {R24}}}.",
        ),
        (
            f"Fewer came to Rome in 2024 ({{80|{R24}}}) than to Oslo ({{150|{O24}}}).",
            f"More came to Rome in 2024 ({{80|{R24}}}) than to Oslo ({{150|{O24}}}).",
        ),
        (
            f"In 2024 Rome had {{80|{R24}}}, fewer than Oslo.",
            f"In 2024 Rome had {{80|{R24}}}, more than Oslo.",
        ),
        (
            f"Oslo {{outdid|{O24} > {R24}}} Rome in 2024.",
            f"Rome {{outdid|{O24} > {R24}}} Oslo in 2024.",
        ),
        (
            f"Visits to Oslo in 2024 were {{25 %|{O24} / {O23} - 1}} higher.",
            f"Visits to Oslo in 2024 were {{25 %|{O24} / {O23} - 1}} lower.",
        ),
        (
            f"In 2024 Rome had {{80|{R24}}}, and fewer still came to Bern ({{40|{B24}}}).",
            f"In 2024 Rome had {{80|{R24}}}, and more still came to Bern ({{40|{B24}}}).",
        ),
        (
            "October had {40|f2.visits[2023-10]}, November {50|f2.visits[2023-11]}, each more than"
            " the last.",
            "November had {50|f2.visits[2023-11]}, December {45|f2.visits[2023-12]}, each more than"
            " the last.",
        ),
        # directions: several cells, the sentence before, hedged multiples, rates
        (
            "It rose from {48|f2.visits[2024-01]} in January over {52|f2.visits[2024-02]} in "
            "February to {61|f2.visits[2024-03]} in March.",
            "It fell from {48|f2.visits[2024-01]} in January over {52|f2.visits[2024-02]} in "
            "February to {61|f2.visits[2024-03]} in March.",
        ),
        (
            f"Oslo had {{120|{O23}}} in 2023. In 2024 that had risen to {{150|{O24}}}.",
            f"Oslo had {{120|{O23}}} in 2023. In 2024 that had fallen to {{150|{O24}}}.",
        ),
        (
            f"Bern more than halved from {{90|{B23}}} in 2023 to {{40|{B24}}} in 2024.",
            f"Bern more than tripled from {{90|{B23}}} in 2023 to {{40|{B24}}} in 2024.",
        ),
        (
            f"Bern {{tumbled|{B23} -> {B24}}} in 2024.",
            f"Bern {{rallied|{B23} -> {B24}}} in 2024.",
        ),
        (
            "In 2024 Oslo won {2.5|f1.change[Oslo, 2024]} points.",
            "In 2024 Oslo lost {2.5|f1.change[Oslo, 2024]} points.",
        ),
        # superlatives: other words, parts of a frame, what is set apart, who alone is past it
        (
            f"In 2024 Bern came last with {{40|{B24}}}.",
            f"In 2024 Rome came last with {{80|{R24}}}.",
        ),
        (
            f"Of 2023, Bern was second-highest with {{90|{B23}}}.",
            "Of 2023, Rome was second-highest with {60|f1.visits[Rome, 2023]}.",
        ),
        (
            "Apart from Oslo, Kiel is the largest house ({300|f3.beds[Kiel]} beds).",
            "Apart from Oslo, Bern is the largest house ({200|f3.beds[Bern]} beds).",
        ),
        (
            "Only Rome has fewer beds than Bern with its {200|f3.beds[Bern]}.",
            "Only Rome has fewer beds than Kiel with its {300|f3.beds[Kiel]}.",
        ),
        (
            "Nobody has more beds than Oslo: {400|f3.beds[Oslo]}.",
            "Nobody has more beds than Kiel: {300|f3.beds[Kiel]}.",
        ),
        (
            "Best wait? Kiel, {6|f3.wait[Kiel]} days.",
            "Worst wait? Kiel, {6|f3.wait[Kiel]} days.",
        ),
        (
            "The biggest drop is Bern's, {3|f1.change[Bern, 2024]} points in 2024.",
            "The smallest drop is Bern's, {3|f1.change[Bern, 2024]} points in 2024.",
        ),
        # times and names in whatever way they are called
        (
            "It was {40|f2.visits[2023-10]} in October and {50|f2.visits[2023-11]} in November.",
            "It was {40|f2.visits[2023-10]} in December and {50|f2.visits[2023-11]} in November.",
        ),
        (
            f"Oslo had {{120|{O23}}} in 2023 and {{150|{O24}}} the year after.",
            f"Oslo had {{120|{O23}}} in 2023 and {{150|{O24}}} two years later.".replace(
                "two", "ten"
            ),
        ),
        (
            "Waits range from {6|min(f3.wait)} days in Kiel to {9|max(f3.wait)} in Oslo.",
            "Waits range from {6|min(f3.wait)} days in Bern to {9|max(f3.wait)} in Oslo.",
        ),
        # shares and hedges
        (
            "Most visits of 2024 were to Oslo ({63 %|f1.share[Oslo, 2024]}).",
            "A minority of visits of 2024 were to Oslo ({63 %|f1.share[Oslo, 2024]}).",
        ),
        (
            "{Most|f1.share[Oslo, 2024] > 0.5} visits were to Oslo in 2024.",
            "{Hardly any|f1.share[Oslo, 2024] > 0.5} visits were to Oslo in 2024.",
        ),
        (
            "In 2024 Oslo took well over {half|f1.share[Oslo, 2024]} of them.",
            "In 2024 Oslo took just under {half|f1.share[Oslo, 2024]} of them.",
        ),
        (f"In 2024 Oslo passed {{140|{O24}}}.", f"In 2024 Oslo passed {{160|{O24}}}."),
    ],
)
def test_it_passes_where_it_is_so_and_fails_where_it_is_not(right: str, wrong: str) -> None:
    assert fails(right) == []
    assert fails(wrong) != []


@pytest.mark.parametrize(
    ("text", "value", "percent", "hedge"),
    [
        ("29 days", 29, False, ""),
        ("14.2 kWh per m²", 14.2, False, ""),
        ("twenty-one", 21, False, ""),
        ("two fifths", 0.4, False, ""),
        ("nine out of ten", 0.9, False, ""),
        ("sixty per cent", 60, True, ""),
        ("nearly half", 0.5, False, "less"),
        ("no more than 12", 12, False, "under"),
        ("p < 0.001", 0.001, False, "<"),
        ("minus 0.9 points", -0.9, True, ""),
        ("none", 0, False, ""),
    ],
)
def test_numbers_are_read_with_unit_and_hedge(
    text: str, value: float, percent: bool, hedge: str
) -> None:
    shown = parse_shown(text)

    assert shown is not None
    assert (float(shown.value), shown.percent, shown.hedge) == (value, percent, hedge)


@pytest.mark.parametrize("text", ["most", "2023-05", "May 2023", "Oslo"])
def test_what_is_no_number_shows_none(text: str) -> None:
    assert parse_shown(text) is None


def test_what_stands_behind_the_braces_belongs_to_the_number() -> None:
    assert fails("In 2024 Oslo took {63|f1.share[Oslo, 2024]} % of them.") == []
    assert fails("In 2024 Oslo took {53|f1.share[Oslo, 2024]} % of them.") != []
