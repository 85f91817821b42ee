"""Methods that are asked for by name and not offered: no other is put in their place."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from services.planner.domain.lexicon.normalise import Token
from services.planner.domain.reader.chart.scene import Scene

# What nothing else means, so that it is a method wherever it is said.
_NAMED = re.compile(
    r"\b(?:random forests?|decision trees?|(?:gradient|ada)[- ]?boost\w*|xgboost|lightgbm"
    r"|support vector(?: machines?| regress\w*)?|neural networks?|naive bayes"
    r"|k-?nearest neighbou?rs?|k-?means|dbscan|hierarchical clustering|centroids?"
    r"|principal components?(?: analysis)?|pca"
    r"|(?:ridge|lasso|elastic[- ]net|polynomial|quantile|poisson|stepwise|cox|ordinal) regression"
    r"|arima|sarima|holt[- ]winters|exponential smoothing|granger|dickey[- ]fuller|cointegrat\w+"
    r"|(?:two|three)[- ]way (?:anova|analysis of variance)|repeated[- ]measures anova|manova|ancova"
    r"|friedman(?:'s)? test|wilcoxon|mcnemar|bartlett|brown[- ]forsythe|durbin[- ]watson"
    r"|jarque[- ]bera|anderson[- ]darling|lilliefors|cochran"
    r"|cronbach|kendall's w|bonferroni|scheff[eé]|cohen's kappa"
    r"|partial correlations?|semi-?partial|auto-?correlations?|cross-?correlations?"
    r"|point[- ]biserial"
    r"|mutual information|information gain|entropy|gini(?: index| impurity| coefficient)?"
    r"|weighted (?:average|mean|sum)|fill(?:ed|ing)?(?: in)?(?: the| any)? (?:missing|null|nan)"
    r"|box[- ]?cox|yeo[- ]?johnson|one[- ]hot|label[- ]encod\w*|winsori[sz]\w*"
    r"|isolation forest"
    r"|trimmed mean|geometric mean|harmonic mean|bootstrap\w*|permutation test|bayes factor"
    r"|median absolute deviation|mean absolute deviation"
    r"|cross[- ]validat\w+|\d+-fold|confusion matrix|roc(?: curve)?|auc|f1[- ]?score"
    r"|interpolat\w+|(?:forward|backward)[- ]fill\w*|ffill|bfill|imput(?:e|ing|ation)"
    r"|log(?:arithmic)?[- ]?transform\w*|square[- ]root transform\w*|min[- ]?max (?:scal|normal)\w*"
    r"|extract(?:ed|ing)? (?:the )?titles?|log\(|log1p|np\.\w+"
    r"|pct_change|(?:daily|log|cumulative) returns?)",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"\([^()]{1,40}(?:\([^()]*\))? [/*] [^()]{1,40}\)")
_IN_A_VALUE = 0.8
# Said of a statistic they are methods too; elsewhere they may be any word.
_BESIDE = re.compile(
    r"\b(?:accuracy|precision|recall|cluster(?:s|ed|ing)?|boosting|mape"
    r"|(?:before and )?after (?:fill|replac|log|transform|normali[sz]|standardi[sz]|scal)\w*"
    r"|fill(?:ed|ing)?(?: in)?(?: the)? (?:missing|null|nan)|normali[sz](?:e|ed|ing|ation)"
    r"|standardi[sz](?:e|ed|ing|ation)|transform(?:ed|ing|ation)?|scal(?:ed|ing)|weighted"
    r"|one[- ](?:tailed|sided)|power analysis|effect of the interaction|interactions?)\b",
    re.IGNORECASE,
)


def method_not_offered(
    question: str, scene: Scene, tokens: Sequence[Token], names: Collection[str], *, tested: bool
) -> str:
    """Why no number answers the question: the method it names is none of those there are.

    `names` are the stems of the words that columns are called by; a method that is named like a
    column or a value is none. Where a statistic is asked for (`tested`) more words name methods.
    """
    formula = _FORMULA.search(question)
    if formula is not None:
        inside = {t.stem for t in tokens if formula.start() <= t.start < formula.end()}
        if inside & set(names):
            return f"{formula.group()} could not be read; define it as a column first."
    for pattern in (_NAMED, _BESIDE) if tested else (_NAMED,):
        for match in pattern.finditer(question):
            known_tokens = [t for t in tokens if match.start() <= t.start < match.end()]
            if not _is_of_the_data(known_tokens, scene, names):
                return (
                    f'"{match.group().strip(" (")}" cannot be done here, or not in these words; '
                    "no other method is put in its place."
                )
    return ""


def _is_of_the_data(tokens: Sequence[Token], scene: Scene, names: Collection[str]) -> bool:
    """Whether the words name a column or a value rather than a method."""
    if any(token.quoted for token in tokens) or {token.stem for token in tokens} & set(names):
        return True
    starts = {token.start for token in tokens}
    valued = [t for t in scene.tokens if scene.valued[t.index] >= _IN_A_VALUE]
    return any(token.start in starts for token in valued)
