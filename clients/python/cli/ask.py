"""`assay ask`: a question of files or a database, answered."""

from __future__ import annotations

from typing import Annotated

import typer

from clients.python.cli.options import AsJson, Home, Server, User


def ask(
    question: Annotated[str, typer.Argument(help="What to find out, in your own words.")],
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data", metavar="FILE", help="A data file, or a folder of them. Repeatable."
        ),
    ] = None,
    db: Annotated[
        list[str] | None,
        typer.Option(
            "--db", metavar="URL", help="A database, such as sqlite:///shop.sqlite. Repeatable."
        ),
    ] = None,
    read: Annotated[
        list[str] | None,
        typer.Option(
            "--read",
            metavar="[FILE:]NAME=VALUE",
            help="How to read files where their content should not decide: delimiter, quote, "
            "escape, comment, encoding, header, units-row, skip-lines, skip-footer, decimal, "
            "date-order, missing, type.COLUMN, pad-short-rows, sheet, one-table. Repeatable.",
        ),
    ] = None,
    deliverable: Annotated[
        list[str] | None,
        typer.Option(
            "--deliverable",
            "--deliver",
            metavar="LIST",
            help="Any of table, chart, report, summary, with commas. All when not given.",
        ),
    ] = None,
    row_limit: Annotated[
        int | None,
        typer.Option("--row-limit", metavar="N", help="Most rows of a query, 1 to 200,000."),
    ] = None,
    timeout: Annotated[
        int | None, typer.Option("--timeout", metavar="S", help="Most seconds, 1 to 180.")
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="What runs the queries: duckdb, postgres or spark. Chosen when not given.",
        ),
    ] = "",
    allow_column: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-column",
            metavar="NAME",
            help="Only columns so named exist: column or table.column. Repeatable.",
        ),
    ] = None,
    block_pattern: Annotated[
        list[str] | None,
        typer.Option(
            "--block-pattern",
            metavar="P",
            help="Hide what matches: a regular expression, or email, phone, ssn, credit_card, "
            "iban, ip. Repeatable.",
        ),
    ] = None,
    assume: Annotated[
        bool,
        typer.Option("--assume", help="Take the likeliest reading of what is unclear, and say so."),
    ] = False,
    choose: Annotated[
        str,
        typer.Option("--choose", metavar="N", help="Which reading, if the question is unclear."),
    ] = "",
    plan: Annotated[
        bool, typer.Option("--plan", help="Show what would be done, and do not do it.")
    ] = False,
    sql: Annotated[bool, typer.Option("--sql", help="Show the queries that ran, in full.")] = False,
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
        show_reading(data or (), db or ())
    from clients.python.cli.asking import ask_question
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute
    from clients.python.question import Question

    asked = Question(
        text=question,
        data=tuple(data or ()),
        databases=tuple(db or ()),
        deliverables=tuple(deliverable or ()),
        row_limit=row_limit,
        timeout_seconds=timeout,
        engine=engine,
        allowed_columns=tuple(allow_column or ()),
        blocked_patterns=tuple(block_pattern or ()),
        assume=assume,
        read=tuple(read or ()),
    )
    place = Place(home, server, user)
    return execute(
        lambda screen: ask_question(screen, place, asked, choice=choose, plan_only=plan, sql=sql),
        as_json=as_json,
    )
