"""`assay define`: what data means, proposed by anybody and decided by a person."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Data, Database, Home, On, Read, Server, Session, User

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen
    from clients.python.question import Question

define = typer.Typer(
    name="define",
    rich_markup_mode=None,
    invoke_without_command=True,
)


@define.callback()
def only_with_a_command(context: typer.Context) -> None:
    """Propose what data means, and decide on it: metrics, joins, dates, names of values."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


Id = Annotated[
    str,
    typer.Argument(metavar="ID", help="A definition's id, or its first four or more characters."),
]
Because = Annotated[str, typer.Option("--because", metavar="TEXT", help="Why, for who reads it.")]


@define.command("propose")
def propose(
    model: Annotated[
        str,
        typer.Argument(
            metavar="[FILE]", help="A part of a semantic model (YAML); - reads standard input."
        ),
    ] = "",
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", metavar="TABLE.NAME=FORMULA", help="A metric. Repeatable."),
    ] = None,
    join: Annotated[
        list[str] | None,
        typer.Option("--join", metavar="TABLE.COLUMN=TABLE.COLUMN", help="A join. Repeatable."),
    ] = None,
    time: Annotated[
        list[str] | None,
        typer.Option("--time", metavar="TABLE=COLUMN", help="When rows are. Repeatable."),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(
            "--value", metavar="TABLE.COLUMN.VALUE=WORDS", help="Names of a value. Repeatable."
        ),
    ] = None,
    because: Because = "",
    session: Session = "",
    data: Data = None,
    db: Database = None,
    on: On = None,
    read: Read = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Propose a definition: it is held against the data, and waits for a person.

    With --session, what it would change in the session's answers is told.

    \b
    Example: assay define propose --metric "orders.net revenue = quantity * price" \\
             --because "as in the annual report" --data orders.csv
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute
    from clients.python.definition_text import definition_text
    from clients.python.question import Question

    place = Place(home, server, user).begin("executor", "planner")
    short = (tuple(one or ()) for one in (metric, time, join, value))
    question = Question(
        text="define",
        data=tuple(data or ()),
        databases=tuple(db or ()),
        on=tuple(on or ()),
        read=tuple(read or ()),
        session=session,
    )

    async def work(screen: Screen) -> int:
        text = _text(model, definition_text(*short))
        return await _propose(screen, place, question, text, because)

    return execute(work, as_json=as_json)


@define.command("list")
def list_(
    pending: Annotated[bool, typer.Option("--pending", help="Only what waits.")] = False,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """List definitions, the newest first."""
    from clients.python.cli.connection import Place, connected
    from clients.python.cli.defined import definition_object, show_definitions
    from clients.python.cli.running import execute

    place = Place(home, server, user)

    async def work(screen: Screen) -> int:
        async with connected(place, screen) as client:
            found = await client.definitions.all("pending" if pending else "")
        if screen.as_json:
            screen.object({"definitions": [definition_object(one) for one in found]})
            return 0
        show_definitions(screen, found)
        return 0

    return execute(work, as_json=as_json)


@define.command("show")
def show(
    id: Id, as_json: AsJson = False, server: Server = None, home: Home = None, user: User = None
) -> int:
    """Show a definition: what it says, what the data tells of it, what it would change."""
    from clients.python.cli.connection import Place, connected
    from clients.python.cli.defined import show_definition, whole_definition_id
    from clients.python.cli.running import execute

    place = Place(home, server, user)

    async def work(screen: Screen) -> int:
        async with connected(place, screen) as client:
            whole = await whole_definition_id(client, id)
            show_definition(screen, await client.definitions.get(whole))
        return 0

    return execute(work, as_json=as_json)


@define.command("approve")
def approve(
    id: Id,
    because: Because = "",
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Approve a definition: every question and statement goes by it from now on."""
    from clients.python.cli.connection import Place

    return _decide(Place(home, server, user), id, "approved", because, as_json=as_json)


@define.command("reject")
def reject(
    id: Id,
    because: Because = "",
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Reject a definition that waits, and say why."""
    from clients.python.cli.connection import Place

    return _decide(Place(home, server, user), id, "rejected", because, as_json=as_json)


@define.command("retire")
def retire(
    id: Id,
    because: Because = "",
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """End an approved definition, and say why: nothing goes by it any more."""
    from clients.python.cli.connection import Place

    return _decide(Place(home, server, user), id, "retired", because, as_json=as_json)


async def _propose(
    screen: Screen, place: Place, question: Question, text: str, because: str
) -> int:
    from dataclasses import replace

    from clients.python.cli.connection import connected
    from clients.python.cli.defined import show_definition
    from clients.python.cli.naming import whole_session_id

    question = question.located()
    async with connected(place, screen) as client:
        session = await whole_session_id(client, question.session) if question.session else ""
        wanted = replace(question, session="" if client.opens_paths else session)
        made = await client.define(wanted, text, because, session)
    show_definition(screen, made)
    if not screen.as_json:
        screen.line("", f"assay define approve {made.definition_id[:8]}")
    return 0


def _decide(place: Place, id: str, state: str, because: str, *, as_json: bool) -> int:
    from clients.python.cli.connection import connected
    from clients.python.cli.defined import show_decided, whole_definition_id
    from clients.python.cli.running import execute

    async def work(screen: Screen) -> int:
        async with connected(place, screen) as client:
            whole = await whole_definition_id(client, id)
            show_decided(screen, await client.definitions.decide(whole, state, because))
        return 0

    return execute(work, as_json=as_json)


def _text(path: str, short: str) -> str:
    """What is proposed: a file, or short forms. Raises AssayError(INVALID_ARGUMENT)."""
    from pathlib import Path

    from clients.python.semantic_models import read_model
    from mesh.errors import INVALID_ARGUMENT, AssayError

    if bool(path) == bool(short):
        raise AssayError(
            INVALID_ARGUMENT,
            "a definition is one file, or is said by --metric, --join, --time and --value",
            hint='For example: assay define propose --time "orders = placed_on" --data orders.csv',
        )
    if path == "-":
        return sys.stdin.read()
    return read_model(Path(path)).text if path else short
