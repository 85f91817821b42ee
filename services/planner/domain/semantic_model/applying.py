"""Semantic models held against the data, and put into the catalogue that every reading goes by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from mesh.canonical import canonical_json
from mesh.digest import sha256_hex
from mesh.policy import Policy
from mesh.remarks import NOT_USED
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.data_source import DataSource
from services.planner.domain.semantic_model.metrics import with_metrics_of
from services.planner.domain.semantic_model.missing_names import list_missing_names
from services.planner.domain.semantic_model.places import Mistakes
from services.planner.domain.semantic_model.reading import read_model
from services.planner.domain.semantic_model.tables import LocatedModel, with_joins, with_tables


def with_models(
    catalogue: Catalogue, sources: Sequence[DataSource], policy: Policy | None = None
) -> Catalogue:
    """The catalogue of these sources with all that their models say of it; what a later one says
    goes before an earlier.

    What models say of what the policy hides is passed over. The fingerprint is another than without
    models, and for each meaning another. An approved definition that does not fit is not used, and
    `unused` tells of it. Raises AssayError(SEMANTIC_MODEL_INVALID) where another model names what
    there is not.
    """
    texts = [text for source in sources for text in source.semantic_models]
    if not texts:
        return catalogue
    within = policy or Policy()
    files = tables_of_files(catalogue, sources)
    located = {
        text: LocatedModel(*read_model(text.name, text.text), Mistakes(text.name), within, files)
        for text in texts
    }
    schema = catalogue.fingerprint
    own = [one for text, one in located.items() if not text.definition]
    catalogue = _put_in(catalogue, own)
    for one in own:
        one.mistakes.raise_any()
    used, unused = own, []
    for one in (one for text, one in located.items() if text.definition):
        tried = _put_in(catalogue, [one])
        if one.mistakes.first:
            unused.append(
                f"{NOT_USED}{one.mistakes.name}, for it does not fit: {one.mistakes.first}"
            )
        else:
            catalogue, used = tried, [*used, one]
    catalogue = _without_hidden(catalogue, used)
    meaning = [one.model.model_dump(mode="json", exclude_defaults=True) for one in used]
    return catalogue.model_copy(
        update={
            "fingerprint": sha256_hex(canonical_json({"schema": schema, "models": meaning})),
            "lacking": list_missing_names(catalogue, used),
            "fiscal_year_starts": next(
                filter(None, (one.model.fiscal_year_starts for one in reversed(used))), 0
            ),
            "unused": tuple(unused),
        }
    )


def _put_in(catalogue: Catalogue, models: Sequence[LocatedModel]) -> Catalogue:
    """What models say, put into a catalogue; their mistakes are noted in them."""
    for step in (with_tables, with_joins, with_metrics_of):
        for one in models:
            catalogue = step(catalogue, one)
    return catalogue


def _without_hidden(catalogue: Catalogue, located_models: Sequence[LocatedModel]) -> Catalogue:
    """Without columns that are not to be used; metrics and joins may still be made of them."""
    hidden = {
        (known.name, column.casefold())
        for one in located_models
        for name, table in one.model.tables.items()
        if (known := one.named(name, catalogue)) is not None
        for column, column_model in table.columns.items()
        if column_model.hidden
    }
    tables = tuple(
        table.model_copy(
            update={
                "columns": tuple(
                    c
                    for c in table.columns
                    if c.formula or (table.name, c.name.casefold()) not in hidden
                )
            }
        )
        for table in catalogue.tables
    )
    return catalogue.model_copy(update={"tables": tuple(t for t in tables if t.columns)})


def tables_of_files(catalogue: Catalogue, sources: Sequence[DataSource]) -> dict[str, str]:
    """The one table of each file by the file's name without its endings, in lower case.

    A source with a name of its own lends that to its table; its model goes by the file.
    """
    found: dict[str, str] = {}
    for source in sources:
        own = [table.name for table in catalogue.tables if table.source_name == source.label]
        stem = PurePath(source.file_path).name.partition(".")[0]
        if stem and len(own) == 1:
            found[stem.casefold()] = own[0]
    return found
