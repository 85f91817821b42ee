"""Words of statistics and of instructions: what they mean, and that they name no data."""

from __future__ import annotations

import re

from services.planner.domain.lexicon.tokens import stem

METHOD_WORDS = frozenset(
    """test tests model models mean average median mode range ratio score scores value values
    variance deviation standard standardise standardize normal normality significant significance
    level alpha sample samples population correlation coefficient regression linear logistic
    intercept slope error square squared chi statistic statistics distribution outlier outliers
    quartile quartiles quantile percentile percentage percent share proportion count number rate
    total sum minimum maximum min max lowest highest skewness kurtosis confidence interval lower
    upper method missing null data dataset rows row column columns feature features variable
    variables new split train training set seed random state round rounded decimal decimals places
    result answer name yes no true false difference different compare comparison independent
    dependent paired two one three log logarithm natural transform transformed scaled scaling
    normalise normalize z f t h u w r p rho tau type table report format equal identify determine
    calculate compute find perform check consider give group groups bin bins""".split()
)
"""Words that name a column only where it is called by nothing else."""

# What a figure is, by the phrases that say so; the longer come first.
CONCEPTS: tuple[tuple[str, str], ...] = (
    ("p-value", r"p ?values?|p|probability|pval"),
    ("adjusted R squared", r"(?:adjusted|adj) (?:r ?squared|r ?2|r²|r sq)"),
    ("R squared", r"r ?squared?|r ?2|r²|coefficient of determination|r sq|determination"),
    ("root mean squared error", r"rmse|root mean squared? error"),
    ("mean squared error", r"mse|mean squared? error"),
    ("mean absolute error", r"mae|mean absolute error"),
    ("coefficient of variation", r"cv|coefficient of variation|coef var"),
    ("population standard deviation", r"population (?:standard deviation|std(?: dev)?|sd)"),
    (
        "standard deviation",
        r"(?:sample )?(?:standard deviations?|std(?: dev(?:iation)?)?|sd|stdev|stddev)",
    ),
    ("standard error", r"standard errors?|sem|std err(?:or)?"),
    ("population variance", r"population variance"),
    ("degrees of freedom", r"degrees? of freedom|df|dof"),
    ("interquartile range", r"iqr|inter ?quartile ranges?"),
    ("confidence interval", r"confidence interval|ci"),
    ("difference", r"(?:absolute )?differences?|diff|gap"),
    ("share", r"percentages?|percents?|pct|shares?|proportions?|fractions?|rate"),
    ("count", r"counts?|numbers?|nums?|n|how many|frequency|total count"),
    ("mean", r"means?|averages?|avg"),
    ("median", r"medians?"),
    ("mode", r"modes?|most (?:common|frequent)"),
    ("variance", r"(?:sample )?(?:variances?|var)"),
    ("minimum", r"minimums?|min|smallest|lowest value"),
    ("maximum", r"maximums?|max|largest value|highest value"),
    ("range", r"ranges?"),
    ("skewness", r"skew(?:ness)?"),
    ("kurtosis", r"(?:excess )?kurt(?:osis)?"),
    ("slope", r"slopes?"),
    ("intercept", r"intercepts?"),
    (
        "correlation",
        r"(?:correlation )?coefficients?|correlations?|corr|coefs?|r|rho|tau"
        r"|pearson|spearman|kendall",
    ),
    ("statistic", r"(?:test )?(?:statistics?|stats?)|t|f|h|u|w|chi ?2|chi squared?|chi2|χ²"),
    ("sum", r"sum|total"),
    ("lower", r"lower|low|lower bound"),
    ("upper", r"upper|high|upper bound"),
    ("outliers", r"outliers?"),
    ("missing", r"missing|nulls?|nan"),
)
_CONCEPTS = tuple(
    (name, re.compile(rf"(?<![\w⟨])(?:{words})(?![\w⟩])")) for name, words in CONCEPTS
)
_NAME_PARTS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\W]+")
_EMPTY = frozenset("the a an of in for and or value result answer with to by on is".split())


def concepts(text: str) -> frozenset[str]:
    """Which figures a text speaks of."""
    found: set[str] = set()
    rest = text
    for name, pattern in _CONCEPTS:
        rest, count = pattern.subn(" · ", rest)
        found |= {name} if count else set()
    return frozenset(found)


def words_in(name: str) -> str:
    """A name such as "is_normal" or "meanAge" as words in lower case."""
    return " ".join(part for part in _NAME_PARTS.split(name) if part).lower()


def stems(text: str) -> frozenset[str]:
    """The stems of a text's words that speak of no figure."""
    rest = words_in(text)
    for _, pattern in _CONCEPTS:
        rest = pattern.sub(" ", rest)
    return frozenset(stem(word) for word in rest.split() if word not in _EMPTY)
