"""What somebody asks of files they have just made, against answers worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from services.planner.domain.catalogue import Likeness
from services.planner.domain.query.intent import NotUnderstood, Understood
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop

pytestmark = pytest.mark.asyncio

FILES = {
    "readings": """sensor,measured_at,celsius,status,hour,day
S1,2024-01-05,10,ok,0,5
S1,2024-01-20,20,fail,1,20
S2,2024-02-05,30,ok,0,5
S2,2024-02-06,50,ok,1,6
S1,2024-02-07,40,ok,0,7
S2,2024-02-08,-6,ok,1,8
""",
    "sensors": """sensor,status
S1,ok
S1,fail
S2,ok
S2,ok
""",
    "balances": """account,balance,region
A1,-5.5,North
A2,7.5,North
A3,-2.5,South
A4,12.5,South
""",
    "trial": """person,group,score,converted
p1,control,1.5,0
p2,control,2.5,1
p3,control,3.5,0
p4,treatment,4.5,1
p5,treatment,5.5,1
p6,treatment,6.5,1
""",
    "messy": """order date,customer,quantity,sales rep
2024-01-03,Ann,2,
2024-01-04,Ann,3,Bo
2024-02-05,Eve,4,Bo
2024-02-06,Eve,1,
""",
}
ANSWERS = {
    ("messy", "quantity by month"): [("2024-01-01", 5), ("2024-02-01", 5)],
    ("messy", "quantity per day"): [
        ("2024-01-03", 2),
        ("2024-01-04", 3),
        ("2024-02-05", 4),
        ("2024-02-06", 1),
    ],
    ("readings", "average celsius by hour of day"): [(0, 80 / 3), (1, 64 / 3)],
    ("readings", "celsius by hour of the day"): [(0, 80), (1, 64)],
    ("balances", "accounts with a negative balance"): [("A1",), ("A3",)],
    ("balances", "accounts whose balance is positive"): [("A2",), ("A4",)],
    ("balances", "how many accounts have a negative balance"): [(2,)],
    ("balances", "distribution of balance"): [(-5.5,), (-2.5,), (7.5,), (12.5,)],
    ("trial", "conversion rate by group"): [("control", 1 / 3, 1, 3), ("treatment", 1.0, 3, 3)],
    ("sensors", "how many sensors are there"): [(2,)],
    ("sensors", "how many different sensors are there"): [(2,)],
    ("sensors", "number of sensors by status"): [("fail", 1), ("ok", 2)],
    ("messy", "how many orders have no sales rep?"): [(2,)],
    ("messy", "number of orders by customer"): [("Ann", 2), ("Eve", 2)],
}
CALLED = {
    ("messy", "number of orders by customer"): "number of orders",
    ("messy", "share of orders by customer"): "share of orders",
    ("balances", "count by region"): "number of balances",
    ("balances", "number of balances by region"): "number of balances",
    ("sensors", "number of rows by status"): "number of rows",
}
REFUSED = {
    "why is the score low": "why",
    "what caused the score of the treatment group": "why",
    "wie hoch ist der durchschnittliche score pro gruppe?": "not understood",
    "select * from trial; drop table trial": "not understood",
    "does treatment raise the score?": "yes or no",
}


class Files:
    """Each file opened once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: dict[str, Shop] = {}

    def __getitem__(self, name: str) -> Shop:
        if name not in self._opened:
            path = self._folder / f"{name}.csv"
            path.write_text(FILES[name], encoding="utf-8")
            self._opened[name] = Shop(path, self._folder / "home" / name)
        return self._opened[name]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("files"))


@pytest.mark.parametrize(("asked", "wanted"), ANSWERS.items())
async def test_the_answer_is_the_one_by_hand(
    files: Files, asked: tuple[str, str], wanted: list[tuple[Any, ...]]
) -> None:
    name, question = asked
    rows = await files[name].rows(question)
    assert len(rows) == len(wanted)
    for row, other in zip(sorted(rows, key=str), sorted(wanted, key=str), strict=True):
        assert [str(v) if not isinstance(v, int | float) else pytest.approx(v) for v in row] == [
            *other
        ]


@pytest.mark.parametrize(("asked", "label"), CALLED.items())
async def test_rows_are_called_what_they_are(
    files: Files, asked: tuple[str, str], label: str
) -> None:
    name, question = asked
    intent = (await files[name].understood(question)).intent
    assert [d.label for d in intent.derived] + [m.label for m in intent.measures][:1] == (
        [label, "number of orders"] if label.startswith("share") else [label]
    )


@pytest.mark.parametrize(("question", "reason"), REFUSED.items())
async def test_what_is_no_answer_to_the_question_is_not_given(
    files: Files, question: str, reason: str
) -> None:
    shop = files["trial"]
    found = await understand(question, shop.catalogue, shop.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert reason in found.message.lower()


async def test_things_are_not_called_rows(files: Files) -> None:
    found = await files["sensors"].understood("number of rows per sensor")
    assert [d.label for d in found.intent.dimensions] == ["sensor"]


async def test_the_highest_of_names_is_not_told(files: Files) -> None:
    shop = files["trial"]
    question = "highest paid person in each group"
    found = await understand(question, shop.catalogue, shop.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert found.message == '"highest" of which number? person in trial is text, such as p1.'


async def test_things_that_only_a_key_of_near_meaning_stands_for_are_the_rows(
    files: Files,
) -> None:
    async def alike(phrases: Sequence[str], names: Sequence[str]) -> list[Likeness]:
        return [Likeness(phrase=p, name="person", similarity=0.7) for p in phrases if p == "folks"]

    shop = files["trial"]
    found = await understand(
        "share of folks by group", shop.catalogue, shop.lookup, today=TODAY, meanings=alike
    )
    assert isinstance(found, Understood), found
    assert [d.label for d in found.intent.dimensions] == ["group"]
    assert found.intent.derived[0].label == "share of folks"


async def test_shares_by_two_things_say_what_they_are_shares_of(files: Files) -> None:
    found = await files["readings"].understood("share of status by month")
    assert "shares are of all together, not of each month" in found.assumptions
