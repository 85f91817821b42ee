"""Words as data: what cues a count, a comparison, a grouping, a ranking or a negation."""

from __future__ import annotations

COMPARATORS: tuple[tuple[str, str], ...] = (
    ("not equal to", "!="),
    ("no less than", ">="),
    ("not less than", ">="),
    ("no more than", "<="),
    ("not more than", "<="),
    ("greater than or equal to", ">="),
    ("more than or equal to", ">="),
    ("less than or equal to", "<="),
    ("at least", ">="),
    ("at most", "<="),
    ("up to", "<="),
    ("more than", ">"),
    ("greater than", ">"),
    ("larger than", ">"),
    ("bigger than", ">"),
    ("higher than", ">"),
    ("longer than", ">"),
    ("older than", ">"),
    ("taller than", ">"),
    ("heavier than", ">"),
    ("later than", ">"),
    ("better than", ">"),
    ("more expensive than", ">"),
    ("pricier than", ">"),
    ("less expensive than", "<"),
    ("less than", "<"),
    ("fewer than", "<"),
    ("smaller than", "<"),
    ("lower than", "<"),
    ("shorter than", "<"),
    ("younger than", "<"),
    ("lighter than", "<"),
    ("cheaper than", "<"),
    ("earlier than", "<"),
    ("different from", "!="),
    ("other than", "!="),
    ("equal to", "="),
    ("exactly", "="),
    ("precisely", "="),
    ("equals", "="),
    ("equal", "="),
    ("above", ">"),
    ("over", ">"),
    ("exceeding", ">"),
    ("exceeds", ">"),
    ("exceed", ">"),
    ("below", "<"),
    ("under", "<"),
    ("> =", ">="),
    ("< =", "<="),
    ("! =", "!="),
    (">", ">"),
    ("<", "<"),
    ("=", "="),
)

TEXT_OPERATORS: tuple[tuple[str, str], ...] = (
    ("starts with", "starts with"),
    ("start with", "starts with"),
    ("starting with", "starts with"),
    ("begins with", "starts with"),
    ("begin with", "starts with"),
    ("beginning with", "starts with"),
    ("ends with", "ends with"),
    ("end with", "ends with"),
    ("ending with", "ends with"),
    ("does not contain", "not contains"),
    ("do not contain", "not contains"),
    ("not containing", "not contains"),
    ("contains", "contains"),
    ("contain", "contains"),
    ("containing", "contains"),
    ("has the substring", "contains"),
    ("includes the word", "contains"),
    ("includes", "contains"),
    ("including the word", "contains"),
    ("with the substring", "contains"),
    ("have the substring", "contains"),
)

NEGATIONS: frozenset[str] = frozenset(
    """not no without except excluding never none isn aren don doesn didn haven hasn t
    nor""".split()
)

GROUP_CUES: frozenset[str] = frozenset(
    """by per each every across versus vs group grouped grouping split against""".split()
)

AGGREGATE_WORDS: dict[str, str] = {
    "average": "avg",
    "averaged": "avg",
    "averages": "avg",
    "avg": "avg",
    "mean": "avg",
    "typical": "avg",
    "total": "sum",
    "sum": "sum",
    "summed": "sum",
    "overall": "sum",
    "combined": "sum",
    "maximum": "max",
    "max": "max",
    "maximal": "max",
    "highest": "max",
    "largest": "max",
    "biggest": "max",
    "greatest": "max",
    "longest": "max",
    "oldest": "max",
    "tallest": "max",
    "heaviest": "max",
    "minimum": "min",
    "min": "min",
    "minimal": "min",
    "lowest": "min",
    "smallest": "min",
    "shortest": "min",
    "youngest": "min",
    "lightest": "min",
    "least": "min",
    "median": "median",
    "stddev": "stddev",
    "deviation": "stddev",
}

SUPERLATIVES: dict[str, bool] = {
    "highest": True,
    "largest": True,
    "biggest": True,
    "greatest": True,
    "most": True,
    "best": True,
    "longest": True,
    "oldest": True,
    "tallest": True,
    "heaviest": True,
    "latest": True,
    "newest": True,
    "priciest": True,
    "fastest": True,
    "richest": True,
    "lowest": False,
    "smallest": False,
    "least": False,
    "fewest": False,
    "worst": False,
    "shortest": False,
    "youngest": False,
    "lightest": False,
    "cheapest": False,
    "earliest": False,
    "slowest": False,
}

# What an adjective measures: stems to look for among the numeric columns.
ADJECTIVES: dict[str, tuple[str, ...]] = {
    "old": ("age", "year"),
    "older": ("age",),
    "oldest": ("age",),
    "young": ("age",),
    "younger": ("age",),
    "youngest": ("age",),
    "expensive": ("price", "cost"),
    "cheap": ("price", "cost"),
    "cheaper": ("price", "cost"),
    "pricier": ("price", "cost"),
    "cheapest": ("price", "cost"),
    "priciest": ("price", "cost"),
    "tall": ("height",),
    "taller": ("height",),
    "tallest": ("height",),
    "heavy": ("weight", "mass"),
    "heavier": ("weight", "mass"),
    "heaviest": ("weight", "mass"),
    "long": ("length", "duration", "millisecond"),
    "longer": ("length", "duration", "millisecond"),
    "longest": ("length", "duration", "millisecond", "page"),
    "shortest": ("length", "duration", "millisecond", "height"),
    "large": ("area", "size", "popul", "surfac"),
    "largest": ("area", "size", "popul", "surfac"),
    "populous": ("popul",),
    "fastest": ("speed",),
    "highest": ("height", "elev", "altitud"),
    "paid": ("salari", "wage", "pay", "compens"),
    "hot": ("temperatur",),
    "hottest": ("temperatur",),
}

# What a verb before a comparison measures: "products that cost over 20".
MEASURING_VERBS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("cost", "costs", "costing"), ("price", "cost")),
    **dict.fromkeys(("weigh", "weighs", "weighing"), ("weight", "mass")),
    **dict.fromkeys(("earn", "earns", "earning"), ("salari", "wage", "pay", "compens")),
    **dict.fromkeys(("lasts", "lasting"), ("length", "duration", "millisecond", "minut")),
}

# What people say for values that are stored as single letters or flags.
VALUE_WORDS: dict[str, tuple[str, ...]] = {
    "female": ("F", "female", "Female"),
    "woman": ("F", "female", "Female"),
    "girl": ("F", "female", "Female"),
    "male": ("M", "male", "Male"),
    "man": ("M", "male", "Male"),
    "boy": ("M", "male", "Male"),
}

TRUE_VALUES: tuple[str, ...] = ("1", "Y", "y", "T", "true", "True", "yes", "Yes", "TRUE")


# Words before a mention that say nothing about its role.
SKIPPABLE: frozenset[str] = frozenset(
    """the a an of all their its his her different distinct various any some our your these those
    each's ( value values unique corresponding respective available existing and own attribute
    attributes column field variable""".split()
)

# Words that say that something is, or has, a value.
BEING: frozenset[str] = frozenset(
    """is are was were be been being has have had get got = : as named called""".split()
)
