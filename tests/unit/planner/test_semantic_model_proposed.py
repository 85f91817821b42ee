"""The model that is proposed is a model, and says nothing that was not taken for granted."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue, Relationship
from services.planner.domain.facts import Facts, Key, TableFacts
from services.planner.domain.look.look import Findings, look_of
from services.planner.domain.reader.times.dates import times_of
from services.planner.domain.semantic_model.applying import with_models
from services.planner.domain.semantic_model.proposal import proposal_of
from services.planner.domain.semantic_model.reading import read_model
from tests.unit.planner.measured import referring
from tests.unit.planner.test_semantic_model_meant import AIR, LEGS, TEXT, by, column

ODD = LEGS.model_copy(
    update={
        "name": 'odd: "names" #1',
        "columns": (
            column("no", TEXT, 2),
            column("a: b", TEXT, 2, "x # y", "line\nbreak"),
            column("null", TEXT, 2),
            column("größe ✓", TEXT, 2),
        ),
        "comment": "says: 'hidden'\n# not a remark",
    }
)
GUESSED = Relationship(
    from_table="legs",
    from_column="dest",
    to_table="stations",
    to_column="faa",
    confidence=0.8,
    declared=False,
)
DATA = Catalogue(
    tables=(*AIR.tables, ODD), relationships=(*AIR.relationships, GUESSED), fingerprint="0"
)
FACTS = Facts(
    tables=(
        TableFacts(
            table="weather", rows=4, measured_rows=4, keys=(Key(columns=("station", "hr")),)
        ),
    ),
    references=(
        referring("legs", "dest", "stations", "faa", share=1),
        referring("legs", "hr", "weather", "hr", share=0.5),
    ),
)


def proposed() -> str:
    return proposal_of(
        look_of(DATA.model_copy(update={"facts": FACTS}), Findings(), times_of(DATA)), ("air.zip",)
    )


def test_it_is_read_again_whatever_names_and_values_are_like() -> None:
    model, _ = read_model("proposal", proposed())
    assert list(model.tables) == [table.name for table in DATA.tables]
    assert list(model.tables[ODD.name].columns) == ["no", "a: b", "null", "größe ✓"]
    assert model.tables[ODD.name].description == ODD.comment


def test_what_values_bear_out_is_said_and_the_rest_is_a_remark() -> None:
    text = proposed()
    assert "\n      - {to: stations, on: {dest: faa}}  # guessed: 100 %" in text
    assert "\n    #   - {to: weather, on: {hr: hr}}  # perhaps: 50 %" in text
    assert "\n    # key: [station, hr]" in text
    assert "may it be added up" in text
    assert "# time: flown  # or booked" in text or "# time: booked  # or flown" in text


def test_loaded_as_it_is_it_changes_no_table() -> None:
    found = with_models(DATA, by("proposal", proposed()))
    assert found.tables == DATA.tables
    ends = {(r.from_table, r.from_column, r.to_table, r.to_column) for r in found.relationships}
    assert ends == {
        (r.from_table, r.from_column, r.to_table, r.to_column) for r in DATA.relationships
    }
