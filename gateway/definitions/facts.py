"""What data itself tells of a definition: measured, so that nobody decides on trust alone."""

from __future__ import annotations

from collections.abc import Iterator

from assay.common.v1 import look_pb2
from gateway.domain.definition import parse_part

_FEWEST_MATCHED = 0.95


def facts_of(model: str, look: look_pb2.Look) -> list[str]:
    """What a look at the sources, with the definition in it, shows of what the definition says."""
    part = parse_part(model)
    tables = {table.name.casefold(): table for table in look.tables}
    found: list[str] = []
    for name, said in (part.get("tables") or {}).items():
        table = tables.get(str(name).casefold())
        if table is not None and isinstance(said, dict):
            found += _facts(table, said)
    return found


def _facts(table: look_pb2.TableLook, said: dict[str, object]) -> Iterator[str]:
    metrics, columns = said.get("metrics"), said.get("columns")
    for metric in metrics if isinstance(metrics, dict) else ():
        yield f"{metric} is computed over the {table.rows:,} rows of {table.name}"
    if said.get("time"):
        yield _span(table, str(said["time"]))
    joins = said.get("joins")
    for join in joins if isinstance(joins, list) else ():
        on = join.get("on")
        yield from _matches(table, str(join.get("to", "")), on if isinstance(on, dict) else {})
    for column, says in (columns if isinstance(columns, dict) else {}).items():
        values = says.get("values") if isinstance(says, dict) else None
        if isinstance(values, dict):
            yield from _values(table, str(column), list(values))


def _span(table: look_pb2.TableLook, name: str) -> str:
    """From when to when the declared date goes, and how many rows have none."""
    if table.time_column.casefold() != name.casefold():
        return f"from when to when {table.name}.{name} goes was not measured"
    for column in table.columns:
        if column.name == table.time_column and column.HasField("minimum"):
            empty = f", {column.empty:,} rows without one" if column.empty else ""
            return f"{column.name} goes from {column.minimum} to {column.maximum}{empty}"
    return f"{table.name} is told by {table.time_column}"


def _matches(table: look_pb2.TableLook, to: str, on: dict[object, object]) -> Iterator[str]:
    """How much of a declared join matches; of no other that the two tables have."""
    wanted = {(str(own).casefold(), str(its).casefold()) for own, its in on.items()}
    found = [
        join
        for join in table.joins
        if join.to_table.casefold() == to.casefold()
        and (join.column.casefold(), join.to_column.casefold()) in wanted
    ]
    for own, its in () if found else on.items():
        yield f"how many values of {table.name}.{own} with {to}.{its} match was not measured"
    for join in found:
        pair = f"{table.name}.{join.column} with {join.to_table}.{join.to_column}"
        if not join.HasField("matched"):
            yield f"how many values of {pair} match was not measured"
            continue
        few = ": few, for a join" if join.matched < _FEWEST_MATCHED else ""
        yield (
            f"{join.matched:.1%} of the values of {pair} match{few}; "
            f"{join.orphans:,} rows find none, and at most {join.most:,} go with one row"
        )


def _values(table: look_pb2.TableLook, name: str, values: list[str]) -> Iterator[str]:
    column = next((one for one in table.columns if one.name.casefold() == name.casefold()), None)
    if column is None or not column.bins:
        return
    rows = {(one.to and "") or getattr(one, "from"): one.rows for one in column.bins}
    for value in values:
        if value in rows:
            yield f"{rows[value]:,} rows have {value} in {table.name}.{column.name}"
        elif len(rows) >= column.distinct:
            yield f"no row has {value} in {table.name}.{column.name}"
