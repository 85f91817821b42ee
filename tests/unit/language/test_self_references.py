"""Tables that refer to themselves, and columns known by the role they play, against SQL by hand."""

from __future__ import annotations

import pytest

from services.planner.domain.query.intent import NotUnderstood
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop, alike

pytestmark = pytest.mark.asyncio

NAME = "{0}.FirstName || ' ' || {0}.LastName"
E, M = NAME.format("e"), NAME.format("m")
BOTH = "from Employees e join Employees m on e.ReportsTo = m.EmployeeID"
BELOW = f"select {E} {BOTH} where {M} ="
ABOVE = f"select {M} {BOTH} where {E} ="

TRUTHS = {
    "who reports to Andrew Fuller": f"{BELOW} 'Andrew Fuller'",
    "which employees report to Andrew Fuller?": f"{BELOW} 'Andrew Fuller'",
    "employees managed by Steven Buchanan": f"{BELOW} 'Steven Buchanan'",
    "who reports to fuller": f"{BELOW} 'Andrew Fuller'",
    "how many employees report to Steven Buchanan":
        f"select count(*) {BOTH} where {M} = 'Steven Buchanan'",
    "how many employees does Andrew Fuller manage":
        f"select count(*) {BOTH} where {M} = 'Andrew Fuller'",
    "list the employees that Steven Buchanan manages": f"{BELOW} 'Steven Buchanan'",
    "how many orders were handled by Steven Buchanan's team":
        f"""select count(*) {BOTH} join Orders o on o.EmployeeID = e.EmployeeID
        where {M} = 'Steven Buchanan'""",
    "show employees with their manager and title":
        f"select {E}, e.Title, coalesce({M}, '') {BOTH.replace(' join', ' left join')}",
    "manager of Nancy Davolio": f"{ABOVE} 'Nancy Davolio'",
    "who is Nancy Davolio's manager?": f"{ABOVE} 'Nancy Davolio'",
    "who does Anne Dodsworth report to": f"{ABOVE} 'Anne Dodsworth'",
    "who manages Anne Dodsworth": f"{ABOVE} 'Anne Dodsworth'",
    "what is the title of Nancy Davolio's manager":
        f"select m.Title {BOTH} where {E} = 'Nancy Davolio'",
    "employees without a manager": f"select {E} from Employees e where ReportsTo is null",
    "who has no manager": f"select {E} from Employees e where ReportsTo is null",
    "how many employees have a manager": "select count(ReportsTo) from Employees",
    "how many managers are there": "select count(distinct ReportsTo) from Employees",
    "list managers": f"select distinct {M} {BOTH}",
    "how many employees does each manager have": f"select {M}, count(*) {BOTH} group by 1",
    "number of employees per manager": f"select {M}, count(*) {BOTH} group by 1",
    "employees by reports to": f"select {M}, count(*) {BOTH} group by 1",
    "which manager has the most employees":
        f"select {M}, count(*) {BOTH} group by 1 order by 2 desc limit 1",
    "number of orders per manager":
        f"select {M}, count(*) {BOTH} join Orders o on o.EmployeeID = e.EmployeeID group by 1",
    "list employees and their managers":
        f"select {E}, coalesce({M}, '') {BOTH.replace(' join', ' left join')}",
}  # fmt: skip

CHINOOK = {
    "who reports to Nancy Edwards":
        "select FirstName || ' ' || LastName from Employee where ReportsTo = 2",
    "customers per support rep":
        """select e.FirstName, e.LastName, count(*) from Customer c
        join Employee e on c.SupportRepId = e.EmployeeId group by 1""",
    "who is the support rep of Luís Gonçalves":
        """select e.FirstName || ' ' || e.LastName from Customer c
        join Employee e on c.SupportRepId = e.EmployeeId where c.LastName = 'Gonçalves'""",
    "number of customers by support rep id":
        "select SupportRepId, count(*) from Customer group by 1",
}  # fmt: skip

REFUSED = [
    "employees whose manager is from London",
    "average number of orders of managers",
    "who reports to Donald Duck",
    "which employees do not report to Andrew Fuller",
    "employees whose manager is not Andrew Fuller",
    "employees reporting to Andrew Fuller or Steven Buchanan",
    "orders per country excluding managers",
]


@pytest.mark.parametrize("question", TRUTHS)
async def test_a_row_and_the_row_it_refers_to_are_told_apart(
    northwind: Shop, question: str
) -> None:
    alike(await northwind.rows(question), northwind.truth(TRUTHS[question]))


@pytest.mark.parametrize("question", CHINOOK)
async def test_a_reference_known_by_its_role_is_shown_by_name(chinook: Shop, question: str) -> None:
    alike(await chinook.rows(question), chinook.truth(CHINOOK[question]))


@pytest.mark.parametrize("question", REFUSED)
async def test_what_cannot_be_told_of_a_reference_is_refused(
    northwind: Shop, question: str
) -> None:
    found = await understand(question, northwind.catalogue, northwind.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood)


async def test_a_title_that_says_manager_is_a_value(northwind: Shop) -> None:
    assert await northwind.rows("how many customers have the contact title Sales Manager") == [
        (11,)
    ]
