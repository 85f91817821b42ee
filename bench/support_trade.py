"""The catalogue of a trading company that is only told, not kept: 20 tables of 15 columns each.

An entry of `_TABLES` is a table's name, its rows, and its columns: `>table` refers to another one,
`#` is a number that may be added up, `~` one that may not, `@` a day, `?` a flag, `=` one of the
values that follow it after colons; what has no sign is a text that tells each row apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
    ValueHit,
)

_TABLES = """
region 12 name code =continent:Europe:Asia:Africa #population ~area ~gdp ~growth =climate:dry:wet
    ~latitude ~longitude language currency @founded ?coastal
country 120 name code >region #population ~area capital ~income_per_head =status:member:candidate
    currency ~tax_rate @joined ?landlocked ~inflation ~elevation
city 900 name >country #population ~elevation ~latitude ~longitude mayor @founded ?is_capital
    ~rainfall ~temperature #hospitals #schools =size:small:medium:large
store 300 name >city manager @opened ~floor_area #employees =format:express:super:outlet ~rent
    phone ?parking ~rating #tills address =status:open:closed
department 40 name head #budget #employees ~floor cost_centre =kind:sales:support:research
    @created ?profitable ~growth #projects #vacancies >store phone
employee 4000 first_name last_name >department >store email @hire_date @birth_date ~salary
    =gender:F:M job_title ~bonus ?active #sick_days ~height
customer 9000 first_name last_name >city email @signup_date
    =segment:consumer:corporate:small_business =channel:web:shop:phone ~credit_limit
    #loyalty_points ?newsletter @birth_date phone =gender:F:M ~satisfaction
supplier 200 name >country contact phone ~rating @contract_start @contract_end #products
    ~lead_time =tier:gold:silver:bronze ?certified ~discount #defects email
category 30 name parent_name ~margin #products =season:spring:summer:autumn:winter ~tax_rate
    @introduced ?perishable ~markup description #brands ~return_rate code ~priority
brand 90 name >country founder @founded ~rating #products website =position:luxury:budget
    ?own_label ~revenue #employees slogan ~awareness ~loyalty
product 2500 name >category >brand >supplier ~unit_price ~unit_cost ~weight
    =colour:red:blue:green:black #units_in_stock #reorder_level ?discontinued @launched ~rating
    ~width
campaign 150 name =medium:radio:television:online @start_date @end_date ~cost #clicks #impressions
    ~conversion_rate manager >category =goal:awareness:sales ?successful #leads ~reach
orders 40000 >customer >store >employee >campaign @order_date @required_date
    =status:open:shipped:cancelled =payment_terms:prepaid:net30 ~freight #items ~total ~discount
    ?gift =priority:high:low:normal
order_line 120000 >orders >product #quantity ~unit_price ~discount ~tax #amount
    =status:picked:packed ?backordered @picked_on ~weight note #returned_quantity ~margin
payment 42000 >orders >customer #amount @paid_on =method:card:cash:transfer ~fee
    =status:settled:failed currency ?refunded reference ~exchange_rate @due_date #instalments
    ~interest
carrier 25 name >country phone ~rating #vehicles =service:air:road:sea ~price_per_kilogram
    @contract_start ?tracks ~on_time_share #complaints email ~speed ~capacity
shipment 38000 >orders >carrier >city @shipped_on @delivered_on ~weight ~cost
    =condition:intact:damaged #parcels tracking_number ~distance ?insured ~delay
    =speed_class:express:standard
return_case 3000 >order_line >customer @returned_on =reason:defect:size:late ~refund
    =decision:accepted:rejected ~days_open #items ?restocked >employee note ~inspection_cost
    =channel:web:shop ~handling_time
review 15000 >product >customer @written_on ~stars title text #helpful_votes ?verified language
    ~length =sentiment:positive:negative #photos #replies ~score
ticket 8000 >customer >employee @created_on @closed_on =topic:delivery:billing:product
    =urgency:high:low ~hours_open #messages ?escalated ~satisfaction subject
    =channel:web:phone:mail #reopened ~waiting_time
"""
QUESTIONS = tuple(
    line.strip()
    for line in """
    how many customers are there?
    list the names of all suppliers from Europe
    average salary by department
    total amount of payments per month in 2024
    top 5 products by quantity sold
    which customer placed the most orders?
    number of orders by priority and status
    average unit price of red products by brand
    how many employees were hired after 2020?
    the longest delay of shipments by carrier
    what share of shipments arrived damaged?
    average stars per product category
    revenue by region in 2024 as a bar chart
    show a line chart of orders per month for each channel
    which stores have no parking?
    products that were never ordered
    how many tickets about delivery are still open?
    median refund by reason
    customers with more than 10 orders
    oldest employee in each store
    highest freight of orders with high priority
    total weight shipped by express and standard
    which country has the most suppliers and which the fewest?
    average days between order date and required date by store
    how many female employees earn over 50000?
    list first and last names of customers who wrote a negative review
    campaign cost per click by medium
    change in total freight from 2023 to 2024
    number of different products per supplier, highest first
    scatter chart of unit cost against unit price
    average satisfaction of tickets by topic and urgency, worst first
    cancelled orders per weekday
    brands with luxury position founded before 1950
    which carrier is the cheapest per kilogram?
    total quantity of blue products sold by stores in Asia
    show the number of returns by month stacked by reason
    orders between 100 and 500 that were paid by card
    what is the lowest rating of gold suppliers?
    average distance of shipments not insured
    who handled the most escalated tickets in 2024?
""".strip().splitlines()
)
_NUMBERS = "#~"


def trade_catalogue() -> Catalogue:
    """20 tables with 300 columns and the references between them."""
    lines = [entry.split() for entry in re.split(r"\n(?=\S)", _TABLES.strip())]
    made = tuple(_table(name, int(rows), texts) for name, rows, *texts in lines)
    links = tuple(
        Relationship(
            from_table=name,
            from_column=f"{one[1:]}_id",
            to_table=one[1:],
            to_column=f"{one[1:]}_id",
        )
        for name, _, *texts in lines
        for one in texts
        if one.startswith(">")
    )
    return Catalogue(tables=made, relationships=links)


def _table(name: str, rows: int, texts: Sequence[str]) -> Table:
    key = Column(name=f"{name}_id", data_type=DataType.INTEGER, role=ColumnRole.ID, distinct=rows)
    columns = (key, *(_column(one, rows) for one in texts))
    return Table(
        name=name, source_name=name, rows=rows, columns=columns, primary_key=(f"{name}_id",)
    )


def _column(text: str, rows: int) -> Column:
    sign, name = text[0], text.lstrip(">#~@?=")
    if sign == ">":
        return Column(
            name=f"{name}_id",
            data_type=DataType.INTEGER,
            role=ColumnRole.ID,
            distinct=max(2, rows // 3),
        )
    if sign in _NUMBERS:
        kind = DataType.INTEGER if sign == "#" else DataType.FLOAT
        return Column(
            name=name,
            data_type=kind,
            role=ColumnRole.MEASURE,
            distinct=max(2, rows // 2),
            minimum="0",
            maximum="90000",
        )
    if sign == "@":
        return Column(
            name=name,
            data_type=DataType.DATE,
            role=ColumnRole.TIMESTAMP,
            distinct=max(2, rows // 4),
            minimum="2019-01-01",
            maximum="2024-12-31",
        )
    if sign == "?":
        return Column(name=name, data_type=DataType.BOOLEAN, role=ColumnRole.DIMENSION, distinct=2)
    name, *values = name.split(":")
    return Column(
        name=name,
        data_type=DataType.STRING,
        role=ColumnRole.DIMENSION,
        distinct=len(values) or rows,
        samples=tuple(value.replace("_", " ") for value in values),
    )


class TradeValues:
    """Finds phrases among the values that columns are told to have; case does not count."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._found: dict[str, list[tuple[str, str, str]]] = {}
        for table in catalogue.tables:
            for column in table.columns:
                for value in column.samples:
                    place = (table.name, column.name, value)
                    self._found.setdefault(value.lower(), []).append(place)

    async def __call__(self, phrases: Sequence[str]) -> Sequence[ValueHit]:
        """The values that a phrase is."""
        return [
            ValueHit(phrase=phrase, table=table, column=column, value=value, score=1.0)
            for phrase in phrases
            for table, column, value in self._found.get(phrase.lower(), ())
        ]
