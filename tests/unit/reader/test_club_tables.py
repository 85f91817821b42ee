"""A club's members and their visits, a help desk, meters: what is plainly said is what is told."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.query.intent import Understood
from services.planner.domain.query.planning.sql import render
from tests.unit.reader.files import Rows, Tables

_FIRST = ("Ana", "Bo", "Cy", "Di", "Ed", "Flo", "Gus")
_LAST = ("Ames", "Bell", "Cole", "Dunn", "Eng", "Ford", "Gray", "Hill", "Ivers", "Jones", "Kent")
_DAY = datetime.date(2024, 1, 1)
_MEMBERS = [
    (
        f"M{at:03}",
        f"{_FIRST[at % 7]} {_LAST[at % 70 % 11]}",
        ("Basic", "Plus")[at % 3 % 2],
        _DAY + datetime.timedelta(days=at * 3),
        _DAY + datetime.timedelta(days=at * 3 + 60) if at % 3 == 0 else None,
        25 if at % 3 == 1 else 90,
    )
    for at in range(1, 81)
]
_MOMENT = datetime.datetime(2024, 1, 1, 6)
_OFTEN = {0: 65, 1: 65, 2: 65, 3: 2, 4: 2, 5: 72, 6: 72}
"""Who came often: the second and the third have one name."""
_MINUTE = "%Y-%m-%d %H:%M"
_VISITS = [
    (
        at,
        f"M{_OFTEN.get(at % 16, 3 + at % 60):03}",
        (_MOMENT + datetime.timedelta(days=at % 300, hours=at * at % 11)).strftime(_MINUTE),
        20 + at % 40,
        (None, None, "Yoga", "Spin", None, "Yoga", "Box")[at * at % 83 % 7],
    )
    for at in range(1, 401)
]
_TICKETS = [
    (
        f"T{at}",
        (_MOMENT + datetime.timedelta(hours=at)).strftime(_MINUTE),
        (_MOMENT + datetime.timedelta(hours=at + 3 + 5 * (at % 3))).strftime(_MINUTE),
        ("Network", "Accounts", "Hardware")[at % 3],
        1 + at % 5,
    )
    for at in range(1, 91)
]
_METERS = [
    (
        building,
        _DAY + datetime.timedelta(days=day),
        base * (3 if building == "Pool" and 31 <= day < 60 else 1) + day % 9,
        day % 31 - 4,
    )
    for building, base in (("Hall", 50), ("Pool", 30), ("School", 40))
    for day in range(366)
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("club"))
    found.write("members", "member_no,name,plan,joined,cancelled_on,monthly_fee", list(_MEMBERS))
    found.write("visits", "visit_id,member_no,checked_in,minutes,class", list(_VISITS))
    found.write("tickets", "ticket,opened,closed,team,satisfaction", list(_TICKETS))
    found.write("meters", "building,date,gas_m3,outside_temp_c", list(_METERS))
    return found


async def rows(tables: Tables, question: str, *names: str) -> Rows:
    catalogue, _, workspace = tables.opened(*names)
    found = await tables.understood(question, *names)
    assert isinstance(found, Understood), found
    query = render(found.intent, catalogue)
    with workspace.cursor() as cursor:
        return cursor.execute(query.text, list(query.params)).fetchall()


@pytest.mark.parametrize(
    "question",
    [
        "which members have not cancelled?",
        "list members that never cancelled",
        "which members did not cancel?",
    ],
)
async def test_who_has_not_done_a_thing_is_listed_each_once(tables: Tables, question: str) -> None:
    """One "not" is one: it is no name of whose members none is without the day."""
    wanted = sorted(name for _, name, _, _, cancelled, _ in _MEMBERS if cancelled is None)
    assert sorted(str(row[0]) for row in await rows(tables, question, "members")) == wanted


@pytest.mark.parametrize("question", ["which team is slowest?", "the slowest team"])
async def test_the_slowest_take_longest_where_the_data_tells_times(
    tables: Tables, question: str
) -> None:
    assert (await rows(tables, question, "tickets"))[0][0] == "Hardware"
    assert (await rows(tables, question.replace("slow", "fast"), "tickets"))[0][0] == "Network"


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("median hours to close", 8.0),
        ("average time to close in minutes", 480.0),
        ("average hours from opened to closed", 8.0),
        ("average time to close in hours", 8.0),
        ("how many hours does it take to close a ticket?", 8.0),
        ("median days to close", 8 / 24),
    ],
)
async def test_times_are_told_in_the_unit_that_is_asked_for(
    tables: Tables, question: str, wanted: float
) -> None:
    ((found,),) = await rows(tables, question, "tickets")
    assert found == pytest.approx(wanted)


async def test_days_have_no_hours(tables: Tables) -> None:
    """Nor is the busiest hour that of joining, which is told by the day."""
    ((hour, number),) = await rows(tables, "busiest hour of the day", "members", "visits")
    hours = Counter(int(str(moment)[11:13]) for _, _, moment, *_ in _VISITS)
    assert hours[int(str(hour))] == number == max(hours.values())


async def test_namesakes_are_told_apart(tables: Tables) -> None:
    (most, *_) = await rows(tables, "who visited most often?", "members", "visits")
    visits = Counter(member for _, member, *_ in _VISITS)
    by_name: dict[str, int] = defaultdict(int)
    for member, name, *_ in _MEMBERS:
        by_name[name] += visits[member]
    assert most[-1] == max(visits.values()) < max(by_name.values())


async def test_a_month_that_changes_no_place_still_counts(tables: Tables) -> None:
    """The hall uses most in January as in all the year: its number is January's."""
    ((building, gas),) = await rows(tables, "which building used most gas in January?", "meters")
    by: dict[str, int] = defaultdict(int)
    for name, day, used, _ in _METERS:
        by[name] += used if day.month == 1 else 0
    assert (building, gas) == max(by.items(), key=lambda one: one[1])


async def test_a_unit_after_a_time_makes_no_groups(tables: Tables) -> None:
    found = await rows(tables, "average time to close in minutes by team", "tickets")
    assert [len(row) for row in found] == [2, 2, 2]


async def test_a_change_between_months_is_no_sum_of_both(tables: Tables) -> None:
    found = await rows(tables, "change in gas from January to February by building", "meters")
    by: dict[str, int] = defaultdict(int)
    for name, day, used, _ in _METERS:
        by[name] += {1: -used, 2: used}.get(day.month, 0)
    assert {str(row[0]): row[1] for row in found} == by


async def test_no_class_is_not_the_most_popular_one(tables: Tables) -> None:
    classes = Counter(taken for *_, taken in _VISITS if taken is not None)
    assert len(_VISITS) - classes.total() > max(classes.values())
    ((found, number),) = await rows(tables, "most popular class", "members", "visits")
    assert [(found, number)] == classes.most_common(1)


@pytest.mark.parametrize(
    "question", ["most popular class by plan", "which class is most popular by plan?"]
)
async def test_the_most_popular_by_another_is_that_of_each(tables: Tables, question: str) -> None:
    plans = {member: plan for member, _, plan, *_ in _MEMBERS}
    wanted: dict[str, Counter[str]] = defaultdict(Counter)
    for _, member, _, _, taken in _VISITS:
        if taken is not None:
            wanted[plans[member]][taken] += 1
    found = await rows(tables, question, "members", "visits")
    assert {row[0]: (row[1], row[2]) for row in found} == {
        plan: counted.most_common(1)[0] for plan, counted in wanted.items()
    }


async def test_the_fewest_members_are_not_the_lowest_fees(tables: Tables) -> None:
    ((plan, number),) = await rows(tables, "the plan with the fewest members", "members", "visits")
    counted = Counter(plan for _, _, plan, *_ in _MEMBERS)
    assert (plan, number) == counted.most_common()[-1]


async def test_who_did_a_thing_each_month_of_a_year_is_told_by_that_day(tables: Tables) -> None:
    found = await rows(tables, "how many people joined each month in 2024?", "members")
    joined = Counter(day.replace(day=1) for _, _, _, day, *_ in _MEMBERS)
    assert {str(row[0])[:10]: row[1] for row in found} == {
        str(day): number for day, number in joined.items()
    }


async def test_the_oldest_are_told_by_their_births(tables: Tables) -> None:
    tables.write(
        "swimmers",
        "swimmer,born,joined",
        [
            (f"S{at}", datetime.date(1960 + at * 7 % 40, 5, 1), _DAY + datetime.timedelta(days=at))
            for at in range(1, 31)
        ],
    )
    found = await rows(tables, "who are the oldest three swimmers?", "swimmers")
    assert {row[0] for row in found} == {"S6", "S23", "S29"}


async def test_minutes_that_a_column_holds_are_no_time_between_days(tables: Tables) -> None:
    found = await rows(tables, "average minutes per visit by plan", "members", "visits")
    plans = {member: plan for member, _, plan, *_ in _MEMBERS}
    minutes: dict[str, list[int]] = defaultdict(list)
    for _, member, _, taken, _ in _VISITS:
        minutes[plans[member]].append(taken)
    assert {row[0]: pytest.approx(row[1]) for row in found} == {
        plan: sum(each) / len(each) for plan, each in minutes.items()
    }


async def test_weekends_alone_are_told_with_a_doubt(tables: Tables) -> None:
    found = await tables.understood("average gas on weekends vs weekdays by building", "meters")
    assert isinstance(found, Understood)
    assert found.confidence < thresholds.LIKELY


@pytest.fixture(scope="module")
def homes(tables: Tables) -> Tables:
    tables.write(
        "homes",
        "listing,suburb,listed,sold,asking_price,rush_homes",
        [
            (
                f"L{at}",
                ("Ashby", "Brook", "Dale")[at % 3],
                _DAY + datetime.timedelta(days=at),
                _DAY + datetime.timedelta(days=at + 30 + at % 9)
                if at % 3 != 1 or at < 20
                else None,
                1_000 * (200 + at * 7 % 90),
                ("yes", "no")[at % 2],
            )
            for at in range(1, 61)
        ],
    )
    return tables


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("which homes are still unsold?", 13),
        ("how many homes were sold?", 47),
        ("how many homes are unsold?", 13),
    ],
)
async def test_what_is_done_has_its_day(homes: Tables, question: str, wanted: int) -> None:
    found = await rows(homes, question, "homes")
    assert (len(found) if question.startswith("which") else found[0][0]) == wanted


async def test_a_number_of_what_is_not_done_too_is_doubtful(homes: Tables) -> None:
    found = await homes.understood("which suburb sold the most?", "homes")
    assert isinstance(found, Understood)
    counts_sold = "sold" in found.intent.model_dump_json()
    assert counts_sold or found.confidence < thresholds.LIKELY


async def test_rows_are_no_part_of_a_flag(homes: Tables) -> None:
    """ "Homes" are all, not the rush homes."""
    found = await rows(homes, "how many homes by suburb", "homes")
    assert sum(int(str(row[-1])) for row in found) == 60


async def test_a_dropped_number_is_a_doubt(homes: Tables) -> None:
    found = await homes.understood("average discount from asking price", "homes")
    assert not isinstance(found, Understood) or found.confidence < thresholds.LIKELY


async def test_a_shift_is_of_the_day_on_which_it_starts(tables: Tables) -> None:
    tables.write(
        "shifts",
        "shift_id,start,end,nurse",
        [
            (
                at,
                (_MOMENT + datetime.timedelta(hours=31 * at)).strftime(_MINUTE),
                (_MOMENT + datetime.timedelta(hours=31 * at + 8)).strftime(_MINUTE),
                f"N{at % 5}",
            )
            for at in range(1, 120)
        ],
    )
    (busiest, *_) = await rows(tables, "which day of the week has the most shifts?", "shifts")
    starts = Counter(
        (_MOMENT + datetime.timedelta(hours=31 * at)).strftime("%A") for at in range(1, 120)
    )
    assert starts[str(busiest[0])] == busiest[1] == max(starts.values())
