"""What is said of a chart: that there be one, of which kind, and how its axes are sorted."""

from __future__ import annotations

from services.planner.domain.query.kinds import ChartType, Grain
from services.planner.domain.reader.grammar.rules import Rule

ASKED: tuple[Rule[bool], ...] = (
    Rule(
        "a chart is asked for",
        r"charts?|plots?|graphs?|histograms?|heat ?maps?|diagrams?|pie|scatter"
        r"|visuali[sz]e|visuali[sz]ation|bars|x-axis|y-axis|draw|bar|line (?:chart|graph)"
        r"|as lines?|trends?",
        True,
        examples=("a bar chart of sales by region", "draw the trend of sales", "sales as lines"),
    ),
)

KINDS: tuple[Rule[ChartType], ...] = (
    Rule(
        "scatter",
        r"scatter\w*|relationship|correlation|group(?:ed|ing) scatter\w*",
        ChartType.SCATTER,
        examples=("a scatter plot of height and weight",),
    ),
    Rule(
        "stacked bars",
        r"stack(?:ed|ing)?(?: bars?| column)?",
        ChartType.STACKED_BAR,
        examples=("a stacked bar of sales by region and year",),
    ),
    Rule(
        "heat map",
        r"heat ?maps?",
        ChartType.HEATMAP,
        examples=("a heat map of orders by region and month",),
    ),
    Rule(
        "pie",
        r"pies?|proportions?|donut",
        ChartType.PIE,
        examples=("a pie of customers by country",),
    ),
    Rule(
        "lines",
        r"multi(?:ple)? lines?|group(?:ed|ing) lines?",
        ChartType.MULTI_LINE,
        examples=("a grouping line chart of visits by day and city",),
    ),
    Rule(
        "line",
        r"lines?(?: charts?| graphs?| plots?)?|trends?",
        ChartType.LINE,
        examples=("a line chart of sales by month",),
    ),
    Rule(
        "bars",
        r"bars?|column chart|histograms?",
        ChartType.BAR,
        examples=("bars of sales by region",),
    ),
)

_INTO = r"(?:by|per|each|every|into|of|bin\w*|interval\w*|group\w*|across)"
_WHICH = r"(?:which|what|best|worst|(?!rest|first|last)\w{3,}est)"
_FEW_WORDS = r"(?:(?!of )\w+ ){0,3}?"
_NOT_PART = "".join(
    rf"(?<!{unit} )" for one in ("month", "week", "day", "quarter") for unit in (one, f"{one}s")
)
"""Before "of the year": months of the year are no years."""
TRENDS: tuple[Rule[str], ...] = (
    Rule(
        "how it went over time",
        r"trends?|trend ?lines?|over time",
        "trend",
        examples=("sales trends of Arizona", "a chart of tickets over time"),
    ),
)
"""What is told along time, though no word names a date or a part of time."""

GRAINS: tuple[Rule[Grain], ...] = (
    Rule(
        "by weekday",
        r"(?<!on )(?<!during )weekdays?|day of (?:the )?week|days of the week|week day",
        Grain.WEEKDAY,
        examples=("sales by weekday",),
    ),
    Rule(
        "by month of the year",
        r"months? of (?:the |a |any )?year|months of the years|calendar months?",
        Grain.MONTH_OF_YEAR,
        examples=("sales by month of the year", "orders per calendar month"),
    ),
    Rule(
        "by month of each year",
        r"(?:by|per|each) months? and (?:by |per )?years?|(?:by|per|each) years? and (?:by |per )?"
        r"months?|months? of each year",
        Grain.MONTH,
        examples=("sales by month and year", "orders per month of each year"),
    ),
    Rule(
        "by year",
        rf"{_NOT_PART}{_INTO} {_FEW_WORDS}(?:years?|seasons?|yearly)|yearly|annual(?:ly)?"
        r"|(?:year|season) (?:by|to|after) (?:year|season)"
        r"|(?:over|through|across) (?:all )?(?:of )?(?:the )?(?:years|seasons)"
        rf"|{_WHICH} (?:years?|seasons?)",
        Grain.YEAR,
        examples=("orders by year", "bin the date into the year interval"),
    ),
    Rule(
        "by month",
        rf"{_INTO} {_FEW_WORDS}months?|monthly|{_WHICH} months?"
        r"|month (?:by|to|after) month|(?:over|through|across) (?:all )?(?:the )?months",
        Grain.MONTH,
        examples=("orders by month",),
    ),
    Rule(
        "by quarter",
        rf"(?:by|per|each|every|into|of|bin\w*) {_FEW_WORDS}quarters?|quarterly"
        r"|quarter (?:by|to|after) quarter"
        rf"|{_WHICH} quarters?",
        Grain.QUARTER,
        examples=("revenue per quarter",),
    ),
    Rule(
        "by week",
        rf"(?:by|per|each|every) weeks?|weekly|{_WHICH} weeks?|week (?:by|to|after) week",
        Grain.WEEK,
        examples=("tickets per week",),
    ),
    Rule(
        "by day",
        rf"(?:by|per|each|every) (?:days?|dates?)|daily|{_WHICH} (?:days?|dates?)"
        r"|day (?:by|to|after) day",
        Grain.DAY,
        examples=("visits per day",),
    ),
    Rule(
        "by hour",
        rf"(?:by|per|each|every) (?:hours?|hour of (?:the )?day)|hourly|{_WHICH} hours?"
        r"|hours? of (?:the )?day",
        Grain.HOUR,
        examples=("calls per hour",),
    ),
)

AGAINST: tuple[Rule[str], ...] = (
    Rule(
        "one number upwards, another along",
        r"against|vs|versus",
        "y x",
        examples=("a scatter plot of price against carat",),
    ),
)

AXES: tuple[Rule[str], ...] = (
    Rule(
        "along the x axis",
        r"(?:x-axis|x|along)(?: axis)? (?:is |as |being |of |: |name )?(?:the )?{word}",
        "x",
        examples=("the x-axis is winery",),
    ),
    Rule(
        "along the y axis",
        r"y-axis (?:is |as |being |of |: )?(?:the )?{word}",
        "y",
        examples=("and y-axis is price",),
    ),
    Rule(
        "in series",
        r"(?:group(?:ed|s|ing)?|categori[sz]\w*|split|colou?red?|classif\w*|stack(?:ed)?"
        r"|broken down) (?:by |the |with |into |each )*{word}",
        "series",
        examples=("group by course code", "coloured by species", "and group the grape"),
    ),
)
