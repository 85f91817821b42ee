"""Metrics of a model as columns that are computed, beside those that the data has."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.query.measures.metrics import is_overall
from services.planner.domain.semantic_model.formulas import NoFormulaError, columns_in, formula_of
from services.planner.domain.semantic_model.model import MetricModel
from services.planner.domain.semantic_model.places import Path
from services.planner.domain.semantic_model.tables import NUMBERS, LocatedModel
from services.planner.domain.semantics.kinds import Kind


def with_metrics_of(catalogue: Catalogue, located_model: LocatedModel) -> Catalogue:
    """The catalogue with the metrics of a model in their tables.

    A metric may be made of others of its table, in whatever order they are written.
    """
    for name, table_model in located_model.model.tables.items():
        table = located_model.named(name, catalogue)
        if table is None or not table_model.metrics:
            continue
        made = _made(
            table, table_model.metrics, ("tables", name, "metrics"), catalogue, located_model
        )
        kept = tuple(c for c in table.columns if c.name not in {m.name for m in made})
        changed = table.model_copy(update={"columns": (*kept, *made)})
        tables = tuple(changed if t.name == table.name else t for t in catalogue.tables)
        catalogue = catalogue.model_copy(update={"tables": tables})
    return catalogue


def _made(
    table: Table,
    wanted: dict[str, MetricModel],
    path: Path,
    catalogue: Catalogue,
    located_model: LocatedModel,
) -> list[Column]:
    def reaches(one: str, other: str) -> bool:
        tree = graph_of(catalogue).tree(one, [other])
        return not tree.missing and not tree.fans_out

    known = {column.name: column.formula for column in table.columns if column.formula}
    left = dict(wanted)
    made: list[Column] = []
    failed: dict[str, str] = {}
    while left:
        before = len(left)
        for name, metric in list(left.items()):
            others = {n: f for n, f in known.items() if n.casefold() != name.casefold()}
            try:
                formula = formula_of(metric.formula, table, catalogue, others, reaches)
            except NoFormulaError as error:
                failed[name] = str(error)
                continue
            known[name] = formula
            made.append(_column(name, metric, formula, table, (*path, name), located_model))
            del left[name]
        if len(left) == before:
            break
    lost = _lost(left, table, located_model)
    for name in left:
        if name not in lost:
            located_model.wrong((*path, name, "formula"), failed[name])
    return made


def _lost(left: dict[str, MetricModel], table: Table, located_model: LocatedModel) -> set[str]:
    """The metrics that need what policy hides, themselves or by others: there are none."""
    needs = {name: columns_in(metric.formula) for name, metric in left.items()}
    lost = {
        name
        for name, columns in needs.items()
        if not all(located_model.policy.column_allowed(table.name, column) for column in columns)
    }
    while more := {
        name
        for name, columns in needs.items()
        if name not in lost and columns & {other.casefold() for other in lost}
    }:
        lost |= more
    return lost


def _column(
    name: str,
    metric: MetricModel,
    formula: str,
    table: Table,
    path: Path,
    located_model: LocatedModel,
) -> Column:
    taken = next((c.name for c in table.columns if c.name.casefold() == name.casefold()), "")
    known = table.column(taken)
    if known is not None and not known.formula:
        place = located_model.places.of_key(path)
        located_model.mistakes.add(
            place, f'{table.name} has a column "{taken}" already: name it otherwise'
        )
    if metric.kind is not None and metric.kind not in NUMBERS:
        wanted = ", ".join(sorted(NUMBERS))
        located_model.wrong((*path, "kind"), f"a metric is a number: its kind is one of {wanted}")
    column = Column(
        name=name,
        data_type=DataType.FLOAT,
        role=ColumnRole.MEASURE,
        nullable=True,
        distinct=max(table.rows, 1),
        comment=metric.description,
        synonyms=metric.synonyms,
        unit=metric.unit or "",
        formula=formula,
    )
    usual = Kind.INTENSIVE if is_overall(column) else Kind.AMOUNT
    return column.model_copy(update={"kind": (metric.kind or usual).value})
