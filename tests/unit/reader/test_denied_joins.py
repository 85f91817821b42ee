"""A join that was guessed can be denied: in words, and in the semantic model."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from services.planner.domain.analysis.planning import PlanningInput
from services.planner.domain.analysis.settling import reading_of, settled_by
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
from services.planner.domain.query.intent import NotUnderstood, Understood
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.reader.fragments.joins import denied_join
from services.planner.domain.semantic_model.applying import with_models

TEXT, NUMBER = DataType.STRING, DataType.INTEGER


def column(name: str, kind: DataType, distinct: int, *samples: str) -> Column:
    role = ColumnRole.MEASURE if kind is DataType.FLOAT else ColumnRole.DIMENSION
    return Column(name=name, data_type=kind, role=role, distinct=distinct, samples=samples)


QUAY = Catalogue(
    tables=(
        Table(
            name="landings",
            source_name="landings.csv",
            rows=60,
            columns=(
                column("landing", NUMBER, 60),
                column("vessel", TEXT, 4, "Tern", "Osprey"),
                column("kilos", DataType.FLOAT, 55),
            ),
        ),
        Table(
            name="fleet",
            source_name="fleet.csv",
            rows=4,
            columns=(
                column("vessel", TEXT, 4, "Tern", "Osprey"),
                column("rig", TEXT, 2, "ketch"),
            ),
        ),
    ),
    relationships=(
        Relationship(
            from_table="landings",
            from_column="vessel",
            to_table="fleet",
            to_column="vessel",
            confidence=0.7,
            declared=False,
        ),
    ),
    fingerprint="q" * 64,
)


async def nothing(phrases: object) -> list[ValueHit]:
    return []


def asked(*corrections: str, catalogue: Catalogue = QUAY) -> PlanningInput:
    request = AnalysisRequest.model_construct(
        intent="total kilos by rig", data_sources=(DataSource(),), corrections=corrections
    )
    return PlanningInput(request, catalogue, nothing, date(2025, 1, 1))


async def test_a_guessed_join_is_told_with_the_words_that_deny_it() -> None:
    given = asked()
    found, _ = await reading_of(given, settled_by(given))

    assert isinstance(found, Understood)
    first = found.assumptions[0]
    assert "landings.vessel = fleet.vessel" in first and "not joined by vessel" in first


async def test_a_join_that_is_declared_is_no_guess() -> None:
    sure = QUAY.relationships[0].model_copy(update={"declared": True, "confidence": 1.0})
    given = asked(catalogue=QUAY.model_copy(update={"relationships": (sure,)}))

    found, _ = await reading_of(given, settled_by(given))

    assert isinstance(found, Understood)
    assert not any("guess" in note for note in found.assumptions)


@pytest.mark.parametrize(
    "words",
    [
        "not joined by vessel",
        "no, they are not linked on landings.vessel",
        "don't join the tables by the vessel column",
    ],
)
async def test_without_the_join_that_is_denied_nothing_relates_the_tables(words: str) -> None:
    given = asked(words)

    found, said = await reading_of(given, settled_by(given))

    assert said.corrections == (words,), "it is remembered like any correction"
    assert isinstance(found, NotUnderstood), found


async def test_another_join_takes_the_place_of_the_one_denied() -> None:
    landings, fleet = QUAY.tables
    code = column("boat_code", TEXT, 4, "T1", "O2")
    tables = (
        landings.model_copy(update={"columns": (*landings.columns, code)}),
        fleet.model_copy(update={"columns": (*fleet.columns, code)}),
    )
    given = asked("not joined by vessel", catalogue=QUAY.model_copy(update={"tables": tables}))

    found, _ = await reading_of(given, settled_by(given))

    assert isinstance(found, Understood)
    assert [r.left.column for r in found.intent.joins] == ["boat_code"]
    assert found.assumptions[0] == "not joined by landings.vessel = fleet.vessel, as you said"


async def test_what_joins_nothing_cannot_be_denied() -> None:
    given = asked("not joined by colour")

    found, _ = await reading_of(given, settled_by(given))

    assert isinstance(found, NotUnderstood)
    assert "“colour”" in found.message and "landings.vessel = fleet.vessel" in found.message


def test_other_corrections_deny_no_join() -> None:
    for words in ("not by vessel", "no, by rig", "without Tern", "only those joined in 2020"):
        assert not denied_join(words), words


async def test_a_semantic_model_denies_it_for_good() -> None:
    text = "tables:\n  landings:\n    no_joins:\n      - {to: fleet, on: {vessel: vessel}}\n"
    models = (ModelText(name="quay.assay.yaml", text=text),)
    known = with_models(QUAY, [DataSource(semantic_models=models)])
    given = replace(asked(), catalogue=known)

    found, _ = await reading_of(given, settled_by(given))

    assert isinstance(found, NotUnderstood)
    assert known.fingerprint != QUAY.fingerprint
