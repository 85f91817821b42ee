"""A semantic model through the command line: proposed, beside the data, named, and wrong."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Assay

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
NORTHWIND = SHARED / "databases" / "northwind.sqlite"
AIR = """
tables:
  legs:
    synonyms: [flights]
    joins:
      - {to: stations, on: {dest: faa}}
      - {to: weather, on: {dest: station, hr: hr}}
    metrics:
      fuel per passenger: {formula: sum(fuel) / sum(pax), unit: kg}
    columns:
      pax: {synonyms: [passengers], kind: amount}
  stations:
    columns:
      land: {synonyms: [country], values: {Sweden: [Sverige]}}
"""
TRADE = """
tables:
  Order Details:
    metrics:
      net revenue:
        formula: UnitPrice * Quantity * (1 - Discount)
        synonyms: [takings]
        unit: USD
      discount rate: {formula: 1 - sum("net revenue") / sum(UnitPrice * Quantity)}
"""


@pytest.fixture
def air(tmp_path: Path) -> Path:
    """Flights, airports and weather in three files that only a person can tie together."""
    folder = tmp_path / "air"
    folder.mkdir()
    stations = (("OSL", "Norway"), ("ARN", "Sweden"), ("GOT", "Sweden"))
    _write(folder / "stations.csv", ("faa", "land"), stations)
    weather = [(s, h, "rain" if h == 6 else "clear") for s, _ in stations for h in (6, 7)]
    _write(folder / "weather.csv", ("station", "hr", "sky"), weather)
    legs = [(n, stations[n % 3][0], 6 + n % 2, 10 * (n % 3 + 1), 100 + n) for n in range(60)]
    _write(folder / "legs.csv", ("leg_no", "dest", "hr", "pax", "fuel"), legs)
    return folder


def test_what_lies_beside_the_data_is_read_and_told(assay: Assay, air: Path) -> None:
    (air / "assay.yaml").write_text(AIR)
    asked = assay("ask", "passengers by country", "--data", air, "--deliver", "table", "--json")
    assert asked.code == 0, asked.err
    assert asked.json["semantic_models"] == ["assay.yaml"]
    rows = {row[0]: row[1] for row in _rows(asked.json)}
    assert rows == {"Norway": 200, "Sweden": 1000}

    sky = assay("ask", "number of flights by sky", "--data", air, "--deliver", "table", "--json")
    assert {row[0]: row[1] for row in _rows(sky.json)} == {"rain": 30, "clear": 30}

    told = assay("ask", "fuel per passenger in Sverige", "--data", air, "--deliver", "summary")
    assert told.out.startswith("model       assay.yaml\n") and " kg" in told.out, told.err
    verified = assay("verify", _job(told.out), "--recompute")
    assert verified.code == 0, verified.out


def test_a_proposal_is_written_never_over_and_is_a_model(assay: Assay, air: Path) -> None:
    target = air / "mine.assay.yaml"
    written = assay("look", air, "--propose", target)
    assert written.code == 0 and "it changes nothing as it stands" in written.out, written.err
    assert "  legs:  # 60 rows" in target.read_text()
    refused = assay("look", air, "--propose", target)
    assert refused.code == 2 and "--force" in refused.err
    assert assay("look", air, "--propose", target, "--force").code == 0
    assert assay("look", air).code == 0, "and now it lies beside the data, and is read"
    shown = assay("look", air / "legs.csv", "--propose", "-")
    assert shown.out.startswith("# What legs.csv means") and "\ntables:\n" in shown.out


def test_mistakes_are_told_with_line_and_column(assay: Assay, air: Path, tmp_path: Path) -> None:
    model = tmp_path / "wrong.yaml"
    model.write_text("tables:\n  legs:\n    columns:\n      paxx: {kind: amount}\n")
    looked = assay("look", air, "--model", model)
    assert looked.code == 2
    said = " ".join(looked.err.split())
    assert 'wrong.yaml, line 4, column 7: legs has no column "paxx"; did you mean "pax"?' in said
    away = assay("look", air, "--model", tmp_path / "nowhere.yaml")
    assert away.code == 2 and "there is no semantic model at" in away.err


def test_northwind_is_asked_by_a_metric_of_its_lines(
    assay: Assay, new_home: Path, tmp_path: Path
) -> None:
    if not NORTHWIND.exists():
        pytest.skip(f"{NORTHWIND.name} is not among the shared data")
    database = tmp_path / "trade.sqlite"
    shutil.copyfile(NORTHWIND, database)
    (tmp_path / "trade.assay.yaml").write_text(TRADE)
    added = assay("source", "add", "trade", f"sqlite:///{database}", home=new_home)
    assert added.code == 0 and "model       trade.assay.yaml" in added.out, added.err
    asked = assay("ask", "takings in 1997", "--deliver", "summary", home=new_home)
    assert asked.code == 0 and "617,085 USD" in asked.out, asked.err
    rate = assay("ask", "discount rate by category", "--deliver", "table", "--json", home=new_home)
    best = max(_rows(rate.json), key=lambda row: row[1])
    assert best[0] == "Meat/Poultry" and round(best[1], 4) == 0.0851


def test_the_example_model_fits_the_example_shop(assay: Assay, retailer: Path) -> None:
    model = Path(__file__).resolve().parents[2] / "examples" / "shop.assay.yaml"
    database = f"sqlite:///{retailer / 'shop.sqlite'}"
    asked = "average revenue per purchase"
    told = assay("ask", asked, "--db", database, "--model", model, "--deliver", "summary")
    assert told.code == 0, told.err
    said = " ".join(told.out.split())
    assert "average revenue per order = quantity × unit_price × (1 − discount)" in said
    plain = assay("ask", "average order value", "--db", database, "--deliver", "table", "--json")
    ours = assay("ask", asked, "--db", database, "--model", model, "--deliver", "table", "--json")
    assert _rows(ours.json) == _rows(plain.json), "the model says what could be guessed here"


def _write(path: Path, header: tuple[str, ...], rows: object) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])  # type: ignore[misc]


def _rows(answered: dict[str, Any]) -> list[list[Any]]:
    return [list(record.values()) for record in answered["table"]["records"]]


def _job(out: str) -> str:
    return out.rsplit("assay verify ", 1)[1].split()[0]
