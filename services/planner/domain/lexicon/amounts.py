"""Words that name how much there is of something, not things: "takings", "weight", "speed".

A number of rows never answers them.
"""

from __future__ import annotations

from services.planner.domain.lexicon.normalise import stem

_AMOUNTS = """
takings earnings proceeds turnover revenue income profit loss margin markup gain yield
spend spending expense expenditure outlay cost price fee fare toll tariff rent
salary wage pay payroll commission tax vat tuition deductible rebate
discount balance debt credit equity worth value amount total sum budget
funding savings gross net cash money billing
weight mass height length width depth distance size area volume capacity thickness diameter radius
circumference altitude elevation mileage density load
speed velocity pace acceleration power torque energy consumption usage output throughput demand
production intensity pressure temperature warmth heat humidity moisture rainfall precipitation
snowfall sunshine brightness noise loudness
duration runtime age lifespan tenure delay lateness latency wait overtime absence downtime uptime
rate ratio share percentage proportion fraction average mean median probability likelihood risk
score rating points level quality satisfaction popularity performance efficiency
productivity growth decline increase decrease inflation unemployment literacy mortality
fertility expectancy poverty inequality wealth prosperity gdp turnout attendance enrolment
enrollment population footfall traffic emissions calories
inventory quantity
""".split()
_STEMS = frozenset(stem(word) for word in _AMOUNTS)


def is_amount(word: str) -> bool:
    """Whether a word, in lower case, names an amount; one with an ending of its own too."""
    return stem(word) in _STEMS
