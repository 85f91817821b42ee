"""The repairs that semantic models ask for, put into how their files are read.

That is done once, when a request comes: what was read, and so every proof, depends on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from mesh.repairs import repair_of
from services.planner.domain.data_source import DataSource
from services.planner.domain.semantic_model.reading import read_model


def with_repairs(sources: Sequence[DataSource]) -> tuple[DataSource, ...]:
    """The sources with the repairs that any of their models has for them, each once, behind those
    that the request itself asks for; none where it wants a file raw.

    Raises AssayError(SEMANTIC_MODEL_INVALID).
    """
    models = [
        read_model(text.name, text.text)[0] for one in sources for text in one.semantic_models
    ]
    asked: dict[str, list[str]] = {}
    for model in models:
        for name, repairs in model.repairs.items():
            asked.setdefault(name.casefold(), []).extend(repairs)
    return tuple(_with(source, asked.get(source.label.casefold(), [])) for source in sources)


def _with(source: DataSource, options: Sequence[str]) -> DataSource:
    given = json.loads(source.read_options) if source.read_options else {}
    if not options or given.get("raw"):
        return source
    known = list(given.get("repairs", ()))
    known += [one for one in _repairs(options) if one not in known]
    written = json.dumps({**given, "repairs": known}, sort_keys=True)
    return source.model_copy(update={"read_options": written})


def _repairs(options: Sequence[str]) -> Iterator[dict[str, str]]:
    """As the contract's JSON has them: what is empty is left out."""
    for option in dict.fromkeys(options):
        if (parts := repair_of(option)) is not None:
            named = zip(("kind", "column", "value"), parts, strict=True)
            yield {name: part for name, part in named if part}
