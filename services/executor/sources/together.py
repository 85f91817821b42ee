"""Single files that are told to be one table, which are then read as those of a folder are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from services.executor.domain.source import DataSource, Repair

_ASKED = Repair(kind="one-table", value="yes")


def together(sources: Iterable[DataSource]) -> list[DataSource]:
    """The sources, where files that are read alike, and each as one table with others, are one
    source in the place of the first of them. Looks whether files are there, and blocks for it."""
    alike: dict[str, dict[str, DataSource]] = defaultdict(dict)
    for number, source in enumerate(sources):
        key = source.options.model_dump_json() if _is_asked(source) else str(number)
        alike[key].setdefault(source.place, source)
    every = (list(parts.values()) for parts in alike.values())
    return [parts[0] if len(parts) == 1 else _one(parts) for parts in every]


def _is_asked(source: DataSource) -> bool:
    asked = source.options.one_table or _ASKED in source.options.repairs
    if not asked or source.options.raw or not source.file_path:
        return False
    return Path(source.file_path).expanduser().is_file()


def _one(parts: Sequence[DataSource]) -> DataSource:
    first, *others = parts
    rest = others[0].label if len(others) == 1 else f"{len(others):,} more"
    return first.model_copy(
        update={
            "name": f"{first.label} and {rest}",
            "parts": tuple((one.file_path, one.label) for one in parts),
            "schema_fingerprint": None,
        }
    )
