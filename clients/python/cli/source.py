"""`assay source`: files and databases under names of one's own."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clients.python.cli.options import AsJson, Home, Model, Read, Server, User

if TYPE_CHECKING:
    from assay.gateway.v1.source_service_pb2 import Source
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen

_TABLES_NAMED = 8

source = typer.Typer(
    name="source",
    rich_markup_mode=None,
    invoke_without_command=True,
)


@source.callback()
def only_with_a_command(context: typer.Context) -> None:
    """Name files and databases, to ask about them with --on NAME."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A letter, then letters, digits, _ and -.")
]


@source.command("add")
def add(
    name: Name,
    where: Annotated[
        str,
        typer.Argument(metavar="PLACE", help="A file, a folder, or an address."),
    ],
    model: Model = None,
    read: Read = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Keep a file, folder or database under a name.

    It is read once to see that it can be. A password in a URL is kept apart, encrypted, and never
    shown; what is kept belongs to you and to this mesh. Its semantic model is kept as it is now:
    add the source again when that has changed.

    \b
    Example: assay source add shop sqlite:///shop.sqlite
             assay ask "orders per month" --on shop
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(
        lambda screen: _add(screen, place, name, where, tuple(read or ()), tuple(model or ())),
        as_json=as_json,
    )


@source.command("list")
def list_(
    as_json: AsJson = False, server: Server = None, home: Home = None, user: User = None
) -> int:
    """List what you named."""
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _list(screen, place), as_json=as_json)


@source.command("show")
def show(
    name: Name, as_json: AsJson = False, server: Server = None, home: Home = None, user: User = None
) -> int:
    """Show where a source is and how it is read."""
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _show(screen, place, name), as_json=as_json)


@source.command("remove")
def remove(
    name: Name, as_json: AsJson = False, server: Server = None, home: Home = None, user: User = None
) -> int:
    """Forget a name. The data, and what was asked of it, stay."""
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _remove(screen, place, name), as_json=as_json)


async def _add(
    screen: Screen,
    place: Place,
    name: str,
    where: str,
    read: tuple[str, ...],
    models: tuple[str, ...],
) -> int:
    from clients.python.cli.connection import connected
    from clients.python.cli.words import count
    from clients.python.known_sources import place_of
    from clients.python.places import parted
    from clients.python.read_options import check_read_options
    from clients.python.request import database_source, file_source
    from clients.python.semantic_models import models_of
    from mesh.credentials import is_remote
    from mesh.errors import INVALID_ARGUMENT, AssayError, ExitCode

    files, databases = parted((where,))
    if len(files) > 1:
        raise AssayError(
            INVALID_ARGUMENT,
            f"{where} matches {len(files)} files, and a name is of one place",
            hint="Name their folder, or each file by itself.",
        )
    is_url = bool(databases)
    where = (*files, *databases)[0]
    check_read_options(read, (where.partition("?")[0],) if is_remote(where) or not is_url else ())
    async with connected(place, screen) as client:
        wanted = (
            database_source(where, client.same_machine, read)
            if is_url
            else file_source(where, read)
        )
        wanted.semantic_models.extend(models_of(models, (where,)))
        added = await client.sources.add(name, wanted)
    if screen.as_json:
        screen.object({**_object(added.source), "tables": list(added.tables)})
        return ExitCode.ANSWERED
    screen.line(
        "added", f"{added.source.name} · {place_of(added.source.source) or 'on the server'}"
    )
    if added.source.source.semantic_models:
        screen.row("model", ", ".join(m.name for m in added.source.source.semantic_models))
    named = ", ".join(added.tables[:_TABLES_NAMED])
    more = ", …" if len(added.tables) > _TABLES_NAMED else ""
    screen.row("", f"{count(len(added.tables), 'table')}: {named}{more}")
    screen.line("", f'assay ask "…" --on {added.source.name}')
    return ExitCode.ANSWERED


async def _list(screen: Screen, place: Place) -> int:
    from rich.table import Table
    from rich.text import Text

    from clients.python.cli.connection import connected
    from clients.python.cli.words import moment
    from clients.python.known_sources import place_of
    from mesh.errors import ExitCode

    async with connected(place, screen) as client:
        found = await client.sources.all()
    if screen.as_json:
        screen.object({"sources": [_object(known) for known in found]})
        return ExitCode.ANSWERED
    if not found:
        screen.show("no sources yet: name one, assay source add NAME FILE|URL")
        return ExitCode.ANSWERED
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for heading in ("source", "added", "where"):
        grid.add_column(heading, no_wrap=True, overflow="ellipsis")
    for known in found:
        added = moment(known.created_at.ToDatetime(UTC))
        grid.add_row(known.name, added, Text(place_of(known.source) or "on the server"))
    screen.show(grid)
    return ExitCode.ANSWERED


async def _show(screen: Screen, place: Place, name: str) -> int:
    from clients.python.cli.connection import connected
    from clients.python.cli.words import moment
    from clients.python.known_sources import has_password, place_of
    from mesh.errors import ExitCode

    async with connected(place, screen) as client:
        known = await client.sources.get(name)
    if screen.as_json:
        screen.object(_object(known))
        return ExitCode.ANSWERED
    screen.row("source", known.name)
    screen.line("where", place_of(known.source) or "on the server")
    if has_password(known.source):
        screen.row("password", "kept apart, encrypted")
    for model in known.source.semantic_models:
        screen.row("model", f"{model.name}, as it was when the source was added")
    for option, value in _object(known)["read"].items():
        screen.row("read", f"{option} = {value}")
    screen.row("added", moment(known.created_at.ToDatetime(UTC)))
    return ExitCode.ANSWERED


async def _remove(screen: Screen, place: Place, name: str) -> int:
    from clients.python.cli.connection import connected
    from mesh.errors import ExitCode

    async with connected(place, screen) as client:
        await client.sources.remove(name)
    if screen.as_json:
        screen.object({"removed": name.lower()})
    screen.row("removed", f"{name}; what it named is where it was")
    return ExitCode.ANSWERED


def _object(known: Source) -> dict[str, Any]:
    """A source for machines."""
    from google.protobuf import json_format

    from clients.python.known_sources import has_password, place_of

    return {
        "source": known.name,
        "place": place_of(known.source),
        "password_kept": has_password(known.source),
        "read": json_format.MessageToDict(
            known.source.read_options, preserving_proto_field_name=True
        ),
        "semantic_models": [
            {"name": model.name, "text": model.text} for model in known.source.semantic_models
        ],
        "added_at": known.created_at.ToJsonString(),
    }
