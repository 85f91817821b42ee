"""`assay ask`: a question of files or a database, answered."""

from __future__ import annotations

from typing import Annotated

import typer

from clients.python.cli.options import (
    AllowColumn,
    AsJson,
    BlockPattern,
    Data,
    Database,
    Disclose,
    Engine,
    Home,
    Model,
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


def ask(
    question: Annotated[str, typer.Argument(help="What to find out, in your own words.")],
    data: Data = None,
    db: Database = None,
    on: On = None,
    model: Model = None,
    read: Read = None,
    raw: Raw = False,
    deliverable: Annotated[
        list[str] | None,
        typer.Option(
            "--deliverable",
            "--deliver",
            metavar="LIST",
            help="Any of table, chart, report, summary, with commas. All when not given.",
        ),
    ] = None,
    row_limit: RowLimit = None,
    timeout: Timeout = None,
    engine: Engine = "",
    allow_column: AllowColumn = None,
    block_pattern: BlockPattern = None,
    disclose: Disclose = "",
    assume: Annotated[
        bool,
        typer.Option("--assume", help="Take the likeliest reading of what is unclear, and say so."),
    ] = False,
    choose: Annotated[
        str,
        typer.Option(
            "--choose",
            metavar="N|WORDS",
            help="Which reading, if the question is unclear: its number, or words of it.",
        ),
    ] = "",
    no: Annotated[
        list[str] | None,
        typer.Option(
            "--no",
            metavar="WORDS",
            help="What to read otherwise: 'by ship country', 'only 1997', 'the median'.",
        ),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Show what would be done, and do not do it.")
    ] = False,
    sql: Annotated[bool, typer.Option("--sql", help="Show the queries that ran, in full.")] = False,
    why_this: WhyThis = False,
    session: Session = "",
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Answer a question about your data.

    \b
    Example: assay ask "revenue by month in 1997, by category" --db sqlite:///northwind.sqlite
    """
    from clients.python.cli.began import show_reading

    if not as_json:
        show_reading((*(data or ()), *(on or ()), *([session] if session else ())), db or ())
    from clients.python.cli.connection import TO_ASK, Place

    place = Place(home, server, user).begin(*TO_ASK)
    from clients.python.cli.asking import ask_question
    from clients.python.cli.running import execute
    from clients.python.question import Question

    asked = Question(
        text=question,
        data=tuple(data or ()),
        databases=tuple(db or ()),
        on=tuple(on or ()),
        session=session,
        deliverables=tuple(deliverable or ()),
        row_limit=row_limit,
        timeout_seconds=timeout,
        engine=engine,
        allowed_columns=tuple(allow_column or ()),
        blocked_patterns=tuple(block_pattern or ()),
        disclosure=disclose,
        assume=assume,
        read=ways_to_read(read, raw=raw),
        models=tuple(model or ()),
        choice=choose,
        corrections=tuple(no or ()),
    )
    return execute(
        lambda screen: ask_question(
            screen, place, asked, choice=choose, plan_only=plan, sql=sql, why=why_this
        ),
        as_json=as_json,
    )
