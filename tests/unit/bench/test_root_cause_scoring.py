"""Scores of what was found, worked by hand."""

from __future__ import annotations

import pytest

from bench.root_cause.cases import Segment, canonical
from bench.root_cause.report import by_kinds, false_causes, printed
from bench.root_cause.running import Record
from bench.root_cause.scoring import mean_interval, scored, wilson

NORTH: Segment = frozenset({("region", "north")})
WEB: Segment = frozenset({("channel", "web")})
NORTH_WEB: Segment = NORTH | WEB


def test_a_cause_found_alone_is_all_right() -> None:
    score = scored([set(NORTH)], [NORTH], {})

    assert (score.right, score.wrong, score.missed, score.rank, score.f1) == (1, 0, 0, 1, 1.0)


def test_half_of_two_and_one_too_many() -> None:
    score = scored([set(WEB), set(NORTH)], [NORTH, NORTH_WEB], {})

    assert (score.right, score.wrong, score.missed, score.rank) == (1, 1, 1, 2)
    assert score.f1 == 0.5


def test_a_parent_is_not_its_child() -> None:
    assert scored([set(NORTH)], [NORTH_WEB], {}).f1 == 0


def test_nothing_found_where_nothing_is_is_right() -> None:
    assert scored([], [], {}).f1 == 1
    assert scored([set(WEB)], [], {}).f1 == 0


def test_the_same_segment_twice_counts_once() -> None:
    assert scored([set(NORTH), set(NORTH)], [NORTH], {}).wrong == 0


def test_a_country_beside_its_city_says_nothing_more() -> None:
    determines = {"city": "country", "country": "continent"}
    city = {("city", "Paris")}
    full = {*city, ("country", "France"), ("continent", "Europe")}

    assert canonical(full, determines) == city
    assert scored([full], [frozenset(city)], determines).f1 == 1


def test_wilson_intervals_are_those_of_the_tables() -> None:
    assert wilson(0, 10) == pytest.approx((0, 0.27753), abs=1e-4)
    assert wilson(5, 10) == pytest.approx((0.23659, 0.76341), abs=1e-4)
    assert wilson(0, 0) == (0, 1)


def test_an_interval_of_a_mean_stays_within_a_share() -> None:
    mean, low, high = mean_interval([1.0, 1.0, 0.0, 1.0])

    assert mean == 0.75
    assert low == pytest.approx(0.26, abs=0.01)
    assert high == 1


def record(finder: str, kind: str, right: int, wrong: int, missed: int) -> Record:
    return Record(
        finder=finder,
        kind=kind,
        form="rows",
        seed=0,
        metric="sum",
        noise="poisson",
        level=0,
        rows=1_000,
        dimensions=3,
        strength=8.0,
        truth=[],
        found=["north"] * (right + wrong),
        right=right,
        wrong=wrong,
        missed=missed,
        rank=1 if right else None,
        seconds=0.1,
    )


def test_the_report_says_where_the_lead_is_too_small_and_chance_deceives() -> None:
    records = [
        record("Assay", "single", 1, 0, 0),
        record("impact", "single", 1, 0, 0),
        record("Assay", "pair", 1, 0, 0),
        record("impact", "pair", 0, 1, 1),
        record("Assay", "none", 0, 1, 0),
        record("impact", "none", 0, 0, 0),
    ]

    assert by_kinds(records[::2]) == 1
    assert false_causes(records[::2]) == (1, 1)
    text = printed(records)
    assert "Assay leads impact by +0.500" in text
    assert "single: Assay 1.00, impact 1.00" in text
    assert "none: false causes in 100.0%" in text
    assert "pair: Assay" not in text
