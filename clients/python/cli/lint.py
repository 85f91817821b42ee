"""`assay lint`: faults of analysis in one statement, sized by asking the data."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import (
    AllowColumn,
    AsJson,
    BlockPattern,
    Data,
    Database,
    Home,
    Model,
    On,
    Raw,
    Read,
    Server,
    User,
    ways_to_read,
)

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen
    from clients.python.question import Question


def lint(
    statement: Annotated[
        str, typer.Argument(help="One SELECT in DuckDB's dialect; - reads it from standard input.")
    ],
    data: Data = None,
    db: Database = None,
    on: On = None,
    question: Annotated[
        str,
        typer.Option("--question", metavar="TEXT", help="The question in words that it answers."),
    ] = "",
    fix: Annotated[
        bool, typer.Option("--fix", help="Show the statement with every safe fix.")
    ] = False,
    model: Model = None,
    read: Read = None,
    raw: Raw = False,
    allow_column: AllowColumn = None,
    block_pattern: BlockPattern = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Look for faults of analysis in a statement: rows added twice, values that do not exist, ties.

    What is suspected is asked of the data first, so what is said has a size. Makes no job. Exit
    code 1 where there is an error, 6 where there are doubts alone, 0 else.

    \b
    Example: assay lint "select sum(freight) from orders join lines using (order_id)" --data shop/
    """
    from clients.python.cli.began import show_reading
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute
    from clients.python.question import Question

    place = Place(home, server, user).begin("executor", "planner")
    if not as_json:
        show_reading((*(data or ()), *(on or ())), db or ())
    text = sys.stdin.read() if statement == "-" else statement
    wanted = Question(
        text=question,
        statement=text or " ",
        data=tuple(data or ()),
        databases=tuple(db or ()),
        on=tuple(on or ()),
        allowed_columns=tuple(allow_column or ()),
        blocked_patterns=tuple(block_pattern or ()),
        read=ways_to_read(read, raw=raw),
        models=tuple(model or ()),
    )
    return execute(lambda screen: _lint(screen, place, wanted, fix=fix), as_json=as_json)


async def _lint(screen: Screen, place: Place, wanted: Question, *, fix: bool) -> int:
    from clients.python.cli.connection import connected
    from clients.python.cli.linted import exit_code, lint_object, show_lint

    wanted = wanted.located()
    wanted.check()
    async with connected(place, screen) as client:
        found = await client.lint(wanted, fix=fix)
    if screen.as_json:
        screen.object(lint_object(found))
    else:
        show_lint(screen, found, fix=fix)
    return exit_code(found)
