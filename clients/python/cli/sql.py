"""`assay sql`: one statement of one's own, run under the same rules and with the same proof."""

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
    Timeout,
    User,
    WhyThis,
    ways_to_read,
)

_DELIVERED = ("table", "summary")


def sql(
    statement: Annotated[
        str, typer.Argument(help="One SELECT in DuckDB's dialect; - reads it from standard input.")
    ],
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
    """Run one SELECT on your data, as it is.

    Tables are named as `assay ask --sql` names them: a file by its name without its ending. What
    reads is run, what writes is refused; policy, limits and proof are those of a question.

    \b
    Example: assay sql "select count(*) from orders" --db sqlite:///northwind.sqlite
    """
    from clients.python.cli.connection import Place

    place = Place(home, server, user).begin("executor", "planner")
    from clients.python.cli.began import show_reading

    if not as_json:
        show_reading((*(data or ()), *(on or ())), db or ())
    from clients.python.cli.asking import ask_question
    from clients.python.cli.running import execute
    from clients.python.question import Question

    text = sys.stdin.read() if statement == "-" else statement
    asked = Question(
        statement=text or " ",  # one without words is a statement all the same, and refused as one
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
        lambda screen: ask_question(screen, place, asked, command="sql", why=why_this),
        as_json=as_json,
    )
