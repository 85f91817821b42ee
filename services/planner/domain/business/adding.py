"""Words of business as metrics of the tables that have their columns, before a question is read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from mesh.canonical import canonical_json
from mesh.digest import sha256_hex
from services.planner.domain.business.finding import columns_for, is_named
from services.planner.domain.business.forms import define_word
from services.planner.domain.business.lexicon import Entry, entries_in
from services.planner.domain.business.moments import find_moments
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.query.measures.metrics import is_overall
from services.planner.domain.semantic_model.formulas import formula_of
from services.planner.domain.semantics.kinds import Kind


def with_business_words(catalogue: Catalogue, sentences: Sequence[str], today: date) -> Catalogue:
    """The catalogue with a metric for each word of business that was `said`, the latest last.

    What the data or its semantic model calls so goes before: there is none then. The fingerprint
    is another, and changes with the day where the formula does: a recipe of another day fits no
    more.
    """
    wanted = [one for one in entries_in("\n".join(sentences)) if not is_named(one, catalogue)]
    if not wanted:
        return catalogue
    texts = [text for text in sentences if entries_in(text)]
    tables = tuple(_with(table, wanted, texts[-1], catalogue, today) for table in catalogue.tables)
    if tables == catalogue.tables:
        return catalogue
    made = [column.formula for table in tables for column in table.columns if column.guess]
    fingerprint = sha256_hex(canonical_json({"schema": catalogue.fingerprint, "words": made}))
    return catalogue.model_copy(update={"tables": tables, "fingerprint": fingerprint})


def _with(
    table: Table, wanted: Sequence[Entry], text: str, catalogue: Catalogue, today: date
) -> Table:
    made = [_metric(entry, table, text, catalogue, today) for entry in wanted]
    added = tuple(column for column in made if column is not None)
    return table.model_copy(update={"columns": (*table.columns, *added)}) if added else table


def _metric(
    entry: Entry, table: Table, text: str, catalogue: Catalogue, today: date
) -> Column | None:
    columns = columns_for(entry, table)
    if columns is None:
        return None
    intended = define_word(entry, columns, find_moments(text, today), today)
    formula = formula_of(intended.formula, table, catalogue, {}, lambda one, other: False)
    column = Column(
        name=entry.name,
        data_type=DataType.FLOAT,
        role=ColumnRole.MEASURE,
        nullable=True,
        distinct=max(table.rows, 1),
        unit=entry.unit,
        formula=formula,
        guess=intended.description,
    )
    amount = not is_overall(column) and not entry.unit
    return column.model_copy(update={"kind": (Kind.AMOUNT if amount else Kind.INTENSIVE).value})
