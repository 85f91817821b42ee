"""Reads a folder that is one table."""

from __future__ import annotations

from services.executor.sources.building import Building
from services.executor.sources.content import Parts
from services.executor.sources.kinds import Kind
from services.executor.sources.lake.folders import Layout, layout_of
from services.executor.sources.lake.parts_reader import ReadFile, read_parts


def read_lake(parts: Parts, table: str, building: Building, read_file: ReadFile) -> set[Kind]:
    """Store the one table that the parts are; the kinds of its files, none where they are not one.

    `read_file` enters the tables of a file by itself. Raises AssayError as the readers do.
    """
    layout = layout_of(name for _, name in parts)
    if layout is None:
        return set()
    building.watch.files = len(parts)
    building.watch.size = sum(path.stat().st_size for path, _ in parts)
    if layout is Layout.PARTS:
        return read_parts(parts, table, building, read_file)
    if layout is Layout.DELTA:
        from services.executor.sources.lake.delta_reader import read_delta

        read_delta(parts, table, building)
        return {Kind.DELTA}
    if layout is Layout.ICEBERG:
        from services.executor.sources.lake.iceberg_reader import read_iceberg

        read_iceberg(parts, table, building)
        return {Kind.ICEBERG}
    return set()
