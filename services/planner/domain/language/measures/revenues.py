"""Which formula of money taken answers a question: the one nearest to all that is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.business.formulas import revenue_formulas
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.language.linking.mention import Mention
from services.planner.domain.language.work import Work, formula_table
from services.planner.domain.lexicon.normalise import stem
from services.planner.domain.query.intent import (
    Against,
    Aggregate,
    Condition,
    Field,
    Intent,
    Measure,
    Product,
)
from services.planner.domain.query.labels import measure_label
from services.planner.domain.reader.times.dates import main_date

# Words that mean money and nothing else; "sales" may also be rows of a table.
_MONEY_STEMS = frozenset(stem(word) for word in ("revenue", "turnover"))


def revenue(work: Work) -> Field | Product | None:
    """The formula that reaches all that is asked for with the fewest joins and no fan-out."""
    parts = work.parts
    used = [*parts.groups, *parts.series, *parts.targets, *parts.tables]
    used += [parts.averaged.thing] if parts.averaged is not None else []
    wanted = {work.mention(i).chosen.table for i in used}
    wanted |= {f.field.table for f in work.draft.filters if isinstance(f, Condition | Against)}
    wanted |= {target.table for target in work.split}
    wanted.discard("")
    ranked: list[tuple[float, int, Field | Product]] = []
    for position, formula in enumerate(revenue_formulas(work.catalogue)):
        table = formula_table(formula)
        tree = work.graph.tree(table, wanted)
        dated = main_date(work.catalogue, work.graph, table, ()) is not None
        cost = tree.cost + 3 * tree.fans_out + 10 * len(tree.missing)
        cost += 8 * (bool(work.wishes.spans) and not dated)
        if isinstance(formula, Product):
            cost -= 1.5 * bool(formula.discounts)
        else:
            cost -= 0.5
        ranked.append((cost, position, formula))
    return min(ranked)[2] if ranked else None


def revenue_measure(work: Work, aggregate: Aggregate) -> Measure | None:
    """Money taken under one aggregate, or None when the data has no formula for it."""
    formula = revenue(work)
    if formula is None:
        return None
    name = "revenue" if isinstance(formula, Product) else formula.column
    plain = isinstance(formula, Product) and aggregate is Aggregate.SUM
    return Measure(
        aggregate=aggregate,
        table=formula_table(formula),
        expression=formula,
        label=name if plain else measure_label(aggregate, name),
        additive=aggregate is Aggregate.SUM,
    )


def without_formula(
    mentions: Sequence[Mention], intent: Intent, catalogue: Catalogue
) -> str | None:
    """Why money was asked for and only rows would be counted, or None."""
    asked = next((m for m in mentions if set(m.stems) & _MONEY_STEMS), None)
    counted = all(measure.expression is None for measure in intent.measures)
    if asked is None or not counted or revenue_formulas(catalogue):
        return None
    needs = "needs a price and a quantity, or a column of totals"
    return f'"{asked.phrase}" {needs}; the data has neither.'
