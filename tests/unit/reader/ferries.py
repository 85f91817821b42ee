"""A small company of ferries: numbers that go together, scales in words, and ranges of ages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from tests.unit.language.truth_help import Shop

SEAS = ("low", "medium", "high", "very high")
COMFORTS = ("Poor", "Fair", "Good", "Excellent")
AGES = ("18-29", "30-44", "45-64", "65+")
_ROUTES = ("Oban", "Skye", "Tarbert")
_VESSELS = (("Alba", "S", 1990), ("Brine", "M", 1998), ("Eider", "L", 2006), ("Fulmar", "XL", 2011))


def ferries(folder: Path) -> Shop:
    """Four vessels and sixty crossings, the same each time."""
    path = folder / "ferries.sqlite"
    with sqlite3.connect(path) as source:
        source.execute(
            "create table vessels(vessel_id integer primary key, vessel_name text, hull_size text,"
            " built integer)"
        )
        source.execute(
            "create table crossings(crossing_id integer primary key, vessel_id integer references"
            " vessels(vessel_id), route text, left_at timestamp, arrived_at timestamp,"
            " passengers integer, fare real, sea_state text, comfort text, age_band text,"
            " wind_knots real, diesel_litres real)"
        )
        vessels = [(at, *vessel) for at, vessel in enumerate(_VESSELS, 1)]
        source.executemany("insert into vessels values (?, ?, ?, ?)", vessels)
        source.executemany(f"insert into crossings values ({', '.join('?' * 12)})", _crossings())
    return Shop(path, folder)


def _crossings() -> Iterator[tuple[object, ...]]:
    for at in range(1, 61):
        left = datetime(2024, 1, 1) + timedelta(hours=97 * at)
        took = timedelta(minutes=40 + at * at % 53)
        wind, passengers = 3 + at * 7 % 31, 20 + at * 11 % 97
        yield (
            at,
            at % 4 + 1,
            _ROUTES[at % 3],
            left.isoformat(" "),
            (left + took).isoformat(" "),
            passengers,
            5 + at * 13 % 41 + at % 2 / 2,
            SEAS[at % 7 % 4],
            COMFORTS[at % 5 % 4],
            AGES[at % 9 % 4],
            wind,
            2 * passengers + 9 * wind + at * 5 % 23,
        )
