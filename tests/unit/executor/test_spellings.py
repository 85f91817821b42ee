"""One value in several spellings: told, and merged under the commonest where somebody says so."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import ReaderOptions, Repair
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_text


def opened(folder: Path, cells: list[str], *repairs: Repair) -> PreparedSource:
    """A table of these cells beside their numbers."""
    text = "no;thing\n" + "".join(f"{n};{cell}\n" for n, cell in enumerate(cells, 1))
    return open_text(folder, "t.csv", text, options=ReaderOptions(repairs=repairs))


def doubts(source: PreparedSource) -> list[Doubt]:
    return [doubt for doubt in source.doubts if doubt.code == "spellings"]


def counted(source: PreparedSource) -> Counter[str]:
    rows = ask(source, "SELECT thing, count(*) AS n FROM t GROUP BY 1").to_pylist()
    return Counter({row["thing"]: row["n"] for row in rows})


@pytest.mark.parametrize(
    ("cells", "merged"),
    [
        (["USA"] * 3 + ["U.S.A.", "usa ", "Chad"], {"USA": 5, "Chad": 1}),
        (["München"] * 3 + ["Munchen", "MÜNCHEN", "Köln"], {"München": 5, "Köln": 1}),
        (["Top Dog", "Top Dog", "top-dog", "Cat"], {"Top Dog": 3, "Cat": 1}),
        (["Main Straße", "Main Strasse", "Main Straße", "B"], {"Main Straße": 3, "B": 1}),
        (["size 10", "Size  10", "size 10", "size 1.0"], {"size 10": 3, "size 1.0": 1}),
        (["O'Neil", "O’Neil", "O'Neil", "ONeil", "Ó Neil"], {"O'Neil": 5}),
    ],
)
def test_spellings_of_one_value_are_told_and_merged_under_the_commonest(
    tmp_path: Path, cells: list[str], merged: dict[str, int]
) -> None:
    source = opened(tmp_path, cells)
    (doubt,) = doubts(source)
    assert not doubt.repaired
    assert doubt.repairs == (Repair(kind="merge", column="thing", value="commonest"),)
    assert sum(counted(source).values()) == len(cells) and len(counted(source)) > len(merged)
    mended = opened(tmp_path, cells, *doubt.repairs)
    assert counted(mended) == merged and not doubts(mended)


@pytest.mark.parametrize(
    "cells",
    [
        ["A", "A-", "A+", "B", "B-", "A"],
        ["C", "C++", "C#", "Go", "C", "Go"],
        ["1.5 l", "15 l", "1,5 l", "1.5 l"],
        ["AB-1", "AB1", "AB-1", "AB 1"],
        ["The end", "The End", "Alone", "Again", "Beyond", "Before", "Below", "Beneath"],
        ["yes", "no", "yes", "no"],
    ],
)
def test_what_punctuation_or_the_row_tells_apart_is_not_one_value(
    tmp_path: Path, cells: list[str]
) -> None:
    assert not doubts(opened(tmp_path, cells))
