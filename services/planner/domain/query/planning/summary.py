"""An intent in one line for people."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue, DataType
from services.planner.domain.lexicon.normalise import readable_table
from services.planner.domain.lexicon.wording import worded
from services.planner.domain.query.cohorts.words import cohort_text, cohort_title
from services.planner.domain.query.defining.columns import describe_definitions
from services.planner.domain.query.intent import (
    Against,
    Aggregate,
    Condition,
    Derived,
    Dimension,
    Field,
    Filter,
    Group,
    Having,
    Intent,
    Measure,
    Membership,
    Operator,
    Product,
    Statistic,
    TopOfEach,
)
from services.planner.domain.query.measures.metrics import metric_of
from services.planner.domain.query.planning.span_text import describe_months, describe_span
from services.planner.domain.query.statistics.asked import INTERVAL, MATRIX

_MANY_COLUMNS = 4
_LONGEST_FORMULA = 90  # characters; a longer one stands in the SQL
_TESTS = {
    "t_test": "t-test",
    "paired_t": "paired t-test",
    "one_sample_t": "one-sample t-test",
    "anova": "analysis of variance",
    "chi_square": "chi-square test",
    "kruskal": "Kruskal-Wallis test",
    "mann_whitney": "Mann-Whitney U test",
    "independence": "test of independence",
    "describe": "summary statistics",
    "missing": "missing values",
    "normality": "test of normality",
    "levene": "Levene's test",
}


def summarise(intent: Intent, catalogue: Catalogue) -> str:
    """For example "revenue = unit price × quantity, summed by month · 1997 · line chart"."""
    parts = _about(intent, catalogue)
    seen: list[str] = []
    for wanted in intent.filters:
        text = filter_text(wanted)
        if text not in seen:
            seen.append(text)
    parts += seen
    parts += [having_text(h) for h in intent.having]
    if intent.limit:
        ranked = bool(intent.measures) and intent.order[0].target == "measure"
        way = f"{_way(intent)} {intent.limit}" if ranked else _first(intent, catalogue)
        parts.append(_place(intent) if intent.offset else way)
    if intent.limit_per_series and intent.series is not None:
        within = intent.dimensions[intent.series].label
        parts.append(f"{_way(intent)} {intent.limit_per_series} of each {within}")
    if intent.top_of_each is not None:
        parts.append(_first_of_each(intent, intent.top_of_each))
    parts += describe_definitions(intent.defined)
    if intent.chart is not None:
        parts.append(f"{intent.chart.value.replace('_', ' ')} chart")
    return " · ".join(parts)


def _about(intent: Intent, catalogue: Catalogue) -> list[str]:
    """What is told: of things followed, by a test, or as numbers and what is worked out of them."""
    if intent.cohort is not None:
        return [cohort_text(intent, intent.cohort)]
    statistic = intent.statistic
    if statistic is not None and statistic.columns:
        return [_test(statistic)]
    parts = [_numbers(intent, catalogue)]
    if statistic is not None:
        parts.append(statistic.method or statistic.test)
    return parts + [_worked_out(derived) for derived in intent.derived]


def _worked_out(derived: Derived) -> str:
    return f"{derived.label}, only those {derived.only} 0" if derived.only else derived.label


def _first_of_each(intent: Intent, top: TopOfEach) -> str:
    """For example "of each station the last 2 by taken at, ties kept"."""
    within = " and ".join(intent.dimensions[at].label for at in top.within)
    way = "highest" if top.by.descending else "lowest"
    if top.by.target == "measure":
        by = intent.measures[top.by.index].label
    elif top.by.target == "dimension":
        by = intent.dimensions[top.by.index].label
    else:
        by = worded(top.by.field.column) if top.by.field is not None else ""
    count = f"{top.most}" if top.most > 1 else "one"
    return f"of each {within} the {count} with the {way} {by}, ties kept"


def _test(statistic: Statistic) -> str:
    """For example "t-test of height by sex", "linear regression of height on weight"."""
    plain = _TESTS.get(statistic.test, statistic.test.replace("_", " "))
    name = " and ".join(statistic.asked) or plain
    if statistic.asked == (MATRIX,):
        name = "correlation matrix"
    if statistic.asked == INTERVAL:
        name = "mean with its confidence interval"
    if statistic.method and statistic.test in ("correlation", "outliers", "normality"):
        name = f"{name} ({statistic.method})"
    named = [worded(column.column) for column in statistic.columns]
    many = len(named) > _MANY_COLUMNS
    text = f"{name} of {f'{len(named)} columns' if many else ' and '.join(named)}"
    if statistic.predictors:
        link = "with each of" if statistic.test == "correlation" else "on"
        text += f" {link} {' and '.join(worded(c.column) for c in statistic.predictors)}"
    text = f"{text} by {worded(statistic.by.column)}" if statistic.by else text
    if statistic.held_out is not None:
        which = "the last" if statistic.seed is None else f"by seed {statistic.seed}"
        text += f", tested on {statistic.held_out:.0%} of rows held out ({which})"
    if statistic.ddof is not None:
        text += f", deviations divided by n{f' - {statistic.ddof}' if statistic.ddof else ''}"
    if statistic.confidence is not None and statistic.test == "describe":
        text += f", confidence {statistic.confidence:g}"
    elif statistic.confidence is not None:
        text += f", significance level {round(1 - statistic.confidence, 10):g}"
    return text


def _first(intent: Intent, catalogue: Catalogue) -> str:
    """Which of the rows are kept: the latest by a date, else the first."""
    order = intent.order[0] if intent.order else None
    if order is None or order.target == "measure":
        return f"first {intent.limit}"
    shown = intent.dimensions[order.index] if order.target == "dimension" else None
    target = shown.expression if shown is not None else order.field
    label = shown.label if shown is not None else ""
    label = label or (worded(order.field.column) if order.field is not None else "")
    table = catalogue.table(target.table) if isinstance(target, Field) else None
    column = table.column(target.column) if table and isinstance(target, Field) else None
    if column is None or column.data_type not in (DataType.DATE, DataType.DATETIME):
        return f"first {intent.limit}"
    return f"{'latest' if order.descending else 'earliest'} {intent.limit} by {label}"


def _place(intent: Intent) -> str:
    """Which rows they are, where others come before them: "place 2 from the top by price"."""
    order = intent.order[0]
    last = intent.offset + (intent.limit or 1)
    which = (
        f"place {intent.offset + 1}"
        if intent.limit == 1
        else f"places {intent.offset + 1} to {last}"
    )
    dimensios = intent.measures if order.target == "measure" else intent.dimensions
    by = worded(order.field.column) if order.field is not None else dimensios[order.index].label
    return f"{which} from the {'top' if order.descending else 'bottom'} by {by}"


def _way(intent: Intent) -> str:
    ranked = [order for order in intent.order if order.target != "dimension"]
    return "highest" if ranked and ranked[0].descending else "lowest"


def _numbers(intent: Intent, catalogue: Catalogue) -> str:
    by = " and ".join(_split_by(d) + _of_date(d, catalogue) for d in intent.dimensions)
    during = [m.during.label for m in intent.measures if m.during is not None]
    if during:
        number = intent.measures[0]
        text = number.label.removesuffix(f" in {during[0]}")
        plain = number.model_copy(update={"label": text})
        return f"{measure_text(plain, catalogue)} in {' and '.join(during)}"
    if not intent.measures and len(intent.dimensions) > _MANY_COLUMNS:
        return f"rows of {readable_table(intent.base)}, {len(intent.dimensions)} columns"
    if not intent.measures:
        return f"{by}{_of_table(intent)}, one row each"
    text = ", ".join(measure_text(m, catalogue) for m in intent.measures)
    if not by:
        return text
    return f"{text} by {by}" if intent.grouped else f"{text} for each {by}"


def _of_table(intent: Intent) -> str:
    """Whose columns are listed: of groups the one table that has them, of rows that of the rows."""
    shown = (d.expression for d in intent.dimensions)
    tables = {one.table for one in shown if isinstance(one, Field)}
    if not intent.grouped or intent.base in tables:
        return f" of {readable_table(intent.base)}"
    return f" of {readable_table(*tables)}" if len(tables) == 1 else ""


def _split_by(dimension: Dimension) -> str:
    """What numbers are split by; of compared periods which they are."""
    if not dimension.periods:
        return dimension.label
    labels = " and ".join(period.label for period in dimension.periods)
    return f"{dimension.label} ({labels})"


def _of_date(dimension: Dimension, catalogue: Catalogue) -> str:
    """Which date a unit of time is of, where rows have several."""
    target = dimension.expression
    table = catalogue.table(target.table) if isinstance(target, Field) else None
    if dimension.grain is None or table is None or not isinstance(target, Field):
        return ""
    dates = [c for c in table.columns if c.data_type in (DataType.DATE, DataType.DATETIME)]
    name = worded(target.column)
    return f" of {name}" if len(dates) > 1 and name != dimension.label else ""


def title_of(intent: Intent) -> str:
    """What a chart of it shows: "Revenue by month and category, 1997"."""
    if intent.cohort is not None:
        scope = dict.fromkeys(filter_text(f) for f in intent.filters)
        return ", ".join([cohort_title(intent, intent.cohort), *scope])
    shown = [d.label for d in intent.derived] or [m.label for m in intent.measures]
    text = " and ".join(shown) or readable_table(intent.base)
    by = " and ".join(_split_by(d) for d in intent.dimensions)
    filters = list(dict.fromkeys(filter_text(f) for f in intent.filters))
    title = f"{text} by {by}" if by else text
    if intent.limit and intent.measures and intent.order[0].target == "measure":
        end = "Top" if intent.order[0].descending else "Bottom"
        which = f"Place {intent.offset + 1} from the {end.lower()}" if intent.offset else ""
        title = f"{which or f'{end} {intent.limit}'}: {title}"
    if intent.limit_per_series:
        end = "Top" if _way(intent) == "highest" else "Bottom"
        title = f"{end} {intent.limit_per_series} of each: {title}"
    return ", ".join([title[:1].upper() + title[1:], *filters])


def measure_text(measure: Measure, catalogue: Catalogue) -> str:
    """What is computed, with the formula where there is one."""
    metric = metric_of(measure.expression, catalogue)
    if metric is not None and metric.guess:  # it is told before the answer, in words
        return measure.label
    if metric is not None:
        formula = metric.formula_in(measure.table).replace(" * ", " × ").replace(" - ", " − ")
        known_formula = f" = {formula}" if len(formula) <= _LONGEST_FORMULA else ""
        per = _per(measure) if measure.per is not None else ""
        return f"{measure.label}{known_formula}{per}"
    if isinstance(measure.expression, Product):
        factors = [worded(f.column) for f in measure.expression.factors]
        factors += [f"(1 − {worded(d.column)})" for d in measure.expression.discounts]
        if measure.per is not None:
            return f"{measure.label} = {' × '.join(factors)}{_per(measure)}"
        how = {Aggregate.SUM: ", summed", Aggregate.AVERAGE: ", averaged"}.get(
            measure.aggregate or Aggregate.SUM, ""
        )
        return f"{measure.label} = {' × '.join(factors)}{how}"
    if isinstance(measure.expression, Field) and measure.per is not None:
        return f"{measure.label} = {worded(measure.expression.column)}{_per(measure)}"
    return measure.label


def _per(measure: Measure) -> str:
    entity = worded(measure.per.column) if measure.per is not None else ""
    averaged = measure.aggregate is Aggregate.AVERAGE
    return f", summed per {entity} and averaged" if averaged else f", summed per {entity}"


def filter_text(wanted: Filter) -> str:
    """A condition in words."""
    if isinstance(wanted, Membership):
        if wanted.note and wanted.where is not None:
            return f"{wanted.note} {filter_text(wanted.where)}"
        word = "without" if wanted.absent else "with"
        tail = f" where {filter_text(wanted.where)}" if wanted.where is not None else ""
        return f"{readable_table(wanted.table)} {word} {readable_table(wanted.related)}{tail}"
    if isinstance(wanted, Group):
        texts = list(dict.fromkeys(filter_text(member) for member in wanted.members))
        return f" {wanted.connective} ".join(texts)
    if isinstance(wanted, Against):
        return against_text(wanted)
    return wanted.note or _condition(wanted)


def against_text(wanted: Against) -> str:
    """Two columns of a row compared, in words: "units in stock below reorder level"."""
    factor = "" if wanted.factor == 1 else f"{wanted.factor:g} × "
    tables = wanted.field.table != wanted.other.table
    whose = f"{readable_table(wanted.other.table)} " if tables else ""
    sign = {"=": "equals", "!=": "is not"}.get(wanted.operator.value, wanted.operator.value)
    other = f"{factor}{whose}{worded(wanted.other.column)}"
    return f"{worded(wanted.field.column)} {sign} {other}"


def _condition(condition: Condition) -> str:
    name = worded(condition.field.column)
    values = [render_number(v) for v in condition.values]
    if condition.than_average:
        among = f" of {filter_text(condition.among)}" if condition.among is not None else ""
        return f"{name} {condition.operator.value} its average{among}"
    if span := describe_span(condition):
        word = "on" if condition.operator is Operator.EQUAL else "in"
        return f"{name} {'from' if ' to ' in span else word} {span}"
    if months := describe_months(condition):
        return f"{name} {'is not' if condition.operator is Operator.NOT_EQUAL else 'is'} {months}"
    if condition.operator is Operator.BETWEEN:
        return f"{name} between {values[0]} and {values[1]}"
    if condition.operator is Operator.IN:
        return f"{name} is {' or '.join(values)}"
    sign = {"=": "is", "!=": "is not"}.get(condition.operator.value, condition.operator.value)
    return f"{name} {sign} {', '.join(values)}".strip()


def having_text(having: Having) -> str:
    """A condition on groups in words."""
    values = " and ".join(map(render_number, having.values))
    return f"{having.measure.label} {having.operator.value} {values}"


def render_number(value: object) -> str:
    """A value of a condition in words; a whole number without decimals."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole and isinstance(value, float) else str(value)
