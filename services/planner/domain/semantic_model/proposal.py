"""A semantic model to begin with, written from a look: what is sure as YAML, the rest as remarks.

Loaded as it is, it changes nothing: it says what would be taken for granted anyway. What only may
be so (keys of several columns, joins that few values bear out, whether a number may be added up)
is a remark, to be put right by somebody who knows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from services.planner.domain.doubt import Doubt
from services.planner.domain.look.kinds import SemanticKind
from services.planner.domain.look.look import ColumnLook, JoinLook, TableLook

_PLAIN = re.compile(r"[A-Za-z_][\w-]*(?:[ .][\w-]+)*")
_TAKEN = frozenset("null true false yes no on off y n".split())
_SURE = 0.95  # of a column's different values are in the column that it refers to
_SAMPLES, _LONGEST_SAMPLE = 3, 24
_HEAD = """\
# What {sources} means, as far as the data tells: a proposal of `assay look --propose`.
# Loaded as it is, it changes nothing. Mend what is wrong, take the # from what is right, add what
# nobody can see in the data. The form is told in docs/semantic_model.md.
tables:
"""
_NUMBERS = frozenset({SemanticKind.AMOUNT, SemanticKind.INTENSIVE, SemanticKind.NUMBER})
_REMARKS = {
    SemanticKind.NUMBER: "may it be added up (kind: amount), or averaged alone (kind: intensive)?",
    SemanticKind.LEVEL: "what there is at a time: not added up over time",
}


def proposal_of(
    tables: Sequence[TableLook], sources: Sequence[str], doubts: Sequence[Doubt] = ()
) -> str:
    """YAML for these tables of these sources, of which `read_model` makes a model."""
    head = _HEAD.format(sources=", ".join(" ".join(source.split()) for source in sources))
    if not tables:
        return head.replace("tables:\n", "tables: {}\n")
    return head + "".join(f"{line}\n" for table in tables for line in _table(table, doubts))


def _table(table: TableLook, doubts: Sequence[Doubt]) -> Iterator[str]:
    rows = "row" if table.rows == 1 else "rows"
    yield f"  {_text(table.name)}:  # {table.rows:,} {rows}"
    yield "    # synonyms: []"
    if table.description:
        yield f"    description: {_text(table.description)}"
    for doubt in doubts:
        if doubt.table == table.name:
            yield f"    # to doubt: {_remark(doubt.said)}"
    yield from _key(table)
    yield from _time(table)
    yield from _joins(table)
    yield from _metrics(table)
    yield "    columns:"
    for column in table.columns:
        if not column.formula:
            yield f"      {_text(column.name)}: {_meaning(column)}"


def _key(table: TableLook) -> Iterator[str]:
    if table.key:
        listed = f"key: [{', '.join(map(_text, table.key))}]"
        sure = table.key_declared or len(table.key) == 1
        yield f"    {listed}" if sure else f"    # {listed}  # tells the rows apart that are there"


def _time(table: TableLook) -> Iterator[str]:
    several = [c.name for c in table.columns if c.kind is SemanticKind.TIME]
    others = [name for name in several if name != table.time_column]
    if table.time_column and others:
        yield f"    # time: {_text(table.time_column)}  # or {_remark(', '.join(others))}"
    elif table.time_column:
        yield f"    time: {_text(table.time_column)}"


def _joins(table: TableLook) -> Iterator[str]:
    sure = [join for join in table.joins if _is_sure(join)]
    doubtful = [join for join in table.joins if join not in sure]
    if sure:
        yield "    joins:"
    elif doubtful:
        yield "    # joins:"
    for join in sure:
        remark = "" if join.declared else f"  # guessed: {_describe_evidence(join)}"
        yield f"      - {_join(join)}{remark}"
    for join in doubtful:
        yield f"    #   - {_join(join)}  # perhaps: {_describe_evidence(join)}"


def _is_sure(join: JoinLook) -> bool:
    """Names suggest every join that is told; values must bear it out where it is not declared."""
    return join.declared or (join.matched is not None and join.matched >= _SURE)


def _join(join: JoinLook) -> str:
    pairs = ((join.column, join.to_column), *join.further)
    on = ", ".join(f"{_text(a)}: {_text(b)}" for a, b in pairs)
    return f"{{to: {_text(join.to_table)}, on: {{{on}}}}}"


def _describe_evidence(join: JoinLook) -> str:
    if join.matched is None:
        return "its values were not looked at"
    return f"{join.matched * 100:.3g} % of its different values are there"


def _metrics(table: TableLook) -> Iterator[str]:
    metrics = [column for column in table.columns if column.formula]
    numbers = [column for column in table.columns if column.kind in _NUMBERS]
    if not metrics and numbers:
        yield "    # metrics:"
        yield '    #   a name of yours: {formula: "price * quantity", unit: USD}'
    if metrics:
        yield "    metrics:"
    for metric in metrics:
        texts = [f"formula: {_text(metric.formula)}", f"kind: {metric.kind.value}"]
        texts += [f"unit: {_text(metric.unit)}"] if metric.unit else []
        texts += [f"synonyms: {_listed(metric.synonyms)}"] if metric.synonyms else []
        texts += [f"description: {_text(metric.description)}"] if metric.description else []
        yield f"      {_text(metric.name)}: {{{', '.join(texts)}}}"


def _meaning(column: ColumnLook) -> str:
    sure = column.kind is not SemanticKind.NUMBER
    texts = [f"kind: {column.kind.value}"] if sure else []
    texts += [f"unit: {_text(column.unit)}"] if column.unit else []
    texts += [f"synonyms: {_listed(column.synonyms)}"] if column.synonyms else []
    texts += [f"description: {_text(column.description)}"] if column.description else []
    remarks = [_values(column)] if _values(column) else []
    remarks += [_REMARKS[column.kind]] if column.kind in _REMARKS else []
    text = f"  # {'; '.join(remarks)}" if remarks else ""
    return f"{{{', '.join(texts)}}}{text}"


def _values(column: ColumnLook) -> str:
    """What its values are like, in a few words."""
    if column.kind in (SemanticKind.CATEGORY, SemanticKind.FLAG, SemanticKind.NAME):
        shown = [_cut(sample) for sample in column.samples[:_SAMPLES]]
        return f"such as {', '.join(shown)}" if shown else ""
    if column.minimum is None or column.maximum is None or column.kind is SemanticKind.ID:
        return ""
    return f"{_cut(column.minimum)} … {_cut(column.maximum)}"


def _cut(text: str) -> str:
    line = _remark(text).removesuffix("T00:00:00")
    return line if len(line) <= _LONGEST_SAMPLE else f"{line[: _LONGEST_SAMPLE - 1]}…"


def _listed(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _text(text: str) -> str:
    """A text as YAML: as it is where that is plain to every reader of YAML, else in quotes."""
    if _PLAIN.fullmatch(text) and text.isascii() and text.lower() not in _TAKEN:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _remark(text: str) -> str:
    """A text that stays on the line of its remark."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
