"""What a semantic model names and a request may not use is known by name, and by other names."""

from __future__ import annotations

from mesh.policy import Policy
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.data_source import DataSource, ModelText
from services.planner.domain.semantic_model.applying import with_models

_MODEL = """
tables:
  orders:
    synonyms: [purchases]
    columns:
      region: {synonyms: [territory]}
      note: {hidden: true, synonyms: [remark]}
    metrics:
      takings: {formula: price * quantity, synonyms: [turnover]}
      pieces: {formula: quantity * 1}
"""


def _number(name: str) -> Column:
    return Column(name=name, data_type=DataType.FLOAT, role=ColumnRole.MEASURE, distinct=9)


def _orders(*numbers: str) -> Catalogue:
    texts = [
        Column(name=name, data_type=DataType.STRING, role=ColumnRole.DIMENSION, distinct=3)
        for name in ("region", "note")
    ]
    table = Table(
        name="orders", source_name="orders", rows=9, columns=(*texts, *map(_number, numbers))
    )
    return Catalogue(tables=(table,))


def _source() -> DataSource:
    return DataSource(
        name="orders",
        file_path="orders.csv",
        semantic_models=(ModelText(name="m", text=_MODEL),),
    )


def test_a_metric_of_a_blocked_column_is_lacking_under_all_its_names() -> None:
    policy = Policy(blocked_patterns=("^price$",))
    found = with_models(_orders("quantity"), [_source()], policy)
    assert set(found.lacking) == {"note", "remark", "takings", "turnover"}


def test_what_there_is_is_not_lacking() -> None:
    found = with_models(_orders("price", "quantity"), [_source()])
    assert set(found.lacking) == {"note", "remark"}
