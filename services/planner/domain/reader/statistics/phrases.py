"""The phrases that ask for a statistical test, and the words that say how."""

from __future__ import annotations

import re

_MORE = (
    r"(?:higher|lower|greater|larger|smaller|more|less|bigger|longer|shorter|heavier|lighter"
    r"|older|younger|better|worse|taller|faster|slower|warmer|colder|richer|poorer|cheaper)"
)
_THAN_USUAL = r".* than (?:the )?(?:overall )?(?:average|mean|median|usual)\b"
_AFFECT = r"(?:affect|influence|impact|predict|explain|determine|drive)"
_AFFECTED = (
    r"(?:affected|influenced|impacted|predicted|explained|determined|driven) (?:by|from|with|using)"
)
_RELATED = r"(?:correlated|related|associated|linked|connected|dependent|independent)"

# From the most telling words to the least.
PATTERNS: tuple[tuple[str, str], ...] = (
    ("logistic_regression", r"\blogistic(?:al)? (?:regression|model)\b|\blogit\b"),
    (
        "linear_regression",
        r"\b(?:multiple |simple )?linear (?:regression|model)\b|\bregress(?:ion|ing|ed)?\b"
        r"|\b(?:line of best fit|best[- ]fit(?:ting)? line|(?:ordinary )?least squares|ols)\b",
    ),
    ("chi_square", r"\bchi[- ]?squared?(?: test)?\b|\bcram[eé]r(?:'?s)? v\b"),
    ("levene", r"\blevene(?:'s)?(?: test)?\b|\bequality of (?:the )?variances?\b"),
    (
        "anova",
        r"\b(?:one[- ]way )?anova\b|\banalysis of variance\b|\btukey(?:'s)?(?: hsd)?\b"
        r"|\beta[- ]squared\b",
    ),
    ("kruskal", r"\bkruskal[- ]wallis\b"),
    ("mann_whitney", r"\bmann[- ]whitney(?: u)?\b|\brank[- ]sum test\b"),
    ("paired_t", r"\bpaired(?:[- ]samples?)? t[- ]?test\b"),
    (
        "one_sample_t",
        r"\bone[- ]sample t[- ]?test\b"
        r"|\b(?:mean|average)\b(?=[^?.,]{1,40}? (?:different|differs?) from -?\d)"
        rf"|\bsignificantly (?:different|{_MORE}|above|below) (?:from |than )?(?=-?\d)",
    ),
    (
        "t_test",
        r"\b(?:(?:welch(?:'s)?|student(?:'s)?|independent|two[- ]samples?) )*t[- ]?test\b"
        r"|\bcohen(?:'?s)? d\b",
    ),
    (
        "normality",
        r"\bnormality\b|\bnormally distributed\b|\bnormal distribution\b|\bshapiro\b"
        r"|\bkolmogorov\b|\bnormaltest\b"
        r"|(?<=\w )normal(?=\W*$)",
    ),
    (
        "outliers",
        r"\boutliers?\b|\b(?:absolute )?z[- ]?scores? (?:is |are |of |that is |that are )*"
        r"(?:above|over|beyond|exceeding|(?:greater|more|larger|higher) than|>) ?(?=\d)"
        r"|\banomal(?:y|ies|ous)\b|\bextreme values?\b|\bunusual(?:ly)?\b",
    ),
    (
        "missing",
        r"\b(?:missing|null|nan|na|empty|blank) (?:\w+ )?"
        r"(?:values?|entries|data|cells|observations)\b"
        r"|\bmissingness\b|\b(?:columns?|variables?|fields?|features?) (?:\w+ )?"
        r"(?:with|have|has|having|contain\w*|includ\w*) (?:any |the most |most |some )?"
        r"(?:missing|nulls?|gaps|blanks)(?: values?| entries| data)?\b"
        r"|\bincomplete (?:rows|records|columns)\b"
        r"|\b(?:how many|count(?:ing)?|number of) (?:nulls|nans|blanks)\b"
        r"|\b(?:values?|data) (?:is|are) missing\b",
    ),
    (
        "interval",
        r"\bconfidence (?:intervals?|limits?|bounds?)(?: (?:of|for|around|on|about))?"
        r"(?: the| its| their)?(?: population)?(?: (?:mean|average))?(?: of)?(?: the)?\b"
        r"|\b\d\d(?:\.\d)? ?% ci\b",
    ),
    (
        "correlation",
        r"\b(?:pearson|spearman|kendall)(?:'s)?\b|\brank(?:[- ]order)? correlation\b"
        r"|\bcorrelation coefficients?\b|\bcovariances?\b"
        r"|\bcorrelat\w+(?= .*\b(?:p[- ]?value|significan))|\bcorrelation matrix\b"
        r"|\b(?:strongest|highest|most|best|largest|weakest|lowest) (?:\w+ )?correlat\w+"
        r"|\b(?:strongly|closely|highly) correlated (?:columns|variables|features|pairs)\b"
        r"|\bp[- ]?values? (?:of|for) the (?:\w+ )?correlation\b"
        r"|\bcorrelat\w+ (?:the )?(?:most|best|strongest|strongly|closely|highest)\b"
        r"|\bpairwise correlations?\b|\bcorrelations? (?:among|of all|between all)\b"
        rf"|\bwhat (?:most |best )?(?:correlates|{_AFFECT}s)\b"
        r"|\b(?:which|what) (?:columns?|variables?|features?|factors?)\b.{0,20}?"
        r"\b(?:correlat|relate|predict|affect|influence|drive|explain)\w*",
    ),
    (
        "effect",
        r"\b(?:effects?|impacts?|influences?) of\b(?=.{1,80}? on\b)"
        rf"|\b(?:does|do|did)\b(?=.{{1,80}}?\b{_AFFECT}\b)"
        rf"|\b{_AFFECTED}\b"
        r"|\bpredict(?:s|ing)?\b(?=.{1,80}? (?:from|using|with|based on|by|given)\b)"
        r"|\b(?:controll(?:ing|ed)|adjust(?:ing|ed)|accounting) for\b"
        r"|\bholding\b(?=.{1,60}? (?:constant|fixed|equal)\b)",
    ),
    (
        "difference",
        rf"(?:\bsignificant(?:ly)? (?:differen(?:ce|t)s?|{_MORE})\b|\bdiffers? significantly\b"
        rf"|\bstatistically significant\b|\bsignificantly\b)(?!{_THAN_USUAL})"
        r"|\b(?:is|are|was|were) there (?:a |an |any )?(?:\w+ )?differences? (?:in|between)\b"
        r"|\bdifference (?:between|in|of) (?:the )?(?:mean|average)s?\b"
        r"|\b(?:is|was) there (?:an? |any )?(?=[^?.]{1,40}? (?:gap|disparity)\b)"
        rf"|\b(?:does|do|did)\b(?=[^?.]{{1,80}}?\b(?:differ|vary)\b)"
        r"|\b(?:is|are|was|were)\b(?=[^?.]{1,60}? different"
        r" (?:in|for|between|across|among|by|from|than|depending)\b)"
        r"|\b(?:is|are|was|were)\b(?=[^?.]{1,60}? the same (?:in|for|across|between|among)\b)",
    ),
    (
        "relation",
        r"\bcorrelat(?:ion|ions|e|es|ed)\b"
        r"|\b(?:relationship|relation|association|link|connection)s? (?:between|of|among)\b"
        rf"|\b(?:is|are|was|were)\b(?=[^?.]{{1,80}}? {_RELATED}\b)"
        r"|\bdepends? (?:\w+ )?(?:on|upon)\b|\brelates? to\b|\bindependent of\b"
        r"|\b(?:rises?|increases?|decreases?|falls?|grows?|goes|go) (?:up |down )?with\b",
    ),
    (
        "describe",
        r"\bskew(?:ness|ed)?\b|\bkurtosis\b|\bddof\b|\biqr\b"
        r"|\b(?:population|sample) standard deviation\b|\binter[- ]?quartile range\b"
        r"|\bstandard error\b|\bcoefficients? of variation\b|\bfive[- ]number summary\b"
        r"|\b(?:descriptive|summary|basic|key) (?:statistics|stats)\b"
        r"|\bstat(?:istic)?s (?:of|for|on|about)\b|^\W*(?:please )?describe\b"
        r"(?! (?:how|why|what|when|the (?:trend|change|relation|difference)))"
        r"|\bvariance\b(?! inflation)|\bthe mode\b|\bmode of\b|\brange of\b"
        r"|\bmost (?:common|frequent) values? (?:of|in|for)\b",
    ),
)

# Words of the last pattern that a chart may be about as well.
ALSO_DRAWN = re.compile(r"variance|mode|range of|most", re.IGNORECASE)

DRAWN = re.compile(
    r"\b(?:charts?|graphs?|plots?|scatter|draw|visuali[sz]e|show\w*|heat ?map)\b", re.IGNORECASE
)

EXTRA = re.compile(
    r"\bz[- ]?scores?\b|\biqr\b|\binter[- ]?quartile range\b|\bp[- ]?values?\b|\bcorrelat\w+\b"
    r"|\bcoefficients?\b|\bdegrees? of freedom(?: (?:of|is|=|equal to) ?[01])?"
    r"|\bddof ?(?:=|of|is|equal to)? ?[01]\b|\bmatrix\b|\bpairwise\b|\b(?:strongest|weakest)\b"
    r"|(?:,? ?\b(?:at|with|using|for|assuming))?(?: an?| the)? ?\b(?:alpha|significance|confidence)"
    r"(?: level)?(?: of| is| =|=| at)? ?(?:0?\.\d+|\d+(?:\.\d+)? ?%)?(?: level)?"
    r"|\b(?:at|with) (?:the |an? )?(?:0?\.\d+|\d+ ?%)(?: significance| confidence)?(?: level)?"
    r"|\b\d\d(?:\.\d)? ?%(?= (?:confidence|ci))|\bintervals?\b"
    r"|\bp ?< ?0?\.\d+|\b(?:statistical(?:ly)? )?signifi(?:cant|cance|cantly)\b"
    r"|\btwo[- ](?:tailed|sided)\b|\bequal variances?\b"
    r"|\bperform\b|\brun\b|\bfit\b|\bmodels?\b"
    r"|\b(?:test|train)(?:ing)?(?: and (?:test|train)(?:ing)?)? sets?\b|\btest(?:ing)?\b"
    r"|\bstatistics?\b|\bmethod\b"
    r"|\b(?:in)?depend(?:s|ent|ence|ing)?\b|\bassociat(?:ed|ion)\b|\bfollows?\b"
    r"|\b(?:co)?relat(?:ed?|es|ions?|ionships?)\b|\blink(?:ed|s)?\b|\bconnect(?:ed|ion)\b"
    r"|\b(?:effects?|impacts?|influences?|affects?|explains?|determines?|drives?)\b"
    r"|\b(?:affected|influenced|impacted|predicted|explained|determined|driven)\b"
    r"|\b(?:controll(?:ing|ed)|adjust(?:ing|ed)|accounting) for\b|\bholding\b|\bconstant\b"
    r"|\b(?:differ(?:s|ent|ence|ences)?|vary|varies|variables?|numeric(?:al)?|categorical)\b"
    r"|\bpredict(?:s|ing|ors?|ions?)?\b|\bdetect\b|\bthreshold\b|\bsample\b|\bpopulation\b"
    rf"|\b{_MORE}\b(?! than [\d.])|\b(?:strongly|closely|highly|much|well)\b"
    r"|\bstandard deviations?\b|\brank(?=[- ](?:order )?correl)"
    r"|\b(?:columns?|features?|each|within|affects)\b"
    r"|\bsmirnov\b|\bwilk\b|\bnormal(?:ly|ity)?(?: distribut\w+)?\b|\bscipy\b"
    r"|\b(?:d['\u2019]?)?agostino\b(?:'s)?(?:(?: and|-) ?pearson\b)?"
    r"|\bsplit\w*\b|\btrain(?:ing)?\b|\b(?:remaining|rest|ratio)\b|\bdata ?sets?\b|\bdata\b"
    r"|\br2\b"
    r"|\bequality of (?:the )?variances?\b"
    r"|\b(?:rmse|mse|mae)\b|\b(?:root )?mean (?:squared?|absolute) errors?\b"
    r"|\b(?:r|eta)[- ]squared\b|\beffect sizes?\b|\bcohen(?:'?s)? d\b|\bcramer(?:'?s)? v\b"
    r"|\bhsd\b|\bpost[- ]hoc\b|\bcovariances?\b|\balgorithm\b"
    r"|\bgap\b|\bdisparity\b|\bsame\b|\bgroups?\b"
    r"|\b(?:target|outcome|response|hypothesis|assumptions?|check|whether)\b",
    re.IGNORECASE,
)

# The words of a description and how `stats.test` calls what they ask for.
DESCRIBED: tuple[tuple[str, str], ...] = (
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
# Of a deviation the word is never a column of people.
POPULATION = re.compile(r"\b(?:population|sample)(?= (?:standard deviation|std|variance))", re.I)

# The tests of normality that may be named.
SHAPE_TESTS: tuple[tuple[str, str], ...] = (
    ("shapiro", r"\bshapiro\b"),
    ("kolmogorov", r"\bkolmogorov\b|\bks[- ]test\b"),
    ("dagostino", r"\bd['\u2019]?agostino\b|\bnormaltest\b"),
)
