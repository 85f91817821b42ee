"""What each test can tell, and a test as it is run: the arguments that its wish comes to."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.reader.instructions.analysis import Test, Tested
from services.planner.domain.reader.instructions.ground import Ground, UnreadableError
from services.planner.domain.reader.instructions.offers import Offer
from services.planner.domain.reader.instructions.tests import GROUPED, Parameters, TestWish
from services.planner.domain.reader.instructions.vocabulary import stems

P_VALUE = "p-value"
_P = (P_VALUE, "p-value", (P_VALUE,))
_DF = ("degrees of freedom", "degrees of freedom", ("degrees of freedom",))
# By test: the statistic in its result, how it is called, and what a question calls it.
RESULTS: dict[str, tuple[tuple[str, str, tuple[str, ...]], ...]] = {
    "correlation": (
        ("correlation", "correlation", ("correlation", "statistic")),
        _P,
        _DF,
        ("share of variance explained", "share of variance explained", ("R squared",)),
        ("covariance", "covariance", ("covariance",)),
    ),
    "chi_square": (
        ("chi-square", "chi-square", ("statistic",)),
        _P,
        _DF,
        ("Cramer's V", "Cramér's V", ("effect", "correlation")),
    ),
    "t_test": (
        ("t", "t", ("statistic",)),
        _P,
        _DF,
        ("difference of means", "difference of means", ("difference",)),
        ("Cohen's d", "Cohen's d", ("effect",)),
    ),
    "one_sample_t": (("t", "t", ("statistic",)), _P, _DF, ("mean", "mean", ("mean",))),
    "paired_t": (
        ("t", "t", ("statistic",)),
        _P,
        _DF,
        ("mean difference", "mean difference", ("difference",)),
    ),
    "mann_whitney": (("U", "U", ("statistic",)), _P),
    "anova": (
        ("F", "F", ("statistic",)),
        _P,
        _DF,
        ("eta squared", "eta squared", ("effect",)),
    ),
    "kruskal": (("H", "H", ("statistic",)), _P, _DF),
    "levene": (("W", "W", ("statistic",)), _P),
    "normality": (
        ("statistic", "test statistic", ("statistic",)),
        _P,
        ("skewness", "skewness", ("skewness",)),
        ("kurtosis", "kurtosis", ("kurtosis",)),
    ),
    "linear_regression": (
        ("R squared", "R squared", ("R squared",)),
        ("adjusted R squared", "adjusted R squared", ("adjusted R squared",)),
        ("root mean squared error", "root mean squared error", ("root mean squared error",)),
        ("mean squared error", "mean squared error", ("mean squared error",)),
        ("mean absolute error", "mean absolute error", ("mean absolute error",)),
        ("F", "F", ("statistic",)),
        _P,
    ),
    "logistic_regression": (
        ("pseudo R squared", "pseudo R squared (McFadden)", ("R squared",)),
        _P,
    ),
}
_FIRST = {"linear_regression": 1, "normality": 2, "chi_square": 2}
_NAMES = {
    "correlation": "correlation",
    "chi_square": "chi-square test",
    "t_test": "t-test",
    "one_sample_t": "one-sample t-test",
    "paired_t": "paired t-test",
    "mann_whitney": "Mann-Whitney U test",
    "anova": "analysis of variance",
    "kruskal": "Kruskal-Wallis test",
    "levene": "Levene's test",
    "normality": "test of normality",
    "linear_regression": "linear regression",
    "logistic_regression": "logistic regression",
}
_PAIRED = ("correlation", "chi_square", "paired_t")
_METHODS = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "shapiro": "Shapiro-Wilk",
    "dagostino": "D'Agostino",
    "kolmogorov": "Kolmogorov-Smirnov",
}


def run_of(wish: TestWish, ground: Ground, parameters: Parameters) -> Test:
    """The test as it is run. Raises UnreadableError where columns are missing or do not fit."""
    what = _NAMES[wish.test]
    confidence = parameters.confidence
    if confidence is None and parameters.alpha is not None and 0 < parameters.alpha < 0.5:
        confidence = round(1 - parameters.alpha, 10)
    common = {"method": wish.method, "confidence": confidence, "where": wish.where}
    if wish.test.endswith("regression"):
        target, predictors = _roles(wish, what)
        held = parameters.held_out if wish.test == "linear_regression" else None
        if held is not None and not held.has_seed:
            ground.notes.append(f"the rows held out are those of seed {held.seed}, as none is told")
        return Test(
            test=wish.test,
            columns=(target,),
            predictors=tuple(predictors),
            held_out=held.share if held else None,
            seed=held.seed if held else None,
            confidence=confidence,
            where=wish.where,
        )
    if wish.test in _PAIRED:
        if len(wish.columns) != 2:
            raise UnreadableError(f"a {what} is of two columns; it is not said of which.")
        if wish.test != "chi_square":
            _require_numbers(wish.columns, ground, what)
        return Test(test=wish.test, columns=tuple(wish.columns), **common)  # type: ignore[arg-type]
    if not wish.columns:
        raise UnreadableError(f"it is not said of which column the {what} is to be.")
    _require_numbers(wish.columns[:1], ground, what)
    if wish.test in GROUPED:
        if not wish.by:
            raise UnreadableError(f"it is not said which groups the {what} compares.")
        if len(wish.columns) > 1:
            raise UnreadableError(f"a {what} is of one column, not of {', '.join(wish.columns)}.")
        return Test(
            test=wish.test,
            columns=(wish.columns[0],),
            by=wish.by,
            groups=tuple(wish.groups),
            equal_variances=parameters.equal_variances and wish.test == "t_test",
            **common,  # type: ignore[arg-type]
        )
    if wish.test == "one_sample_t" and parameters.expected is None:
        raise UnreadableError("it is not said what the mean is tested against.")
    expected = parameters.expected if wish.test == "one_sample_t" else None
    return Test(test=wish.test, columns=(wish.columns[0],), expected=expected, **common)  # type: ignore[arg-type]


def _roles(wish: TestWish, what: str) -> tuple[str, list[str]]:
    target = wish.target
    rest = [name for name in wish.columns if name != target]
    predictors = [name for name in wish.predictors or rest if name != target]
    if not target or not predictors:
        raise UnreadableError(f"it is not said what the {what} explains, and by what.")
    return target, predictors


def _require_numbers(columns: Sequence[str], ground: Ground, what: str) -> None:
    for name in columns:
        if not ground.numeric(name):
            raise UnreadableError(f"{name} holds no numbers, which a {what} needs.")


def offers_of(test: Test, wish: TestWish, asked: frozenset[str]) -> list[Offer]:
    """What a test can tell: what was `asked` for in words, else its first two numbers."""
    results = RESULTS[test.test]
    name = _METHODS.get(test.method, "")
    text = _name_result(test, name)
    where = f" where {wish.where_text}" if wish.where_text else ""
    known = {concept for _, _, texts in results for concept in texts}
    wanted = asked & known
    about = frozenset(s for c in (*test.columns, *test.predictors) for s in stems(c))
    offers = [
        Offer(
            Tested(test=test, statistic=statistic),
            _label_of(label, text) + where,
            frozenset(concepts) | {statistic},
            about,
            asked=bool(wanted & set(concepts)) if wanted else place < _FIRST.get(test.test, 2),
            barriers=wish.barriers,
            order=wish.order,
        )
        for place, (statistic, label, concepts) in enumerate(results)
    ]
    if test.test.endswith("regression"):
        offers += _terms(test, text, asked)
    return offers


def _label_of(label: str, text: str) -> str:
    """What a number of a test is called: a correlation is the number itself."""
    if label == "correlation":
        return text
    return f"{label} of {text}" if "'s " in text.split(" of ")[0] else f"{label} of the {text}"


def _name_result(test: Test, method: str) -> str:
    name = _NAMES[test.test]
    if test.test == "normality":
        name = f"{method or 'Shapiro-Wilk'} test"
    elif test.test == "correlation":
        name = f"{method or 'Pearson'} correlation"
    elif test.test == "t_test":
        name = "Student's t-test" if test.equal_variances else "Welch's t-test"
    if test.test.endswith("regression"):
        return f"{name} of {test.columns[0]} on {', '.join(test.predictors)}"
    of = " and ".join(test.columns)
    groups = f" between {' and '.join(test.groups)}" if test.groups else ""
    return f"{name} of {of}{groups or (f' by {test.by}' if test.by else '')}"


def _terms(test: Test, text: str, asked: frozenset[str]) -> list[Offer]:
    """The coefficient of each predictor, which of a single one is the slope."""
    single = len(test.predictors) == 1
    made = []
    for name in (*test.predictors, "intercept"):
        is_intercept = name == "intercept"
        concepts = {"intercept"} if is_intercept else {"correlation", "coefficient"}
        concepts |= {"slope"} if single and not is_intercept else set()
        label = "intercept" if is_intercept else f"coefficient of {name}"
        wanted = bool(concepts & asked)
        about = frozenset() if is_intercept else stems(name)
        made.append(
            Offer(
                Tested(test=test, statistic="coefficient", about=name),
                f"{label} in the {text}",
                frozenset(concepts),
                about,
                asked=wanted,
            )
        )
        if not is_intercept:
            made.append(
                Offer(
                    Tested(test=test, statistic="p-value", about=name),
                    f"p-value of {name} in the {text}",
                    frozenset({P_VALUE}),
                    about,
                    asked=False,
                )
            )
    return made
