"""`assay chat`: a conversation about files, a database, or a source by name."""

from __future__ import annotations

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
    Model,
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


def chat(
    data: Data = None,
    db: Database = None,
    on: On = None,
    model: Model = None,
    read: Read = None,
    raw: Raw = False,
    goes_on: Annotated[
        str,
        typer.Option(
            "--continue", metavar="ID", help="A conversation to go on with; or the first of its id."
        ),
    ] = "",
    past: Annotated[
        bool, typer.Option("--list", help="Show the conversations there are, and end.")
    ] = False,
    row_limit: RowLimit = None,
    timeout: Timeout = None,
    engine: Engine = "",
    allow_column: AllowColumn = None,
    block_pattern: BlockPattern = None,
    session: Session = "",
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Ask, and ask on: "and by region?", "only 1997", "why?", "no, I meant net price".

    A line is a message; /help tells what else there is. Lines may come from another command, and
    the exit code is that of the last answer. With --json each answer is an object on a line.

    \b
    Example: assay chat --data sales.csv
             printf 'sales by month\\nonly 1997\\n' | assay chat --db sqlite:///shop.sqlite
    """
    from clients.python.cli.connection import TO_ASK, Place

    place = Place(home, server, user).begin(*TO_ASK)
    from clients.python.cli.began import show_reading
    from clients.python.cli.conversations_listed import list_conversations
    from clients.python.cli.running import execute
    from clients.python.cli.talking import talk
    from clients.python.question import Question

    if past:
        return execute(lambda screen: list_conversations(screen, place), as_json=as_json)
    if not as_json:
        show_reading((*(data or ()), *(on or ()), *([session] if session else ())), db or ())
    about = Question(
        text="chat",
        data=tuple(data or ()),
        databases=tuple(db or ()),
        on=tuple(on or ()),
        row_limit=row_limit,
        timeout_seconds=timeout,
        engine=engine,
        allowed_columns=tuple(allow_column or ()),
        blocked_patterns=tuple(block_pattern or ()),
        read=ways_to_read(read, raw=raw),
        models=tuple(model or ()),
        session=session,
    )
    return execute(lambda screen: talk(screen, place, about, goes_on), as_json=as_json)
