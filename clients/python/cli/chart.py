"""`assay chart`: a picture of the rows of a frame, or of a statement."""

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


def chart(
    context: typer.Context,
    rows: Annotated[
        str,
        typer.Argument(help="A frame of the session (f3), or one SELECT; - reads standard input."),
    ],
    kind: Annotated[
        str, typer.Argument(help="bar, line, area, scatter, histogram, box, heatmap or pie.")
    ],
    x: Annotated[str, typer.Argument(help="The column along which it is drawn.")],
    y: Annotated[str, typer.Argument(help="The number that is drawn; of a histogram none.")] = "",
    series: Annotated[
        str, typer.Option("--series", metavar="COLUMN", help="Whose values become colours.")
    ] = "",
    title: Annotated[str, typer.Option("--title", metavar="WORDS", help="What it shows.")] = "",
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
    """Draw the rows of a frame, or of a statement, as they are: none are added up.

    A chart that would mislead is replaced by one that does not, which is told. See docs/queries.md.

    \b
    Example: assay chart f1 line month revenue --series region --session 3f2a
    """
    from clients.python.cli.connection import Place

    place = Place(home, server, user).begin("executor", "planner")
    from clients.python.charting import Charting
    from clients.python.cli.asking import ask_question
    from clients.python.cli.running import execute
    from clients.python.question import Question
    from clients.python.testing import statement_of

    text = sys.stdin.read() if rows == "-" else rows
    asked = Question(
        statement=statement_of(text) or " ",
        chart=Charting(kind, x, y, series, title),
        session=session,
        data=tuple(data or ()),
        databases=tuple(db or ()),
        on=tuple(on or ()),
        deliverables=("table", "chart", "summary", *(["report"] if report else [])),
        row_limit=row_limit,
        timeout_seconds=timeout,
        allowed_columns=tuple(allow_column or ()),
        blocked_patterns=tuple(block_pattern or ()),
        read=ways_to_read(read, raw=raw),
    )
    return execute(
        lambda screen: ask_question(screen, place, asked, command=context.info_name or "chart"),
        as_json=as_json,
    )
