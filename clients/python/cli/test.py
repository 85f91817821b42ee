"""`assay test`: whether a difference is one, and what may come, over the rows of a statement."""

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
    Home,
    On,
    Raw,
    Read,
    RowLimit,
    Server,
    Session,
    Timeout,
    User,
    ways_to_read,
)


def test(
    context: typer.Context,
    rows: Annotated[
        str,
        typer.Argument(help="A frame of the session (f3), or one SELECT; - reads standard input."),
    ],
    kind: Annotated[str, typer.Argument(help="compare, regress, cohort, backtest or forecast.")],
    outcome: Annotated[
        str,
        typer.Argument(
            help="The column that is tested; of a cohort the day on which a thing began."
        ),
    ],
    by: Annotated[
        str,
        typer.Option("--by", metavar="COLUMN", help="The groups; of a backtest the rule."),
    ] = "",
    group: Annotated[
        list[str] | None,
        typer.Option("--group", metavar="VALUE", help="Compare these groups only. Repeatable."),
    ] = None,
    predictor: Annotated[
        list[str] | None,
        typer.Option(
            "--predictor", metavar="COLUMN", help="What explains the outcome. Repeatable."
        ),
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(
            "--cluster", metavar="COLUMN", help="Whose rows are alike: the orders of a customer."
        ),
    ] = "",
    time: Annotated[
        str,
        typer.Option("--time", metavar="COLUMN", help="When; of a cohort, the day of the end."),
    ] = "",
    steps: Annotated[
        int,
        typer.Option(
            "--steps", metavar="N", help="How many steps to forecast; else 1.", show_default=False
        ),
    ] = 0,
    period: Annotated[
        str,
        typer.Option(
            "--period",
            metavar="DAYS",
            help="Of a cohort, the first and last date watched: START..END.",
        ),
    ] = "",
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence",
            metavar="SHARE",
            help="How sure intervals are; else 0.95.",
            show_default=False,
        ),
    ] = 0.0,
    session: Session = "",
    data: Data = None,
    db: Database = None,
    on: On = None,
    read: Read = None,
    raw: Raw = False,
    report: Annotated[bool, typer.Option("--report", help="Write a report as well.")] = False,
    row_limit: RowLimit = None,
    timeout: Timeout = None,
    allow_column: AllowColumn = None,
    block_pattern: BlockPattern = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Test the rows of a frame, or of a statement.

    compare tells whether a number differs between groups, regress how it goes with others, cohort
    how long things last, backtest whether a rule picks out what it is for, forecast what comes
    next. Each says its interval, what it assumes, and how many tests the session holds, by which
    it is corrected. See docs/statistical_tests.md.

    \b
    Example: assay test f1 compare freight --by country --group France --group Germany \\
             --cluster customer --session 3f2a
    """
    from clients.python.cli.connection import Place

    place = Place(home, server, user).begin("executor", "planner")
    from clients.python.cli.asking import ask_question
    from clients.python.cli.running import execute
    from clients.python.question import Question
    from clients.python.testing import Testing, statement_of

    text = sys.stdin.read() if rows == "-" else rows
    asked = Question(
        statement=statement_of(text) or " ",
        test=Testing(
            kind,
            outcome,
            by,
            tuple(group or ()),
            tuple(predictor or ()),
            cluster,
            time,
            steps,
            period,
            confidence,
        ),
        session=session,
        data=tuple(data or ()),
        databases=tuple(db or ()),
        on=tuple(on or ()),
        deliverables=("table", "summary", *(["report"] if report else [])),
        row_limit=row_limit,
        timeout_seconds=timeout,
        allowed_columns=tuple(allow_column or ()),
        blocked_patterns=tuple(block_pattern or ()),
        read=ways_to_read(read, raw=raw),
    )
    return execute(
        lambda screen: ask_question(screen, place, asked, command=context.info_name or "test"),
        as_json=as_json,
    )
