"""Grounding of leaves: from the description of a table to what the calls over them are made of."""

from __future__ import annotations

from sqlglot import exp

from mesh.errors import METRIC_NOT_UNDERSTOOD, AssayError
from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.investigation.ground import Ground, LeafColumns
from services.planner.domain.investigation.leaves.columns import (
    Measure,
    called_so,
    measures_of,
    named_columns,
    not_found,
    quotient,
)
from services.planner.domain.investigation.leaves.dimensions import Chosen, leaf_dimensions
from services.planner.domain.investigation.leaves.values import check_values, describe_values
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.query.planning.predicates import table_node

_LARGEST = "1e300"
"""What is not below it in size, or is no number at all, counts as missing."""
_USUAL_LABEL = "value"


def ground_of_leaves(request: InvestigationRequest, catalogue: Catalogue) -> Ground:
    """What an investigation of leaves stands on.

    Raises AssayError: LEAF_COLUMNS_NOT_FOUND, LEAF_VALUES_NOT_USABLE, NO_DIMENSIONS,
    METRIC_NOT_UNDERSTOOD for a measure that the leaves do not have.
    """
    table, leaf, label, texts = _measured(request, catalogue)
    check_values(table, leaf)
    chosen = leaf_dimensions(table, leaf, request)
    return Ground(
        metric=_as_sql(leaf.real, leaf.real_denominator),
        label=label,
        ratio=leaf.ratio,
        table=table.name,
        source_name=table.source_name,
        relation=_relation(table, leaf, chosen),
        dimensions=chosen.names,
        suspected=chosen.suspected,
        cardinalities=chosen.cardinalities,
        tables=(table.name,),
        leaf=leaf.model_copy(update={"complete": chosen.complete}),
        said=(*texts, *chosen.notes, *describe_values(table, leaf)),
    )


def _measured(
    request: InvestigationRequest, catalogue: Catalogue
) -> tuple[Table, LeafColumns, str, tuple[str, ...]]:
    """The table, its columns of values, what these are called, and what was taken for granted."""
    if not catalogue.tables:
        raise not_found("there is no table with leaves")
    wanted = request.metric_sql.strip()
    if request.real_column and request.predicted_column:
        table = _with_columns(request, catalogue)
        leaf = named_columns(table, request.real_column, request.predicted_column)
        return table, leaf, wanted or _label(leaf), ()
    found = [
        (table, measures) for table in catalogue.tables if (measures := _known(request, table))
    ]
    if not found:
        raise _nothing_known(request, catalogue)
    if len(found) > 1:
        names = " and ".join(table.name for table, _ in found[:3])
        raise not_found(f"{names} both have leaves: one table is investigated", "Name one source.")
    [(table, measures)] = found
    leaf, label = _chosen(measures, wanted)
    text = f"actual values are in the column {_written(leaf.real, leaf.real_denominator)}"
    text += f", the forecast in {_written(leaf.predicted, leaf.predicted_denominator)}"
    return table, leaf, label, (text,)


def _with_columns(request: InvestigationRequest, catalogue: Catalogue) -> Table:
    """The first table that has the column that was real, or the first there is."""
    wanted = (request.real_column, quotient(request.real_column)[0])
    for table in catalogue.tables:
        if any(called_so(table, name) for name in wanted):
            return table
    return catalogue.tables[0]


def _known(request: InvestigationRequest, table: Table) -> list[Measure]:
    """The measures of a table by the names of its columns; one of them may be named."""
    given = {
        "real": called_so(table, request.real_column) if request.real_column else None,
        "predicted": called_so(table, request.predicted_column)
        if request.predicted_column
        else None,
    }
    if (request.real_column and not given["real"]) or (
        request.predicted_column and not given["predicted"]
    ):
        return []
    measures = [
        measure
        for measure in measures_of(table.stored)
        if all(name is None or getattr(measure, side) == name for side, name in given.items())
    ]
    return measures


def _chosen(measures: list[Measure], wanted: str) -> tuple[LeafColumns, str]:
    """The measure that is meant, or the ratio of two, and what it is called."""
    if len(measures) == 1 and not measures[0].name:
        return _columns(measures[0]), wanted or _USUAL_LABEL
    if not wanted and len(measures) == 1:
        return _columns(measures[0]), measures[0].name
    by_name = {measure.name or "real": measure for measure in measures}
    there = ", ".join(by_name)
    if not wanted:
        raise not_found(
            f"the leaves have several measures ({there}), and which is meant is not said",
            f'Name one, or a ratio of two: --metric "{next(iter(by_name))}", '
            f'--metric "{" / ".join(list(by_name)[:2])}".',
            "metric_sql",
        )
    parts = [" ".join(words_of(part)) for part in quotient(wanted)]
    if len(parts) > 2 or any(part not in by_name for part in parts):
        raise AssayError(
            METRIC_NOT_UNDERSTOOD,
            f"the leaves have no measure {wanted!r}: they have {there}",
            hint="Name one of them, two as success / total, or columns: --real, --predicted.",
            fields={"investigation.metric_sql": f"one of: {there}"},
        )
    chosen = [by_name[part] for part in parts]
    return _columns(*chosen), " / ".join(parts)


def _columns(above: Measure, below: Measure | None = None) -> LeafColumns:
    return LeafColumns(
        real=above.real,
        predicted=above.predicted,
        real_denominator=below.real if below else "",
        predicted_denominator=below.predicted if below else "",
    )


def _nothing_known(request: InvestigationRequest, catalogue: Catalogue) -> AssayError:
    table = catalogue.tables[0]
    there = ", ".join(column.name for column in table.stored[:20])
    given = request.real_column or request.predicted_column
    other = "what was forecast" if request.real_column else "what was real"
    what = (
        f"which column of {table.source_name} holds {other}, beside {given!r}, cannot be told"
        if given
        else f"which columns of {table.source_name} hold what was real and what was forecast "
        "cannot be told by their names"
    )
    return not_found(what, f"Its columns are {there}. Name both: --real COLUMN --predicted COLUMN.")


def _label(leaf: LeafColumns) -> str:
    """What columns that were named are called: as their names say without marks."""
    names = [name for name in (leaf.real, leaf.real_denominator) if name]
    return " / ".join(name.replace("_", " ") for name in names)


def _written(above: str, below: str) -> str:
    return f"{above} / {below}" if below else above


def _as_sql(above: str, below: str) -> str:
    sums = [
        f"sum({exp.to_identifier(name).sql(dialect='duckdb')})" for name in (above, below) if name
    ]
    return " / ".join(sums)


def _relation(table: Table, leaf: LeafColumns, chosen: Chosen) -> str:
    """The SELECT of the leaves as they lie in the table."""
    outputs = [
        exp.alias_(exp.column(column, quoted=True), name, quoted=True).sql(dialect="duckdb")
        for name, column in zip(chosen.names, chosen.columns, strict=True)
    ]
    for name, column in leaf.named.items():
        value = f"CAST({exp.column(column, quoted=True).sql(dialect='duckdb')} AS DOUBLE)"
        outputs.append(f'CASE WHEN abs({value}) < {_LARGEST} THEN {value} END AS "{name}"')
    return f"SELECT {', '.join(outputs)} FROM {table_node(table.name).sql(dialect='duckdb')}"
