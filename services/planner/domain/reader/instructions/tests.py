"""Which statistical test instructions ask for, over which columns, and by which parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from services.planner.domain.query.defining.terms import Term
from services.planner.domain.reader.instructions.ground import Ground
from services.planner.domain.reader.instructions.sentences import Sentence
from services.planner.domain.reader.statistics.holding import Holding, holding, spans

_C, _N = r"⟨c\d+⟩", r"⟨n\d+⟩"
_LIST = rf"{_C}(?: (?:, and|,|and|\+) (?:the )?{_C})*"
GROUPED = frozenset(("t_test", "mann_whitney", "anova", "kruskal", "levene"))
COUNTED = frozenset(("chi_square",))
PAIRED = frozenset(("correlation", "chi_square", "paired_t"))

# The tests by name; each with its method. From the most telling words to the least.
NAMED: tuple[tuple[str, str, str], ...] = (
    ("logistic_regression", "", r"logistic regression(?: model)?"),
    (
        "linear_regression",
        "",
        r"(?:simple |multiple |multivariate )?linear regression(?: (?:model|analysis))?"
        r"|(?:ordinary )?least squares(?: (?:model|regression))?|ols(?: (?:model|regression))?"
        r"|regression (?:model|line|analysis)|linear model|regress(?:es|ing|ed)?",
    ),
    ("chi_square", "", r"(?:pearson )?chi ?squared? ?(?:test)?(?: (?:of|for) independence)?"),
    ("levene", "", r"levene(?: test)?"),
    ("anova", "", rf"(?:(?:{_N}|one) ?way )?(?:anova|analysis of variance)(?: test)?"),
    ("kruskal", "", r"kruskal wallis(?: h)?(?: test)?"),
    ("mann_whitney", "", r"(?:mann whitney|wilcoxon rank sum)(?: u)?(?: test)?"),
    ("paired_t", "", r"(?:paired|dependent)(?: samples?)? t ?tests?"),
    ("normality", "shapiro", r"shapiro(?: wilk)?(?: test)?"),
    ("normality", "kolmogorov", r"kolmogorov(?: smirnov)?(?: test)?|ks test"),
    ("normality", "dagostino", r"d ?agostino(?: pearson)?(?: test)?|normaltest"),
    (
        "t_test",
        "",
        r"(?:(?:welch|student|independent|unpaired|samples?|sample|and|s|two) |"
        rf"{_N} )*t ?tests?",
    ),
    (
        "correlation",
        "spearman",
        r"spearman(?: (?:rank|rho|method|order))*(?: correlation)?"
        r"(?: coefficients?)?",
    ),
    ("correlation", "kendall", r"kendall(?: (?:tau|rank))*(?: correlation)?(?: coefficients?)?"),
    (
        "correlation",
        "pearson",
        r"pearson(?: product moment)?(?: (?:correlation|r|method))*(?: coefficients?)?",
    ),
    ("correlation", "", r"correlation(?: coefficients?)?|correlated|correlates?"),
)
# What is asked in plain words: a test is named elsewhere, or follows from the columns.
VAGUE: tuple[tuple[str, str], ...] = (
    (
        "relation",
        r"(?:linear )?(?:relationship|relation|association|associated|related"
        r"|dependence|"
        r"dependent)(?: between| of| with| on| to)?",
    ),
    (
        "difference",
        r"(?:statistically )?(?:significant(?:ly)? )?(?:differences?|differs?"
        r"|different)"
        r"|compare",
    ),
    ("shape", r"normally distributed|normal distribution|normality|normal"),
)
_CONFIDENCE = re.compile(
    rf"(?P<n>{_N}) ?% confidence(?: (?:intervals?|level))?|confidence level "
    rf"(?:of |is |= )*(?P<n2>{_N}) ?%?"
)
_ALPHA = tuple(
    re.compile(rf"(?<!\S)(?:{form})(?!\S)")
    for form in (
        rf"(?:(?:at|use|using|with|for) )?(?:an? |the )?(?:significance level|alpha level|alpha"
        rf"|significance)(?: \( alpha \))?(?: level)?(?: (?:of|is|=|to|at))* (?P<n>{_N})(?: %)?",
        rf"(?:at|on) (?:the|an?) (?P<n>{_N}) ?%? (?:significance )?level(?: of significance)?",
        rf"\( ?(?:if )?p(?: values?)? (?:<|below|less than|smaller than|lower than) "
        rf"(?P<n>{_N}) ?\)",
        rf"(?:consider\w* \S+ (?:as )?(?:statistically )?significant )?(?:if|when) (?:the |its )?"
        rf"p(?: values?)? (?:is |was )?(?:<|below|less than|smaller than|lower than|under) "
        rf"(?P<n>{_N})(?: (?:,|then|consider)[^⟨·]*)?",
    )
)
_EQUAL = re.compile(
    r"(?<!not )(?<!without )(?:assum\w+|with) (?:that )?(?:the )?equal variances?"
    r"|student t ?test|equal variances (?:are )?assumed"
)
_DIFFERS = re.compile(
    rf"(?:differs?|different) from (?P<n>{_N})|(?:equals?(?: to)?|against"
    rf"|to be|"
    rf"hypothesi[sz]ed mean of|population mean of"
    rf"|of) (?P<n2>{_N})"
)
_ROLES: tuple[tuple[str, str], ...] = (
    (
        "target",
        rf"(?P<c>{_C}) (?:as|being|is|= ?) ?(?:the )?"
        r"(?:dependent|target|response|outcome|y)(?: (?:variable|feature))?",
    ),
    (
        "target",
        rf"(?:dependent|target|response|outcome)(?: (?:variable|feature))?(?: \( y \))?"
        rf"(?: (?:is|=|being|:|,))* (?P<c>{_C})",
    ),
    (
        "predictors",
        rf"(?P<cs>{_LIST}) (?:as|being|are|is) (?:the |an? )?"
        r"(?:independent|predictors?|explanatory|features?|input|x)(?: (?:variables?|features?))?",
    ),
    (
        "predictors",
        rf"(?:independent|explanatory|predictor|input)s?(?: (?:variables?|features?))?"
        rf"(?: \( x \))?(?: (?:is|are|=|being|:|,))* (?P<cs>{_LIST})",
    ),
    (
        "both",
        rf"predict(?:s|ing|ion of)? (?:the )?(?P<c>{_C}) (?:from|using|based on|by|with"
        rf"|given)"
        rf"(?: the)?(?: \w+)? (?P<cs>{_LIST})",
    ),
    ("both", rf"(?:of|·) (?:the )?(?P<c>{_C}) on(?: the)? (?P<cs>{_LIST}|it)"),
    ("swapped", rf"using (?:the )?(?P<cs>{_LIST}) to predict (?:the )?(?P<c>{_C})"),
    ("both", rf"(?:between|relating) (?P<c2>{_C}) and (?P<c>{_C})"),
)


@dataclass
class TestWish:
    """A test as far as it has been told; `columns` in the order in which they were named."""

    __test__ = False

    test: str
    method: str = ""
    columns: list[str] = field(default_factory=list)
    by: str = ""
    groups: list[str] = field(default_factory=list)
    each: str = ""
    target: str = ""
    predictors: list[str] = field(default_factory=list)
    where: Term | None = None
    where_text: str = ""
    barriers: int = 0
    order: int = 0

    @property
    def vague(self) -> bool:
        """Whether no test is named yet."""
        return self.test in ("relation", "difference", "shape")


@dataclass
class Parameters:
    """What was said about how tests are made, wherever it was said."""

    alpha: float | None = None
    confidence: float | None = None
    equal_variances: bool = False
    expected: float | None = None
    held_out: Holding | None = None


def read_parameters(sentences: list[Sentence], question: str) -> Parameters:
    """The parameters told in any sentence; their words are taken out."""
    found = Parameters(held_out=holding(question))
    for sentence in sentences:
        for start, end in spans(sentence.wording):
            inside = {n for n, m in sentence.marks.items() if start <= m.start < end}
            sentence.read |= inside
            sentence.matched = True
        for match in [m for p in (_CONFIDENCE,) for m in p.finditer(sentence.text)][:1]:
            text = match.group("n") or match.group("n2")
            found.confidence = sentence.marks[text].number / 100
            sentence.cut(match)
            if "interval" in match.group():
                sentence.text = sentence.text.replace("·", "confidence interval", 1)
        for pattern in _ALPHA:
            while (hit := pattern.search(sentence.text)) is not None:
                level = sentence.marks[hit.group("n")].number
                found.alpha = level / 100 if level >= 1 else level
                sentence.cut(hit)
        if _EQUAL.search(sentence.text):
            found.equal_variances = True
            sentence.matched = True
    return found


def read_test(sentence: Sentence, ground: Ground, parameters: Parameters) -> TestWish | None:
    """The test that a sentence names or means; its name is taken out of the text."""
    for test, method, words in NAMED:
        match = re.search(rf"(?<![\w⟨])(?:{words})(?![\w⟩])", sentence.text)
        if match is None:
            continue
        wish = TestWish(test, method)
        if test == "t_test":
            numbers = [sentence.marks[n].number for n in re.findall(_N, match.group())]
            wish.test = "one_sample_t" if 1.0 in numbers else "t_test"
        sentence.cut(match)
        if wish.test == "one_sample_t":
            _read_expected(sentence, parameters)
        if wish.test.endswith("regression"):
            _read_roles(sentence, ground, wish)
        if test == "correlation" and not method:
            wish.method = next(
                (m for t, m, w in NAMED if t == test and m and re.search(w, sentence.text)), ""
            )
        return wish
    for kind, words in VAGUE:
        match = re.search(rf"(?<![\w⟨])(?:{words})(?![\w⟩])", sentence.text)
        if match is not None:
            return TestWish(kind)
    return None


def _read_expected(sentence: Sentence, parameters: Parameters) -> None:
    match = _DIFFERS.search(sentence.text)
    if match is not None:
        text = match.group("n") or match.group("n2")
        parameters.expected = sentence.marks[text].number
        sentence.cut(match)


def _read_roles(sentence: Sentence, ground: Ground, wish: TestWish) -> None:
    """What is explained by what, wherever in the sentence it is told."""
    for role, form in _ROLES:
        match = re.search(rf"(?<!\S){form}(?!\S)", sentence.text)
        if match is None or (role == "both" and wish.target and wish.predictors):
            continue
        groups = match.groupdict()
        if groups.get("c") and not wish.target:
            wish.target = ground.meaning(sentence.marks[groups["c"]].column)
        text = groups.get("cs") or groups.get("c2") or ""
        if text and not wish.predictors:
            wish.predictors = [
                ground.meaning(sentence.marks[n].column) for n in re.findall(_C, text)
            ] or [ground.current]
        sentence.cut(match)


def read_roles_of(sentence: Sentence, ground: Ground, wish: TestWish) -> None:
    """Roles that a later sentence tells of a regression."""
    _read_roles(sentence, ground, wish)
