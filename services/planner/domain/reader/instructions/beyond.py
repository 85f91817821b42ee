"""Methods that cannot be done here: each is said by its name, and none is put in its place."""

from __future__ import annotations

import re

_METHODS = re.compile(
    r"\b(?:random forests?|decision trees?|(?:gradient|ada)[- ]?boost\w*|xgboost|lightgbm"
    r"|catboost"
    r"|support vector(?: machines?| regress\w*)?|svms?|neural networks?|deep learning|naive bayes"
    r"|k-?nearest neighbou?rs?|knn|k-?means|dbscan|(?:hierarchical )?clustering|clusters"
    r"|principal components?(?: analysis)?|pca|t-?sne|factor analysis"
    r"|(?:ridge|lasso|elastic[- ]net|polynomial|quantile|poisson|stepwise|cox|ordinal|robust"
    r"|non-?linear|beta|probit) (?:regression|model)|arima\w*|sarima\w*|holt[- ]winters"
    r"|exponential smoothing|prophet|forecast\w*|granger|dickey[- ]fuller|cointegrat\w+"
    r"|(?:two|three)[- ]way (?:anova|analysis of variance)|repeated[- ]measures|manova|ancova"
    r"|friedman(?:'s)? test|wilcoxon signed[- ]rank|mcnemar|bartlett\w*|durbin[- ]watson"
    r"|jarque[- ]bera|anderson[- ]darling|lilliefors|cochran|tukey\w*|post[- ]hoc"
    r"|cronbach|bonferroni|scheff[eé]|cohen's kappa|fisher'?s exact"
    r"|partial correlations?|auto-?correlations?|cross-?correlations?|point[- ]biserial"
    r"|mutual information|information gain|entropy|gini|weighted (?:average|mean|sum)"
    r"|box[- ]?cox|yeo[- ]?johnson|one[- ]hot|label[- ]encod\w*|winsori[sz]\w*|isolation forests?"
    r"|trimmed mean|geometric mean|harmonic mean|bootstrap\w*|permutation tests?|bayes\w*"
    r"|(?:median|mean) absolute deviation|cross[- ]validat\w+|\d+-fold|confusion matri\w+"
    r"|roc(?: curve)?|auc|f1[- ]?score|accuracy(?: score)?|precision score|recall score"
    r"|classifiers?"
    r"|interpolat\w+|(?:forward|backward)[- ]fill\w*|ffill|bfill|knn imput\w+"
    r"|rolling|moving average|pct_change|percentage changes?|growth rates?"
    r"|(?:daily|log|cumulative) returns?|sentiment|time series|seasonal\w*"
    r"|regular expressions?|regex|one[- ](?:sided|tailed)|power analysis|interaction terms?)\b",
    re.IGNORECASE,
)


def out_of_reach(question: str, names: frozenset[str]) -> str:
    """That a method is out of reach, by its name; empty where none is named.

    `names` are those of columns: a method that is called like one is none.
    """
    found = dict.fromkeys(m.group().lower() for m in _METHODS.finditer(question))
    methods = [name for name in found if name.replace(" ", "_") not in names]
    if not methods:
        return ""
    listed = " and ".join([", ".join(methods[:-1]), methods[-1]] if methods[1:] else methods)
    verb = "are" if len(methods) > 1 else "is"
    return f"{listed} {verb} out of reach here, and no other method is put in its place."
