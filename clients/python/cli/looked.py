"""A look at sources, for people and for machines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from assay.common.v1.look_pb2 import ColumnLook, JoinLook, Look, SemanticKind, TableLook
from clients.python.cli.cells import number, per_cent
from clients.python.cli.doubted import doubt_object, show_doubts
from clients.python.cli.screen import LABEL_WIDTH, Parts, Screen
from clients.python.cli.words import count, listed

_MOST_TABLES = 12
_MOST_COLUMNS = 40
_MOST_SAMPLES = 3
_LONGEST_SAMPLE = 24
_LONGEST_FORMULA = 70
_LEAST_SHARE = 0.001
_COMPUTED_WITH = {
    SemanticKind.SEMANTIC_KIND_AMOUNT: "may be added",
    SemanticKind.SEMANTIC_KIND_LEVEL: "may not be added over time",
    SemanticKind.SEMANTIC_KIND_INTENSIVE: "average",
    SemanticKind.SEMANTIC_KIND_NUMBER: "",
}
_RANGED = {SemanticKind.SEMANTIC_KIND_TIME, SemanticKind.SEMANTIC_KIND_DATE_PART}


def show_look(screen: Screen, seen: Look) -> None:
    """Print tables with their columns, doubts, what was read how, and questions to begin with."""
    for table in seen.tables[:_MOST_TABLES]:
        screen.row(table.name if _is_label(table.name) else "table", Parts(_heading(table)))
        screen.row("", _columns(table))
    rest = [table.name for table in seen.tables[_MOST_TABLES:]]
    if rest:
        screen.row("", f"… {count(len(rest), 'more table')}: {', '.join(rest)}", "dim")
    show_doubts(screen, seen)
    for note in (*seen.notes, *([seen.left_out] if seen.left_out else [])):
        screen.row("note", note, "yellow")
    for one in seen.matches:
        screen.row("value", Text(f"{one.phrase}: {one.table}.{one.column} = {one.value}"))
    if seen.questions:
        screen.row("try", Parts(seen.questions))


def look_object(seen: Look) -> dict[str, Any]:
    """A look for machines."""
    return {
        "tables": [_table_object(table) for table in seen.tables],
        "notes": list(seen.notes),
        "left_out": seen.left_out or None,
        "questions": list(seen.questions),
        "doubts": [doubt_object(doubt) for doubt in seen.doubts],
        "matches": [
            {
                "phrase": one.phrase,
                "table": one.table,
                "column": one.column,
                "value": one.value,
                "score": round(one.score, 2),
            }
            for one in seen.matches
        ],
    }


def _heading(table: TableLook) -> list[str]:
    """How many rows there are, what one is, and from when to when."""
    rows = count(table.rows, "row")
    parts = [rows if _is_label(table.name) else f"{table.name}: {rows}"]
    parts += [f"also {listed(table.synonyms, 'or')}"] if table.synonyms else []
    if table.key:
        declared = " (declared)" if table.key_declared else ""
        parts.append(f"one row for each {', '.join(table.key)}{declared}")
    times = [c for c in table.columns if c.kind == SemanticKind.SEMANTIC_KIND_TIME and c.minimum]
    values = [c for c in times if c.name == table.time_column]
    times = values or times
    if times:
        parts.append(f"{_day(times[0].minimum)} to {_day(times[0].maximum)}")
    return parts


def _is_label(name: str) -> bool:
    """Whether a table's name fits where labels stand."""
    return len(name) < LABEL_WIDTH


def _columns(table: TableLook) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, max_width=28, overflow="ellipsis")
    grid.add_column(no_wrap=True)
    grid.add_column()
    joins: dict[str, list[JoinLook]] = defaultdict(list)
    for join in table.joins:
        joins[join.column].append(join)
    for column in table.columns[:_MOST_COLUMNS]:
        text = ", ".join(_describe_column(column, table.rows, joins[column.name]))
        if column.formula:
            text = f"{text} = {_cut(column.formula, _LONGEST_FORMULA)}"
        grid.add_row(Text(column.name), Text(column.unit or _kind(column), "cyan"), Text(text))
    if len(table.columns) > _MOST_COLUMNS:
        more = count(len(table.columns) - _MOST_COLUMNS, "more column")
        grid.add_row(Text("…", "dim"), "", Text(more, "dim"))
    return grid


def _describe_column(column: ColumnLook, rows: int, joins: Sequence[JoinLook]) -> list[str]:
    """What is worth knowing of a column, the shorter for what its kind says already."""
    texts: list[str] = []
    if column.kind in _COMPUTED_WITH:
        texts += [f"also {listed(column.synonyms, 'or')}"] if column.synonyms else []
        texts += [_COMPUTED_WITH[column.kind]] if _COMPUTED_WITH[column.kind] else []
        if column.HasField("mean"):
            texts.append(f"mean {_number(column.mean)}")
    if (column.kind in _COMPUTED_WITH or column.kind in _RANGED) and column.HasField("minimum"):
        dated = column.kind in _RANGED  # years have no separators
        low, high = (
            _day(text) if dated else _short(text) for text in (column.minimum, column.maximum)
        )
        texts.append(f"{low} … {high}")
    elif column.kind not in _COMPUTED_WITH:
        texts += [f"also {listed(column.synonyms, 'or')}"] if column.synonyms else []
        texts.append(count(column.distinct, "kind"))
        if column.samples and not joins and column.kind != SemanticKind.SEMANTIC_KIND_ID:
            samples = ", ".join(map(_cut, column.samples[:_MOST_SAMPLES]))
            texts[-1] += f", such as {samples}" if len(column.samples) > 1 else f": {samples}"
    for join in joins:
        how = "declared" if join.declared else "guessed"
        if join.HasField("matched") and not (join.declared and join.matched == 1):
            how += f", {per_cent(join.matched)} are there"
        if join.HasField("most"):
            how += f", {_each(join)}"
        texts.append(f"each a {join.to_table}.{join.to_column} ({how})")
        for pair in join.further:
            texts[-1] += f", with {pair.column} = {pair.to_column}"
    if column.empty and rows:
        share = column.empty / rows
        texts.append(f"{per_cent(share) if share >= _LEAST_SHARE else f'{column.empty:,}'} empty")
    return texts


def _each(join: JoinLook) -> str:
    """How many rows go with one of the table referred to."""
    if join.most <= 1:
        return "one row each"
    return f"{_number(join.mean)} rows each, {join.most:,} at most"


def _kind(column: ColumnLook) -> str:
    name = SemanticKind.Name(column.kind).removeprefix("SEMANTIC_KIND_")
    return "" if name == "UNSPECIFIED" else name.lower().replace("_", " ")


def _number(value: float) -> str:
    places = 0 if abs(value) >= 1000 or value == int(value) else 1 if abs(value) >= 10 else 2
    return number(value, places)


def _short(text: str) -> str:
    """A bound as people read it: figures with separators, a moment without its noughts."""
    try:
        value = float(text)
    except ValueError:
        return _day(text)
    if abs(value) >= 1e15 or value != int(value):
        return _number(value)
    return number(value, 0)


def _day(text: str) -> str:
    """A moment as people read it; a midnight as its day."""
    day, _, clock = text.replace("T", " ", 1).partition(" ")
    return f"{day} {clock.removesuffix(':00')}" if clock.strip("0:") else day


def _cut(text: str, longest: int = _LONGEST_SAMPLE) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _table_object(table: TableLook) -> dict[str, Any]:
    return {
        "table": table.name,
        "source": table.source_name,
        "rows": table.rows,
        "key": list(table.key),
        "key_declared": table.key_declared,
        "columns": [
            {
                "column": column.name,
                "kind": _kind(column) or None,
                "unit": column.unit or None,
                "minimum": column.minimum if column.HasField("minimum") else None,
                "maximum": column.maximum if column.HasField("maximum") else None,
                "mean": column.mean if column.HasField("mean") else None,
                "distinct": column.distinct,
                "empty": column.empty,
                "samples": list(column.samples),
                "synonyms": list(column.synonyms),
                "description": column.description or None,
                "formula": column.formula or None,
                "bins": [
                    {"from": getattr(one, "from"), "to": one.to or None, "rows": one.rows}
                    for one in column.bins
                ],
            }
            for column in table.columns
        ],
        "joins": [
            {
                "column": join.column,
                "to_table": join.to_table,
                "to_column": join.to_column,
                "declared": join.declared,
                "matched": join.matched if join.HasField("matched") else None,
                "orphans": join.orphans if join.HasField("orphans") else None,
                "most": join.most if join.HasField("most") else None,
                "further": [{"column": p.column, "to_column": p.to_column} for p in join.further],
            }
            for join in table.joins
        ],
        "synonyms": list(table.synonyms),
        "description": table.description or None,
        "time_column": table.time_column or None,
    }
