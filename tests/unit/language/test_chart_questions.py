"""Questions as they are asked for charts, over small databases, against SQL written by hand."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from services.planner.domain.query.intent import NotUnderstood
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop, alike

pytestmark = pytest.mark.asyncio

STAFF = """
create table teams (TEAM_ID integer primary key, TEAM_NAME text, BUDGET real, LEADER_ID integer);
create table posts (POST_ID text primary key, POST_TITLE text);
create table workers (
    WORKER_ID integer primary key, FIRST_NAME text, LAST_NAME text, HIRE_DATE date,
    POST_ID text references posts, SALARY integer, BONUS real, LEADER_ID integer,
    TEAM_ID integer references teams);
create table post_history (
    WORKER_ID integer references workers, START_DATE date, POST_ID text references posts,
    primary key (WORKER_ID, START_DATE));
insert into teams values (10, 'Sales', 900, 101), (20, 'Works', 400, 250), (30, 'Press', 700, 103),
    (40, 'Law', 200, 260);
insert into posts values ('CLERK', 'Clerk'), ('CHIEF', 'Chief'), ('CODER', 'Programmer');
insert into workers values
    (101, 'Ada', 'Moss', '2001-02-03', 'CHIEF', 9000, 0.2, null, null),
    (102, 'Dan', 'Lamb', '2002-03-04', 'CLERK', 4000, null, 101, 10),
    (103, 'Eva', 'Moss', '2003-04-06', 'CODER', 8500, 0.1, 101, 20),
    (104, 'Sam', 'Hale', '2003-05-07', 'CLERK', 3000, null, 103, 40),
    (105, 'Uma', 'Lamb', '2001-06-08', 'CODER', 7000, 0.3, 103, 30),
    (106, 'Ned', 'Reed', '2002-07-09', 'CLERK', 11000, null, 101, 40);
insert into post_history values (101, '1999-01-01', 'CLERK'), (101, '2000-01-01', 'CODER'),
    (105, '1998-05-05', 'CLERK');
"""
ARENA = """
create table halls (Hall_ID integer primary key, Name text, Highest_Crowd integer,
    Average_Crowd integer, Seats integer, Average integer);
create table bands (Band_ID integer primary key, Name text, Country text, Founding_Year integer,
    Age integer, Fee real);
create table songs (Song_ID integer primary key, Title text, Band_ID integer references bands,
    Chart_Rank integer);
create table gigs (Gig_ID integer primary key, Hall_ID integer references halls,
    Band_ID integer references bands, Year integer, Began date, Ended date, Duration integer,
    Hosts text);
create table crowds (Day date, max_noise_d integer, min_noise_d integer, Door text);
insert into halls values (1, 'North', 900, 500, 950, 7),
    (2, 'South', 700, 650, 800, 8), (3, 'East', 400, 100, 500, 3);
insert into bands values (1, 'Owls', 'Peru', 1948, 30, 10.5), (2, 'Rooks', 'Chad', 1950, 41, 8.5),
    (3, 'Wrens', 'Peru', 1961, 25, 3.5), (4, 'Swans', 'Mali', 1953, 37, 2.5);
insert into songs values (1, 'Dawn', 1, 5), (2, 'Dusk', 1, 9), (3, 'Noon', 2, 4);
insert into gigs values (1, 1, 1, 2001, '2001-01-02', '2001-01-05', 50, 'Ann'),
    (2, 1, 2, 2001, '2001-03-02', '2001-03-03', 70, 'Bob'),
    (3, 2, 1, 2002, '2002-01-02', '2002-01-09', 40, 'Cy'),
    (4, 3, 3, 2003, '2003-07-02', '2003-07-03', 90, 'Di');
insert into crowds values ('2001-01-01', 90, 30, 'A'), ('2001-01-02', 80, 20, 'B'),
    ('2001-01-03', 70, 40, 'A');
"""
UNHELD = "WORKER_ID not in (select WORKER_ID from post_history)"
RANGE = "SALARY between 8000 and 12000 and BONUS is not null or TEAM_ID <> 40"
WHOSE = (
    "For those workers whose salary is in the range of 8000 and 12000 and bonus is not null or "
    "team number does not equal to 40, "
)
OF_STAFF = {
    "For those workers who did not have any post in the past, give me the comparison about the "
    "average of salary over the post_id, and group by attribute post_id by a bar chart.":
        f"select POST_ID, avg(SALARY) from workers where {UNHELD} group by 1",
    f"{WHOSE}show me about the distribution of first_name and salary in a bar chart.":
        f"select FIRST_NAME, SALARY from workers where {RANGE}",
    "For those workers who do not work in teams with leaders that have ids between 100 and 200, "
    "show the relationship between worker_id and leader_id with a scatter chart.":
        """select WORKER_ID, LEADER_ID from workers where TEAM_ID not in
        (select TEAM_ID from teams where LEADER_ID between 100 and 200)""",
    "Show the first name and salary of workers who are not in teams with a budget over 500 in a "
    "bar chart.":
        """select FIRST_NAME, SALARY from workers where TEAM_ID not in
        (select TEAM_ID from teams where BUDGET > 500)""",
    "Show the first name and salary of workers whose salary is above 8000 and bonus is above 0.1 "
    "or team number is 40 in a bar chart.":
        """select FIRST_NAME, SALARY from workers
        where SALARY > 8000 and BONUS > 0.1 or TEAM_ID = 40""",
    "Give me the comparison about leader_id over the last_name by a bar chart.":
        "select LAST_NAME, LEADER_ID from workers",
    "For those workers who was hired before 2003-01-01, show the number of workers for each "
    "post_id in a bar chart.":
        "select POST_ID, count(*) from workers where HIRE_DATE < '2003-01-01' group by 1",
}  # fmt: skip
OF_ARENA = {
    "Show the name and average crowd of each hall in a bar chart, sort by the average crowd in "
    "desc.": "select Name, Average_Crowd from halls",
    "Scatter chart with the highest crowd on x and the seats on y for all halls.":
        "select Highest_Crowd, Seats from halls",
    "A scatter chart about the correlation between max_noise_d and min_noise_d .":
        "select max_noise_d, min_noise_d from crowds",
    "Show the change of max noise over the day for door \"A\" in a line chart.":
        "select Day, max_noise_d from crowds where Door = 'A'",
    "What is the relationship between average crowd and seats of each hall? Draw a scatter plot.":
        "select Average_Crowd, Seats from halls",
    "What are the countries of bands with a founding year between 1945 and 1955, and count them "
    "by a pie chart.":
        "select Country, count(*) from bands where Founding_Year between 1945 and 1955 group by 1",
    "For the bands that do not have any song, show their names and fee in a bar chart.":
        "select Name, Fee from bands where Band_ID not in (select Band_ID from songs)",
    "Show the name and fee of bands that have no songs in a bar chart.":
        "select Name, Fee from bands where Band_ID not in (select Band_ID from songs)",
    "What are the names and average durations of gigs for halls? Show a bar chart.":
        "select Name, avg(Duration) from gigs join halls using (Hall_ID) group by Hall_ID",
    "Show the names of halls and the number of gigs each has hosted in a bar chart.":
        "select Name, count(*) from gigs join halls using (Hall_ID) group by Hall_ID",
    "What are the names of bands and how many gigs did each play? Bar chart.":
        "select Name, count(*) from gigs join bands using (Band_ID) group by Band_ID",
    "What is the total duration of gigs of each band? Show a bar chart.":
        "select Name, sum(Duration) from gigs join bands using (Band_ID) group by Band_ID",
    "Show the country name and the number of bands in each country in a bar chart.":
        "select Country, count(*) from bands group by 1",
    "How many gigs began in each year? Show a line, bin began by year.":
        "select cast(strftime('%Y', Began) as integer), count(*) from gigs group by 1",
    "What is the proportion of countries for bands above age 28? Return a pie.":
        "select Country, count(*) from bands where Age > 28 group by 1",
    "Visualize the average age by country of bands with a bar chart.":
        "select Country, avg(Age) from bands group by 1",
    "List the titles and chart ranks of songs in a bar chart.":
        "select Title, Chart_Rank from songs",
    "Show the fees and names of the bands older than 28 in a bar chart.":
        "select Name, Fee from bands where Age > 28",
}  # fmt: skip


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return _made(STAFF, tmp_path_factory.mktemp("staff"))


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return _made(ARENA, tmp_path_factory.mktemp("arena"))


def _made(script: str, folder: Path) -> Shop:
    path = folder / "made.sqlite"
    with sqlite3.connect(path) as made:
        made.executescript(script)
    return Shop(path, folder / "home")


@pytest.mark.parametrize("question", OF_STAFF)
async def test_people_are_picked_by_what_they_did_or_did_not(staff: Shop, question: str) -> None:
    alike(await staff.rows(question), staff.truth(OF_STAFF[question]))


@pytest.mark.parametrize("question", OF_ARENA)
async def test_loose_names_stand_for_the_columns_meant(arena: Shop, question: str) -> None:
    alike(await arena.rows(question), arena.truth(OF_ARENA[question]))


async def test_time_stays_on_the_x_axis_beside_a_series(staff: Shop) -> None:
    understood = await staff.understood(
        "Show the number of hire dates by year for each post id in a multi-line chart, binning by "
        "year and grouping by post id."
    )
    first, second = understood.intent.dimensions
    assert first.grain is not None
    assert (second.label, understood.intent.series) == ("post id", 1)


async def test_a_limit_said_of_a_leader_is_not_lost(staff: Shop) -> None:
    asked = "Show the first name of workers whose leader id is 101"
    wanted = "select FIRST_NAME from workers where LEADER_ID = 101"
    alike(await staff.rows(asked, 0), staff.truth(wanted))


async def test_what_was_won_is_not_taken_for_what_there_is(arena: Shop) -> None:
    asked = "Show the names of bands and the number of gigs each won in a bar chart."
    found = await understand(asked, arena.catalogue, arena.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood)
