"""Words that every question uses: they name no data by themselves."""

from __future__ import annotations

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()
NUMBER_WORDS: dict[str, float] = {word: float(n) for n, word in enumerate(_SMALL)} | {
    "fifteen": 15.0,
    "twenty": 20.0,
    "thirty": 30.0,
    "fifty": 50.0,
    "hundred": 100.0,
    "thousand": 1000.0,
    "once": 1.0,
    "twice": 2.0,
    "dozen": 12.0,
}
ORDINAL_WORDS: dict[str, float] = {
    "second": 2.0,
    "third": 3.0,
    "fourth": 4.0,
    "fifth": 5.0,
    "sixth": 6.0,
    "seventh": 7.0,
    "eighth": 8.0,
    "ninth": 9.0,
    "tenth": 10.0,
}
MULTIPLES: dict[str, float] = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "mio": 1e6,
    "mln": 1e6,
    "billion": 1e9,
    "bln": 1e9,
    "trillion": 1e12,
    "lakh": 1e5,
    "crore": 1e7,
}
SCALES: dict[str, float] = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9}

STOP_WORDS = frozenset(
    """a an the of in on at for to from by with and or is are was were be been being do does did has
    have had having that which who whom whose what where when how many much show shows list find
    give me return draw plot create make visualize visualise display please could can you i we want
    would like also each every all different any there their its it them they this those these as
    into than then not no s us about using use out only per tell let my our some t if so just will
    get see per's i'm what's whats""".split()
)

INSTRUCTING = frozenset(
    """compute calculate determine work take pair join fit code regress estimate correlate
    kindly pls plz thanks thx enough go goes going follow follows over""".split()
)
"""What says what to do with the data, or is said to whoever does it: nothing of a statement."""

STRESSED = frozenset(
    "and or not no all any each every different the a an only per by than then versus vs".split()
)
"""What people write in capitals for stress, or as in SQL: then it is no name of anything."""

# What speaks of the chart or the table to be made, not of the data.
HARMLESS = frozenset(
    """showing shows shown creating creates corresponding correspond corresponds correspondingly
    respective respectively along categorize categorized categorizing categorise categorised
    categorising group groups grouping grouped attribute attributes held""".split()
)
"""Words that a reading may leave out: they say that something be told, and not what."""
PRESENTATION = frozenset(
    """heat heatmap map
    chart charts bar bars pie line lines scatter plot graph histogram x y axis x-axis y-axis
    order ordered sort sorted rank ranked asc desc ascending descending high low draw show
    visualize display list diagram stacked multi grouped colored colour color split versus vs please
    visualization visualisation table result results report compare relationship trend
    correlation proportion distribution using rows names
    calculate calculated compute computed determine""".split()
)
