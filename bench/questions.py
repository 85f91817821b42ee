"""How many questions are understood: right data values and right chart, over small databases.

Run `python bench/questions.py`; `--json FILE` keeps the figures, `--failures KIND` shows failures
of the databases that are open for looking. A fixed third of the databases is held out: `--holdout`
reports it separately, and its failures are never shown.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import math
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.support_catalogue import RunSql, kept_sources
from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.language.intent import ChartType, Clarification, Understood
from services.planner.domain.language.planning.chart import layout
from services.planner.domain.language.planning.sql import render
from services.planner.domain.language.understand import understand

_TODAY = date(2025, 1, 1)
_DEFAULT = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "questions_dev"
_CHARTS = {
    ChartType.BAR: "Bar",
    ChartType.HISTOGRAM: "Bar",
    ChartType.GROUPED_BAR: "Stacked Bar",
    ChartType.STACKED_BAR: "Stacked Bar",
    ChartType.LINE: "Line",
    ChartType.AREA: "Line",
    ChartType.MULTI_LINE: "Grouping Line",
    ChartType.PIE: "Pie",
    ChartType.SCATTER: "Scatter",
}
Cell = tuple[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one phrasing went. `kind` is empty when the values are right."""

    id: int
    db: str
    question: str
    wanted_chart: str
    got_chart: str
    hardness: str
    values_right: bool
    chart_right: bool
    asked: bool
    kind: str
    wanted_sql: str
    got_sql: str


def held_out(db: str) -> bool:
    """True for the fixed third of the databases that nobody looks into."""
    return int(hashlib.sha256(db.encode()).hexdigest(), 16) % 3 == 0


def canonical(value: Any) -> Any:
    """One form for equal values: numbers to 6 digits, days for moments, plain text."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float | Decimal):
        number = float(value)
        return "" if math.isnan(number) else float(f"{number:.6g}")
    text = str(value).strip()
    if re.fullmatch(r"-?\d+(\.\d+)?", text):
        return float(f"{float(text):.6g}")
    if moment := re.match(r"(\d{4})-(\d{1,2})-(\d{1,2})([ T]\d|$)", text):
        return f"{moment[1]}-{int(moment[2]):02d}-{int(moment[3]):02d}"
    return re.sub(r"\s+", " ", text).lower()


def wanted_cells(question: dict[str, Any]) -> Counter[Cell]:
    """The right values as a multiset; zeros that only fill up a stack do not count."""
    rows = question["values"]
    filled = "classify" in (rows[0] if rows else {})
    return Counter(
        (canonical(r["x_data"]), canonical(r["y_data"]), canonical(r.get("classify")))
        for r in rows
        if not (filled and r["y_data"] == 0)
    )


def got_cells(understood: Understood, catalogue: Catalogue, run_sql: RunSql) -> Counter[Cell]:
    """The values that the reading gives, as a multiset."""
    query = render(understood.intent, catalogue)
    columns, rows = run_sql(query.text, query.params)
    place = layout(understood.intent)
    if place is None:
        return Counter()
    x = columns.index(place.x)
    y = columns.index(place.y) if place.y else None
    series = columns.index(place.series) if place.series else None
    return Counter(
        (
            canonical(row[x]),
            canonical(row[y]) if y is not None else "",
            canonical(row[series]) if series is not None else "",
        )
        for row in rows
        if not (series is not None and y is not None and row[y] == 0)
    )


def chart_name(understood: Understood) -> str:
    """The chart in the data set's words."""
    chart = understood.intent.chart
    name = _CHARTS.get(chart, "none") if chart else "none"
    if name == "Scatter" and understood.intent.series is not None:
        return "Grouping Scatter"
    return name


async def judge(
    entry: dict[str, Any], question: str, catalogue: Catalogue, lookup: ValueLookup, run_sql: RunSql
) -> Outcome:
    """Answers one phrasing and compares."""
    asked = isinstance(await understand(question, catalogue, lookup, today=_TODAY), Clarification)
    result = await understand(question, catalogue, lookup, today=_TODAY, assume=True)
    right, got_sql, got_chart, kind = False, "", "none", "not understood"
    if isinstance(result, Understood):
        got_chart = chart_name(result)
        got_sql = render(result.intent, catalogue).text
        try:
            right = got_cells(result, catalogue, run_sql) == wanted_cells(entry)
            kind = "" if right else failure_kind(entry["sql"], got_sql)
            if not right and _same_but_axes(got_cells(result, catalogue, run_sql), entry):
                kind = "axes swapped"
        except duckdb.Error as error:
            kind = "does not run"
            got_sql += f"  -- {error}"
    return Outcome(
        entry["id"], entry["db"], question, entry["chart"], got_chart, entry["hardness"],
        right, got_chart == entry["chart"], asked, kind, entry["sql"], got_sql,
    )  # fmt: skip


def _same_but_axes(got: Counter[Cell], entry: dict[str, Any]) -> bool:
    wanted = wanted_cells(entry)
    turned = Counter({(y, x, s): n for (x, y, s), n in got.items()})
    stacked = Counter({(s, y, x): n for (x, y, s), n in got.items()})
    return wanted in (turned, stacked)


def failure_kind(wanted: str, got: str) -> str:
    """The first thing that differs between the query meant and the query made."""
    try:
        a = sqlglot.parse_one(wanted, dialect="sqlite")
        b = sqlglot.parse_one(got, dialect="duckdb")
    except sqlglot.errors.ParseError:
        return "other"
    checks = (
        ("wrong table or join", _tables(a), _tables(b)),
        ("wrong aggregation", _functions(a), _functions(b)),
        ("wrong filter", _filters(a), _filters(b)),
        ("wrong column", _selected(a), _selected(b)),
        ("wrong limit", a.args.get("limit") is None, b.args.get("limit") is None),
    )
    return next((name for name, left, right in checks if left != right), "other")


def _tables(tree: exp.Expr) -> set[str]:
    return {t.name.lower() for t in tree.find_all(exp.Table)}


def _functions(tree: exp.Expr) -> list[str]:
    found = [type(f).__name__.lower() for s in tree.expressions for f in s.find_all(exp.AggFunc)]
    return sorted(found)


def _filters(tree: exp.Expr) -> set[str]:
    where = tree.args.get("where")
    having = tree.args.get("having")
    return {c.name.lower() for part in (where, having) if part for c in part.find_all(exp.Column)}


def _selected(tree: exp.Expr) -> set[str]:
    return {c.name.lower() for s in tree.expressions for c in s.find_all(exp.Column)}


async def run(folder: Path) -> list[Outcome]:
    """Every phrasing of every question, database by database."""
    by_db: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in json.loads((folder / "questions.json").read_text()):
        by_db[entry["db"]].append(entry)
    outcomes: list[Outcome] = []
    sources = kept_sources()
    for db, entries in sorted(by_db.items()):
        catalogue, lookup, run_sql = sources.open(folder / "databases" / f"{db}.sqlite")
        for entry in entries:
            for question in entry["questions"]:
                outcomes.append(await judge(entry, question, catalogue, lookup, run_sql))
    return outcomes


def share(outcomes: Sequence[Outcome]) -> str:
    """Right values and right charts of a group, as text."""
    if not outcomes:
        return "none"
    values = sum(o.values_right for o in outcomes)
    charts = sum(o.chart_right for o in outcomes)
    asked = sum(o.asked for o in outcomes)
    size = len(outcomes)
    return (
        f"{size:5}   values {values:4} {values / size:6.1%}"
        f"   charts {charts:4} {charts / size:6.1%}"
        f"   would ask {asked:3}"
    )


def report(outcomes: Sequence[Outcome], holdout: bool) -> None:
    """Prints totals, then by chart and hardness, then failures by kind."""
    print(f"{'all':18}{share(outcomes)}")
    if holdout:
        print(f"{'open databases':18}{share([o for o in outcomes if not held_out(o.db)])}")
        print(f"{'held out':18}{share([o for o in outcomes if held_out(o.db)])}")
    for title, key in (("chart", "wanted_chart"), ("hardness", "hardness")):
        print(f"\nby {title}")
        for name in sorted({getattr(o, key) for o in outcomes}):
            print(f"  {name:16}{share([o for o in outcomes if getattr(o, key) == name])}")
    print("\nfailures by kind")
    kinds = Counter(o.kind for o in outcomes if not o.values_right)
    wrong_charts = sum(not o.chart_right for o in outcomes)
    for kind, count in [*kinds.most_common(), ("wrong chart", wrong_charts)]:
        print(f"  {kind:24}{count:5}")


def main() -> None:
    """Reads the options, runs, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ASSAY_QUESTIONS", _DEFAULT))
    )
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--holdout", action="store_true", help="report the held-out third apart")
    parser.add_argument("--failures", default=None, help="show failures of a kind, or 'all'")
    options = parser.parse_args()
    if not (options.data / "questions.json").exists():
        parser.error(f"no questions.json in {options.data}; set --data or ASSAY_QUESTIONS")
    outcomes = asyncio.run(run(options.data))
    if options.failures:
        for o in outcomes:
            if not held_out(o.db) and not o.values_right and options.failures in ("all", o.kind):
                print(f"## {o.kind} {o.db} {o.wanted_chart}\n  {o.question}")
                print(f"  wanted {o.wanted_sql}\n  got    {o.got_sql}")
    report(outcomes, options.holdout)
    if options.json:
        shown = [asdict(o) for o in outcomes if not held_out(o.db)]
        summary = {
            "phrasings": len(outcomes),
            "values_right": sum(o.values_right for o in outcomes),
            "charts_right": sum(o.chart_right for o in outcomes),
            "held_out_values_right": sum(o.values_right for o in outcomes if held_out(o.db)),
            "held_out_phrasings": sum(held_out(o.db) for o in outcomes),
            "open_outcomes": shown,
        }
        options.json.write_text(json.dumps(summary, indent=1))


if __name__ == "__main__":
    main()
