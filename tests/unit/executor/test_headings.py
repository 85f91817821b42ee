"""Headings in several lines become one name a column; what is above them is no row."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.executor.domain.source import ReaderOptions, Repair
from services.executor.sources.delimited.dialect import Row
from services.executor.sources.delimited.layout import Layout, find_layout
from tests.unit.executor.source_help import decided, open_text, rows_of, types_of

_OPTIONS = ReaderOptions()


def laid_out(text: str, options: ReaderOptions = _OPTIONS) -> Layout:
    lines = list(enumerate(text.splitlines(), 1))
    rows = [Row(n, tuple(line.split(","))) for n, line in lines if line.strip(", ")]
    return find_layout(rows, options)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            ",,2024,,2025,\nRegion,City,Q1,Q2,Q1,Q2\nN,Oslo,1,2,3,4\nS,Rome,5,6,7,8\n",
            "Region|City|2024 Q1|2024 Q2|2025 Q1|2025 Q2",
        ),
        (
            "Region,City,2024,,2025,\n,,Q1,Q2,Q1,Q2\nN,Oslo,1,2,3,4\nS,Rome,5,6,7,8\n",
            "Region|City|2024 Q1|2024 Q2|2025 Q1|2025 Q2",
        ),
        (
            ",,Sales,,,\n,,2024,,2025,\nRegion,City,Q1,Q2,Q1,Q2\nN,Oslo,1,2,3,4\nS,Rome,5,6,7,8\n",
            "Region|City|Sales 2024 Q1|Sales 2024 Q2|Sales 2025 Q1|Sales 2025 Q2",
        ),
        (
            "id,Men,Men,Women,Women\nid,n,%,n,%\n1,2,3,4,5\n2,3,4,5,6\n",
            "id|Men n|Men %|Women n|Women %",
        ),
        (
            "Month,Sales,Sales,Cost\n,plan,actual,\nJan,1,2,3\nFeb,2,2,4\n",
            "Month|Sales plan|Sales actual|Cost",
        ),
        (
            ",Sales,,\nRegion,2022,2023,2024\nN,1,2,3\nS,4,5,6\n",
            "Region|Sales 2022|Sales 2023|Sales 2024",
        ),
    ],
)
def test_groups_above_names_are_joined_with_them(text: str, names: str) -> None:
    layout = laid_out(text)
    assert "|".join(layout.names) == names
    assert layout.joined and layout.first_line == text.count("\n") - 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("name,n\nOslo,1\nRome,2\n", "name|n"),
        ("shop,open,n\nA,yes,\nB,no,\nC,yes,5\nD,no,6\n", "shop|open|n"),
        ("store,q1,q2\nA,closed,closed\nB,5,6\nC,6,7\n", "store|q1|q2"),
        ("from,to\nOslo,Rome\nRome,Oslo\nBari,Rome\n", "from|to"),
        (",a,b\n0,x,5\n1,y,6\n", "|a|b"),
        ("name,2023,2024\nx,1,2\ny,3,4\n", "name|2023|2024"),
    ],
)
def test_rows_below_one_line_of_names_stay_rows(text: str, names: str) -> None:
    layout = laid_out(text)
    assert "|".join(layout.names) == names
    assert (layout.first_line, layout.headings) == (2, None)


@pytest.mark.parametrize(
    "before",
    [
        "Regional report,,,\n",
        "Report,2024,,\nCreated,2024-05-01,,\n,,,\n",
        "Sales,,,\nall regions,,,\n\n",
        "Report 7\n\n",
    ],
)
def test_titles_above_are_kept_as_what_is_before_the_table(before: str) -> None:
    layout = laid_out(before + "city,day,n,m\nOslo,2024-01-01,1,2\nRome,2024-01-02,3,4\n")
    assert layout.names == ("city", "day", "n", "m")
    assert layout.preamble[0].startswith(before.split(",")[0].split("\n")[0])


def test_words_below_names_are_what_is_said_of_the_columns(tmp_path: Path) -> None:
    text = (
        "Q1,Q2,Q3\nHow old are you?,How many children?,Where do you live?\n33,1,Oslo\n44,2,Rome\n"
    )
    source = open_text(tmp_path, "t.csv", text)
    comments = {column.name: column.comment for column in source.tables[0].columns}
    assert comments["Q2"] == "How many children?"
    assert types_of(source) == {"Q1": "BIGINT", "Q2": "BIGINT", "Q3": "VARCHAR"}


TWO = "Region,City,2024,,2025,\n,,Q1,Q2,Q1,Q2\nN,Oslo,1,2,3,4\nS,Rome,5,6,7,8\n"


def test_joined_headings_are_told_recorded_and_undone_by_raw(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", TWO)
    assert types_of(source)["2025 Q1"] == "BIGINT"
    assert decided(source, "repairs") == "headings=2"
    assert source.notes == ('the columns are named in 2 lines: joined as "2024 Q1"',)
    (doubt,) = source.doubts
    assert doubt.repaired and doubt.repairs == (Repair(kind="headings", value="2"),)
    raw = open_text(tmp_path, "t.csv", TWO, options=ReaderOptions(raw=True))
    assert raw.rows == 3 and not raw.doubts[0].repaired


@pytest.mark.parametrize(("levels", "rows", "first"), [("1", 3, "Region"), ("3", 1, "Region N")])
def test_people_say_how_many_lines_name_the_columns(
    tmp_path: Path, levels: str, rows: int, first: str
) -> None:
    options = ReaderOptions(repairs=(Repair(kind="headings", value=levels),))
    source = open_text(tmp_path, "t.csv", TWO, options=options)
    assert source.rows == rows
    assert next(iter(rows_of(source)[0])) == first


def test_the_keys_of_a_surveys_program_are_no_row(tmp_path: Path) -> None:
    heads = "Id,Q1,Q2\nResponse,Your age?,How many?\n"
    keys = '"{""ImportId"":""_id""}","{""ImportId"":""Q1""}","{""ImportId"":""Q2""}"\n'
    source = open_text(tmp_path, "t.csv", heads + keys + "r1,31,4\nr2,45,5\nr3,27,6\n")
    assert [row["Q1"] for row in rows_of(source)] == [31, 45, 27]
