"""A folder that is one table: opened by a notebook as a whole, and not uploaded file by file."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from assay.common.v1.analysis_pb2 import Answer
from assay.common.v1.data_pb2 import DataSource
from clients.python.files import data_files
from clients.python.notebooks.reading import opening_code
from mesh.errors import AssayError


def test_a_notebook_opens_all_parts_with_their_keys(tmp_path: Path) -> None:
    sales = tmp_path / "sales"
    duckdb.sql(
        "COPY (SELECT i AS n, 2024 + i % 2 AS year FROM range(4) t(i)) "
        f"TO '{sales}' (FORMAT parquet, PARTITION_BY (year))"
    )
    code = opening_code("sales", [DataSource(file_path=str(sales))], Answer(), {})
    with duckdb.connect() as opened:
        exec(code, {"opened": opened})
        counted = opened.execute("SELECT year, sum(n) FROM sales GROUP BY 1 ORDER BY 1").fetchall()
    assert counted == [(2024, 2), (2025, 4)]


def test_a_notebook_takes_no_file_of_a_table_of_delta_for_the_table(tmp_path: Path) -> None:
    orders = tmp_path / "orders"
    (orders / "_delta_log").mkdir(parents=True)
    duckdb.sql(f"COPY (SELECT 1 AS n) TO '{orders}/part-0.parquet' (FORMAT parquet)")
    code = opening_code("orders", [DataSource(file_path=str(orders))], Answer(), {})
    assert code.startswith("raise LookupError") and "orders" in code


@pytest.mark.parametrize("name", ["year=2024", "_delta_log"])
def test_its_files_are_not_uploaded_as_tables_of_their_own(tmp_path: Path, name: str) -> None:
    (tmp_path / "sales" / name).mkdir(parents=True)
    with pytest.raises(AssayError, match="is one table of many files") as caught:
        data_files([str(tmp_path / "sales")])
    assert "s3://BUCKET/PREFIX/" in caught.value.hint
