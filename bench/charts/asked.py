"""Questions whose charts are drawn: of every kind, over data that is not held out."""

from __future__ import annotations

from bench.everyday.load import held_out, load

OWN: tuple[tuple[str, str], ...] = (
    ("diamonds", "scatter plot of price against carat"),
    ("diamonds", "histogram of price"),
    ("diamonds", "bar chart of the average price by clarity"),
    ("diamonds", "line chart of the average price by carat"),
    ("diamonds", "number of diamonds by clarity and cut, stacked bars"),
    ("diamonds", "distribution of carat"),
    ("diamonds", "average price by cut and color"),
    ("diamonds", "box plot of price by cut"),
    ("diamonds", "pie chart of the number of diamonds by cut"),
    ("flights", "number of flights per month"),
    ("flights", "number of flights by month and carrier"),
    ("flights", "number of flights by destination and month"),
    ("flights", "average arrival delay by month"),
    ("flights", "scatter of distance and air time"),
    ("flights", "histogram of arrival delay"),
    ("flights", "line chart of the number of flights by flight number"),
    ("flights", "total distance by carrier and origin as a stacked bar chart"),
    ("flights", "number of flights per day"),
    ("flights", "average departure delay by origin and carrier"),
    ("gapminder", "average life expectancy by year"),
    ("gapminder", "life expectancy by year and continent as a line chart"),
    ("gapminder", "scatter of gdp per capita and life expectancy in 2020"),
    ("gapminder", "population by country in 2020"),
    ("gapminder", "population by year and country as lines"),
    ("nests", "scatter plot of clutch size and fledged"),
    ("nests", "how many nests are completed"),
    ("nests", "average nest height by species"),
    ("nests", "number of nests by species and fate"),
    ("nests", "scatter of completed and hatched"),
    ("payroll", "average annual salary by job title"),
    ("payroll", "number of employees by gender and department as a pie chart"),
    ("payroll", "distribution of annual salary"),
    ("payroll", "sum of absence days by kind and month"),
    ("school", "average score by subject and term"),
    ("school", "number of students by lunch program"),
    ("school", "histogram of score"),
    ("shop", "revenue by category and month in 2024"),
    ("shop", "number of orders by status"),
    ("shop", "number of orders per weekday"),
    ("shop", "total stock by category as a pie"),
    ("shop", "average discount by category"),
    ("shop", "number of customers by country and newsletter"),
    ("survey", "number of respondents by satisfaction"),
    ("survey", "average commute by age group"),
    ("survey", "number of people by region and gender as stacked bars"),
    ("survey", "number of people by household income"),
    ("survey", "histogram of commute"),
    ("tickets", "number of tickets by priority and status"),
    ("tickets", "average satisfaction by agent as a line chart"),
    ("tickets", "number of tickets per month and channel, stacked"),
    ("tickets", "number of tickets by hour"),
    ("baseball", "scatter of height and weight"),
    ("baseball", "wins per year and team as a line chart"),
    ("races", "points by driver in 2024"),
    ("races", "number of results by status and driver, stacked bars"),
)
"""A dataset of the everyday set and a question about it that has a chart."""


def asked() -> list[tuple[str, str]]:
    """The own questions, then those of the everyday set, dataset by dataset."""
    everyday = [
        (item.dataset, item.ask)
        for item in load()
        if item.expect == "answer" and not held_out(item.dataset)
    ]
    return [*OWN, *everyday]
