"""Charts asked for in a few loose words, over a harbour made for them, against SQL by hand."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from services.planner.domain.query.intent import NotUnderstood
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop, alike

HARBOUR = """
create table Region (Region_ID integer primary key, Region text, Population integer);
create table Harbour (Harbour_ID integer primary key, HarName text, Region_ID integer
    references Region(Region_ID), Opening_Year integer, Lit_yn integer);
create table Boat (Boat_ID integer primary key, Boat_Title text, Kind text, Max_Speed integer,
    Market_Share real, Rank integer, Sales_Thousand real, Profits_Thousand real, Built_Year integer,
    Harbour_ID integer references Harbour(Harbour_ID));
create table People (People_ID integer primary key, Name text, Age integer, Country text);
create table Sailor (Sailor_ID integer primary key, People_ID integer references People(People_ID),
    Support_Rate real, meter_100 real, meter_200 real);
create table Regatta (Regatta_ID integer primary key, Place text, Attendance integer,
    Date_of_Registration date);
create table Entry (Entry_ID integer primary key, Sailor_ID integer references Sailor(Sailor_ID),
    Regatta_ID integer references Regatta(Regatta_ID), Num_of_Rounds integer);
create table Harbour_Repair_Order (Order_ID integer primary key, Boat_ID integer
    references Boat(Boat_ID), Priority_Code text, Contractor text);
create table Staff (Staff_ID integer primary key, Grade text, Office text);
create table Catches (Catch_ID integer primary key, Region_ID integer
    references Region(Region_ID), Year integer, Catches real);
insert into Region values (1, 'North', 900), (2, 'South', 700), (3, 'East', 400);
insert into Harbour values (1, 'Elm Bay', 1, 1952, 1), (2, 'Ash Point', 1, 1987, 0),
    (3, 'Oak Quay', 2, 2003, 1), (4, 'Fir Cove', 3, 1871, 1);
insert into Boat values (1, 'Tern', 'yacht', 31, 12.5, 3, 40.5, 4.5, 1990, 1),
    (2, 'Kite', 'ferry', 22, 30.0, 1, 90.0, 12.0, 1999, 1),
    (3, 'Rook', 'yacht', 35, 7.5, 4, 20.5, 2.5, 2004, 2),
    (4, 'Lark', 'tug', 15, 28.0, 2, 70.0, 9.0, 1996, 3),
    (5, 'Wren', 'ferry', 25, 22.0, 5, 20.5, 2.5, 1994, 3);
insert into People values (1, 'Ada', 34, 'Malta'), (2, 'Bo', 41, 'Chile'), (3, 'Cy', 28, 'Malta'),
    (4, 'Di', 52, 'Peru'), (5, 'Ed', 45, 'Chile');
insert into Sailor values (1, 1, 0.31, 12.5, 26.0), (2, 2, 0.22, 13.0, 27.5),
    (3, 3, 0.44, 11.9, 25.0), (4, 4, 0.11, 14.0, 29.0);
insert into Regatta values (1, 'Elm', 300, '2014-03-02'), (2, 'Ash', 500, '2014-07-09'),
    (3, 'Elm', 800, '2015-05-01');
insert into Entry values (1, 1, 1, 3), (2, 1, 2, 4), (3, 2, 1, 2), (4, 3, 3, 5), (5, 4, 3, 1),
    (6, 4, 2, 1);
insert into Harbour_Repair_Order values (1, 1, 'high', 'Cheap Repair Order'), (2, 1, 'low', 'Joe'),
    (3, 4, 'high', 'Ann');
insert into Staff values (1, 'Salesperson', 'East'), (2, 'Pilot', 'East'),
    (3, 'Salesperson', 'West'),
    (4, 'Cook', 'West'), (5, 'Pilot', 'East');
insert into Catches values (1, 1, 2001, 10.5), (2, 1, 2002, 20.0), (3, 2, 2001, 5.5);
"""
SAILING = "People join Sailor using (People_ID)"
ENTERED = f"{SAILING} join Entry using (Sailor_ID)"


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder: Path = tmp_path_factory.mktemp("harbour")
    with sqlite3.connect(folder / "harbour.sqlite") as source:
        source.executescript(HARBOUR)
    return Shop(folder / "harbour.sqlite", folder)


NAMED_LIKE_A_CALCULATION = {
    "Show the max speed and market share of boats in a scatter chart.":
        "select Max_Speed, Market_Share from Boat",
    "Show the titles and market share of boats in a bar chart, sort titles in ascending order.":
        "select Boat_Title, Market_Share from Boat",
    "Scatter chart of the max speed and rank of boats.": "select Max_Speed, Rank from Boat",
    "Bar chart of the title and rank of boats with max speed higher than 24.":
        "select Boat_Title, Rank from Boat where Max_Speed > 24",
    "What is the sum of catches for each region name? Bar chart.":
        "select Region, sum(Catches) from Region join Catches using (Region_ID) group by 1",
}  # fmt: skip
SIDE_BY_SIDE = {
    "Show the relationship between meter 100 and meter 200 of sailors in a scatter chart.":
        "select meter_100, meter_200 from Sailor",
    "Show the correlation between people's age and number of rounds in a scatter chart.":
        f"select Age, Num_of_Rounds from {ENTERED}",
    "Show the sales and profits of boats in a scatter chart.":
        "select Sales_Thousand, Profits_Thousand from Boat",
    "Show the number of sales thousand and profits thousand of boats in a scatter chart.":
        "select Sales_Thousand, Profits_Thousand from Boat",
    "Show the names and support rates for the 3 sailors with the highest support rate as bars.":
        f"select Name, Support_Rate from {SAILING} order by 2 desc limit 3",
}  # fmt: skip
KINDS = {
    "Show the number of workers with each grade in a bar chart.":
        "select Grade, count(*) from Staff group by 1",
    "How many salespersons are in each office? Bar chart.":
        "select Office, count(*) from Staff where Grade = 'Salesperson' group by 1",
}  # fmt: skip
VERBS = {
    "Show the names of people and the number of regattas they attended in a bar chart.":
        f"select Name, count(*) from {ENTERED} group by 1",
    "Show the number of harbours opened before 1990 for each region name in a bar chart.":
        "select Region, count(*) from Harbour join Region using (Region_ID) "
        "where Opening_Year < 1990 group by 1",
    "Show the region name and the number of harbours opened in each region. Bar chart.":
        "select Region, count(*) from Harbour join Region using (Region_ID) group by 1",
    "For the boats built after 1995, show the number of boats for each kind in a bar chart.":
        "select Kind, count(*) from Boat where Built_Year > 1995 group by 1",
    "Show the harbour name and the number of boats each holds in a bar chart.":
        "select HarName, count(*) from Harbour join Boat using (Harbour_ID) group by 1",
    "Bar chart of the number of rounds sailed by people of each country.":
        f"select Country, sum(Num_of_Rounds) from {ENTERED} group by 1",
    "How many regattas has Ada attended?": f"select count(*) from {ENTERED} where Name = 'Ada'",
    "Show the number of harbours with opening year before 1880 by region name in a bar chart.":
        "select Region, count(*) from Harbour join Region using (Region_ID) "
        "where Opening_Year < 1880 group by 1",
}  # fmt: skip
THINGS = {
    "How many harbours does each region have? Show a bar chart of region name.":
        "select Region, count(*) from Harbour join Region using (Region_ID) group by 1",
    "Show the names and ages of people younger than the average age in a bar chart.":
        "select Name, Age from People where Age < (select avg(Age) from People)",
    "Show the region name and the number of harbours in each region in a bar chart.":
        "select Region, count(*) from Harbour join Region using (Region_ID) group by 1",
    "For each harbour name, how many boats of kind Ferry are there? Bar chart.":
        "select HarName, count(*) from Harbour join Boat using (Harbour_ID) "
        "where Kind = 'ferry' group by 1",
    "How many orders did each boat get? Bar chart with the boat title.":
        "select Boat_Title, count(*) from Boat join Harbour_Repair_Order using (Boat_ID) "
        "group by 1",
    "Show the kind and the number of boats, colored by harbour name, in a stacked bar chart.":
        "select Kind, HarName, count(*) from Boat join Harbour using (Harbour_ID) "
        "group by 1, 2",
    "Show the harbour names and opening years in a bar chart.":
        "select HarName, Opening_Year from Harbour",
    "Show the names and ages of people that are not sailors in a bar chart.":
        "select Name, Age from People where People_ID not in (select People_ID from Sailor)",
    "How many orders for each priority code? Pie chart.":
        "select Priority_Code, count(*) from Harbour_Repair_Order group by 1",
    "Show priority codes and the number of repair orders with each priority in a pie chart.":
        "select Priority_Code, count(*) from Harbour_Repair_Order group by 1",
    "Show the number of harbours grouped by whether harbours are lit in a pie chart.":
        "select Lit_yn, count(*) from Harbour group by 1",
    "Show the number of regattas by the year of registration in a line chart.":
        "select 0 + substr(Date_of_Registration, 1, 4), count(*) from Regatta group by 1",
    "Bar chart of how many regattas there are, bin the date of registration by year.":
        "select 0 + substr(Date_of_Registration, 1, 4), count(*) from Regatta group by 1",
}  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("question", "sql"),
    [
        *NAMED_LIKE_A_CALCULATION.items(),
        *SIDE_BY_SIDE.items(),
        *KINDS.items(),
        *VERBS.items(),
        *THINGS.items(),
    ],
)
async def test_a_chart_shows_what_the_sql_by_hand_says(
    harbour: Shop, question: str, sql: str
) -> None:
    alike(await harbour.rows(question), harbour.truth(sql))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "things", ["max speed and rank of every boat", "max speed and built year of each boat"]
)
async def test_points_of_the_things_themselves_have_no_colours(harbour: Shop, things: str) -> None:
    found = await harbour.understood(f"Scatter plot of the {things}.")
    assert found.intent.series is None


@pytest.mark.asyncio
async def test_points_of_a_kind_have_its_colour_and_no_sums(harbour: Shop) -> None:
    question = "Visualize a scatter of the max speed and the market share for each kind of boats."
    assert (await harbour.understood(question)).intent.series == 0
    alike(
        await harbour.rows(question),
        harbour.truth("select Kind, Max_Speed, Market_Share from Boat"),
    )


@pytest.mark.asyncio
async def test_what_each_unknown_thing_has_is_not_told(harbour: Shop) -> None:
    question = "Show the number of boats for each skipper in a bar chart."
    found = await understand(question, harbour.catalogue, harbour.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood) and "skipper" in found.message
