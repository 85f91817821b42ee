"""Words as data: abbreviations, synonyms, and what kind of thing a name speaks of."""

from __future__ import annotations

NUMBER_WORDS: dict[str, float] = {
    word: float(value)
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve""".split()
    )
    if word != "one"
} | {"twenty": 20.0, "fifty": 50.0, "hundred": 100.0}

STEM_EXCEPTIONS: dict[str, str] = {
    "people": "person",
    "aircrafts": "aircraft",
    "data": "data",
    "series": "series",
    "species": "species",
    "universities": "university",
    "university": "university",
    "universal": "universal",
    "news": "news",
    "ordered": "order",
    "orders": "order",
    "maximal": "maximum",
    "minimal": "minimum",
    "produces": "produce",
    "product": "product",
    "production": "production",
    "aged": "age",
    "ages": "age",
    "older": "older",
    "general": "general",
    "generation": "generation",
    "men": "man",
    "women": "woman",
    "children": "child",
}

ABBREVIATIONS: dict[str, str] = {
    "fname": "first name",
    "lname": "last name",
    "firstname": "first name",
    "lastname": "last name",
    "forename": "first name",
    "surname": "last name",
    "dob": "date of birth",
    "dept": "department",
    "apt": "apartment",
    "emp": "employee",
    "stu": "student",
    "prof": "professor",
    "crs": "course",
    "num": "number",
    "no": "number",
    "qty": "quantity",
    "amt": "amount",
    "addr": "address",
    "desc": "description",
    "cnt": "count",
    "pop": "population",
    "hrs": "hours",
    "enr": "enrollment",
    "lat": "latitude",
    "lng": "longitude",
    "lon": "longitude",
    "long": "longitude",
    "alt": "altitude",
    "cust": "customer",
    "prod": "product",
    "cat": "category",
    "mgr": "manager",
    "exp": "expectancy",
    "gdp": "gdp",
    "percap": "per capita",
    "temp": "temperature",
    "humid": "humidity",
    "precip": "precipitation",
    "visib": "visibility",
    "dewp": "dew point",
    "govt": "government",
    "dir": "direction",
    "init": "initial",
    "zip": "zip",
    "tel": "telephone",
    "yr": "year",
    "acc": "account",
    "ref": "reference",
    "yn": "flag",
    "mm": "millimetres",
    "kg": "kilograms",
    "intgross": "international gross",
    "domgross": "domestic gross",
    "imdb": "imdb",
}


STOP_WORDS: frozenset[str] = frozenset(
    """a an the of in on at to for from with without by and or is are was were be been being do
    does did have has had what which who whom whose where when how why that this these those it
    its their them they there he she his her our my me i we you your us can could would should
    please show give list find tell return display draw plot visualize visualise present create
    make want need like get let know see report calculate compute compare s about as into than
    then so if any some all also just each every per across between among over under above below
    such only both either neither nor not no more most least less many much few them themselves
    following respective respectively corresponding correspond different distinct various using
    use through via along please prefer understand chart graph plot diagram figure visualization
    result results related total number count average mean sum maximum minimum max min highest
    lowest top bottom first last belong belongs but bought separately individually""".split()
)


# Numbers of which a sum means nothing; grouped without a word for it, they are averaged.
RATE_WORDS: frozenset[str] = frozenset(
    """price rate ratio percent percentag age averag temperatur grade score gpa length width height
    depth weight speed latitud longitud rating humid pressur visibl expect per gdp discount
    level year size distanc elev altitud capita dew point mass millimetr""".split()
)

REVENUE_WORDS: frozenset[str] = frozenset(
    "revenu sale turnov spend spent sold sell income earn money".split()
)
PRICE_WORDS: frozenset[str] = frozenset(["price", "unitpric"])
QUANTITY_WORDS: frozenset[str] = frozenset(["quantiti", "unit", "qti"])
TOTAL_WORDS: frozenset[str] = frozenset(["total", "amount", "revenu", "sale", "subtot"])

# Which of several dates is meant when none is named.
MAIN_DATE_WORDS: tuple[str, ...] = ("order", "invoic", "transact", "sale", "purchas", "creat")
SIDE_DATE_WORDS: frozenset[str] = frozenset(
    """requir ship due birth plan expect updat modifi deliveri hire end to deliv arriv""".split()
)
