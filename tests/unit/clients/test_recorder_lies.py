"""A recorder that lies, with the log's own key: whatever it says that its frames do not is found.

Each story is told by the planner, then the answer is changed before it is logged, hashed and
signed. Nothing but the frames can tell.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clients.python.cli.verifying import checked
from clients.python.verification.reading import Trust
from services.planner.domain.query.intent import Aggregate, Intent, Measure, Order
from services.planner.domain.reporting.story import Story
from tests.unit.clients.bundles import wrong
from tests.unit.clients.lies import Lie, Recorder, bundle_of
from tests.unit.clients.proven import LOG_KEY
from tests.unit.planner.stories import COUNTRY, MONTH, REVENUE, column, story

TRUST = Trust(LOG_KEY.verifier)
AVERAGE = Measure(
    aggregate=Aggregate.AVERAGE, table="Orders", expression=column("x"), label="average freight"
)


def countries() -> Story:
    """Who is first, who follows; a second number that another country leads."""
    return story(
        "revenue and average freight by ship country, top 3",
        Intent(
            base="Orders",
            measures=(REVENUE, AVERAGE),
            dimensions=(COUNTRY,),
            limit=3,
            order=(Order(target="measure", descending=True),),
        ),
        {
            "ship country": ["USA", "Germany", "Austria"],
            "revenue": [245585.0, 230285.0, 128004.0],
            "average freight": [78.5, 90.25, 184.75],
        },
    )


def months() -> Story:
    """Two months: what rose from where to where."""
    from datetime import date

    return story(
        "revenue by month",
        Intent(base="Orders", measures=(REVENUE,), dimensions=(MONTH,)),
        {"month": [date(1997, 5, 1), date(1997, 6, 1)], "revenue": [36362.8, 53781.3]},
    )


def quarters() -> Story:
    """A peak, a low, a beginning, an end, and a total."""
    from datetime import date

    return story(
        "revenue by month",
        Intent(base="Orders", measures=(REVENUE,), dimensions=(MONTH,)),
        {
            "month": [date(1997, month, 1) for month in (1, 2, 3, 4)],
            "revenue": [20.0, 10.0, 40.0, 30.0],
        },
        facts={"rows": [4], "total revenue": [100.0]},
    )


def retell(content: dict[str, Any], old: str, new: str) -> None:
    """Change words, and move everything that stands behind them."""
    place = content["text"].index(old)
    gap, end = len(new) - len(old), place + len(old)
    content["text"] = content["text"].replace(old, new, 1)
    for one in content["assertions"]:
        if one["place"] == "text":
            one["start"] += gap if one["start"] >= end else 0
            one["end"] += gap if one["end"] >= end else 0


def of_kind(content: dict[str, Any], kind: str, place: str = "text") -> list[dict[str, Any]]:
    return [one for one in content["assertions"] if (one["kind"], one["place"]) == (kind, place)]


def names(content: dict[str, Any], row: int) -> list[dict[str, Any]]:
    return [one for one in of_kind(content, "name") if one["rows"] == [row]]


def name_another(content: dict[str, Any]) -> None:
    retell(content, "USA", "Germany")


def name_another_and_its_cell(content: dict[str, Any]) -> None:
    names(content, 0)[0]["rows"] = [1]
    retell(content, "USA", "Germany")


def state_it_of_another(content: dict[str, Any]) -> None:
    of_kind(content, "highest")[0]["rows"] = [1]
    name_another_and_its_cell(content)


def cite_its_number_as_well(content: dict[str, Any]) -> None:
    state_it_of_another(content)
    first, second = content["claims"][0], content["claims"][1]
    first.update(row=1, value="230285.0", text="230,285")
    assert second["row"] != 0
    retell(content, "245,585", "230,285")


def turn_the_order(content: dict[str, Any]) -> None:
    following = of_kind(content, "following")[0]
    following["rows"] = [0, 2, 1]
    retell(content, "Germany", "Austria!")
    retell(content, " and Austria (", " and Germany (")
    retell(content, "Austria!", "Austria")
    germany, austria = names(content, 1)[0], names(content, 2)[0]
    germany["rows"], austria["rows"] = [2], [1]


def call_it_lowest(content: dict[str, Any]) -> None:
    retell(content, "highest", "lowest")


def assert_it_lowest(content: dict[str, Any]) -> None:
    of_kind(content, "highest")[0]["kind"] = "lowest"
    call_it_lowest(content)


def drop_what_is_stated(content: dict[str, Any]) -> None:
    content["assertions"].remove(of_kind(content, "highest")[0])


def drop_all_assertions(content: dict[str, Any]) -> None:
    content["assertions"] = []


def drop_where_a_number_is(content: dict[str, Any]) -> None:
    content["assertions"].remove(of_kind(content, "number")[0])


def print_it_larger(content: dict[str, Any]) -> None:
    content["claims"][0]["text"] = "945,585"
    retell(content, "245,585", "945,585")


def round_it_off(content: dict[str, Any]) -> None:
    content["claims"][0]["text"] = "250,000"
    retell(content, "245,585", "250,000")


def value_it_larger(content: dict[str, Any]) -> None:
    content["claims"][0].update(text="945,585", value="945585.0")
    retell(content, "245,585", "945,585")


def add_a_unit(content: dict[str, Any]) -> None:
    content["claims"][0]["text"] = "245,585 EUR"
    retell(content, "245,585", "245,585 EUR")


def measure_something_else(content: dict[str, Any]) -> None:
    retell(content, "Revenue", "Average freight")


def invent_a_kind(content: dict[str, Any]) -> None:
    of_kind(content, "highest")[0]["kind"] = "champion"


def say(words: str) -> Lie:
    def lie(content: dict[str, Any]) -> None:
        content["text"] += words

    lie.__name__ = words.strip()
    return lie


def quote(words: str) -> Lie:
    """Pass words off as a quotation of the question."""

    def lie(content: dict[str, Any]) -> None:
        start = len(content["text"])
        content["text"] += words
        piece = {"kind": "quoted", "place": "text", "start": start, "end": start + len(words)}
        content["assertions"].append(piece)

    lie.__name__ = f"quoted{words}"
    return lie


def call_it_by_a_number(content: dict[str, Any]) -> None:
    """A number of another row as the name of that row, of which nothing need be stated."""
    usa = names(content, 0)[0]
    start = len(content["text"])
    content["text"] += " Its value was 230285."
    place = start + len(" Its value was ")
    content["assertions"].append(
        {**usa, "rows": [1], "columns": ["revenue"], "start": place, "end": place + 6}
    )


COUNTRY_LIES = [
    call_it_by_a_number,
    name_another,
    name_another_and_its_cell,
    state_it_of_another,
    cite_its_number_as_well,
    turn_the_order,
    call_it_lowest,
    assert_it_lowest,
    drop_what_is_stated,
    drop_all_assertions,
    drop_where_a_number_is,
    print_it_larger,
    round_it_off,
    value_it_larger,
    add_a_unit,
    measure_something_else,
    invent_a_kind,
    say(" Germany led."),
    say(" It doubled."),
    say(" It is twice as much."),
    say(" Half of it was lost."),
    say(" There were two."),
    say(" It was 42."),
    say(" It was ４２ %."),
    say(" It was ⅔."),
    say(" It fell on the 3rd of May 1997."),
    say(" All of them rose."),
    say(" None is lower."),
    say(" Only one is the champion."),
    say(" 🏆"),
    quote(" Germany was the champion"),
    quote(" 42"),
    # Digits of ids, and words that are plain or of the question.
    quote(" 736.50 by country"),
    quote(" 69 % of revenue"),
    quote(" 3 by country"),
    quote(" 3"),
    quote(" 0.3"),
    quote(" top 3 %"),
]


@pytest.mark.parametrize("lie", COUNTRY_LIES, ids=lambda lie: lie.__name__)
async def test_a_lie_about_an_order_is_refused_and_its_sentence_named(
    tmp_path: Path, lie: Lie
) -> None:
    found = wrong(await bundle_of(Recorder(countries(), lie), tmp_path), TRUST)
    assert found.name in ("words", "claims")
    assert any(word in found.detail for word in ("the text says", "claim", "frame"))


def turn_the_direction(content: dict[str, Any]) -> None:
    retell(content, "rose", "fell")


def state_the_other_direction(content: dict[str, Any]) -> None:
    of_kind(content, "rose")[0]["kind"] = "fell"
    turn_the_direction(content)


def exchange_the_numbers(content: dict[str, Any]) -> None:
    retell(content, "36,363", "53,781!")
    retell(content, "to 53,781", "to 36,363")
    retell(content, "53,781!", "53,781")
    one, other = of_kind(content, "number")
    one["claim_id"], other["claim_id"] = other["claim_id"], one["claim_id"]


def exchange_numbers_and_cells(content: dict[str, Any]) -> None:
    exchange_the_numbers(content)
    stated = of_kind(content, "rose")[0]
    stated.update(rows=stated["rows"][::-1], kind="fell")
    retell(content, "rose", "fell")


def exchange_the_times(content: dict[str, Any]) -> None:
    retell(content, "May", "June!")
    retell(content, "in June 1997.", "in May 1997.")
    retell(content, "June!", "June")
    one, other = of_kind(content, "name")
    one["rows"], other["rows"] = other["rows"], one["rows"]


@pytest.mark.parametrize(
    "lie",
    [
        turn_the_direction,
        state_the_other_direction,
        exchange_the_numbers,
        exchange_numbers_and_cells,
        exchange_the_times,
    ],
)
async def test_a_lie_about_a_direction_is_refused(tmp_path: Path, lie: Lie) -> None:
    found = wrong(await bundle_of(Recorder(months(), lie), tmp_path), TRUST)
    assert (found.name, found.detail[:13]) == ("words", "the text says")


def peak_elsewhere(content: dict[str, Any]) -> None:
    of_kind(content, "highest")[0]["rows"] = [3]
    names(content, 2)[0]["rows"] = [3]
    retell(content, "March", "April")


def begin_elsewhere(content: dict[str, Any]) -> None:
    of_kind(content, "first")[0]["kind"] = "last"


def total_another(content: dict[str, Any]) -> None:
    of_kind(content, "total")[0].update(of_column="month")


def add_up_to_more(content: dict[str, Any]) -> None:
    """The highest is passed off as the total."""
    total, peak = of_kind(content, "number")[:2]
    total["claim_id"] = peak["claim_id"]
    retell(content, "100", "40")


@pytest.mark.parametrize("lie", [peak_elsewhere, begin_elsewhere, total_another, add_up_to_more])
async def test_a_lie_about_a_course_is_refused(tmp_path: Path, lie: Lie) -> None:
    found = wrong(await bundle_of(Recorder(quarters(), lie), tmp_path), TRUST)
    assert (found.name, found.detail[:13]) == ("words", "the text says")


@pytest.mark.parametrize("told", [countries, months, quarters])
async def test_the_same_recorder_is_believed_when_it_tells_the_truth(
    tmp_path: Path, told: Any
) -> None:
    found = checked(await bundle_of(Recorder(told()), tmp_path), TRUST)
    assert all(finding.ok for finding in found), found[-1]


TITLE = "# USA has the highest revenue ([245,585](#claim-1))"
TRUE = f"""{TITLE}

Revenue is highest for USA ([245,585](#claim-1)), followed by Germany ([230,285](#claim-2)) and \
Austria ([128,004](#claim-3)). Average freight is highest for Austria ([184.75](#claim-4)).

## How it was understood

Asked: revenue and average freight by ship country, top 3
"""


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("# USA", "# Germany"),
        ("highest revenue", "lowest revenue"),
        ("followed by Germany", "followed by Austria"),
        ("[230,285](#claim-2)", "[130,285](#claim-2)"),
        ("[230,285](#claim-2)", "[230,285](#claim-3)"),
        ("[230,285](#claim-2)", "130,285"),
        ("top 3\n", "top 3\n\nUSA sold 71 per cent of it.\n"),
        ("\n## How", "\nGermany led.\n\n## How"),
    ],
)
async def test_a_report_that_tells_another_story_is_refused(
    tmp_path: Path, true: str, false: str
) -> None:
    honest = checked(await bundle_of(Recorder(countries(), report=TRUE), tmp_path), TRUST)
    assert all(finding.ok for finding in honest), honest[-1]
    lying = Recorder(countries(), report=TRUE.replace(true, false, 1))
    found = wrong(await bundle_of(lying, tmp_path), TRUST)
    assert found.name == "words"
    assert "report" in found.detail
