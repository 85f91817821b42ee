"""Words of statistics and of instructions, which no data unless they say that they do."""

from __future__ import annotations

METHOD_WORDS = frozenset(
    """test tests model models mean average median mode range ratio score scores value values
    variance deviation standard standardise standardize normal normality significant significance
    level alpha sample samples population correlation coefficient regression linear logistic
    intercept slope error square squared chi statistic statistics distribution outlier outliers
    quartile quartiles quantile percentile percentage percent share proportion count number rate
    total sum minimum maximum min max lowest highest skewness kurtosis confidence interval lower
    upper method missing null data dataset rows row column columns feature features variable
    variables binary new split train training
    set seed random state round rounded decimal decimals places result answer name     binary yes no true false difference different compare comparison independent
    dependent paired two one three log logarithm natural transform transformed scaled scaling
    normalise normalize z f t h u w r p rho tau type table report format equal""".split()
)
