"""Words that speak of a column by what it measures: "oldest" of an age, "live" of a city.

Each line: the word, 1 where more of it means higher values, -1 lower, 0 neither, and the words of
columns that it may speak of, the likeliest first.
"""

from __future__ import annotations

_LINES = """
oldest 1 age birth year built open founded established commissioned launched
youngest -1 age birth
older 1 age birth
younger -1 age birth
old 1 age
longest 1 length duration time distance minutes seconds milliseconds hours
shortest -1 length duration height distance minutes seconds milliseconds
longer 1 length duration minutes seconds milliseconds hours
shorter -1 length duration height minutes seconds milliseconds
long 1 length duration
largest 1 size area population capacity amount enrollment
biggest 1 size area population capacity
smallest -1 size area population capacity enrollment
larger 1 size area population
smaller -1 size area population
tallest 1 height
taller 1 height
tall 1 height
heaviest 1 weight mass
heavier 1 weight mass
heavy 1 weight mass
lightest -1 weight mass
lighter -1 weight mass
cheapest -1 price cost rate fare fee
cheaper -1 price cost fare fee
far 0 distance
deep 0 depth
wide 0 width
big 0 size area
costliest 1 price cost rate fare fee
dearest 1 price cost rate fare fee
wealthiest 1 money income worth gdp wealth
strongest 1 strength power magnitude
weakest -1 strength power magnitude
loudest 1 loudness volume noise
rainiest 1 rain rainfall precipitation
sunniest 1 sun sunshine sunlight
expensive 1 price cost rate fare fee
priciest 1 price cost fare fee
length 0 duration minutes seconds milliseconds
duration 0 minutes seconds milliseconds hours
runtime 0 duration minutes seconds milliseconds
earliest -1 date year time
latest 1 date year time
recent 1 date year time
recently 1 date year time
newest 1 date year built open founded established commissioned launched
fastest 1 speed time
slowest -1 speed time
fast 1 speed
richest 1 money income worth gdp wealth gross
populous 1 population
populated 1 population
popular 1 popularity population
hottest 1 temperature
warmest 1 temperature
coldest -1 temperature
coolest -1 temperature
windiest 1 wind
wettest 1 precipitation rain moisture humidity
driest -1 precipitation rain moisture humidity
highest 1 height elevation altitude alt
lowest -1 elevation altitude alt
higher 0 height
deepest 1 depth
brightest 1 brightness magnitude
paid 1 salary price
left 0 stock inventory remaining
makes 0 salary income earnings
make 0 salary income earnings
making 0 salary income earnings
still 0 stock
poorest -1 money income worth gdp wealth
fattest 1 weight mass
bigger 1 carat size area
busiest 1 attendance visitors
crowds 0 attendance
crowd 0 attendance
wins 1 w
losses -1 l
finish 0 position place rank
finishes 0 position place rank
finishing 0 position place rank
fails 0 score grade
failed 0 score grade
passed 0 score grade
leavers 0 leave
payroll 0 salary wage pay
rated 1 rating satisfaction score stars points review
born 0 birth date
joined 0 joined join joining hire hired signup enrolment enrollment registration
signed 0 signup signed sign registration joined
registered 0 registration registered signup
live 0 city country address life
lives 0 city country address
living 0 city country address
built 0 year built commissioned
size 0 area square acres hectares
founded 0 year founded
cost 0 price cost
costs 0 price cost
weigh 0 weight mass
weighs 0 weight mass
weighed 0 weight mass
earned 0 salary earnings income
lasts 0 duration length
lasted 0 duration length
earn 0 salary earnings
earns 0 salary earnings
before -1 date year time
after 1 date year time
since 1 date year
"""

ADJECTIVES: dict[str, tuple[int, tuple[str, ...]]] = {
    word: (int(sign), tuple(columns))
    for word, sign, *columns in (line.split() for line in _LINES.strip().splitlines())
}
