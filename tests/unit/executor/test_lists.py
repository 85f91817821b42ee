"""Lists in one text: told apart from names and prose, and a table of their own once repaired."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import ReaderOptions, Repair
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_text


def opened(
    folder: Path, cells: list[str], *repairs: Repair, raw: bool = False, key: str = "id"
) -> PreparedSource:
    """A table of these cells beside a key."""
    rows = (f'{n}\t"{cell.replace(chr(34), chr(34) * 2)}"' for n, cell in enumerate(cells, 1))
    text = f"{key}\tthings\n" + "\n".join(rows) + "\n"
    return open_text(folder, "t.tsv", text, options=ReaderOptions(repairs=repairs, raw=raw))


def doubts(source: PreparedSource) -> list[Doubt]:
    return [doubt for doubt in source.doubts if doubt.code == "lists"]


def counted(source: PreparedSource) -> dict[str, int]:
    sql = "SELECT things, count(*) AS n FROM t_things GROUP BY 1"
    return {row["things"]: row["n"] for row in ask(source, sql).to_pylist()}


@pytest.mark.parametrize(
    ("cells", "written", "found"),
    [
        (["a|b", "b", "b|a|c", "c|a", ""], "bars", {"a": 3, "b": 3, "c": 2}),
        (
            ["tea, milk", "milk", "milk, tea", "tea, rum", "rum, tea"],
            "commas",
            {"tea": 4, "milk": 3, "rum": 2},
        ),
        (["x;y;", "y;x", "y; z", "z;x"], "semicolons", {"x": 3, "y": 3, "z": 2}),
        (
            ["Drama/War", "War/Drama", "Drama/Love", "Love/Drama"],
            "slashes",
            {"Drama": 4, "War": 2, "Love": 2},
        ),
    ],
)
def test_lists_are_told_and_become_a_table_when_somebody_says_so(
    tmp_path: Path, cells: list[str], written: str, found: dict[str, int]
) -> None:
    source = opened(tmp_path, cells)
    (doubt,) = doubts(source)
    assert not doubt.repaired
    assert doubt.repairs == (Repair(kind="lists", column="things", value=written),)
    assert [table.name for table in source.tables] == ["t"]
    mended = opened(tmp_path, cells, *doubt.repairs)
    assert counted(mended) == found and not doubts(mended)
    parent, child = mended.tables
    assert (parent.name, parent.rows, parent.primary_key) == ("t", len(cells), ("id",))
    assert [one.to_table for one in child.foreign_keys] == ["t"]


def test_lists_in_brackets_become_a_table_at_once_and_none_where_it_is_raw(tmp_path: Path) -> None:
    cells = ['["a", "b, c"]', "['a']", "[]", '["b, c"]']
    source = opened(tmp_path, cells)
    (doubt,) = doubts(source)
    assert (doubt.repaired, doubt.table, doubt.column) == (True, "t_things", "things")
    assert counted(source) == {"a": 2, "b, c": 2}
    raw = opened(tmp_path, cells, raw=True)
    assert [table.name for table in raw.tables] == ["t"] and not doubts(raw)[0].repaired


def test_rows_without_a_key_are_numbered(tmp_path: Path) -> None:
    cells = ["a|b", "b|a", "a|b", "b"]
    mended = opened(tmp_path, cells, Repair(kind="lists", column="things", value="bars"), key="n")
    assert [c.name for c in mended.tables[0].columns] == ["t_row", "n"]
    assert counted(mended) == {"a": 3, "b": 4}


@pytest.mark.parametrize(
    "cells",
    [
        ["Smith, Ann", "Lee, Bo", "Smith, Cy", "Lee, Ann", "Kim, Bo"],
        ["Oslo, Norway", "Rome, Italy", "Bergen, Norway", "Milan, Italy"],
        ["It rained, then we left", "We left, as it rained", "We stayed, and it rained all day"],
        ["n/a", "km/h", "m/s", "km/h"],
        ["red, green", "blue, pink", "black, white", "grey, brown"],
        ["1,5", "2,5", "5,1", "5,2", "x"],
        ["plain", "text", "alone"],
    ],
)
def test_names_places_and_prose_are_no_lists(tmp_path: Path, cells: list[Any]) -> None:
    assert not doubts(opened(tmp_path, cells))
