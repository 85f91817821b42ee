"""Questions for a statistical test: which test, of which columns, over which rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.catalogue import Column
from services.planner.domain.language.clauses import take
from services.planner.domain.language.conditions import find_conditions
from services.planner.domain.language.intent import Dimension, Field, Intent, Statistic
from services.planner.domain.language.joins import JoinGraph
from services.planner.domain.language.mention import holds_numbers, numeric
from services.planner.domain.language.normalise import Token, readable
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.sql import distinct_names

_DRAWN = re.compile(r"\b(?:charts?|graphs?|plots?|scatter|draw|visuali[sz]e|show)\b", re.IGNORECASE)
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
    ("missing", r"\b(?:missing|null) (?:values?|entries|data)\b"),
    (
        "correlation",
        r"\b(?:pearson|spearman|kendall)(?:'s)?\b|\bcorrelation coefficients?\b"
        r"|\bcorrelat\w+(?= .*\b(?:p[- ]?value|significan))"
        r"|(?<=\bis there a )(?:significant )?correlation\b"
        r"|\bhow (?:strongly|closely) .*?correlated\b"
        r"|^(?:what|compute|calculate|determine)\b.{0,16}\bcorrelation(?= between| of)",
    ),
    (
        "describe",
        r"\bskew(?:ness|ed)?\b|\bkurtosis\b|\bpopulation (?:standard deviation|variance)\b",
    ),
)
_EXTRA = re.compile(
    r"\bz[- ]?scores?\b|\biqr\b|\binter[- ]?quartile range\b|\bp[- ]?values?\b|\bcorrelat\w+\b"
    r"|\bcoefficients?\b|\bsignifican(?:t|ce|tly)\b|\bdegrees? of freedom\b|\bddof ?=? ?[01]\b"
    r"|\bperform\b|\brun\b|\bfit\b|\bmodel\b|\btest\b|\bstatistics?\b|\bmethod\b"
    r"|\bequal variances?\b"
    r"|\bpredict(?:s|ing|ors?)?\b|\bdetect\b|\bthreshold\b|\bsample\b|\bpopulation\b",
    re.IGNORECASE,
)
_COMPARING = frozenset(
    """greater more larger higher less lower than above beyond over of at exceeding is equal
    to""".split()
)
_PAIRED = ("correlation", "paired_t")
_GROUPED = ("t_test", "anova", "kruskal", "mann_whitney")
_MODELS = ("linear_regression", "logistic_regression")


@dataclass(frozen=True, slots=True)
class StatisticWish:
    """The test asked for and what was said about how."""

    test: str
    asked: str
    method: str = ""
    threshold: float | None = None
    expected: float | None = None
    ddof: int | None = None
    equal_variances: bool = False


def statistic_wish(question: str, tokens: Sequence[Token]) -> StatisticWish | None:
    """The test that is asked for; its words are marked as used. None when none is."""
    for test, pattern in _PATTERNS:
        match = re.search(pattern, question, re.IGNORECASE)
        if match is None or (test == "correlation" and _DRAWN.search(question)):
            continue
        if any(t.quoted for t in tokens if match.start() <= t.start < match.end()):
            continue
        wish = _wish(test, match.group(), question)
        take(tokens, match.start(), match.end(), "statistic")
        for extra in _EXTRA.finditer(question):
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
        threshold = float(number.group(1)) if number else None
    expected = re.search(r"(?:against|from|equal to|equals|is|of|than|=)\s+(-?\d+(?:\.\d+)?)", text)
    population = "population standard" in text or "population variance" in text
    ddof = re.search(r"ddof ?=? ?([01])", text)
    asked = "skewness" if said.lower().startswith("skew") else said.lower()
    return StatisticWish(
        test=test,
        asked=asked.removeprefix("population ") if test == "describe" else "",
        method=method,
        threshold=threshold,
        expected=float(expected.group(1)) if expected and test == "one_sample_t" else None,
        ddof=int(ddof.group(1)) if ddof else 0 if population else None,
        equal_variances="equal variance" in text or "student" in text,
    )


def tested(wish: StatisticWish, scene: Scene, graph: JoinGraph) -> Intent | str:
    """The rows to be tested and the test, or why it cannot be had."""
    conditions = find_conditions(scene)
    split = [(target, scene.catalogue.table(target.table)) for target in conditions.split]
    columns = [(f, t.column(f.column)) for f, t in split if t is not None]
    columns = [*_columns(scene), *((f, c) for f, c in columns if c is not None)]
    fields = {f: c for f, c in columns if c is not None}
    statistic = _statistic(wish, fields, scene)
    if isinstance(statistic, str):
        return statistic
    used = [*statistic.columns, *([statistic.by] if statistic.by else []), *statistic.predictors]
    if wish.test == "missing" and not used:
        return _missing_everywhere(scene)
    base = used[0].table
    tree = graph.tree(base, {f.table for f in used})
    if tree.missing:
        return f"Nothing relates {readable(base)} to {', '.join(sorted(tree.missing))}."
    labels = distinct_names([readable(f.column) for f in dict.fromkeys(used)])
    return Intent(
        base=base,
        dimensions=tuple(
            Dimension(expression=f, label=label)
            for f, label in zip(dict.fromkeys(used), labels, strict=True)
        ),
        filters=tuple(conditions.filters),
        joins=tree.relations,
        statistic=statistic,
    )


def _columns(scene: Scene) -> list[tuple[Field, Column]]:
    found: list[tuple[Field, Column]] = []
    for index, mention in enumerate(scene.mentions):
        column = scene.column(mention)
        if mention.chosen.kind == "column" and column is not None and scene.free(index):
            found.append((Field(table=mention.chosen.table, column=mention.chosen.column), column))
    return list(dict.fromkeys(found))


def _statistic(wish: StatisticWish, fields: dict[Field, Column], scene: Scene) -> Statistic | str:
    numbers = [f for f, c in fields.items() if holds_numbers(c)]
    test = wish.test
    made = Statistic(
        test=test,
        asked=wish.asked,
        method=wish.method,
        threshold=wish.threshold,
        expected=wish.expected,
        ddof=wish.ddof,
        equal_variances=wish.equal_variances,
    )
    every = tuple(fields)
    if test == "missing":
        return made.model_copy(update={"columns": every})
    if test == "describe":
        return (
            made.model_copy(update={"columns": tuple(numbers)}) if numbers else _needs("a number")
        )
    if test in ("normality", "outliers", "one_sample_t"):
        return made.model_copy(update={"columns": (numbers[0],)}) if numbers else _needs("a number")
    if test in _PAIRED:
        pair = tuple(numbers[:2])
        return made.model_copy(update={"columns": pair}) if len(pair) > 1 else _needs("two numbers")
    if test == "chi_square":
        two = every[:2]
        return made.model_copy(update={"columns": two}) if len(two) > 1 else _needs("two columns")
    if test in _MODELS:
        return _model(made, every, scene)
    return _grouped(made, fields)


def _model(made: Statistic, fields: tuple[Field, ...], scene: Scene) -> Statistic | str:
    """The outcome is the first column named, or the one that "predict" or "explain" leads to."""
    if len(fields) < 2:
        return _needs("an outcome and a predictor")
    words = [t.lower for t in scene.tokens]
    target = fields[0]
    predicting = next(
        (i for i, w in enumerate(words) if w.startswith(("predict", "explain"))), None
    )
    if predicting is not None:
        after = [m for m in scene.mentions if m.first > predicting and m.chosen.kind == "column"]
        if after:
            target = Field(table=after[0].chosen.table, column=after[0].chosen.column)
    rest = tuple(f for f in fields if f != target)
    return made.model_copy(update={"columns": (target,), "predictors": rest})


def _grouped(made: Statistic, fields: dict[Field, Column]) -> Statistic | str:
    numbers = [f for f, c in fields.items() if numeric(c.data_type)]
    groups = [f for f in fields if f not in numbers] or numbers[1:]
    if len(groups) > 1 or (groups and groups[0] in numbers):
        groups.sort(key=lambda f: fields[f].distinct)
    measured = [f for f in numbers if f not in groups[:1]]
    if not measured or not groups:
        return _needs("a number and a column of groups")
    test = made.test
    if test == "difference":
        test = "t_test" if fields[groups[0]].distinct == 2 else "anova"
    return made.model_copy(update={"test": test, "columns": (measured[0],), "by": groups[0]})


def _needs(what: str) -> str:
    return f"This test needs {what}; name the columns that are meant."


def _missing_everywhere(scene: Scene) -> Intent | str:
    named = [m.chosen.table for m in scene.mentions if m.chosen.kind == "table"]
    tables = [scene.catalogue.table(name) for name in named] or list(scene.catalogue.tables[:1])
    table = tables[0]
    if table is None:
        return _needs("a table")
    fields = tuple(Field(table=table.name, column=c.name) for c in table.columns[:50])
    return Intent(
        base=table.name,
        dimensions=tuple(Dimension(expression=f, label=readable(f.column)) for f in fields),
        statistic=Statistic(test="missing", columns=fields),
    )
