"""A look at sources as one HTML page that needs nothing else: no script, no font, no other file.

Tables with their columns and how the values of each are spread, how tables hang together, and what
to doubt with its repairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import cos, pi, sin

from assay.common.v1.data_pb2 import Doubt
from assay.common.v1.look_pb2 import Bin, ColumnLook, JoinLook, Look, SemanticKind, TableLook
from mesh.repairs import option_of

# Nothing is loaded and nothing runs, whatever a cell of the data holds.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6570; --line: #d8dee4;
  --paper: #ffffff; --tint: #f4f6f8; --bar: #4878a8; --doubt: #b35900; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --soft: #9aa4ae; --line: #363d45; --paper: #14171a; --tint: #1d2126;
    --bar: #7cb7ff; --doubt: #ffb366; } }
body { margin: 0 auto; max-width: 70rem; padding: 2rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0 0 .4rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; padding-bottom: .25rem;
  border-bottom: 1px solid var(--line); }
p, ul { margin: .3rem 0; } ul { padding-left: 1.2rem; }
.soft { color: var(--soft); font-size: .9rem; }
.doubt { color: var(--doubt); }
code { background: var(--tint); padding: .05rem .3rem; border-radius: 3px; font-size: .85rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; width: 100%; }
th, td { padding: .35rem .8rem .35rem 0; text-align: left; border-bottom: 1px solid var(--line);
  vertical-align: top; }
td.kind { white-space: nowrap; }
td.column { white-space: nowrap; max-width: 22rem; overflow: hidden; text-overflow: ellipsis; }
td.spread { white-space: nowrap; min-width: 13rem; }
.bar { fill: var(--bar); } .axis { fill: var(--soft); font-size: 10px; }
.box { fill: var(--tint); stroke: var(--line); } .name { fill: var(--ink); font-size: 13px; }
.link { stroke: var(--soft); fill: none; } .guessed { stroke-dasharray: 4 3; }
@media print { body { max-width: none; padding: 0; } table, svg { break-inside: avoid; } }
"""
_WIDTH, _HEIGHT = 200, 34
_MOST_VALUES, _LONGEST_VALUE = 6, 22


def render_look(seen: Look, title: str) -> str:
    """The whole page."""
    parts = [f"<h1>{escape(title)}</h1>", *_summary(seen)]
    parts += _doubts(seen)
    if any(table.joins for table in seen.tables):
        parts += ["<h2>How tables hang together</h2>", _joins(seen.tables)]
    for table in seen.tables:
        parts += _table(table)
    if seen.notes:
        parts.append("<h2>How it was read</h2>")
        parts.append(_list(escape(note) for note in seen.notes))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _summary(seen: Look) -> Iterator[str]:
    rows = sum(table.rows for table in seen.tables)
    tables = "1 table" if len(seen.tables) == 1 else f"{len(seen.tables):,} tables"
    yield f'<p class="soft">{tables}, {rows:,} rows. Seen in the data, no answer with a proof.</p>'
    if seen.left_out:
        yield f'<p class="doubt">{escape(seen.left_out)}</p>'
    if seen.questions:
        yield "<p>To begin with, ask:</p>" + _list(escape(one) for one in seen.questions)


def _doubts(seen: Look) -> Iterator[str]:
    left = [doubt for doubt in seen.doubts if not doubt.repaired]
    made = [doubt for doubt in seen.doubts if doubt.repaired]
    if left:
        yield "<h2>To doubt</h2>"
        yield _list(_doubt(doubt) for doubt in left)
    if made:
        yield "<h2>Repaired</h2>"
        yield '<p class="soft">Made because it is certain; <code>--raw</code> reads without it.</p>'
        yield _list(_doubt(doubt) for doubt in made)


def _doubt(doubt: Doubt) -> str:
    text = f'<span class="soft">{escape(doubt.table)}</span> {escape(doubt.said)}'
    if doubt.changes and not doubt.repaired:
        text += f' <span class="soft">· {escape(doubt.changes)}</span>'
    options = [option_of(one.kind, one.column, one.value) for one in doubt.repairs]
    sentence = " or ".join(f"<code>--read {escape(option)}</code>" for option in options)
    return text + (f"<br>{sentence}" if sentence else "")


def _table(table: TableLook) -> Iterator[str]:
    yield f"<h2>{escape(table.name)}</h2>"
    texts = [f"{table.rows:,} rows", f"from {table.source_name}"]
    texts += [f"one row for each {', '.join(table.key)}"] if table.key else []
    texts += [f"told by {table.time_column}"] if table.time_column else []
    yield f'<p class="soft">{escape(" · ".join(texts))}</p>'
    if table.description:
        yield f"<p>{escape(table.description)}</p>"
    joins = {join.column: join for join in table.joins}
    rows = "\n".join(_column(each, table.rows, joins.get(each.name)) for each in table.columns)
    yield (
        '<div class="wide"><table><thead><tr><th>column</th><th>is</th><th>values</th>'
        f"<th>spread</th></tr></thead><tbody>\n{rows}\n</tbody></table></div>"
    )


def _column(column: ColumnLook, rows: int, join: JoinLook | None) -> str:
    kind = SemanticKind.Name(column.kind).removeprefix("SEMANTIC_KIND_").lower().replace("_", " ")
    kind = "" if kind == "unspecified" else kind
    meaning = " · ".join(filter(None, (kind, column.unit)))
    if column.formula:
        text = f"<code>{escape(column.formula)}</code>"
    else:
        text = escape(" · ".join(_values(column, rows)))
    if join is not None:
        text += f"<br>each a {escape(join.to_table)}.{escape(join.to_column)}"
    unique = column.kind == SemanticKind.SEMANTIC_KIND_ID or all(b.rows <= 1 for b in column.bins)
    spread = "" if unique else _spread(column.bins)
    return (
        f'<tr><td class="column">{escape(column.name)}</td><td class="kind">{escape(meaning)}</td>'
        f'<td>{text}</td><td class="spread">{spread}</td></tr>'
    )


def _values(column: ColumnLook, rows: int) -> Iterator[str]:
    if column.HasField("minimum") and column.bins and column.bins[0].to:
        yield f"{_short(column.minimum)} … {_short(column.maximum)}"
    else:
        yield f"{column.distinct:,} different"
    if column.HasField("mean"):
        yield f"mean {column.mean:,.4g}"
    if column.empty and rows:
        yield f"{100 * column.empty / rows:.3g} % empty"
    if not column.bins and column.samples:
        yield "such as " + ", ".join(_cut(value) for value in column.samples[:3])


def _spread(bins: Sequence[Bin]) -> str:
    if not bins:
        return ""
    return _histogram(bins) if bins[0].to else _bars(bins)


def _histogram(bins: Sequence[Bin]) -> str:
    most, width = max(one.rows for one in bins) or 1, _WIDTH / len(bins)
    drawn = []
    for at, one in enumerate(bins):
        tall = _HEIGHT * one.rows / most
        text = escape(f"{_short(getattr(one, 'from'))} to {_short(one.to)}: {one.rows:,} rows")
        drawn.append(
            f'<rect class="bar" x="{at * width:.1f}" y="{_HEIGHT - tall:.1f}" '
            f'width="{max(width - 1, 1):.1f}" height="{tall:.1f}"><title>{text}</title></rect>'
        )
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="spread">'
        + "".join(drawn)
        + "</svg>"
    )


def _bars(bins: Sequence[Bin]) -> str:
    shown = bins[:_MOST_VALUES]
    most, line = max(one.rows for one in shown) or 1, 15
    drawn = []
    for at, one in enumerate(shown):
        wide = 70 * one.rows / most
        value = escape(_cut(getattr(one, "from")))
        below = at * line + 11
        drawn.append(
            f'<rect class="bar" x="0" y="{below - 9}" width="{wide:.1f}" height="10"></rect>'
            f'<text class="axis" x="{wide + 5:.1f}" y="{below}">{value} {one.rows:,}</text>'
        )
    if len(bins) > len(shown):
        more = f"… {len(bins) - len(shown)} more"
        drawn.append(f'<text class="axis" x="0" y="{len(shown) * line + 11}">{more}</text>')
    tall = line * (len(shown) + (len(bins) > len(shown)))
    return f'<svg width="{_WIDTH + 40}" height="{tall}" role="img">' + "".join(drawn) + "</svg>"


def _joins(tables: Sequence[TableLook]) -> str:
    """Tables on a circle with a line for each join, dashed where it is guessed."""
    shown = [t for t in tables if t.joins or any(_refers(o, t.name) for o in tables)]
    radius = max(110, 26 * len(shown))
    wide, tall = 2 * radius + 240, 2 * radius * 0.62 + 60
    middle = (wide / 2, tall / 2)
    places = {}
    for at, table in enumerate(shown):
        angle = 2 * pi * at / len(shown) - pi / 2
        places[table.name] = (
            middle[0] + radius * cos(angle),
            middle[1] + radius * 0.62 * sin(angle),
        )
    drawn = []
    for table in shown:
        for join in table.joins:
            if join.to_table in places:
                (x, y), (u, v) = places[table.name], places[join.to_table]
                dashed = "" if join.declared else " guessed"
                text = escape(f"{table.name}.{join.column} → {join.to_table}.{join.to_column}")
                drawn.append(
                    f'<line class="link{dashed}" x1="{x:.0f}" y1="{y:.0f}" x2="{u:.0f}" '
                    f'y2="{v:.0f}"><title>{text}</title></line>'
                )
    for name, (x, y) in places.items():
        label = _cut(name)
        half = 4.2 * len(label) + 10
        drawn.append(
            f'<rect class="box" x="{x - half:.0f}" y="{y - 13:.0f}" width="{2 * half:.0f}" '
            f'height="26" rx="5"></rect><text class="name" x="{x:.0f}" y="{y + 4:.0f}" '
            f'text-anchor="middle">{escape(label)}</text>'
        )
    listed = _list(
        escape(
            f"{t.name}.{j.column} → {j.to_table}.{j.to_column}, "
            + ("declared" if j.declared else "guessed")
            + (f", {100 * j.matched:.3g} % are there" if j.HasField("matched") else "")
        )
        for t in shown
        for j in t.joins
    )
    return (
        f'<div class="wide"><svg width="{wide:.0f}" height="{tall:.0f}" role="img">'
        + "".join(drawn)
        + f'</svg></div>\n<div class="soft">{listed}</div>'
    )


def _refers(table: TableLook, name: str) -> bool:
    return any(join.to_table == name for join in table.joins)


def _list(items: Iterator[str]) -> str:
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"


def _short(text: str) -> str:
    """A bound as people read it: a midnight as its day, a number without a needless point."""
    text = text.replace("T", " ").removesuffix(":00").removesuffix(" 00:00")
    return text.removesuffix(".0")


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
