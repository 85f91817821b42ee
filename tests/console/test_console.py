"""The console in a real browser, against a real mesh: each test is a walk through its pages.

Processes are started because browsers and servers are what is asked about.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

from tests.console.conftest import ConsoleServer, Walk


def test_a_first_time_from_the_link_to_a_verified_answer(walk: Walk, sales: Path) -> None:
    told = walk("first_time", file=str(sales))
    assert "clicks: 8" in told, "of twelve"


def test_a_thread_is_followed_up_and_read_again(walk: Walk, sales: Path) -> None:
    walk("conversation", file=str(sales))


def test_every_page_is_usable_by_everybody(walk: Walk, sales: Path) -> None:
    walk("looks", file=str(sales))


def test_turns_are_taken_back_and_answers_gone_on_from(walk: Walk, sales: Path) -> None:
    walk("taking_back", file=str(sales))


def test_other_readings_stand_beside_the_answer_and_its_chart_is_taken_along(
    walk: Walk, tmp_path: Path
) -> None:
    cities = ("Bern", "Graz", "Lyon", "Oslo")
    rows = [f"{n},{cities[n % 4]},{cities[n * n % 3]},{n % 7}" for n in range(1, 61)]
    path = tmp_path / "orders.csv"
    path.write_text("order_id,home_city,ship_city,weight\n" + "\n".join(rows) + "\n")
    walk("readings", file=str(path))


def test_little_is_loaded_before_the_first_page(walk: Walk) -> None:
    told = json.loads(walk("speed").splitlines()[-1])
    assert told["bytes"] < 400_000, "the page is slow to come over a slow line"


def test_a_look_shows_spreads_doubts_and_the_model(walk: Walk, tmp_path: Path) -> None:
    rows = [
        f"{n},2024-{n % 12 + 1:02d}-{n % 28 + 1:02d},{-999 if n % 9 == 0 else 10 + n % 15}"
        for n in range(200)
    ]
    path = tmp_path / "readings.csv"
    path.write_text("reading_id,read_on,temperature\n" + "\n".join(rows) + "\n")
    walk("look", file=str(path))


def test_why_a_number_moved_is_told_with_its_segment(walk: Walk, tmp_path: Path) -> None:
    lines = ["order_id,ordered_on,region,product,quantity"]
    number = 0
    for month in range(1, 7):
        for day in range(1, 29):
            for region in ("North", "South", "West"):
                number += 1
                fallen = month == 6 and region == "South"
                quantity = 2 if fallen else 9 + (number * 7) % 5
                product = ("chair", "desk")[number % 2]
                lines.append(f"{number},2024-{month:02d}-{day:02d},{region},{product},{quantity}")
    path = tmp_path / "orders.csv"
    path.write_text("\n".join(lines) + "\n")
    walk("why", file=str(path))


def test_an_effect_is_concluded_and_studied_again_without_an_edge(
    walk: Walk, tmp_path: Path
) -> None:
    chance = random.Random(4)
    lines = ["customer_id,age,promotion,spending"]
    for n in range(300):
        age = chance.gauss(40, 10)
        promoted = chance.random() < 1 / (1 + math.exp(-(age - 40) / 10))
        spent = 20 + 0.5 * age + 8 * promoted + chance.gauss(0, 3)
        lines.append(f"{n + 1},{age:.1f},{int(promoted)},{spent:.2f}")
    path = tmp_path / "shop.csv"
    path.write_text("\n".join(lines) + "\n")
    walk("cause", file=str(path))


def test_a_board_is_asked_again_and_read_by_others(
    walk: Walk, server: ConsoleServer, sales: Path
) -> None:
    made = json.loads(server.command("token", "create", "rita", "--role", "reader", "--json"))
    walk("board", file=str(sales), token=made["token"])


def test_an_operator_sees_all_there_is_to_operate(
    walk: Walk, server: ConsoleServer, sales: Path
) -> None:
    server.command("source", "add", "known-sales", str(sales))
    try:
        walk("operate", file=str(sales))
    finally:
        server.command("source", "remove", "known-sales")
