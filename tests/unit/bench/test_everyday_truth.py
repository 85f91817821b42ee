"""Each truth of the everyday set runs, gives rows, and is not a matter of chance among equals."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
import sqlglot
from sqlglot import exp

from bench.everyday import Item, build, load, sources, truth
from bench.everyday.datasets import DATASETS, bank, cars, shop
from bench.everyday.making import Dataset, write

Rows = list[tuple[Any, ...]]
Ask = Callable[[str, str], Rows]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("everyday")
    build(target)
    return target


@pytest.fixture(scope="module")
def ask(folder: Path) -> Ask:
    opened = {name: truth(folder, name) for name in DATASETS}
    return lambda dataset, sql: opened[dataset].execute(sql).fetchall()


def every() -> list[Item]:
    return [item for first in load() for item in (first, *first.then)]


def truths(item: Item) -> list[str]:
    return [sql for sql in (item.sql, *item.also) if sql]


def comparable(rows: Rows) -> list[tuple[str, ...]]:
    return sorted(
        tuple(f"{cell:.3g}" if isinstance(cell, float) else str(cell).lower() for cell in row)
        for row in rows
    )


def handed_over(folder: Path, dataset: Dataset) -> dict[str, pd.DataFrame]:
    """The tables as they stand in the files, with gaps known, codes kept and dates read as such."""
    made = dataset.tables()
    if dataset.form == "sqlite":
        with closing(sqlite3.connect(sources(folder, dataset.name)[0])) as connection:
            raw = {name: pd.read_sql(f'SELECT * FROM "{name}"', connection) for name in made}
    else:
        gaps = ["", *dataset.missing.values()]
        raw = {
            path.stem: pd.read_csv(path, dtype=str, keep_default_na=False, na_values=gaps)
            for path in sources(folder, dataset.name)
        }
    assert set(raw) == set(made)
    return {name: typed(raw[name], made[name]) for name in made}


def typed(raw: pd.DataFrame, like: pd.DataFrame) -> pd.DataFrame:
    assert list(raw.columns) == list(like.columns)
    assert len(raw) == len(like)
    columns: dict[str, Any] = {}
    for column, kind in like.dtypes.items():
        cells: Any = raw[str(column)]
        if pd.api.types.is_datetime64_any_dtype(kind):
            columns[str(column)] = pd.to_datetime(cells)
        elif pd.api.types.is_bool_dtype(kind):
            columns[str(column)] = cells == "True"
        elif pd.api.types.is_numeric_dtype(kind):
            columns[str(column)] = pd.to_numeric(cells).astype(kind)
        else:
            columns[str(column)] = cells
    return pd.DataFrame(columns)


def with_keys(sql: str) -> tuple[str, int, int, int | None] | None:
    """The query unlimited, what it is ordered by shown last; keys, rows skipped and rows kept."""
    query = sqlglot.parse_one(sql, dialect="duckdb")
    assert isinstance(query, exp.Select)
    order = query.args.get("order")
    if order is None:
        return None
    limit, offset = query.args.get("limit"), query.args.get("offset")
    keys = [ordered.this for ordered in order.expressions]
    shown = [query.selects[int(key.name) - 1] if key.is_int else key for key in keys]
    bare = query.copy()
    bare.set("limit", None)
    bare.set("offset", None)
    for place, key in enumerate(shown):
        bare = bare.select(exp.alias_(key.unalias().copy(), f"key_{place}"))
    return (
        bare.sql("duckdb"),
        len(shown),
        int(offset.expression.name) if offset else 0,
        int(limit.expression.name) if limit else None,
    )


def test_every_answer_has_rows_by_each_of_its_truths(ask: Ask) -> None:
    for item in every():
        for sql in truths(item):
            assert ask(item.dataset, sql), (item.id, sql)


def test_no_truth_is_empty_of_numbers(ask: Ask) -> None:
    for item in every():
        for row in ask(item.dataset, item.sql) if item.sql else []:
            assert any(cell is not None for cell in row), item.id
            for cell in row:
                assert not (isinstance(cell, float) and not math.isfinite(cell)), item.id


def test_the_readings_to_be_offered_give_different_rows(ask: Ask) -> None:
    for item in every():
        if item.expect == "ask":
            answers = [tuple(comparable(ask(item.dataset, sql))) for sql in item.also]
            assert len(set(answers)) == len(answers), item.id


def test_what_is_first_is_so_by_more_than_chance(ask: Ask) -> None:
    tied: list[tuple[str, str]] = []
    for item in every():
        for sql in truths(item):
            found = with_keys(sql)
            if found is None:
                continue
            query, keys, skipped, kept = found
            by = [row[-keys:] for row in ask(item.dataset, query)]
            end = len(by) if kept is None else skipped + kept
            part = by[skipped:end]
            cut = kept is not None and end < len(by) and by[end - 1] == by[end]
            if cut or (item.ordered and len(set(part)) < len(part)):
                tied.append((item.id, sql))

    assert tied == []


def test_what_is_ordered_has_an_order_in_each_of_its_truths() -> None:
    for item in every():
        if item.ordered:
            assert all(with_keys(sql) for sql in truths(item)), item.id


def test_who_reads_the_files_with_care_finds_the_same_answers(folder: Path, ask: Ask) -> None:
    differing: list[str] = []
    for name, dataset in DATASETS.items():
        given = duckdb.connect()
        for table, frame in handed_over(folder, dataset).items():
            given.register(table, frame)
        for item in (item for item in every() if item.dataset == name and item.sql):
            found = comparable(given.execute(item.sql).fetchall())
            if found != comparable(ask(name, item.sql)):
                differing.append(item.id)

    assert differing == []


def test_the_data_is_as_untidy_as_people_have_it(folder: Path) -> None:
    accounts, transactions = (path.read_text() for path in sources(folder, "bank"))

    assert "\n00" in accounts
    assert ",n/a," in transactions
    assert ",?," in sources(folder, "cars")[0].read_text()
    assert ",absent\n" in sources(folder, "school")[0].read_text()
    assert "North ," in sources(folder, "survey")[0].read_text()
    assert all(mark in sources(folder, "tickets")[0].read_text() for mark in (",high,", ",High,"))


def test_tables_are_the_same_at_every_making(folder: Path) -> None:
    for name, dataset in DATASETS.items():
        for table, frame in dataset.tables().items():
            kept = pd.read_parquet(folder / ".truth" / name / f"{table}.parquet")
            pd.testing.assert_frame_equal(frame, kept, check_dtype=False)


@pytest.mark.parametrize("dataset", [cars.DATASET, bank.DATASET, shop.DATASET])
def test_files_are_the_same_to_the_byte(tmp_path: Path, dataset: Dataset) -> None:
    for place in ("one", "two"):
        write(dataset, tmp_path / place, tmp_path / f"{place}-truth")

    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_what_is_there_is_not_made_again_unless_its_maker_changed(tmp_path: Path) -> None:
    build(tmp_path)
    untouched, spoiled = sources(tmp_path, "cars")[0], sources(tmp_path, "bank")[0]
    before = untouched.stat().st_mtime_ns
    spoiled.unlink()
    (tmp_path / ".truth" / "bank.made").write_text("made by another maker")

    build(tmp_path)

    assert untouched.stat().st_mtime_ns == before
    assert spoiled.is_file()
