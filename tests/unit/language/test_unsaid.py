"""What a question leaves unsaid: the best by what, the average of what, the rows called what."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.planner.domain.query.intent import NotUnderstood, Understood
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop, alike, opened

SOLD = "InvoiceLine l join Track t using (TrackId)"
MONEY = "sum(l.UnitPrice * l.Quantity)"


@pytest.fixture(scope="module")
def chinook(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("chinook", tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """One table of films that is not called after them, one of them a "Silent Movie"."""
    import sqlite3

    folder = tmp_path_factory.mktemp("films")
    with sqlite3.connect(folder / "f.sqlite") as database:
        database.execute("CREATE TABLE bechdel (title TEXT, verdict TEXT, budget REAL)")
        rows = [(f"Title {i}", "ok" if i % 3 else "men", 1.5 * i) for i in range(40)]
        database.executemany("INSERT INTO bechdel VALUES (?, ?, ?)", rows)
        database.execute("INSERT INTO bechdel VALUES ('Silent Movie', 'men', 4.0)")
    return Shop(folder / "f.sqlite", tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "top 5 genres",
            f"select g.Name, {MONEY} s from {SOLD} join Genre g using (GenreId) "
            "group by 1 order by s desc limit 5",
        ),
        (
            "best selling album",
            f"select a.Title, {MONEY} s from {SOLD} join Album a using (AlbumId) "
            "group by a.AlbumId order by s desc limit 1",
        ),
        ("longest track", "select Name, max(Milliseconds) from Track"),
        (
            "number of tracks longer than 5 minutes by genre",
            "select g.Name, count(*) n from Track t join Genre g using (GenreId) "
            "where Milliseconds > 300000 group by 1 order by n desc, 1",
        ),
        (
            "tracks between 2 and 3 minutes",
            "select Name from Track where Milliseconds between 120000 and 180000",
        ),
    ],
)
async def test_what_an_analyst_would_take_it_to_mean(
    chinook: Shop, question: str, sql: str
) -> None:
    alike(await chinook.rows(question), chinook.truth(sql))


async def test_the_number_that_was_gone_by_is_said(chinook: Shop) -> None:
    found = await chinook.understood("top 5 artists")
    assert any("goes by revenue" in note for note in found.assumptions)


async def test_the_latest_is_the_last_by_its_date(chinook: Shop) -> None:
    (row,) = await chinook.rows("latest invoice")
    ((last,),) = chinook.truth("select date(max(InvoiceDate)) from Invoice")
    assert last in [str(value)[:10] for value in row]


async def test_people_are_the_oldest_by_birth_and_the_newest_by_when_they_came(
    chinook: Shop,
) -> None:
    for question, order in (
        ("oldest employee", "BirthDate"),
        ("youngest employee", "BirthDate desc"),
        ("newest employee", "HireDate desc"),
    ):
        (row,) = await chinook.rows(question)
        wanted = chinook.truth(f"select FirstName, LastName from Employee order by {order} limit 1")
        assert [row[:2]] == wanted, question


@pytest.mark.parametrize(
    ("question", "needed"),
    [
        ("newest artist", '"newest artist" by which date? They have none'),
        ("fastest employee", 'what "fastest" should mean'),
        ("average customer", 'what "average" should mean'),
        ("median of customers by country", 'what "median" should mean'),
    ],
)
async def test_nobody_gets_the_first_by_the_alphabet(
    chinook: Shop, question: str, needed: str
) -> None:
    found = await understand(question, chinook.catalogue, chinook.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert needed in found.message


@pytest.mark.parametrize(
    ("question", "label", "rows"),
    [
        ("number of rows", "number of rows", [(41,)]),
        ("number of movies by verdict", "number of movies", [("ok", 26), ("men", 15)]),
        ("how many records have a budget over 30", "number of records", [(19,)]),
    ],
)
async def test_rows_have_the_name_that_the_question_gives_them(
    films: Shop, question: str, label: str, rows: list[tuple[object, ...]]
) -> None:
    found = await understand(question, films.catalogue, films.lookup, today=TODAY)
    assert isinstance(found, Understood)
    assert found.intent.measures[0].label == label
    assert await films.rows(question) == rows


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "products out of stock",
            "select ProductName from Products where UnitsInStock = 0",
        ),
        (
            "how many discontinued products are in stock",
            "select count(*) from Products where UnitsInStock > 0 and Discontinued = '1'",
        ),
        (
            "total units in stock by category",
            "select CategoryName, sum(UnitsInStock) from Products join Categories "
            "using (CategoryID) group by 1",
        ),
    ],
)
async def test_what_is_out_of_stock_is_there_no_more(
    tmp_path: Path, question: str, sql: str
) -> None:
    northwind = opened("northwind", tmp_path)
    alike(await northwind.rows(question), northwind.truth(sql))


async def test_what_is_told_of_each_thing_stands_beside_its_name(chinook: Shop) -> None:
    told = await chinook.rows("employees and their hire date")
    sql = "select FirstName, LastName, date(HireDate) from Employee"
    alike([(*name, str(moment)[:10]) for *name, moment in told], chinook.truth(sql))


@pytest.mark.parametrize("question", ["artists and their albums", "albums with their artists"])
async def test_things_that_belong_together_are_listed_together(
    chinook: Shop, question: str
) -> None:
    sql = "select Name, Title from Album join Artist using (ArtistId)"
    pairs = [tuple(sorted(pair)) for pair in await chinook.rows(question)]
    alike(pairs, [tuple(sorted(pair)) for pair in chinook.truth(sql)])
