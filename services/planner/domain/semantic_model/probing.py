"""Metrics tried on the data: each as one number of all rows, in a query like any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.data_source import DataSource
from services.planner.domain.evidence import Outcome, ProbedQuery, ProbeState
from services.planner.domain.query.intent import Aggregate, Field, Intent, Measure
from services.planner.domain.query.measures.metrics import is_overall
from services.planner.domain.query.planning.sql import render
from services.planner.domain.semantic_model.applying import tables_of_files
from services.planner.domain.semantic_model.places import Mistakes
from services.planner.domain.semantic_model.reading import read_model

_MOST = 200


@dataclass(frozen=True)
class Probe:
    """A metric of a table, and the query that computes it."""

    table: str
    metric: str
    query: ProbedQuery


def probes_of(catalogue: Catalogue) -> list[Probe]:
    """A query for each metric, as far as so many may be asked."""
    found: list[Probe] = []
    for table in catalogue.tables:
        for column in table.columns:
            if not column.formula:
                continue
            aggregate = Aggregate.FORMULA if is_overall(column) else Aggregate.SUM
            target = Field(table=table.name, column=column.name)
            measure = Measure(
                aggregate=aggregate, table=table.name, expression=target, label=column.name
            )
            query = render(Intent(base=table.name, measures=(measure,)), catalogue)
            probed = ProbedQuery(sql=query.text, params=query.params)
            found.append(Probe(table.name, column.name, probed))
    return found[:_MOST]


def raise_failed(
    probes: Sequence[Probe],
    outcomes: Sequence[Outcome],
    catalogue: Catalogue,
    sources: Sequence[DataSource],
) -> None:
    """Raises AssayError(SEMANTIC_MODEL_INVALID) for metrics whose query does not run."""
    failed = {
        (probe.table.casefold(), probe.metric): outcome.reason
        for probe, outcome in zip(probes, outcomes, strict=True)
        if outcome.state is ProbeState.FAILED
    }
    files = tables_of_files(catalogue, sources)
    own = (text for source in sources for text in source.semantic_models if not text.definition)
    for text in own:
        model, places = read_model(text.name, text.text)
        mistakes = Mistakes(text.name)
        for name, table in model.tables.items():
            for metric in table.metrics:
                known = files.get(name.casefold(), name)
                reason = failed.get((known.casefold(), metric))
                if reason is not None:
                    path = ("tables", name, "metrics", metric, "formula")
                    sentence = f'"{metric}" cannot be computed over {name} as a number ({reason})'
                    mistakes.add(places.of_value(path), sentence)
        mistakes.raise_any()
