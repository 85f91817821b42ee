"""`assay query`: one statement of one's own, checked, held against what it is declared to mean."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from clients.python.cli.options import (
    AllowColumn,
    AsJson,
    BlockPattern,
    Data,
    Database,
    Engine,
    Home,
    On,
    Raw,
    Read,
    RowLimit,
    Server,
    Session,
    Timeout,
    User,
    WhyThis,
    ways_to_read,
)

_DELIVERED = ("table", "summary")


def query(
    context: typer.Context,
    statement: Annotated[
        str, typer.Argument(help="One SELECT in DuckDB's dialect; - reads it from standard input.")
    ],
    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            metavar="NUMBER",
            help="What it computes: a declared metric, or sum(table.column) and the like.",
        ),
    ] = "",
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="COLUMN", help="What rows are split by. Repeatable."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="CONDITION", help="Which rows count. Repeatable."),
    ] = None,
    time: Annotated[
        str, typer.Option("--time", metavar="COLUMN", help="The column that says when.")
    ] = "",
    period: Annotated[
        str,
        typer.Option("--period", metavar="DAYS", help="2024, 2024-03, or 2024-01-01..2024-06-30."),
    ] = "",
    grain: Annotated[
        str,
        typer.Option("--grain", metavar="UNIT", help="Split by year, quarter, month, week or day."),
    ] = "",
    session: Session = "",
    data: Data = None,
    db: Database = None,
    on: On = None,
    read: Read = None,
    raw: Raw = False,
    report: Annotated[bool, typer.Option("--report", help="Write a report as well.")] = False,
    chart: Annotated[
        bool,
        typer.Option(
            "--chart",
            help="Draw a chart as well, of rows that are grouped, listed or counted.",
        ),
    ] = False,
    row_limit: RowLimit = None,
    timeout: Timeout = None,
    engine: Engine = "",
    allow_column: AllowColumn = None,
    block_pattern: BlockPattern = None,
    why_this: WhyThis = False,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Run one SELECT on your data, and check it.

    It runs as it is, under the policy, limits and proof of a question. What checks doubt in it is
    told before its rows. With --metric and the like, what it is to mean is compiled into a second
    statement, and both results are compared. In a session later statements read its table as f1,
    f2 and so on. Tables are named as `assay ask --sql` names them: a file by its name without its
    ending. See docs/queries.md.

    \b
    Example: assay query "select sum(amount) from orders" --db sqlite:///shop.sqlite \\
             --metric "sum(orders.amount)" --time orders.shipped --period 2024
    """
    from clients.python.cli.connection import Place

    place = Place(home, server, user).begin("executor", "planner")
    from clients.python.cli.began import show_reading

    if not as_json:
        show_reading((*(data or ()), *(on or ()), *([session] if session else ())), db or ())
    from clients.python.cli.asking import ask_question
    from clients.python.cli.running import execute
    from clients.python.meaning import Meaning
    from clients.python.question import Question

    name = context.info_name or "query"
    text = sys.stdin.read() if statement == "-" else statement
    asked = Question(
        statement=text or " ",  # one without words is a statement all the same, and refused as one
        means=Meaning(metric, tuple(by or ()), tuple(where or ()), time, period, grain),
        session=session,
        data=tuple(data or ()),
        databases=tuple(db or ()),
        on=tuple(on or ()),
        deliverables=(
            *_DELIVERED,
            *(["report"] if report else []),
            *(["chart"] if chart else []),
        ),
        row_limit=row_limit,
        timeout_seconds=timeout,
        engine=engine,
        allowed_columns=tuple(allow_column or ()),
        blocked_patterns=tuple(block_pattern or ()),
        read=ways_to_read(read, raw=raw),
    )
    return execute(
        lambda screen: ask_question(screen, place, asked, command=name, why=why_this),
        as_json=as_json,
    )
