"""What a semantic model says is held against the data, and put into the catalogue."""

from __future__ import annotations

from datetime import date

import pytest

from mesh.errors import AssayError
from mesh.policy import Policy
from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
    ValueHit,
)
from services.planner.domain.data_source import DataSource, ModelText
from services.planner.domain.query.intent import Understood
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.links.schema import schema_of
from services.planner.domain.reader.understand import understand
from services.planner.domain.semantic_model.aliases import with_aliases
from services.planner.domain.semantic_model.applying import with_models
from services.planner.domain.semantics.kinds import Kind, kind_of

TEXT, WHOLE, NUMBER, DAY = DataType.STRING, DataType.INTEGER, DataType.FLOAT, DataType.DATE
_ROLES = {TEXT: ColumnRole.DIMENSION, DAY: ColumnRole.TIMESTAMP}


def column(name: str, data_type: DataType, distinct: int = 50, *samples: str) -> Column:
    role = _ROLES.get(data_type, ColumnRole.MEASURE)
    first, last = ("2024-01-01", "2024-06-30") if data_type is DAY else (None, None)
    return Column(
        name=name,
        data_type=data_type,
        role=role,
        distinct=distinct,
        samples=samples,
        minimum=first,
        maximum=last,
    )


LEGS = Table(
    name="legs",
    source_name="legs.csv",
    rows=400,
    columns=(
        column("leg_no", WHOLE, 400),
        column("dest", TEXT, 4, "OSL", "ARN"),
        column("flown", DAY),
        column("booked", DAY),
        column("hr", WHOLE, 4, "6"),
        column("pax", WHOLE, 100),
        column("fuel", NUMBER, 390),
        column("dly", WHOLE, 90),
    ),
)
STATIONS = Table(
    name="stations",
    source_name="stations.csv",
    rows=4,
    columns=(
        column("faa", TEXT, 4, "OSL", "ARN"),
        column("land", TEXT, 3, "Norway", "Sweden"),
        column("fee", NUMBER, 4),
    ),
)
WEATHER = Table(
    name="weather",
    source_name="weather.csv",
    rows=16,
    columns=(
        column("station", TEXT, 4, "OSL", "ARN"),
        column("hr", WHOLE, 4, "6"),
        column("sky", TEXT, 3, "clear", "rain"),
    ),
)
AIR = Catalogue(
    tables=(LEGS, STATIONS, WEATHER),
    relationships=(
        Relationship(
            from_table="legs",
            from_column="hr",
            to_table="weather",
            to_column="hr",
            confidence=0.6,
            declared=False,
        ),
    ),
    fingerprint="f" * 64,
)
MODEL = """
tables:
  legs:
    synonyms: [flights]
    time: booked
    joins:
      - {to: stations, on: {dest: faa}}
      - {to: weather, on: {dest: station, hr: hr}}
    metrics:
      half fuel: {formula: burnt / 2}
      burnt: {formula: fuel, unit: kg}
      landing cost: {formula: stations.fee * pax}
      fuel per passenger: {formula: sum(burnt) / sum(pax)}
    columns:
      pax: {synonyms: [passengers], kind: amount}
      dly: {synonyms: [delay], kind: intensive, unit: min}
      leg_no: {hidden: true}
  stations:
    columns:
      land: {synonyms: [country], values: {Sweden: [Sverige]}}
"""


def by(called: str, text: str, name: str = "", file_path: str = "") -> list[DataSource]:
    """A source with that model."""
    models = (ModelText(name=called, text=text),)
    return [DataSource(semantic_models=models, name=name, file_path=file_path)]


def meant(text: str = MODEL) -> Catalogue:
    return with_models(AIR, by("air.assay.yaml", text))


def refused(text: str) -> str:
    with pytest.raises(AssayError) as raised:
        meant(text)
    assert raised.value.reason.code == "SEMANTIC_MODEL_INVALID"
    return raised.value.message


async def sql_of(question: str, catalogue: Catalogue | None = None) -> str:
    known = catalogue or meant()

    async def nothing(phrases: object) -> list[ValueHit]:
        return []

    found = await understand(question, known, with_aliases(nothing, known), today=date(2024, 7, 1))
    assert isinstance(found, Understood), found
    return " ".join(render(found.intent, known).text.split())


async def test_other_names_units_and_kinds_reach_the_query() -> None:
    known = meant()
    assert 'SUM("legs"."pax")' in await sql_of("passengers by country")
    assert 'AVG("legs"."dly")' in await sql_of("delay by country")
    assert "COUNT(*)" in await sql_of("number of flights by country")
    legs = known.tables[0]
    delay = legs.column("dly")
    assert delay is not None and (kind_of(delay, legs), delay.unit) == (Kind.INTENSIVE, "min")
    place = schema_of(known).of_field["legs", "dly"]
    assert place.unit is not None and place.unit.name == "min", "both readers know the unit"


async def test_declared_joins_beat_guesses_also_over_several_columns() -> None:
    text = await sql_of("average delay by sky")
    assert '"legs"."dest" = "weather"."station" AND "legs"."hr" = "weather"."hr"' in text
    assert '"legs"."dest" = "stations"."faa"' in await sql_of("passengers by country")
    rare = await sql_of("weather without flights")
    assert "NOT EXISTS" in rare and '"weather"."station" = "legs"."dest"' in rare


async def test_a_metric_is_computed_where_it_is_asked_for() -> None:
    text = await sql_of("landing cost by sky")
    assert '"stations"."fee" * "legs"."pax" AS "landing cost"' in text
    assert 'LEFT JOIN "stations"' in text, "no row of the legs is lost"
    assert 'SUM("legs"."landing cost")' in text
    assert '("legs"."fuel") / 2 AS "half fuel"' in await sql_of("half fuel by country")


@pytest.mark.parametrize(
    "question", ["fuel per passenger by country", "average fuel per passenger by country"]
)
async def test_a_metric_that_aggregates_itself_is_one_number_a_group(question: str) -> None:
    text = await sql_of(question)
    assert '(SUM("legs"."burnt") / NULLIF(SUM("legs"."pax"), 0)) AS "fuel per passenger"' in text
    having = await sql_of("countries with a fuel per passenger over 20")
    assert "HAVING" in having and "WHERE" not in having


@pytest.mark.parametrize(
    "question", ["average burn per flight by country", "what is the average burn per flight"]
)
async def test_a_metric_is_obeyed_whatever_the_words_of_its_name_ask_for(question: str) -> None:
    named = (
        "      average burn per flight: {formula: sum(fuel) / count(*)}\n    columns:\n      pax"
    )
    known = meant(MODEL.replace("    columns:\n      pax", named))
    assert 'SUM("legs"."fuel") / NULLIF(COUNT(*), 0)' in await sql_of(question, known)


async def test_the_date_is_that_which_is_told_unless_another_is_named() -> None:
    assert '"legs"."booked"' in await sql_of("number of flights by month")
    assert '"legs"."flown"' in await sql_of("number of flights by month flown")


async def test_values_are_found_by_their_other_names_and_hidden_columns_by_none() -> None:
    assert '"stations"."land" = ?' in await sql_of("number of flights to Sverige")
    assert meant().tables[0].column("leg_no") is None


def test_another_meaning_has_another_fingerprint_and_a_remark_has_none() -> None:
    remarked = meant("# told by Kari\n" + MODEL).fingerprint
    changed = meant(MODEL.replace("kind: amount", "kind: level")).fingerprint
    assert AIR.fingerprint != meant().fingerprint == remarked != changed
    assert with_models(AIR, []) is AIR


def test_what_policy_took_away_is_passed_over() -> None:
    rest = tuple(c for c in LEGS.columns if c.name != "fuel")
    without = LEGS.model_copy(update={"columns": rest})
    known = AIR.model_copy(update={"tables": (without, *AIR.tables[1:])})
    found = with_models(known, by("m", MODEL), Policy(blocked_patterns=("^fuel$",)))
    names = [c.name for c in found.tables[0].columns]
    assert "landing cost" in names and "burnt" not in names and "fuel per passenger" not in names


def test_where_policy_lists_what_exists_the_rest_is_passed_over() -> None:
    only = LEGS.model_copy(update={"columns": (LEGS.columns[1], LEGS.columns[5])})
    known = Catalogue(tables=(only,))
    found = with_models(known, by("m", MODEL), Policy(allowed_columns=("dest", "pax")))
    assert [c.name for c in found.tables[0].columns] == ["dest", "pax"]
    assert found.tables[0].column("pax").synonyms == ("passengers",)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tables: {leggs: {}}", 'column 10: the data has no table "leggs"; did you mean "legs"?'),
        ("tables: {legs: {columns: {paxx: }}}", 'legs has no column "paxx"; did you mean "pax"?'),
        ("tables: {legs: {key: [dest, dai]}}", 'legs has no column "dai"'),
        ("tables: {legs: {time: dest}}", "dest holds no dates (string)"),
        ("tables: {legs: {columns: {dest: {kind: amount}}}}", "dest holds no numbers (string)"),
        (
            "tables: {legs: {joins: [{to: weather, on: {dest: station}}]}}",
            "weather.station does not tell the rows of weather apart (4 different in 16 rows)",
        ),
        ("tables: {legs: {joins: [{to: whether, on: {dest: station}}]}}", 'mean "weather"?'),
        ("tables: {legs: {metrics: {m: {formula: pax * feul}}}}", 'did you mean "fuel"?'),
        ("tables: {stations: {metrics: {m: {formula: legs.pax}}}}", "declare the join"),
        ("tables: {legs: {metrics: {m: {formula: (select 1)}}}}", "a formula holds no query"),
        ("tables: {legs: {metrics: {m: {formula: 'pax; drop table legs'}}}}", "one SQL expression"),
        ("tables: {legs: {metrics: {m: {formula: pax + sum(pax)}}}}", "aggregate it too"),
        ("tables: {legs: {metrics: {m: {formula: sum(sum(pax))}}}}", "aggregated twice"),
        ("tables: {legs: {metrics: {a: {formula: b}, b: {formula: a}}}}", 'legs has no column "'),
        ("tables: {legs: {metrics: {Pax: {formula: fuel}}}}", 'legs has a column "pax" already'),
        ("tables: {legs: {metrics: {m: {formula: pax, kind: name}}}}", "a metric is a number"),
    ],
)
def test_what_the_data_does_not_have_is_told_with_the_nearest(text: str, said: str) -> None:
    assert said in refused(text)


def test_a_value_that_cannot_be_there_is_told_where_all_are_known() -> None:
    sky = column("sky", TEXT, 2, "clear", "rain")
    weather = WEATHER.model_copy(update={"columns": (*WEATHER.columns[:2], sky)})
    known = AIR.model_copy(update={"tables": (LEGS, STATIONS, weather)})
    text = "tables: {weather: {columns: {sky: {values: {cleer: [fine]}}}}}"
    with pytest.raises(AssayError, match='sky has no value "cleer"; did you mean "clear"'):
        with_models(known, by("m", text))


def test_a_model_goes_by_the_file_where_the_source_has_a_name_of_its_own() -> None:
    renamed = STATIONS.model_copy(update={"name": "ports", "source_name": "ports"})
    known = Catalogue(tables=(renamed,))
    text = "tables: {Stations: {columns: {land: {hidden: true}}}}"
    found = with_models(known, by("m", text, file_path="/data/stations.csv.gz", name="ports"))
    assert [c.name for c in found.tables[0].columns] == ["faa", "fee"]


def test_a_formula_is_told_as_it_was_written() -> None:
    legs = meant().tables[0]
    told = {c.name: c.formula_in("legs") for c in legs.columns if c.formula}
    assert told["landing cost"] == "stations.fee * pax"
    assert told["fuel per passenger"] == "SUM(burnt) / SUM(pax)"
