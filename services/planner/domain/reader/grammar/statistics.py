"""What is said of how values lie: their middle, their parts, their spread, what goes together."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.domain.query.kinds import Aggregate, Calculation
from services.planner.domain.reader.grammar.rules import Rule


@dataclass(frozen=True, slots=True)
class Made:
    """A number made of a column's values; a percentile has the `quantile`, from 0 to 1.

    With an `against` it is that number set against another of the same column, in the way of
    `how`: the range is the greatest less the least.
    """

    aggregate: Aggregate
    quantile: float | None = None
    how: Calculation | None = None
    against: Made | None = None
    called: str = ""


def percentile(quantile: float) -> Made:
    """The value below which that part of all values lies, by linear interpolation."""
    return Made(Aggregate.PERCENTILE, quantile)


MEDIAN, DEVIATION = Made(Aggregate.MEDIAN), Made(Aggregate.DEVIATION)
LOWER, UPPER = percentile(0.25), percentile(0.75)
RANGE = Made(Aggregate.MAXIMUM, None, Calculation.DIFFERENCE, Made(Aggregate.MINIMUM), "range of")
BETWEEN_QUARTILES = Made(
    Aggregate.PERCENTILE, 0.75, Calculation.DIFFERENCE, LOWER, "interquartile range of"
)
VARIATION = Made(
    Aggregate.DEVIATION,
    None,
    Calculation.RATIO,
    Made(Aggregate.AVERAGE),
    "coefficient of variation of",
)

_HIGH = r"(?:highest|largest|biggest|greatest|maximum|max|most|longest|oldest|best|top|dearest)"
_LOW = r"(?:lowest|smallest|least|minimum|min|fewest|shortest|youngest|worst|bottom|cheapest)"
_PERCENTILES = r"(?:percentiles?|quantiles?|centiles?|pctls?)"

RULES: tuple[Rule[tuple[Made, ...]], ...] = (
    Rule(
        "middle",
        r"medians?|mid ?points?|middle(?: value)?|in the middle|second quartiles?",
        (MEDIAN,),
        examples=("median salary", "the middle fare", "what is in the middle"),
    ),
    Rule(
        "typical",
        r"typical(?:ly)?|usual(?:ly)?",
        (MEDIAN, Made(Aggregate.AVERAGE)),
        examples=("typical hours until a ticket is closed", "what does one usually pay"),
    ),
    Rule(
        "deviation",
        r"standard deviations?|std(?:ev|dev|s)?(?: dev(?:iation)?)?|st \. dev|stddev|sds?|s \. d"
        r"|stand\.? dev",
        (DEVIATION,),
        examples=("standard deviation of salary", "how spread out are the scores (sd)"),
    ),
    Rule(
        "spread",
        r"spread|scattered|dispersion|variation|variability|vary|varies|varied|varying|fluctuat\w+"
        r"|volatil\w+|consistent(?:ly)?|consistency|unequal(?:ly)?",
        (DEVIATION, RANGE, BETWEEN_QUARTILES),
        examples=("how spread out are the scores", "which station varies most"),
    ),
    Rule("variance", r"variances?|var", (Made(Aggregate.VARIANCE),), examples=("variance of age",)),
    Rule(
        "range",
        r"range(?: of)?|" + rf"(?:difference|gap|distance|spread) (?:\w+ )?between (?:the )?(?:"
        rf"{_HIGH} (?:{{gap}})?and (?:the )?{_LOW}|{_LOW} (?:{{gap}})?and (?:the )?{_HIGH})"
        rf"|(?:{_HIGH}) (?:{{gap}})?(?:minus|less|-) (?:the )?{_LOW}",
        (RANGE,),
        examples=(
            "price range by brand",
            "gap between the highest and the lowest wage",
            "the max minus the min of the wage",
        ),
    ),
    Rule(
        "between quartiles",
        r"iqr|inter ?quartile(?: ranges?)?|inter - quartile ranges?|middle half",
        (BETWEEN_QUARTILES,),
        examples=("interquartile range of the fares", "iqr of price by cut"),
    ),
    Rule(
        "variation by the mean",
        r"coefficients? of variation|relative (?:standard deviations?|spread)",
        (VARIATION,),
        examples=("coefficient of variation of yield by field",),
    ),
    Rule(
        "lower quartile",
        r"(?:lower|first|bottom|#1st) quartiles?",
        (LOWER,),
        examples=("the lower quartile of the fares", "1st quartile of price"),
    ),
    Rule(
        "upper quartile",
        r"(?:upper|third|top|#3rd) quartiles?",
        (UPPER,),
        examples=("the upper quartile of the fares", "third quartile of price"),
    ),
)
"""One of what is meant is wanted, the first likeliest."""

QUARTILES: tuple[Rule[tuple[Made, ...]], ...] = (
    Rule(
        "all quartiles",
        r"(?:all |three )?quartiles",
        (LOWER, MEDIAN, UPPER),
        examples=("quartiles of the fares",),
    ),
    Rule(
        "both quartiles",
        r"(?:lower and upper|first and third|#1st and #3rd|outer) quartiles?",
        (LOWER, UPPER),
        examples=("lower and upper quartile of the fares",),
    ),
)
"""All of what is meant is wanted."""

# The slots hold how many of 100 lie below, or which part of all.
PARTS: tuple[Rule[str], ...] = (
    Rule(
        "two percentiles",
        r"{number} (?:and|or|,|to|-|&) (?:the )?{number2} (?:% |percent )?" + _PERCENTILES,
        "two",
        examples=("10th and 90th percentile of price",),
    ),
    Rule(
        "percentiles of two",
        _PERCENTILES + r" {number} (?:and|,|&) {number2}",
        "two",
        examples=("percentiles 5 and 95 of the fare",),
    ),
    Rule(
        "percentile",
        r"{number} (?:% |percent )?" + _PERCENTILES,
        "one",
        examples=("95th percentile of the delay", "0.9 quantile of price"),
    ),
    Rule(
        "percentile of one",
        _PERCENTILES + r" {number}",
        "one",
        examples=("percentile 95 of the delay",),
    ),
    Rule("p and a number", r"(?P<word>p\d{1,2})", "short", examples=("p95 of the delay",)),
    Rule("decile", r"{number} deciles?", "tenths", examples=("9th decile of income",)),
)

MODE: tuple[Rule[str], ...] = (
    Rule(
        "mode",
        r"modes?|modal(?: value)?|most (?:common|frequent|usual|popular)(?:ly)?(?: value)?"
        r"|commonest|most often",
        "mode",
        examples=("the mode of the colour", "most common species", "commonest job"),
    ),
)

TOGETHER: tuple[Rule[Aggregate], ...] = (
    Rule(
        "correlation of ranks",
        r"spearmans?|(?:rank|monotonic)(?: order)? correlat\w+",
        Aggregate.RANK_CORRELATION,
        examples=("Spearman correlation of age and income", "rank correlation of age and income"),
    ),
    Rule(
        "correlation",
        r"(?:auto)?correlat\w+|pearsons?|go(?:es)? (?:together|along|hand in hand|up with)"
        r"|(?:relat(?:ion|ionship)|association|link|connection)s? (?:between|of)"
        r"|(?:linked|related|tied|connected) (?:to|with)"
        r"|depends? on|(?:do|does|did) (?:\S+ ){0,6}?(?:matters?|affects?|influences?|drives?)"
        r"|(?:has|have) (?:an? )?(?:\w+ )?(?:effect|influence|impact|bearing) on",
        Aggregate.CORRELATION,
        examples=(
            "correlation of grid and position",
            "is income related to age",
            "how strongly do the two delays go together",
            "does height matter for the catch",
        ),
    ),
    Rule(
        "more with more",
        r"(?:do|does|did|is|are|have|has) (?:\S+ ){0,5}?(?:more|less|fewer|\w{3,}er) (?:\S+ ){0,6}?"
        r"(?:more|less|fewer|worse|better|\w{4,}er)(?: \S+){0,4}?",
        Aggregate.CORRELATION,
        examples=("do bigger stones cost more", "do teams that win more draw bigger crowds"),
    ),
    Rule(
        "the more the more",
        r"the (?:more|less|fewer|\w{3,}er) (?:\S+ ){1,6}?the (?:more|less|fewer|\w{3,}er)",
        Aggregate.CORRELATION,
        examples=("is it so that the older the house the lower the price",),
    ),
)
"""What asks whether two numbers of the same rows go together; ranks before plain values."""
