"""Follow-ups as people say them, over the answer in sight: each is read whole, or not at all."""

from __future__ import annotations

import pytest

from services.planner.domain.query.intent import Intent, Understood
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.fragments.corrected import Changed, changed
from services.planner.domain.reader.fragments.moved import moved_span
from tests.unit.reader.files import TODAY, Tables

LINES, PEOPLE = ("lines",), ("customers", "reps", "invoices")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("said"))
    found.write(
        "lines",
        "line_id,sold_on,hour,genre,maker,seats,quantity,unit_price,discount",
        [
            (
                at,
                f"{2021 + at % 4}-{1 + at % 12:02}-{1 + at % 28:02}",
                at * 7 % 24,
                ("Rock", "Jazz", "Folk", "Soul", "Punk")[at * at % 5],
                ("Boeing", "Airbus")[at % 2],
                at * 11 % 300,
                1 + at % 9,
                5 + at * 3 % 40,
                at % 4 / 10,
            )
            for at in range(1, 301)
        ],
    )
    found.write("reps", "rep_id,rep_name", [(1, "Jane"), (2, "Steve"), (3, "Margaret")])
    found.write(
        "customers",
        "customer_id,customer_name,country,rep_id",
        [
            (at, f"Customer {at}", ("USA", "Canada", "Brazil")[at % 3], 1 + at * at % 3)
            for at in range(1, 61)
        ],
    )
    found.write(
        "invoices",
        "invoice_id,customer_id,total",
        [(at, 1 + at % 60, at * 7 % 90 + 0.5) for at in range(1, 241)],
    )
    return found


async def _said(tables: Tables, names: tuple[str, ...], question: str, *follow: str) -> str:
    """What is read in the end, or why the last of the follow-ups is not followed."""
    read = await tables.understood(question, *names)
    assert isinstance(read, Understood)
    catalogue, lookup, _ = tables.opened(*names)
    intent: Intent = read.intent
    told = summarise(intent, catalogue)
    for words in follow:
        found = await changed(intent, words, catalogue, lookup, TODAY, called="follow-up")
        if not isinstance(found, Changed):
            return found
        intent, told = found.intent, summarise(found.intent, catalogue)
    return told


ASKED = "total quantity by genre"
SAID = [
    (("split it by hour",), "total quantity by genre and hour"),
    (("only 2023", "and the year before?"), "total quantity by genre · 2022"),
    (("only 2022", "and two years later"), "total quantity by genre · 2024"),
    (("only 2022", "what did that look like in 2024"), "total quantity by genre · 2024"),
    (("leave out Jazz",), "total quantity by genre · genre is not Jazz"),
    (("take Rock and Punk out",), "total quantity by genre · genre not in Rock, Punk"),
    (("don't count Jazz",), "total quantity by genre · genre is not Jazz"),
    (("can I see that as a pie chart",), "total quantity by genre · pie chart"),
    (("top 3", "back to all genres"), "total quantity by genre"),
    (("top 3", "no, not just 3"), "total quantity by genre"),
    (("which one is the lowest?",), "total quantity by genre · lowest 1"),
    (("which sold the most?",), "total quantity by genre · highest 1"),
    (("the 3 best sellers only",), "total quantity by genre · highest 3"),
    (("only genres with more than 100",), "total quantity by genre · total quantity > 100"),
    (
        ("top 3", "what is their average discount?"),
        "total quantity, average discount by genre · highest 3",
    ),
    (
        ("boeing only", "what's the average number of seats for these"),
        "average seats by genre · maker is Boeing",
    ),
    (("what about revenue, discounts taken off",), "total revenue by genre"),
    (("quarter by quarter",), "total quantity by quarter"),
    (("split it by month", "forget the months"), "total quantity by genre"),
    (("Rock and Jazz separately",), "total quantity by genre · genre is Rock or Jazz"),
    (("top 3", "make a pie of the first two"), "total quantity by genre · highest 2 · pie chart"),
    (("sum it all up",), "total quantity"),
    (("can you put next to it the average discount",), "total quantity, average discount by genre"),
    (("same thing for Boeing",), "total quantity by genre · maker is Boeing"),
    (("zoom in on Boeing",), "total quantity by genre · maker is Boeing"),
    (
        ("all genres again, as a bar chart, but only Boeing",),
        "total quantity by genre · maker is Boeing",
    ),
]


@pytest.mark.parametrize(("follow", "told"), SAID, ids=lambda v: v[-1] if type(v) is tuple else "")
async def test_words_change_what_is_in_sight(
    tables: Tables, follow: tuple[str, ...], told: str
) -> None:
    found = await _said(tables, LINES, ASKED, *follow)
    assert found.removesuffix(" · bar chart").startswith(told), found
    assert ("lowest" in found, "highest" in found) == ("lowest" in told, "highest" in told)


REFUSED = [
    (("sum it all up", "make a pie of the first two"), "no first few"),
    (("put the two of them in one line chart",), "“two” names nothing"),
]


@pytest.mark.parametrize(("follow", "why"), REFUSED, ids=["one number", "no numbers"])
async def test_words_that_are_no_change_are_refused(
    tables: Tables, follow: tuple[str, ...], why: str
) -> None:
    assert why in await _said(tables, LINES, ASKED, *follow)


@pytest.fixture(scope="module")
def weather(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("weather"))
    found.write(
        "weather",
        "station,year,month,rain",
        [
            (("North", "South", "West")[at % 3], 2020 + at // 12 % 4, 1 + at % 12, at * 7 % 50)
            for at in range(288)
        ],
    )
    return found


@pytest.mark.parametrize(
    ("follow", "told"),
    [
        (("zoom in on June to August",), "average rain by station · 2021 · month between 6 and 8"),
        (("over the years",), "average rain by year"),
        (("over all the years for North and South",), "average rain by station and year · station"),
    ],
    ids=["range", "over the years", "each over the years"],
)
async def test_times_that_are_told_as_numbers(
    weather: Tables, follow: tuple[str, ...], told: str
) -> None:
    found = await _said(weather, ("weather",), "average rain by station in 2021", *follow)
    assert found.startswith(told), found


async def test_without_a_date_nothing_is_split_by_quarter(weather: Tables) -> None:
    found = await _said(weather, ("weather",), "average rain by station", "by quarter")
    assert "no date" in found


async def test_quantity_sold_is_no_revenue(tables: Tables) -> None:
    found = await _said(tables, LINES, "revenue by genre", "how about quantity sold")
    assert found.startswith("total quantity by genre")


@pytest.mark.parametrize("condition", ["with less discount than 0.1", "with discounts"])
async def test_a_condition_on_discounts_is_no_way_to_work_out_revenue(
    tables: Tables, condition: str
) -> None:
    read = await tables.understood(f"revenue by genre {condition}", *LINES)
    plain = await tables.understood("revenue by genre", *LINES)
    assert isinstance(plain, Understood)
    if isinstance(read, Understood):  # else it is refused, which will do
        assert read.summary != plain.summary or read.confidence < plain.confidence


async def test_what_was_counted_is_listed_and_sorted_by_its_number(tables: Tables) -> None:
    asked = "how many lines have more than 250 seats?"
    assert "one row each" in await _said(tables, LINES, asked, "list them")
    counted = await _said(tables, LINES, asked, "list them", "how many is that in total?")
    assert counted.startswith("number of lines · seats > 250")


@pytest.mark.parametrize(
    ("follow", "told"),
    [
        (("only customers in the USA",), "number of customers by rep · country is USA"),
        (
            ("only customers in the USA", "total invoiced amount instead"),
            "total by rep · country is USA",
        ),
        (("at least 15",), "number of customers by rep · number of customers >= 15"),
    ],
    ids=["narrowed", "another number", "so many"],
)
async def test_what_is_counted_stays_what_it_is_told_for(
    tables: Tables, follow: tuple[str, ...], told: str
) -> None:
    found = await _said(tables, PEOPLE, "number of customers by rep", *follow)
    assert found.replace("rep name", "rep").startswith(told), found


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what's the average seats for each genre?", "average seats by genre"),
        ("how many songs are there now?", "number of songs"),
        ("which singer looks after the most songs?", "number of songs by singer · highest 1"),
    ],
)
async def test_everyday_words_are_no_part_of_a_title(
    tables: Tables, question: str, told: str
) -> None:
    tables.write(
        "songs",
        "song_id,title,singer,genre,seats",
        [
            (
                at,
                f"{('What the Night Saw', 'Now or Then', 'Looks That Kill')[at % 3]} {at}",
                ("Ida", "Bo")[at % 2],
                ("Rock", "Jazz")[at * at % 3 % 2],
                at * 7 % 90,
            )
            for at in range(1, 181)
        ],
    )
    read = await tables.understood(question, "songs")
    assert isinstance(read, Understood) and read.summary.startswith(told), read


async def test_no_year_before_is_guessed(tables: Tables) -> None:
    found = await _said(tables, LINES, ASKED, "and the year before?")
    assert "no year is in sight" in found
    assert "no one year" in await _said(tables, LINES, ASKED, "in May 2022", "the year before")


def test_words_without_a_period_move_none() -> None:
    assert moved_span("by year", Intent(base="lines")) is None
