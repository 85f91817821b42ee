"""Words that may stand for one another in names; one line a group, the commonest first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from services.planner.domain.lexicon.tokens import stem

GROUPS = """
name title
country nation nationality
price cost
city town
salary wage pay earn earning income
sex gender
duration length long
year date time when day
location where place address venue
kind type category
phone telephone
job occupation profession work
people person persons population pop inhabitants
count number amount quantity
unit quantity
rating rate score grade mark stars
capacity seating seats
enrollment size students
birthday birth born
surname last
teacher instructor professor
film movie
song track
shipper carrier
fatality death deaths killed died
shop store
payment pay
result outcome
hometown home
code id identifier
position role
details detail description
worker employee staff
paid pay pays
sold sell sells
won win wins
sent send sends
bought buy buys
left leave leaves
met meet meets
class course
company firm
area region
school college university
age old
elevation altitude
nickname nick
manufacturer maker producer
income revenue sales
rank ranking
pet animal
capita head
win victory
flight fly
colour color
customer client buyer
delay late
destination dest
body mass weight
life expectancy
symbol ticker stock
spend spent amount
player athlete
student pupil kid
team club side squad
bike bicycle
clutch egg
season year
remote remotely telework
exam test score
household respondent
league lg
budget cost
gross revenue
doctor physician
loan borrow lend lent
trip voyage journey sail
ride drive drove driven
foot feet
square sq
appointment visit
"""

ABBREVIATIONS: Mapping[str, str] = {
    "fname": "first name",
    "lname": "last name",
    "dept": "department",
    "num": "number",
    "no": "number",
    "nbr": "number",
    "emp": "employee",
    "crs": "course",
    "qty": "quantity",
    "amt": "amount",
    "addr": "address",
    "prof": "professor",
    "stu": "student",
    "desc": "description",
    "yr": "year",
    "lang": "language",
    "pct": "percentage",
    "lat": "latitude",
    "lon": "longitude",
    "lng": "longitude",
    "apt": "apartment",
    "dob": "date birth",
    "pos": "position",
    "cnt": "count",
    "avg": "average",
    "max": "maximum",
    "min": "minimum",
    "govt": "government",
    "org": "organization",
    "tel": "telephone",
    "cust": "customer",
    "prod": "product",
    "trans": "transaction",
    "acct": "account",
    "acc": "account",
    "percap": "per capita",
    "bdate": "birth date",
    "stuid": "student id",
    "cname": "college name",
    "pname": "player name",
    "nm": "name",
    "enr": "enrollment",
    "dep": "departure",
    "arr": "arrival",
    "dest": "destination",
    "orig": "origin",
    "temp": "temperature",
    "exp": "expectancy",
    "cap": "capita",
    "pop": "population",
    "mfg": "manufacturer",
    "hp": "horsepower",
    "wt": "weight",
    "ht": "height",
    "vol": "volume",
    "sec": "seconds",
    "hrs": "hours",
    "hs": "hours",
    "mgr": "manager",
    "sal": "salary",
    "ref": "reference",
    "img": "image",
    "lvl": "level",
    "loc": "location",
    "st": "street",
    "lg": "league",
    "sched": "scheduled",
    "sqft": "square feet",
    "tmax": "maximum temperature",
    "tmin": "minimum temperature",
    "tavg": "average temperature",
    "prcp": "precipitation",
    "sqm": "square metres",
}

# Endings that are glued to names in lower case: "custname", "empid".
GLUED = ("name", "id", "date", "type", "code", "number", "count", "city", "country", "price")
WHOLE_WORDS = frozenset(
    """paid valid grid bid surname nickname filename update candidate postcode zipcode discount
    account bird android covid solid void aid said raid mid hybrid candid avoid acid fluid
    rapid humid username hometown barcode encode decode prototype capacity velocity electricity
    ethnicity toxicity publicity elasticity simplicity periodicity seasonicity plasticity opacity
    scarcity authenticity genotype phenotype stereotype mandate validate liquid orchid pyramid squid
    steroid asteroid unpaid prepaid overpaid invalid lipid arid vivid plaid braid maid rigid
    splendid headcount viscount recount caprice""".split()
)


def _grouped() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for line in GROUPS.strip().splitlines():
        stems = [stem(word) for word in line.split()]
        for one in stems:
            found[one].update(other for other in stems if other != one)
    return {one: frozenset(others) for one, others in found.items()}


_OF = _grouped()


def synonyms(stemmed: str) -> frozenset[str]:
    """The stems that may stand for this one, without it."""
    return _OF.get(stemmed, frozenset())
