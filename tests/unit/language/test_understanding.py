"""Questions an analyst would ask, and what they are understood to mean."""

from __future__ import annotations

import pytest

from services.planner.domain.query.intent import (
    Aggregate,
    ChartType,
    Clarification,
    Condition,
    Field,
    Grain,
    Group,
    Membership,
    NotUnderstood,
    Operator,
    Understood,
)
from services.planner.domain.reader.understand import understand
from tests.unit.language.shops import PENGUINS, SHOP, TODAY, TWINS, Values, meaning


async def likeliest(question: str) -> Understood:
    """The reading that is taken where nothing may be asked back."""
    found = await understand(question, SHOP, Values(SHOP), today=TODAY, assume=True)
    assert isinstance(found, Understood), found
    return found


async def test_revenue_is_price_times_quantity_less_discount() -> None:
    found = await likeliest("revenue by month in 2022, by category")
    [measure] = found.intent.measures
    assert measure.expression == Field(table="OrderDetails", column="revenue")
    assert "revenue = unit price × quantity × (1 − discount)" in found.summary
    assert [d.grain for d in found.intent.dimensions] == [Grain.MONTH, None]
    assert found.intent.dimensions[1].label == "category name"


async def test_an_order_is_dated_by_its_order_date_not_by_when_it_is_due() -> None:
    intent = (await meaning("number of orders by month")).intent
    assert intent.dimensions[0].expression == Field(table="Orders", column="OrderDate")


async def test_the_same_unit_price_is_the_products_own_without_orders() -> None:
    intent = (await meaning("average unit price by category")).intent
    assert intent.base == "Products"
    assert intent.measures[0].aggregate is Aggregate.AVERAGE
    assert not intent.measures[0].additive


async def test_top_customers_are_ranked_by_what_they_spend() -> None:
    intent = (await meaning("top 5 customers by total spend")).intent
    assert (intent.limit, intent.order[0].descending) == (5, True)
    assert intent.dimensions[0].expression == Field(table="Customers", column="CompanyName")


async def test_who_sold_the_most_is_one_employee_by_all_that_was_sold() -> None:
    intent = (await likeliest("which employee sold the most in 2022")).intent
    assert intent.limit == 1
    assert intent.measures[0].aggregate is Aggregate.SUM
    assert any("name" in dimension.label for dimension in intent.dimensions)
    assert intent.filters


async def test_things_without_others_are_found_by_their_absence() -> None:
    intent = (await meaning("customers who never ordered")).intent
    (found,) = intent.filters
    assert isinstance(found, Membership)
    assert (found.table, found.related, found.absent) == ("Customers", "Orders", True)
    assert [step.right.table for step in found.path] == ["Orders"]


async def test_a_number_of_related_things_is_a_condition_on_groups() -> None:
    intent = (await meaning("which customers have more than 20 orders")).intent
    assert (intent.having[0].operator, intent.having[0].values) == (Operator.GREATER, (20.0,))
    assert intent.dimensions[0].label == "company name"


async def test_values_in_the_data_become_filters() -> None:
    intent = (await likeliest("list products in the Seafood category")).intent
    assert intent.filters == (
        Condition(
            field=Field(table="Categories", column="CategoryName"),
            operator=Operator.EQUAL,
            values=("Seafood",),
        ),
    )


async def test_either_of_two_values_is_one_filter() -> None:
    intent = (await meaning("number of customers by country in France or Germany")).intent
    [wanted] = intent.filters
    assert isinstance(wanted, Group) and wanted.connective == "or"
    assert [getattr(one, "values", ()) for one in wanted.members] == [("France",), ("Germany",)]


@pytest.mark.parametrize(
    ("question", "operator", "values"),
    [
        ("products with unit price above 50", Operator.GREATER, (50,)),
        ("products with unit price of at least 50", Operator.AT_LEAST, (50,)),
        ("products with unit price between 5 and 9.5", Operator.BETWEEN, (5, 9.5)),
        ("products with unit price not more than 7", Operator.AT_MOST, (7,)),
    ],
)
async def test_comparisons_become_filters(
    question: str, operator: Operator, values: tuple[float, ...]
) -> None:
    [wanted] = (await meaning(question)).intent.filters
    assert isinstance(wanted, Condition)
    assert (wanted.operator, wanted.values) == (operator, values)


async def test_above_average_compares_a_column_with_itself() -> None:
    [wanted] = (await meaning("products with unit price above average")).intent.filters
    assert isinstance(wanted, Condition)
    assert wanted.than_average


async def test_names_that_start_with_letters() -> None:
    [wanted] = (await meaning('products whose product name starts with "Ch"')).intent.filters
    assert isinstance(wanted, Condition)
    assert (wanted.operator, wanted.values) == (Operator.STARTS_WITH, ("Ch",))


async def test_counted_things_are_counted_once_where_joins_repeat_them() -> None:
    intent = (await meaning("number of customers per category")).intent
    assert intent.measures[0].aggregate is Aggregate.COUNT_DISTINCT


async def test_relative_time_ends_with_the_data_and_says_so() -> None:
    found = await meaning("number of orders by month in the last 6 months")
    assert found.assumptions == (
        "last 6 months counted back from 2023-12-29, the latest OrderDate",
    )


@pytest.mark.parametrize(
    ("question", "chart"),
    [
        ("average body mass by species", ChartType.BAR),
        ("number of penguins by year", ChartType.LINE),
        ("bill length vs body mass", ChartType.SCATTER),
        ("distribution of body mass", ChartType.HISTOGRAM),
        ("number of penguins by species and island", ChartType.STACKED_BAR),
        ("average body mass by species and sex", ChartType.GROUPED_BAR),
        ("penguins per island as a pie chart", ChartType.PIE),
        ("body mass over time", ChartType.LINE),
    ],
)
async def test_a_chart_is_chosen_by_the_shape_of_the_answer(
    question: str, chart: ChartType
) -> None:
    assert (await meaning(question, PENGUINS)).intent.chart is chart


async def test_naming_every_value_of_a_column_splits_by_it() -> None:
    intent = (await meaning("average body mass of male and female penguins", PENGUINS)).intent
    assert not intent.filters
    assert intent.dimensions[0].label == "sex"


async def test_two_columns_that_fit_alike_are_asked_about() -> None:
    asked = await understand("visits by city", TWINS, Values(TWINS), today=TODAY)
    assert isinstance(asked, Clarification)
    assert 'by "city" do you mean' in asked.question
    assert all(city in asked.question for city in ("entry city", "exit city"))
    assert len(asked.options) == 2


@pytest.mark.parametrize(("answer", "column"), [("2", ""), ("1", ""), ("exit city", "exit_city")])
async def test_an_answer_settles_the_reading(answer: str, column: str) -> None:
    asked = await understand("visits by city", TWINS, Values(TWINS), today=TODAY)
    assert isinstance(asked, Clarification)
    if not column:
        column = "exit_city" if "exit city" in asked.options[int(answer) - 1] else "entry_city"
    found = await understand("visits by city", TWINS, Values(TWINS), today=TODAY, answer=answer)
    assert isinstance(found, Understood)
    assert found.intent.dimensions[0].expression == Field(table="visits", column=column)


async def test_with_assume_the_first_reading_is_taken_and_stated() -> None:
    found = await understand("visits by city", TWINS, Values(TWINS), today=TODAY, assume=True)
    assert isinstance(found, Understood)
    assert "it could also mean number of visits by e" in found.assumptions[0]


@pytest.mark.parametrize("question", ["hello there", "What is the meaning of life?", "?!"])
async def test_what_has_nothing_to_do_with_the_data_is_not_guessed_at(question: str) -> None:
    found = await understand(question, PENGUINS, Values(PENGUINS), today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert found.available[0].startswith("penguins: species, island")


async def test_a_number_that_the_data_does_not_have_is_not_replaced_by_a_count() -> None:
    found = await understand("Salary by employee", SHOP, Values(SHOP), today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert found.message == 'what "Salary" should mean here is not understood'


async def test_a_word_that_narrows_and_is_not_understood_is_refused() -> None:
    question = "number of zealous customers by country"
    found = await understand(question, SHOP, Values(SHOP), today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert found.message == 'what "zealous" should mean here is not understood'


async def test_a_year_at_the_end_limits_the_rows() -> None:
    assert (await meaning("quarterly revenue by category 2022")).intent.filters


@pytest.mark.parametrize(
    ("question", "limit", "descending"),
    [
        ("Which 5 products generated the most revenue in 2022?", 5, True),
        ("cheapest 3 products", 3, False),
        ("the most expensive product", 1, True),
        ("lowest revenue month in 2022", 1, False),
        ("bottom 4 customers by number of orders", 4, False),
    ],
)
async def test_rankings_keep_as_many_as_were_asked_for(
    question: str, limit: int, descending: bool
) -> None:
    intent = (await likeliest(question)).intent
    assert (intent.limit, intent.order[0].descending) == (limit, descending)


async def test_one_row_needs_no_chart() -> None:
    assert (await likeliest("which employee sold the most")).intent.chart is None


async def test_describing_the_data_is_a_profile() -> None:
    intent = (await meaning("describe the data", PENGUINS)).intent
    assert (intent.profile, intent.base) == (True, "penguins")


async def test_the_same_question_is_understood_the_same_way_each_time() -> None:
    question = "Monthly revenue by category in 2023"
    first, second = await likeliest(question), await likeliest(question)
    assert first.model_dump_json() == second.model_dump_json()


async def test_only_words_of_content_are_looked_up() -> None:
    values = Values(SHOP)
    await understand("how many orders per country from Germany", SHOP, values, today=TODAY)
    assert "Germany" in values.asked
    assert not {"how", "many", "per", "from"} & set(values.asked)
