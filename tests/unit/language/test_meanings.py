"""Words that nothing explains are tied to names of similar meaning, told, or asked about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Likeness,
    Relationship,
    Table,
    ValueHit,
)
from services.planner.domain.query.intent import Clarification, NotUnderstood, Understood
from services.planner.domain.reader.understand import understand

pytestmark = pytest.mark.asyncio

COSINES = {
    ("drugs", "medications"): 0.76,
    ("drugs", "physicians"): 0.45,
    ("illness", "diagnosis"): 0.62,
    ("illness", "medications"): 0.6,
    ("tariff", "cost"): 0.59,
}


def column(name: str, kind: DataType, role: ColumnRole) -> Column:
    return Column(name=name, data_type=kind, role=role, distinct=50)


def table(name: str, *columns: Column) -> Table:
    key = column(f"{name[:-1]}_id", DataType.INTEGER, ColumnRole.ID)
    return Table(
        name=name, source_name=name, rows=50, columns=(key, *columns), primary_key=(key.name,)
    )


CLINIC = Catalogue(
    tables=(
        table(
            "medications",
            column("brand", DataType.STRING, ColumnRole.DIMENSION),
            column("cost", DataType.FLOAT, ColumnRole.MEASURE),
            column("diagnosis", DataType.STRING, ColumnRole.DIMENSION),
            column("physician_id", DataType.INTEGER, ColumnRole.ID),
        ),
        table("physicians", column("name", DataType.STRING, ColumnRole.DIMENSION)),
    ),
    relationships=(
        Relationship(
            from_table="medications",
            from_column="physician_id",
            to_table="physicians",
            to_column="physician_id",
        ),
    ),
)


async def no_values(phrases: Sequence[str]) -> Sequence[ValueHit]:
    return []


async def alike(phrases: Sequence[str], names: Sequence[str]) -> Sequence[Likeness]:
    made = [
        Likeness(phrase=phrase, name=name, similarity=COSINES.get((phrase, name), 0.1))
        for phrase in phrases
        for name in names
    ]
    return sorted(made, key=lambda likeness: (-likeness.similarity, likeness.name))


async def read(question: str, *, known: bool = True) -> Understood | Clarification | NotUnderstood:
    meanings = alike if known else None
    return await understand(question, CLINIC, no_values, today=date(2025, 1, 1), meanings=meanings)


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("number of drugs per brand", False),  # no model, or memory away
        ("average tariff by brand", True),  # not near enough
        ("medications in drugs", True),  # a place or a value, whatever it sounds like
    ],
)
async def test_other_words_are_taken_for_nothing(question: str, known: bool) -> None:
    found = await read(question, known=known)
    if isinstance(found, Understood):
        assert not any("similar" in link.reason for link in found.links)
