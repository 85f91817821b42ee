"""Questions for a statistical test: which test is asked for, and what is said about how."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from services.planner.domain.language.clauses import take
from services.planner.domain.language.normalise import Token

_DRAWN = re.compile(
    r"\b(?:charts?|graphs?|plots?|scatter|draw|visuali[sz]e|show|heat ?map)\b", re.IGNORECASE
)
# From the most telling words to the least.
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("logistic_regression", r"\blogistic regression\b"),
    ("linear_regression", r"\b(?:multiple |simple )?linear regression\b|\bregress(?:ion|ing)?\b"),
    ("chi_square", r"\bchi[- ]?squared?(?: test)?\b"),
    ("anova", r"\b(?:one[- ]way )?anova\b|\banalysis of variance\b"),
    ("kruskal", r"\bkruskal[- ]wallis\b"),
    ("mann_whitney", r"\bmann[- ]whitney(?: u)?\b|\brank[- ]sum test\b"),
    ("paired_t", r"\bpaired(?:[- ]samples?)? t[- ]?test\b"),
    ("one_sample_t", r"\bone[- ]sample t[- ]?test\b"),
    ("t_test", r"\b(?:(?:welch(?:'s)?|student(?:'s)?|independent|two[- ]samples?) )*t[- ]?test\b"),
    ("difference", r"\bsignificant(?:ly)? differen(?:ce|t)s?\b|\bdiffers? significantly\b"),
    ("normality", r"\bnormality\b|\bnormally distributed\b|\bnormal distribution\b|\bshapiro\b"),
    ("outliers", r"\boutliers?\b"),
    (
        "missing",
        r"\b(?:missing|null|nan) (?:values?|entries|data)\b|\bmissingness\b",
    ),
    (
        "correlation",
        r"\b(?:pearson|spearman|kendall)(?:'s)?\b|\bcorrelation coefficients?\b"
        r"|\bcorrelat\w+(?= .*\b(?:p[- ]?value|significan))|\bcorrelation matrix\b"
        r"|\b(?:strongest|highest|most|best|largest|weakest|lowest) (?:\w+ )?correlat\w+"
        r"|\bp[- ]?values? (?:of|for) the (?:\w+ )?correlation\b"
        r"|\bcorrelat\w+ (?:most|best|strongest)\b|\bpairwise correlations?\b"
        r"|(?<=\bis there a )(?:significant )?correlation\b"
        r"|\bhow (?:strongly|closely) .*?correlated\b"
        r"|^(?:what|compute|calculate|determine|find)\b.{0,16}\bcorrelations?"
        r"(?= between| of| with)",
    ),
    (
        "describe",
        r"\bskew(?:ness|ed)?\b|\bkurtosis\b|\bddof\b|\bvariance\b(?! inflation)|\biqr\b"
        r"|\b(?:population|sample) standard deviation\b|\binter[- ]?quartile range\b"
        r"|\bstandard error\b|\bcoefficients? of variation\b"
        r"|\bthe mode\b|\bmode of\b|\bmost (?:common|frequent) values? (?:of|in|for)\b|\brange of\b"
        r"|\b(?:descriptive|summary) statistics\b|\bfive[- ]number summary\b",
    ),
)
_EXTRA = re.compile(
    r"\bz[- ]?scores?\b|\biqr\b|\binter[- ]?quartile range\b|\bp[- ]?values?\b|\bcorrelat\w+\b"
    r"|\bcoefficients?\b|\bdegrees? of freedom(?: (?:of|is|=|equal to) ?[01])?"
    r"|\bddof ?(?:=|of|is|equal to)? ?[01]\b|\bmatrix\b|\bpairwise\b|\b(?:strongest|weakest)\b"
    r"|(?:,? ?\b(?:at|with|using|for|assuming))?(?: an?| the)? ?\b(?:alpha|significance|confidence)"
    r"(?: level)?(?: of| is| =|=| at)? ?(?:0?\.\d+|\d+(?:\.\d+)? ?%)?(?: level)?"
    r"|\b(?:at|with) (?:the |an? )?(?:0?\.\d+|\d+ ?%)(?: significance| confidence)?(?: level)?"
    r"|\bp ?< ?0?\.\d+|\bsignifican(?:t|ce|tly)\b|\btwo[- ](?:tailed|sided)\b"
    r"|\bperform\b|\brun\b|\bfit\b|\bmodel\b|\btest\b|\bstatistics?\b|\bmethod\b"
    r"|\bequal variances?\b"
    r"|\b(?:in)?dependen(?:t|ce)\b|\bassociat(?:ed|ion)\b|\bfollows?\b"
    r"|\bpredict(?:s|ing|ors?)?\b|\bdetect\b|\bthreshold\b|\bsample\b|\bpopulation\b",
    re.IGNORECASE,
)
_COMPARING = frozenset(
    """different differs from against greater more larger higher less lower than above beyond over
    of at exceeding is equal to""".split()
)
_ALPHA = re.compile(
    r"\b(?P<what>alpha|significance|confidence)(?: level)?(?: of| is| =|=| at)? ?"
    r"(?P<value>0?\.\d+|\d+(?:\.\d+)? ?%)"
    r"|(?P<value2>0?\.\d+|\d+(?:\.\d+)? ?%) (?P<what2>significance|confidence)"
    r"|\bp ?< ?(?P<value3>0?\.\d+)|\b(?:at|with) (?:the |an? )(?P<value4>0?\.0\d+|\d ?%) level",
    re.IGNORECASE,
)
_DDOF = re.compile(
    r"\b(?:ddof|(?:delta )?degrees? of freedom) ?(?:=|of|is|equal to)? ?([01])\b", re.IGNORECASE
)
# The words of a description and how `stats.test` calls what they ask for.
_DESCRIBED: tuple[tuple[str, str], ...] = (
    ("mean", r"\b(?:mean|average)\b"),
    ("median", r"\bmedian\b"),
    ("mode", r"\bmode\b|\bmost (?:common|frequent) value"),
    ("standard deviation", r"\b(?:standard deviation|std|stdev)\b"),
    ("variance", r"\bvariance\b"),
    ("standard error", r"\bstandard error\b"),
    ("minimum", r"\b(?:minimum|min)\b"),
    ("maximum", r"\b(?:maximum|max)\b"),
    ("range", r"(?<!quartile )\brange\b"),
    ("coefficient of variation", r"\bcoefficients? of variation\b"),
    ("lower quartile", r"\b(?:quartiles|(?:lower|first) quartile|25th percentile|q1)\b"),
    ("upper quartile", r"\b(?:quartiles|(?:upper|third) quartile|75th percentile|q3)\b"),
    ("interquartile range", r"\binter[- ]?quartile range\b|\biqr\b"),
    ("skewness", r"\bskew(?:ness|ed)?\b"),
    ("kurtosis", r"\bkurtosis\b"),
    ("sum", r"\b(?:sum|total)\b"),
)
_FIVE = ("minimum", "lower quartile", "median", "upper quartile", "maximum")


@dataclass(frozen=True, slots=True)
class StatisticWish:
    """The test asked for and what was said about how.

    `asked` are the statistics of a description that the question is about; `every` says that all
    columns are to be paired, or all others with the one named.
    """

    test: str
    asked: tuple[str, ...] = ()
    method: str = ""
    threshold: float | None = None
    expected: float | None = None
    ddof: int | None = None
    equal_variances: bool = False
    confidence: float | None = None
    every: bool = False


def statistic_wish(
    question: str, tokens: Sequence[Token], names: Collection[str] = ()
) -> StatisticWish | None:
    """The test that is asked for; its words are marked as used. None when none is.

    `names` are the stems of the words that columns are called by: a "mode of transport" is none.
    """
    for test, pattern in _PATTERNS:
        match = re.search(pattern, question, re.IGNORECASE)
        drawn = test in ("correlation", "describe") and _DRAWN.search(question)
        if match is None or (drawn and "matrix" not in match.group().lower()):
            continue
        said = [t for t in tokens if match.start() <= t.start < match.end()]
        if any(t.quoted for t in said):
            continue
        if test == "describe" and any(t.stem in names for t in said):
            continue
        wish = _wish(test, match.group(), question)
        take(tokens, match.start(), match.end(), "statistic")
        extras = [_EXTRA, *(re.compile(p, re.I) for _, p in _DESCRIBED if wish.test == "describe")]
        for extra in (found for words in extras for found in words.finditer(question)):
            take(tokens, extra.start(), extra.end(), "statistic")
        if wish.expected is not None or wish.threshold is not None:
            _take_number(tokens, wish)
        return wish
    return None


def _take_number(tokens: Sequence[Token], wish: StatisticWish) -> None:
    """Marks the number that is part of the test, with the comparison that leads to it."""
    for position, token in enumerate(tokens):
        if token.number is None or token.number not in (wish.expected, wish.threshold):
            continue
        start = position
        while start and tokens[start - 1].lower in _COMPARING:
            start -= 1
        for part in tokens[start : position + 1]:
            part.used = part.used or "statistic"
        return


def _wish(test: str, said: str, question: str) -> StatisticWish:
    text = question.lower()
    method = next((m for m in ("spearman", "kendall") if test == "correlation" and m in text), "")
    threshold = None
    if test == "outliers":
        z_score = re.search(r"z[- ]?scores?|standard deviations", text)
        method = "z-score" if z_score else "iqr"
        number = re.search(
            r"(?:z[- ]?scores?|iqr|threshold|than|of|beyond|above)\D{0,25}?(\d+(?:\.\d+)?)", text
        )
        number = number or re.search(r"(\d+(?:\.\d+)?) ?(?:times|x|×|\*) ?(?:the )?iqr", text)
        threshold = float(number.group(1)) if number else None
    expected = re.search(r"(?:against|from|equal to|equals|is|of|than|=)\s+(-?\d+(?:\.\d+)?)", text)
    population = "population standard" in text or "population variance" in text
    ddof = _DDOF.search(text)
    return StatisticWish(
        test=test,
        asked=_asked(text) if test == "describe" else (),
        method=method,
        threshold=threshold,
        expected=float(expected.group(1)) if expected and test == "one_sample_t" else None,
        ddof=int(ddof.group(1)) if ddof else 0 if population else None,
        equal_variances="equal variance" in text or "student" in text,
        confidence=_confidence(text),
        every=test == "correlation" and _pairs_all(said.lower(), text),
    )


def _asked(text: str) -> tuple[str, ...]:
    if "five-number" in text or "five number" in text:
        return _FIVE
    return tuple(name for name, words in _DESCRIBED if re.search(words, text))


def _confidence(text: str) -> float | None:
    """The stated confidence, or 1 less the stated level of significance."""
    found = _ALPHA.search(text)
    if found is None:
        return None
    groups = found.groupdict()
    said = next(groups[k] for k in ("value", "value2", "value3", "value4") if groups[k])
    number = float(said.rstrip("% ")) / (100 if said.endswith("%") else 1)
    sure = number if "confidence" in (groups["what"], groups["what2"]) else 1 - number
    return round(sure, 10) if 0.5 < sure < 1 else None


def _pairs_all(said: str, text: str) -> bool:
    compared = re.search(
        r"strongest|highest|most|best|largest|weakest|lowest|matrix|pairwise", said
    )
    others = re.search(r"\b(?:all|each|every)(?: of)?(?: the)?(?: other)?(?: numeric(?:al)?)? "
                       r"(?:columns|variables|features|pairs?)\b", text)  # fmt: skip
    return bool(compared or others)
